// Clocks and timers: those of the platform, or those that a test passes.

import { options as read } from "./arguments.js";
import { invalidArgument } from "./errors.js";

/**
 * The clocks in milliseconds, and timers. One that is left out is that of the platform at the time of
 * the call, so that fake timers work.
 * @typedef {object} Clock
 * @property {() => number} [monotonic] `performance.now()` by default.
 * @property {() => number} [wall] `Date.now()` by default. Only `lictor/client` reads it.
 * @property {(action: () => void, millis: number) => unknown} [setTimeout] Calls a function later.
 * @property {(timer: any) => void} [clearTimeout] Cancels what `setTimeout` returned.
 */

/** @typedef {Required<Clock>} CompleteClock */

/** The longest time that a timer of JavaScript can wait. */
const TIMER_MAX = 2 ** 31 - 1;

/**
 * The check of an option that is a function.
 * @param {string} name
 * @param {unknown} value
 */
export function callback(name, value) {
  if (typeof value !== "function") throw invalidArgument(`${name} must be a function`);
  return value;
}

const CLOCK_OPTIONS = {
  monotonic: callback,
  wall: callback,
  setTimeout: callback,
  clearTimeout: callback,
};

/**
 * The check of the option `clock`.
 * @param {string} _
 * @param {unknown} value
 */
export const clockOption = (_, value) => read(value, CLOCK_OPTIONS);

/**
 * The clock of an option, completed with the platform's.
 * @param {unknown} clock an option that was checked
 * @returns {CompleteClock}
 */
export const completeClock = (clock) => ({
  monotonic: () => performance.now(),
  wall: () => Date.now(),
  setTimeout: (action, millis) => setTimeout(action, millis),
  clearTimeout: (timer) => clearTimeout(timer),
  .../** @type {Clock | undefined} */ (clock),
});

/** A timer with one action. Setting it replaces the time that was set before. */
export class Timer {
  #clock;
  #action;
  /** @type {unknown} */
  #timer;

  /**
   * @param {CompleteClock} clock
   * @param {() => void} action
   */
  constructor(clock, action) {
    this.#clock = clock;
    this.#action = action;
  }

  /**
   * Calls the action after this time, or after the longest time of a timer if that is less, and not at
   * the time that was set before.
   * @param {number} millis
   */
  set(millis) {
    this.cancel();
    const wait = Math.min(Math.max(Math.ceil(millis), 0), TIMER_MAX);
    this.#timer = this.#clock.setTimeout(this.#action, wait);
  }

  cancel() {
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Lets a process of Node end while the timer waits. */
  unref() {
    const timer = /** @type {{ unref?: () => void } | undefined} */ (this.#timer);
    timer?.unref?.();
  }
}

/** Measures the time between readings of a clock, which is never negative. */
export class Stopwatch {
  #clock;
  #read;

  /** @param {CompleteClock} clock */
  constructor(clock) {
    this.#clock = clock;
    this.#read = Number(clock.monotonic());
  }

  /** The milliseconds since this was read last; 0 if the clock was set back. */
  lap() {
    const before = this.#read;
    this.#read = Number(this.#clock.monotonic());
    const passed = this.#read - before;
    return passed > 0 ? passed : 0;
  }
}
