// Reads the texts of an incident in a thread of its own, so that the page stays usable meanwhile. It loads a
// WebAssembly file that the page does not have. The texts do not leave the browser.

import init, { readIncident } from "./lictor-js.js";

/** @typedef {{ file: File, clockOffset: number, patterns?: string[] }} Source */

/** The report with less structure, which the page shows line by line. */
function shortened(/** @type {any} */ report) {
  const answers = report.answers.map((/** @type {any} */ answer) => ({
    ...answer,
    reasons: [...answer.mismatches, ...answer.reasons],
  }));
  const sources = report.sources.map((/** @type {any} */ source) => ({
    ...source,
    patterns: source.application?.patterns
      .map((/** @type {{ pattern: string }} */ { pattern }) => pattern)
      .join("\n"),
  }));
  return { ...report, answers, sources, observed: report.observed.lines };
}

/** @param {MessageEvent<{ sources: Source[], redact: boolean }>} event */
onmessage = async ({ data: { sources, redact } }) => {
  try {
    const read = async (/** @type {Source} */ { file, ...others }) => ({
      name: file.name,
      text: await file.text(),
      ...others,
    });
    const texts = await Promise.all(sources.map(read));
    await init();
    const now = new Date().toISOString();
    const progress = (/** @type {number} */ share) => postMessage({ progress: share });
    const report = JSON.parse(readIncident(texts, "", now, redact, progress));
    postMessage({ report: shortened(report) });
  } catch (error) {
    // What the bindings refuse has a code. Anything else is a failure of theirs.
    const { code, message } = /** @type {{ code?: string, message?: string }} */ (error);
    if (code === undefined) console.error(error);
    postMessage(code === undefined ? "failed" : { error: message });
  }
};
