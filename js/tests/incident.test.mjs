// `lictor/incident`, and worlds that begin at the moment of an incident recorded from Consul 1.22.7.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

import { readIncident } from "lictor/incident";
import { World } from "lictor/world";

const LISTS = ["sessions.json", "keys.json", "nodes.json", "checks.json"];
/** The largest difference between an answer from a log and the truth, in milliseconds. */
const EXACT = 200;

const read = (/** @type {string} */ path) =>
  readFile(new URL(`incidents/${path}`, import.meta.url), "utf8");

const texts = (/** @type {string} */ incident, /** @type {string[]} */ names) =>
  Promise.all(names.map(async (name) => ({ name, text: await read(`${incident}/${name}`) })));

/** When a contender in a world gets a key for which it tries every 100 ms. */
async function acquired(/** @type {World} */ world, /** @type {string} */ key) {
  const contender = world.join("contender");
  const created = await contender.fetch("/v1/session/create", { method: "PUT" });
  const { ID } = await created.json();
  for (let tries = 0; tries < 3000; tries += 1) {
    const answer = await contender.fetch(`/v1/kv/${key}?acquire=${ID}`, { method: "PUT" });
    if ((await answer.text()) === "true") return Date.parse(world.incident.asOf) + world.now;
    world.advance("100ms");
  }
  return assert.fail(`${key} is never free`);
}

test("in the world of each recorded incident a key is free when it was free in truth", async () => {
  let compared = 0;
  for (const incident of await readdir(new URL("incidents", import.meta.url))) {
    const { seen } = JSON.parse(await read(`${incident}/truth.json`));
    const sources = await texts(incident, [...LISTS, "consul.log"]);
    for (const { at, key, acquire } of seen) {
      if (acquire !== true) continue;
      const world = await World.fromIncident(sources);
      const difference = (await acquired(world, key)) - Date.parse(at);
      world.free();
      assert.ok(Math.abs(difference) <= EXACT, `${incident}: ${key} by ${difference} ms`);
      compared += 1;
    }
  }
  assert.ok(compared >= 6);
});

test("without a log the bounds are those of the answers, and the world has the latest", async () => {
  const sources = await texts("holder-crashed", LISTS);
  const at = new Date("2026-11-26T09:10:41.126Z");
  const world = await World.fromIncident(sources, { at });
  const [answer] = world.incident.answers;
  assert.equal(answer.key, "jobs/nightly/leader");
  assert.equal(answer.earliest, "2026-11-26T09:10:56.126Z");
  assert.equal(answer.latest, "2026-11-26T09:11:26.126Z");
  assert.match(world.incident.assumptions[0], /ends at 09:11:11\.126, the latest moment/);
  assert.equal(world.incident.asOf, at.toISOString());
  assert.equal(world.nextDeadline.at, 30_000);
  const late = Math.abs((await acquired(world, answer.key)) - Date.parse(answer.latest));
  assert.ok(late <= 100, `${late} ms`);
  world.free();
});

test("the world of an incident is saved, branched and shared as any other one", async () => {
  const world = await World.fromIncident(await texts("two-keys-two-ends", [...LISTS, "consul.log"]));
  assert.equal(world.get("api/leader").session, "17fe9fc5-f6bc-d49d-6afd-efc18514f743");
  world.branch("later");
  world.advance("30s");
  assert.equal(world.get("etl/part-1"), null);
  for (const saved of [world.log(), world.toLink()]) {
    const copy = await World.load(saved);
    assert.equal(copy.digest, world.digest);
    assert.equal(copy.incident, null);
    copy.free();
  }
  world.free();
});

