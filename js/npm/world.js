/// <reference lib="esnext.disposable" preserve="true" />
/// <reference types="./platform.d.ts" preserve="true" />
// A world: clients around one Consul server in memory, with programs, links and faults, in virtual time, and
// with its past. Creating the first one loads world.wasm, a WebAssembly file of its own.

import { wasm as worldWasm } from "#world-wasm";
import { options as read, own, shown, span, text } from "./arguments.js";
import { LictorError, invalidArgument } from "./errors.js";
import { Instance, compile, moduleOf } from "./instance.js";
import { KNOWN_SERVER_OPTIONS } from "./options.js";
import { Owned, begun } from "./owned.js";
import { faultWords, spawnWords } from "./programs.js";
import { readRequest, responseOf, urlOf } from "./requests.js";
import { words } from "./words.js";
import { bindings } from "./world-glue.js";

/** @import { IncidentOptions, IncidentReport, IncidentText } from "./incident.js" */
/** @import { WasmSource } from "./instance.js" */
/** @import { FaultKind, FaultOptions, FenceKind, PlanOptions, SpawnOptions } from "./programs.js" */
/** @import { HttpAnswer, ServerOptions, Span, WorldDeadline, WorldEvent } from "./types.js" */
/** @import { BeliefRecord, BranchComparison, BranchRecord, ClientState } from "./types.js" */
/** @import { Entry, OverlapRecord, TakeoverRecord } from "./types.js" */
/** @import { SimulatedWorld, WorldGlue } from "./world-glue.js" */

export { LictorError } from "./errors.js";

/**
 * @typedef {object} WorldLoadOptions
 * @property {WasmSource | Promise<WasmSource>} [wasm] `world.wasm`, if it is not where this package
 * expects it.
 */

/** @typedef {ServerOptions & WorldLoadOptions & { clients?: string[] }} WorldOptions */

/** The actor of acts that no client performs. */
const SERVER = "server";

/** The address of a client's own agent, to which its requests are relative. */
const AGENT = new URL("http://localhost:8500");

const { address: _, ...KNOWN_WORLD_OPTIONS } = { ...KNOWN_SERVER_OPTIONS, clients: own };

/** Clients around one Consul server in memory, in virtual time that only its owner advances. */
export class World {
  /** @type {Owned<WorldGlue, SimulatedWorld>} */
  #owned;
  /** @type {Map<number, { resolve: (answer: HttpAnswer) => void, reject: (error: unknown) => void }>} */
  #pending = new Map();
  /**
   * The report of the incident with which this world begins; null for any other world.
   * @type {IncidentReport | null}
   */
  incident = null;

  /**
   * `World.create`, `World.load` and `World.fromIncident` make worlds.
   * @param {Instance<WorldGlue>} instance
   * @param {SimulatedWorld} world
   * @internal
   */
  constructor(instance, world) {
    if (!(instance instanceof Instance))
      throw invalidArgument("a world is made by `await World.create()`");
    this.#owned = new Owned(instance, world, "world", (error) => this.#giveUp(error));
  }

  /**
   * A fresh world. The same options and acts give the same events everywhere.
   * @param {WorldOptions} [options] `clients` join at the beginning
   * @returns {Promise<World>}
   */
  static async create(options) {
    const { wasm, clients = [], ...server } = read(options, KNOWN_WORLD_OPTIONS);
    if (!Array.isArray(clients)) throw invalidArgument("clients must be an array of names");
    const world = await make(wasm, (glue) => new glue.SimulatedWorld(server));
    try {
      for (const client of clients) world.join(client);
    } catch (error) {
      world.free();
      throw error;
    }
    return world;
  }

  /**
   * The world of a link or of a log, with its past. The cursor is where it was when the link or the log was made.
   * @param {string} saved what `toLink()` or `log()` returned, or a link of Lictor's page
   * @param {WorldLoadOptions} [options]
   * @returns {Promise<World>}
   */
  static async load(saved, options) {
    const { wasm } = read(options, { wasm: own });
    const checked = text("the world", saved);
    return make(wasm, (glue) => glue.SimulatedWorld.load(checked));
  }

  /**
   * The world that begins at the moment of an incident on a real Consul, in the state of its server, without
   * clients: see `readIncident` of `lictor/incident`. Where the texts leave a bound, a session ends, or a
   * lock-delay is over, at the latest moment; `world.incident` has the bounds, and what is assumed.
   * @param {string | IncidentText | (string | IncidentText)[]} texts
   * @param {IncidentOptions & WorldLoadOptions} [options]
   * @returns {Promise<World>}
   */
  static async fromIncident(texts, options) {
    const { wasm, ...others } = read(options, { wasm: own, at: own, redact: own, incidentWasm: own });
    const { readIncident } = await import("./incident.js");
    const incident = await readIncident(texts, others);
    if (incident.world === null) {
      const message = `the incident makes no world: ${incident.noWorld}`;
      throw new LictorError({ code: "unreadable", message });
    }
    const log = incident.world;
    const world = await make(wasm, (glue) => glue.SimulatedWorld.load(log));
    world.incident = incident;
    return world;
  }

