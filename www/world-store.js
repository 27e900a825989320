// Stores the world of a tab outside WebAssembly's memory, so that it survives a reload, a closed tab and a
// crash of the page's code. Each open tab owns one world in IndexedDB and holds a Web Lock on it; a new
// tab takes the latest world that no other tab owns. This is plain JavaScript because it must still work
// after the WebAssembly module has trapped.

import { closeNotice, showNotice } from "./notices.js";
import { savedWorlds } from "./saved-worlds.js";
import { NO_STORAGE, newId, openDatabase, resultOf, saveFile, storageOrNone, takeLock } from "./storage.js";
import { WorldLog, newWorld, textOf } from "./world-log.js";

/** @typedef {import("./world-log.js").StoredWorld} StoredWorld */
/** @typedef {{ id: string, text: string, reason: string }} DamagedWorld a world that could not be opened */

/** The number of worlds that are kept at most; older ones are deleted unless a tab owns them. */
const WORLDS_MAX = 8;
/** The time in ms that a tab which is being left may still hold its lock. */
const LEAVING_MS = 500;
// Keys in the tab's session storage.
const WORLD = "lictor.world";
const LINK = "lictor.link";
const STARTING = "lictor.starting";

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
  /** @type {DamagedWorld | undefined} */
  let damaged;
  let phase = "starting";
  let panic = "";

  /** @type {Record<string, (notice: HTMLElement) => unknown>} */
  const actions = {
    save: ({ id }) => saveFile(damaged && id === "notice-damaged" ? damaged.text : textOf(log.world)),
    close: closeNotice,
    discard: (notice) => {
      closeNotice(notice);
      return damaged && log.delete(damaged.id);
    },
    again: (notice) => {
      closeNotice(notice);
      return storeAgain().catch(reportUnkept);
    },
    reload: () => location.reload(),
    afresh: async () => {
      await log.delete(log.id);
      log.database = undefined;
      tab.setItem(WORLD, newId());
      location.reload();
    },
  };
  /** @param {unknown} reason */
  const reportUnkept = (reason) => showNotice("unkept", reason, actions);

  const log = new WorldLog(isFramed ? NO_STORAGE : storageOrNone("localStorage"), reportUnkept);
  const saved = savedWorlds(() => log.database, isFramed, reportUnkept);

  // The address of a part of the page, such as #/guide, is no link to a world.
  const link = () => (broughtLog ? location.href : location.hash).replace(/#\/.*/, "");

  /**
   * The world that this tab had before a reload, or the latest one with acts that no open tab owns,
   * or a copy of the latest one. Undefined if the address has a link to open, or if the world of this tab is gone.
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
      if (await takeLock(own, LEAVING_MS)) log.id = own;
      return world;
    }
    if (own) return undefined;
    const hasActs = known.filter((world) => world.hasActs !== false);
    for (const other of hasActs.length > 0 ? hasActs : known) {
      if (!(await takeLock(other.id))) continue;
      log.id = other.id;
      return other;
    }
    return hasActs[0];
  };

  const connect = async () => {
    const database = await openDatabase();
    log.database = database;
    // The database is closed when the reader clears the storage of this site.
    database.onclose = () => {
      log.lose();
      reportUnkept("");
    };
    return database;
  };

  /** Stores everything again, in storage that was cleared or has room again. */
  const storeAgain = async () => {
    if (!log.database) await connect();
    tab.setItem(WORLD, log.id);
    log.storeAll();
    log.flush();
  };

  const findWorld = async () => {
    const database = await connect();
    const worlds = database.transaction("worlds").objectStore("worlds");
    const [ids, rows] = await Promise.all([resultOf(worlds.getAllKeys()), resultOf(worlds.getAll())]);
    /** @type {StoredWorld[]} */
    const known = ids.map((id, index) => ({ ...rows[index], id: `${id}` }));
    log.addTails(known);
    known.sort((one, other) => other.when - one.when);
    const world = await choose(known);
    if (world) await log.read(database, world);
    if (log.id !== world?.id) await takeLock(log.id);
    // If the last start of this tab did not end, its world is not opened again.
    if (tab.getItem(STARTING)) store.reject("");
    tab.setItem(STARTING, log.id);
    tab.setItem(WORLD, log.id);
    for (const old of known.slice(WORLDS_MAX)) if (await takeLock(old.id)) log.delete(old.id);
  };

  const store = {
    /** The log of this tab's world with its position; empty if there is none. */
    log: () => textOf(log.world),
    /** The reader's progress in a lesson; empty if none is open. */
    story: () => log.world.story,
    /** Replaces the world; the former one can be restored. @param {string} lines */
    replace: (lines) => log.replace(newWorld(lines)),
    /** Whether worlds can be saved under a name. */
    canSave: () => !!log.database,
    /** Saves the present world under a name. @param {string} name @param {string} summary */
    saveWorld: (name, summary) => saved.save(name, summary, log.world),
    savedWorlds: saved.list,
    /** Opens a saved world, and resolves to whether it is there. @param {string} id */
    async openSaved(id) {
      const world = (await saved.get(id))?.world;
      if (world) log.replace({ ...world, initialLength: world.lines.length, isSaved: true });
      return !!world;
    },
    renameSaved: saved.rename,
    deleteSaved: saved.delete,
    undeleteSaved: saved.undelete,
    /** Appends lines to the log and sets the position. @param {string} lines @param {string} position */
    append: (lines, position) => log.append(lines, position),
    /** @param {string} story */
    setStory: (story) => log.set("story", story),
    /** The guide that the reader has pasted; empty if none. */
    guide: () => log.world.guide ?? "",
    /** @param {string} guide */
    setGuide: (guide) => log.set("guide", guide),
    /** The commands as they were typed into the console; empty if none. */
    console: () => log.world.console ?? "",
    /** @param {string} console */
    setConsole: (console) => log.set("console", console),
    /** Makes the present state count as the initial one of the world. */
    setUnchanged() {
      log.world.initialLength = log.world.lines.length;
    },
    /** The number of replaced worlds that can be restored. */
    replacedCount: () => log.replaced.length,
    /** Whether the next world that is replaced drops the oldest replaced one. */
    isReplacedFull: () => log.isReplacedFull,
    /** The log of a replaced world; the index 0 is the one that was replaced last. @param {number} index */
    replacedLog: (index) => (log.replaced[index] ? textOf(log.replaced[index]) : ""),
    /** @param {number} index */
    replacedStory: (index) => log.replaced[index]?.story ?? "",
    /** @param {number} index */
    restoreReplaced: (index) => log.restore(index),
    /** Sets the present world, which cannot be read, aside. @param {string} reason */
    reject(reason) {
      damaged = { id: log.id, reason, text: textOf(log.world) };
      log.startOver();
      takeLock(log.id);
      tab.setItem(WORLD, log.id);
      if (phase === "started") showNotice("damaged", reason, actions);
    },
    saveLog: () => saveFile(textOf(log.world)),
    saveFile,
    async savePage() {
      const { singleFile } = await import(document.getElementById("boot")?.dataset.singleFile ?? "");
      saveFile(await singleFile(textOf(log.world)), "lictor.html");
    },
    /** Notes that the page has started. */
    started() {
      phase = "started";
      tab.removeItem(STARTING);
      if (damaged) showNotice("damaged", damaged.reason, actions);
    },
    /**
     * Handles an uncaught error. After a trap or a stack overflow nothing of the page's code can run, so
     * the page offers the log as a file.
     * @param {unknown} error
     */
    stopped(error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) return;
      log.flush();
      const wasStarting = phase === "starting";
      phase = "stopped";
      // A world that stops the page while it opens is set aside by the next start.
      if (wasStarting && log.database && log.world.lines && !damaged) return location.reload();
      for (const part of document.body.children) {
        if (part instanceof HTMLElement) part.inert = !part.popover;
      }
      showNotice("stopped", panic || error, actions);
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
    if (document.hidden) log.flushIfWaiting();
  });
  addEventListener("pagehide", () => {
    log.leave();
    if (phase !== "stopped") tab.removeItem(STARTING);
  });
  addEventListener("pageshow", () => log.comeBack());
  // Without storage the page works, but keeps nothing.
  if (!isFramed) {
    await findWorld().catch(() => {
      log.database = undefined;
    });
  }
  if (broughtLog && !log.world.lines && !damaged) log.world = newWorld(decodeURIComponent(broughtLog));
  return store;
};
