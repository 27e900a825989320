// The judge of the fault run (fault-run/run.mjs) finds overlaps, and which of them are allowed.

import assert from "node:assert/strict";
import { test } from "node:test";

import { holdsIn, overlapsOf } from "./fault-run/overlaps.mjs";

const TTL = 2_000_000;

/** Acts at these times in milliseconds: `one` begins at 1,000, and `two` at 3,000. */
const acts = (lastOfOne, lockDelay = 1) =>
  [
    ["one", "s1", lockDelay, 1_000],
    ["two", "s2", 1, 3_000],
    ["one", "s1", lockDelay, lastOfOne],
    ["two", "s2", 1, 5_000],
  ]
    .map(([client, session, delay, at]) => `${client} ${session} ${delay} ${Number(at) * 1_000}\n`)
    .join("");

const judged = (text, interventions = []) =>
  overlapsOf(holdsIn(text), interventions, TTL).map(({ span, isAllowed }) => [span, isAllowed]);

const ended = (kind, at, session = "s1") => [{ at: at * 1_000, session, kind }];

test("clients that act one after the other do not overlap", () => {
  assert.deepEqual(judged(acts(2_990)), []);
  assert.deepEqual(holdsIn(acts(2_990)).map((hold) => hold.acts), [2, 2]);
});

test("a client that acts after the next one has begun is found", () => {
  assert.deepEqual(judged(acts(3_100)), [[100_000, false]]);
});

test("an overlap is allowed for a TTL after somebody ended the first hold", () => {
  for (const kind of ["destroy", "release", "delete"])
    assert.deepEqual(judged(acts(4_000), ended(kind, 2_500)), [[1_000_000, true]], kind);
  assert.deepEqual(judged(acts(4_600), ended("delete", 2_500)), [[1_600_000, false]], "longer");
  assert.deepEqual(judged(acts(4_000), ended("delete", 3_500)), [[1_000_000, false]], "ended later");
  assert.deepEqual(judged(acts(4_000), ended("delete", 2_500, "s2")), [[1_000_000, false]], "another");
  const destroyed = judged(acts(4_000, 2_000), ended("destroy", 2_500));
  assert.deepEqual(destroyed, [[1_000_000, false]], "its lock-delay is as long as its TTL");
});