  /** The version of Consul that the server answers as. */
  get version() {
    return this.#owned.run((world) => world.version);
  }

  /** The time at the cursor, in milliseconds. */
  get now() {
    return this.#owned.run((world) => world.now);
  }

  /** A text that is equal for equal worlds, for example to compare two runs. */
  get digest() {
    return this.#owned.run((world) => world.digest.toString(16).padStart(8, "0"));
  }

  /**
   * The clients in the order in which they joined.
   * @returns {ClientState[]}
   */
  get clients() {
    return this.#owned.run((world) => world.clients());
  }

  /**
   * The next thing that happens without an act; null if nothing will.
   * @returns {WorldDeadline | null}
   */
  get nextDeadline() {
    return this.#owned.run((world) => world.nextDeadline());
  }

  /**
   * Performs an act at the cursor, in the line language: `act("web-1", "put a acquire=S1")`. In the past
   * it begins a branch.
   * @param {string} actor a client, or `server`
   * @param {string} act
   * @returns {WorldEvent[]} the events that it causes at once
   */
  act(actor, act) {
    const [name, what] = [text("the client", actor), text("the act", act)];
    return this.#act((world) => world.act(name, what));
  }

  /**
   * Adds a client on a healthy node of its own.
   * @param {string} name
   * @returns {Client}
   */
  join(name) {
    this.act(name, "joins");
    return new Client(this, name, (method, target, headers, body, signal) =>
      this.#request(name, method, target, headers, body, signal),
    );
  }

  /**
   * A client that has joined.
   * @param {string} name
   * @returns {Client}
   */
  client(name) {
    if (!this.clients.some((client) => client.name === name)) {
      const message = `there is no client called ${shown(name)}`;
      throw new LictorError({ code: "not-possible", message });
    }
    return new Client(this, name, (method, target, headers, body, signal) =>
      this.#request(name, method, target, headers, body, signal),
    );
  }

  /**
   * Adds a program to a client and starts it.
   * @param {string} client
   * @param {string} program a name that no other program has
   * @param {SpawnOptions} options `key` is a prefix for a semaphore and `consul-lock`; `uses` is the
   * guarded resource that the program writes to
   * @returns {WorldEvent[]}
   */
  spawn(client, program, options) {
    const spawned = this.act(client, spawnWords(program, options));
    return [...spawned, ...this.order(program, "start")];
  }

  /**
   * Gives an order to a program.
   * @param {string} program
   * @param {"start" | "stop" | "destroy"} order
   * @returns {WorldEvent[]}
   */
  order(program, order) {
    return this.act(SERVER, words("orders", [program, order]));
  }

  /**
   * Adds a guarded resource, which compares the token of each write.
   * @param {string} resource
   * @param {FenceKind} asks
   * @returns {WorldEvent[]}
   */
  guard(resource, asks) {
    return this.act(SERVER, words("guards", [resource], { asks }));
  }

  /**
   * Replaces the link of a client: by default it is perfect.
   * @param {string} client
   * @param {{ latency?: Span, jitter?: Span, loss?: number, duplicates?: number, order?: "free" }} link
   * `loss` and `duplicates` in thousandths
   * @returns {WorldEvent[]}
   */
  link(client, link) {
    return this.act(client, words("links", [], link));
  }

  /**
   * Begins a fault, at once or by plan.
   * @template {FaultKind} F
   * @param {string} client a client, or `server` for the faults of its leader
   * @param {F} fault
   * @param {FaultOptions[F] & PlanOptions} [options]
   * @returns {WorldEvent[]}
   */
  inject(client, fault, options) {
    return this.act(client, faultWords([], fault, options));
  }

  /**
   * Ends a fault.
   * @template {FaultKind} F
   * @param {string} client
   * @param {F} fault
   * @param {Partial<FaultOptions[F]>} [options] those that identify it, such as `check`
   * @returns {WorldEvent[]}
   */
  mend(client, fault, options) {
    return this.act(client, faultWords(["mends"], fault, options));
  }

  /** Ends all faults, also planned ones, and makes all links perfect. */
  heal() {
    return this.act(SERVER, "heals");
  }

  /** Makes another server the leader at once, without an election. */
  failOver() {
    return this.act(SERVER, "fails-over");
  }

