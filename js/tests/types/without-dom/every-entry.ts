// The packed types in a program that has neither the types of a browser nor those of Node.

import { Consul, LictorError, type ConsulOptions } from "lictor";
import { lock, type Clock, type Handle } from "lictor/client";
import { readIncident, type IncidentReport } from "lictor/incident";
import { Consul as Inline } from "lictor/inline";
import { serve } from "lictor/node";
import { serve as serveSite } from "lictor/service-worker";
import { World, type SpawnOptions } from "lictor/world";

const options: ConsulOptions = { seed: 1n };
const clock: Clock = { monotonic: () => 0 };

export async function run(): Promise<number> {
  using consul: Consul = await Consul.create(options);
  using realTime = consul.realTime({ clock });
  realTime.stop();
  const held: Handle = await lock("a", { address: consul.address, fetch: consul.fetch, clock });
  await held.release();
  await using port = await serve(consul, { port: 0 });
  serveSite({ store: port.address });
  const spawn: SpawnOptions = { recipe: "lock", key: "a", lockDelay: 0, once: true };
  using world = await World.create();
  world.spawn("web-1", "p", spawn);
  const report: IncidentReport = await readIncident(["[]"], { at: new Date(0) });
  using begun = await World.fromIncident([{ name: "log", text: "", clockOffset: 5 }], { at: report.asOf });
  begun.incident?.answers.map((answer) => answer.earliest);
  using inline = await Inline.create();
  return inline.index;
}

export const isLictors = (error: unknown): boolean => error instanceof LictorError;
