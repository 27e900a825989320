/// <reference types="./platform.d.ts" preserve="true" />
// A handler of Mock Service Worker (the package msw) that lets a server in memory answer.

import { http } from "msw";

import { invalidArgument } from "./errors.js";

/** @import { Fetch } from "./platform.js" */

/**
 * A handler for `setupServer` or `setupWorker`: it answers requests to the address of the server.
 * @param {{ readonly address: string, readonly fetch: Fetch }} consul a `Consul`
 */
export function handler(consul) {
  if (typeof consul?.fetch !== "function") throw invalidArgument("handler takes a Consul");
  return http.all(`${new URL(consul.address).origin}/*`, ({ request }) =>
    consul.fetch(request).catch((error) => {
      // msw prints what a handler throws, and nobody waits for an aborted request.
      if (request.signal.aborted) return Response.error();
      throw error;
    }),
  );
}
