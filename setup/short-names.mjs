// node setup/short-names.mjs WASM JS: gives short names to the functions by which a WebAssembly file
// and its glue code call each other, in both files: wasm-bindgen's names end in hashes, which no
// compression makes smaller.
import { readFileSync, writeFileSync } from "node:fs";
import { leb, number, sections } from "./wasm-file.mjs";

const IMPORTS = 2;
const EXPORTS = 7;
const FUNCTION = 0;

const [wasmPath, jsPath] = process.argv.slice(2);
const file = readFileSync(wasmPath);
const short = new Map();
const parts = [file.subarray(0, 8)];
for (const { kind, at, start, end } of sections(file)) {
  const content = { [IMPORTS]: imports, [EXPORTS]: exports }[kind]?.(start);
  parts.push(content ? Buffer.from([kind, ...leb(content.length), ...content]) : file.subarray(at, end));
}
const glue = readFileSync(jsPath, "utf8");
writeFileSync(wasmPath, Buffer.concat(parts));
writeFileSync(jsPath, glue.replace(/[\w$]+/g, (word) => short.get(word) ?? word));

// wasm-bindgen imports functions only.
function imports(start) {
  let [count, at] = number(file, start);
  const content = leb(count);
  for (; count > 0; count--) {
    const module = text(at);
    const name = text(module.end);
    if (file[name.end] !== FUNCTION) throw new Error("an import that is no function");
    const end = number(file, name.end + 1)[1];
    content.push(...file.subarray(at, module.end), ...shortened(name.text), ...file.subarray(name.end, end));
    at = end;
  }
  return content;
}

function exports(start) {
  let [count, at] = number(file, start);
  const content = leb(count);
  for (; count > 0; count--) {
    const name = text(at);
    const end = number(file, name.end + 1)[1];
    content.push(...shortened(name.text), ...file.subarray(name.end, end));
    at = end;
  }
  return content;
}

// Names without a hash are the interface and stay.
function shortened(name) {
  if (/_[0-9a-f]{16}/.test(name)) short.set(name, `_${short.size.toString(36)}`);
  const bytes = Buffer.from(short.get(name) ?? name);
  return [...leb(bytes.length), ...bytes];
}

function text(at) {
  const [length, start] = number(file, at);
  return { text: file.toString("utf8", start, start + length), end: start + length };
}
