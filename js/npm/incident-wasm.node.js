// Where Node finds the WebAssembly of incidents: in a file beside this module.

import { readFile } from "node:fs/promises";

/** @returns {Promise<Uint8Array<ArrayBuffer>>} */
export const wasm = () => readFile(new URL("./incident.wasm", import.meta.url));
