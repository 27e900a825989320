// Converts the options of programs and faults to the line language of Lictor's traces
// (docs/en/reference/formats.md). Unknown options and values of a wrong type are refused.

import { flag, options as read, shown, span, text, unsigned } from "./arguments.js";
import { invalidArgument } from "./errors.js";
import { objectOf, words } from "./words.js";

/** @import { Span } from "./types.js" */
/** @import { Options } from "./words.js" */

/**
 * The options of every program.
 * @typedef {object} RunOptions
 * @property {Span | "never"} [hold] How long it holds what it has acquired; until an order by default.
 * @property {"unlock" | "stand-still" | "lock-again"} [onLoss] What it does when it notices a loss.
 * @property {Span | "never"} [again] How long after its end it starts again; `never` by default.
 * @property {Span | "never"} [requestTimeout] How long an answer may take beyond its wait; for ever by
 * default, as in Consul's Go client.
 */

/**
 * The options of a lock.
 * @typedef {object} LockOptions
 * @property {string} [value] What the holder writes to its key.
 * @property {string} [name] The name of the session, for people.
 * @property {Span} [ttl] The TTL of the session; 15 s by default.
 * @property {Span} [lockDelay] The lock-delay of the session; Consul's 15 s by default, and for 0.
 * @property {string} [session] A session of another client in its place.
 * @property {boolean} [once] Gives up after `waitTime` instead of waiting for its turn.
 * @property {Span} [waitTime] How long one read waits for the lock; 15 s by default.
 * @property {number} [monitorRetries] How often in a row the watch is repeated; 0 by default.
 * @property {Span} [monitorRetryTime] The pause before that; 2 s by default.
 */

/**
 * The options of a semaphore beyond those of a lock.
 * @typedef {object} SlotOptions
 * @property {number} limit How many clients may hold a slot.
 * @property {"go" | "guide"} [style] Whose semaphore it is: that of the Go client by default, or that of
 * Consul's guide, whose session has no TTL by default.
 */

/**
 * The options of a writer beyond those of its lock.
 * @typedef {object} WriterOptions
 * @property {Span} [every] How often it writes; each second by default.
 * @property {FenceKind} [token] What it shows to the resource that it writes to.
 */

/**
 * The options of a lock as a shell script takes it, without renewals or a watch.
 * @typedef {object} NaiveOptions
 * @property {string} [value] What the holder writes to its key.
 * @property {string} [name] The name of the session, for people.
 * @property {Span} [ttl] The TTL of the session; 10 s by default.
 * @property {"release" | "delete"} [behavior] What the end of the session does to the key.
 * @property {Span} [lockDelay] The lock-delay of the session; 15 s by default.
 * @property {Span} [pause] The pause between two attempts; 1 s by default.
 */

/**
 * The options of `consul lock`, whose `key` is a prefix.
 * @typedef {object} ConsulLockOptions
 * @property {string} [command] The name of its child process.
 * @property {Span | "never"} [runs] How long the child runs; until it is stopped by default.
 * @property {"success" | "failure"} [ends] How the child ends.
 * @property {Span | "never"} [stopTime] How long the child needs to end after SIGTERM; no time by default.
 * @property {Span | "never"} [every] How often the child writes; never by default.
 * @property {number} [holders] How many may hold it; 1 by default.
 * @property {string} [name] The name of the session, for people.
 * @property {Span} [timeout] How long it waits for its turn; for ever by default.
 * @property {number} [monitorRetries] How often in a row the watch is repeated; 3 by default.
 * @property {"own" | "child"} [exitCode] Whose exit code it returns.
 */

/**
 * The options of blocking reads of one key.
 * @typedef {object} WatcherOptions
 * @property {Span | "never"} [waitTime] How long one read waits; 300 s by default.
 * @property {Span} [pause] The pause between two reads; none by default.
 * @property {"on-decrease" | "never"} [indexReset] When it begins again from index 0.
 * @property {"answers" | "leaders"} [reports] What it reports.
 */

/**
 * A program: docs/en/reference/recipes.md describes each recipe.
 * @typedef {{ key: string, uses?: string } & RunOptions & (
 *   | ({ recipe: "lock" | "candidate" } & LockOptions)
 *   | ({ recipe: "semaphore" } & Omit<LockOptions, "lockDelay"> & SlotOptions)
 *   | ({ recipe: "writer" } & LockOptions & WriterOptions)
 *   | ({ recipe: "naive" } & NaiveOptions)
 *   | ({ recipe: "consul-lock" } & ConsulLockOptions)
 *   | ({ recipe: "watcher" } & WatcherOptions)
 * )} SpawnOptions
 */

/**
 * What a guarded resource compares.
 * @typedef {"nothing" | "session" | "lock-index" | "modify-index" | "triple" | "check-session"} FenceKind
 */

