/// <reference types="./platform.d.ts" preserve="true" />
// Converts requests of the Fetch standard to the form that the engine accepts, and its answers to
// responses. Requests for another origin, and options of the wrong type, are refused.

import { bytes, shown, text } from "./arguments.js";
import { LictorError, invalidArgument } from "./errors.js";

/** @import { HttpAnswer } from "./types.js" */

/**
 * A request whose body has been read.
 * @typedef {object} ReadRequest
 * @property {URL} url
 * @property {string} method
 * @property {[string, string][]} headers
 * @property {Uint8Array} body
 * @property {"follow" | "error" | "manual"} redirect what is done with an answer that is a redirect, as in Fetch
 */

/**
 * A request as it arrives over HTTP.
 * @typedef {object} RawRequest
 * @property {string} method
 * @property {string} target the path and the query, such as `/v1/kv/a?raw`
 * @property {[string, string][]} [headers]
 * @property {Uint8Array} [body]
 */

/** The most redirects that a request follows, as in the Fetch standard. */
const REDIRECTS_MAX = 20;

/** Statuses whose responses have no body. */
const WITHOUT_BODY = [101, 103, 204, 205, 304];

/**
 * The URL of a request; throws if it has another origin than the server.
 * @param {unknown} input
 * @param {URL} base
 */
export function urlOf(input, base) {
  const given = input instanceof Request ? input.url : input;
  if (typeof given !== "string" && !(given instanceof URL)) {
    throw invalidArgument("fetch takes a string, a URL or a Request");
  }
  let url;
  try {
    url = new URL(given, base);
  } catch (cause) {
    throw invalidArgument(`${given} is no URL`, { cause });
  }
  if (url.origin !== base.origin) {
    throw new LictorError({
      code: "foreign-url",
      message: `${url.origin} is not this server, which is ${base.origin}`,
    });
  }
  return url;
}

/**
 * The origin in an option as a URL; throws if it has a path, or is not an origin.
 * @param {unknown} origin
 */
export function originOf(origin) {
  let url;
  try {
    url = new URL(/** @type {string} */ (origin));
  } catch (cause) {
    throw invalidArgument(`the origin ${shown(origin)} is no URL`, { cause });
  }
  if (url.origin === "null" || url.href !== `${url.origin}/`) {
    throw invalidArgument(`the origin ${url.href} is not one, such as http://localhost:8500`);
  }
  return url;
}

/**
 * Whether a request of the page is for the server of an origin. On the page's own origin that is what
 * is below `/v1/`, so that the page can still load its own files.
 * @param {URL} url
 * @param {string} origin
 */
export const isAnswered = (url, origin) =>
  url.origin === origin &&
  (origin !== globalThis.location?.origin || url.pathname.startsWith("/v1/"));

/**
 * @param {RawRequest} request
 * @returns {Required<RawRequest>}
 */
export function readRaw(request) {
  const { method, target, headers = [], body = new Uint8Array() } = Object(request);
  const isPair = (/** @type {unknown} */ it) => Array.isArray(it) && it.length === 2;
  if (!Array.isArray(headers) || !headers.every(isPair))
    throw invalidArgument("headers must be an array of names with values");
  return {
    method: text("the method", method),
    target: text("the target", target),
    headers: headers.map(([name, value]) => [
      text("the name of a header", name),
      text(`the header ${name}`, value),
    ]),
    body: bytes("the body", body),
  };
}

/**
 * Reads a request. The result is a promise if its body is to be read first: that of a `Request`, or one that is neither a
 * text, bytes nor `URLSearchParams`.
 * @param {Request | string | URL} input
 * @param {RequestInit | undefined} init
 * @param {URL} url
 * @returns {ReadRequest | Promise<ReadRequest>}
 */
export function readRequest(input, init, url) {
  const { signal: _, ...rest } = init ?? {};
  let request;
  try {
    request = input instanceof Request ? new Request(input, rest) : new Request(url, rest);
  } catch (cause) {
    throw invalidArgument(cause instanceof Error ? cause.message : String(cause), { cause });
  }
  /** @type {[string, string][]} */
  const headers = [...request.headers];
  const { method, redirect } = request;
  const given = rest.body ?? null;
  /** @param {Uint8Array} body */
  const read = (body) => {
    const isStream = typeof ReadableStream === "function" && given instanceof ReadableStream;
    if (isStream) headers.push(["transfer-encoding", "chunked"]);
    else if (body.length > 0 || !["GET", "HEAD"].includes(method))
      headers.push(["content-length", `${body.length}`]);
    return { url, method, headers, body, redirect };
  };
  if (request.body === null && given === null) return read(new Uint8Array());
  if (given instanceof URLSearchParams) return read(bytes("body", `${given}`));
  if (typeof given === "string" || given instanceof ArrayBuffer || ArrayBuffer.isView(given)) {
    return read(bytes("body", given));
  }
  return request.arrayBuffer().then(
    (buffer) => read(new Uint8Array(buffer)),
    (cause) => {
      throw invalidArgument(`the body cannot be read: ${cause?.message ?? cause}`, { cause });
    },
  );
}

/**
 * The request to send after a redirect; undefined if the answer is no redirect, has no location, or `redirect` is
 * `manual`. Throws a TypeError if `redirect` is `error`, and after the most redirects. As in the Fetch standard, a
 * redirected POST becomes a GET without a body, unless the status keeps the method.
 * @param {ReadRequest} request
 * @param {HttpAnswer} answer
 * @param {number} hops the number of redirects that were followed before
 * @returns {ReadRequest | undefined}
 */
export function redirected(request, answer, hops) {
  if (![301, 302, 307, 308].includes(answer.status) || request.redirect === "manual")
    return undefined;
  const location = answer.headers.find(([name]) => name.toLowerCase() === "location")?.[1];
  if (location === undefined) return undefined;
  if (request.redirect === "error")
    throw new TypeError(`${request.url.pathname} redirects to ${location}`);
  if (hops === REDIRECTS_MAX) throw new TypeError(`more than ${REDIRECTS_MAX} redirects`);
  const url = urlOf(new URL(location, request.url), request.url);
  const becomesGet = answer.status < 303 && request.method === "POST";
  return becomesGet
    ? {
        ...request,
        url,
        method: "GET",
        headers: request.headers.filter(([name]) => !name.startsWith("content-")),
        body: new Uint8Array(),
      }
    : { ...request, url };
}

/**
 * @param {HttpAnswer} answer
 * @param {ReadRequest} request
 * @param {boolean} isRedirected
 */
export function responseOf(answer, request, isRedirected) {
  const hasBody = !WITHOUT_BODY.includes(answer.status) && request.method !== "HEAD";
  const headers = new Headers(answer.headers);
  if (hasBody && !headers.has("content-length"))
    headers.set("content-length", `${answer.body.length}`);
  const body = hasBody ? /** @type {Uint8Array<ArrayBuffer>} */ (answer.body) : null;
  const response = new Response(body, { status: answer.status, headers });
  Object.defineProperties(response, {
    url: { value: request.url.href },
    redirected: { value: isRedirected },
  });
  return response;
}
