/// <reference lib="esnext.disposable" preserve="true" />
/// <reference types="./platform.d.ts" preserve="true" />
// A lock, a semaphore and a leader election on a real Consul. All rules about safety are in the
// WebAssembly (`Contender` in lictor-recipes), which is simulated under faults. Here are the requests, the
// timer and the clocks. An error that the caller's `fetch` throws counts as a broken connection.

import { wasm } from "#wasm";
import { bytes, flag, options as read, own, shown, span, text, unsigned } from "./arguments.js";
import { Timer, callback, clockOption, completeClock } from "./clock.js";
import { LictorError, invalidArgument } from "./errors.js";
import { bindings } from "./glue.js";
import { Instance, moduleOf } from "./instance.js";

/** @import { Clock, CompleteClock } from "./clock.js" */
/** @import { ClientProgram, Glue } from "./glue.js" */
/** @import { Fetch } from "./platform.js" */
/** @import { ClientOutcome, ClientStep, LockFence, Span } from "./types.js" */

/**
 * @typedef {object} ClientOptions
 * @property {string | URL} [address] Consul's address with its scheme, and without credentials;
 * `http://127.0.0.1:8500` by default.
 * @property {string} [token] An ACL token.
 * @property {Record<string, string>} [headers] Headers of every request.
 * @property {Fetch} [fetch] Sends the requests.
 * @property {AbortSignal} [signal] Ends the wait for the lock at any moment.
 * @property {string | ArrayBuffer | ArrayBufferView} [value] What the holder writes to its key.
 * @property {Span} [ttl] The TTL of the session; 15 s by default, and not 0. The client renews it and
 * reads the key at half of it. With `session`, how long a read of the key counts.
 * @property {Span} [lockDelay] The lock-delay of the session; Consul's 15 s by default. 0 is sent as 0.
 * @property {string} [name] The name of the session, for people.
 * @property {string} [session] A session of the caller, who renews it. In one process it can hold a
 * key only once.
 * @property {boolean} [once] Gives up after `waitTime` instead of waiting for its turn.
 * @property {Span} [waitTime] How long one read waits for the lock; 15 s by default.
 * @property {Span} [watchWait] How long one read of the watch waits while the lock is held; 30 s by
 * default.
 * @property {number} [monitorRetries] How often in a row the watch is repeated after a failure that
 * will probably recur, such as 403; 0 by default. 408, 429, 5xx and broken connections are always repeated.
 * @property {Span} [requestTimeout] How long an answer may take beyond its wait; 10 s by default.
 * @property {Clock} [clock] The clocks and timers, for tests.
 * @property {(leader: Uint8Array | null) => void} [onLeader] For `elect`: called with the value of
 * each leader that is seen while the client waits or leads, and with null while the key has no holder.
 * If it throws or rejects while the client waits, `elect` rejects with that error, and the client ends;
 * while the client leads, the first error is reported on the console.
 */

/** @typedef {{ limit?: number, isElection?: boolean }} Kind */
/** @typedef {ReturnType<typeof transportOf>} Transport */

const PROGRAM_OPTIONS = {
  ttl: span,
  lockDelay: span,
  name: text,
  session: text,
  once: flag,
  waitTime: span,
  watchWait: span,
  monitorRetries: (/** @type {string} */ name, /** @type {unknown} */ value) =>
    Number(unsigned(name, value)),
  requestTimeout: span,
};

const TRANSPORT_OPTIONS = {
  address: own,
  token: text,
  headers: own,
  fetch: callback,
  signal: (/** @type {string} */ name, /** @type {unknown} */ value) => {
    const signal = Object(value);
    if (typeof signal.aborted !== "boolean" || typeof signal.addEventListener !== "function")
      throw invalidArgument(`${name} must be an AbortSignal, not ${shown(value)}`);
    return value;
  },
  value: bytes,
  clock: clockOption,
  onLeader: callback,
};

/**
 * Waits for the lock of a key.
 * @param {string} key
 * @param {ClientOptions} [options]
 * @returns {Promise<Handle>}
 */
export async function lock(key, options) {
  return contend(text("the key", key), options, {});
}

