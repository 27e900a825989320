// Generated from js/src (types, options.rs, error.rs); a test compares both.

/**
 * A duration: milliseconds, or a text such as `10s` or `1m30s`.
 */
export type Span = number | string;

/**
 * The options of a server.
 */
export type ServerOptions = { 
/**
 * The version of Consul whose answers the server gives: `1.22` (the default) or `1.13`.
 */
version?: string, 
/**
 * Decides the ids of sessions and the jitter of blocking queries; 1 by default.
 */
seed?: number | bigint, 
/**
 * The name of the server's node; `n1` by default.
 */
node?: string, 
/**
 * The name of the datacenter; `dc1` by default.
 */
datacenter?: string, 
/**
 * The shortest TTL of a session; 10 s by default, as in Consul.
 */
sessionTtlMin?: Span, };

/**
 * The options of a session.
 */
export type SessionOptions = { 
/**
 * A name for people.
 */
name?: string, 
/**
 * How long the session lives without a renewal, at least: it ends after twice this time.
 * Without a TTL it lives until it is destroyed, or until a check fails.
 */
ttl?: Span, 
/**
 * How long a key that the session holds when it ends cannot be acquired; 15 s by default.
 */
lockDelay?: Span, 
/**
 * What the end of the session does to the keys that it holds; they are released by default.
 */
behavior?: "release" | "delete", 
/**
 * The node of the session; the server's own by default.
 */
node?: string, 
/**
 * The checks of that node on which the session depends; `["serfHealth"]` by default.
 */
nodeChecks?: Array<string>, };

/**
 * Any bytes.
 */
export type Bytes = Uint8Array;

/**
 * One key with its value and its lock.
 */
export type Entry = { key: string, 
/**
 * The bytes of the value.
 */
value: Bytes, 
/**
 * The value as text; bytes that are not UTF-8 read as U+FFFD.
 */
text: string, 
/**
 * Opaque to the server, and exact: Consul's Go client marks locks with 3304740253564472344,
 * which a number cannot hold.
 */
flags: bigint, 
/**
 * How often the lock was acquired.
 */
lockIndex: number, 
/**
 * The session that holds the lock; null if it is free.
 */
session: string | null, createIndex: number, modifyIndex: number, };

/**
 * A live session.
 */
export type Session = { id: string, name: string, node: string, 
/**
 * The TTL as it was sent; empty if the session has none.
 */
ttl: string, 
/**
 * Milliseconds.
 */
lockDelay: number, behavior: "release" | "delete", 
/**
 * The checks that the session depends on.
 */
checks: Array<string>, createIndex: number, };

/**
 * The outcome of a write. `false` is an ordinary answer of Consul, and no error.
 */
export type WriteResult = { 
/**
 * What Consul answers.
 */
ok: boolean, 
/**
 * The index of the log entry; 0 if the write did not reach the log.
 */
index: number, 
/**
 * Why the answer is `false`; null if it is `true`.
 */
reason: RefusalReason | null, 
/**
 * The answer with its reason in words, for messages: `false: held by ... since #12`.
 */
text: string, };

/**
 * The next thing that happens without a request.
 */
export type Deadline = { 
/**
 * The time of the server's clock, in milliseconds.
 */
at: number, reason: DeadlineReason, };

/**
 * The answer to a request that JavaScript sent as HTTP.
 */
export type HttpAnswer = { 
/**
 * The number of the request.
 */
request: number, status: number, headers: Array<[string, string]>, body: Bytes, };

/**
 * Why a session ended.
 */
export type EndReason = { "kind": "destroyed" } | { "kind": "ttl-expired" } | { "kind": "check-critical", check: string, } | { "kind": "check-removed", check: string, } | { "kind": "node-removed" } | { "kind": "followed-session-ended", check: string, session: string, } | { "kind": "unknown" };

/**
 * Why an answer is `false`, empty or an error. Consul's answers do not contain it.
 */
export type RefusalReason = { "kind": "held-by", holder: string, since: number, } | { "kind": "lock-delay", until: number, armed: number, session: string, cause: EndReason, } | { "kind": "not-held" } | { "kind": "key-missing" } | { "kind": "index-differs", expected: number, actual: number, } | { "kind": "session-ended", session: string, at: number, index: number, cause: EndReason, } | { "kind": "session-unknown" } | { "kind": "transaction-failed", failed: number, } | { "kind": "no-leader", since: number, };

/**
 * Why a blocking query is answered.
 */
export type WakeReason = { "kind": "changed", key: string | null, } | { "kind": "deleted", key: string, } | { "kind": "same-keys", key: string, } | { "kind": "no-match" } | { "kind": "other-row" } | { "kind": "time-up" };

/**
 * What happens at a deadline.
 */
export type DeadlineReason = { "kind": "session-ttl", session: string, } | { "kind": "lock-delay", key: string, } | { "kind": "blocking-query", request: number, } | { "kind": "check-ttl", node: string, check: string, } | { "kind": "tombstones" };

/**
 * Something that happened in a server, in the order in which it happened.
 */
