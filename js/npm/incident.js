/// <reference types="./platform.d.ts" preserve="true" />
// Reads lists and logs of a real Consul, and returns who can take each key, and when. The first call loads
// incident.wasm, a WebAssembly file of its own.

import { wasm as incidentWasm } from "#incident-wasm";
import { flag, options as read, own, shown, text } from "./arguments.js";
import { invalidArgument } from "./errors.js";
import { bindings } from "./incident-glue.js";
import { Instance, compile, moduleOf } from "./instance.js";
import { begun } from "./owned.js";

/** @import { WasmSource } from "./instance.js" */

export { LictorError } from "./errors.js";

/**
 * A text of an incident: what was pasted, or the content of a file.
 * @typedef {object} IncidentText
 * @property {string} name where it comes from, which is printed before line numbers; the name of an empty list
 * (`sessions.json`) is the only sign of what it lists
 * @property {string} text
 * @property {number} [clockOffset] milliseconds that are added to its times, because its clock is behind
 * @property {string[]} [patterns] patterns of the lines that an application wrote, such as
 * `acquired={time} {*} acquired lock {key}`, in place of those that are proposed from its lines; an empty list uses
 * no such line
 */

/**
 * @typedef {object} IncidentOptions
 * @property {string | Date} [at] when the lists were taken, such as `2026-11-26T09:11:49.694Z`; without it a log
 * or a `Date` header has it, else it is now
 * @property {boolean} [redact] whether values of keys, tokens and addresses are replaced before anything is read,
 * so that the report and its world can be shared
 * @property {WasmSource | Promise<WasmSource>} [incidentWasm] `incident.wasm`, if it is not where this
 * package expects it
 */

/**
 * Who can take a key, and when, if nobody acts. Times are RFC 3339; null is never, or not known.
 * @typedef {object} IncidentAnswer
 * @property {string} key
 * @property {"held" | "delayed" | "maybe-delayed" | "free" | "semaphore"} kind
 * @property {string | null} holder the session that holds it
 * @property {string | null} earliest
 * @property {string | null} latest
 * @property {string} sentence
 * @property {string[]} reasons each with the line that it rests on
 * @property {string[]} mismatches what the logs of clients have about the key that contradicts the server; each begins
 * with "But", as it follows the sentence
 * @property {{ session: string, name: string, times: number, last: string }[]} asked who has tried in vain
 * @property {string[]} commands commands of a shell that would help
 */

/**
 * What the end of a session does to the keys that it holds.
 * @typedef {object} SessionEffects
 * @property {string} session
 * @property {string} name
 * @property {string[]} frees
 * @property {string[]} deletes
 * @property {string[]} perhaps the keys that it may hold, as the log does not say it
 * @property {number} delay the milliseconds for which nobody can acquire one of these keys
 * @property {string[]} checks the checks whose failure ends it
 * @property {string} node
 * @property {string} sentence
 */

/**
 * What a text holds.
 * @typedef {object} SourceSummary
 * @property {string} name
 * @property {string} holds its lists with their numbers of entries, and the time of its log
 * @property {number} lines how many lines its log has
 * @property {number} clockOffset the milliseconds that were added to its times
 * @property {{ clockOffset: number, sentence: string } | null} proposal the offset with which its clock would agree
 * with that of another log, if it does not
 * @property {ApplicationLines | null} application the lines that an application wrote
 */

/**
 * The lines of an application in a text.
 * @typedef {object} ApplicationLines
 * @property {number} lines how many have a time and are not of Consul's log
 * @property {string} text how many of them are about which kind of event, in words
 * @property {{ pattern: string, lines: number }[]} patterns each with the number of lines that it found
 * @property {boolean} proposed whether the patterns were proposed from the lines
 */

/**
 * Something that a text shows, or a time of which no text has anything.
 * @typedef {object} ObservedEvent
 * @property {string} time
 * @property {string} text
 * @property {string | null} source the name of the text
 * @property {number | null} line
 * @property {boolean} gap whether it is unknown what happened from this time on
 */

/**
 * The answers to an incident, and what its texts contain.
 * @typedef {object} IncidentReport
 * @property {string} asOf the moment for which it holds
 * @property {IncidentAnswer[]} answers one for each key that is or was locked, delayed or contended
 * @property {SessionEffects[]} effects
 * @property {{ source: string, line: number, reason: string }[]} unused what was not used
 * @property {string | null} world a world that begins at this moment, as the text of a log
 * @property {string | null} noWorld why there is none
 * @property {string[]} assumptions what that world assumes where the texts leave something open
 * @property {SourceSummary[]} sources what each text holds
 * @property {{ before: number, events: ObservedEvent[], lines: string[] }} observed the last events of all texts, in
 * the order of time, how many there are before them, and both as lines of text
 */

/**
 * Reads lists of Consul's HTTP interface, decoded snapshots, logs of a server and logs of applications, in any order
 * and mixture. What the texts do not contain is a bound. It rejects with the code `unreadable` if they have nothing of
 * Consul's.
 * @param {string | IncidentText | (string | IncidentText)[]} texts
 * @param {IncidentOptions} [options]
 * @returns {Promise<IncidentReport>}
 */
export async function readIncident(texts, options) {
  const known = { at: time, redact: flag, incidentWasm: own };
  const { at, redact, incidentWasm: given } = read(options, known);
  const sources = (Array.isArray(texts) ? texts : [texts]).map(sourceOf);
  const source = /** @type {WasmSource | Promise<WasmSource> | undefined} */ (given);
  const module = await (source === undefined ? moduleOf(incidentWasm) : compile(source));
  const instance = await Instance.of(module, bindings);
  const now = new Date().toISOString();
  const report = begun(instance, (glue) => glue.readIncident(sources, `${at ?? ""}`, now, redact === true));
  instance.release();
  return JSON.parse(report);
}

/**
 * @param {string | IncidentText} given
 * @param {number} index
 */
function sourceOf(given, index) {
  if (typeof given === "string") return { name: `text ${index + 1}`, text: given };
  const known = { name: text, text, clockOffset: milliseconds, patterns: list };
  return { name: `text ${index + 1}`, ...read(given, known), text: text("each text", given?.text) };
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function milliseconds(name, value) {
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw invalidArgument(`${name} must be a number of milliseconds, not ${shown(value)}`);
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function list(name, value) {
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
  throw invalidArgument(`${name} must be a list of texts, not ${shown(value)}`);
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function time(name, value) {
  if (typeof value === "string") return value;
  if (value instanceof Date && !Number.isNaN(value.valueOf())) return value.toISOString();
  throw invalidArgument(`${name} must be a time as a string or a Date, not ${shown(value)}`);
}
