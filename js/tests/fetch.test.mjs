// `consul.fetch` with the standard types: bodies, headers, redirects, blocking queries, signals.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Consul } from "lictor";

test("a blocking query is a promise that the change settles", async () => {
  const consul = await Consul.create();
  await consul.fetch("/v1/kv/a", { method: "PUT", body: "1" });
  const first = await consul.fetch("/v1/kv/a");
  assert.equal(first.status, 200);
  assert.equal(first.headers.get("content-type"), "application/json");
  const index = first.headers.get("x-consul-index");
  let isAnswered = false;
  const watch = consul.fetch(`/v1/kv/a?index=${index}&wait=60s`).finally(() => (isAnswered = true));
  assert.equal(consul.nextDeadline.reason.kind, "blocking-query");
  await new Promise(setImmediate);
  assert.equal(isAnswered, false);
  consul.put("a", "2");
  const [entry] = await (await watch).json();
  assert.equal(atob(entry.Value), "2");
  consul.free();
});

test("the wait of a blocking query ends in virtual time", async () => {
  const consul = await Consul.create();
  consul.put("a", "1");
  const watch = consul.fetch(`/v1/kv/a?index=${consul.index}&wait=10s`);
  consul.advance("11s");
  const response = await watch;
  assert.equal(response.status, 200);
  assert(consul.nextDeadline === null);
  consul.free();
});

test("a signal cancels a blocking query in the engine", async () => {
  const consul = await Consul.create();
  consul.put("a", "1");
  const controller = new AbortController();
  const watch = consul.fetch(`/v1/kv/a?index=${consul.index}`, { signal: controller.signal });
  assert.equal(consul.nextDeadline.reason.kind, "blocking-query");
  controller.abort();
  assert.equal(consul.nextDeadline, null);
  await assert.rejects(watch, { name: "AbortError" });
  const reason = new Error("enough");
  await assert.rejects(consul.fetch("/v1/kv/a", { signal: AbortSignal.abort(reason) }), reason);
  const events = [];
  consul.subscribe((event) => events.push(event));
  const request = new Request("http://localhost:8500/v1/kv/b", {
    method: "PUT",
    body: "x",
    signal: AbortSignal.abort(reason),
  });
  await assert.rejects(consul.fetch(request), reason);
  assert.deepEqual(events, [], "a request that was aborted before is not sent");
  consul.free();
});

test("bodies of every kind arrive", async () => {
  const consul = await Consul.create();
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode("str"));
      controller.enqueue(new TextEncoder().encode("eam"));
      controller.close();
    },
  });
  const bodies = {
    text: "text",
    bytes: new Uint8Array([98]),
    view: new DataView(new Uint8Array([99]).buffer),
    blob: new Blob(["blob"]),
    params: new URLSearchParams({ a: "b c" }),
    stream,
  };
  for (const [key, body] of Object.entries(bodies)) {
    const response = await consul.fetch(
      `/v1/kv/${key}`,
      /** @type {any} */ ({ method: "PUT", body, duplex: "half" }),
    );
    assert.equal(await response.text(), "true", key);
  }
  const values = consul.list("").map((entry) => [entry.key, entry.text]);
  assert.deepEqual(Object.fromEntries(values), {
    blob: "blob",
    bytes: "b",
    params: "a=b+c",
    stream: "stream",
    text: "text",
    view: "c",
  });
  const request = new Request("http://localhost:8500/v1/kv/request", { method: "PUT", body: "x" });
  assert.equal(await (await consul.fetch(request)).text(), "true");
  assert.equal(consul.get("request").text, "x");
  await assert.rejects(consul.fetch(request), { code: "invalid-argument" }, "its body is used");
  consul.free();
});

test("a body that fails to be read sends nothing", async () => {
  const consul = await Consul.create();
  const broken = new ReadableStream({ pull: () => Promise.reject(new Error("cut")) });
  await assert.rejects(
    consul.fetch("/v1/kv/a", /** @type {any} */ ({ method: "PUT", body: broken, duplex: "half" })),
    { code: "invalid-argument" },
  );
  await assert.rejects(consul.fetch("/v1/kv/a", { method: "GET", body: "x" }), {
    code: "invalid-argument",
  });
  assert.equal(consul.get("a"), null);
  consul.free();
});

test("errors, redirects and HEAD are answered as over HTTP", async () => {
  const consul = await Consul.create();
  consul.put("a", "1");
  const missing = await consul.fetch("/v1/kv/b");
  assert.equal(missing.status, 404);
  assert.equal(missing.ok, false);
  const head = await consul.fetch("/v1/kv/a", { method: "HEAD" });
  assert.equal(head.status, 405);
  assert.equal(await head.text(), "");
  const moved = await consul.fetch("/v1//kv/a");
  assert.equal(moved.status, 200);
  assert.equal(moved.redirected, true);
  assert.equal(moved.url, "http://localhost:8500/v1/kv/a");
  const manual = await consul.fetch("/v1//kv/a", { redirect: "manual" });
  assert.equal(manual.status, 301);
  await assert.rejects(consul.fetch("/v1//kv/a", { redirect: "error" }), TypeError);
  const large = await consul.fetch("/v1/kv/a", { method: "PUT", body: new Uint8Array(600_000) });
  assert.equal(large.status, 413);
  consul.free();
});

test("only the server's own origin is answered", async () => {
  const consul = await Consul.create({ address: "http://consul.test:8500" });
  assert.equal(consul.address, "http://consul.test:8500");
  assert.equal((await consul.fetch(`${consul.address}/v1/status/leader`)).status, 200);
  assert.equal((await consul.fetch(new URL("/v1/status/leader", consul.address))).status, 200);
  for (const foreign of [
    "http://localhost:8500/v1/kv/a",
    "https://consul.test:8500/v1/kv/a",
    "//other/v1/kv/a",
    "data:text/plain,a",
  ]) {
    await assert.rejects(consul.fetch(foreign), { code: "foreign-url" }, foreign);
  }
  for (const odd of [undefined, 5, {}, "http://["]) {
    await assert.rejects(consul.fetch(/** @type {any} */ (odd)), { code: "invalid-argument" });
  }
  consul.free();
});

test("fetch is a function of its own, as clients take it", async () => {
  const consul = await Consul.create();
  const { fetch } = consul;
  assert.equal((await fetch("/v1/status/leader")).status, 200);
  consul.free();
});

test("requests reach the server in the order of their calls", async () => {
  const consul = await Consul.create();
  const answers = await Promise.all(
    ["1", "2", "3"].map((body) => consul.fetch("/v1/kv/a?cas=0", { method: "PUT", body })),
  );
  assert.deepEqual(await Promise.all(answers.map((answer) => answer.text())), [
    "true",
    "false",
    "false",
  ]);
  assert.equal(consul.get("a").text, "1");
  consul.free();
});
