/// <reference lib="esnext.disposable" preserve="true" />
/// <reference types="./platform.d.ts" preserve="true" />
// Serves a server in memory on a port of this machine, for clients that use sockets. It needs Node.

import { createServer } from "node:http";

import { options as read, text, unsigned } from "./arguments.js";
import { invalidArgument } from "./errors.js";

/** @import { IncomingMessage, ServerResponse } from "node:http" */
/** @import { RawRequest } from "./requests.js" */
/** @import { HttpAnswer } from "./types.js" */

/** The longest body that is read, as in lictor-agent. */
const BODY_MAX = 32 << 20;

/**
 * The object that answers requests: a `Consul`.
 * @typedef {{ request(request: RawRequest, options: { signal: AbortSignal }): Promise<HttpAnswer> }} Server
 */

/**
 * A port on which a server answers.
 * @typedef {object} Port
 * @property {string} address Its URL, such as `http://127.0.0.1:49152`
 * @property {string} host
 * @property {number} port
 * @property {() => Promise<void>} close Closes the port and its connections, but does not free the server
 */

/**
 * Answers HTTP requests on a port. A client that closes its connection cancels its blocking query.
 * The clock of the server is not changed: time advances only by `advance()` or `realTime()`.
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
    // The client has disconnected, or the server was freed: there is no answer, as if it had stopped.
    request.socket.destroy();
  }
}

/**
 * The body of a request; undefined if it is too large.
 * @param {IncomingMessage} request
 */
async function bodyOf(request) {
  const parts = [];
  let length = 0;
  for await (const part of request) {
    parts.push(part);
    length += part.length;
    if (length > BODY_MAX) return undefined;
  }
  const body = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    body.set(part, offset);
    offset += part.length;
  }
  return body;
}

/**
 * The headers as pairs.
 * @param {string[]} flat alternating names and values
 * @returns {[string, string][]}
 */
const pairs = (flat) =>
  flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? ""]] : []));
