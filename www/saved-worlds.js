// The worlds that the reader has saved under a name. All tabs share them: a change is reported to each other tab by a
// `lictor-saved-worlds` event on its window.

import { completionOf, newId, resultOf, rowsOf } from "./storage.js";
import { textOf } from "./world-log.js";

/** @typedef {import("./world-log.js").World} World */
/** @typedef {{ id: string, name: string, when: number, summary: string, world: World }} SavedWorld `summary` is what
 *   the list shows of the world */

// Saved worlds are in the store of the logs, under keys that no log has.
const SAVED = "saved";
/** @param {string} id */
const keyOf = (id) => [SAVED, id];

/**
 * Saved worlds in a database that may be missing. `report` shows the reader a failure; its result is `undefined` then.
 * @param {() => IDBDatabase | undefined} databaseNow
 * @param {boolean} isFramed
 * @param {(reason: unknown) => void} report
 */
export const savedWorlds = (databaseNow, isFramed, report) => {
  const tabs = isFramed ? undefined : new BroadcastChannel("lictor.saved");
  if (tabs) tabs.onmessage = () => dispatchEvent(new Event("lictor-saved-worlds"));

  /** The worlds that were deleted and can be put back. @type {Map<string, SavedWorld>} */
  const deleted = new Map();

  /**
   * Uses the store in a transaction, and reports a change to the other tabs.
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(lines: IDBObjectStore) => Promise<T>} use
   * @returns {Promise<T | undefined>}
   */
  const access = async (mode, use) => {
    try {
      const database = databaseNow();
      if (!database) throw new Error("storage is not available");
      const change = database.transaction("lines", mode);
      const [result] = await Promise.all([use(change.objectStore("lines")), completionOf(change)]);
      if (mode === "readwrite") tabs?.postMessage("");
      return result;
    } catch (error) {
      report(error);
      return undefined;
    }
  };

  /** @param {SavedWorld} saved */
  const put = (saved) =>
    access("readwrite", async (lines) => {
      await resultOf(lines.put(saved, keyOf(saved.id)));
      return true;
    });

  /** @param {string} id @returns {Promise<SavedWorld | undefined>} */
  const get = (id) => access("readonly", (lines) => resultOf(lines.get(keyOf(id))));

  return {
    /** @param {string} name @param {string} summary @param {World} world */
    save: (name, summary, world) => put({ id: newId(), name, when: Date.now(), summary, world: { ...world } }),
    /** All saved worlds, the latest first, with the sizes of their logs instead of the logs. */
    async list() {
      const all = databaseNow() && (await access("readonly", (lines) => resultOf(lines.getAll(rowsOf(SAVED)))));
      /** @type {SavedWorld[]} */
      const saved = all ?? [];
      return saved
        .map(({ id, name, when, summary, world }) => ({ id, name, when, summary, size: new Blob([textOf(world)]).size }))
        .sort((one, other) => other.when - one.when);
    },
    get,
    /** @param {string} id @param {string} name */
    async rename(id, name) {
      const saved = await get(id);
      return saved && put({ ...saved, name });
    },
    /** Deletes a saved world; it can be put back while the page is open. @param {string} id */
    async delete(id) {
      const saved = await get(id);
      if (saved) deleted.set(id, saved);
      return access("readwrite", async (lines) => {
        await resultOf(lines.delete(keyOf(id)));
        return true;
      });
    },
    /** Puts a deleted world back. @param {string} id */
    async undelete(id) {
      const saved = deleted.get(id);
      return saved && put(saved);
    },
  };
};