export type ConsulEvent = { 
/**
 * The time of the server's clock, in milliseconds.
 */
at: number, 
/**
 * The index of the last log entry at that time.
 */
index: number, } & ({ "kind": "requested", request: number, method: string, target: string, } | { "kind": "answered", request: number, status: number, reason: RefusalReason | null, wake: WakeReason | null, } | { "kind": "logged" } | { "kind": "key-written", entry: Entry, before: Entry | null, } | { "kind": "key-deleted", before: Entry, } | { "kind": "session-created", session: Session, } | { "kind": "session-ended", session: Session, reason: EndReason, held: Array<string>, } | { "kind": "session-renewed", session: string, ends: number, } | { "kind": "lock-delay-started", key: string, until: number, session: string, reason: EndReason, } | { "kind": "lock-delay-over", key: string, } | { "kind": "query-waits", request: number, minIndex: number, until: number, } | { "kind": "query-cancelled", request: number, } | { "kind": "timer-fired", reason: DeadlineReason, } | { "kind": "leader-changed" } | { "kind": "leader-lost" } | { "kind": "node-written", node: string, } | { "kind": "node-deleted", node: string, } | { "kind": "service-written", node: string, service: string, } | { "kind": "service-deleted", node: string, service: string, } | { "kind": "check-written", node: string, check: string, status: string, follows: string | null, } | { "kind": "check-deleted", node: string, check: string, } | { "kind": "prepared-query-written", query: string, } | { "kind": "prepared-query-deleted", query: string, });

/**
 * What happened.
 */
export type ConsulEventKind = { "kind": "requested", request: number, method: string, target: string, } | { "kind": "answered", request: number, status: number, reason: RefusalReason | null, wake: WakeReason | null, } | { "kind": "logged" } | { "kind": "key-written", entry: Entry, before: Entry | null, } | { "kind": "key-deleted", before: Entry, } | { "kind": "session-created", session: Session, } | { "kind": "session-ended", session: Session, reason: EndReason, held: Array<string>, } | { "kind": "session-renewed", session: string, ends: number, } | { "kind": "lock-delay-started", key: string, until: number, session: string, reason: EndReason, } | { "kind": "lock-delay-over", key: string, } | { "kind": "query-waits", request: number, minIndex: number, until: number, } | { "kind": "query-cancelled", request: number, } | { "kind": "timer-fired", reason: DeadlineReason, } | { "kind": "leader-changed" } | { "kind": "leader-lost" } | { "kind": "node-written", node: string, } | { "kind": "node-deleted", node: string, } | { "kind": "service-written", node: string, service: string, } | { "kind": "service-deleted", node: string, service: string, } | { "kind": "check-written", node: string, check: string, status: string, follows: string | null, } | { "kind": "check-deleted", node: string, check: string, } | { "kind": "prepared-query-written", query: string, } | { "kind": "prepared-query-deleted", query: string, };

/**
 * The fencing token of a lock: what a guarded resource compares.
 */
export type LockFence = { key: string, session: string, 
/**
 * How often the key was acquired; a plain write or a deletion resets it.
 */
lockIndex: number | null, 
/**
 * The log entry of the acquire, or of a later write while the lock is held; it only grows.
 */
modifyIndex: number | null, };

/**
 * Until when a key may stay locked.
 */
export type KeyLocked = { "kind": "free" } | { "kind": "for", millis: number, } | { "kind": "callers-session" };

/**
 * How a client program ended.
 */
export type ClientOutcome = { "kind": "released" } | { "kind": "not-acquired" } | { "kind": "failed", text: string, isConflict: boolean, status: number | null, } | { "kind": "lost", text: string, } | { "kind": "not-released", text: string, status: number | null, until: KeyLocked, };

/**
 * What a client program has to do or learns.
 */
export type ClientStep = { "kind": "send", call: number, method: string, target: string, body: Bytes, } | { "kind": "abandon", call: number, } | { "kind": "acquired", fence: LockFence, } | { "kind": "lost", text: string, } | { "kind": "leader", value: Bytes | null, } | { "kind": "ended", outcome: ClientOutcome, };

/**
 * Something that happened in a world.
 */
export type WorldEvent = { 
/**
 * Counts from 1.
 */
number: number, 
/**
 * The time of the world, in milliseconds.
 */
at: number, 
/**
 * The number of the event that caused this one; null for an act.
 */
cause: number | null, 
/**
 * The line of a trace that this event has: its client or `server`, and what happened in words.
 * Null for an intermediate step, such as the arrival of a request.
 */
line: EventLine | null, } & ({ "kind": "joined", client: string, } | { "kind": "sent", call: number, client: string, program: string | null, method: string, target: string, } | { "kind": "answered", call: number, client: string, status: number, reason: RefusalReason | null, } | { "kind": "cancelled", call: number, client: string, } | { "kind": "request-arrived", call: number, } | { "kind": "request-lost", call: number, } | { "kind": "answer-lost", call: number, status: number, } | { "kind": "call-broken", call: number, client: string, error: string | null, } | { "kind": "sent-again", call: number, message: SentMessage, number: number, } | { "kind": "call-repeated", call: number, } | { "kind": "answer-late", call: number, } | { "kind": "caller-gone", call: number, } | { "kind": "fault-began", client: string | null, } | { "kind": "fault-ended", client: string | null, } | { "kind": "program", client: string, program: string, } | { "kind": "resource-used", client: string, program: string, resource: string, isAccepted: boolean, } | { "kind": "server", event: ConsulEventKind | null, });

