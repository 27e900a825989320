/// <reference lib="esnext.disposable" preserve="true" />
// A lock, a semaphore and a leader election on a real Consul. The state machines are those of
// lictor-recipes, which the simulation runs under faults; this file sends their requests and runs
// their clock.

import { wasm } from "#wasm";
import { bytes, options as read, own, shown, span, text, unsigned } from "./arguments.js";
import { LictorError, invalidArgument } from "./errors.js";
import { bindings } from "./glue.js";
import { Instance, moduleOf } from "./instance.js";

/** @import { ClientProgram, Glue } from "./glue.js" */
/** @import { ClientOutcome, ClientStep, LockFence, Span } from "./types.js" */

/**
 * @typedef {object} ClientOptions
 * @property {string | URL} [address] Consul's address; `http://127.0.0.1:8500` by default.
 * @property {string} [token] An ACL token.
 * @property {Record<string, string>} [headers] Headers of every request.
 * @property {typeof globalThis.fetch} [fetch] Sends the requests.
 * @property {AbortSignal} [signal] Ends the wait for the lock.
 * @property {string | ArrayBuffer | ArrayBufferView} [value] What the holder writes to its key.
 * @property {Span} [ttl] The TTL of the session; 15 s by default. The client renews it at half of it.
 * @property {Span} [lockDelay] The lock-delay of the session; Consul's 15 s by default.
 * @property {string} [name] The name of the session, for people.
 * @property {string} [session] A session of the caller, who renews it: then only Consul's answers end
 * the lock, not the time since the last renewal.
 * @property {boolean} [once] Gives up after `waitTime` instead of waiting for its turn.
 * @property {Span} [waitTime] How long one read waits; 15 s by default.
 * @property {number} [monitorRetries] How often a failed watch is repeated; 0 by default, so that a
 * failed watch loses the lock.
 * @property {Span} [requestTimeout] How long an answer may take beyond its wait; 10 s by default.
 * @property {(leader: Uint8Array | null) => void} [onLeader] For `elect`: called with the value of
 * each leader that is seen while the client waits or leads.
 */

const PROGRAM_OPTIONS = {
  ttl: span,
  lockDelay: span,
  name: text,
  session: text,
  once: (/** @type {string} */ name, /** @type {unknown} */ value) => {
    if (typeof value !== "boolean") throw invalidArgument(`${name} must be true or false`);
    return value;
  },
  waitTime: span,
  monitorRetries: (/** @type {string} */ name, /** @type {unknown} */ value) =>
    Number(unsigned(name, value)),
  requestTimeout: span,
};

const TRANSPORT_OPTIONS = {
  address: own,
  token: text,
  headers: own,
  fetch: own,
  signal: own,
  value: bytes,
  onLeader: own,
};

/** The longest time that a timer of JavaScript can wait. */
const TIMER_MAX = 2 ** 31 - 1;

/**
 * Waits for the lock of a key.
 * @param {string} key
 * @param {ClientOptions} [options]
 */
export const lock = (key, options) => contend(text("the key", key), options, {});

/**
 * Waits for one of the slots of a semaphore, as Consul's Go client does.
 * @param {string} prefix
 * @param {number} limit how many clients may hold a slot
 * @param {ClientOptions} [options]
 */
export function semaphore(prefix, limit, options) {
  if (!Number.isSafeInteger(limit) || limit < 1) throw invalidArgument(`a limit is at least 1`);
  return contend(text("the prefix", prefix), options, { limit });
}

/**
 * Waits until this client is the leader. `value` names it to the others.
 * @param {string} key
 * @param {ClientOptions} [options]
 */
export const elect = (key, options) => contend(text("the key", key), options, { isElection: true });

/**
 * @param {string} key
 * @param {ClientOptions | undefined} options
 * @param {{ limit?: number, isElection?: boolean }} kind
 */
async function contend(key, options, kind) {
  const given = read(options, { ...PROGRAM_OPTIONS, ...TRANSPORT_OPTIONS });
  const settings = { ...kind };
  for (const name of Object.keys(PROGRAM_OPTIONS)) {
    if (given[name] !== undefined) Object.assign(settings, { [name]: given[name] });
  }
  const signal = /** @type {AbortSignal | undefined} */ (given.signal);
  signal?.throwIfAborted();
  const value = /** @type {Uint8Array | undefined} */ (given.value) ?? new Uint8Array();
  const instance = await Instance.of(await moduleOf(wasm), bindings);
  let driver;
  try {
    const program = instance.run((glue) => new glue.ClientProgram(key, value, settings));
    driver = new Driver(instance, program, transportOf(given), given.onLeader);
  } catch (error) {
    instance.release();
    throw error;
  }
  return driver.acquire(signal);
}