/**
 * Waits for one of the slots of a semaphore, as Consul's Go client does.
 * @param {string} prefix
 * @param {number} limit how many clients may hold a slot
 * @param {ClientOptions} [options]
 * @returns {Promise<Handle>}
 */
export async function semaphore(prefix, limit, options) {
  if (!Number.isSafeInteger(limit) || limit < 1) throw invalidArgument("a limit is at least 1");
  return contend(text("the prefix", prefix), options, { limit });
}

/**
 * Waits until this client is the leader. `value` names it to the others.
 * @param {string} key
 * @param {ClientOptions} [options]
 * @returns {Promise<Handle>}
 */
export async function elect(key, options) {
  return contend(text("the key", key), options, { isElection: true });
}

/**
 * The instance in which all clients run, until the engine fails in it.
 * @type {Promise<Instance<Glue>> | undefined}
 */
let shared;

async function sharedInstance() {
  if (shared && (await shared).isPoisoned) shared = undefined;
  shared ??= moduleOf(wasm).then((module) => Instance.of(module, bindings));
  const current = shared;
  // A failure to load is not kept: the next client loads the file again.
  current.catch(() => {
    if (shared === current) shared = undefined;
  });
  return current;
}

/** Sessions of callers with the keys that they contend for or hold in this process. */
const sessionsInUse = new Set();

/**
 * @param {string} key
 * @param {ClientOptions | undefined} options
 * @param {Kind} kind
 */
