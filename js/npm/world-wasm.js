// Where browsers find the WebAssembly of worlds: beside this module.

/** @returns {Promise<Response>} */
export const wasm = () => fetch(new URL("./world.wasm", import.meta.url));
