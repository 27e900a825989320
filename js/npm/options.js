// The known options of loading, of servers and of sessions, each with the function that checks its
// value.

import { own, span, text, texts, unsigned } from "./arguments.js";

export const KNOWN_LOAD_OPTIONS = { address: own, wasm: own };

export const KNOWN_SERVER_OPTIONS = {
  version: text,
  seed: unsigned,
  node: text,
  datacenter: text,
  sessionTtlMin: span,
  ...KNOWN_LOAD_OPTIONS,
};

export const KNOWN_SESSION_OPTIONS = {
  name: text,
  ttl: span,
  lockDelay: span,
  behavior: text,
  node: text,
  nodeChecks: texts,
};
