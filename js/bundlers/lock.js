// What each bundler has to make work: a server in memory, a world, and the lock of lictor/client.

import { Consul } from "lictor";
import { lock } from "lictor/client";
import { World } from "lictor/world";

export async function run() {
  const consul = await Consul.create();
  const clock = consul.realTime();
  const held = await lock("db/leader", { address: consul.address, fetch: consul.fetch, ttl: "10s" });
  const { lockIndex } = held.fence;
  await held.release();
  clock.stop();
  consul.free();

  const world = await World.create({ clients: ["web-1"] });
  world.spawn("web-1", "one", { recipe: "lock", key: "db/leader" });
  const [{ client }] = world.beliefs("db/leader");
  world.free();
  return `${client} ${lockIndex}`;
}
