//! What has happened in the small worlds of several tests.

/// web-1 holds the lock.
pub(crate) const HELD: [&str; 2] =
    ["web-1 session ttl=10s", "web-1 put db/leader value=web-1 acquire=S1"];

/// web-1 holds the lock, and web-2 was refused.
pub(crate) const REFUSED: [&str; 4] = [
    "web-1 session ttl=10s",
    "web-1 put db/leader value=web-1 acquire=S1",
    "web-2 session ttl=10s",
    "web-2 put db/leader value=web-2 acquire=S2",
];

/// The session of web-1, which is cut off, has expired, and the lock-delay runs.
pub(crate) const SESSION_EXPIRED: [&str; 4] =
    ["web-1 session ttl=10s", "web-1 put db/leader value=web-1 acquire=S1", "web-1 cut", "20000"];

/// web-2 holds the lock, and web-1, which is cut off, still believes that it does.
pub(crate) const TWO_BELIEVERS: [&str; 7] = [
    "web-1 session ttl=10s",
    "web-1 put db/leader value=web-1 acquire=S1",
    "web-1 cut",
    "35000",
    "web-2 session ttl=10s",
    "web-2 put db/leader value=web-2 acquire=S2",
    "1000",
];

/// web-1 holds a slot of a semaphore of two, in the way of the published guide.
pub(crate) const SLOT_TAKEN: [&str; 3] = [
    "web-1 session ttl=10s",
    "web-1 PUT /v1/kv/service/db/<S1>?acquire=<S1> body=web-1",
    r#"web-1 PUT /v1/kv/service/db/.lock?cas=0 body="{\"Limit\":2,\"Holders\":[\"<S1>\"]}""#,
];
