// The examples of the README that begin from nothing run as they are pasted.

import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { promisify } from "node:util";

const readme = await readFile(new URL("README.md", import.meta.resolve("lictor")), "utf8");
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);

for (const start of ["Consul.create(", "World.create("]) {
  test(`the README's example of ${start}...) runs`, async () => {
    const code = examples.find((example) => example.includes("import") && example.includes(start));
    const file = new URL(`example-${start.slice(0, 5)}.mjs`, import.meta.url);
    await writeFile(file, code);
    // Otherwise Node takes an example with a test for one of its own runs.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    try {
      await promisify(execFile)(process.execPath, [file.pathname], { env });
    } finally {
      await rm(file);
    }
  });
}
