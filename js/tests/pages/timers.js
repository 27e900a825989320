// What the bundled client uses of Node's timers/promises.

export const setTimeout = (/** @type {number} */ millis) =>
  new Promise((resolve) => globalThis.setTimeout(resolve, millis));
