// The service worker of the page: it stores the page's files, so that a reload or a new tab works without the page's
// server. As long as the server answers, its answer is used: what is shown is never older than what is served. Other
// files of the folder, such as the documentation, are not stored.

{
  // The build writes both (setup/page.sh): the checksum of all files of the page, and their names.
  const BUILD = "";
  const FILES = [""];

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
  const scope = /** @type {WorkerScope} */ (/** @type {unknown} */ (globalThis));
  const FOLDER = new URL("./", location.href).href;
  // Each build has a store of its own. Other folders of the same origin may have pages of other versions.
  const STORES = `lictor ${FOLDER} `;
  const STORE = STORES + BUILD;
  const addresses = new Set(FILES.map((file) => new URL(file, FOLDER).href));

  /** Stores all files, or none. The browser's cache is asked for none that may be of an earlier build. */
  const store = async () => {
    const opened = await caches.open(STORE);
    await opened.addAll([...addresses].map((address) => new Request(address, { cache: "no-cache" })));
    await scope.skipWaiting();
  };

  /** Deletes the files of earlier builds, and serves also the pages that are open. */
  const begin = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(STORES) && name !== STORE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await scope.clients.claim();
  };

  /**
   * The answer of the server or, if it cannot be reached, the stored file.
   * @param {Request} request
   * @param {string} address
   */
  const answer = async (request, address) => {
    try {
      return await fetch(request);
    } catch (error) {
      const stored = await caches.match(address, { cacheName: STORE, ignoreVary: true });
      if (stored) return stored;
      throw error;
    }
  };

  scope.addEventListener("install", (event) => event.waitUntil(store()));
  scope.addEventListener("activate", (event) => event.waitUntil(begin()));
  scope.addEventListener("fetch", (event) => {
    const { method, url } = event.request;
    const { origin, pathname } = new URL(url);
    const address = `${origin}${pathname}`.replace(/\/index\.html$/, "/");
    if (method === "GET" && addresses.has(address)) event.respondWith(answer(event.request, address));
  });
}
