// Writes a world as a test, a diagram or a trace in a thread of its own, so that the page stays usable
// meanwhile. It runs the module of the page, which is compiled already, with a memory of its own.

/** @param {MessageEvent<{ js: string, module: WebAssembly.Module, request: [world: string, format: string] }>} event */
onmessage = async ({ data: { js, module, request: [world, format] } }) => {
  try {
    const page = await import(js);
    await page.default({ module_or_path: module });
    postMessage([page.exportWorld(world, format), page.fileName(format), page.needs(format)]);
  } catch (error) {
    // The exporter throws its reasons as strings; anything else is a file that is missing, or a trap.
    postMessage(typeof error === "string" ? [error] : []);
  }
};
