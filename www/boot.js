// Loads and starts the page's WebAssembly. This is a separate file because the content security policy
// allows no inline script. The script element's data attributes name the files that Trunk has built.
const { keeper: keeping, js, wasm, log } = document.getElementById("boot").dataset;
const here = (name) => new URL(name, import.meta.url);
// In a page of somebody else nothing is kept.
const isFramed = new URLSearchParams(location.search).has("embed");
let keeper;
try {
  const [{ openKeeper }, page] = await Promise.all([import(here(keeping)), import(here(js))]);
  const loaded = page.default({ module_or_path: here(wasm) });
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
