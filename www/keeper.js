// Keeps what is done on the page outside of WebAssembly's memory, so that it survives a reload, the end
// of the tab, and the end of the page's code. Each open tab has a world of its own in IndexedDB, under
// a lock; a new tab takes the latest world that no other tab has. web/src/keeper.rs is the page's side.

const WORLDS_MAX = 8;
// So many worlds that were replaced can be put back.
const BEFORE_MAX = 5;
const FLUSH_MS = 200;
// A page that is being left may hold its lock for so long.
const LEAVING_MS = 500;
// A storage that does not answer by then is taken for none.
const OPENING_MS = 2000;
// Names in the storage of the tab.
const WORLD = "lictor.world";
const LINK = "lictor.link";
const STARTING = "lictor.starting";

const answer = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = request.oncomplete = () => resolve(request.result);
    request.onerror = request.onabort = () => reject(request.error);
  });

const newId = () => `${Date.now()}.${Math.random()}`;
const rows = (id) => IDBKeyRange.bound([id], [id, []]);
const fresh = (lines) => ({ lines, place: "", story: "", first: lines.length });
const whole = ({ lines, place }) => lines + place;

// Takes the lock of a world for as long as the page is there, if it is free within a time.
const hold = (id, patience) =>
  new Promise((resolve) => {
    if (!navigator.locks) return resolve(patience > 0);
    const options = patience ? { signal: AbortSignal.timeout(patience) } : { ifAvailable: true };
    const keep = (lock) => (resolve(!!lock), lock && new Promise(() => {}));
    navigator.locks.request(`lictor ${id}`, options, keep).catch(() => resolve(false));
  });

const NOTHING = { getItem() {}, setItem() {}, removeItem() {} };
// A page in a frame may have none.
const tabStorage = () => {
  try {
    return sessionStorage;
  } catch {
    return NOTHING;
  }
};

const save = (text, name = "lictor.jsonl") => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

