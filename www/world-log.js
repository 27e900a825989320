// Stores the log of a tab's world in IndexedDB. When the page is left, the rest that IndexedDB has not confirmed, the
// tail of the log, goes to the local storage, which is written at once.

import { completionOf, newId, resultOf, rowsOf } from "./storage.js";

/** @typedef {{ lines: string, position: string, story: string, guide?: string, console?: string, initialLength: number,
 *   isSaved?: boolean }} World
 *   `lines` is the log, `position` the line that leads to the cursor, `story` the reader's place in a story,
 *   `guide` the guide that the reader has pasted, `console` the commands as they were typed; the world was changed if
 *   `lines` is longer than `initialLength`;
 *   `isSaved` is true if it was opened from the list of saved worlds. */
/** @typedef {{ when: number, place: string, story: string, guide?: string, console?: string, initialLength?: number,
 *   isSaved?: boolean, hasActs?: boolean, id: string }} StoredWorld a row of IndexedDB */
/** @typedef {Omit<StoredWorld, "id"> & { from: number, lines: string, replaced?: World[] }} Tail
 *   the part of a world that was not yet in IndexedDB when the page was left: `lines` follow the first `from`
 *   characters of the log; `replaced` is there if nothing of the world was in IndexedDB */

/** The number of replaced worlds that can be restored. */
const REPLACED_MAX = 5;
const FLUSH_MS = 200;
// The key of a world's tail in the local storage begins with this.
const TAIL = "lictor.tail.";

/** @param {string} lines @returns {World} */
export const newWorld = (lines) => ({ lines, position: "", story: "", initialLength: lines.length });
/** @param {World} world */
export const textOf = ({ lines, position }) => lines + position;

export class WorldLog {
  id = newId();
  world = newWorld("");
  /** The worlds that this one has replaced, the latest first. @type {World[]} */
  replaced = [];
  /** Undefined if the browser stores nothing. @type {IDBDatabase | undefined} */
  database;
  // The lines that are not stored yet, the number of stored pieces, and whether the whole log is to be stored again.
  #unstored = "";
  #pieces = 0;
  #storesAll = true;
  // The number of characters of the log that IndexedDB has confirmed, and that of its changes that have not ended.
  #confirmed = 0;
  #openChanges = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #isLeaving = false;
  #local;
  #report;

  /**
   * `report` tells the reader why the world is not stored.
   * @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} local
   * @param {(reason: unknown) => void} report
   */
  constructor(local, report) {
    this.#local = local;
    this.#report = report;
  }

  get isChanged() {
    return this.world.lines.length > this.world.initialLength;
  }

  /** Whether the next world that is replaced drops the oldest replaced one. */
  get isReplacedFull() {
    return this.replaced.length === REPLACED_MAX;
  }

  /** @param {string} lines @param {string} position */
  append(lines, position) {
    if (!lines && position === this.world.position) return;
    this.world.lines += lines;
    this.#unstored += lines;
    this.world.position = position;
    this.#flushLater();
  }

  /** @param {"story" | "guide" | "console"} part @param {string} text */
  set(part, text) {
    if (text === (this.world[part] ?? "")) return;
    this.world[part] = text;
    this.#flushLater();
  }

  /** Replaces the world; the former one can be restored if it was changed. @param {World} world */
  replace(world) {
    if (this.isChanged) this.replaced = [this.world, ...this.replaced].slice(0, REPLACED_MAX);
    this.world = world;
    this.storeAll();
  }

  /** Opens a replaced world; the present one takes the first place in the list, if it was changed. @param {number} index */
  restore(index) {
    const [restored] = this.replaced.splice(index, 1);
    if (!restored) return;
    if (this.isChanged) this.replaced.unshift(this.world);
    this.world = restored;
    this.storeAll();
  }

  /** Begins an empty world with a new id, and drops the replaced ones. */
  startOver() {
    this.id = newId();
    this.world = newWorld("");
    this.replaced = [];
    this.#storesAll = true;
  }

  /** Stores the whole log again. */
  storeAll() {
    this.#storesAll = true;
    this.#flushLater();
  }

  /** Notes that the storage was cleared or closed. */
  lose() {
    this.database = undefined;
    this.#storesAll = true;
  }