/**
 * Sends the requests of a program.
 * @param {Record<string, unknown>} given
 * @returns {(method: string, target: string, body: Uint8Array, signal: AbortSignal) => Promise<Response>}
 */
function transportOf(given) {
  const send = /** @type {typeof fetch} */ (given.fetch ?? globalThis.fetch);
  if (typeof send !== "function") throw invalidArgument("fetch must be a function");
  let address;
  try {
    address = new URL(/** @type {string} */ (given.address ?? "http://127.0.0.1:8500"));
  } catch (cause) {
    throw invalidArgument(`the address ${shown(given.address)} is no URL`, { cause });
  }
  const base = address.href.replace(/\/$/, "");
  const headers = new Headers(/** @type {Record<string, string>} */ (given.headers));
  if (given.token !== undefined) headers.set("x-consul-token", String(given.token));
  return (method, target, body, signal) => {
    const content = method === "GET" ? null : /** @type {Uint8Array<ArrayBuffer>} */ (body);
    return send(base + target, { method, headers, body: content, signal });
  };
}

/** A lock, a slot or a leadership that this client holds. */
export class Handle {
  #driver;

  /**
   * @param {Driver} driver
   * @internal
   */
  constructor(driver) {
    this.#driver = driver;
  }

  /**
   * Aborts when the lock is lost, or may be lost because no renewal has succeeded for a TTL. Its
   * reason is a `LictorError` with the code `lost`. What is done under the lock takes it.
   */
  get signal() {
    return this.#driver.signal;
  }

  /**
   * Whether this client may act now. Unlike `signal`, it is also right when timers are late, for
   * example after the process was suspended.
   */
  get isHeld() {
    return this.#driver.mayAct;
  }

  /**
   * The token that a guarded resource compares. LockIndex and ModifyIndex are null for a slot of a
   * semaphore.
   * @returns {LockFence}
   */
  get fence() {
    return this.#driver.fence;
  }

  /** Releases the lock and ends its session. After a loss, it only ends the session. */
  async release() {
    await this.#driver.release();
  }

  async [Symbol.asyncDispose]() {
    await this.release();
  }
}

/** Runs one program: its requests, its timer, and what its user learns. */
class Driver {
  #instance;
  #program;
  #send;
  #onLeader;
  #epoch = performance.now();
  /** @type {Map<number, { method: string, controller: AbortController }>} */
  #calls = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #lost = new AbortController();
  /** @type {LockFence | null} */
  #fence = null;
  #acquired = promise();
  #ended = promise();
  #isEnding = false;
  #isClosed = false;

  /**
   * @param {Instance<Glue>} instance
   * @param {ClientProgram} program
   * @param {ReturnType<typeof transportOf>} send
   * @param {unknown} onLeader
   */
  constructor(instance, program, send, onLeader) {
    if (onLeader !== undefined && typeof onLeader !== "function") {
      throw invalidArgument("onLeader must be a function");
    }
    this.#instance = instance;
    this.#program = program;
    this.#send = send;
    this.#onLeader = /** @type {((leader: Uint8Array | null) => void) | undefined} */ (onLeader);
    // Nobody may wait for either.
    this.#acquired.promise.catch(() => {});
    this.#ended.promise.catch(() => {});
  }

  get signal() {
    return this.#lost.signal;
  }

