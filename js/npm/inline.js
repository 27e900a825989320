// The same as the main entry, with the WebAssembly inside this module: for pages and bundlers that
// cannot serve a file beside it. It is a third larger, and compiled asynchronously as well.

import { ConsulBase } from "./consul.js";
import { wasm } from "./wasm.inline.js";

export { LictorError } from "./errors.js";

/** One Consul server in memory. */
export class Consul extends ConsulBase {
  /** @override */
  static wasm = wasm;
}
