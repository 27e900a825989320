// What a server holds and when it ends: memory, freed servers, a failed engine, real time, and the ways
// in which the WebAssembly is loaded.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import { Consul } from "lictor";
import * as inline from "lictor/inline";

import { external, withLittleMemory } from "./memory.mjs";

const wasmFile = new URL(import.meta.resolve("lictor/lictor.wasm"));

test("10,000 servers that are created and freed leave memory flat", async () => {
  const use = async () => {
    const consul = await Consul.create();
    consul.put("a", "x".repeat(1_000));
    consul.free();
  };
  for (let count = 0; count < 100; count += 1) await use();
  const before = await external();
  for (let count = 0; count < 10_000; count += 1) await use();
  const grown = (await external()) - before;
  assert(grown < 2 << 20, `${grown} bytes more`);
});

test("servers that nobody frees are collected", async () => {
  const make = async () => {
    for (let count = 0; count < 40; count += 1) (await Consul.create()).put("a", "x");
  };
  await make();
  const before = await external();
  for (let round = 0; round < 5; round += 1) {
    await make();
    await external();
  }
  const grown = (await external()) - before;
  assert(grown < 20 << 20, `${grown} bytes more`);
});

test("a freed server is closed, and what waited for it fails", async () => {
  const consul = await Consul.create();
  const watch = consul.fetch("/v1/kv/a?index=100");
  const other = await Consul.create();
  consul.free();
  consul.free();
  await assert.rejects(watch, { code: "closed" });
  for (const call of [
    () => consul.now,
    () => consul.put("a", ""),
    () => consul.advance(1),
    () => consul.realTime(),
    () => consul.save(),
    () => consul.subscribe(() => {}),
  ]) {
    assert.throws(call, { code: "closed" });
  }
  await assert.rejects(consul.fetch("/v1/kv/a"), { code: "closed" });
  other[Symbol.dispose]();
  assert.throws(() => other.now, { code: "closed" });
});

test("instances are used again without a trace of the server before", async () => {
  const first = await Consul.create();
  first.put("secret", "x");
  const fresh = first.save();
  first.free();
  const second = await Consul.create();
  assert.deepEqual(second.list(""), []);
  assert.notDeepEqual(second.save(), fresh);
  second.free();
});

test("a panic of the engine poisons one server, and neither others nor the module", async () => {
  const module = await WebAssembly.compile(withLittleMemory(await readFile(wasmFile)));
  const [victim, other] = [
    await Consul.create({ wasm: module }),
    await Consul.create({ wasm: module }),
  ];
  other.put("a", "1");
  const watch = victim.fetch("/v1/kv/never?index=1000000");
  const stream = victim.events();
  let error;
  for (let key = 0; !error; key += 1) {
    try {
      victim.put(`key/${key}`, new Uint8Array(100_000));
    } catch (thrown) {
      error = thrown;
    }
  }
  assert.equal(error.code, "panicked");
  assert(error.cause instanceof WebAssembly.RuntimeError, `${error.cause}`);
  await assert.rejects(watch, { code: "panicked" });
  assert.throws(() => victim.now, { code: "panicked" });
  await assert.rejects(victim.fetch("/v1/kv/a"), { code: "panicked" });
  await assert.rejects(
    (async () => {
      for await (const event of stream) void event;
    })(),
    { code: "panicked" },
  );
  victim.free();

  assert.equal(other.get("a").text, "1");
  other.advance("10s");
  const fresh = await Consul.create({ wasm: module });
  assert(fresh.put("a", "2").ok);
  other.free();
  fresh.free();
  globalThis.gc();
  await new Promise(setImmediate);
});

test("the WebAssembly can be given as bytes, a module, a response or a promise of one", async () => {
  const bytes = await readFile(wasmFile);
  const response = () => new Response(bytes, { headers: { "content-type": "application/wasm" } });
  const untyped = () => new Response(bytes);
  for (const wasm of [
    bytes,
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    WebAssembly.compile(bytes),
    response(),
    untyped(),
    Promise.resolve(response()),
  ]) {
    const consul = await Consul.create({ wasm });
    assert.equal(consul.now, 0);
    consul.free();
  }
});

test("what is no WebAssembly is an error that says what to do", async () => {
  const sources = [
    () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } }),
    () => new Response("", { status: 404 }),
    () => new Uint8Array([1, 2, 3]),
    () => Promise.reject(new Error("offline")),
    () => "http://127.0.0.1:1/lictor.wasm",
  ];
  for (const source of sources) {
    await assert.rejects(
      Consul.create({ wasm: source() }),
      (error) => error.code === "not-loaded" && /lictor\/inline/.test(error.message),
    );
  }
});

