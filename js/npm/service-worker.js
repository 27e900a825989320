/// <reference types="./platform.d.ts" preserve="true" />
// A server in memory for a whole site: a service worker answers what its pages send to Consul.
//
// A browser stops an idle service worker after some seconds, and starts it again for the next request.
// So the server is stored in IndexedDB, and a request that can change something is answered only after
// it is stored. Its clock runs while the worker is stopped: timers that were due meanwhile fire when the
// worker starts again, each at its own deadline.

import { options as read, text } from "./arguments.js";
import { LictorError } from "./errors.js";
import { Consul } from "./index.js";
import { KNOWN_SERVER_OPTIONS } from "./options.js";
import { isAnswered } from "./requests.js";
import { Shelf } from "./shelf.js";

/** @import { ConsulOptions } from "./consul.js" */

/**
 * @typedef {object} WorkerOptions
 * @property {string} [store] The name under which the server is stored; `lictor` by default.
 */

/**
 * The part of a service worker's global scope that is used here; TypeScript's types of a page lack it.
 * @typedef {object} WorkerScope
 * @property {() => Promise<void>} skipWaiting
 * @property {{ claim(): Promise<void> }} clients
 * @property {(type: string, listener: (event: WorkerEvent) => void) => void} addEventListener
 */

/**
 * @typedef {object} WorkerEvent
 * @property {Request} request
 * @property {(answer: Promise<Response>) => void} respondWith
 * @property {(until: Promise<unknown>) => void} waitUntil
 */

/**
 * Answers the requests of the site's pages to the server's address. It must be called while the
 * script of the service worker starts. If the address is the site itself, only paths below `/v1/` are
 * answered. A new version of the service worker replaces the former one at once.
 * @param {ConsulOptions & WorkerOptions} [options]
 */
export function serve(options) {
  const { store = "lictor", ...own } = read(options, { ...KNOWN_SERVER_OPTIONS, store: text });
  const address = /** @type {string | URL} */ (own.address ?? "http://localhost:8500");
  const { origin } = new URL(address);
  const server = new StoredServer(/** @type {string} */ (store), { ...own, address });
  const scope = /** @type {WorkerScope} */ (/** @type {unknown} */ (globalThis));
  scope.addEventListener("install", (event) => event.waitUntil(scope.skipWaiting()));
  scope.addEventListener("activate", (event) => event.waitUntil(scope.clients.claim()));
  scope.addEventListener("fetch", (event) => {
    if (!isAnswered(new URL(event.request.url), origin)) return;
    event.respondWith(server.answer(event.request));
  });
}

/** A server that is stored after each request that can change it. */
class StoredServer {
  #shelf;
  #options;
  /** @type {Promise<Consul> | undefined} */
  #consul;

  /**
   * @param {string} store
   * @param {ConsulOptions} options
   */
  constructor(store, options) {
    this.#shelf = new Shelf(store);
    this.#options = options;
  }

  /** @param {Request} request */
  async answer(request) {
    const consul = await (this.#consul ??= this.#open());
    const response = await consul.fetch(request);
    // A read changes nothing, and a timer that has fired since the last save fires again at its
    // deadline when the server is loaded.
    if (!["GET", "HEAD"].includes(request.method)) {
      await this.#shelf.put({ saved: consul.save(), at: Date.now() });
    }
    return response;
  }

  async #open() {
    try {
      const consul = (await this.#stored()) ?? (await Consul.create(this.#options));
      consul.realTime();
      return consul;
    } catch (error) {
      // The next request tries again.
      this.#consul = undefined;
      throw error;
    }
  }

  async #stored() {
    const stored = await this.#shelf.get();
    if (!stored) return undefined;
    const { address, wasm } = this.#options;
    try {
      const consul = await Consul.load(stored.saved, { address, wasm });
      consul.advance(Math.max(Date.now() - stored.at, 0));
      return consul;
    } catch (error) {
      if (!(error instanceof LictorError && error.code === "unreadable")) throw error;
      console.warn(`lictor starts an empty server: ${error.message}`);
      return undefined;
    }
  }
}
