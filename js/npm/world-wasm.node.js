// Reads the WebAssembly of worlds in Node, from the folder of this module.

import { readFile } from "node:fs/promises";

/** @returns {Promise<Uint8Array<ArrayBuffer>>} */
export const wasm = () => readFile(new URL("./world.wasm", import.meta.url));
