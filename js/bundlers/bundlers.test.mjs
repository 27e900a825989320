// The packed package as its users get it: in bundlers and frameworks, and by the checkers of packages.
// js/bundlers/package.json pins their versions.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { build as viteBuild, createServer as viteServer } from "vite";
import webpack from "webpack";

import { chromium } from "./chromium.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const TYPES = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };

/** @type {import("puppeteer-core").Browser} */
let browser;

before(async () => {
  browser = await chromium();
});

after(async () => {
  await browser?.close();
});

/** Runs a program of node_modules and returns what it prints. */
async function program(name, args, cwd = here) {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", CI: "1", NO_COLOR: "1" };
  const path = join(here, "node_modules/.bin", name);
  try {
    const { stdout } = await promisify(execFile)(path, args, { cwd, env, maxBuffer: 1 << 26 });
    return stdout;
  } catch (error) {
    throw new Error(`${name} ${args.join(" ")}\n${error.stdout}${error.stderr}`);
  }
}

/** What `globalThis.result` of a page is. */
async function resultAt(address) {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  try {
    await page.goto(address, { waitUntil: "load" });
    await page.waitForFunction("globalThis.result !== undefined", { timeout: 20_000 });
    return await page.evaluate("globalThis.result");
  } catch (error) {
    throw new Error(`${error.message}\n${errors.join("\n")}`);
  } finally {
    await page.close();
  }
}

/** Serves a folder while an action runs. */
async function served(folder, action) {
  const site = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname.replace(/\/$/, "/index.html");
    try {
      const content = await readFile(join(folder, path));
      response.setHeader("content-type", TYPES[path.split(".").at(-1)] ?? "text/plain");
      response.end(content);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
  try {
    return await action(`http://127.0.0.1:${site.address().port}/`);
  } finally {
    site.close();
    site.closeAllConnections();
  }
}

test("Vite builds a page with the package", async () => {
  await viteBuild({ root: join(here, "vite"), logLevel: "warn" });
  assert.equal(await served(join(here, "vite/dist"), resultAt), "web-1 1");
});

test("Vite's development server serves the package, which is excluded from pre-bundling", async () => {
  const server = await viteServer({ root: join(here, "vite"), logLevel: "warn" });
  try {
    await server.listen(0);
    assert.equal(await resultAt(server.resolvedUrls.local[0]), "web-1 1");
  } finally {
    await server.close();
  }
});

test("webpack builds a page with the package", async () => {
  const stats = await promisify(webpack)({
    mode: "production",
    context: join(here, "webpack"),
    entry: "./main.js",
    output: { path: join(here, "webpack/dist"), publicPath: "" },
    performance: { hints: false },
  });
  assert(!stats.hasErrors() && !stats.hasWarnings(), stats.toString());
  const page = '<!doctype html><script src="main.js"></script>';
  await writeFile(join(here, "webpack/dist/index.html"), page);
  assert.equal(await served(join(here, "webpack/dist"), resultAt), "web-1 1");
});

test("Next.js runs the package while it renders a page on the server", async () => {
  await rm(join(here, "next/.next"), { recursive: true, force: true });
  await program("next", ["build"], join(here, "next"));
  const page = await readFile(join(here, "next/.next/server/app/index.html"), "utf8");
  assert.match(page, /<p>web-1 1<\/p>/);
});

test("Vitest runs the same tests in Node and in Chromium", async () => {
  const output = await program("vitest", ["run", "--root", "vitest", "--reporter", "verbose"]);
  for (const project of ["node", "chromium"]) {
    for (const name of ["the package runs in Vitest", "under fake timers a server and its clients"])
      assert.match(output, new RegExp(`✓ \\|${project}\\b.*${name}`), output);
  }
  assert.match(output, /Tests +6 passed/, output);
});

test("publint and Are The Types Wrong find nothing", async () => {
  const folder = join(here, "..");
  const file = (await readdir(folder)).find((name) => /^lictor-.*\.tgz$/.test(name));
  await program("publint", ["--strict", join(folder, file)]);
  await program("attw", [
    join(folder, file),
    "--profile",
    "esm-only",
    "--exclude-entrypoints",
    "lictor.wasm",
    "world.wasm",
    "incident.wasm",
  ]);
});
