// Reads the texts of an incident in a thread of its own, so that the page stays usable meanwhile. It has a
// WebAssembly file of its own, which only this script loads. Nothing that it reads leaves the browser.

import init, { readIncident } from "./lictor-js.js";

/** @param {MessageEvent<File[]>} event */
onmessage = async ({ data: files }) => {
  try {
    const texts = await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() })));
    await init();
    postMessage({ report: JSON.parse(readIncident(texts, "", new Date().toISOString())) });
  } catch (error) {
    // What the bindings throw is an object with a message, too.
    const { message } = /** @type {{ message?: string }} */ (error);
    postMessage({ error: message ?? `${error}` });
  }
};
