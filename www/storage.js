// The storage of the browser: IndexedDB and locks as promises, web storage with a substitute where there is none, and
// files for the reader.

/** The time in ms after which the database counts as unavailable. */
const OPENING_MS = 2000;

/** A storage that keeps nothing, for frames and browsers that have none. */
export const NO_STORAGE = {
  /** @returns {string | null} */
  getItem: () => null,
  setItem: () => {},
  removeItem: () => {},
};

/** @param {"sessionStorage" | "localStorage"} kind */
export const storageOrNone = (kind) => {
  try {
    return globalThis[kind] ?? NO_STORAGE;
  } catch {
    return NO_STORAGE;
  }
};

/** Lets the reader save a text as a file. @param {string} text @param {string} [name] */
export const saveFile = (text, name = "lictor.jsonl") => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

export const newId = () => `${Date.now()}.${Math.random()}`;

/** The keys of all rows of an id. @param {string} id */
export const rowsOf = (id) => IDBKeyRange.bound([id], [id, []]);

/**
 * The result of an IndexedDB request.
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
export const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * The end of an IndexedDB transaction.
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
export const completionOf = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

/**
 * Takes the lock of a world for the lifetime of the page, if it becomes free within `timeout` ms, or is free now. Returns
 * whether it did. In a browser without locks only a call with `timeout` succeeds.
 * @param {string} id
 * @param {number} [timeout]
 * @returns {Promise<boolean>}
 */
export const takeLock = (id, timeout) =>
  new Promise((resolve) => {
    if (!navigator.locks) return resolve(!!timeout);
    const options = timeout ? { signal: AbortSignal.timeout(timeout) } : { ifAvailable: true };
    /** @param {Lock | null} lock */
    const keep = (lock) => {
      resolve(!!lock);
      return lock ? new Promise(() => {}) : undefined;
    };
    navigator.locks.request(`lictor ${id}`, options, keep).catch(() => resolve(false));
  });

/** Opens the database of the worlds and their logs; fails if the browser does not answer. */
export const openDatabase = () => {
  const request = indexedDB.open("lictor", 1);
  request.onupgradeneeded = () => {
    for (const name of ["worlds", "lines"]) request.result.createObjectStore(name);
  };
  /** @type {Promise<never>} */
  const timeout = new Promise((_, reject) => setTimeout(reject, OPENING_MS));
  return Promise.race([resultOf(request), timeout]);
};
