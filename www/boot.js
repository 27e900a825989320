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
let keeper;
try {
  const [{ openKeeper }, page] = await Promise.all([import(here(keeping)), import(here(js))]);
  [keeper] = await Promise.all([openKeeper(log), page.default({ module_or_path: code() })]);
  page.start(keeper);
  const does = (verb) => (first = "", second = "") => page.script(verb, `${first}`, `${second}`);
  const verbs = ["act", "advance", "seek", "ask", "story", "load", "log", "link"];
  globalThis.lictor = Object.fromEntries(verbs.map((verb) => [verb, does(verb)]));
  lictor.now = () => Number(does("now")());
  dispatchEvent(new Event("lictor"));
  keeper.started();
} catch (error) {
  keeper?.stopped(error);
  if (!document.querySelector("main")) document.body.append(`Lictor: ${error}`);
}
