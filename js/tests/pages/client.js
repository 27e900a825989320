// The client of Consul that agent/tests/clients/javascript has, unchanged, in a page: the package
// `consul` with the polyfills of a bundler, whose requests an installed server answers.

import { Consul } from "lictor";

import { clockAnswer } from "../clock.mjs";

export async function run() {
  const consul = await Consul.create();
  consul.install({ origin: "http://localhost:8500" });
  let waiting = 0;
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href);
    const body = clockAnswer(consul, url.pathname + url.search, () => waiting);
    if (body !== undefined) return new Response(body);
    waiting += 1;
    return fetch(input, init).finally(() => (waiting -= 1));
  };
  const lines = [];
  console.log = (line) => lines.push(line);
  const ended = new Promise((resolve) => {
    globalThis.exitOfClient = resolve;
  });
  await import("../client.js");
  await ended;
  return lines;
}

globalThis.run = run;
