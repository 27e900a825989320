// A client of the fault run: `node hold.mjs ADDRESS KEY FILE NAME SEED`. It takes the lock again and again,
// and acts under it while it may: each act is a line of the file with its name, its session, the
// lock-delay in milliseconds and the time in microseconds. It ends when the file FILE.stop exists. The
// client in client/examples/hold.rs does the same.

import { appendFileSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { lock } from "lictor/client";

import { dice } from "./dice.mjs";

const [address, key, file, name, seed] = process.argv.slice(2);
const below = dice(Number(seed));
const isStopped = () => existsSync(`${file}.stop`);

/** Acts until the lock is lost, or the time is up. */
async function act(held, lockDelay, until) {
  while (performance.now() < until && !held.signal.aborted && !isStopped()) {
    // The time is read first, so that a process that is stopped after this line acts at the time before the stop.
    const at = Date.now() * 1_000;
    if (held.isHeld) appendFileSync(file, `${name} ${held.fence.session} ${lockDelay} ${at}\n`);
    await sleep(10);
  }
}

while (!isStopped()) {
  const lockDelay = below(2) === 0 ? 1 : 2_000;
  const signal = AbortSignal.timeout(200 + below(6_000));
  const options = { address, value: name, ttl: "2s", lockDelay, requestTimeout: "3s", signal };
  try {
    const held = await lock(key, options);
    await act(held, lockDelay, performance.now() + 50 + below(1_500));
    await held.release();
  } catch (error) {
    if (!["TimeoutError", "LictorError"].includes(error.name) || error.code === "panicked") throw error;
    await sleep(50);
  }
}