async function contend(key, options, kind) {
  const checked = read(options, { ...PROGRAM_OPTIONS, ...TRANSPORT_OPTIONS });
  const signal = /** @type {AbortSignal | undefined} */ (checked.signal);
  const send = transportOf(checked);
  signal?.throwIfAborted();
  /** @type {Driver | undefined} */
  let driver;
  const aborted = promise();
  const abort = () => {
    aborted.reject(signal?.reason);
    driver?.release().catch(() => {});
  };
  signal?.addEventListener("abort", abort, { once: true });
  try {
    const instance = await Promise.race([sharedInstance(), aborted.promise]);
    signal?.throwIfAborted();
    driver = new Driver(/** @type {Instance<Glue>} */ (instance), key, checked, kind, send);
    await Promise.race([driver.start(), aborted.promise]);
    signal?.throwIfAborted();
    return new Handle(driver);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * The function that sends the requests of a program. Throws if an option of the transport is invalid.
 * @param {Record<string, unknown>} checked
 * @returns {(method: string, target: string, body: Uint8Array, signal: AbortSignal) => Promise<Response>}
 */
function transportOf(checked) {
  const send = /** @type {typeof fetch} */ (checked.fetch ?? globalThis.fetch);
  if (typeof send !== "function") throw invalidArgument("there is no fetch here, so pass one");
  const base = baseOf(checked.address ?? "http://127.0.0.1:8500");
  let headers;
  try {
    headers = new Headers(/** @type {Record<string, string>} */ (checked.headers));
    if (checked.token !== undefined) headers.set("x-consul-token", String(checked.token));
  } catch (cause) {
    throw invalidArgument(`the headers cannot be sent: ${messageOf(cause)}`, { cause });
  }
  return (method, target, body, signal) => {
    const content = method === "GET" ? null : /** @type {Uint8Array<ArrayBuffer>} */ (body);
    return send(base + target, { method, headers, body: content, signal });
  };
}

/** @param {unknown} address */
function baseOf(address) {
  let url;
  try {
    url = new URL(/** @type {string} */ (address));
  } catch (cause) {
    throw invalidArgument(`the address ${shown(address)} is no URL`, { cause });
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalidArgument(`the address ${url.href} must begin with http:// or https://`);
  if (url.username !== "" || url.password !== "")
    throw invalidArgument("the address has credentials, which `headers` or `token` can send");
  if (url.search !== "" || url.hash !== "")
    throw invalidArgument(`the address ${url.href} has more than a host and a path`);
  return url.href.replace(/\/$/, "");
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

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
   * Aborts when the lock is lost, or may be lost because no renewal or no read of the key has
   * succeeded for a TTL (a `LictorError` with the code `lost`), and when it is released (`released`).
   * Pass it to what is done under the lock. Reading it compares the clock, so that it is right even
   * if timers are late.
   */
  get signal() {
    this.#driver.tick();
    return this.#driver.signal;
  }

  /** Whether this client may act now. It compares the clock, as `signal` does. */
  get isHeld() {
    return this.#driver.mayAct;
  }

  /**
   * The token that a guarded resource compares. `lockIndex` and `modifyIndex` are null for a slot of
   * a semaphore.
   * @returns {LockFence}
   */
  get fence() {
    return this.#driver.fence;
  }

  /**
   * Releases the lock and ends its session; after a loss, what is left of them. Rejects with the
   * code `not-released` if Consul has not confirmed that; `lockedUntil` of the error is the time
   * until which the key may stay locked.
   * @returns {Promise<void>}
   */
  async release() {
    await this.#driver.release();
  }

  /** The same at the end of `await using`. */
  async [Symbol.asyncDispose]() {
    await this.release();
  }
}

/** Runs one program: sends its requests, runs its timer, and settles the promises of its caller. */
class Driver {
  #instance;
  #program;
  #send;
  #onLeader;
  /** @type {CompleteClock} */
  #clock;
  /** @type {string | undefined} */
  #inUse;
  /** @type {Map<number, AbortController>} */
  #calls = new Map();
  /** @type {ClientStep[]} */
  #steps = [];
  #isFollowing = false;
  #timer;
  #lost = new AbortController();
  /** @type {LockFence | null} */
  #fence = null;
  #acquired = promise();
  #ended = promise();
  #isEnding = false;
  #isClosed = false;
  #hasReported = false;
  /** @type {unknown} Why the last request had no answer. */
  #cause;

  /**
   * @param {Instance<Glue>} instance
   * @param {string} key
   * @param {Record<string, unknown>} checked
   * @param {Kind} kind
   * @param {Transport} send
   */
  constructor(instance, key, checked, kind, send) {
    const settings = { ...kind };
    for (const name of Object.keys(PROGRAM_OPTIONS)) {
      if (checked[name] !== undefined) Object.assign(settings, { [name]: checked[name] });
    }
    const value = /** @type {Uint8Array | undefined} */ (checked.value) ?? new Uint8Array();
    this.#instance = instance;
    this.#send = send;
    this.#onLeader = /** @type {Function | undefined} */ (checked.onLeader);
    this.#clock = completeClock(checked.clock);
    this.#timer = new Timer(this.#clock, () => this.tick());
    const inUse = checked.session === undefined ? undefined : `${checked.session} ${key}`;
    if (inUse !== undefined && sessionsInUse.has(inUse)) {
      const message = `the session ${checked.session} already contends for ${key} in this process`;
      throw new LictorError({ code: "conflict", message });
    }
    this.#program = instance.run((glue) => new glue.ClientProgram(key, value, settings));
    this.#inUse = inUse;
    if (inUse !== undefined) sessionsInUse.add(inUse);
  }

  get signal() {
    return this.#lost.signal;
  }

  get fence() {
    return /** @type {LockFence} */ (this.#fence);
  }

  get mayAct() {
    this.tick();
    if (this.#isClosed) return false;
    return this.#instance.run(() => this.#program.mayAct(...this.#now()));
  }

  tick() {
    this.#step((program, now) => program.tick(...now));
  }

  /** Resolves when the lock is held. */
  async start() {
    this.#step((program, now) => program.start(...now));
    await this.#acquired.promise;
  }

  async release() {
    if (!this.#isEnding) {
      this.#isEnding = true;
      this.#lost.abort(new LictorError({ code: "released", message: "the lock was released" }));
      this.#step((program, now) => program.stop(...now));
    }
    await this.#ended.promise;
  }

  /** @returns {[number, number]} */
  #now() {
    return [Number(this.#clock.monotonic()), Number(this.#clock.wall())];
  }

  /** @param {(program: ClientProgram, now: [number, number]) => ClientStep[]} action */
  #step(action) {
    if (this.#isClosed) return;
    try {
      this.#steps.push(...this.#instance.run(() => action(this.#program, this.#now())));
      // A callback of the caller may step the program. Those steps are followed after the present ones.
      if (this.#isFollowing) return;
      this.#isFollowing = true;
      for (let step = this.#steps.shift(); step; step = this.#steps.shift()) this.#follow(step);
      this.#isFollowing = false;
      this.#setTimer();
    } catch (error) {
      this.#fail(error);
    }
  }

  #setTimer() {
    if (this.#isClosed) return;
    const delay = this.#instance.run(() => this.#program.nextDelay());
    if (delay === undefined) this.#timer.cancel();
    else this.#timer.set(delay);
  }

  /** @param {ClientStep} step */
  #follow(step) {
    switch (step.kind) {
      case "send":
        void this.#call(step);
        break;
      case "abandon":
        this.#calls.get(step.call)?.abort();
        this.#calls.delete(step.call);
        break;
      case "acquired":
        this.#fence = step.fence;
        this.#acquired.resolve();
        break;
      case "lost":
        this.#lost.abort(new LictorError({ code: "lost", message: step.text }));
        break;
      case "leader":
        this.#tellLeader(step.value);
        break;
      case "ended":
        this.#conclude(step.outcome);
        break;
    }
  }

  /** @param {ClientOutcome} outcome */
  #conclude(outcome) {
    const options = this.#cause === undefined ? {} : { cause: this.#cause };
    const error = errorOf(outcome, this.#clock.wall(), options);
    this.#close();
    if (outcome.kind === "not-released") this.#ended.reject(error);
    else this.#ended.resolve();
    this.#acquired.reject(error ?? this.#lost.signal.reason);
  }

  /** @param {Extract<ClientStep, { kind: "send" }>} step */
  async #call({ call, method, target, body }) {
    const controller = new AbortController();
    this.#calls.set(call, controller);
    try {
      const response = await this.#send(method, target, body, controller.signal);
      const content = new Uint8Array(await response.arrayBuffer());
      const headers = /** @type {[string, string][]} */ ([...response.headers]);
      if (!this.#calls.delete(call)) return;
      this.#cause = undefined;
      this.#step((program, now) =>
        program.answered(...now, call, response.status, headers, content),
      );
    } catch (error) {
      if (!this.#calls.delete(call)) return;
      this.#cause = error;
      this.#step((program, now) => program.unreachable(...now, call));
    }
  }

  /** @param {Uint8Array | null} leader */
  async #tellLeader(leader) {
    try {
      await this.#onLeader?.(leader);
    } catch (error) {
      if (this.#hasReported) return;
      this.#hasReported = true;
      if (this.#fence) return console.error("lictor/client: onLeader has failed:", error);
      this.#acquired.reject(error);
      this.release().catch(() => {});
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#close();
    this.#lost.abort(error);
    this.#acquired.reject(error);
    this.#ended.reject(error);
  }

  #close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#steps = [];
    this.#timer.cancel();
    for (const controller of this.#calls.values()) controller.abort();
    this.#calls.clear();
    if (this.#inUse !== undefined) sessionsInUse.delete(this.#inUse);
    if (!this.#instance.isPoisoned) this.#program.free();
  }
}

/**
 * The error with which the promises of an outcome reject; undefined after a regular release.
 * @param {ClientOutcome} outcome
 * @param {number} wall
 * @param {ErrorOptions} options
 */
function errorOf(outcome, wall, options) {
  switch (outcome.kind) {
    case "released":
      return undefined;
    case "not-acquired":
      return new LictorError({ code: "not-acquired", message: "the lock was not free in time" });
    case "lost":
      return new LictorError({ code: "lost", message: outcome.text });
    case "failed": {
      const code = outcome.isConflict ? "conflict" : "request-failed";
      return new LictorError({ code, message: outcome.text, status: outcome.status }, options);
    }
    case "not-released": {
      const { text: message, status, until } = outcome;
      const error = new LictorError({ code: "not-released", message, status }, options);
      if (until.kind === "for") error.lockedUntil = new Date(wall + until.millis);
      if (until.kind === "callers-session") error.lockedUntil = "session";
      return error;
    }
  }
}

/** A promise with its functions. If it rejects and nothing awaits it, that is no unhandled rejection. */
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
  made.catch(() => {});
  return { promise: made, resolve, reject };
}
