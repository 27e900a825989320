// Three clients in two languages on one lock, while their network, their processes and the server fail:
// `node run.mjs AGENT RUST SECONDS [SEED]`, where RUST is the program of client/examples/hold.rs. It fails if
// two clients act at once in another case than those that js/README.md allows, if a session is left in the
// end, if a client ends by an error, or does not get the lock after the faults. A seed gives the same
// faults at the same times; what they hit depends on the machine.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { dice } from "./dice.mjs";
import { holdsIn, overlapsOf } from "./overlaps.mjs";
import { proxy } from "./proxy.mjs";

const [agent, rust, seconds, given] = process.argv.slice(2);
const seed = Number(given ?? Date.now() % 1_000_000_007);
const below = dice(seed);
const oneOf = (items) => items[below(items.length)];
const [KEY, TTL] = ["db/leader", 2_000];
const folder = await mkdtemp(join(tmpdir(), "lictor-faults-"));
const file = join(folder, "acts");
await writeFile(file, "");
console.log(`seed ${seed}, ${seconds} s of faults`);

let port = 0;
/** @type {import("node:child_process").ChildProcess[]} */
const children = [];
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));

/** Starts the server, which continues from its snapshot at the same port. */
async function serve() {
  const flags = ["--addr", `127.0.0.1:${port}`, "--session-ttl-min", "500ms", "--log-level", "err"];
  const stdio = /** @type {const} */ (["ignore", "pipe", "inherit"]);
  const child = spawn(agent, [...flags, "--snapshot", join(folder, "snapshot")], { stdio });
  children.push(child);
  const [head] = await once(child.stdout, "data");
  port = Number(/:(\d+)\s*$/m.exec(String(head))?.[1]);
  return child;
}

let server = await serve();
const ask = async (target, method = "GET") => {
  const init = { method, signal: AbortSignal.timeout(5_000) };
  const response = await fetch(`http://127.0.0.1:${port}${target}`, init);
  return response.ok ? response.json() : null;
};

const clients = [];
for (const [at, command] of [
  [process.execPath, fileURLToPath(new URL("hold.mjs", import.meta.url))],
  [process.execPath, fileURLToPath(new URL("hold.mjs", import.meta.url))],
  [rust],
].entries()) {
  const link = await proxy(() => port);
  const name = `${command.length > 1 ? "javascript" : "rust"}-${at}`;
  const words = [...command.slice(1), link.address, KEY, file, name, `${seed + at}`];
  const child = spawn(command[0], words, { stdio: ["ignore", "inherit", "inherit"] });
  children.push(child);
  clients.push({ name, link, child, exited: once(child, "exit") });
}

const counts = {};
const interventions = [];
const micros = () => Date.now() * 1_000;

/** Ends the present hold otherwise than by its TTL. */
async function intervene(kind) {
  const [entry] = (await ask(`/v1/kv/${KEY}`)) ?? [];
  if (!entry?.Session) return;
  interventions.push({ at: micros(), session: entry.Session, kind });
  // The Flags of a lock, which JSON rounds.
  const flags = "flags=3304740253564472344";
  if (kind === "destroy") await ask(`/v1/session/destroy/${entry.Session}`, "PUT");
  if (kind === "release") await ask(`/v1/kv/${KEY}?release=${entry.Session}&${flags}`, "PUT");
  if (kind === "delete") await ask(`/v1/kv/${KEY}`, "DELETE");
}

/** Stops a process for a while, as a machine that sleeps or swaps. */
async function suspend(child, millis) {
  child.kill("SIGSTOP");
  await sleep(millis);
  child.kill("SIGCONT");
}

async function restart() {
  server.kill(oneOf(["SIGKILL", "SIGTERM"]));
  await once(server, "exit");
  await sleep(below(1_500));
  server = await serve();
}