/**
 * An event in words, as traces print it. Sessions are `S1`, `S2`, ... in the order of creation.
 */
export type EventLine = { 
/**
 * The index of Consul's log.
 */
index: number | null, 
/**
 * A client, or `server`.
 */
actor: string, what: string, outcome: string | null, };

/**
 * What a network repeats.
 */
export type SentMessage = "dial" | "request" | "answer";

/**
 * The kind of an event of a world.
 */
export type WorldEventKind = { "kind": "joined", client: string, } | { "kind": "sent", call: number, client: string, program: string | null, method: string, target: string, } | { "kind": "answered", call: number, client: string, status: number, reason: RefusalReason | null, } | { "kind": "cancelled", call: number, client: string, } | { "kind": "request-arrived", call: number, } | { "kind": "request-lost", call: number, } | { "kind": "answer-lost", call: number, status: number, } | { "kind": "call-broken", call: number, client: string, error: string | null, } | { "kind": "sent-again", call: number, message: SentMessage, number: number, } | { "kind": "call-repeated", call: number, } | { "kind": "answer-late", call: number, } | { "kind": "caller-gone", call: number, } | { "kind": "fault-began", client: string | null, } | { "kind": "fault-ended", client: string | null, } | { "kind": "program", client: string, program: string, } | { "kind": "resource-used", client: string, program: string, resource: string, isAccepted: boolean, } | { "kind": "server", event: ConsulEventKind | null, };

/**
 * How a request of a client ended.
 */
export type CallEnd = { call: number, 
/**
 * Null if the connection broke.
 */
answer: HttpAnswer | null, };

/**
 * A client of a world.
 */
export type ClientState = { name: string, condition: "up" | "paused" | "down", 
/**
 * Whether a fault cuts its link.
 */
isCut: boolean, 
/**
 * The time that its clock shows, in milliseconds.
 */
clock: number, };

/**
 * A client or a program that believes that its session holds a lock.
 */
export type BeliefRecord = { client: string, 
/**
 * The program on the client; null for the client itself.
 */
program: string | null, session: string, 
/**
 * Since when, in milliseconds.
 */
since: number, 
/**
 * Whether the session really holds the key now.
 */
isTrue: boolean, };

/**
 * A time during which more clients or programs believed that they held a lock than may hold it.
 */
export type OverlapRecord = { 
/**
 * When one too many began to believe so.
 */
from: number, 
/**
 * Null as long as it lasts.
 */
to: number | null, };

/**
 * When a lock can change its holder at the earliest if its holder sends nothing from now on, and
 * the parts of the time until then, in order. All are milliseconds.
 */
export type TakeoverRecord = { at: number, 
/**
 * The session that acquires it.
 */
session: string, 
/**
 * Until the holder's session ends: the rest of twice its TTL.
 */
sessionEnds: number, 
/**
 * The lock-delay after that.
 */
lockDelay: number, 
/**
 * Until the first waiting client tries again and its request arrives.
 */
retry: number, };

/**
 * The next thing that happens in a world without an act.
 */
export type WorldDeadline = { at: number, reason: UpcomingReason, };

/**
 * What happens next.
 */
export type UpcomingReason = { "kind": "server", timer: DeadlineReason, } | { "kind": "scheduled" } | { "kind": "program", program: string, };

/**
 * One of the pasts of a world.
 */
export type BranchRecord = { id: number, name: string, 
/**
 * The time of its end, in milliseconds.
 */
end: number, 
/**
 * Whether the cursor is on it.
 */
isCurrent: boolean, };

/**
 * How two branches differ: the events from the first difference on, up to the end of the shorter
 * branch. Both lists are empty if none differs.
 */
export type BranchComparison = { one: Array<WorldEvent>, other: Array<WorldEvent>, };

/**
 * What a `LictorError` is about.
 */
export type ErrorCode = "invalid-argument" | "refused" | "session-not-found" | "invalid-session" | "invalid-ttl" | "critical-check" | "foreign-url" | "closed" | "panicked" | "unreadable" | "not-loaded" | "not-acquired" | "lost" | "conflict" | "request-failed" | "released" | "not-released" | "not-understood" | "not-possible" | "moved";

/**
 * A failure as it crosses the boundary.
 */
export type Failed = { code: ErrorCode, message: string, 
/**
 * The HTTP status of Consul's answer, if there is one.
 */
status: number | null, 
/**
 * Why Consul refuses, in detail that its answer does not have.
 */
reason: RefusalReason | null, };

