// The engine as JavaScript sees it: time, locks, reasons, errors, saved servers. The packed package is
// under test, as it is installed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Consul, LictorError } from "lictor";

/** @param {string} code */
const withCode = (code) => (/** @type {unknown} */ error) =>
  error instanceof LictorError && error.code === code;

test("the lock of a client that crashed can be taken after twice its TTL and the lock-delay", async () => {
  const consul = await Consul.create();
  const first = consul.createSession({ ttl: "10s" });
  assert(consul.acquire("db/leader", "web-1", first).ok);

  consul.advance(20_000);
  assert.equal(consul.session(first), null);
  const second = consul.createSession({ ttl: 10_000 });
  const refused = consul.acquire("db/leader", "web-2", second);
  assert.equal(refused.ok, false);
  assert.deepEqual(refused.reason, {
    kind: "lock-delay",
    until: 35_000,
    armed: refused.reason.armed,
    session: first,
    cause: { kind: "ttl-expired" },
  });
  assert.match(refused.text, /^false: lock-delay until 35\.000s/);

  consul.advance("15s");
  assert(consul.acquire("db/leader", "web-2", second).ok);
  assert.equal(consul.get("db/leader").session, second);
  assert.equal(consul.get("db/leader").text, "web-2");
  consul.free();
});

test("time passes only by advance, and the next deadline has a reason", async () => {
  const consul = await Consul.create();
  assert.equal(consul.now, 0);
  assert.equal(consul.nextDeadline, null);
  assert.equal(consul.advanceToNext(), null);
  const session = consul.createSession({ ttl: "10s" });
  const next = { at: 20_000, reason: { kind: "session-ttl", session } };
  assert.deepEqual(consul.nextDeadline, next);
  consul.advance(0.5);
  assert.equal(consul.now, 0.5);
  assert.deepEqual(consul.advanceToNext(), next);
  assert.equal(consul.now, 20_000);
  assert.deepEqual(consul.sessions(), []);
  consul.free();
});

test("the Flags of Go's lock are exact", async () => {
  const consul = await Consul.create();
  consul.put("lock", "", { flags: 3304740253564472344n });
  assert.equal(consul.get("lock").flags, 3304740253564472344n);
  const response = await consul.fetch("/v1/kv/lock");
  assert.match(await response.text(), /"Flags":3304740253564472344,/);
  consul.put("lock", "", { flags: 2n ** 64n - 1n });
  assert.equal(consul.get("lock").flags, 2n ** 64n - 1n);
  consul.free();
});

test("check-and-set names both indexes as numbers, also one that no server reaches", async () => {
  const consul = await Consul.create();
  assert(consul.put("config", "v1", { cas: 0 }).ok);
  const { modifyIndex } = consul.get("config");
  const refused = consul.put("config", "v2", { cas: 2n ** 63n });
  assert.deepEqual(refused.reason, {
    kind: "index-differs",
    expected: 2 ** 63,
    actual: modifyIndex,
  });
  assert(consul.put("config", "v2", { cas: modifyIndex }).ok);
  assert.equal(consul.delete("config", { cas: modifyIndex }).ok, false);
  assert(consul.delete("config").ok);
  assert.equal(consul.get("config"), null);
  consul.free();
});

test("values are bytes, and keys are listed and deleted by prefix", async () => {
  const consul = await Consul.create();
  consul.put("a/1", new Uint8Array([0, 255, 10]));
  consul.put("a/2", "é");
  consul.put("b", new DataView(new ArrayBuffer(2)));
  assert.deepEqual(
    consul.list("a/").map((entry) => [entry.key, [...entry.value]]),
    [
      ["a/1", [0, 255, 10]],
      ["a/2", [0xc3, 0xa9]],
    ],
  );
  assert(consul.deleteTree("a/").ok);
  assert.deepEqual(
    consul.list("").map((entry) => entry.key),
    ["b"],
  );
  consul.free();
});

test("the same seed and the same calls give the same ids, and another seed gives others", async () => {
  const ids = [];
  for (const seed of [1, 1n, 2, 2n ** 64n - 1n]) {
    const consul = await Consul.create({ seed });
    ids.push(consul.createSession());
    consul.free();
  }
  assert.equal(ids[0], ids[1]);
  assert.equal(new Set(ids).size, 3);
});

test("a server answers as the version of Consul that it is created with", async () => {
  const [newest, older] = [await Consul.create(), await Consul.create({ version: "1.13" })];
  assert.equal(newest.version, "1.22");
  assert.equal(older.version, "1.13");
  await assert.rejects(Consul.create({ version: "9.9" }), withCode("invalid-argument"));
});

test("options name the node, the datacenter and the shortest TTL", async () => {
  const consul = await Consul.create({ node: "db-1", datacenter: "eu", sessionTtlMin: "1s" });
  const session = consul.createSession({
    ttl: "1s",
    name: "s",
    lockDelay: 500,
    behavior: "delete",
    nodeChecks: [],
  });
  const { node, ttl, name, lockDelay, behavior, checks } = consul.session(session);
  assert.deepEqual(
    { node, ttl, name, lockDelay, behavior, checks },
    { node: "db-1", ttl: "1s", name: "s", lockDelay: 500, behavior: "delete", checks: [] },
  );
  assert.deepEqual(await (await consul.fetch("/v1/catalog/datacenters")).json(), ["eu"]);
  consul.free();
});

