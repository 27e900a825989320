// What wasm-bindgen makes of js/src/incident_bindings.rs. The functions throw a `Failed`.

import type { CommonGlue } from "./glue.js";

/** An instance of incident.wasm. */
export interface IncidentGlue extends CommonGlue {
  readIncident(texts: object[], at: string, now: string, redact: boolean): string;
}

/** A fresh set of bindings, which is to be called with a module before anything else. */
export declare const bindings: () => IncidentGlue;
