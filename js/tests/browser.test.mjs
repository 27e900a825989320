// The package in headless Chromium: in pages, under a content security policy, with an unchanged client
// of Consul, and in a service worker that is stopped and started again.

import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { build } from "esbuild";
import { nodeModulesPolyfillPlugin } from "esbuild-plugins-node-modules-polyfill";

import { chromium } from "./chromium.mjs";

const POLICY = "default-src 'none'; connect-src 'self'; script-src 'self'";
const WITHOUT_BUNDLER = `<!doctype html>
<script type="importmap">
  { "imports": { "lictor": "/node_modules/lictor/index.js", "#wasm": "/node_modules/lictor/wasm.js" } }
</script>
<script type="module">
  import * as lictor from "lictor";
  Object.assign(globalThis, { lictor });
</script>`;
const unpacked = new URL(".", import.meta.resolve("lictor"));
const built = new URL("built/", import.meta.url);

/**
 * What the polyfills of Node's modules lack: promises of timers, and queries with BigInts, which the
 * indexes of the client are.
 * @type {import("esbuild").Plugin}
 */
const missing = {
  name: "missing",
  setup({ onResolve, resolve }) {
    const timers = new URL("pages/timers.js", import.meta.url).pathname;
    onResolve({ filter: /^node:timers\/promises$/ }, () => ({ path: timers }));
    onResolve({ filter: /^querystring$/ }, ({ kind, resolveDir }) =>
      resolve("qs", { kind, resolveDir }),
    );
  },
};

/** @type {import("puppeteer-core").Browser} */
let browser;
/** @type {import("node:http").Server} */
let site;
/** @type {string} */
let address;

/**
 * Serves the package with a page that has no bundler, and a page `/NAME.html` for each bundled
 * `/NAME.js`, under a policy if the query has one.
 */
async function answer(request, response) {
  const url = new URL(request.url, "http://localhost");
  const policy = url.searchParams.get("policy");
  if (policy !== null) response.setHeader("content-security-policy", POLICY + policy);
  const [, file] = /^\/node_modules\/lictor\/([\w.]+)$/.exec(url.pathname) ?? [];
  const [, name, ending] = /^\/(\w+)\.(html|js|wasm)$/.exec(url.pathname) ?? [];
  if (ending === "html") {
    response.setHeader("content-type", "text/html");
    response.end(`<!doctype html><script type="module" src="/${name}.js"></script>`);
    return;
  }
  if (url.pathname === "/") {
    response.setHeader("content-type", "text/html");
    response.end(WITHOUT_BUNDLER);
    return;
  }
  try {
    const content = await readFile(file ? new URL(file, unpacked) : new URL(`${name}.${ending}`, built));
    const isWasm = url.pathname.endsWith(".wasm");
    response.setHeader("content-type", isWasm ? "application/wasm" : "text/javascript");
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}

before(async () => {
  const pages = ["main", "worker", "client"].map(
    (name) => new URL(`pages/${name}.js`, import.meta.url).pathname,
  );
  const names = ["lictor.wasm", "world.wasm", "incident.wasm"];
  const files = names.map((name) => new URL(name, unpacked).pathname);
  await rm(built, { recursive: true, force: true });
  await build({
    entryPoints: [...pages, ...files],
    bundle: true,
    format: "esm",
    outdir: built.pathname,
    entryNames: "[name]",
    loader: { ".wasm": "copy" },
    define: { "process.argv": '["", "", "localhost:8500"]', "process.exit": "exitOfClient" },
    plugins: [
      missing,
      nodeModulesPolyfillPlugin({ globals: { Buffer: true, process: true } }),
    ],
    logLevel: "warning",
  });
  site = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => site.listen(0, "127.0.0.1", () => resolve(undefined)));
  address = `http://localhost:${/** @type {import("node:net").AddressInfo} */ (site.address()).port}`;
  browser = await chromium();
});

after(async () => {
  await browser?.close();
  site?.close();
  site?.closeAllConnections();
});

/**
 * Runs a function in a fresh page, whose script has loaded.
 * @template T
 * @param {string} path
 * @param {() => Promise<T> | T} action
 */
async function inPage(path, action) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  try {
    await page.goto(address + path, { waitUntil: "load" });
    return await page.evaluate(action);
  } finally {
    await page.close();
  }
}

test("the package runs in a page, from its file and inline", async () => {
  const texts = await inPage("/main.html", async () => {
    const texts = [];
    for (const { Consul } of [lictor, inline]) {
      const consul = await Consul.create();
      const session = consul.createSession({ ttl: "10s" });
      consul.acquire("db/leader", "web-1", session);
      consul.advance("20s");
      texts.push(consul.acquire("db/leader", "web-2", consul.createSession()).reason.kind);
      const watch = consul.fetch(`/v1/kv/db/leader?raw&index=${consul.index}`);
      consul.put("db/leader", "x");
      texts.push(await (await watch).text());
      consul.free();
    }
    return texts;
  });
  assert.deepEqual(texts, ["lock-delay", "x", "lock-delay", "x"]);
});

