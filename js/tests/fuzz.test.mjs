// Random calls with random values, most of them wrong: each returns, or throws a typed error that is no
// panic; the server and the world can be used after it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Consul, LictorError } from "lictor";
import { World } from "lictor/world";

const CALLS = 4_000;

/** Numbers from 0 up to a limit, the same in each run. */
function dice(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const VALUES = [
  undefined,
  null,
  true,
  0,
  1,
  -1,
  0.5,
  NaN,
  Infinity,
  2 ** 53,
  1e300,
  5n,
  -1n,
  1n << 64n,
  "",
  "a",
  "a/b",
  "10s",
  "-1s",
  "1e9h",
  "S1",
  "\0",
  "\ud800",
  "é".repeat(300),
  'x"',
  "web-1",
  "server",
  "lock",
  "start",
  "pauses",
  "put a acquire=S1",
  "spawns p lock a ttl=10s",
  "session ttl=10s",
  "/v1/kv/a?index=1",
  "/v1/kv/%zz?cas=x",
  "http://[",
  "v1.AAAA",
  Symbol("s"),
  () => {},
  [],
  [1],
  {},
  { ttl: "10s" },
  { ttl: -1 },
  { lockDelay: "x" },
  { flags: 1n << 64n },
  { cas: -1 },
  { signal: 5 },
  { method: "BREW" },
  { method: "PUT", body: "x" },
  { method: "PUT", target: "/v1/kv/a", body: new Uint8Array(3) },
  { method: "", target: "", headers: [["", ""]] },
  { recipe: "lock", key: "a", ttl: "10s" },
  { recipe: "semaphore", key: "a", limit: -1 },
  { number: 3 },
  { latency: 1e12 },
  { after: "1s", for: "99999999h" },
  new Uint8Array([0xff, 0xfe]),
  new ArrayBuffer(2),
  new Date(0),
  new URL("http://localhost:8500/v1/kv/a"),
  Object.create(null),
  new Proxy({}, {}),
];

/** Calls methods of an object at random, and returns how many of them did not throw. */
async function fuzz(random, object, left_out) {
  const methods = typeof object.fetch === "function" ? ["fetch"] : [];
  for (let of = Object.getPrototypeOf(object); of !== Object.prototype; of = Object.getPrototypeOf(of)) {
    const names = Object.getOwnPropertyNames(of).filter((name) => !left_out.includes(name));
    methods.push(...names.filter((name) => typeof object[name] === "function"));
  }
  assert(methods.length > 15, `${methods}`);
  let succeeded = 0;
  for (let call = 0; call < CALLS; call += 1) {
    const name = methods[random(methods.length)];
    const given = Array.from({ length: random(5) }, () => VALUES[random(VALUES.length)]);
    try {
      const result = object[name](...given);
      if (result instanceof Promise) result.then(() => {}, (error) => isTyped(name, error));
      succeeded += 1;
    } catch (error) {
      isTyped(name, error);
    }
    if (call % 500 === 0) await new Promise(setImmediate);
  }
  return succeeded;
}

function isTyped(name, error) {
  // The platform reads the arguments of these two first, and refuses them with a TypeError of its own.
  const isPlatforms = ["fetch", "request"].includes(name) && error instanceof TypeError;
  const isTyped = error instanceof LictorError || isPlatforms;
  assert(isTyped && error.code !== "panicked", `${name}: ${error.stack ?? String(error)}`);
}

test("a server survives random calls", async () => {
  const consul = await Consul.create();
  const left_out = ["constructor", "free", "realTime", "subscribe", "events", "install"];
  // An advance far into the future would end all sessions and waits, so it is tried below.
  const succeeded = await fuzz(dice(7), consul, [...left_out, "advance"]);
  assert(succeeded > CALLS / 10, `${succeeded} calls succeeded`);
  for (const value of VALUES) {
    try {
      consul.advance(/** @type {any} */ (value));
    } catch (error) {
      isTyped("advance", error);
    }
  }
  assert(consul.put("after", "x").ok);
  assert.equal(consul.get("after").text, "x");
  const loaded = await Consul.load(consul.save());
  assert.equal(loaded.get("after").text, "x");
  loaded.free();
  consul.free();
});

test("a world survives random calls", async () => {
  for (const seed of [1, 2]) {
    const world = await World.create({ clients: ["web-1"] });
    await fuzz(dice(seed), world, ["constructor", "free", "advance"]);
    world.act("web-1", "heals");
    for (const time of ["-1s", NaN, 1e300, "1e9h", null, "5s"]) {
      try {
        world.advance(/** @type {any} */ (time));
      } catch (error) {
        isTyped("advance", error);
      }
    }
    world.join(`late-${seed}`);
    const { digest } = world;
    const loaded = await World.load(world.log());
    assert.equal(loaded.digest, digest, "what was not refused can be repeated");
    loaded.free();
    world.free();
  }
});

test("random bytes are no saved server, and random texts no world", async () => {
  const random = dice(3);
  const saved = await (async () => {
    const consul = await Consul.create();
    consul.put("a", "1");
    const bytes = consul.save();
    consul.free();
    return bytes;
  })();
  for (let count = 0; count < 300; count += 1) {
    const bytes = saved.slice();
    bytes[random(bytes.length)] ^= 1 + random(255);
    await assert.rejects(Consul.load(bytes), { code: "unreadable" });
    const text = String.fromCharCode(...Array.from({ length: random(60) }, () => random(128)));
    for (const given of [text, `#v1.${text}`, `{"lictor":"log",${text}}`]) {
      await assert.rejects(World.load(given), { code: "unreadable" });
    }
  }
});
