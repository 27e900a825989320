// Starts the page's WebAssembly. A file of its own because the content security policy allows no
// inline script; Trunk names the two files it built in this script element's data attributes.
import { openKeeper } from "./keeper.js";

const { js, wasm } = document.getElementById("boot").dataset;
const here = (name) => new URL(name, import.meta.url);
const [keeper, page] = await Promise.all([openKeeper(), import(here(js))]);
await page.default({ module_or_path: here(wasm) });
try {
  page.start(keeper);
  keeper.started();
} catch (error) {
  keeper.stopped(error);
}
