// The types of the packed package as an editor shows them: everything that a user can call has a
// description. `tsc` compiles them in js/tests/types.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

/** The files of the types that the entries of the package export functions and classes from. */
const FILES =
  "client consul errors events incident index inline msw node service-worker world".split(" ");

/** Functions, classes, methods and accessors that follow no description and are not internal. */
function undescribed(/** @type {string} */ types) {
  const lines = types.split("\n");
  const found = [];
  let isPublic = false;
  for (const [at, line] of lines.entries()) {
    if (/^\S.*\b(class|function|const|type|interface)\b/.test(line))
      isPublic = /^export .*(class|function|const) /.test(line);
    const isMember = /^ {4}(static |override |get |set )*(\w+|\[[\w.]+\])(<[^(]*>)?\(/.test(line);
    const isAccessor = /^ {4}(static )?get \w+\(/.test(line);
    const isExport = /^export (declare )?(class|function|const) /.test(line);
    if (!isPublic || (!isMember && !isAccessor && !isExport)) continue;
    const start = lines.slice(0, at).findLastIndex((it) => it.trimStart().startsWith("/**"));
    const comment = lines.slice(start, at).join("\n");
    const isAbove = start >= 0 && comment.indexOf("*/") === comment.length - 2;
    const description = comment.replace(/^\s*\/?\*+\/?/gm, "").split("@")[0];
    if (isAbove && comment.includes("@internal")) continue;
    if (!isAbove || !/\w/.test(description)) found.push(line.trim());
  }
  return found;
}

test("everything that can be called has a description in the types", async () => {
  for (const file of FILES) {
    const types = await readFile(new URL(`${file}.d.ts`, import.meta.resolve("lictor")), "utf8");
    assert.deepEqual(undescribed(types), [], `${file}.d.ts`);
  }
});

test("a declaration without a description is found", () => {
  const described = "/** What it does. */\nexport function a(): void;\n";
  assert.deepEqual(undescribed(described), []);
  for (const types of [
    "export function b(): void;",
    `${described}export function b(): void;`,
    "/** @returns {void} */\nexport function b(): void;",
    "/** A class. */\nexport class C {\n    d(): void;\n}",
    "/** A class. */\nexport class C {\n    /** Is described. */\n    d(): void;\n    get e(): string;\n}",
    "/** A class. */\nexport class C {\n    [Symbol.dispose](): void;\n}",
  ])
    assert.equal(undescribed(types).length, 1, types);
});
