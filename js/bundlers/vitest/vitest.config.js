// The same tests in Node and in Chromium.

import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

import { launchOptions } from "../chromium.mjs";

const chromium = {
  enabled: true,
  headless: true,
  screenshotFailures: false,
  provider: playwright({ launchOptions: launchOptions() }),
  instances: [{ browser: "chromium" }],
};

export default defineConfig({
  test: {
    projects: [
      { test: { name: "node" } },
      {
        optimizeDeps: { exclude: ["lictor"] },
        server: { fs: { allow: [".."] } },
        test: { name: "chromium", browser: chromium },
      },
    ],
  },
});
