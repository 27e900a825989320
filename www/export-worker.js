// Writes a world as a test, a diagram or a trace in a thread of its own, so that the page stays usable
// meanwhile. It has a WebAssembly file of its own, which only this script loads.

import init, { exportWorld, fileName, needs } from "./lictor-export.js";

/** @param {MessageEvent<[world: string, format: string]>} event */
onmessage = async ({ data: [world, format] }) => {
  try {
    await init();
    postMessage([exportWorld(world, format), fileName(format), needs(format)]);
  } catch (error) {
    // The exporter throws its reasons as strings; anything else is a file that is missing, or a trap.
    postMessage(typeof error === "string" ? [error] : []);
  }
};