  get mayAct() {
    if (this.#lost.signal.aborted || this.#isClosed) return false;
    const may = this.#instance.run(() => this.#program.mayAct(this.#now()));
    if (!may) this.#step((program, now) => program.tick(now));
    return may;
  }

  get fence() {
    return /** @type {LockFence} */ (this.#fence);
  }

  /**
   * @param {AbortSignal | undefined} signal
   * @returns {Promise<Handle>}
   */
  async acquire(signal) {
    const abort = () => {
      this.#acquired.reject(signal?.reason);
      void this.release();
    };
    signal?.addEventListener("abort", abort, { once: true });
    try {
      this.#step((program, now) => program.start(now));
      await this.#acquired.promise;
      return new Handle(this);
    } catch (error) {
      await this.release().catch(() => {});
      throw error;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async release() {
    if (!this.#isEnding) {
      this.#isEnding = true;
      this.#abort("the lock was released");
      this.#step((program, now) => program.stop(now));
      // The program looks at an order to stop only when its read has returned, as in Go.
      for (const { method, controller } of this.#calls.values()) {
        if (method === "GET") controller.abort();
      }
    }
    await this.#ended.promise;
  }

  #now() {
    return performance.now() - this.#epoch;
  }

  /** @param {(program: ClientProgram, now: number) => ClientStep[]} action */
  #step(action) {
    if (this.#isClosed) return;
    try {
      const steps = this.#instance.run(() => action(this.#program, this.#now()));
      for (const step of steps) this.#follow(step);
      clearTimeout(this.#timer);
      if (this.#isClosed) return;
      const next = this.#instance.run(() => this.#program.nextDeadline());
      if (next !== undefined) {
        const wait = Math.min(Math.max(Math.ceil(next - this.#now()), 0), TIMER_MAX);
        this.#timer = setTimeout(() => this.#step((program, now) => program.tick(now)), wait);
      }
    } catch (error) {
      this.#fail(/** @type {Error} */ (error));
    }
  }

  /** @param {ClientStep} step */
  #follow(step) {
    switch (step.kind) {
      case "send":
        void this.#call(step);
        break;
      case "abandon":
        this.#calls.get(step.call)?.controller.abort();
        this.#calls.delete(step.call);
        break;
      case "acquired":
        this.#fence = step.fence;
        this.#acquired.resolve();
        break;
      case "lost":
        this.#abort(step.text);
        break;
      case "leader":
        this.#onLeader?.(step.value);
        break;
      case "ended":
        this.#conclude(step.outcome);
        break;
    }
  }

  /** @param {ClientOutcome} outcome */
  #conclude(outcome) {
    switch (outcome.kind) {
      case "not-acquired": {
        const message = "the lock was not free in time";
        this.#acquired.reject(new LictorError({ code: "not-acquired", message }));
        break;
      }
      case "failed": {
        const code = outcome.isConflict ? "conflict" : "request-failed";
        this.#acquired.reject(new LictorError({ code, message: outcome.text }));
        break;
      }
      case "lost":
        this.#abort(outcome.text);
        break;
      case "released":
      case "not-released":
        break;
    }
    this.#close();
  }

  /** @param {Extract<ClientStep, { kind: "send" }>} step */
  async #call({ call, method, target, body }) {
    const controller = new AbortController();
    this.#calls.set(call, { method, controller });
    try {
      const response = await this.#send(method, target, body, controller.signal);
      const content = new Uint8Array(await response.arrayBuffer());
      const headers = /** @type {[string, string][]} */ ([...response.headers]);
      if (!this.#calls.delete(call)) return;
      this.#step((program, now) => program.answered(now, call, response.status, headers, content));
    } catch {
      if (!this.#calls.delete(call)) return;
      this.#step((program, now) => program.unreachable(now, call));
    }
  }

  /** @param {string} message */
  #abort(message) {
    const error = new LictorError({ code: "lost", message });
    this.#lost.abort(error);
    this.#acquired.reject(error);
  }

  /** @param {Error} error */
  #fail(error) {
    this.#lost.abort(error);
    this.#acquired.reject(error);
    this.#ended.reject(error);
    this.#stop();
  }

  #close() {
    this.#ended.resolve();
    this.#stop();
    if (!this.#instance.isPoisoned) {
      this.#program.free();
      this.#instance.release();
    }
  }

  #stop() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    for (const { controller } of this.#calls.values()) controller.abort();
    this.#calls.clear();
  }
}

/** A promise with its functions. */
function promise() {
  /** @type {() => void} */
  let resolve = () => {};
  /** @type {(error: unknown) => void} */
  let reject = () => {};
  const made = /** @type {Promise<void>} */ (
    new Promise((resolves, rejects) => {
      resolve = () => resolves(undefined);
      reject = rejects;
    })
  );
  return { promise: made, resolve, reject };
}
