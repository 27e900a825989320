// Events: listeners and streams, typed reasons, order.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Consul } from "lictor";

test("events have a time, an index and a typed reason", async () => {
  const consul = await Consul.create();
  const session = consul.createSession({ ttl: "10s" });
  consul.acquire("a", "x", session);
  const events = [];
  const stop = consul.subscribe((event) => events.push(event));
  consul.advance("20s");
  assert.deepEqual(
    events.map((event) => event.kind),
    ["timer-fired", "logged", "session-ended", "lock-delay-started", "key-written"],
  );
  const [fired, , ended, delay, released] = events;
  assert.deepEqual(fired.reason, { kind: "session-ttl", session });
  assert.deepEqual(
    [ended.at, ended.reason, ended.held, ended.session.id],
    [20_000, { kind: "ttl-expired" }, ["a"], session],
  );
  assert.deepEqual([delay.key, delay.until, delay.reason], ["a", 35_000, { kind: "ttl-expired" }]);
  assert.deepEqual([released.before.session, released.entry.session], [session, null]);
  stop();
  consul.put("b", "");
  assert.equal(events.length, 5);
  consul.free();
});

test("a refused request and an answered watch say why", async () => {
  const consul = await Consul.create();
  const [first, second] = [consul.createSession(), consul.createSession()];
  consul.acquire("a", "x", first);
  const watch = consul.fetch(`/v1/kv/a?index=${consul.index}`);
  const events = [];
  consul.subscribe((event) => events.push(event));
  await consul.fetch(`/v1/kv/a?acquire=${second}`, { method: "PUT" });
  const refused = events.find((event) => event.kind === "answered");
  assert.deepEqual(refused.reason, {
    kind: "held-by",
    holder: first,
    since: consul.get("a").modifyIndex,
  });
  consul.put("a", "y");
  await watch;
  const wakes = events
    .filter((event) => event.kind === "answered" && event.wake)
    .map((event) => event.wake);
  assert.deepEqual(wakes, [{ kind: "changed", key: "a" }]);
  consul.free();
});

test("a stream gives the events from its creation on, and ends with the server", async () => {
  const consul = await Consul.create();
  consul.put("before", "");
  const stream = consul.events();
  const keys = [];
  const reading = (async () => {
    for await (const event of stream) if (event.kind === "key-written") keys.push(event.entry.key);
  })();
  consul.put("a", "");
  await new Promise(setImmediate);
  consul.put("b", "");
  consul.put("c", "");
  consul.free();
  await reading;
  assert.deepEqual(keys, ["a", "b", "c"]);
});

test("a stream that is left stops collecting", async () => {
  const consul = await Consul.create();
  queueMicrotask(() => consul.put("a", ""));
  for await (const event of consul) {
    assert.equal(event.kind, "requested");
    break;
  }
  consul.put("b", "");
  const stream = consul.events();
  assert.deepEqual(await stream.return(), { value: undefined, done: true });
  assert.deepEqual(await stream.next(), { value: undefined, done: true });
  consul.free();
});

test("a listener may act, and listeners see all events in order", async () => {
  const consul = await Consul.create();
  const seen = [];
  consul.subscribe((event) => {
    if (event.kind === "key-written" && event.entry.key === "a") consul.put("b", "");
  });
  consul.subscribe((event) => {
    if (event.kind === "key-written") seen.push(event.entry.key);
  });
  consul.put("a", "");
  assert.deepEqual(seen, ["a", "b"]);
  consul.free();
});

test("the error of a listener is not that of the caller", async () => {
  const consul = await Consul.create();
  const errors = [];
  process.setUncaughtExceptionCaptureCallback((error) => errors.push(error.message));
  const seen = [];
  const stop = consul.subscribe(() => {
    stop();
    throw new Error("of the listener");
  });
  consul.subscribe((event) => seen.push(event.kind));
  assert(consul.put("a", "").ok);
  await new Promise(setImmediate);
  process.setUncaughtExceptionCaptureCallback(null);
  assert.deepEqual(errors, ["of the listener"]);
  assert(seen.includes("key-written"));
  consul.free();
});
