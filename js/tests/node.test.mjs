// `lictor/node`: a server in memory at a real port, for clients that use node:http.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { connect } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";

import Client from "consul";
import { Consul } from "lictor";
import { lock } from "lictor/client";
import { serve } from "lictor/node";

import { withClock } from "./clock.mjs";

/**
 * @param {(all: { consul: Consul, port: import("lictor/node").Port, client: any }) => Promise<void>} use
 */
async function withPort(use) {
  const consul = await Consul.create();
  const port = await serve(consul);
  try {
    await use({ consul, port, client: new Client({ host: port.host, port: port.port }) });
  } finally {
    await port.close();
    consul.free();
  }
}

/** Waits for a condition that the arrival of a request makes true. */
async function until(/** @type {() => boolean} */ condition) {
  for (let tries = 0; !condition(); tries += 1) {
    assert(tries < 1_000, "the condition never came true");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const isQueryWaiting = (/** @type {Consul} */ consul) => () =>
  consul.nextDeadline?.reason.kind === "blocking-query";

test("the npm package consul takes a lock, sees by its watch that it is lost, and takes it again", () =>
  withPort(async ({ consul, client }) => {
    const { ID: first } = await client.session.create({ ttl: "10s", name: "web-1" });
    assert.equal(await client.kv.set({ key: "db/leader", value: "web-1", acquire: first }), true);
    const watch = client.watch({ method: client.kv.get, options: { key: "db/leader" } });
    const [held] = await once(watch, "change");
    assert.equal(held.Session, first);
    const lost = once(watch, "change");
    consul.advance("20s");
    assert.equal((await lost)[0].Session, undefined);
    watch.end();

    const { ID: next } = await client.session.create({ ttl: "10s", name: "web-2" });
    const acquire = { key: "db/leader", value: "web-2", acquire: next };
    assert(!(await client.kv.set(acquire)), "the lock-delay is not over");
    consul.advance("15s");
    assert.equal(await client.kv.set(acquire), true);
  }));

test("the client of Consul that is tested against lictor-agent passes here as well", async () => {
  for (const version of /** @type {const} */ (["1.22", "1.13"])) {
    const consul = await Consul.create({ version });
    const port = await serve(withClock(consul));
    const client = new URL("client.js", import.meta.url).pathname;
    const run = promisify(execFile)(process.execPath, [client, `${port.host}:${port.port}`]);
    const { stdout } = await run.catch((error) => error);
    assert.match(stdout, /test result: ok\. [1-9]\d* passed; 0 failed/, stdout);
    await port.close();
    consul.free();
  }
});

test("a client that closes its connection cancels its blocking query in the engine", () =>
  withPort(async ({ consul, port }) => {
    consul.put("a", "1");
    const request = http.get(`${port.address}/v1/kv/a?index=${consul.index}&wait=60s`);
    request.on("error", () => {});
    await until(isQueryWaiting(consul));
    request.destroy();
    await until(() => consul.nextDeadline === null);
  }));

test("targets, headers and bodies arrive as they were sent", () =>
  withPort(async ({ consul, port }) => {
    const put = await fetch(`${port.address}/v1/kv/a%20b/c?flags=5`, { method: "PUT", body: "x" });
    assert.equal(await put.text(), "true");
    assert.deepEqual([consul.get("a b/c")?.text, consul.get("a b/c")?.flags], ["x", 5n]);
    const read = await fetch(`${port.address}/v1/kv/a%20b/c?raw`);
    assert.equal(read.headers.get("x-consul-index"), `${consul.index}`);
    assert.equal(read.headers.get("content-length"), "1");
    assert.equal(await read.text(), "x");
    const large = await fetch(`${port.address}/v1/kv/a`, {
      method: "PUT",
      body: new Uint8Array(600_000),
    });
    assert.equal(large.status, 413);
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(33 << 20));
        controller.close();
      },
    });
    const init = /** @type {any} */ ({ method: "PUT", body: chunked, duplex: "half" });
    const refused = await fetch(`${port.address}/v1/kv/a`, init).then(
      (response) => response.status,
      () => 413, // The connection may be closed before the answer has been read.
    );
    assert.equal(refused, 413);
    assert.equal(consul.get("a"), null);
    // What fetch would normalize, and what is no HTTP.
    for (const [sent, expected] of [
      ["GET /v1//kv/a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 301 /],
      ["GET /v1/kv/../status/leader HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", /^HTTP\/1\.1 301 /],
      ["HEAD /v1/status/leader HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", /\r\n\r\n$/],
      ["nonsense\r\n\r\n", /^HTTP\/1\.1 400 /],
    ]) {
      const socket = connect(port.port, port.host).end(/** @type {string} */ (sent));
      let answer = "";
      for await (const part of socket.setEncoding("latin1")) answer += part;
      assert.match(answer, /** @type {RegExp} */ (expected), /** @type {string} */ (sent));
    }
  }));

test("lictor/client holds a lock through the port in real time", () =>
  withPort(async ({ consul, port }) => {
    const clock = consul.realTime();
    const held = await lock("a", { address: port.address, ttl: "10s" });
    const lost = once(held.signal, "abort");
    consul.destroySession(held.fence.session);
    await lost;
    await held.release();
    clock.stop();
  }));

test("a port closes with its connections, and a freed server answers nobody", async () => {
  const consul = await Consul.create();
  consul.put("a", "1");
  const port = await serve(consul);
  const watch = fetch(`${port.address}/v1/kv/a?index=${consul.index}`);
  await until(isQueryWaiting(consul));
  consul.free();
  await assert.rejects(watch);
  await assert.rejects(fetch(`${port.address}/v1/kv/a`));
  await port.close();
  await port.close();
  await assert.rejects(fetch(`${port.address}/v1/kv/a`));

  const other = await Consul.create();
  other.put("a", "1");
  const second = await serve(other);
  const waiting = fetch(`${second.address}/v1/kv/a?index=${other.index}`);
  await until(isQueryWaiting(other));
  await second.close();
  await assert.rejects(waiting);
  await until(() => other.nextDeadline === null);
  assert.equal(other.get("a")?.text, "1", "the server is still there");
  other.free();
});

test("wrong options are typed errors, and a port that is taken is Node's", async () => {
  const consul = await Consul.create();
  const invalid = { code: "invalid-argument" };
  await assert.rejects(serve(/** @type {any} */ (null)), invalid);
  await assert.rejects(serve(consul, /** @type {any} */ ({ port: "80" })), invalid);
  await assert.rejects(serve(consul, { port: 65_536 }), invalid);
  await assert.rejects(serve(consul, /** @type {any} */ ({ prot: 1 })), invalid);
  const port = await serve(consul);
  await assert.rejects(serve(consul, { port: port.port }), { code: "EADDRINUSE" });
  await port.close();
  for (const request of [
    null,
    { method: "GET" },
    { method: "GET", target: 5 },
    { method: "GET", target: "/", headers: {} },
    { method: "GET", target: "/", headers: [["a"]] },
    { method: "GET", target: "/", headers: [["a", 1]] },
    { method: "GET", target: "/", body: 5 },
  ]) {
    await assert.rejects(consul.request(/** @type {any} */ (request)), invalid);
  }
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  await assert.rejects(consul.request({ method: "PUT", target: "/v1/kv/a" }, { signal }), reason);
  assert.equal(consul.get("a"), null);
  consul.free();
});
