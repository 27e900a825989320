// The fake timers of node:test with a server in memory and the lock of lictor/client, in the order that
// js/README.md describes. Those of Vitest are tested in js/bundlers/vitest.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Consul } from "lictor";
import { lock } from "lictor/client";

// `mock.timers` does not replace `performance.now()`, which is read otherwise.
const clock = { monotonic: () => Date.now() };

/** Advances the fake time in steps; after each step, the promises that it has settled are handled. */
async function advance(t, millis) {
  for (let passed = 0; passed < millis; passed += 500) {
    t.mock.timers.tick(500);
    await new Promise(setImmediate);
  }
}

test("under node:test's fake timers a server and its clients have one clock", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const consul = await Consul.create();
  const realTime = consul.realTime({ clock });
  const reach = { address: consul.address, fetch: consul.fetch, clock };
  const held = await lock("a", { ...reach, value: "first", ttl: "10s" });
  await advance(t, 3_600_000);
  assert.equal(consul.now, 3_600_000);
  assert.equal(held.isHeld, true, "it was renewed for an hour");

  // The session of a client that is never seen again.
  const crashed = consul.createSession({ ttl: "10s" });
  consul.acquire("b", "crashed", crashed, { flags: 3304740253564472344n });
  const waiting = lock("b", { ...reach, ttl: "10s" });
  let isHeld = false;
  void waiting.then(() => (isHeld = true));
  await advance(t, 34_500);
  assert.deepEqual([isHeld, consul.get("b").session], [false, null], "its lock-delay");
  await advance(t, 5_500);
  assert.equal(isHeld, true);
  await (await waiting).release();
  await held.release();
  realTime.stop();
  consul.free();
});

test("the end of an earlier realTime() does not stop a later one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout", "Date"] });
  const consul = await Consul.create();
  const earlier = consul.realTime({ clock });
  const later = consul.realTime({ clock });
  earlier.stop();
  await advance(t, 5_000);
  assert.equal(consul.now, 5_000);
  later.stop();
  await advance(t, 5_000);
  assert.equal(consul.now, 5_000);
  consul.free();
});

test("without realTime(), fake timers and the clock of a server are advanced one after the other", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const consul = await Consul.create();
  const session = consul.createSession({ ttl: "10s" });
  let renewals = 0;
  const renew = () => {
    consul.renewSession(session);
    renewals += 1;
    setTimeout(renew, 5_000);
  };
  setTimeout(renew, 5_000);
  for (let second = 0; second < 60; second += 1) {
    t.mock.timers.tick(1_000);
    consul.advance("1s");
  }
  assert.equal(renewals, 12);
  assert.notEqual(consul.session(session), null);
  consul.free();
});
