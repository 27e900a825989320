// Where Workers of Cloudflare find the WebAssembly: they compile it when they are deployed.

import module from "./lictor.wasm";

/** @returns {Promise<WebAssembly.Module>} */
export const wasm = async () => module;
