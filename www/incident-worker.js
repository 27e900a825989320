// Reads the texts of an incident in a thread of its own, so that the page stays usable meanwhile. It runs the module
// of the page, which is compiled already, with a memory of its own. The texts do not leave the browser.

/** @typedef {{ name: string, file: File, clockOffset: number, patterns?: string[] }} Source */

/** @typedef {{ sources: Source[], redact: boolean, followed?: { key?: string, prefix?: string } }} ReadRequest */

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
  const effects = report.effects.map((/** @type {any} */ { sentence }) => sentence);
  const unused = report.unused.map(
    (/** @type {any} */ { source, line, reason }) => `${source}:${line}: ${reason}`,
  );
  return { ...report, answers, sources, effects, unused, observed: report.observed.lines };
}

/** @param {MessageEvent<{ js: string, module: WebAssembly.Module, request: ReadRequest }>} event */
onmessage = async ({ data: { js, module, request: { sources, redact, followed } } }) => {
  try {
    const read = async (/** @type {Source} */ { file, ...others }) => ({
      text: await file.text(),
      ...others,
    });
    const texts = await Promise.all(sources.map(read));
    const page = await import(js);
    await page.default({ module_or_path: module });
    const now = new Date().toISOString();
    const progress = (/** @type {number} */ share) => postMessage({ progress: share });
    const report = JSON.parse(page.readIncident(texts, now, redact, progress, followed?.key, followed?.prefix));
    postMessage({ report: shortened(report) });
  } catch (error) {
    // The reader throws its reasons as strings; anything else is a file that is missing, or a trap.
    if (typeof error !== "string") console.error(error);
    postMessage(typeof error === "string" ? { error } : "failed");
  }
};