// A page that is one file brings the log of its world. One in a page of somebody else keeps nothing
// beyond its own end, and does not touch what others keep.
export const openKeeper = async (brought, isFramed) => {
  const tab = isFramed ? NOTHING : tabStorage();
  let base;
  let id = newId();
  let now = fresh("");
  let before = [];
  // Lines that are not stored yet, and how many pieces are; or all is to be stored anew.
  let added = "";
  let pieces = 0;
  let isAnew = true;
  let timer;
  // A world that could not be opened: its id, its text, and why.
  let damaged;
  let stage = "starting";

  const link = () => (brought ? location.href : location.hash);

  const later = () => (timer ||= setTimeout(flush, FLUSH_MS));

  const flush = () => {
    timer = clearTimeout(timer);
    if (!base || !now.lines) return;
    const change = base.transaction(["worlds", "lines"], "readwrite");
    const lines = change.objectStore("lines");
    if (isAnew) {
      lines.delete(rows(id));
      lines.put(before, [id, -1]);
      [added, pieces, isAnew] = [now.lines, 0, false];
    }
    if (added) lines.put(added, [id, pieces++]);
    added = "";
    change.objectStore("worlds").put({ when: Date.now(), place: now.place, story: now.story }, id);
    // A page that is being left has no time to wait until nothing more is asked for.
    change.commit();
    answer(change).catch((error) => {
      isAnew = true;
      show("unkept", error);
    });
  };

  const forget = (id) => {
    const change = base.transaction(["worlds", "lines"], "readwrite");
    change.objectStore("worlds").delete(id);
    change.objectStore("lines").delete(rows(id));
    return answer(change);
  };

  // The page has prepared what is said, in the reader's language.
  const show = (name, why) => {
    const notice = document.getElementById(`notice-${name}`);
    if (!notice) return;
    notice.querySelector("output").textContent = why;
    notice.onclick = ({ target }) => actions[target.closest("[data-do]")?.dataset.do]?.(notice);
    notice.showPopover();
    notice.querySelector("button").focus();
  };

  // The focus goes to the first button of the page, if nothing had it before.
  const hide = (notice) => {
    notice.hidePopover();
    const focus = document.activeElement;
    if (focus === document.body || notice.contains(focus)) document.querySelector("button").focus();
  };

  const actions = {
    save: () => save(damaged?.text ?? whole(now)),
    close: hide,
    discard: (notice) => (hide(notice), forget(damaged.id)),
    reload: () => location.reload(),
    afresh: async () => {
      await (base && forget(id));
      base = undefined;
      tab.setItem(WORLD, newId());
      location.reload();
    },
  };

  // What the tab had when it was loaded again, or what no open tab has.
  const choose = async (known) => {
    const isOpened = (brought || /^#(v1\.|story=)/.test(location.hash)) && link() !== tab.getItem(LINK);
    tab.setItem(LINK, link());
    const mine = tab.getItem(WORLD);
    if (isOpened) return;
    const world = known.find(({ id }) => id === mine);
    if (world) {
      // A tab that was copied goes on with a copy.
      if (await hold(mine, LEAVING_MS)) id = mine;
      return world;
    }
    for (const other of mine ? [] : known) {
      if (!(await hold(other.id))) continue;
      id = other.id;
      return other;
    }
  };

  const read = async (world) => {
    const lines = base.transaction("lines").objectStore("lines");
    const [worlds, ...all] = await answer(lines.getAll(rows(world.id)));
    before = worlds;
    now = { lines: all.join(""), place: world.place, story: world.story, first: 0 };
    pieces = all.length;
    isAnew = id !== world.id;
  };

  const find = async () => {
    const request = indexedDB.open("lictor", 1);
    request.onupgradeneeded = () => ["worlds", "lines"].map((name) => request.result.createObjectStore(name));
    const late = new Promise((_, reject) => setTimeout(reject, OPENING_MS));
    base = await Promise.race([answer(request), late]);
    const worlds = base.transaction("worlds").objectStore("worlds");
    const [ids, heads] = await Promise.all([answer(worlds.getAllKeys()), answer(worlds.getAll())]);
    const known = ids.map((id, at) => ({ ...heads[at], id })).sort((one, other) => other.when - one.when);
    const world = await choose(known);
    if (world) await read(world);
    if (id !== world?.id) await hold(id);
    if (tab.getItem(STARTING)) keeper.refuse("");
    tab.setItem(STARTING, id);
    tab.setItem(WORLD, id);
    for (const old of known.slice(WORLDS_MAX)) if (await hold(old.id)) forget(old.id);
  };

  const keeper = {
    log: () => whole(now),
    story: () => now.story,
    begin(lines) {
      if (now.lines.length > now.first) before = [now, ...before].slice(0, BEFORE_MAX);
      now = fresh(lines);
      isAnew = true;
      later();
    },
    add(lines, place) {
      if (!lines && place === now.place) return;
      now.lines += lines;
      added += lines;
      now.place = place;
      later();
    },
    tell(story) {
      now.story = story;
      later();
    },
    before: () => before.length,
    turn() {
      before.push(now);
      now = before.shift();
      isAnew = true;
      later();
    },
    refuse(why) {
      damaged = { id, why, text: whole(now) };
      id = newId();
      hold(id);
      tab.setItem(WORLD, id);
      now = fresh("");
      before = [];
      isAnew = true;
    },
    save: () => save(whole(now)),
    give: save,
    async savePage() {
      const { wholePage } = await import(document.getElementById("boot").dataset.whole);
      save(await wholePage(whole(now)), "lictor.html");
    },
    // For boot.js: the page stands.
    started() {
      stage = "started";
      tab.removeItem(STARTING);
      if (damaged) show("damaged", damaged.why);
    },
    // Something was thrown. If the page's code has ended by it, or its stack was used up, nothing of
    // the page works any more.
    stopped(error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) return;
      flush();
      const isOpening = stage === "starting";
      stage = "stopped";
      // A world whose opening ends the page is not opened a second time.
      if (isOpening && base && now.lines && !damaged) return location.reload();
      for (const part of document.body.children) part.inert = !part.popover;
      damaged = undefined;
      show("stopped", error);
    },
  };

  addEventListener("hashchange", () => tab.setItem(LINK, link()));
  addEventListener("error", ({ error }) => keeper.stopped(error));
  addEventListener("unhandledrejection", ({ reason }) => keeper.stopped(reason));
  addEventListener("pagehide", () => {
    flush();
    if (stage !== "stopped") tab.removeItem(STARTING);
  });
  // Where nothing can be stored the page works all the same.
  await (isFramed ? undefined : find().catch(() => (base = undefined)));
  if (brought && !now.lines && !damaged) now = fresh(decodeURIComponent(brought));
  return keeper;
};