/**
 * What happens to the packets of a cut connection.
 * @typedef {"drop" | "reject" | "reset" | "host-unreachable" | "prohibited" | "interface-down" | "no-neighbour"} CutMode
 */

/**
 * The faults with their own options.
 * @typedef {object} FaultOptions
 * @property {{}} pauses
 * @property {{ memory?: "kept" | "lost" }} crashes
 * @property {{ way?: "both" | "to-server" | "from-server", mode?: CutMode }} cut
 * @property {{ rate: number }} clock-rate `rate` in thousandths
 * @property {{ ahead: Span } | { back: Span }} clock-jump
 * @property {{ detection: Span }} node-silent
 * @property {{}} node-removed
 * @property {{ check: string }} check-critical
 * @property {{}} loses-answer
 * @property {{}} leader-lost another server is the leader at once
 * @property {LeaderLossOptions} leader-killed an election follows; `for` is its length
 * @property {LeaderLossOptions} leader-cut the same, with a leader that does not answer
 * @property {LeaderLossOptions} server-killed the only server; `for` is how long it is down
 */

/**
 * How the servers lose their leader.
 * @typedef {object} LeaderLossOptions
 * @property {number} [multiplier] `raft_multiplier`, from 1 to 10; 5 by default.
 */

/** @typedef {keyof FaultOptions} FaultKind */

/**
 * When a fault begins and ends.
 * @typedef {object} PlanOptions
 * @property {Span} [after] How long after now it begins; at once by default.
 * @property {Span} [for] How long it lasts; until it is mended by default.
 * @property {number} [times] How often it happens.
 * @property {Span} [every] How long after its beginning it begins again.
 * @property {Span} [jitter] By how much that varies at most.
 */

/** @typedef {(name: string, value: unknown) => string} Check reads a value, and returns its word */

/** @type {Check} */
const time = (name, value) => (typeof span(name, value) === "number" ? `${value}ms` : `${value}`);
/** @type {Check} */
const count = (name, value) => `${unsigned(name, value)}`;
/** @type {Check} */
const tries = (name, value) => (flag(name, value) ? "once" : "forever");

const RUN = { hold: time, onLoss: text, again: time, requestTimeout: time };

const LOCK = {
  value: text,
  name: text,
  ttl: time,
  lockDelay: time,
  session: text,
  once: tries,
  waitTime: time,
  monitorRetries: count,
  monitorRetryTime: time,
};

// As in the Go client, the session of a semaphore has no lock-delay of its own.
const { lockDelay: _, ...SLOT } = LOCK;

/** @type {Record<string, Record<string, Check>>} */
const RECIPES = {
  lock: LOCK,
  candidate: LOCK,
  semaphore: { limit: count, style: text, ...SLOT },
  writer: { ...LOCK, every: time, token: text },
  naive: { value: text, name: text, ttl: time, behavior: text, lockDelay: time, pause: time },
  "consul-lock": {
    command: text,
    runs: time,
    ends: text,
    stopTime: time,
    every: time,
    holders: count,
    name: text,
    timeout: time,
    monitorRetries: count,
    exitCode: text,
  },
  watcher: { waitTime: time, pause: time, indexReset: text, reports: text },
};

/** Options that have another name in the line language. */
const WORDS = {
  lockDelay: "delay",
  once: "tries",
  waitTime: "wait",
  monitorRetries: "retries",
  monitorRetryTime: "retryTime",
  reports: "tells",
};

/**
 * The words that add a program.
 * @param {string} program
 * @param {SpawnOptions} options
 */
export function spawnWords(program, options) {
  const { recipe, key, uses, ...rest } = Object(options);
  const own = Object.hasOwn(RECIPES, recipe) ? RECIPES[recipe] : undefined;
  if (!own) {
    const known = Object.keys(RECIPES).join(", ");
    throw invalidArgument(`there is no recipe ${shown(recipe)}, only ${known}`);
  }
  const names =
    recipe === "consul-lock" ? { ...WORDS, monitorRetries: "monitorRetry" } : WORDS;
  const entries = Object.entries(read(rest, { ...own, ...RUN })).map(([name, value]) => [
    Object.hasOwn(names, name) ? names[/** @type {keyof WORDS} */ (name)] : name,
    value,
  ]);
  return words("spawns", [program, recipe, key], { ...Object.fromEntries(entries), uses });
}

/**
 * The words of a fault. A check and a rate are operands, all other options have their names.
 * @param {string[]} verbs
 * @param {string} fault
 * @param {object} [options]
 */
export function faultWords(verbs, fault, options = {}) {
  const { check, rate, ...rest } = objectOf(/** @type {Options} */ (options));
  const [verb, ...operands] = [...verbs, text("the fault", fault), check, rate];
  return words(`${verb}`, operands.filter((it) => it !== undefined), rest);
}
