// Starts the page's WebAssembly. A file of its own because the content security policy allows no
// inline script; this script element's data attributes name the files, which Trunk built in part.
const { keeper: keeping, js, wasm, unpack, log } = document.getElementById("boot").dataset;
const here = (name) => new URL(name, import.meta.url);
// Runs a script that is no module: it leaves what it has in the page's own names.
const run = (src) =>
  new Promise((onload, reject) => {
    const onerror = () => reject(new Error("what unpacks the page's code did not load"));
    document.head.append(Object.assign(document.createElement("script"), { src, onload, onerror }));
  });
// The page's code as a response. Most builds pack it by xz: browsers unpack no better than gzip.
const code = async () => {
  const [response] = await Promise.all([fetch(here(wasm)), unpack && run(here(unpack))]);
  if (!unpack || !response.ok) return response;
  const { XzReadableStream } = globalThis["xz-decompress"];
  const headers = { "content-type": "application/wasm" };
  return new Response(new XzReadableStream(response.body), { headers });
};
// In a page of somebody else nothing is kept.
const isFramed = new URLSearchParams(location.search).has("embed");
let keeper;
try {
  const [{ openKeeper }, page] = await Promise.all([import(here(keeping)), import(here(js))]);
  const loaded = page.default({ module_or_path: code() });
  [keeper] = await Promise.all([openKeeper(log, isFramed), loaded]);
  page.start(keeper);
  const does = (verb) => (first = "", second = "") => page.script(verb, `${first}`, `${second}`);
  const verbs = ["act", "advance", "seek", "ask", "story", "load", "log", "link", "paste", "run", "pause"];
  globalThis.lictor = Object.fromEntries(verbs.map((verb) => [verb, does(verb)]));
  lictor.now = () => Number(does("now")());
  dispatchEvent(new Event("lictor"));
  keeper.started();
  if (isFramed) (await import("./frame.js")).serve(lictor, keeper);
} catch (error) {
  keeper?.stopped(error);
  if (isFramed) parent.postMessage({ lictor: "failed", error: `${error}` }, "*");
  if (!document.querySelector("main")) document.body.append(`Lictor: ${error}`);
}
