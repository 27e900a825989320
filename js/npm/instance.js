/// <reference types="./platform.d.ts" preserve="true" />
// Compiles WebAssembly modules, each once, and makes instances of them. A panic makes its instance
// unusable and no other one. Instances whose owner was freed are used again.

import { LictorError } from "./errors.js";

/** @import { CommonGlue } from "./glue.js" */
/** @import { Failed } from "./types.js" */

/**
 * What the WebAssembly module can be given as.
 * @typedef {string | URL | Response | ArrayBuffer | ArrayBufferView | WebAssembly.Module} WasmSource
 */

/** An instance that has grown beyond this is not used again, as memory never shrinks. */
const REUSED_BYTES_MAX = 4 << 20;
/** The most instances that are kept for later servers. */
const IDLE_MAX = 16;

/** @type {WeakMap<WebAssembly.Module, Instance<any>[]>} */
const idle = new WeakMap();

/** @type {WeakMap<Function, Promise<WebAssembly.Module>>} */
const compiled = new WeakMap();

/**
 * The module that a loader returns. It is compiled at the first call only.
 * @param {() => Promise<WasmSource>} load
 */
export function moduleOf(load) {
  let module = compiled.get(load);
  if (!module) {
    module = compile(load());
    compiled.set(load, module);
    // A failure is not kept, so that the next call loads the file again.
    module.catch(() => compiled.delete(load));
  }
  return module;
}

/**
 * @param {WasmSource | Promise<WasmSource>} source
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compile(source) {
  try {
    let input = await source;
    if (input instanceof WebAssembly.Module) return /** @type {WebAssembly.Module} */ (input);
    if (typeof input === "string" || input instanceof URL) input = await fetch(input);
    if (input instanceof Response) {
      if (!input.ok) throw new Error(`${input.url} answers ${input.status}`);
      if (
        input.headers.get("content-type") === "application/wasm" &&
        WebAssembly.compileStreaming
      ) {
        return await WebAssembly.compileStreaming(input);
      }
      const bytes = await input.arrayBuffer();
      if (!isWasm(bytes)) throw new Error(`what ${input.url} answers is no WebAssembly`);
      return await WebAssembly.compile(bytes);
    }
    return await WebAssembly.compile(/** @type {BufferSource} */ (input));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const advice =
      'with Vite, add optimizeDeps: { exclude: ["lictor"] }; with Next.js, serverExternalPackages: ["lictor"]; ' +
      'where no file can be served, import "lictor/inline"';
    throw new LictorError(
      { code: "not-loaded", message: `the WebAssembly cannot be loaded: ${why} (${advice})` },
      { cause },
    );
  }
}

/**
 * Whether the bytes begin as WebAssembly does, with `\0asm`.
 * @param {ArrayBuffer} bytes
 */
const isWasm = (bytes) => new Uint32Array(bytes.slice(0, 4))[0] === 0x6d736100;

/**
 * An instance of a WebAssembly module with its bindings.
 * @template {CommonGlue} G
 */
export class Instance {
  #module;
  #glue;
  #memory;
  /** @type {LictorError | null} */
  #failure = null;

  /**
   * @param {WebAssembly.Module} module
   * @param {G} glue
   * @param {WebAssembly.Memory} memory
   */
  constructor(module, glue, memory) {
    this.#module = module;
    this.#glue = glue;
    this.#memory = memory;
  }

  /**
   * A new instance of a module, or one that was released.
   * @template {CommonGlue} G
   * @param {WebAssembly.Module} module
   * @param {() => G} bindings creates the bindings that wasm-bindgen wrote for the module
   * @returns {Promise<Instance<G>>}
   */
  static async of(module, bindings) {
    const instance = idle.get(module)?.pop();
    if (instance) return instance;
    const glue = bindings();
    const { memory } = await glue({ module_or_path: module });
    return new Instance(module, glue, memory);
  }

  /** Whether the engine has failed, so that nothing in this instance can be trusted. */
  get isPoisoned() {
    return this.#failure !== null;
  }

  /**
   * Calls into WebAssembly. What it throws is a `LictorError`.
   * @template T
   * @param {(glue: G) => T} action
   * @returns {T}
   */
  run(action) {
    if (this.#failure) throw this.#failure;
    try {
      return action(this.#glue);
    } catch (thrown) {
      if (isFailed(thrown)) throw new LictorError(thrown);
      throw (this.#failure = this.#panicked(thrown));
    }
  }

  /** Keeps the instance for a later owner, unless it has failed or its memory is large. */
  release() {
    if (this.#failure || this.#memory.buffer.byteLength > REUSED_BYTES_MAX) return;
    const kept = idle.get(this.#module) ?? [];
    idle.set(this.#module, kept);
    if (kept.length < IDLE_MAX) kept.push(this);
  }

  /** @param {unknown} cause */
  #panicked(cause) {
    let message;
    try {
      message = this.#glue.lastPanic();
    } catch {
      // The instance is in an unknown state; the trap itself remains as the cause.
    }
    message ??= cause instanceof Error ? cause.message : String(cause);
    return new LictorError(
      { code: "panicked", message: `the engine has failed: ${message}` },
      { cause },
    );
  }
}

/**
 * @param {unknown} thrown
 * @returns {thrown is Failed}
 */
function isFailed(thrown) {
  return (
    typeof thrown === "object" && thrown !== null && !(thrown instanceof Error) && "code" in thrown
  );
}
