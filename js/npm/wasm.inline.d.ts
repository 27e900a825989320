export declare const wasm: () => Promise<Uint8Array<ArrayBuffer>>;
