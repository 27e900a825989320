/// <reference lib="esnext.disposable" preserve="true" />
/// <reference types="./platform.d.ts" preserve="true" />
// A server in memory at a port of this machine, for clients that use node:http. Only Node can load it.

import { createServer } from "node:http";

import { options as read, text, unsigned } from "./arguments.js";
import { invalidArgument } from "./errors.js";

/** @import { IncomingMessage, ServerResponse } from "node:http" */
/** @import { RawRequest } from "./requests.js" */
/** @import { HttpAnswer } from "./types.js" */

/** The longest body that is read, as in lictor-agent. */
const BODY_MAX = 32 << 20;

/**
 * What answers requests: a `Consul`.
 * @typedef {{ request(request: RawRequest, options: { signal: AbortSignal }): Promise<HttpAnswer> }} Server
 */

/**
 * A port at which a server answers.
 * @typedef {object} Port
 * @property {string} address Its URL, such as `http://127.0.0.1:49152`
 * @property {string} host
 * @property {number} port
 * @property {() => Promise<void>} close Closes the port and its connections; the server stays
 */

/**
 * Answers HTTP requests at a port. A client that closes its connection cancels its blocking query.
 * The clock remains that of the server: `advance()` or `realTime()` lets time pass.
 * @param {Server} consul
 * @param {{ port?: number, host?: string }} [options] by default, any free port of 127.0.0.1
 * @returns {Promise<Port & AsyncDisposable>}
 */
export async function serve(consul, options) {
  const { port = 0, host = "127.0.0.1" } = read(options, { port: unsigned, host: text });
  if (typeof consul?.request !== "function") throw invalidArgument("serve takes a Consul");
  const number = Number(port);
  if (number > 65_535) throw invalidArgument(`there is no port ${number}`);
  const server = createServer((request, response) => void answer(consul, request, response));
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(number, /** @type {string} */ (host), () => resolve(undefined));
  });
  const bound = server.address();
  const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  /** @type {Promise<void> | undefined} */
  let closing;
  const close = () =>
    (closing ??= new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }));
  return {
    address: `http://${name}:${bound.port}`,
    host: bound.address,
    port: bound.port,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * @param {Server} consul
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 */
async function answer(consul, request, response) {
  const controller = new AbortController();
  response.once("close", () => controller.abort());
  try {
    const body = await bodyOf(request);
    if (!body) {
      response.writeHead(413, { connection: "close" });
      response.end(`Request body too large, max size: ${BODY_MAX} bytes.`);
      return;
    }
    const { method, url: target } = request;
    const headers = pairs(request.rawHeaders);
    const { signal } = controller;
    const answer = await consul.request({ method, target, headers, body }, { signal });
    for (const [name, value] of answer.headers) response.appendHeader(name, value);
    if (!response.hasHeader("content-length"))
      response.appendHeader("content-length", `${answer.body.length}`);
    response.writeHead(answer.status);
    response.end(answer.body);
  } catch {
    // The client has gone, or the server was freed: as with a server that has stopped, no answer.
    request.socket.destroy();
  }
}

/** @param {IncomingMessage} request */
async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    parts.push(part);
    length += part.length;
    if (length > BODY_MAX) return undefined;
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

/**
 * @param {string[]} flat names and values in turn
 * @returns {[string, string][]}
 */
const pairs = (flat) =>
  flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ""]] : []));
