// Lets servers answer the requests of the page or process itself: `fetch` and XMLHttpRequest are
// replaced while a server is installed for an origin.

import { invalidArgument } from "./errors.js";
import { isAnswered } from "./requests.js";
import { answeredXhr } from "./xhr.js";

/** @typedef {(input: Request | URL, init?: RequestInit) => Promise<Response>} Answer */

/** @type {Map<string, Answer>} */
const installed = new Map();

/** @type {(() => void) | undefined} */
let restore;

/**
 * Installs a server for the origin of an address. Throws if one is installed for it already.
 * @param {URL} address
 * @param {Answer} answer
 * @returns {() => void} a function that ends it
 */
export function install({ origin }, answer) {
  if (installed.has(origin)) throw invalidArgument(`a server is installed for ${origin} already`);
  installed.set(origin, answer);
  restore ??= replace();
  return () => {
    if (installed.get(origin) !== answer) return;
    installed.delete(origin);
    if (installed.size > 0) return;
    restore?.();
    restore = undefined;
  };
}

/**
 * The server that answers requests to a URL, and the URL; undefined if none does.
 * @param {unknown} input
 * @returns {{ url: URL, answer: Answer } | undefined}
 */
function serverOf(input) {
  let url;
  try {
    url = new URL(`${input}`, globalThis.document?.baseURI ?? globalThis.location?.href);
  } catch {
    return undefined;
  }
  const answer = installed.get(url.origin);
  return answer && isAnswered(url, url.origin) ? { url, answer } : undefined;
}

/** Replaces `fetch` and XMLHttpRequest. Returns a function that restores them. */
function replace() {
  const { fetch: original, XMLHttpRequest: Original } = globalThis;
  /** @type {typeof globalThis.fetch} */
  const pageFetch = (input, init) => {
    const isRequest = input instanceof Request;
    const server = serverOf(isRequest ? input.url : input);
    return server
      ? server.answer(isRequest ? input : server.url, init)
      : original.call(globalThis, input, init);
  };
  globalThis.fetch = pageFetch;
  const Xhr = Original && answeredXhr(Original, serverOf);
  if (Xhr) globalThis.XMLHttpRequest = Xhr;
  return () => {
    // A function that was wrapped since stays: without a server it passes everything on.
    if (globalThis.fetch === pageFetch) globalThis.fetch = original;
    if (Xhr && globalThis.XMLHttpRequest === Xhr) globalThis.XMLHttpRequest = Original;
  };
}
