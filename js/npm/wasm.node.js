// Reads the WebAssembly in Node, from the folder of this module.

import { readFile } from "node:fs/promises";

/** @returns {Promise<Uint8Array<ArrayBuffer>>} */
export const wasm = () => readFile(new URL("./lictor.wasm", import.meta.url));