test("a world runs in a page", async () => {
  const client = await inPage("/main.html", async () => {
    const world = await worlds.World.create({ clients: ["web-1", "web-2"] });
    world.spawn("web-1", "one", { recipe: "lock", key: "a", ttl: "10s" });
    world.spawn("web-2", "two", { recipe: "lock", key: "a", ttl: "10s" });
    world.advance("1s");
    world.inject("web-1", "crashes");
    world.advance("60s");
    return world.beliefs("a")[0].client;
  });
  assert.equal(client, "web-2");
});

test("a world begins with an incident in a page", async () => {
  const next = await inPage("/main.html", async () => {
    const session = { ID: "4154283e-a8f4-f7f1-22ce-3de43166da77", Behavior: "release", TTL: "10s" };
    const text = JSON.stringify([{ ...session, Node: "n1", LockDelay: 0, CreateIndex: 8 }]);
    const world = await worlds.World.fromIncident(text, { at: "2026-11-26T09:10:41Z" });
    return [world.nextDeadline.at, world.incident.asOf];
  });
  assert.deepEqual(next, [20_000, "2026-11-26T09:10:41.000Z"]);
});

test("a page without a bundler needs an import map", async () => {
  const version = await inPage("/", async () => (await lictor.Consul.create()).version);
  assert.equal(version, "1.22");
});

test("a page whose policy allows only WebAssembly runs it; others get an error that says so", async () => {
  const load = async () => {
    try {
      const consul = await lictor.Consul.create();
      return consul.version;
    } catch (error) {
      return error.code;
    }
  };
  const allowed = encodeURIComponent(" 'wasm-unsafe-eval'");
  assert.equal(await inPage(`/main.html?policy=${allowed}`, load), "1.22");
  assert.equal(await inPage("/main.html?policy=", load), "not-loaded");
});

test("the npm package consul, bundled and unchanged, passes its tests in a page", async () => {
  const lines = await inPage("/client.html", () => globalThis.run());
  assert.match(lines.at(-1), /^test result: ok\. [1-9]\d* passed; 0 failed;/, lines.join("\n"));
});

test("an installed server answers XMLHttpRequests as a browser does", async () => {
  const seen = await inPage("/main.html", async () => {
    const consul = await lictor.Consul.create();
    const uninstall = consul.install();
    const seen = {};
    /** Sends a request and returns it at its end; its events are in `seen[name]`. */
    const send = (name, method, path, { body, headers = {}, after, ...settings } = {}) =>
      new Promise((resolve) => {
        const xhr = new XMLHttpRequest();
        const events = (seen[name] = []);
        for (const type of ["loadstart", "progress", "load", "error", "abort", "timeout"]) {
          xhr.addEventListener(type, () => events.push(type));
        }
        xhr.onreadystatechange = () => events.push(xhr.readyState);
        xhr.onloadend = () => resolve(xhr);
        xhr.open(method, `http://localhost:8500${path}`);
        Object.assign(xhr, settings);
        for (const [header, value] of Object.entries(headers)) xhr.setRequestHeader(header, value);
        xhr.send(body);
        after?.(xhr);
      });
    const put = await send("put", "PUT", "/v1/kv/a", { body: "1", headers: { "x-a": "b" } });
    seen.putText = [put.status, put.responseText, put.responseURL, put.response];
    const json = await send("json", "GET", "/v1//kv/a", { responseType: "json" });
    seen.json = [json.response[0].Key, json.getResponseHeader("Content-Type"), json.responseURL];
    seen.headers = json.getAllResponseHeaders().includes("x-consul-index: ");
    const bytes = await send("bytes", "GET", "/v1/kv/a?raw", { responseType: "arraybuffer" });
    seen.bytes = [...new Uint8Array(bytes.response)];
    const missing = await send("missing", "GET", "/v1/kv/b");
    seen.missing = missing.status;
    const wait = `/v1/kv/a?index=${consul.index}`;
    const late = await send("timeout", "GET", wait, { timeout: 20 });
    seen.late = [late.status, late.response, consul.nextDeadline];
    const cut = await send("abort", "GET", wait, { after: (xhr) => xhr.abort() });
    seen.cut = [cut.readyState, consul.nextDeadline];
    const broken = send("error", "GET", wait);
    consul.free();
    seen.broken = (await broken).status;
    const restored = XMLHttpRequest;
    seen.isRestored = restored.prototype.hasOwnProperty("open") && /native/.test(`${restored}`);
    return seen;
  });
  const done = ["loadstart", 2, 3, "progress", 4, "load"];
  assert.deepEqual(seen.put, [1, ...done]);
  assert.deepEqual(seen.putText, [200, "true", "http://localhost:8500/v1/kv/a", "true"]);
  assert.deepEqual(seen.json, ["a", "application/json", "http://localhost:8500/v1/kv/a"]);
  assert.equal(seen.headers, true);
  assert.deepEqual(seen.bytes, [49]);
  assert.equal(seen.missing, 404);
  assert.deepEqual(seen.timeout, [1, "loadstart", 4, "timeout"]);
  assert.deepEqual(seen.late, [0, "", null]);
  assert.deepEqual(seen.abort, [1, "loadstart", 4, "abort"]);
  assert.deepEqual(seen.cut, [0, null]);
  assert.deepEqual(seen.error, [1, "loadstart", 4, "error"]);
  assert.equal(seen.broken, 0);
  assert.equal(seen.isRestored, true);
});

