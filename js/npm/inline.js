// The entry for pages and bundlers that cannot serve a WebAssembly file: it exports the same as the main
// entry, with the WebAssembly as a text in a module, which is a third larger.

import { ConsulBase } from "./consul.js";
import { wasm } from "./wasm.inline.js";

export { LictorError } from "./errors.js";

/** One Consul server in memory. */
export class Consul extends ConsulBase {
  /** @override */
  static wasm = wasm;
}
