// A TCP proxy before a server, each direction of which can fail by itself.

import { connect, createServer } from "node:net";

/**
 * What happens to what arrives from now on. `up` is the direction to the server.
 * @typedef {object} Faults
 * @property {boolean} up whether requests vanish
 * @property {boolean} down whether answers vanish
 * @property {number} delay how much later each part arrives, in milliseconds
 * @property {"pass" | "refuse" | number} answer whether connections are refused, or a status
 */

export const HEALTHY = { up: false, down: false, delay: 0, answer: "pass" };

export async function proxy(/** @type {() => number} */ port) {
  /** @type {Faults} */
  let faults = { ...HEALTHY };
  const pairs = new Set();
  const listener = createServer((client) => {
    if (faults.answer === "refuse") return void client.resetAndDestroy();
    const upstream = connect(port(), "127.0.0.1");
    const pair = { client, upstream, isDead: false };
    pairs.add(pair);
    const drop = () => {
      client.destroy();
      upstream.destroy();
      pairs.delete(pair);
    };
    // A client that closes a connection on a silent network is not noticed by the server.
    const closed = () => (pair.isDead || faults.up ? client.destroy() : drop());
    client.on("error", closed).on("close", closed);
    upstream.on("error", drop).on("close", () => (pair.isDead || faults.down ? undefined : drop()));
    const pass = (to, data, direction) => {
      if (!pair.isDead && !faults[direction] && !to.destroyed) to.write(data);
    };
    client.on("data", (data) => {
      if (typeof faults.answer === "number")
        return client.end(`HTTP/1.1 ${faults.answer} Fault\r\nConnection: close\r\n\r\nno`);
      setTimeout(() => pass(upstream, data, "up"), faults.delay);
    });
    upstream.on("data", (data) => setTimeout(() => pass(client, data, "down"), faults.delay));
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", () => resolve(undefined)));
  return {
    address: `http://127.0.0.1:${listener.address().port}`,
    set: (/** @type {Partial<Faults>} */ changed) => (faults = { ...HEALTHY, ...changed }),
    /** All connections stay open and carry nothing any more; new ones work. */
    silence: () => pairs.forEach((pair) => (pair.isDead = true)),
    reset: () => pairs.forEach(({ client }) => client.resetAndDestroy()),
    close: () => {
      pairs.forEach(({ client, upstream }) => [client, upstream].forEach((end) => end.destroy()));
      listener.close();
    },
  };
}