test("readIncident names what it does not use, and corrects clocks", async () => {
  const [sessions, keys, nodes, log] = await texts("holder-crashed", [
    "sessions.json",
    "keys.json",
    "nodes.json",
    "consul.log",
  ]);
  const shifted = { ...log, clockOffset: 1000 };
  const exact = await readIncident([sessions.text, keys, nodes, shifted, "hello"]);
  assert.equal(exact.answers[0].latest, "2026-11-26T09:11:18.124Z");
  assert.deepEqual(exact.unused, [
    { source: "text 5", line: 1, reason: "neither JSON nor a line of Consul's log" },
  ]);
  assert.deepEqual(exact.effects[0].frees, ["jobs/nightly/leader"]);
  assert.deepEqual(exact.sources[0], {
    name: "text 1",
    holds: "1 session",
    lines: 0,
    clockOffset: 0,
    proposal: null,
    application: null,
  });
  assert.equal(exact.sources[3].clockOffset, 1000);
  assert.deepEqual(exact.sources[4].holds, "nothing of Consul's");
});

test("readIncident reads an application's lines by proposed patterns, by others, or not", async () => {
  const [sessions, keys] = await texts("holder-crashed", ["sessions.json", "keys.json"]);
  const text =
    "2026-11-26T09:10:20Z INFO w acquired lock jobs/nightly/leader\n2026-11-26T09:10:21Z x\n";
  const read = (/** @type {string[] | undefined} */ patterns) =>
    readIncident([sessions, keys, { name: "app.log", text, patterns }], {
      at: "2026-11-26T09:10:41.126Z",
    });
  const proposed = await read(undefined);
  const pattern = "acquired={time} {*} acquired lock {key}";
  assert.deepEqual(proposed.sources[2].application, {
    lines: 2,
    text: "2 lines of an application: acquired 1",
    patterns: [{ pattern, lines: 1 }],
    proposed: true,
  });
  assert.deepEqual(proposed.answers[0].mismatches, []);
  const observed = proposed.observed.events.map((event) => event.text);
  assert.ok(observed.includes('app.log logs "acquired" jobs/nightly/leader'));
  const off = await read([]);
  assert.equal(off.sources[2].application?.proposed, false);
  assert.match(off.unused[0].reason, /turned off/);
  await assert.rejects(read(["lost={tim} x"]), /app\.log: \{tim\} is no placeholder/);
  await assert.rejects(read(/** @type {any} */ ("lost={time} x")), /patterns must be a list/);
});

test("readIncident replaces values, tokens and addresses on request", async () => {
  const value = Buffer.from("secret").toString("base64");
  const key = { Key: "k", LockIndex: 1, Flags: 0, Value: value, CreateIndex: 9, ModifyIndex: 9 };
  const session = "4154283e-a8f4-f7f1-22ce-3de43166da77";
  const text = JSON.stringify([{ ...key, Session: session }]);
  const shared = await readIncident(text, { redact: true });
  assert.match(shared.world ?? "", /cmVkYWN0ZWQ=/);
  assert.doesNotMatch(JSON.stringify(shared), /secret|c2VjcmV0/);
  await assert.rejects(readIncident(text, { redact: /** @type {any} */ (1) }), /true or false/);
});

test("texts that make no world are refused with a reason", async () => {
  const refused = (/** @type {any} */ given, /** @type {any} */ options) =>
    World.fromIncident(given, options).then(
      () => assert.fail("it is refused"),
      ({ code, message }) => `${code}: ${message}`,
    );
  assert.match(await refused("<html>502</html>"), /^unreadable: no list of Consul .*HTML/s);
  assert.match(await refused([1]), /^invalid-argument: /);
  assert.match(await refused("[]", { at: "noon" }), /^invalid-argument: .*noon/);
  assert.match(await refused("[]", { when: 1 }), /^invalid-argument: there is no option when/);
  const [keys] = await texts("holder-crashed", ["keys.json"]);
  const redacted = keys.text.replace(/4154283e[-0-9a-f]*/, "REDACTED");
  const noId = await refused({ name: "keys.json", text: redacted });
  assert.match(noId, /^unreadable: the incident makes no world: "REDACTED" is not the id of a session/);
});
