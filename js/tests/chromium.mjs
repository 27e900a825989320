// Headless Chromium for the tests: that of LICTOR_CHROMIUM, the one on PATH, or an installed Chrome.

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

import { launch } from "puppeteer-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

function onPath() {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of NAMES) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // It is not there.
      }
    }
  }
  return undefined;
}

/** How Puppeteer and Playwright start this browser. */
export function launchOptions() {
  const executablePath = process.env.LICTOR_CHROMIUM ?? onPath();
  // Chromium has no sandbox for root, as in containers.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return executablePath ? { executablePath, args } : { channel: "chrome", args };
}

export function chromium() {
  return launch({ ...launchOptions(), protocolTimeout: 30_000 });
}
