// Where Workers of Cloudflare find the WebAssembly of worlds: they compile it when they are deployed.

import module from "./world.wasm";

/** @returns {Promise<WebAssembly.Module>} */
export const wasm = async () => module;
