// Fetches the WebAssembly in a browser, from the folder of this module. Bundlers recognise this form of
// a URL and copy the file.

/** @returns {Promise<Response>} */
export const wasm = () => fetch(new URL("./lictor.wasm", import.meta.url));
