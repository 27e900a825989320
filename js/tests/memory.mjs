// The memory of the package in tests: a measure of what is in use, and a module that can use little.

/**
 * The memory outside of JavaScript's own heap, after everything that is unreachable has been freed.
 * Node's figure includes array buffers.
 */
export async function external() {
  for (let round = 0; round < 4; round += 1) {
    globalThis.gc();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().external;
}

/**
 * The module with a memory that grows by ten pages at most: its engine fails when they are used up.
 * @param {Uint8Array} wasm
 */
export function withLittleMemory(wasm) {
  const leb = (at) => {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = wasm[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    return [value, at];
  };
  for (let at = 8; at < wasm.length;) {
    const id = wasm[at];
    const [length, start] = leb(at + 1);
    if (id === 5) {
      const [pages] = leb(start + 2);
      const limit = pages + 10;
      const section = [
        5,
        6,
        1,
        1,
        (pages & 127) | 128,
        pages >> 7,
        (limit & 127) | 128,
        limit >> 7,
      ];
      return Uint8Array.from([
        ...wasm.subarray(0, at),
        ...section,
        ...wasm.subarray(start + length),
      ]);
    }
    at = start + length;
  }
  throw new Error("the module has no memory");
}
