// Fetches the WebAssembly of worlds in a browser, from the folder of this module.

/** @returns {Promise<Response>} */
export const wasm = () => fetch(new URL("./world.wasm", import.meta.url));