  /**
   * Advances the clock and returns the events. It stops early after about 100,000 of them; `now` is then
   * earlier than the requested time.
   * @param {Span} time milliseconds, or a text such as `10s`
   * @returns {WorldEvent[]}
   */
  advance(time) {
    const checked = span("the time", time);
    const millis = this.#owned.run((_, glue) => glue.millisOf(checked));
    return this.#act((world) => world.advance(millis));
  }

  /**
   * Advances to the next deadline, if there is one.
   * @returns {WorldEvent[]}
   */
  advanceToNext() {
    return this.#act((world) => world.advanceToNext());
  }

  /**
   * The clients and programs that believe now that they hold a lock, and whether that is true.
   * @param {string} key
   * @returns {BeliefRecord[]}
   */
  beliefs(key) {
    const name = text("the key", key);
    return this.#owned.run((world) => world.beliefs(name));
  }

  /**
   * The times during which at least two believed that they held a lock.
   * @param {string} key
   * @returns {OverlapRecord[]}
   */
  overlaps(key) {
    const name = text("the key", key);
    return this.#owned.run((world) => world.overlaps(name));
  }

  /**
   * When another client can hold a lock at the earliest if its holder sends nothing from now on; null
   * if no program waits for it, or if it never becomes free.
   * @param {string} key
   * @returns {TakeoverRecord | null}
   */
  earliestTakeover(key) {
    const name = text("the key", key);
    return this.#owned.run((world) => world.earliestTakeover(name));
  }

  /**
   * The events that led to one, from an act up to it.
   * @param {WorldEvent | number} event an event or its number
   * @returns {WorldEvent[]}
   */
  explain(event) {
    const number = numberOf(event);
    return this.#owned.run((world) => world.explain(number));
  }

  /**
   * All events up to the cursor, except for the oldest ones of a long world, which are dropped.
   * @returns {WorldEvent[]}
   */
  events() {
    return this.#owned.run((world) => world.events());
  }

  /** The trace up to the cursor: one line for each event that has one. */
  trace() {
    return this.#owned.run((world) => world.trace());
  }

  /**
   * The entry of a key on the server; null if it does not exist.
   * @param {string} key
   * @returns {Entry | null}
   */
  get(key) {
    const name = text("the key", key);
    return this.#owned.run((world) => world.entry(name));
  }

  /**
   * The server's answer to `GET target` now. It is not a request of a client and changes nothing.
   * @param {string} target such as `/v1/session/list`
   * @returns {Response}
   */
  read(target) {
    const url = urlOf(text("the target", target), AGENT);
    const answer = this.#owned.run((world) => world.look(url.pathname + url.search));
    return responseOf(answer, { ...GET, url }, false);
  }

  /**
   * Moves the cursor to a time, or to an event, up to the end of the branch; a later one fails with
   * the code `not-possible`. Requests that wait for an answer fail with the code `moved`.
   * @param {Span | WorldEvent} target
   */
  seek(target) {
    if (typeof target === "object") {
      const number = numberOf(target);
      this.#move((world) => world.seekEvent(number));
    } else {
      const checked = span("the time", target);
      this.#move((world, glue) => world.seekTime(glue.millisOf(checked)));
    }
  }

  /**
   * Begins a branch at the cursor and moves to it. Requests that wait fail with the code `moved`.
   * @param {string} name
   * @returns {number} its id
   */
  branch(name) {
    const checked = text("the name", name);
    return this.#move((world) => world.fork(checked));
  }

  /**
   * Moves the cursor to another branch, at the same time or at its end. Requests that wait fail with the
   * code `moved`.
   * @param {number} id
   */
  switchTo(id) {
    const checked = branchId(id);
    this.#move((world) => world.switch(checked));
  }

  /**
   * The branches of the world.
   * @returns {BranchRecord[]}
   */
  branches() {
    return this.#owned.run((world) => world.branches());
  }

  /**
   * The events of two branches from the first one that differs, up to the end of the shorter branch.
   * @param {number} one
   * @param {number} other
   * @returns {BranchComparison}
   */
  compare(one, other) {
    const ids = [branchId(one), branchId(other)];
    return this.#owned.run((world) => world.compare(ids[0] ?? 0, ids[1] ?? 0));
  }

  /** The current branch as the fragment of a link to Lictor's page: `#v1.` and more. */
  toLink() {
    return this.#owned.run((world) => world.link());
  }

  /** The current branch as the text of a log file, which the page and `World.load` read. */
  log() {
    return this.#owned.run((world) => world.log());
  }

  /** Frees the memory of the world. Requests that wait fail with the code `closed`. */
  free() {
    this.#owned.free();
  }

