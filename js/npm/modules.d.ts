// What the sources of the package import from elsewhere; only for the check of their types.

declare module "node:fs/promises" {
  export function readFile(path: URL): Promise<Uint8Array<ArrayBuffer>>;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
