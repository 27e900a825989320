// Checks of arguments and options. A wrong one throws a `LictorError` with the code `invalid-argument`
// before anything is changed.

import { invalidArgument } from "./errors.js";

const encoder = new TextEncoder();

/**
 * The type of a value, for messages.
 * @param {unknown} value
 * @returns {string}
 */
const kindOf = (value) =>
  value === null
    ? "null"
    : typeof value === "object"
      ? (value.constructor?.name ?? "object")
      : typeof value;

/**
 * A value for messages: itself if it is plain, else its type.
 * @param {unknown} value
 */
export const shown = (value) =>
  ["string", "number", "bigint", "boolean"].includes(typeof value) ? `${value}` : kindOf(value);

/**
 * @param {string} name
 * @param {unknown} value
 */
export function text(name, value) {
  if (typeof value !== "string")
    throw invalidArgument(`${name} must be a string, not ${kindOf(value)}`);
  return value;
}

/**
 * The bytes of a value; a string is encoded as UTF-8.
 * @param {string} name
 * @param {unknown} value
 */
export function bytes(name, value) {
  if (typeof value === "string") return encoder.encode(value);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value))
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  throw invalidArgument(
    `${name} must be a string, an ArrayBuffer or a view of one, not ${kindOf(value)}`,
  );
}

/**
 * A whole number from 0 to 2^64-1.
 * @param {string} name
 * @param {unknown} value
 */
export function unsigned(name, value) {
  const isExact = typeof value === "bigint" || Number.isSafeInteger(value);
  const number = isExact ? BigInt(/** @type {bigint | number} */ (value)) : -1n;
  if (number < 0n || number >= 1n << 64n) {
    const hint = typeof value === "number" ? "; above 2^53 it must be a BigInt" : "";
    throw invalidArgument(
      `${name} must be a whole number from 0 to 2^64-1, not ${shown(value)}${hint}`,
    );
  }
  return number;
}

/**
 * A duration, whose text is parsed in Rust.
 * @param {string} name
 * @param {unknown} value
 * @returns {string | number}
 */
export function span(name, value) {
  if (typeof value === "string" || (typeof value === "number" && Number.isFinite(value)))
    return value;
  const actual = typeof value === "number" ? value : kindOf(value);
  throw invalidArgument(
    `${name} must be a number of milliseconds or a text such as "10s", not ${actual}`,
  );
}

/**
 * Checks options by their names: `known` has a check for each. Those that are undefined are left out.
 * @param {unknown} options
 * @param {Record<string, (name: string, value: unknown) => unknown>} known
 * @returns {Record<string, unknown>}
 */
export function options(options, known) {
  if (options === undefined) return {};
  if (options === null || typeof options !== "object") {
    throw invalidArgument(`options must be an object, not ${kindOf(options)}`);
  }
  /** @type {Record<string, unknown>} */
  const read = {};
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!check)
      throw invalidArgument(`there is no option ${name}, only ${Object.keys(known).join(", ")}`);
    if (value !== undefined) read[name] = check(name, value);
  }
  return read;
}

/**
 * The check of an option that is checked later.
 * @param {string} _
 * @param {unknown} value
 */
export const own = (_, value) => value;

/**
 * @param {string} name
 * @param {unknown} value
 */
export function flag(name, value) {
  if (typeof value === "boolean") return value;
  throw invalidArgument(`${name} must be true or false`);
}

/**
 * @param {string} name
 * @param {unknown} value
 */
export function texts(name, value) {
  if (!Array.isArray(value))
    throw invalidArgument(`${name} must be an array, not ${kindOf(value)}`);
  return value.map((item) => text(`each of ${name}`, item));
}
