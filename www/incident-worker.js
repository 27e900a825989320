// Reads the texts of an incident in a thread of its own, so that the page stays usable meanwhile. It loads a
// WebAssembly file that the page does not have. The texts do not leave the browser.

import init, { readIncident } from "./lictor-js.js";

/** @typedef {{ file: File, clockOffset: number }} Source */

/** @param {MessageEvent<{ sources: Source[], redact: boolean }>} event */
onmessage = async ({ data: { sources, redact } }) => {
  try {
    const read = async (/** @type {Source} */ { file, clockOffset }) => ({
      name: file.name,
      text: await file.text(),
      clockOffset,
    });
    const texts = await Promise.all(sources.map(read));
    await init();
    const now = new Date().toISOString();
    const progress = (/** @type {number} */ share) => postMessage({ progress: share });
    postMessage({ report: JSON.parse(readIncident(texts, "", now, redact, progress)) });
  } catch (error) {
    // The bindings throw an object with a message, too.
    const { message } = /** @type {{ message?: string }} */ (error);
    postMessage({ error: message ?? `${error}` });
  }
};
