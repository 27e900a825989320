// Where browsers find the WebAssembly of incidents: beside this module.

/** @returns {Promise<Response>} */
export const wasm = () => fetch(new URL("./incident.wasm", import.meta.url));
