// node setup/unpacker.mjs SCRIPT FOLDER: puts xz-decompress into a folder as two files, unpack.js and
// unpack.wasm. In its package the second stands in the first as base64, which gzip makes a third larger.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [scriptPath, folder] = process.argv.slice(2);
const NAME = "unpack.wasm";
let script = readFileSync(scriptPath, "utf8");
let code;
change(/"data:application\/wasm;base64,([\w+/=]+)"/, (_, base64) => {
  code = Buffer.from(base64, "base64");
  return `"${NAME}"`;
});
change(/(\w+)\.replace\("data:application\/wasm;base64,",""\)/, "$1");
change(/Uint8Array\.from\(atob\((\w+)\),\(?\w+=>\w+\.charCodeAt\(0\)\)?\)\.buffer/, (_, name) => `await(await fetch(${name})).arrayBuffer()`);
writeFileSync(join(folder, "unpack.js"), script);
writeFileSync(join(folder, NAME), code);

function change(pattern, by) {
  if (!pattern.test(script)) throw new Error(`${scriptPath} is another release: it has no ${pattern}`);
  script = script.replace(pattern, by);
}
