// `lictor/world`: clients, programs, faults, links, beliefs, the past of a world.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { World } from "lictor/world";

import { external, withLittleMemory } from "./memory.mjs";

/** A world in which web-1 holds db/leader by a program, and web-2 waits for it. */
async function contended() {
  const world = await World.create({ clients: ["web-1", "web-2"] });
  world.spawn("web-1", "one", { recipe: "lock", key: "db/leader", ttl: "10s" });
  world.spawn("web-2", "two", { recipe: "lock", key: "db/leader", ttl: "10s" });
  world.advance("1s");
  return world;
}

/** Options of a lock, of which some are wrong. */
const lockWith = (/** @type {object} */ options) =>
  /** @type {any} */ ({ recipe: "lock", key: "a", ...options });

const whats = (/** @type {import("lictor").WorldEvent[]} */ events) =>
  events.flatMap((event) => (event.line ? [event.line.what] : []));

test("two clients believe that they hold a lock while the first is paused", async () => {
  const world = await contended();
  assert.deepEqual(
    world.beliefs("db/leader").map((it) => [it.client, it.program, it.isTrue]),
    [["web-1", "one", true]],
  );
  const { at, sessionEnds, lockDelay, retry } = world.earliestTakeover("db/leader");
  assert.equal(at, world.now + sessionEnds + lockDelay + retry);
  assert.equal(lockDelay, 15_000);

  world.inject("web-1", "pauses");
  assert.equal(world.clients[0].condition, "paused");
  world.advance(at - world.now);
  assert.deepEqual(
    world.beliefs("db/leader").map((it) => [it.client, it.isTrue]),
    [
      ["web-1", false],
      ["web-2", true],
    ],
  );
  assert.deepEqual(world.overlaps("db/leader"), [{ from: at, to: null }]);
  world.advance("5s");
  world.mend("web-1", "pauses");
  world.advance("1s");
  assert.deepEqual(
    world.beliefs("db/leader").map((it) => it.client),
    ["web-2"],
  );
  assert.equal(world.overlaps("db/leader")[0].to, at + 5_000);
  world.free();
});

test("every event is explained back to an act, and server events have typed reasons", async () => {
  const world = await contended();
  const crashed = world.inject("web-1", "crashes");
  assert.equal(crashed[0].kind, "fault-began");
  const events = world.advance("60s");
  const ended = events.find((it) => it.kind === "server" && it.event?.kind === "session-ended");
  assert.equal(ended.event.reason.kind, "ttl-expired");
  assert.deepEqual(ended.event.held, ["db/leader"]);
  const chain = world.explain(ended);
  assert.equal(chain[0].cause, null);
  assert.equal(chain.at(-1).number, ended.number);
  for (const [at, event] of chain.entries()) {
    if (at > 0) assert.equal(event.cause, chain[at - 1].number);
  }
  assert.deepEqual(world.events().slice(-events.length), events);
  assert.match(world.trace(), /S1 ends: not renewed for twice its TTL, releases db\/leader/);
  assert.throws(() => world.explain(1_000_000), { code: "not-possible" });
  world.free();
});

