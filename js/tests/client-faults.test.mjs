// What `lictor/client` promises on networks with faults and with code of its user that fails. Each
// test is named by its promise. The server is in memory in real time, behind a TCP proxy with faults.

import assert from "node:assert/strict";
import { connect, createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { Consul } from "lictor";
import { elect, lock, semaphore } from "lictor/client";
import { serve } from "lictor/node";

/** A server at a port behind a proxy, whose connections can die in silence. */
async function network(t) {
  const consul = await Consul.create({ sessionTtlMin: "10ms" });
  const clock = consul.realTime();
  const port = await serve(consul);
  const pairs = new Set();
  const proxy = { isSilent: false, connections: 0 };
  const listener = createServer((client) => {
    proxy.connections += 1;
    const pair = { client, upstream: connect(port.port, port.host), isDead: proxy.isSilent };
    pairs.add(pair);
    const ends = [pair.client, pair.upstream];
    const drop = () => {
      for (const end of ends) end.destroy();
      pairs.delete(pair);
    };
    for (const [from, to] of [ends, ends.toReversed()]) {
      from.on("error", drop).on("close", drop);
      from.on("data", (data) => {
        if (!pair.isDead && !to.destroyed) to.write(data);
      });
    }
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", () => resolve(undefined)));
  t.after(async () => {
    for (const { client, upstream } of pairs) for (const end of [client, upstream]) end.destroy();
    listener.close();
    await port.close();
    clock.stop();
    consul.free();
  });
  return {
    consul,
    proxy,
    address: `http://127.0.0.1:${listener.address().port}`,
    direct: port.address,
    /** All connections stay open and carry nothing any more; those to come do so if `isSilent`. */
    silence: (isSilent) => {
      proxy.isSilent = isSilent;
      for (const pair of pairs) pair.isDead = true;
    },
  };
}

const until = async (check, millis = 5_000) => {
  for (const end = performance.now() + millis; !check(); await sleep(5))
    assert(performance.now() < end, `in time: ${check}`);
};

const isClean = ({ consul }) => consul.sessions().length === 0;

/** The kind of a request of the client. */
function kindOf(url, { method }) {
  const found = /(create|renew|destroy|acquire=|release=|index=)/.exec(url)?.[0];
  return found?.replace("index=", "watch").replace("=", "") ?? method;
}

/** `fetch` with a function that may answer in its place. */
const answering = (answer) => {
  const counts = {};
  return (url, init) => {
    const kind = kindOf(String(url), init);
    counts[kind] = (counts[kind] ?? 0) + 1;
    return answer(kind, counts[kind], init) ?? fetch(url, init);
  };
};

const never = (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

test("an abort counts before the call and in its tick", async (t) => {
  const { consul, address, proxy } = await network(t);
  const early = new Error("early");
  await assert.rejects(lock("a", { address, signal: AbortSignal.abort(early) }), early);
  const controller = new AbortController();
  const waiting = lock("a", { address, signal: controller.signal });
  controller.abort(new Error("mine"));
  await assert.rejects(waiting, { message: "mine" });
  assert.equal(proxy.connections, 0);
  assert.equal(consul.get("a"), null);
});

test("an abort while waiting rejects at once, and its session is destroyed", async (t) => {
  const net = await network(t);
  const held = await lock("a", { address: net.address });
  const controller = new AbortController();
  const waiting = lock("a", { address: net.address, signal: controller.signal });
  await until(() => net.consul.sessions().length === 2);
  controller.abort(new Error("mine"));
  await assert.rejects(waiting, { message: "mine" });
  await until(() => net.consul.sessions().length === 1);
  await held.release();
  assert(isClean(net));
});

test("an abort on a dead network rejects at once", async (t) => {
  const net = await network(t);
  const held = await lock("a", { address: net.direct });
  const controller = new AbortController();
  const options = { address: net.address, signal: controller.signal, requestTimeout: "400ms" };
  const waiting = lock("a", options);
  await until(() => net.consul.sessions().length === 2);
  net.silence(true);
  const began = performance.now();
  controller.abort(new Error("mine"));
  await assert.rejects(waiting, { message: "mine" });
  assert(performance.now() - began < 200, "at once");
  await held.release();
});

test("an onLeader that fails while its client leads is reported once and costs nothing", async (t) => {
  const net = await network(t);
  const report = t.mock.method(console, "error", () => {});
  for (const fail of [() => assert.fail("bug"), async () => assert.fail("bug")]) {
    report.mock.resetCalls();
    let isArmed = false;
    const onLeader = () => (isArmed ? fail() : undefined);
    const held = await elect("a", { address: net.address, value: "first", onLeader });
    await sleep(50);
    isArmed = true;
    for (const value of ["second", "third"]) {
      net.consul.put("a", value);
      await sleep(100);
    }
    assert.equal(held.isHeld, true);
    assert.equal(report.mock.callCount(), 1);
    await held.release();
    assert(isClean(net));
  }
});

test("an onLeader that fails while its client waits ends the wait with its error", async (t) => {
  const net = await network(t);
  const { address } = net;
  const held = await elect("a", { address, value: "first" });
  for (const onLeader of [() => assert.fail("bug"), async () => assert.fail("bug")])
    await assert.rejects(elect("a", { address, onLeader }), { message: "bug" });
  await until(() => net.consul.sessions().length === 1);
  await held.release();
});

test("an onLeader that aborts the wait and throws makes no unhandled rejection", async (t) => {
  const net = await network(t);
  const { address } = net;
  t.mock.method(console, "error", () => {});
  const unhandled = t.mock.fn();
  process.on("unhandledRejection", unhandled);
  t.after(() => process.off("unhandledRejection", unhandled));
  const held = await elect("a", { address, value: "first" });
  const controller = new AbortController();
  const onLeader = () => {
    controller.abort(new Error("mine"));
    throw new Error("bug");
  };
  const waiting = elect("a", { address, signal: controller.signal, onLeader });
  await assert.rejects(waiting, { message: "mine" });
  await held.release();
  await until(() => isClean(net));
  assert.equal(unhandled.mock.callCount(), 0);
});

test("failures that may pass are repeated without a loss", async (t) => {
  const net = await network(t);
  const kinds = ["renew", "watch", "GET", "acquire", "release", "destroy"];
  await Promise.all(
    [408, 429, 500, 503, 504, "reset"].map(async (status) => {
      const answer = (kind, count) => {
        if (count > 1 || !kinds.includes(kind)) return undefined;
        if (status === "reset") throw new TypeError("fetch failed");
        return new Response("x", { status });
      };
      const options = { address: net.address, ttl: "2s", fetch: answering(answer) };
      const held = await lock(`key-${status}`, options);
      await sleep(1_600);
      assert.equal(held.isHeld, true, `after ${status}`);
      await held.release();
    }),
  );
  assert(isClean(net));
});

test("other failures of the watch are repeated as often as monitorRetries says", async (t) => {
  const { address } = await network(t);
  const answer = (kind) => (kind === "watch" ? new Response("no", { status: 403 }) : undefined);
  const held = await lock("a", { address, fetch: answering(answer) });
  await until(() => held.signal.aborted);
  assert.equal(held.signal.reason.code, "lost");
  await held.release();
});

test("a renewal that is answered with 404 is a loss at once", async (t) => {
  const { consul, address } = await network(t);
  const answer = (kind, _, init) => (kind === "watch" ? never(kind, init) : undefined);
  const held = await lock("a", { address, ttl: "2s", lockDelay: 0, fetch: answering(answer) });
  consul.destroySession(held.fence.session);
  await until(() => held.signal.aborted, 1_500);
  assert.equal(held.isHeld, false);
  assert.equal(held.signal.reason.code, "lost");
  await held.release();
});

test("a watch that dies in silence is noticed within a TTL", async (t) => {
  const { consul, address } = await network(t);
  const answer = (kind, _, init) => (kind === "watch" ? never(kind, init) : undefined);
  const held = await lock("a", { address, ttl: "1s", fetch: answering(answer) });
  // The session lives and is renewed, but somebody else deletes the key.
  consul.delete("a");
  const began = performance.now();
  await until(() => held.signal.aborted);
  assert(performance.now() - began < 1_000, "within a TTL");
  await held.release();
});

test("a renewal on a dead connection is repeated on another", async (t) => {
  const net = await network(t);
  const held = await lock("a", { address: net.address, ttl: "1s", requestTimeout: "2s" });
  const before = net.proxy.connections;
  net.silence(false);
  await sleep(1_600);
  assert.equal(held.isHeld, true);
  assert(net.proxy.connections > before);
  await held.release();
  assert(isClean(net));
});

test("a release that is not confirmed says until when the key may stay locked", async (t) => {
  const net = await network(t);
  const options = { address: net.address, ttl: "10s", lockDelay: "1s", requestTimeout: "400ms" };
  const held = await lock("a", options);
  net.silence(true);
  const error = await held.release().catch((error) => error);
  assert.equal(error.code, "not-released");
  const left = error.lockedUntil.getTime() - Date.now();
  assert(left > 1_000 && left <= 21_000, `${left} ms: two TTLs and the lock-delay at most`);
  assert.equal(held.isHeld, false);
});

test("a plain release has the reason released", async (t) => {
  const { address } = await network(t);
  const held = await lock("a", { address });
  await Promise.all([held.release(), held.release()]);
  assert.equal(held.signal.reason.code, "released");
});

test("a clock that goes back is no error", async (t) => {
  const net = await network(t);
  let monotonic = 1e6;
  const clock = { monotonic: () => monotonic, wall: () => Date.now() };
  const held = await lock("a", { address: net.address, clock });
  monotonic = 0;
  assert.equal(held.isHeld, true);
  await held.release();
  assert(isClean(net));
});

test("the first line after a block longer than the TTL is right, by either clock", async (t) => {
  const { address } = await network(t);
  for (const late of ["monotonic", "wall"]) {
    const ahead = { monotonic: 0, wall: 0 };
    const clock = {
      monotonic: () => performance.now() + ahead.monotonic,
      wall: () => Date.now() + ahead.wall,
    };
    const held = await lock(`key-${late}`, { address, ttl: "10s", clock });
    ahead[late] = 10_000;
    assert.equal(held.signal.aborted, true, late);
    assert.equal(held.isHeld, false, late);
    await held.release();
  }
});

test("a lock-delay of zero is sent as zero, and the watch waits 30 s or watchWait", async (t) => {
  const { consul, address } = await network(t);
  for (const [options, wait] of [[{}, "30000ms"], [{ watchWait: "5s" }, "5000ms"]]) {
    const waits = [];
    const seen = (url, init) => {
      const found = /index=\d+.*wait=(\d+ms)|wait=(\d+ms).*index=\d+/.exec(String(url));
      if (found) waits.push(found[1] ?? found[2]);
      return fetch(url, init);
    };
    const held = await lock("a", { address, lockDelay: 0, fetch: seen, ...options });
    assert.equal(consul.sessions()[0].lockDelay, 0);
    await until(() => waits.length > 0);
    assert.equal(waits[0], wait);
    await held.release();
  }
});

test("options that cannot be meant are refused in the promise", async () => {
  const invalid = { name: "LictorError", code: "invalid-argument" };
  for (const refused of [
    () => lock(undefined),
    () => semaphore("a", 0),
    () => lock("a", { ttl: 0 }),
    () => lock("a", { ttl: "0s" }),
    () => lock("a", { lockdelay: 1 }),
    () => lock("a", { signal: {} }),
    () => lock("a", { clock: { now: Date.now } }),
    () => lock("a", { headers: { "a b": "c" } }),
    () => lock("a", { address: "localhost:8500" }),
    () => lock("a", { address: "http://user:secret@localhost:8500" }),
    () => lock("a", { address: "http://localhost:8500/?dc=dc1" }),
    () => lock("jobs/../payments"),
    () => lock("jobs//nightly"),
    () => lock("jobs/./nightly"),
  ])
    await assert.rejects(refused(), invalid, String(refused));
});

test("a session that already contends for the key in this process is refused", async (t) => {
  const net = await network(t);
  const { address } = net;
  const session = net.consul.createSession({ ttl: "60s" });
  const held = await lock("a", { address, session });
  await assert.rejects(lock("a", { address, session }), { code: "conflict" });
  await held.release();
  const again = await lock("a", { address, session });
  await again.release();
  assert.equal(net.consul.sessions().length, 1, "it is the caller's");
});

test("an error has the status of the answer, or the cause of its absence", async (t) => {
  const { address } = await network(t);
  const answer = (kind) => (kind === "create" ? new Response("no", { status: 403 }) : undefined);
  await assert.rejects(lock("a", { address, fetch: answering(answer) }), {
    code: "request-failed",
    status: 403,
  });
  const error = await lock("a", { address: "http://127.0.0.1:1" }).catch((error) => error);
  assert.equal(error.code, "request-failed");
  assert(error.cause instanceof Error);
});
