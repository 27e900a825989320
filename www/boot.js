// Starts the page's WebAssembly. A file of its own because the content security policy allows no
// inline script; this script element's data attributes name the files, which Trunk built in part.
const { keeper: keeping, js, wasm, log } = document.getElementById("boot").dataset;
const here = (name) => new URL(name, import.meta.url);
let keeper;
try {
  const [{ openKeeper }, page] = await Promise.all([import(here(keeping)), import(here(js))]);
  [keeper] = await Promise.all([openKeeper(log), page.default({ module_or_path: here(wasm) })]);
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
