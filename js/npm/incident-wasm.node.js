// Reads the WebAssembly of incidents in Node, from the folder of this module.

import { readFile } from "node:fs/promises";

/** @returns {Promise<Uint8Array<ArrayBuffer>>} */
export const wasm = () => readFile(new URL("./incident.wasm", import.meta.url));
