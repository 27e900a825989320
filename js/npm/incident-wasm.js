// Fetches the WebAssembly of incidents in a browser, from the folder of this module.

/** @returns {Promise<Response>} */
export const wasm = () => fetch(new URL("./incident.wasm", import.meta.url));
