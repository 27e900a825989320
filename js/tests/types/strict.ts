// A user's TypeScript against the packed types, under `tsc --strict`: what is allowed compiles, and what is
// not is an error.

import { Consul, LictorError } from "lictor";
import type {
  ConsulEvent,
  ConsulOptions,
  Deadline,
  Entry,
  ErrorCode,
  RefusalReason,
  WriteResult,
} from "lictor";
import { Consul as Inline } from "lictor/inline";
import { serve, type Port } from "lictor/node";
import { lock as realLock } from "lictor/client";
import { World, type WorldEvent } from "lictor/world";
import { serve as serveSite } from "lictor/service-worker";

const options: ConsulOptions = {
  version: "1.22",
  seed: 1n,
  address: new URL("http://localhost:8500"),
};

export async function lock(): Promise<string> {
  using consul: Consul = await Consul.create(options);
  const session: string = consul.createSession({ ttl: "10s", lockDelay: 0, behavior: "delete" });
  const written: WriteResult = consul.acquire("a", new Uint8Array(), session, {
    flags: 3304740253564472344n,
  });
  const entry: Entry | null = consul.get("a");
  const flags: bigint | undefined = entry?.flags;
  const next: Deadline | null = consul.nextDeadline;
  if (next?.reason.kind === "session-ttl") next.reason.session.toUpperCase();
  const response: Response = await consul.fetch("/v1/kv/a", { signal: AbortSignal.timeout(1) });
  const { fetch }: { fetch: typeof globalThis.fetch } = consul;
  for await (const event of consul) return told(event);
  return `${written.ok} ${flags} ${response.status} ${await fetch("/").then((it) => it.text())}`;
}

export async function everywhere(consul: Consul, inline: Inline): Promise<string> {
  using uninstall: Disposable & (() => void) = consul.install({ origin: "http://consul.test" });
  uninstall();
  serveSite({ store: "consul", address: location.origin });
  await using port: Port = await serve(consul, { port: 0 });
  await serve(inline).then((it) => it.close());
  const { status } = await consul.request({ method: "GET", target: "/v1/status/leader" });
  // @ts-expect-error a target is needed
  await consul.request({ method: "GET" });
  return `${port.address} ${status}`;
}

export async function simulated(): Promise<string[]> {
  using world: World = await World.create({ seed: 7, clients: ["web-1"] });
  const web = world.client("web-1");
  const put: Promise<Response> = web.fetch("/v1/kv/a", { method: "PUT", body: "1" });
  const events: WorldEvent[] = world.spawn("web-1", "p", { recipe: "lock", key: "b", ttl: 10_000 });
  world.inject("web-1", "pauses", { after: "1s", for: "20s" });
  await put;
  // @ts-expect-error no recipe has this name
  world.spawn("web-1", "q", { recipe: "locks", key: "b" });
  // @ts-expect-error a lock has no limit
  world.spawn("web-1", "q", { recipe: "lock", key: "b", limit: 2 });
  // @ts-expect-error a semaphore needs a limit
  world.spawn("web-1", "q", { recipe: "semaphore", key: "b" });
  // @ts-expect-error it is called lockDelay, as everywhere
  world.spawn("web-1", "q", { recipe: "lock", key: "b", delay: "1s" });
  // @ts-expect-error no fault has this name
  world.inject("web-1", "melts");
  world.inject("web-1", "clock-jump", { ahead: "1s" });
  // @ts-expect-error a cut has no rate
  world.inject("web-1", "cut", { rate: 500 });
  return events.map((event) =>
    event.kind === "server" && event.event?.kind === "session-ended"
      ? event.event.reason.kind
      : (event.line?.what ?? `${world.earliestTakeover("b")?.at}`),
  );
}

function told(event: ConsulEvent): string {
  switch (event.kind) {
    case "session-ended":
      return event.reason.kind === "check-critical" ? event.reason.check : event.session.id;
    case "query-waits": {
      const left: number = event.minIndex - event.index;
      return `${left}`;
    }
    case "answered":
      return event.reason ? why(event.reason) : `${event.status}`;
    default:
      return `${event.at}`;
  }
}

function why(reason: RefusalReason): string {
  return reason.kind === "lock-delay" ? `until ${reason.until}: ${reason.cause.kind}` : reason.kind;
}

export function codeOf(error: unknown): ErrorCode | null {
  return error instanceof LictorError ? error.code : null;
}

export async function production(consul: Consul): Promise<boolean> {
  using realTime: Disposable & { stop(): void } = consul.realTime({ clock: { monotonic: Date.now } });
  realTime.stop();
  await using held = await realLock("a", { fetch, signal: AbortSignal.timeout(1), lockDelay: 0 });
  // @ts-expect-error an option that does not exist
  await realLock("a", { lockdelay: 0 });
  return held.fence.modifyIndex === consul.get("a")?.modifyIndex;
}

export async function refused(consul: Inline) {
  // @ts-expect-error an option that does not exist
  consul.createSession({ lockdelay: "1s" });
  // @ts-expect-error a TTL is a number or a text
  consul.createSession({ ttl: 5n });
  // @ts-expect-error a value is needed
  consul.put("a");
  // @ts-expect-error no event has this kind
  consul.subscribe((event) => event.kind === "sesion-ended");
  // @ts-expect-error the entry may be missing
  consul.get("a").text;
  // @ts-expect-error Flags are a BigInt
  const flags: number | undefined = consul.get("a")?.flags;
  return flags;
}
