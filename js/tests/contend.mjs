// One of several contenders for a lock, each of which may be written in another language:
// `node contend.mjs ADDRESS KEY FILE ROUNDS HOLD_MS`. It appends a line to the file when it begins to
// act under the lock and one when it stops, so that the file shows whether two acted at once.

import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { lock } from "lictor/client";

const [address, key, file, rounds, hold] = process.argv.slice(2);

for (let round = 0; round < Number(rounds); round += 1) {
  const held = await lock(key, { address, value: "javascript", ttl: "1s", lockDelay: "1ms" });
  appendFileSync(file, "javascript begins\n");
  await sleep(Number(hold), undefined, { signal: held.signal }).catch(() => {
    console.error("javascript:", held.signal.reason);
  });
  appendFileSync(file, "javascript stops\n");
  await held.release();
}
