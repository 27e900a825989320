//! The table of the strings about requests in few words.

type Text = &'static str;

/// Requests in two or three words, in one language.
pub struct RequestWords {
    pub creates: Text,
    pub renews: fn(&str) -> String,
    pub destroys: fn(&str) -> String,
    pub reads: Text,
    pub waits: Text,
    /// A blocking query ends without a change.
    pub wait_ends: Text,
    pub acquires: fn(&str) -> String,
    /// An acquire that is not granted.
    pub tries: fn(&str) -> String,
    pub releases: fn(&str) -> String,
    pub writes: fn(&str) -> String,
    pub deletes: fn(&str) -> String,
    /// A key whose lock-delay is over.
    pub free: fn(&str) -> String,
}
