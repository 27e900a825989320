// Starts the page's WebAssembly. A file of its own because the content security policy allows no
// inline script; Trunk names the two files it built in this script element's data attributes.
const { js, wasm } = document.getElementById("boot").dataset;
const { default: init } = await import(new URL(js, import.meta.url));
await init({ module_or_path: new URL(wasm, import.meta.url) });