test("the fetch of a client goes over its link", async () => {
  const world = await World.create();
  const web = world.join("web-1");
  world.link("web-1", { latency: 50, loss: 0 });
  const put = web.fetch("/v1/kv/a%20b", { method: "PUT", body: "1" });
  // The connection is opened by a round trip of 100 ms.
  world.advance(149);
  assert.equal(world.get("a b"), null);
  world.advance(1);
  assert.equal(world.get("a b").text, "1", "the server has it, and the client does not know");
  let isAnswered = false;
  void put.then(() => (isAnswered = true));
  await new Promise(setImmediate);
  assert.equal(isAnswered, false);
  world.advance(50);
  assert.equal(await (await put).text(), "true");

  const { ModifyIndex } = (await world.read("/v1/kv/a%20b").json())[0];
  const watch = web.fetch(`/v1/kv/a%20b?index=${ModifyIndex}&wait=60s`);
  world.advance("1s");
  const controller = new AbortController();
  const other = web.fetch(`/v1/kv/a%20b?index=${ModifyIndex}`, { signal: controller.signal });
  controller.abort();
  await assert.rejects(other, { name: "AbortError" });
  world.act("web-1", "put a");
  world.inject("web-1", "cut", { mode: "reject" });
  const refused = web.fetch("/v1/kv/a");
  world.advance(100);
  await Promise.all([assert.rejects(watch, TypeError), assert.rejects(refused, TypeError, "a cut link refuses")]);
  world.heal();
  assert.throws(() => world.read("http://elsewhere/v1/kv/a"), { code: "foreign-url" });
  await assert.rejects(web.fetch("http://elsewhere/"), { code: "foreign-url" });

  world.inject("web-1", "crashes");
  await assert.rejects(web.fetch("/v1/kv/a"), { code: "not-possible" });
  world.free();
});

test("an act in the past begins a branch, and branches are compared", async () => {
  const world = await contended();
  const [main] = world.branches();
  world.advance("30s");
  const waiting = world.client("web-1").fetch("/v1/kv/none?index=100&wait=60s");
  assert.throws(() => world.seek("1h"), { code: "not-possible", message: /ends at 31000 ms/ });
  world.seek("5s");
  await assert.rejects(waiting, { code: "moved" });
  assert.equal(world.now, 5_000);
  world.inject("web-1", "crashes");
  world.advance("60s");
  const [, other] = world.branches();
  assert.deepEqual([other.name, other.isCurrent], ["crashes memory=lost", true]);
  const differences = world.compare(main.id, other.id);
  assert.equal(differences.other[0].at, 5_000);
  assert.match(differences.other[0].line.what, /crashes/);
  assert.deepEqual(world.compare(main.id, main.id), { one: [], other: [] });

  world.switchTo(main.id);
  assert.equal(world.beliefs("db/leader")[0].client, "web-1");
  const third = world.branch("what if");
  assert.equal(world.branches().find((it) => it.isCurrent).id, third);
  const events = world.act("web-2", "put a");
  const [first, last] = [events[0], events.at(-1)];
  const digest = world.digest;
  world.seek(last);
  assert.equal(world.digest, digest, "the last event is the end of the branch");
  const later = { ...last, number: last.number + 1 };
  assert.throws(() => world.seek(later), { code: "not-possible", message: /has no event/ });
  world.seek(first);
  assert(world.now <= first.at);
  for (const id of [-1, 0.5, "1", 99]) {
    assert.throws(() => world.switchTo(/** @type {any} */ (id)), /invalid|branch/);
  }
  world.free();
});