const FAULTS = {
  "silent network": ({ link }, millis) => cut(link, { up: true, down: true }, millis),
  "lost requests": ({ link }, millis) => cut(link, { up: true }, millis),
  "lost answers": ({ link }, millis) => cut(link, { down: true }, millis),
  "dead connections": ({ link }) => link.silence(),
  resets: ({ link }) => link.reset(),
  refused: ({ link }, millis) => cut(link, { answer: "refuse" }, millis),
  delays: ({ link }, millis) => cut(link, { delay: 100 + below(TTL * 1.5) }, millis),
  "5xx": ({ link }, millis) => cut(link, { answer: oneOf([429, 500, 502, 503, 504]) }, millis),
  "stopped client": ({ child }, millis) => suspend(child, millis),
  "stopped server": (_, millis) => suspend(server, millis),
  "restarted server": restart,
  destroy: () => intervene("destroy"),
  release: () => intervene("release"),
  delete: () => intervene("delete"),
};

async function cut(link, faults, millis) {
  link.set(faults);
  await sleep(millis);
  link.set({});
}

/** One fault of these kinds after the other, up to a time. */
async function fail(kinds, end) {
  while (performance.now() < end) {
    const kind = oneOf(kinds);
    counts[kind] = (counts[kind] ?? 0) + 1;
    const left = Math.max(end - performance.now(), 0);
    await FAULTS[kind](oneOf(clients), Math.min(200 + below(TTL * 2.5), left));
    await sleep(below(600));
  }
}

const AT_SERVER = ["stopped server", "restarted server", "destroy", "release", "delete"];
const AT_CLIENTS = Object.keys(FAULTS).filter((kind) => !AT_SERVER.includes(kind));
const end = performance.now() + Number(seconds) * 1_000;
const slow = () => sleep(below(4_000));
const atServer = async () => {
  while (performance.now() < end) {
    await slow();
    await fail(AT_SERVER, Math.min(performance.now() + 1, end));
  }
};
await Promise.all([fail(AT_CLIENTS, end), fail(AT_CLIENTS, end), atServer()]);

// Without faults each client gets the lock, and then gives back everything.
for (const { link } of clients) link.set({});
const healed = micros();
const hasActed = async ({ name }) =>
  holdsIn(await readFile(file, "utf8")).some((hold) => hold.client === name && hold.last > healed);
for (const patience = performance.now() + 40_000; ; await sleep(200)) {
  const waiting = [];
  for (const client of clients) if (!(await hasActed(client))) waiting.push(client.name);
  if (waiting.length === 0) break;
  assert(performance.now() < patience, `after the faults, no lock for ${waiting}`);
}
await writeFile(`${file}.stop`, "");
for (const { name, exited, link } of clients) {
  const [code] = await exited;
  assert.equal(code, 0, `the exit code of ${name}`);
  link.close();
}
// Sessions whose creation or destruction was lost end by their TTL.
let sessions = await ask("/v1/session/list");
for (const patience = performance.now() + 5 * TTL; sessions.length > 0; await sleep(200)) {
  sessions = await ask("/v1/session/list");
  const isInTime = sessions.length === 0 || performance.now() < patience;
  assert(isInTime, `sessions are left: ${JSON.stringify(sessions)}`);
}
const [entry] = (await ask(`/v1/kv/${KEY}`)) ?? [];
assert.equal(entry?.Session, undefined, "the key is free");
server.kill("SIGTERM");
await once(server, "exit");

const holds = holdsIn(await readFile(file, "utf8"));
const overlaps = overlapsOf(holds, interventions, TTL * 1_000);
console.log(Object.entries(counts).map(([kind, count]) => `${count} ${kind}`).join(", "));
for (const { name } of clients) {
  const own = holds.filter((hold) => hold.client === name);
  console.log(`${name}: ${own.length} holds, ${own.reduce((sum, hold) => sum + hold.acts, 0)} acts`);
}
const longest = Math.max(0, ...overlaps.map((overlap) => overlap.span)) / 1_000;
console.log(`${overlaps.length} overlaps within the promise, at most ${longest} ms of ${TTL} ms`);
const broken = overlaps.filter((overlap) => !overlap.isAllowed);
assert.deepEqual(broken, [], `two clients acted at once without an announcement; see ${folder}`);
await rm(folder, { recursive: true });