  #flushLater() {
    this.#timer ||= setTimeout(() => this.flush(), FLUSH_MS);
  }

  /** Stores the rest at once, if it is to be stored later. */
  flushIfWaiting() {
    if (this.#timer) this.flush();
  }

  flush() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { database, world, id } = this;
    if (!database || !world.lines) return;
    const change = database.transaction(["worlds", "lines"], "readwrite");
    const lines = change.objectStore("lines");
    if (this.#storesAll) {
      lines.delete(rowsOf(id));
      lines.put(this.replaced, [id, -1]);
      this.#unstored = world.lines;
      this.#pieces = 0;
      this.#storesAll = false;
      this.#confirmed = 0;
    }
    if (this.#unstored) lines.put(this.#unstored, [id, this.#pieces++]);
    this.#unstored = "";
    change.objectStore("worlds").put(this.#row(), id);
    // A page that is being left has no time to wait for the automatic commit.
    change.commit();
    const { length } = world.lines;
    this.#openChanges += 1;
    completionOf(change)
      .then(
        () => {
          if (world === this.world && !this.#storesAll) this.#confirmed = length;
          if (!this.#isLeaving) this.#local.removeItem(TAIL + id);
        },
        (error) => {
          this.#storesAll = true;
          this.#report(error);
        },
      )
      .finally(() => (this.#openChanges -= 1));
  }

  /** Stores the rest when the page is left, and writes the tail if not everything was confirmed before. */
  leave() {
    const isStored = !this.#timer && !this.#openChanges;
    this.flush();
    this.#isLeaving = true;
    // WebKit drops what was not stored before this event.
    if (this.database && this.world.lines && !isStored) this.#writeTail();
  }

  /** Notes that the page is shown again. */
  comeBack() {
    this.#isLeaving = false;
  }

  /** The world without its log. @returns {Omit<StoredWorld, "id">} */
  #row() {
    const { position: place, story, guide, console, initialLength, isSaved = false } = this.world;
    const hasActs = isSaved || this.isChanged;
    return { when: Date.now(), place, story, guide, console, initialLength, isSaved, hasActs };
  }

  #writeTail() {
    const from = this.#storesAll ? 0 : this.#confirmed;
    const replaced = from === 0 ? this.replaced : undefined;
    /** @type {Tail} */
    const tail = { ...this.#row(), from, lines: this.world.lines.slice(from), replaced };
    try {
      this.#local.setItem(TAIL + this.id, JSON.stringify(tail));
    } catch {
      // The storage is full: IndexedDB may still keep what was flushed.
    }
  }

  /** @param {string} id @returns {Tail | undefined} */
  #tailOf(id) {
    try {
      return JSON.parse(this.#local.getItem(TAIL + id) ?? "null") ?? undefined;
    } catch {
      return undefined;
    }
  }

  /** Adds the tails of worlds to their rows of IndexedDB; drops tails without a world. @param {StoredWorld[]} known */
  addTails(known) {
    for (const key of Object.keys(this.#local)) {
      const id = key.startsWith(TAIL) ? key.slice(TAIL.length) : "";
      const tail = id ? this.#tailOf(id) : undefined;
      if (!tail) continue;
      const { from, lines: _lines, replaced: _replaced, ...row } = tail;
      const world = known.find((world) => world.id === id);
      if (world) Object.assign(world, row);
      else if (from === 0) known.push({ ...row, id });
      // The rest of this world was deleted.
      else this.#local.removeItem(key);
    }
  }

  /** Reads a stored world, or a copy of it if another tab owns it. @param {IDBDatabase} database @param {StoredWorld} world */
  async read(database, world) {
    const lines = database.transaction("lines").objectStore("lines");
    const [worlds = [], ...all] = await resultOf(lines.getAll(rowsOf(world.id)));
    let text = all.join("");
    const tail = this.#tailOf(world.id);
    const hasTail = !!tail && tail.from <= text.length;
    if (hasTail) text = text.slice(0, tail.from) + tail.lines;
    this.replaced = tail?.replaced ?? worlds;
    const { place: position, story, guide, console, initialLength = 0, isSaved } = world;
    this.world = { lines: text, position, story, guide, console, initialLength, isSaved };
    this.#pieces = all.length;
    this.#confirmed = text.length;
    this.#storesAll = hasTail || this.id !== world.id;
    if (hasTail) this.#flushLater();
  }

  /** Deletes a stored world. @param {string} id */
  delete(id) {
    this.#local.removeItem(TAIL + id);
    if (!this.database) return Promise.resolve();
    const change = this.database.transaction(["worlds", "lines"], "readwrite");
    change.objectStore("worlds").delete(id);
    change.objectStore("lines").delete(rowsOf(id));
    return completionOf(change);
  }
}
