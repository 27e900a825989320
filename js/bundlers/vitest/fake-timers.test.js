// Vitest's fake timers with a server in memory and the lock of lictor/client, in the order that
// js/README.md describes.

import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { Consul } from "lictor";
import { lock } from "lictor/client";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("under fake timers a server and its clients have one clock", async () => {
  const consul = await Consul.create();
  const realTime = consul.realTime();
  const reach = { address: consul.address, fetch: consul.fetch };
  const held = await lock("a", { ...reach, ttl: "10s" });
  await vi.advanceTimersByTimeAsync(600_000);
  expect([consul.now, held.isHeld]).toEqual([600_000, true]);

  const waiting = lock("a", { ...reach, ttl: "10s" });
  await vi.advanceTimersByTimeAsync(1_000);
  consul.destroySession(held.fence.session);
  await vi.advanceTimersByTimeAsync(10);
  expect(held.isHeld).toBe(false);
  // The lock-delay, and the pause of the client that waits for it.
  await vi.advanceTimersByTimeAsync(20_000);
  await (await waiting).release();
  await held.release();
  realTime.stop();
  consul.free();
});

test("a blocking query ends when fake time has passed", async () => {
  const consul = await Consul.create();
  const realTime = consul.realTime();
  const answer = consul.fetch("/v1/kv/a?index=100&wait=60s");
  await vi.advanceTimersByTimeAsync(64_000);
  expect((await answer).status).toBe(404);
  realTime.stop();
  consul.free();
});
