// The types of the JavaScript that wasm-bindgen generates for lictor.wasm. Its functions throw a `Failed`.

import type {
  ClientStep,
  Deadline,
  HttpAnswer,
  ConsulEvent,
  Entry,
  Session,
  WriteResult,
} from "./types.js";

/** One instance of a WebAssembly module: its memory is its own. */
export interface CommonGlue {
  (module: { module_or_path: WebAssembly.Module }): Promise<{ memory: WebAssembly.Memory }>;
  lastPanic(): string | undefined;
  millisOf(span: unknown): number;
}

/** An instance of lictor.wasm. */
export interface Glue extends CommonGlue {
  ClientProgram: {
    new (key: string, value: Uint8Array, options: object): ClientProgram;
  };
  ConsulServer: {
    new (options: object): ConsulServer;
    load(saved: Uint8Array): ConsulServer;
  };
}

export interface ClientProgram {
  free(): void;
  start(monotonic: number, wall: number): ClientStep[];
  stop(monotonic: number, wall: number): ClientStep[];
  tick(monotonic: number, wall: number): ClientStep[];
  answered(
    monotonic: number,
    wall: number,
    call: number,
    status: number,
    headers: [string, string][],
    body: Uint8Array,
  ): ClientStep[];
  unreachable(monotonic: number, wall: number, call: number): ClientStep[];
  nextDelay(): number | undefined;
  mayAct(monotonic: number, wall: number): boolean;
}

export interface ConsulServer {
  free(): void;
  __destroy_into_raw(): number;
  readonly version: string;
  readonly now: number;
  readonly index: number;
  save(): Uint8Array<ArrayBuffer>;
  nextDeadline(): Deadline | null;
  advance(millis: number): void;
  advanceToNext(): boolean;
  failOver(): void;
  observe(isObserved: boolean): void;
  takeEvents(): ConsulEvent[];
  request(method: string, target: string, headers: [string, string][], body: Uint8Array): number;
  takeAnswers(): HttpAnswer[];
  cancel(request: number): void;
  createSession(options: object): string;
  renewSession(session: string): void;
  destroySession(session: string): void;
  session(session: string): Session | null;
  sessions(): Session[];
  entry(key: string): Entry | null;
  entries(prefix: string): Entry[];
  put(key: string, value: Uint8Array, flags: bigint, cas?: bigint): WriteResult;
  acquire(key: string, value: Uint8Array, flags: bigint, session: string): WriteResult;
  release(key: string, value: Uint8Array, flags: bigint, session: string): WriteResult;
  delete(key: string, cas?: bigint): WriteResult;
  deleteTree(prefix: string): WriteResult;
}

/** A fresh set of bindings, which is to be called with a module before anything else. */
export declare const bindings: () => Glue;
