// The error that the functions of the package throw. `fetch` also throws the errors of its standard: a
// TypeError, and the reason of an aborted signal.

/** @import { ErrorCode, Failed, RefusalReason } from "./types.js" */

/** Why a call failed. `code` is for programs, `message` for people. */
export class LictorError extends Error {
  /**
   * An error with its parts.
   * @param {Partial<Failed> & { code: ErrorCode, message: string }} failed
   * @param {ErrorOptions} [options]
   */
  constructor(failed, options) {
    super(failed.message, options);
    this.name = "LictorError";
    /** @type {ErrorCode} */
    this.code = failed.code;
    /**
     * The HTTP status of Consul's answer; null if there is none.
     * @type {number | null}
     */
    this.status = failed.status ?? null;
    /**
     * What Consul's answer does not state; null if there is nothing more.
     * @type {RefusalReason | null}
     */
    this.reason = failed.reason ?? null;
    /**
     * With the code `not-released`: until when the key may stay locked, or `"session"` if until the
     * session of the caller ends; null if it is free.
     * @type {Date | "session" | null}
     */
    this.lockedUntil = null;
  }
}

/**
 * An error about an argument.
 * @param {string} message
 * @param {ErrorOptions} [options]
 */
export function invalidArgument(message, options) {
  return new LictorError({ code: "invalid-argument", message }, options);
}
