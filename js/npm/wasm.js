// Where browsers find the WebAssembly: beside this module. Bundlers know this form of a URL and copy
// the file.

/** @returns {Promise<Response>} */
export const wasm = () => fetch(new URL("./lictor.wasm", import.meta.url));
