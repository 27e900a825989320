// The WebAssembly in Cloudflare's Workers, which is compiled when a Worker is deployed.

import module from "./lictor.wasm";

/** @returns {Promise<WebAssembly.Module>} */
export const wasm = async () => module;