  /** The same as `free()`, at the end of `using`. */
  [Symbol.dispose]() {
    this.free();
  }

  /**
   * @param {string} client
   * @param {string} method
   * @param {string} target
   * @param {[string, string][]} headers
   * @param {Uint8Array} body
   * @param {AbortSignal | null} signal
   * @returns {Promise<HttpAnswer>}
   */
  #request(client, method, target, headers, body, signal) {
    return new Promise((resolve, reject) => {
      const [call] = this.#owned.run((it) => it.request(client, method, target, headers, body));
      const abort = () => {
        this.#pending.delete(call);
        try {
          this.#act((world) => world.cancel(call));
        } catch {
          // Its client is down or paused, so that it cannot cancel.
        }
        reject(signal?.reason);
      };
      const end = () => signal?.removeEventListener("abort", abort);
      this.#pending.set(call, {
        resolve: (answer) => (end(), resolve(answer)),
        reject: (error) => (end(), reject(error)),
      });
      signal?.addEventListener("abort", abort);
      this.#settle();
    });
  }

  /**
   * @param {(world: SimulatedWorld) => WorldEvent[]} action
   */
  #act(action) {
    const events = this.#owned.run(action);
    this.#settle();
    return events;
  }

  /**
   * @template T
   * @param {(world: SimulatedWorld, glue: WorldGlue) => T} action
   */
  #move(action) {
    const result = this.#owned.run(action);
    const message = "the cursor was moved before the request had an answer";
    this.#giveUp(new LictorError({ code: "moved", message }));
    return result;
  }

  /** Settles the promises of calls that have ended. */
  #settle() {
    if (this.#pending.size === 0) return;
    for (const { call, answer } of this.#owned.run((world) => world.takeEnds())) {
      const waiting = this.#pending.get(call);
      this.#pending.delete(call);
      if (answer) waiting?.resolve(answer);
      else waiting?.reject(new TypeError("the connection to the server broke"));
    }
  }

  /** @param {LictorError} error */
  #giveUp(error) {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(error);
  }
}

/** A client of a world. Its requests travel over its link, and the faults of its host affect them. */
export class Client {
  #world;
  #send;

  /**
   * @param {World} world
   * @param {string} name
   * @param {(
   *   method: string,
   *   target: string,
   *   headers: [string, string][],
   *   body: Uint8Array,
   *   signal: AbortSignal | null,
   * ) => Promise<HttpAnswer>} send
   * @internal
   */
  constructor(world, name, send) {
    this.#world = world;
    this.#send = send;
    /** Its name. */
    this.name = name;
    // It can be passed as a function, as globalThis.fetch can.
    this.fetch = this.fetch.bind(this);
  }

  /**
   * Sends a request to the client's agent, `http://localhost:8500`. The promise is settled when the
   * world has advanced far enough; it rejects with a TypeError if the connection breaks. A redirect
   * is not followed.
   * @param {Request | string | URL} input
   * @param {RequestInit} [init]
   * @returns {Promise<Response>}
   */
  async fetch(input, init) {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : null);
    signal?.throwIfAborted();
    let request = readRequest(input, init, urlOf(input, AGENT));
    if (request instanceof Promise) {
      request = await request;
      signal?.throwIfAborted();
    }
    const { url, method, headers, body } = request;
    const answer = await this.#send(method, url.pathname + url.search, headers, body, signal);
    return responseOf(answer, request, false);
  }

  /**
   * Performs an act of this client.
   * @param {string} act
   * @returns {WorldEvent[]}
   */
  act(act) {
    return this.#world.act(this.name, act);
  }
}

/** @type {Omit<import("./requests.js").ReadRequest, "url">} */
const GET = { method: "GET", headers: [], body: new Uint8Array(), redirect: "manual" };

/** @param {unknown} id */
function branchId(id) {
  if (Number.isSafeInteger(id) && Number(id) >= 0 && Number(id) < 2 ** 32) return Number(id);
  throw invalidArgument(`${shown(id)} is no id of a branch`);
}

/** @param {unknown} event */
function numberOf(event) {
  const number = typeof event === "object" && event !== null && "number" in event ? event.number : event;
  if (Number.isSafeInteger(number) && Number(number) > 0) return Number(number);
  throw invalidArgument(`${shown(number)} is no event or number of one`);
}

/**
 * @param {unknown} wasm
 * @param {(glue: WorldGlue) => SimulatedWorld} begin
 */
async function make(wasm, begin) {
  const source = /** @type {WasmSource | Promise<WasmSource> | undefined} */ (wasm);
  const module = await (source === undefined ? moduleOf(worldWasm) : compile(source));
  const instance = await Instance.of(module, bindings);
  return new World(instance, begun(instance, begin));
}