test("Consul's refusals are errors with its status, its text and a reason", async () => {
  const consul = await Consul.create();
  const thrown = (/** @type {() => void} */ action) => {
    try {
      action();
    } catch (error) {
      return error;
    }
  };
  const short = thrown(() => consul.createSession({ ttl: "1s" }));
  assert.equal(short.code, "invalid-ttl");
  const answer = await consul.fetch("/v1/session/create", { method: "PUT", body: '{"TTL":"1s"}' });
  assert.deepEqual([short.status, short.message], [answer.status, await answer.text()]);
  const ended = consul.createSession();
  consul.destroySession(ended);
  const error = thrown(() => consul.acquire("a", "", ended));
  assert.equal(error.code, "invalid-session");
  assert.equal(error.status, 500);
  assert.equal(error.reason.kind, "session-ended");
  assert.deepEqual(error.reason.cause, { kind: "destroyed" });
  assert.equal(thrown(() => consul.renewSession(ended)).code, "session-not-found");
  assert.equal(thrown(() => consul.put("", "x")).code, "refused");
  consul.free();
});

test("a failover starts the TTLs again", async () => {
  const consul = await Consul.create();
  consul.createSession({ ttl: "10s" });
  consul.advance("15s");
  consul.failOver();
  assert.equal(consul.nextDeadline.at, 35_000);
  consul.free();
});

test("a saved server continues where it was, and its bytes are checked", async () => {
  const consul = await Consul.create({ seed: 9 });
  const session = consul.createSession({ ttl: "10s" });
  consul.acquire("a", "x", session);
  consul.advance(1_500);
  const saved = consul.save();
  const loaded = await Consul.load(saved);
  assert.equal(loaded.now, 1_500);
  assert.deepEqual(loaded.nextDeadline, consul.nextDeadline);
  assert.equal(loaded.createSession(), consul.createSession());
  assert.deepEqual(loaded.get("a"), consul.get("a"));
  for (const bad of [
    new Uint8Array(),
    saved.slice(0, -1),
    Uint8Array.from(saved, (byte, at) => (at === 30 ? byte ^ 1 : byte)),
  ]) {
    await assert.rejects(Consul.load(bad), withCode("unreadable"));
  }
  await assert.rejects(Consul.load(/** @type {any} */ ("text")), withCode("invalid-argument"));
  consul.free();
  loaded.free();
});

test("wrong arguments are typed errors and change nothing", async () => {
  const consul = await Consul.create();
  const session = consul.createSession();
  const before = [consul.save(), consul.now];
  const odd = [undefined, null, 5, Symbol("s"), {}, [], () => {}, true];
  for (const value of odd) {
    const given = /** @type {any} */ (value);
    const calls = [
      () => consul.get(given),
      () => consul.put(given, ""),
      () => consul.put("a", given),
      () => consul.acquire("a", "", given),
      () => consul.renewSession(given),
      () => consul.session(given),
      () => consul.list(given),
    ];
    if (given !== 5)
      calls.push(
        () => consul.advance(given),
        () => consul.put("a", "", { flags: given ?? null }),
      );
    if (given !== undefined)
      calls.push(() => consul.createSession({ ttl: given === 5 ? null : given }));
    for (const call of calls)
      assert.throws(call, withCode("invalid-argument"), `${String(value)} in ${call}`);
  }
  for (const time of [-1, NaN, Infinity, 1e300, "10", "-5s", ""]) {
    assert.throws(() => consul.advance(time), withCode("invalid-argument"), `${time}`);
  }
  for (const flags of [-1, 1.5, 2 ** 53, -1n, 2n ** 64n]) {
    assert.throws(() => consul.put("a", "", { flags }), withCode("invalid-argument"), `${flags}`);
  }
  assert.throws(
    () => consul.createSession(/** @type {any} */ ({ lockdelay: "1s" })),
    /there is no option lockdelay, only .*lockDelay/,
  );
  assert.throws(
    () => consul.createSession(/** @type {any} */ ("10s")),
    withCode("invalid-argument"),
  );
  assert.throws(() => consul.subscribe(/** @type {any} */ (5)), withCode("invalid-argument"));
  assert.throws(
    () => new Consul(/** @type {any} */ ({}), /** @type {any} */ ({}), new URL("http://a")),
    withCode("invalid-argument"),
  );
  await assert.rejects(
    Consul.create(/** @type {any} */ ({ port: 8500 })),
    withCode("invalid-argument"),
  );
  await assert.rejects(Consul.create({ address: "nowhere" }), withCode("invalid-argument"));
  assert.deepEqual([consul.save(), consul.now], before);
  assert(consul.session(session));
  consul.free();
});