test("the inline entry needs no file", async () => {
  const consul = await inline.Consul.create({ seed: 3 });
  const other = await Consul.create({ seed: 3 });
  assert.equal(consul.createSession(), other.createSession());
  assert.equal(inline.LictorError, (await import("lictor")).LictorError);
  consul.free();
  other.free();
});

test("in real time, timers fire by themselves and a watch ends", async () => {
  const consul = await Consul.create({ sessionTtlMin: "1ms" });
  consul.createSession({ ttl: "20ms" });
  const clock = consul.realTime();
  consul.put("a", "1");
  const started = performance.now();
  const answer = await consul.fetch(`/v1/kv/a?index=${consul.index}&wait=60ms`);
  const took = performance.now() - started;
  assert.equal(answer.status, 200);
  assert(took >= 55 && took < 5_000, `${took} ms`);
  assert.deepEqual(consul.sessions(), []);
  const before = consul.now;
  consul.advance("1h");
  assert(consul.now >= before + 3_600_000);
  clock.stop();
  const stopped = consul.now;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(consul.now, stopped);
  consul.free();
});

/** A server whose clock follows one that the test sets. */
async function followed() {
  const consul = await Consul.create();
  const clock = { millis: 0, timers: 0 };
  const options = {
    monotonic: () => clock.millis,
    setTimeout: () => (clock.timers += 1),
    clearTimeout: () => {},
  };
  return { consul, clock, options, realTime: consul.realTime({ clock: options }) };
}

test("stop() settles what fell due in real time before it", async () => {
  const { consul, clock, realTime } = await followed();
  consul.createSession({ ttl: "10s" });
  const seen = [];
  consul.subscribe((event) => seen.push(event.kind));
  const waiting = consul.fetch("/v1/kv/a?index=100&wait=10s");
  clock.millis = 25_000;
  realTime.stop();
  assert.equal((await waiting).status, 404);
  assert.deepEqual(consul.sessions(), []);
  assert(seen.includes("session-ended"), `${seen}`);
  clock.millis = 90_000;
  assert.equal(consul.now, 25_000);
  realTime.stop();
  consul.free();
  realTime.stop();
});

test("every look at a server is at the present time, with what follows from it", async () => {
  for (const look of ["now", "index", "nextDeadline", "save", "advanceToNext", "events"]) {
    const { consul, clock } = await followed();
    const session = consul.createSession({ ttl: "10s" });
    consul.acquire("a", "", session);
    const waiting = consul.fetch(`/v1/kv/a?index=${consul.index}&wait=60s`);
    clock.millis = 20_500;
    const found = typeof consul[look] === "function" ? consul[look]() : consul[look];
    assert.equal((await waiting).status, 200, `${look}: the watch is answered`);
    if (look === "now") assert.equal(found, 20_500);
    // The session has ended, so that the lock-delay is next, which ends 15 s later.
    const lockDelay = { at: 35_000, reason: { kind: "lock-delay", key: "a" } };
    if (look === "nextDeadline") assert.deepEqual(found, lockDelay);
    if (look === "advanceToNext") assert.deepEqual([found.at, consul.now], [35_000, 35_000]);
    consul.free();
  }
});

test("a clock that goes back, or is no number for a moment, lets no time pass and counts from there", async () => {
  const { consul, clock } = await followed();
  for (const [millis, now] of [
    [1_000, 1_000],
    [400, 1_000],
    [900, 1_500],
    [NaN, 1_500],
    [1_000, 1_500],
    [1_200, 1_700],
  ]) {
    clock.millis = millis;
    assert.equal(consul.now, now, `at ${millis}`);
  }
  consul.free();
});

test("realTime() again follows the new clock and loses no time of the one before", async () => {
  const { consul, clock } = await followed();
  clock.millis = 3_000;
  const other = { millis: 70 };
  const again = consul.realTime({ clock: { monotonic: () => other.millis } });
  assert.equal(consul.now, 3_000);
  clock.millis = 9_000;
  other.millis = 570;
  assert.equal(consul.now, 3_500);
  again.stop();
  assert.throws(() => consul.realTime({ clock: { now: Date.now } }), { code: "invalid-argument" });
  assert.throws(() => consul.realTime({ clock: { monotonic: 5 } }), { code: "invalid-argument" });
  consul.free();
});
