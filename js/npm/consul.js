/// <reference lib="esnext.disposable" preserve="true" />
/// <reference types="./platform.d.ts" preserve="true" />
// The base class of `Consul`, a server in memory with a virtual clock. A derived class defines where the
// WebAssembly is.

import { bytes, options as read, own, shown, span, text, unsigned } from "./arguments.js";
import { Stopwatch, Timer, clockOption, completeClock } from "./clock.js";
import { invalidArgument } from "./errors.js";
import { EventHub } from "./events.js";
import { bindings } from "./glue.js";
import { install } from "./install.js";
import { Instance, compile, moduleOf } from "./instance.js";
import { KNOWN_LOAD_OPTIONS, KNOWN_SERVER_OPTIONS, KNOWN_SESSION_OPTIONS } from "./options.js";
import { Owned, begun } from "./owned.js";
import { originOf, readRaw, readRequest, redirected, responseOf, urlOf } from "./requests.js";

/** @import { Clock } from "./clock.js" */
/** @import { ConsulServer, Glue } from "./glue.js" */
/** @import { LictorError } from "./errors.js" */
/** @import { WasmSource } from "./instance.js" */
/** @import { RawRequest } from "./requests.js" */
/** @import { EventStream } from "./events.js" */
/** @import { ConsulEvent, Deadline, Entry, HttpAnswer } from "./types.js" */
/** @import { ServerOptions, Session, SessionOptions, Span, WriteResult } from "./types.js" */

/**
 * @typedef {object} LoadOptions
 * @property {string | URL} [address] The address of the server; `http://localhost:8500` by default.
 * Requests to other origins are refused.
 * @property {WasmSource | Promise<WasmSource>} [wasm] `lictor.wasm`, if it is not where this package
 * expects it.
 */

/** @typedef {ServerOptions & LoadOptions} ConsulOptions */

/** @typedef {string | ArrayBuffer | ArrayBufferView} Value A value of a key; a string is sent as UTF-8. */

/**
 * @typedef {object} WriteOptions
 * @property {number | bigint} [flags] Opaque to the server; above 2^53 a BigInt.
 * @property {number | bigint} [cas] Writes only if this is the key's ModifyIndex; 0 if the key must
 * not exist.
 */

/** One Consul server in memory, with a virtual clock: it is advanced by calls or follows real time. */
export class ConsulBase {
  /**
   * Where the WebAssembly is.
   * @returns {Promise<WasmSource>}
   */
  static wasm() {
    return Promise.reject(new Error("an entry of the package says where the WebAssembly is"));
  }

  /** @type {Owned<Glue, ConsulServer>} */
  #owned;
  #address;
  #hub = new EventHub();
  /** @type {Map<number, { resolve: (answer: HttpAnswer) => void, reject: (error: unknown) => void }>} */
  #pending = new Map();
  /** @type {{ stopwatch: Stopwatch, timer: Timer } | null} While its clock follows real time. */
  #realTime = null;
  /** @type {Set<() => void>} */
  #installed = new Set();

  /**
   * `Consul.create` and `Consul.load` make servers.
   * @param {Instance<Glue>} instance
   * @param {ConsulServer} server
   * @param {URL} address
   * @internal
   */
  constructor(instance, server, address) {
    if (!(instance instanceof Instance))
      throw invalidArgument("a server is made by `await Consul.create()`");
    this.#owned = new Owned(instance, server, "server", (error) => this.#end(error));
    this.#address = address;
    // It can be passed as a function, as globalThis.fetch can.
    this.fetch = this.fetch.bind(this);
  }

  /**
   * A fresh server. The same options and the same calls give the same session ids, indexes and
   * answers everywhere.
   * @template {typeof ConsulBase} C
   * @this {C}
   * @param {ConsulOptions} [options]
   * @returns {Promise<InstanceType<C>>}
   */
  static async create(options) {
    const { address, wasm, ...own } = read(options, KNOWN_SERVER_OPTIONS);
    return make(this, address, wasm, (glue) => new glue.ConsulServer(own));
  }

  /**
   * A server that was saved by `save()`, with its clock and its timers. Its blocking queries are
   * cancelled.
   * @template {typeof ConsulBase} C
   * @this {C}
   * @param {ArrayBuffer | ArrayBufferView} saved
   * @param {LoadOptions} [options]
   * @returns {Promise<InstanceType<C>>}
   */
  static async load(saved, options) {
    const { address, wasm } = read(options, KNOWN_LOAD_OPTIONS);
    if (typeof saved === "string") throw invalidArgument("a saved server is bytes, not a string");
    const copy = bytes("the saved server", saved).slice();
    return make(this, address, wasm, (glue) => glue.ConsulServer.load(copy));
  }

