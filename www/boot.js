// Loads the page's WebAssembly and starts the page. It is no inline script, as the content security policy allows
// none. The data attributes of its element name the files of the module.

// The functions of docs/en/use/scripting.md; lictor.d.ts has their types.
const FUNCTIONS = [
  "act", "advance", "guide", "guideAnswer", "guideStep", "guideValue", "load", "log", "newWorld", "now", "paste",
  "pause", "read", "request", "run", "seek", "toLink", "trace", "version",
];
// The former names of functions, which scripts may still call.
const FORMER = { ask: "read", consul: "version", link: "toLink", story: "trace" };
/** A page that is left sooner is not stored, because its files would be transferred for nothing. */
const STORED_AFTER_MS = 1000;
const { worldStore = "", js = "", wasm = "", log, offline } = document.getElementById("boot")?.dataset ?? {};
/** @param {string} name */
const addressOf = (name) => new URL(name, import.meta.url).href;
// A page that is embedded in another one stores nothing.
const isFramed = new URLSearchParams(location.search).has("embed");
/** @type {Awaited<ReturnType<typeof import("./world-store.js").openWorldStore>> | undefined} */
let store;
/**
 * Lets a service worker store the page. A browser or a server may refuse it, and the page works as without it.
 * @param {string} script
 */
const storePage = async (script) => {
  try {
    await navigator.serviceWorker?.register(addressOf(script));
  } catch {}
};
try {
  const [{ openWorldStore }, page] = await Promise.all([import(addressOf(worldStore)), import(addressOf(js))]);
  const loaded = page.default({ module_or_path: addressOf(wasm) });
  /** A link on which WebAssembly traps counts as readable: the start reports the trap. @param {string} link */
  const readsLink = async (link) => {
    await loaded;
    try {
      return page.readsLink(link);
    } catch {
      return true;
    }
  };
  const opened = await Promise.all([openWorldStore(log, isFramed, readsLink), loaded]);
  store = opened[0];
  document.getElementById("before-start")?.remove();
  const functions = page.start(store);
  const names = [...FUNCTIONS.map((name) => [name, name]), ...Object.entries(FORMER)];
  const lictor = Object.fromEntries(names.map(([name, now]) => [name, functions[now].bind(functions)]));
  Object.assign(globalThis, { lictor });
  dispatchEvent(new Event("lictor"));
  store?.started();
  if (isFramed) (await import("./frame.js")).serve(lictor, opened[0]);
  else if (offline && parent === window) setTimeout(() => storePage(offline), STORED_AFTER_MS);
} catch (error) {
  store?.stopped(error);
  if (isFramed) parent.postMessage({ lictor: "failed", error: `${error}` }, "*");
  if (!document.querySelector("main")) document.body.append(`Lictor: ${error}`);
}

export {};
