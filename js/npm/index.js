// The package's main entry. It finds `lictor.wasm` in the way of its environment: Node reads the
// file, a Worker of Cloudflare imports it, a browser streams it from beside this module.

import { wasm } from "#wasm";
import { ConsulBase } from "./consul.js";

export { LictorError } from "./errors.js";

/** One Consul server in memory. */
export class Consul extends ConsulBase {
  /** @override */
  static wasm = wasm;
}
