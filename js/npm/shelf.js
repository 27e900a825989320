// Stores one value, a saved server, in a database of IndexedDB.

/**
 * A saved server, and the time of day when it was saved, in milliseconds.
 * @typedef {{ saved: Uint8Array<ArrayBuffer>, at: number }} Stored
 */

const STORE = "server";

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const result = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** A database for one value. It is opened by the first call; after a failure the next call tries again. */
export class Shelf {
  #name;
  /** @type {Promise<IDBDatabase> | undefined} */
  #database;

  /** @param {string} name the name of the database */
  constructor(name) {
    this.#name = name;
  }

  /** @returns {Promise<Stored | undefined>} */
  async get() {
    const store = (await this.#open()).transaction(STORE).objectStore(STORE);
    return result(store.get(0));
  }

  /**
   * Replaces the value. The promise resolves when it is stored; values are stored in the order of the
   * calls.
   * @param {Stored} value
   */
  async put(value) {
    const transaction = (await this.#open()).transaction(STORE, "readwrite");
    transaction.objectStore(STORE).put(value, 0);
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    });
  }

  #open() {
    const request = () => {
      const open = indexedDB.open(this.#name, 1);
      open.onupgradeneeded = () => open.result.createObjectStore(STORE);
      return result(open);
    };
    return (this.#database ??= request().catch((error) => {
      this.#database = undefined;
      throw error;
    }));
  }
}
