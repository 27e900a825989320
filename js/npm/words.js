// Writes acts of a world in the line language of Lictor's traces (docs/en/reference/formats.md) from names and
// options. Only types and the form of options' names are
// checked here; Rust refuses unknown verbs, names and options.

import { shown } from "./arguments.js";
import { invalidArgument } from "./errors.js";

/** @typedef {Record<string, string | number | readonly string[] | undefined>} Options */

/** Options whose numbers are milliseconds. */
const SPANS = new Set(
  ["after", "ahead", "back", "detection", "every", "for", "jitter", "latency"],
);

/**
 * One word, in quotes if it needs them.
 * @param {unknown} value
 */
export function word(value) {
  if (typeof value !== "string" && typeof value !== "number") {
    throw invalidArgument(`a name or an option must be a text or a number, not ${shown(value)}`);
  }
  const text = `${value}`;
  if (/^[^\s"\\=]+$/.test(text)) return text;
  const escapes = /** @type {Record<string, string>} */ ({ "\n": "\\n", "\r": "\\r", "\t": "\\t" });
  return `"${text.replace(/[\\"]/g, "\\$&").replace(/[\n\r\t]/g, (it) => escapes[it] ?? it)}"`;
}

/**
 * The options themselves; throws if they are not an object.
 * @param {Options} options
 */
export function objectOf(options) {
  if (options !== null && typeof options === "object") return options;
  throw invalidArgument(`options must be an object, not ${shown(options)}`);
}

/**
 * A verb with its operands and options.
 * @param {string} verb
 * @param {unknown[]} operands
 * @param {Options} [options]
 */
export function words(verb, operands, options = {}) {
  const written = Object.entries(objectOf(options)).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one) => option(name, one)),
  );
  return [verb, ...operands.map(word), ...written].join(" ");
}

/**
 * An option as `name=value`. A number is in milliseconds if the option is a time.
 * @param {string} name
 * @param {unknown} value
 */
function option(name, value) {
  if (!/^[a-z][a-zA-Z-]*$/.test(name)) throw invalidArgument(`there is no option ${name}`);
  const isSpan = typeof value === "number" && SPANS.has(name);
  const kebab = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `${kebab}=${word(isSpan ? `${value}ms` : value)}`;
}
