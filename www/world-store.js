// Stores the world of a tab outside WebAssembly's memory, so that it survives a reload, a closed tab and a
// crash of the page's code. Each open tab owns one world in IndexedDB and holds a Web Lock on it; a new
// tab takes the latest world that no other tab owns. web/src/platform/world_store.rs is the Rust side.
// It is plain JavaScript because it must still work after the WebAssembly module has trapped.

/** @typedef {{ lines: string, position: string, story: string, guide?: string, console?: string, initialLength: number,
 *   isSaved?: boolean }} World
 *   `lines` is the log, `position` the line that leads to the cursor, `story` the reader's place in a story,
 *   `guide` the guide that the reader has pasted, `console` the commands as they were typed; the world was changed if
 *   `lines` is longer than `initialLength`;
 *   `isSaved` if it was opened from the list of saved worlds. */
/** @typedef {{ when: number, place: string, story: string, guide?: string, console?: string, initialLength?: number,
 *   hasActs?: boolean, id: string }} StoredWorld a row of IndexedDB */
/** @typedef {{ id: string, text: string, reason: string }} DamagedWorld a world that could not be opened */
/** @typedef {{ when: number, from: number, lines: string, place: string, story: string, guide?: string, console?: string,
 *   replaced?: World[] }} Tail
 *   what was not yet in IndexedDB when the page was left: `lines` follow the first `from` characters of the log;
 *   `replaced` is there if nothing of the world was in IndexedDB */

/** @typedef {{ id: string, name: string, when: number, summary: string, world: World }} SavedWorld a world that the
 *   reader has saved under a name; `summary` is what the list shows of it */

const WORLDS_MAX = 8;
/** How many replaced worlds can be restored. */
const REPLACED_MAX = 5;
const FLUSH_MS = 200;
/** How long a tab that is being left may still hold its lock. */
const LEAVING_MS = 500;
/** After this time the storage counts as unavailable. */
const OPENING_MS = 2000;
// The key of a world's tail in the local storage begins with this.
const TAIL = "lictor.tail.";
// Keys in the tab's session storage.
const WORLD = "lictor.world";
const LINK = "lictor.link";
const STARTING = "lictor.starting";

/**
 * The result of an IndexedDB request.
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
const resultOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * The end of an IndexedDB transaction.
 * @param {IDBTransaction} transaction
 * @returns {Promise<void>}
 */
const completionOf = (transaction) =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

const newId = () => `${Date.now()}.${Math.random()}`;
/** @param {string} id */
const rowsOf = (id) => IDBKeyRange.bound([id], [id, []]);
// Saved worlds are in the store of the logs, under keys that no log has.
const SAVED = "saved";
/** @param {string} id */
const savedKey = (id) => [SAVED, id];
/** @param {string} lines @returns {World} */
const newWorld = (lines) => ({ lines, position: "", story: "", initialLength: lines.length });
/** @param {World} world */
const textOf = ({ lines, position }) => lines + position;

/**
 * Takes the lock of a world for the lifetime of the page, if it becomes free within `timeout` ms.
 * @param {string} id
 * @param {number} [timeout]
 * @returns {Promise<boolean>}
 */
const takeLock = (id, timeout) =>
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

/** Storage for frames and browsers that have none. */
const NO_STORAGE = {
  /** @returns {string | null} */
  getItem: () => null,
  setItem: () => {},
  removeItem: () => {},
};

/** @param {"sessionStorage" | "localStorage"} kind */
const storageOrNone = (kind) => {
  try {
    return globalThis[kind] ?? NO_STORAGE;
  } catch {
    return NO_STORAGE;
  }
};

/** Offers a text to the reader as a file. @param {string} text @param {string} [name] */
const saveFile = (text, name = "lictor.jsonl") => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

/**
 * Opens the store. A page saved as one file brings the log of its world (`broughtLog`, percent-encoded).
 * An embedded page (`isFramed`) stores nothing and reads nothing that other pages store.
 * `readsLink` tells whether a link in the address can be opened; for a damaged one the stored world is opened.
 * @param {string | undefined} broughtLog
 * @param {boolean} isFramed
 * @param {(link: string) => Promise<boolean>} readsLink
 */
