// What wasm-bindgen makes of js/src/world_bindings.rs. The functions throw a `Failed`.

import type { CommonGlue } from "./glue.js";
import type {
  BeliefRecord,
  BranchComparison,
  BranchRecord,
  CallEnd,
  ClientState,
  Entry,
  HttpAnswer,
  OverlapRecord,
  TakeoverRecord,
  WorldDeadline,
  WorldEvent,
} from "./types.js";

/** An instance of world.wasm. */
export interface WorldGlue extends CommonGlue {
  SimulatedWorld: {
    new (options: object): SimulatedWorld;
    load(text: string): SimulatedWorld;
  };
}

export interface SimulatedWorld {
  free(): void;
  __destroy_into_raw(): number;
  readonly version: string;
  readonly now: number;
  readonly digest: number;
  act(actor: string, words: string): WorldEvent[];
  request(
    client: string,
    method: string,
    target: string,
    headers: [string, string][],
    body: Uint8Array,
  ): [number, WorldEvent[]];
  cancel(call: number): WorldEvent[];
  takeEnds(): CallEnd[];
  advance(millis: number): WorldEvent[];
  advanceToNext(): WorldEvent[];
  nextDeadline(): WorldDeadline | null;
  events(): WorldEvent[];
  trace(): string;
  explain(event: number): WorldEvent[];
  clients(): ClientState[];
  entry(key: string): Entry | null;
  look(target: string): HttpAnswer;
  beliefs(key: string): BeliefRecord[];
  overlaps(key: string): OverlapRecord[];
  earliestTakeover(key: string): TakeoverRecord | null;
  seekTime(millis: number): void;
  seekEvent(event: number): void;
  fork(name: string): number;
  switch(branch: number): void;
  branches(): BranchRecord[];
  compare(one: number, other: number): BranchComparison;
  link(): string;
  log(): string;
}

/** A fresh set of bindings, which is to be called with a module before anything else. */
export declare const bindings: () => WorldGlue;
