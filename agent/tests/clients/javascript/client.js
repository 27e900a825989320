// The npm package `consul` against an agent whose address is the first argument: sessions, keys,
// check-and-set, locks, a semaphore as Consul's guide builds it, transactions, watches. The agent runs
// with a manual clock, which only this program advances.

import assert from "node:assert/strict";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

import Consul from "consul";

// ANCHOR: connect
const [host, port] = process.argv[2].split(":");
const consul = new Consul({ host, port: Number(port) });

const clock = `http://${process.argv[2]}/lictor/clock`;
const advance = async (span) => {
  const answer = await fetch(`${clock}?advance=${span}`, { method: "PUT" });
  assert.ok(answer.ok, `advance: ${answer.status}`);
};
// ANCHOR_END: connect
const untilOneQueryWaits = async () => {
  for (let tries = 0; tries < 500; tries++) {
    if ((await (await fetch(clock)).json()).Waiting === 1) return;
    await pause(20);
  }
  assert.fail("no query waits after 10 s");
};

const newSession = async (options) => (await consul.session.create(options)).ID;
/** A write's answer; the package gives undefined for `false`. */
const set = async (options) => Boolean(await consul.kv.set(options));
const encoded = (text) => Buffer.from(text).toString("base64");

/** One try to take a slot of the guide's semaphore. */
async function enter(prefix, session, limit) {
  const pairs = await consul.kv.get({ key: prefix, recurse: true });
  const document = pairs.find((pair) => pair.Key === `${prefix}.lock`);
  const state = document ? JSON.parse(document.Value) : { Limit: limit, Holders: [] };
  state.Holders = state.Holders.filter((id) => pairs.some((pair) => pair.Session === id));
  if (state.Holders.length >= state.Limit) return false;
  state.Holders.push(session);
  const cas = String(document?.ModifyIndex ?? 0);
  return set({ key: `${prefix}.lock`, value: JSON.stringify(state), cas });
}

const checks = {
  async "a session lives, is renewed and ends"() {
    const id = await newSession({ name: "web", ttl: "30s", behavior: "delete", lockdelay: "5s" });
    const info = await consul.session.get(id);
    assert.deepEqual([info.Name, info.TTL, info.Behavior], ["web", "30s", "delete"]);
    assert.equal(info.LockDelay, 5e9);
    assert.equal((await consul.session.renew(id))[0].ID, id);
    assert.ok((await consul.session.list()).some((it) => it.ID === id));
    assert.ok((await consul.session.node(info.Node)).some((it) => it.ID === id));
    await consul.session.destroy(id);
    assert.equal(await consul.session.get(id), undefined);
    await assert.rejects(consul.session.renew(id), { statusCode: 404 });
  },

  async "keys are written, listed and deleted"() {
    assert.equal(await set({ key: "app/b ö/c", value: "<&>ö", flags: 42 }), true);
    assert.equal(await set({ key: "app/a", value: "1" }), true);
    const pair = await consul.kv.get("app/b ö/c");
    assert.deepEqual([pair.Value, pair.Flags], ["<&>ö", 42]);
    assert.equal(String(await consul.kv.get({ key: "app/b ö/c", raw: true })), "<&>ö");
    assert.deepEqual(await consul.kv.keys("app/"), ["app/a", "app/b ö/c"]);
    assert.deepEqual(await consul.kv.keys({ key: "app/", separator: "/" }), ["app/a", "app/b ö/"]);
    await consul.kv.del({ key: "app/", recurse: true });
    assert.equal(await consul.kv.get("app/a"), undefined);
  },

  async "check-and-set takes the index that was read"() {
    assert.equal(await set({ key: "cas", value: "1", cas: "0" }), true);
    assert.equal(await set({ key: "cas", value: "1", cas: "0" }), false);
    const cas = String((await consul.kv.get("cas")).ModifyIndex);
    assert.equal(await set({ key: "cas", value: "2", cas }), true);
    assert.ok(!(await consul.kv.del({ key: "cas", cas })));
  },

  // ANCHOR: lock
  async "one session holds a lock, until its delay is over"() {
    const [one, two] = [await newSession({ lockdelay: "1s" }), await newSession({})];
    assert.equal(await set({ key: "lock", value: "one", acquire: one }), true);
    assert.equal(await set({ key: "lock", value: "two", acquire: two }), false);
    const pair = await consul.kv.get("lock");
    assert.deepEqual([pair.Session, pair.LockIndex], [one, 1]);
    await consul.session.destroy(one);
    await advance("999ms");
    assert.equal(await set({ key: "lock", value: "two", acquire: two }), false);
    await advance("1ms");
    assert.equal(await set({ key: "lock", value: "two", acquire: two }), true);
    assert.equal(await set({ key: "lock", value: "", release: two }), true);
  },
  // ANCHOR_END: lock

  async "a semaphore admits as many as its limit"() {
    const sessions = [];
    for (let slot = 0; slot < 3; slot++) {
      const acquire = await newSession({ behavior: "delete" });
      sessions.push(acquire);
      assert.equal(await set({ key: `slots/${acquire}`, value: "", acquire }), true);
    }
    const admitted = [];
    for (const session of sessions) admitted.push(await enter("slots/", session, 2));
    assert.deepEqual(admitted, [true, true, false]);
    await consul.session.destroy(sessions[0]);
    assert.equal(await enter("slots/", sessions[2], 2), true);
  },

  async "a transaction is done as a whole or not at all"() {
    const write = (Key) => ({ KV: { Verb: "set", Key, Value: encoded("v") } });
    const get = { KV: { Verb: "get", Key: "txn/a" } };
    const done = await consul.transaction.create([write("txn/a"), write("txn/b"), get]);
    assert.equal(done.Errors, null);
    assert.equal(done.Results[2].KV.Value, encoded("v"));
    const absent = { KV: { Verb: "check-not-exists", Key: "txn/a" } };
    const refused = consul.transaction.create([write("txn/c"), absent]);
    await assert.rejects(refused, { statusCode: 409 });
    assert.equal(await consul.kv.get("txn/c"), undefined);
  },

  async "a watch sees each change and nothing else"() {
    await consul.kv.set("watch", "1");
    const watch = consul.watch({ method: consul.kv.get, options: { key: "watch", wait: "20s" } });
    const next = async () => (await once(watch, "change", { signal: AbortSignal.timeout(15e3) }))[0];
    assert.equal((await next()).Value, "1");
    const changed = next();
    await untilOneQueryWaits();
    await consul.kv.set("elsewhere", "1");
    await consul.kv.set("watch", "2");
    assert.equal((await changed).Value, "2");
    watch.end();
  },

  async "the catalog and the agent answer"() {
    assert.equal((await consul.agent.self()).Config.NodeName, "n1");
    assert.deepEqual((await consul.catalog.node.list()).map((it) => it.Node), ["n1"]);
    assert.deepEqual(await consul.catalog.datacenters(), ["dc1"]);
    assert.ok(await consul.status.leader());
    assert.equal((await consul.health.node("n1"))[0].Status, "passing");
  },
};

let failed = 0;
for (const [name, check] of Object.entries(checks)) {
  try {
    await check();
    console.log(`test ${name} ... ok`);
  } catch (error) {
    failed++;
    console.log(`test ${name} ... FAILED: ${error.message}`);
  }
}
const passed = Object.keys(checks).length - failed;
console.log(`test result: ${failed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed;`);
process.exit(failed ? 1 : 0);