export const openWorldStore = async (broughtLog, isFramed, readsLink) => {
  const tab = isFramed ? NO_STORAGE : storageOrNone("sessionStorage");
  const local = isFramed ? NO_STORAGE : storageOrNone("localStorage");
  /** @type {IDBDatabase | undefined} */
  let database;
  let id = newId();
  let current = newWorld("");
  /** @type {World[]} */
  let replaced = [];
  // Lines that are not stored yet, and the number of stored pieces; or everything is to be stored again.
  let unstored = "";
  let pieces = 0;
  let storesAll = true;
  // How many characters of the log IndexedDB has confirmed, and how many of its changes have not ended.
  let confirmed = 0;
  let openChanges = 0;
  let isLeaving = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {DamagedWorld | undefined} */
  let damaged;
  let phase = "starting";
  let panic = "";

  const isChanged = () => current.lines.length > current.initialLength;

  const link = () => (broughtLog ? location.href : location.hash);

  const flushLater = () => {
    timer ||= setTimeout(flush, FLUSH_MS);
  };

  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!database || !current.lines) return;
    const change = database.transaction(["worlds", "lines"], "readwrite");
    const lines = change.objectStore("lines");
    if (storesAll) {
      lines.delete(rowsOf(id));
      lines.put(replaced, [id, -1]);
      [unstored, pieces, storesAll, confirmed] = [current.lines, 0, false, 0];
    }
    if (unstored) lines.put(unstored, [id, pieces++]);
    unstored = "";
    const { position: place, story, guide, console, initialLength } = current;
    const hasActs = !!current.isSaved || current.lines.length > initialLength;
    const row = { when: Date.now(), place, story, guide, console, initialLength, hasActs };
    change.objectStore("worlds").put(row, id);
    // A page that is being left has no time to wait for the automatic commit.
    change.commit();
    const world = current;
    const { length } = current.lines;
    openChanges += 1;
    completionOf(change)
      .then(
        () => {
          if (world === current && !storesAll) confirmed = length;
          if (!isLeaving) local.removeItem(TAIL + id);
        },
        (error) => {
          storesAll = true;
          showNotice("unkept", error);
        },
      )
      .finally(() => (openChanges -= 1));
  };

  /** Writes what IndexedDB has not confirmed. Local storage is written at once, so that it is there after the page. */
  const writeTail = () => {
    const from = storesAll ? 0 : confirmed;
    /** @type {Tail} */
    const tail = {
      when: Date.now(),
      from,
      lines: current.lines.slice(from),
      place: current.position,
      story: current.story,
      guide: current.guide,
      console: current.console,
      replaced: from === 0 ? replaced : undefined,
    };
    try {
      local.setItem(TAIL + id, JSON.stringify(tail));
    } catch {
      // It is full: IndexedDB may still keep what was flushed.
    }
  };

  /** @param {string} id @returns {Tail | undefined} */
  const tailOf = (id) => {
    try {
      return JSON.parse(local.getItem(TAIL + id) ?? "null") ?? undefined;
    } catch {
      return undefined;
    }
  };

  /** @param {string} id */
  const deleteWorld = (id) => {
    local.removeItem(TAIL + id);
    if (!database) return Promise.resolve();
    const change = database.transaction(["worlds", "lines"], "readwrite");
    change.objectStore("worlds").delete(id);
    change.objectStore("lines").delete(rowsOf(id));
    return completionOf(change);
  };

  /**
   * Opens a notice that the page has prepared in the reader's language.
   * @param {string} name
   * @param {unknown} reason
   */
  const showNotice = (name, reason) => {
    const notice = document.getElementById(`notice-${name}`);
    if (!notice) return;
    const output = notice.querySelector("output");
    if (output) output.textContent = `${reason}`;
    notice.onclick = ({ target }) => {
      const button = target instanceof Element ? target.closest("[data-do]") : null;
      if (button instanceof HTMLElement) noticeActions[button.dataset.do ?? ""]?.(notice);
    };
    notice.showPopover();
    notice.querySelector("button")?.focus();
  };

  /** Closes a notice. The focus moves to the first button of the page if the notice had it. @param {HTMLElement} notice */
  const closeNotice = (notice) => {
    notice.hidePopover();
    const focus = document.activeElement;
    if (focus === document.body || notice.contains(focus)) document.querySelector("button")?.focus();
  };

  /** @type {Record<string, (notice: HTMLElement) => unknown>} */
  const noticeActions = {
    save: ({ id }) => saveFile(damaged && id === "notice-damaged" ? damaged.text : textOf(current)),
    close: closeNotice,
    discard: (notice) => {
      closeNotice(notice);
      return damaged && deleteWorld(damaged.id);
    },
    again: (notice) => {
      closeNotice(notice);
      return storeAgain().catch((error) => showNotice("unkept", error));
    },
    reload: () => location.reload(),
    afresh: async () => {
      await deleteWorld(id);
      database = undefined;
      tab.setItem(WORLD, newId());
      location.reload();
    },
  };

  /**
   * The world that this tab had before a reload, or the latest one with acts that no open tab owns,
   * or a copy of the latest one.
   * @param {StoredWorld[]} known
   * @returns {Promise<StoredWorld | undefined>}
   */
  const choose = async (known) => {
    const isNew = link() !== tab.getItem(LINK);
    const opensLink =
      isNew && (broughtLog || (/^#(v1\.|story=)/.test(location.hash) && (await readsLink(location.hash))));
    tab.setItem(LINK, link());
    const own = tab.getItem(WORLD);
    if (opensLink) return undefined;
    const world = known.find(({ id }) => id === own);
    if (own && world) {
      // A duplicated tab continues with a copy.
      if (await takeLock(own, LEAVING_MS)) id = own;
      return world;
    }
    if (own) return undefined;
    const hasActs = known.filter((world) => world.hasActs !== false);
    for (const other of hasActs.length > 0 ? hasActs : known) {
      if (!(await takeLock(other.id))) continue;
      id = other.id;
      return other;
    }
    return hasActs[0];
  };

  /** @param {IDBDatabase} database @param {StoredWorld} world */
  const read = async (database, world) => {
    const lines = database.transaction("lines").objectStore("lines");
    const [worlds = [], ...all] = await resultOf(lines.getAll(rowsOf(world.id)));
    let text = all.join("");
    const tail = tailOf(world.id);
    const hasTail = !!tail && tail.from <= text.length;
    if (hasTail) text = text.slice(0, tail.from) + tail.lines;
    replaced = tail?.replaced ?? worlds;
    const { place: position, story, guide, console, initialLength = 0 } = world;
    current = { lines: text, position, story, guide, console, initialLength };
    pieces = all.length;
    confirmed = text.length;
    storesAll = hasTail || id !== world.id;
    if (hasTail) flushLater();
  };

  /** Adds the tails of worlds to what IndexedDB has of them. @param {StoredWorld[]} known */
  const addTails = (known) => {
    for (const key of Object.keys(local)) {
      const id = key.startsWith(TAIL) ? key.slice(TAIL.length) : "";
      const tail = id ? tailOf(id) : undefined;
      if (!tail) continue;
      const { when, place, story, guide, console } = tail;
      const world = known.find((world) => world.id === id);
      if (world) Object.assign(world, { when, place, story, guide, console });
      else if (tail.from === 0) known.push({ when, place, story, guide, console, id });
      // The rest of this world was deleted.
      else local.removeItem(key);
    }
  };

  const openDatabase = async () => {
    const request = indexedDB.open("lictor", 1);
    request.onupgradeneeded = () => {
      for (const name of ["worlds", "lines"]) request.result.createObjectStore(name);
    };
    /** @type {Promise<never>} */
    const timeout = new Promise((_, reject) => setTimeout(reject, OPENING_MS));
    return Promise.race([resultOf(request), timeout]);
  };

  const connect = async () => {
    const opened = await openDatabase();
    database = opened;
    // The reader has cleared the storage of this site.
    opened.onclose = () => {
      database = undefined;
      storesAll = true;
      showNotice("unkept", "");
    };
    return opened;
  };

  /** Stores everything again, in storage that was cleared or has room again. */
  const storeAgain = async () => {
    if (!database) await connect();
    tab.setItem(WORLD, id);
    storesAll = true;
    flush();
  };

  const findWorld = async () => {
    const opened = await connect();
    const worlds = opened.transaction("worlds").objectStore("worlds");
    const [ids, rows] = await Promise.all([resultOf(worlds.getAllKeys()), resultOf(worlds.getAll())]);
    /** @type {StoredWorld[]} */
    const known = ids.map((id, at) => ({ ...rows[at], id: `${id}` }));
    addTails(known);
    known.sort((one, other) => other.when - one.when);
    const world = await choose(known);
    if (world) await read(opened, world);
    if (id !== world?.id) await takeLock(id);
    // The last start of this tab did not end: its world is not opened again.
    if (tab.getItem(STARTING)) store.reject("");
    tab.setItem(STARTING, id);
    tab.setItem(WORLD, id);
    for (const old of known.slice(WORLDS_MAX)) if (await takeLock(old.id)) deleteWorld(old.id);
  };

  // The saved worlds are the same in all tabs: a change is reported to the others.
  const tabs = isFramed ? undefined : new BroadcastChannel("lictor.saved");
  if (tabs) tabs.onmessage = () => dispatchEvent(new Event("lictor-saved-worlds"));

  /** The saved worlds that were deleted and can be put back. @type {Map<string, SavedWorld>} */
  const deleted = new Map();

  /**
   * Reads or changes the saved worlds. The reader sees a failure; the result is `undefined` then.
   * @template T
   * @param {IDBTransactionMode} mode
   * @param {(lines: IDBObjectStore) => Promise<T>} use
   * @returns {Promise<T | undefined>}
   */
  const useSaved = async (mode, use) => {
    try {
      if (!database) throw new Error("storage is not available");
      const change = database.transaction("lines", mode);
      const [result] = await Promise.all([use(change.objectStore("lines")), completionOf(change)]);
      if (mode === "readwrite") tabs?.postMessage("");
      return result;
    } catch (error) {
      showNotice("unkept", error);
      return undefined;
    }
  };

  /** @param {SavedWorld} saved */
  const putSaved = (saved) =>
    useSaved("readwrite", async (lines) => {
      await resultOf(lines.put(saved, savedKey(saved.id)));
      return true;
    });

  /** @param {string} id @returns {Promise<SavedWorld | undefined>} */
  const getSaved = (id) => useSaved("readonly", (lines) => resultOf(lines.get(savedKey(id))));

  /** Replaces the world; the former one can be restored if it was changed. @param {World} world */
  const replaceBy = (world) => {
    if (isChanged()) replaced = [current, ...replaced].slice(0, REPLACED_MAX);
    current = world;
    storesAll = true;
    flushLater();
  };

  const store = {
    /** The log of this tab's world with its position; empty if there is none. */
    log: () => textOf(current),
    /** The reader's place in a story; empty if none. */
    story: () => current.story,
    /** Replaces the world; the former one can be restored. @param {string} lines */
    replace: (lines) => replaceBy(newWorld(lines)),
    /** Whether worlds can be saved under a name. */
    canSave: () => !!database,
    /** Saves the present world under a name. @param {string} name @param {string} summary */
    saveWorld: (name, summary) =>
      putSaved({ id: newId(), name, when: Date.now(), summary, world: { ...current } }),
    /** The worlds that were saved, the latest first, without their logs. */
    async savedWorlds() {
      const all = database && (await useSaved("readonly", (lines) => resultOf(lines.getAll(rowsOf(SAVED)))));
      /** @type {SavedWorld[]} */
      const saved = all ?? [];
      return saved
        .map(({ id, name, when, summary, world }) => ({ id, name, when, summary, size: new Blob([textOf(world)]).size }))
        .sort((one, other) => other.when - one.when);
    },
    /** Opens a saved world, and resolves to whether it is there. @param {string} id */
    async openSaved(id) {
      const saved = await getSaved(id);
      if (saved) replaceBy({ ...saved.world, initialLength: saved.world.lines.length, isSaved: true });
      return !!saved;
    },
    /** @param {string} id @param {string} name */
    async renameSaved(id, name) {
      const saved = await getSaved(id);
      return saved && putSaved({ ...saved, name });
    },
    /** Deletes a saved world; it can be put back while the page is open. @param {string} id */
    async deleteSaved(id) {
      const saved = await getSaved(id);
      if (saved) deleted.set(id, saved);
      return useSaved("readwrite", async (lines) => {
        await resultOf(lines.delete(savedKey(id)));
        return true;
      });
    },
    /** Puts a saved world back that was deleted. @param {string} id */
    async undeleteSaved(id) {
      const saved = deleted.get(id);
      return saved && putSaved(saved);
    },
    /** Appends lines to the log and sets the position. @param {string} lines @param {string} position */
    append(lines, position) {
      if (!lines && position === current.position) return;
      current.lines += lines;
      unstored += lines;
      current.position = position;
      flushLater();
    },
    /** @param {string} story */
    setStory(story) {
      if (story === current.story) return;
      current.story = story;
      flushLater();
    },
    /** The guide that the reader has pasted; empty if none. */
    guide: () => current.guide ?? "",
    /** @param {string} guide */
    setGuide(guide) {
      if (guide === (current.guide ?? "")) return;
      current.guide = guide;
      flushLater();
    },
    /** The commands as they were typed into the console; empty if none. */
    console: () => current.console ?? "",
    /** @param {string} console */
    setConsole(console) {
      if (console === (current.console ?? "")) return;
      current.console = console;
      flushLater();
    },
    /** Counts what happened so far as the initial state of the world. */
    setUnchanged() {
      current.initialLength = current.lines.length;
    },
    /** How many worlds can be restored. */
    replacedCount: () => replaced.length,
    /** Whether the next world that is replaced drops the oldest of them. */
    isReplacedFull: () => replaced.length === REPLACED_MAX,
    /** The log and the story of a world that can be restored; 0 is the one that was replaced last. @param {number} which */
    replacedLog: (which) => (replaced[which] ? textOf(replaced[which]) : ""),
    /** @param {number} which */
    replacedStory: (which) => replaced[which]?.story ?? "",
    /** Opens a replaced world; the present one takes the first place in the list, if it was changed. @param {number} which */
    restoreReplaced(which) {
      const [restored] = replaced.splice(which, 1);
      if (!restored) return;
      if (isChanged()) replaced.unshift(current);
      current = restored;
      storesAll = true;
      flushLater();
    },
    /** Sets a world aside that cannot be read. @param {string} reason */
    reject(reason) {
      damaged = { id, reason, text: textOf(current) };
      id = newId();
      takeLock(id);
      tab.setItem(WORLD, id);
      current = newWorld("");
      replaced = [];
      storesAll = true;
      if (phase === "started") showNotice("damaged", reason);
    },
    saveLog: () => saveFile(textOf(current)),
    saveFile,
    async savePage() {
      const { singleFile } = await import(document.getElementById("boot")?.dataset.singleFile ?? "");
      saveFile(await singleFile(textOf(current)), "lictor.html");
    },
    /** boot.js calls this when the page has started. */
    started() {
      phase = "started";
      tab.removeItem(STARTING);
      if (damaged) showNotice("damaged", damaged.reason);
    },
    /**
     * Handles an uncaught error. After a trap or a stack overflow nothing of the page's code can run, so
     * the page offers the log as a file.
     * @param {unknown} error
     */
    stopped(error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) return;
      flush();
      const wasStarting = phase === "starting";
      phase = "stopped";
      // A world that stops the page while it opens is set aside by the next start.
      if (wasStarting && database && current.lines && !damaged) return location.reload();
      for (const part of document.body.children) {
        if (part instanceof HTMLElement) part.inert = !part.popover;
      }
      damaged = undefined;
      showNotice("stopped", panic || error);
    },
  };

  addEventListener("hashchange", () => tab.setItem(LINK, link()));
  // The page reports the message of a panic before it traps.
  addEventListener("lictor-panic", (event) => {
    if (event instanceof CustomEvent) panic = `${event.detail}`;
  });
  addEventListener("error", ({ error }) => store.stopped(error));
  addEventListener("unhandledrejection", ({ reason }) => store.stopped(reason));
  // A page in the background can end without "pagehide".
  document.addEventListener("visibilitychange", () => {
    if (document.hidden && timer) flush();
  });
  addEventListener("pagehide", () => {
    const isStored = !timer && !openChanges;
    flush();
    isLeaving = true;
    // WebKit drops what was not stored before this event.
    if (database && current.lines && !isStored) writeTail();
    if (phase !== "stopped") tab.removeItem(STARTING);
  });
  addEventListener("pageshow", () => {
    isLeaving = false;
  });
  // Without storage the page works, but keeps nothing.
  if (!isFramed) {
    await findWorld().catch(() => {
      database = undefined;
    });
  }
  if (broughtLog && !current.lines && !damaged) current = newWorld(decodeURIComponent(broughtLog));
  return store;
};
