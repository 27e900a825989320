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
 * Who can take a key, and when, if nobody acts and the leader stays. Times are RFC 3339; null is never, or not known.
 * @typedef {object} IncidentAnswer
 * @property {string} key
 * @property {"held" | "delayed" | "maybe-delayed" | "free" | "semaphore" | "unknown"} kind
 * @property {string} headline the answer in a line: the state in capitals, the key, its holder, and the moments
 * @property {string} asOf the moment for which it holds
 * @property {boolean} assumed whether nothing says when its list was taken, so that this moment is assumed
 * @property {string | null} holder the session that holds it
 * @property {string | null} likely the session that holds it probably, as it asked last and no text has the answer
 * @property {string | null} since when the holder asked for it, by a log
 * @property {string | null} earliest
 * @property {string | null} latest
 * @property {string} sentence
 * @property {string[]} reasons each with the line that it rests on
 * @property {string[]} mismatches what the logs of clients have about the key that contradicts the server; each begins
 * with "But", as it follows the sentence
 * @property {{ session: string, name: string, times: number, last: string, inVain: boolean }[]} asked the other
 * sessions that have asked for it, and whether each of their attempts was certainly answered with `false`
 * @property {string[]} commands commands of a shell that would help, and certainly end no live session
 * @property {MissingText[]} missing what would show more
 */

/**
 * Something that is in no text.
 * @typedef {object} MissingText
 * @property {string} what
 * @property {string} shows what it would show, as a clause after "It would show"
 * @property {string} command the command of a shell that prints it
 */

/**
 * A list, and when it was taken.
 * @typedef {object} IncidentList
 * @property {string} source the name of the text
 * @property {number} line
 * @property {string} list what it is, with its place
 * @property {string} asOf the moment that counts, which is the latest possible one
 * @property {string | null} notBefore the earliest possible moment; null if it can have any age
 * @property {string} by what says so
 * @property {boolean} assumed whether nothing says so
 */

/**
 * What the end of a session does to the keys that it holds.
 * @typedef {object} SessionEffects
 * @property {string} session
 * @property {string} name
 * @property {string[]} frees
 * @property {string[]} deletes
 * @property {string[]} perhaps the keys that it may hold, as the log does not say it
 * @property {boolean} allKeys whether these are certainly all keys that it holds
 * @property {number | null} delay the milliseconds for which nobody can acquire one of these keys; null if no text
 * has it
 * @property {string[]} checks the checks whose failure ends it, as far as the texts have them
 * @property {boolean} allChecks whether these are all
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
 * The bounds of a moment, in RFC 3339; null is not known.
 * @typedef {object} TimeBounds
 * @property {string | null} earliest
 * @property {string | null} latest
 */

/**
 * Something that lasts, in a lane of the picture.
 * @typedef {object} PictureBar
 * @property {"held" | "unheld" | "delayed" | "lives" | "believes"} kind
 * @property {string | null} session the session that holds the key, or of which a client believes so
 * @property {string | null} name this session as people name it
 * @property {TimeBounds} begin if its latest begin is after its earliest end, it is only known that it lasted at some
 * moment between the two
 * @property {TimeBounds | null} end null if it lasts at the moment of the answer, or, with `ifNobodyActs`, as long as
 * nobody acts
 * @property {"expired" | "destroyed" | "nodeFailed" | "nodeRemoved" | "lost" | "released" | null} endReason
 * @property {boolean} ifNobodyActs whether this is what follows if nobody acts and the leader stays
 * @property {boolean} isAssumed whether it rests on a list of which nothing says when it was taken
 */

/**
 * Something that happens at a moment, in a lane of the picture.
 * @typedef {object} PictureMark
 * @property {"asked" | "refused" | "renewed" | "renewedByClient" | "elected" | "acquired" | "lost" | "released"} kind
 * @property {string} time
 * @property {string | null} session the session that asks for the key
 * @property {string | null} name this session as people name it
 */

/**
 * A lane of the picture: a lock, the document of a semaphore (only `openFrom`), the life of a session, or when a client
 * believed that it holds a key.
 * @typedef {object} PictureLane
 * @property {"lock" | "semaphore" | "session" | "client"} kind
 * @property {string} key
 * @property {string} name the key, the session as people name it, or the client
 * @property {string | null} session
 * @property {PictureBar[]} bars
 * @property {PictureMark[]} marks what happens at a moment
 * @property {number} earlierMarks how many marks before these were left out
 * @property {TimeBounds | null} openFrom when another client can take the lock, or a slot, if nobody acts; null for
 * other lanes, if it is not known who holds the key, and if this has no known bound, as of a holder without a TTL
 */

/**
 * What the texts show of locks, sessions and clients, in lanes of real time.
 * @typedef {object} Picture
 * @property {string} moment the moment for which the answers hold
 * @property {PictureLane[]} lanes at most 40
 * @property {number} leftOutKeys how many keys have no lane
 * @property {number} leftOutOthers how many sessions and clients of the keys that have a lane have none
 */

/**
 * The answers to an incident, and what its texts contain.
 * @typedef {object} IncidentReport
 * @property {string} asOf the moment for which it holds
 * @property {boolean} complete whether each key is known, and nothing is missing
 * @property {IncidentAnswer[]} answers one for each key that is or was locked, delayed or contended
 * @property {MissingText[]} missing what would show more, for all answers
 * @property {IncidentList[]} lists
 * @property {SessionEffects[]} effects
 * @property {{ source: string, line: number, reason: string }[]} unused what was not used
 * @property {string | null} world a world that begins at this moment, as the text of a log
 * @property {string | null} noWorld why there is none
 * @property {string[]} assumptions what that world assumes where the texts leave something open
 * @property {SourceSummary[]} sources what each text holds
 * @property {{ before: number, events: ObservedEvent[], lines: string[] }} observed the last events of all texts, in
 * the order of time, how many there are before them, and both as lines of text
 * @property {Picture} picture
 */

/**
 * Reads lists of Consul's HTTP interface, decoded snapshots, logs of a server and logs of applications, in any order
 * and mixture. What the texts do not show is not known, or has bounds. It rejects with the code `unreadable` if they
 * have nothing of Consul's, or are of two datacenters or clusters.
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
