// The clock of a server that a client advances by HTTP, as that of lictor-agent with `--clock manual`. An answer has
// only the number of waiting requests.

/**
 * Answers a request to `/lictor/clock`; returns undefined for other requests.
 * @param {import("lictor").Consul} consul
 * @param {string} target
 * @param {() => number} waiting how many requests wait
 */
export function clockAnswer(consul, target, waiting) {
  const url = new URL(target, "http://localhost");
  if (url.pathname !== "/lictor/clock") return undefined;
  const span = url.searchParams.get("advance");
  if (span !== null) consul.advance(span);
  return JSON.stringify({ Waiting: waiting() });
}

/**
 * A server whose clock can be advanced by HTTP, for `serve` of lictor/node.
 * @param {import("lictor").Consul} consul
 */
export function withClock(consul) {
  let waiting = 0;
  return {
    /** @type {import("lictor").Consul["request"]} */
    async request(request, options) {
      const body = clockAnswer(consul, request.target, () => waiting);
      if (body !== undefined) {
        return { request: 0, status: 200, headers: [], body: new TextEncoder().encode(body) };
      }
      waiting += 1;
      return consul.request(request, options).finally(() => (waiting -= 1));
    },
  };
}
