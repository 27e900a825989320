// Servers that answer the requests of the program itself: `consul.install`, and the handler for msw.
// XMLHttpRequest exists in browsers only: browser.test.mjs tests it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Consul } from "lictor";
import { lock } from "lictor/client";
import { handler } from "lictor/msw";
import { setupServer } from "msw/node";

const { fetch: original } = globalThis;

test("an installed server answers fetch for its origin, until it is uninstalled", async () => {
  const consul = await Consul.create();
  const uninstall = consul.install({ origin: "http://consul.test:8500" });
  const put = await fetch("http://consul.test:8500/v1/kv/a", { method: "PUT", body: "1" });
  assert.equal(await put.text(), "true");
  const request = new Request(new URL("http://consul.test:8500/v1//kv/a"));
  const read = await fetch(request);
  assert.equal(read.url, "http://consul.test:8500/v1/kv/a", "a redirect stays at the origin");
  assert.equal((await read.json())[0].Key, "a");
  const controller = new AbortController();
  const watch = fetch(`http://consul.test:8500/v1/kv/a?index=${consul.index}`, {
    signal: controller.signal,
  });
  assert.equal(consul.nextDeadline.reason.kind, "blocking-query");
  controller.abort();
  await assert.rejects(watch, { name: "AbortError" });
  assert.equal(consul.nextDeadline, null);
  await assert.rejects(fetch("http://127.0.0.1:1/"), TypeError, "others are sent");
  await assert.rejects(fetch("nonsense"), TypeError);
  uninstall();
  uninstall();
  assert.equal(globalThis.fetch, original);
  consul.free();
});

test("two servers are installed for two origins, and freeing one uninstalls it", async () => {
  const [one, two] = [await Consul.create(), await Consul.create()];
  one.install();
  two.install({ origin: new URL("http://two.test") });
  assert.throws(() => two.install(), { code: "invalid-argument" }, "the origin is taken");
  one.put("a", "one");
  two.put("a", "two");
  const read = async (/** @type {string} */ origin) =>
    (await fetch(`${origin}/v1/kv/a?raw`)).text();
  assert.deepEqual(
    [await read("http://localhost:8500"), await read("http://two.test")],
    ["one", "two"],
  );
  one.free();
  assert.notEqual(globalThis.fetch, original);
  assert.equal(await read("http://two.test"), "two");
  two.free();
  assert.equal(globalThis.fetch, original);
  assert.throws(() => two.install(), { code: "closed" });
});

test("what was wrapped around an installed fetch keeps working after it", async () => {
  const consul = await Consul.create();
  const uninstall = consul.install();
  const { fetch: installed } = globalThis;
  const wrapped = (/** @type {Parameters<typeof fetch>} */ ...given) => installed(...given);
  globalThis.fetch = wrapped;
  uninstall();
  assert.equal(globalThis.fetch, wrapped);
  await assert.rejects(fetch("http://127.0.0.1:1/"), TypeError);
  globalThis.fetch = original;
  consul.free();
});

test("origins that are none are typed errors", async () => {
  const consul = await Consul.create();
  const origins = ["nowhere", "data:text/plain,a", "http://a/b", "http://a/?c", 5, null];
  for (const origin of origins) {
    assert.throws(() => consul.install(/** @type {any} */ ({ origin })), {
      code: "invalid-argument",
    });
  }
  assert.throws(() => consul.install(/** @type {any} */ ({ orgin: "http://a" })), {
    code: "invalid-argument",
  });
  assert.equal(globalThis.fetch, original);
  consul.free();
});

test("lictor/client uses an installed server without knowing of it", async () => {
  const consul = await Consul.create();
  const clock = consul.realTime();
  consul.install({ origin: "http://127.0.0.1:8500" });
  const held = await lock("a", { ttl: "10s", value: "web-1" });
  assert.equal(consul.get("a").text, "web-1");
  await held.release();
  clock.stop();
  consul.free();
});

test("the handler for msw answers fetch and node:http, and cancels what is aborted", async () => {
  const consul = await Consul.create({ address: "http://consul.test:8500" });
  const server = setupServer(handler(consul));
  server.listen({ onUnhandledRequest: "error" });
  const put = await fetch(`${consul.address}/v1/kv/a`, { method: "PUT", body: "1" });
  assert.equal(await put.text(), "true");
  const { default: Client } = await import("consul");
  const client = new Client({ host: "consul.test", port: 8500 });
  assert.equal((await client.kv.get("a")).Value, "1");
  const controller = new AbortController();
  const watch = fetch(`${consul.address}/v1/kv/a?index=${consul.index}`, {
    signal: controller.signal,
  });
  for (let tries = 0; !consul.nextDeadline && tries < 100; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.equal(consul.nextDeadline.reason.kind, "blocking-query");
  controller.abort();
  await assert.rejects(watch);
  assert.equal(consul.nextDeadline, null);
  server.close();
  assert.throws(() => handler(/** @type {any} */ (5)), { code: "invalid-argument" });
  consul.free();
});
