// The WebAssembly of worlds in Cloudflare's Workers, which is compiled when a Worker is deployed.

import module from "./world.wasm";

/** @returns {Promise<WebAssembly.Module>} */
export const wasm = async () => module;