test("with a server installed, other XMLHttpRequests are the browser's own", async () => {
  const seen = await inPage("/main.html", async () => {
    const consul = await lictor.Consul.create();
    // At the page's own origin, only what is below /v1/ is answered.
    consul.install({ origin: location.origin });
    const read = (path) =>
      new Promise((resolve) => {
        const xhr = new XMLHttpRequest();
        xhr.onloadend = () => resolve([xhr.status, xhr.readyState, xhr.responseText.slice(0, 9)]);
        xhr.open("GET", path);
        xhr.send();
      });
    const seen = [await read("/main.html"), await read("v1/status/leader")];
    const xhr = new XMLHttpRequest();
    const isInvalid = (action) => {
      try {
        action();
      } catch (error) {
        return error.name;
      }
    };
    seen.push(isInvalid(() => xhr.open("GET", "/v1/kv/a", false)));
    xhr.open("GET", "/v1/kv/a");
    xhr.send();
    seen.push(isInvalid(() => xhr.send()));
    seen.push((await fetch("/main.html")).status, await (await fetch("/v1/kv/a")).text());
    return seen;
  });
  const [file, own, ...rest] = seen;
  assert.deepEqual(file, [200, 4, "<!doctype"]);
  assert.deepEqual(own.slice(0, 2), [200, 4]);
  assert.deepEqual(rest, ["InvalidAccessError", "InvalidStateError", 200, ""]);
});

test("lictor/client holds and loses a lock in a page", async () => {
  const code = await inPage("/main.html", async () => {
    const consul = await lictor.Consul.create();
    consul.realTime();
    consul.install({ origin: "http://127.0.0.1:8500" });
    const held = await client.lock("db/leader", { ttl: "10s", value: "web-1" });
    const lost = new Promise((resolve) => held.signal.addEventListener("abort", resolve));
    consul.destroySession(held.fence.session);
    await lost;
    await held.release();
    return held.signal.reason.code;
  });
  assert.equal(code, "lost");
});

test("a service worker answers a site's requests, and its server survives a restart", async () => {
  const page = await browser.newPage();
  await page.goto(`${address}/main.html`, { waitUntil: "load" });
  const cdp = await page.createCDPSession();
  const call = (/** @type {string} */ method, /** @type {string} */ path, body = null) =>
    page.evaluate(
      async (method, path, body) => {
        const response = await fetch(`http://localhost:8500${path}`, { method, body });
        return response.text();
      },
      method,
      path,
      body,
    );
  await page.evaluate(async () => {
    await navigator.serviceWorker.register("/worker.js", { type: "module" });
    const controlled = () => navigator.serviceWorker.controller;
    if (!controlled()) {
      await new Promise((resolve) =>
        navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }),
      );
    }
  });
  const create = async (/** @type {string} */ options) =>
    JSON.parse(await call("PUT", "/v1/session/create", options)).ID;
  const short = await create('{"TTL":"200ms"}');
  const long = await create('{"TTL":"1h"}');
  assert.equal(await call("PUT", `/v1/kv/short?acquire=${short}`, "1"), "true");
  assert.equal(await call("PUT", `/v1/kv/long?acquire=${long}`, "2"), "true");
  const before = JSON.parse(await call("GET", "/v1/kv/long"));

  await cdp.send("ServiceWorker.enable");
  const stopped = new Promise((resolve) =>
    cdp.on("ServiceWorker.workerVersionUpdated", ({ versions }) => {
      if (versions.some((it) => it.runningStatus === "stopped")) resolve(undefined);
    }),
  );
  await cdp.send("ServiceWorker.stopAllWorkers");
  await stopped;
  await new Promise((resolve) => setTimeout(resolve, 500));

  assert.deepEqual(JSON.parse(await call("GET", "/v1/kv/long")), before);
  assert.equal(await call("GET", `/v1/session/info/${short}`), "[]", "its TTL ran meanwhile");
  assert.equal(JSON.parse(await call("GET", "/v1/kv/short"))[0].Session, undefined);
  assert.equal(
    await call("PUT", `/v1/kv/short?acquire=${long}`, "3"),
    "false",
    "the lock-delay began when the session ended",
  );
  assert.notEqual(await create("{}"), short, "ids go on as well");
  await page.close();
});
