// The WebAssembly of incidents in Cloudflare's Workers, which is compiled when a Worker is deployed.

import module from "./incident.wasm";

/** @returns {Promise<WebAssembly.Module>} */
export const wasm = async () => module;
