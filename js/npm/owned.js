// A value in the memory of a WebAssembly instance that belongs to one JavaScript object. It is freed once, and
// calls after that fail. A panic makes this value unusable and no other one.

import { LictorError } from "./errors.js";

/** @import { CommonGlue } from "./glue.js" */
/** @import { Instance } from "./instance.js" */

/**
 * A value with the instance in which it is.
 * @template {CommonGlue} G
 * @template {{ free(): void, __destroy_into_raw(): number }} V
 */
export class Owned {
  #instance;
  #value;
  #what;
  #ended;
  #isOver = false;

  /**
   * @param {Instance<G>} instance
   * @param {V} value
   * @param {string} what what it is, for errors
   * @param {(error: LictorError) => void} ended called once, when it is freed or lost
   */
  constructor(instance, value, what, ended) {
    this.#instance = instance;
    this.#value = value;
    this.#what = what;
    this.#ended = ended;
  }

  get isOver() {
    return this.#isOver;
  }

  /**
   * Calls the value. What it throws is a `LictorError`.
   * @template T
   * @param {(value: V, glue: G) => T} action
   * @returns {T}
   */
  run(action) {
    if (this.#isOver && !this.#instance.isPoisoned) throw this.#closed();
    try {
      return this.#instance.run((glue) => action(this.#value, glue));
    } catch (error) {
      if (this.#instance.isPoisoned && !this.#isOver) {
        // Its finalizer would run in the instance that has failed.
        this.#value.__destroy_into_raw();
        this.#isOver = true;
        this.#ended(/** @type {LictorError} */ (error));
      }
      throw error;
    }
  }

  free() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended(this.#closed());
    this.#value.free();
    this.#instance.release();
  }

  #closed() {
    return new LictorError({ code: "closed", message: `the ${this.#what} was freed` });
  }
}

/**
 * Makes a value in an instance. If that fails, the instance is released for another owner.
 * @template {CommonGlue} G
 * @template V
 * @param {Instance<G>} instance
 * @param {(glue: G) => V} begin
 */
export function begun(instance, begin) {
  try {
    return instance.run(begin);
  } catch (error) {
    instance.release();
    throw error;
  }
}
