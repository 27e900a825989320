// What the scripts here read and write of the WebAssembly format.

// The sections of a file: the kind of each, where it begins, and where its content begins and ends.
export function* sections(file) {
  for (let at = 8; at < file.length; ) {
    const [size, start] = number(file, at + 1);
    yield { kind: file[at], at, start, end: start + size };
    at = start + size;
  }
}

// An unsigned number in LEB128, and the place after it.
export function number(file, at) {
  let [value, shift] = [0, 0];
  for (; ; shift += 7) {
    const byte = file[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return [value, at];
  }
}

export function leb(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
  return [...bytes, value];
}