test("a link, a log and the same acts lead to an equal world", async () => {
  const [world, same] = [await contended(), await contended()];
  assert.equal(world.digest, same.digest);
  world.advance("1s");
  assert.notEqual(world.digest, same.digest);
  for (const saved of [world.toLink(), `https://example.org/${world.toLink()}`, world.log()]) {
    const loaded = await World.load(saved);
    assert.equal(loaded.digest, world.digest);
    assert.equal(loaded.trace(), world.trace());
    loaded.free();
  }
  const past = await World.load(`https://example.org/${world.toLink()}&t=5`);
  assert.equal(past.now, 5, "a link can name the time of the cursor");
  past.free();
  assert.match(world.toLink(), /^#v1\./);
  for (const text of ["", "hello", "#v1.AAAA", '{"lictor":"log"}']) {
    await assert.rejects(World.load(text), { code: "unreadable" });
  }
  const old = await World.create({ version: "1.13" });
  assert.equal((await World.load(old.toLink())).version, "1.13");
  old.free();
  world.free();
  same.free();
});

test("options are words of the line language, with quotes where they need them", async () => {
  const world = await World.create({ clients: ["web 1"] });
  const value = 'a "quoted" \\ text\n= x';
  const events = world.spawn("web 1", "my program", { recipe: "lock", key: "a", value, hold: 500 });
  assert.match(whats(events).join("\n"), /my program/);
  world.advance(100);
  assert.equal(world.get("a").text, value);
  world.advance(500);
  assert.equal(world.get("a").session, null, "it held the lock for 500 ms");
  world.inject("web 1", "clock-rate", { rate: 500 });
  world.advance("10s");
  assert.equal(world.clients[0].clock, world.now - 5_000);
  world.guard("disk", "lock-index");
  world.spawn("web 1", "w", { recipe: "writer", key: "b", uses: "disk", token: "lock-index" });
  const used = world.advance("5s").filter((it) => it.kind === "resource-used");
  assert(used.length > 0 && used.every((it) => it.isAccepted));
  assert.equal(world.order("w", "stop")[0].kind, "program");
  world.free();
});

test("the options of programs have the names that they have everywhere in the package", async () => {
  const world = await World.create({ clients: ["web-1"] });
  // The words of an act are those of the branch that it begins in the past.
  const written = (/** @type {any} */ options) => {
    world.advance("1s");
    world.seek(0);
    world.spawn("web-1", `p${world.branches().length}`, options);
    const { name } = world.branches().find((it) => it.isCurrent);
    return name.replace(/^spawns \S+ /, "");
  };
  const attempts = { once: true, waitTime: "3s" };
  const lock = { lockDelay: 500, ...attempts, monitorRetries: 2, monitorRetryTime: 1_500 };
  const { lockDelay, ...slot } = lock;
  const words = "retries=2 retry-time=1.5s tries=once wait=3s";
  assert.equal(written({ recipe: "lock", key: "a", ...lock }), `lock a delay=0.5s ${words}`);
  const candidate = written({ recipe: "candidate", key: "a", ...lock });
  assert.equal(candidate, `candidate a delay=0.5s ${words}`);
  const semaphore = { recipe: "semaphore", key: "s", limit: 2 };
  assert.equal(written({ ...semaphore, ...slot }), `semaphore s limit=2 ${words}`);
  assert.throws(() => written({ ...semaphore, lockDelay }), /no option lockDelay/);
  for (const [options, expected] of [
    [{ recipe: "lock", once: false, onLoss: "lock-again" }, "lock a on-loss=lock-again"],
    [{ recipe: "writer", every: 250, token: "session" }, "writer a token=session every=0.25s"],
    [{ recipe: "naive", behavior: "delete", lockDelay: 0 }, "naive a behavior=delete delay=0s"],
    [{ recipe: "consul-lock", monitorRetries: 1 }, "consul-lock a monitor-retry=1"],
    [{ recipe: "watcher", waitTime: "never", reports: "leaders" }, "watcher a wait=never tells=leaders"],
  ])
    assert.equal(written({ key: "a", .../** @type {object} */ (options) }), expected);
  world.free();
});

test("the next deadline says what happens next", async () => {
  const world = await contended();
  const next = world.nextDeadline;
  world.advanceToNext();
  assert.equal(world.now, next.at);
  assert.match(next.reason.kind, /^(server|scheduled|program)$/);
  const empty = await World.create();
  assert.equal(empty.nextDeadline, null);
  assert.deepEqual(empty.advanceToNext(), []);
  empty.free();
  world.free();
});

test("wrong acts are typed errors and change nothing", async () => {
  const world = await contended();
  const { digest } = world;
  for (const [code, call] of /** @type {[string, () => unknown][]} */ ([
    ["not-understood", () => world.act("web-1", "does nothing")],
    ["not-understood", () => world.act("web-1", "")],
    ["not-understood", () => world.act("web-1", 'put "a')],
    ["not-possible", () => world.act("nobody", "put a")],
    ["not-possible", () => world.join("web-1")],
    ["not-possible", () => world.client("nobody")],
    ["not-possible", () => world.order("nothing", "start")],
    ["not-possible", () => world.mend("web-1", "pauses")],
    ["invalid-argument", () => world.spawn("web-1", "p", /** @type {any} */ ({ recipe: "x", key: "a" }))],
    ["invalid-argument", () => world.spawn("web-1", "p", lockWith({ colour: "red" }))],
    ["invalid-argument", () => world.spawn("web-1", "p", lockWith({ delay: "1s" }))],
    ["invalid-argument", () => world.spawn("web-1", "p", lockWith({ once: 1 }))],
    ["invalid-argument", () => world.spawn("web-1", "p", lockWith({ limit: 2 }))],
    ["not-understood", () => world.spawn("web-1", "p", lockWith({ onLoss: "cry" }))],
    ["not-understood", () => world.spawn("web-1", "p", lockWith({ key: "b", lockDelay: "soon" }))],
    ["not-understood", () => world.inject("web-1", /** @type {any} */ ("melts"))],
    ["invalid-argument", () => world.act(/** @type {any} */ (5), "put a")],
    ["invalid-argument", () => world.spawn("web-1", "p", /** @type {any} */ (null))],
    ["invalid-argument", () => world.link("web-1", /** @type {any} */ ({ "a b": 1 }))],
    ["invalid-argument", () => world.advance(-1)],
    ["invalid-argument", () => world.advance(NaN)],
    ["invalid-argument", () => world.explain(0)],
    ["invalid-argument", () => world.read(/** @type {any} */ (5))],
    ["invalid-argument", () => world.beliefs(/** @type {any} */ (undefined))],
    ["invalid-argument", () => new World(/** @type {any} */ (1), /** @type {any} */ (2))],
  ])) {
    assert.throws(call, { code }, call.toString());
  }
  await assert.rejects(World.create(/** @type {any} */ ({ client: [] })), { code: "invalid-argument" });
  await assert.rejects(World.create(/** @type {any} */ ({ clients: "a" })), { code: "invalid-argument" });
  await assert.rejects(World.create({ clients: ["a", "a"] }), { code: "not-possible" });
  assert.equal(world.digest, digest);
  world.free();
  world.free();
  assert.throws(() => world.now, { code: "closed" });
});

test("a world that is freed closes its requests, and its memory is used again", async () => {
  const world = await World.create();
  world.act("a", "joins");
  const waiting = world.client("a").fetch("/v1/kv/a?index=9");
  world.free();
  await assert.rejects(waiting, { code: "closed" });
  const use = async () => {
    const world = await World.create({ clients: ["a"] });
    world.act("a", "put a");
    world.free();
  };
  for (let count = 0; count < 50; count += 1) await use();
  const before = await external();
  for (let count = 0; count < 1_000; count += 1) await use();
  const grown = (await external()) - before;
  assert(grown < 2 << 20, `${grown} bytes more`);
});

test("a panic poisons one world, and neither others nor the module", async () => {
  const bytes = await readFile(new URL(import.meta.resolve("lictor/world.wasm")));
  const wasm = await WebAssembly.compile(withLittleMemory(bytes));
  const [victim, other] = [
    await World.create({ wasm, clients: ["a"] }),
    await World.create({ wasm, clients: ["a"] }),
  ];
  const waiting = victim.client("a").fetch("/v1/kv/a?index=100000");
  let error;
  for (let key = 0; !error; key += 1) {
    try {
      victim.act("a", `put key/${key} value=${"x".repeat(100_000)}`);
    } catch (thrown) {
      error = thrown;
    }
  }
  assert.equal(error.code, "panicked");
  await assert.rejects(waiting, { code: "panicked" });
  assert.throws(() => victim.now, { code: "panicked" });
  victim.free();
  assert.equal(other.act("a", "put a").at(-1).kind, "answered");
  (await World.create({ wasm })).free();
  other.free();
});
