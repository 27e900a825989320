// node setup/order-functions.mjs IN OUT: names the functions of a WebAssembly file so that those
// with much code in common come one after the other when they are sorted by name (wasm-opt
// --reorder-functions-by-name). To repeat what stands near costs less than what stands far away, so
// that makes the page 9 kB smaller. Nothing but the order changes.
import { readFileSync, writeFileSync } from "node:fs";
import { leb, number, sections } from "./wasm-file.mjs";

const SHINGLE = 6; // Bytes that are compared as one.
const COMMON = 200; // What stands in more functions than these tells nothing.
const WINDOW = 26000; // Bytes that a new function is compared with.
const LENGTH = 20; // What is added to a length, so that the shortest do not come first.

const file = readFileSync(process.argv[2]);
const { imported, bodies } = functions();
const names = order().map((body, place) => [imported + body, String(place).padStart(6, "0")]);
writeFileSync(process.argv[3], Buffer.concat([file, nameSection(names)]));

function functions() {
  let imported = 0;
  const bodies = [];
  for (const { kind, start } of sections(file)) {
    if (kind === 2) imported = importedFunctions(start);
    if (kind === 10) {
      let [count, place] = number(file, start);
      for (; count > 0; count--) {
        const [length, body] = number(file, place);
        bodies.push(file.subarray(body, body + length));
        place = body + length;
      }
    }
  }
  return { imported, bodies };
}

// wasm-bindgen imports functions only.
function importedFunctions(start) {
  let [count, at] = number(file, start);
  for (let left = count; left > 0; left--) {
    for (const _ of ["module", "name"]) {
      const [length, text] = number(file, at);
      at = text + length;
    }
    if (file[at] !== 0) throw new Error("an import that is no function");
    at = number(file, at + 1)[1];
  }
  return count;
}

// Each time the function that has most in common with those just before, for its length. The fewer
// functions share something, the more it tells: between many, gzip finds it anyway.
function order() {
  const holders = new Map();
  bodies.forEach((body, index) => {
    for (const shingle of shingles(body)) {
      if (!holders.has(shingle)) holders.set(shingle, []);
      holders.get(shingle).push(index);
    }
  });
  const telling = bodies.map((body) =>
    [...shingles(body)]
      .map((shingle) => holders.get(shingle))
      .filter((all) => all.length > 1 && all.length <= COMMON),
  );
  const worth = (all) => 1 / (all.length - 1);
  const whole = telling.map((shared) => shared.reduce((sum, all) => sum + worth(all), 0));
  const left = new Set(bodies.keys());
  const common = new Float64Array(bodies.length);
  const count = (index, sign) => {
    for (const all of telling[index]) {
      for (const other of all) common[other] += sign * worth(all);
    }
  };
  const sorted = [];
  let [first, size] = [0, 0];
  while (left.size > 0) {
    let best = -1;
    let most = -1;
    for (const index of left) {
      const share = common[index] / (whole[index] + LENGTH);
      if (share > most) [best, most] = [index, share];
    }
    left.delete(best);
    sorted.push(best);
    count(best, 1);
    size += bodies[best].length;
    while (size > WINDOW && sorted[first] !== best) {
      count(sorted[first], -1);
      size -= bodies[sorted[first++]].length;
    }
  }
  return sorted;
}

function shingles(body) {
  const all = new Set();
  for (let at = 0; at + SHINGLE <= body.length; at++) {
    all.add(body.latin1Slice(at, at + SHINGLE));
  }
  return all;
}

function nameSection(names) {
  names.sort(([one], [other]) => one - other);
  const entries = names.flatMap(([index, name]) => [...leb(index), name.length, ...Buffer.from(name)]);
  const list = [...leb(names.length), ...entries];
  const body = [4, ...Buffer.from("name"), 1, ...leb(list.length), ...list];
  return Buffer.from([0, ...leb(body.length), ...body]);
}
