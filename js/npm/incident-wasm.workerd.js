// Where Workers of Cloudflare find the WebAssembly of incidents: they compile it when they are deployed.

import module from "./incident.wasm";

/** @returns {Promise<WebAssembly.Module>} */
export const wasm = async () => module;