  /** The version of Consul whose answers the server gives, such as `1.22`. */
  get version() {
    return this.#run((server) => server.version);
  }

  /** The address of the server, for clients that are given `consul.fetch`. */
  get address() {
    return this.#address.href.replace(/\/$/, "");
  }

  /** The time since the server started, in milliseconds. */
  get now() {
    return this.#act((server) => server.now);
  }

  /** The index of the last log entry. */
  get index() {
    return this.#act((server) => server.index);
  }

  /**
   * The next thing that happens without a request, and when; null if nothing will.
   * @returns {Deadline | null}
   */
  get nextDeadline() {
    return this.#act((server) => server.nextDeadline());
  }

  /**
   * Advances the clock. Timers that become due fire in order, each at its own deadline: sessions
   * expire, lock-delays end, blocking queries time out. It returns when all of that has happened;
   * promises of answers are settled in the microtasks that follow.
   * @param {Span} time milliseconds, or a text such as `10s`
   */
  advance(time) {
    const checked = span("the time", time);
    const millis = this.#owned.run((_, glue) => glue.millisOf(checked));
    this.#act((server) => server.advance(millis));
  }

  /**
   * Advances to the next deadline and returns it; null, without a change, if there is none.
   * @returns {Deadline | null}
   */
  advanceToNext() {
    return this.#act((server) => {
      const next = server.nextDeadline();
      server.advanceToNext();
      return next;
    });
  }

  /** Makes another server the leader: the TTL of every session starts again; lock-delays continue. */
  failOver() {
    this.#act((server) => server.failOver());
  }

  /**
   * Makes the clock follow real time until `stop()` of the result is called. A hidden tab may be
   * late, but its timers then fire at their own deadlines. `stop()` first advances the clock to the
   * present time; it does nothing after a later call of `realTime()`.
   * @param {{ clock?: Clock }} [options] the clock to follow, by default `performance.now()`
   * @returns {{ stop(): void } & Disposable}
   */
  realTime(options) {
    const clock = completeClock(read(options, { clock: clockOption }).clock);
    // Up to now it has followed the former clock, if there was one.
    this.#act(() => {});
    this.#realTime?.timer.cancel();
    const timer = new Timer(clock, () => this.#act(() => {}));
    const own = { stopwatch: new Stopwatch(clock), timer };
    this.#realTime = own;
    this.#schedule();
    const stop = () => {
      if (this.#realTime !== own) return;
      this.#act(() => {});
      timer.cancel();
      this.#realTime = null;
    };
    return { stop, [Symbol.dispose]: stop };
  }

  /**
   * Answers a request as Consul's agent does, with the standard types. A blocking query is a promise
   * that waits, and aborting `init.signal` cancels it. A request whose body is a text or bytes
   * reaches the server before `fetch` returns; one with another body when that has been read.
   * @param {Request | string | URL} input a path such as `/v1/kv/a`, or a URL of this server
   * @param {RequestInit} [init]
   * @returns {Promise<Response>}
   */
  async fetch(input, init) {
    return this.#fetchFrom(this.#address, input, init);
  }

  /**
   * `fetch` for a server at another address.
   * @param {URL} address
   * @param {Request | string | URL} input
   * @param {RequestInit} [init]
   */
  async #fetchFrom(address, input, init) {
    this.#run(() => {});
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    let request = readRequest(input, init, urlOf(input, address));
    if (request instanceof Promise) {
      request = await request;
      signal?.throwIfAborted();
    }
    for (let hops = 0; ; hops += 1) {
      const { url, method, headers, body } = request;
      const target = url.pathname + url.search;
      const answer = await this.#send({ method, target, headers, body }, signal);
      const next = redirected(request, answer, hops);
      if (!next) return responseOf(answer, request, hops > 0);
      request = next;
    }
  }

  /**
   * Answers a request in the form in which it arrives over HTTP: its target is not normalized, and no
   * redirect is followed. It reaches the server before `request` returns.
   * @param {RawRequest} request
   * @param {{ signal?: AbortSignal }} [options] aborting the signal cancels a blocking query
   * @returns {Promise<HttpAnswer>}
   */
  async request(request, { signal } = {}) {
    const raw = readRaw(request);
    signal?.throwIfAborted();
    return this.#send(raw, signal ?? null);
  }

  /**
   * @param {Required<RawRequest>} request
   * @param {AbortSignal | null} signal
   * @returns {Promise<HttpAnswer>}
   */
  #send({ method, target, headers, body }, signal) {
    this.#synchronize();
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#pending.delete(id);
        this.#act((server) => server.cancel(id));
        reject(signal?.reason);
      };
      const end = () => signal?.removeEventListener("abort", abort);
      const id = this.#run((server) => server.request(method, target, headers, body));
      this.#pending.set(id, {
        resolve: (answer) => (end(), resolve(answer)),
        reject: (error) => (end(), reject(error)),
      });
      signal?.addEventListener("abort", abort);
      this.#settle();
    });
  }

  /**
   * Answers the `fetch` and the XMLHttpRequests of this page or process for one origin, until the
   * function that it returns is called or the server is freed. Requests to other origins are sent as
   * before. If the origin is the page's own, only paths below `/v1/` are answered. Throws if a server
   * is installed for the origin already.
   * @param {{ origin?: string | URL }} [options] the origin is that of `address` by default
   * @returns {(() => void) & Disposable}
   */
  install(options) {
    const { origin } = read(options, { origin: own });
    this.#run(() => {});
    const address = origin === undefined ? this.#address : originOf(origin);
    const remove = install(address, (input, init) => this.#fetchFrom(address, input, init));
    this.#installed.add(remove);
    const uninstall = () => {
      this.#installed.delete(remove);
      remove();
    };
    return Object.assign(uninstall, { [Symbol.dispose]: uninstall });
  }

  /**
   * Creates a session and returns its id.
   * @param {SessionOptions} [options]
   * @returns {string}
   */
  createSession(options) {
    const own = read(options, KNOWN_SESSION_OPTIONS);
    return this.#act((server) => server.createSession(own));
  }

  /**
   * Starts the TTL of a session again.
   * @param {string} session
   */
  renewSession(session) {
    const id = text("the session", session);
    this.#act((server) => server.renewSession(id));
  }

  /**
   * Ends a session. Ending one that does not exist succeeds, as in Consul.
   * @param {string} session
   */
  destroySession(session) {
    const id = text("the session", session);
    this.#act((server) => server.destroySession(id));
  }

  /**
   * The session of this id; null if it has ended or never existed.
   * @param {string} session
   * @returns {Session | null}
   */
  session(session) {
    const id = text("the session", session);
    return this.#act((server) => server.session(id));
  }

  /**
   * All sessions.
   * @returns {Session[]}
   */
  sessions() {
    return this.#act((server) => server.sessions());
  }

  /**
   * The entry of a key; null if it does not exist.
   * @param {string} key
   * @returns {Entry | null}
   */
  get(key) {
    const name = text("the key", key);
    return this.#act((server) => server.entry(name));
  }

  /**
   * The entries whose keys begin with a prefix, in the order of their keys.
   * @param {string} prefix
   * @returns {Entry[]}
   */
  list(prefix) {
    const name = text("the prefix", prefix);
    return this.#act((server) => server.entries(name));
  }

  /**
   * Writes a value, even if a session holds the lock: locks are advisory.
   * @param {string} key
   * @param {Value} value
   * @param {WriteOptions} [options]
   * @returns {WriteResult}
   */
  put(key, value, options) {
    const [name, content] = [text("the key", key), bytes("the value", value)];
    const { flags, cas } = read(options, { flags: unsigned, cas: unsigned });
    return this.#act((server) => server.put(name, content, big(flags) ?? 0n, big(cas)));
  }

  /**
   * Takes the lock of a key for a session, and writes the value.
   * @param {string} key
   * @param {Value} value
   * @param {string} session
   * @param {{ flags?: number | bigint }} [options]
   * @returns {WriteResult}
   */
  acquire(key, value, session, options) {
    const [name, content, id] = [
      text("the key", key),
      bytes("the value", value),
      text("the session", session),
    ];
    const { flags } = read(options, { flags: unsigned });
    return this.#act((server) => server.acquire(name, content, big(flags) ?? 0n, id));
  }

  /**
   * Releases the lock of a key, and writes the value.
   * @param {string} key
   * @param {Value} value
   * @param {string} session
   * @param {{ flags?: number | bigint }} [options]
   * @returns {WriteResult}
   */
  release(key, value, session, options) {
    const [name, content, id] = [
      text("the key", key),
      bytes("the value", value),
      text("the session", session),
    ];
    const { flags } = read(options, { flags: unsigned });
    return this.#act((server) => server.release(name, content, big(flags) ?? 0n, id));
  }

  /**
   * Deletes a key, even if it is locked; a missing key counts as deleted.
   * @param {string} key
   * @param {{ cas?: number | bigint }} [options]
   * @returns {WriteResult}
   */
  delete(key, options) {
    const name = text("the key", key);
    const { cas } = read(options, { cas: unsigned });
    return this.#act((server) => server.delete(name, big(cas)));
  }

  /**
   * Deletes all keys that begin with a prefix.
   * @param {string} prefix
   * @returns {WriteResult}
   */
  deleteTree(prefix) {
    const name = text("the prefix", prefix);
    return this.#act((server) => server.deleteTree(name));
  }

  /**
   * Calls a function with each event from now on, before the call that caused it returns. It returns
   * a function that ends this.
   * @param {(event: ConsulEvent) => void} listener
   * @returns {() => void}
   */
  subscribe(listener) {
    if (typeof listener !== "function") throw invalidArgument("subscribe takes a function");
    this.#act((server) => server.observe(true));
    const remove = this.#hub.add(listener);
    return () => {
      remove();
      this.#stopObserving();
    };
  }

  /**
   * The events from now on, for `for await`. The stream ends when the server is freed.
   * @returns {EventStream}
   */
  events() {
    this.#act((server) => server.observe(true));
    return this.#hub.stream(() => this.#stopObserving());
  }

  /**
   * The same as `events()`.
   * @returns {EventStream}
   */
  [Symbol.asyncIterator]() {
    return this.events();
  }

  /** The server as bytes: state, clock, timers and random numbers, for `Consul.load`. */
  save() {
    return this.#act((server) => server.save());
  }

  /**
   * Frees the memory of the server. Requests that wait fail with the code `closed`, and so do later
   * calls; a second `free()` does nothing.
   */
  free() {
    for (const remove of this.#installed) remove();
    this.#installed.clear();
    this.#owned.free();
  }

  /** The same as `free()`, at the end of `using`. */
  [Symbol.dispose]() {
    this.free();
  }

  /** @param {LictorError} error */
  #end(error) {
    this.#realTime?.timer.cancel();
    this.#realTime = null;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#hub.close(error.code === "closed" ? undefined : error);
  }

  #stopObserving() {
    if (!this.#owned.isOver && !this.#hub.isObserved) this.#run((server) => server.observe(false));
  }

  /**
   * Calls the server without advancing its clock to real time before, and without delivering answers
   * and events.
   * @template T
   * @param {(server: ConsulServer) => T} action
   * @returns {T}
   */
  #run(action) {
    return this.#owned.run(action);
  }

  /**
   * Calls the server at the present time, and delivers the answers and events that it causes.
   * @template T
   * @param {(server: ConsulServer) => T} action
   * @returns {T}
   */
  #act(action) {
    this.#synchronize();
    try {
      return this.#run(action);
    } finally {
      if (!this.#owned.isOver) this.#settle();
    }
  }

  /** Advances the server's clock to the present, if it follows real time. */
  #synchronize() {
    const passed = this.#realTime?.stopwatch.lap() ?? 0;
    if (passed > 0) this.#run((server) => server.advance(passed));
  }

  /** Delivers answers and events, and sets the timer of real time. */
  #settle() {
    if (this.#pending.size > 0) {
      for (const answer of this.#run((server) => server.takeAnswers())) {
        const waiting = this.#pending.get(answer.request);
        this.#pending.delete(answer.request);
        waiting?.resolve(answer);
      }
    }
    this.#schedule();
    if (this.#hub.isObserved) this.#hub.deliver(this.#run((server) => server.takeEvents()));
  }

  #schedule() {
    const timer = this.#realTime?.timer;
    if (!timer) return;
    timer.cancel();
    const next = this.#run((server) => server.nextDeadline());
    if (!next) return;
    timer.set(next.at - this.#run((server) => server.now));
    // The timer keeps a process of Node alive only while a request waits, as a connection would.
    if (this.#pending.size === 0) timer.unref();
  }
}

/**
 * @template {typeof ConsulBase} C
 * @param {C} Class
 * @param {unknown} address
 * @param {unknown} wasm
 * @param {(glue: Glue) => ConsulServer} begin
 */
async function make(Class, address, wasm, begin) {
  let base;
  try {
    base = new URL(/** @type {string | URL} */ (address ?? "http://localhost:8500"));
  } catch (cause) {
    throw invalidArgument(`the address ${shown(address)} is no URL`, { cause });
  }
  const source = /** @type {WasmSource | Promise<WasmSource> | undefined} */ (wasm);
  const module = await (source === undefined ? moduleOf(Class.wasm) : compile(source));
  const instance = await Instance.of(module, bindings);
  const server = begun(instance, begin);
  return /** @type {InstanceType<C>} */ (new Class(instance, server, base));
}

/**
 * @param {unknown} value
 * @returns {bigint | undefined}
 */
const big = (value) => /** @type {bigint | undefined} */ (value);
