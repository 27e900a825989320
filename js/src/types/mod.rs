//! The values that JavaScript receives. Every type here is also a type in `npm/types.d.ts`.
//!
//! Times are milliseconds since the server started, as numbers. Indexes are numbers, which are
//! exact because a server's are far below 2^53; a larger one that a client sends is rounded. Flags,
//! which may be any 64-bit number, are BigInts.

pub(crate) mod client;
pub(crate) mod event;
pub(crate) mod reason;
pub(crate) mod record;
#[cfg(feature = "world")]
pub(crate) mod world;

use lictor_core::id::Index;
use lictor_core::time::Instant;

/// A time in milliseconds. Below 2^33 ms (99.4 days) the number, rounded to nanoseconds, is the
/// time; later ones lose nanoseconds.
pub(crate) fn millis(at: Instant) -> f64 {
    at.as_nanos() as f64 / 1e6
}

pub(crate) fn number(index: Index) -> f64 {
    index.0 as f64
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lictor_core::time::Instant;
    use ts_rs::{Config, TS};

    use super::{client, event, millis, reason, record, world};
    use crate::{error, options};

    #[test]
    fn times_are_exact_to_the_nanosecond_below_2_to_the_33_milliseconds() {
        const LIMIT: u64 = (1 << 33) * 1_000_000;
        let is_exact = |nanos: u64| {
            let read = (millis(Instant::from_nanos(nanos)) * 1e6).round();
            read as u64 == nanos
        };
        assert!((1..1_000).all(|back| is_exact(LIMIT - back)));
        assert!(!is_exact(LIMIT + 1));
    }

    /// `LICTOR_TYPES=write cargo test -p lictor-js typescript` writes the file.
    #[test]
    fn the_typescript_types_of_the_package_are_those_of_the_rust_types() {
        fn declaration<T: TS>() -> String {
            let config = Config::default();
            let docs = T::docs().unwrap_or_default();
            format!("{docs}export {}\n\n", T::decl(&config))
        }
        let types = [
            declaration::<options::Span>(),
            declaration::<options::ServerOptions>(),
            declaration::<options::SessionOptions>(),
            declaration::<record::Bytes>(),
            declaration::<record::EntryRecord>(),
            declaration::<record::SessionRecord>(),
            declaration::<record::WriteResult>(),
            declaration::<record::Deadline>(),
            declaration::<record::HttpAnswer>(),
            declaration::<reason::EndReason>(),
            declaration::<reason::RefusalReason>(),
            declaration::<reason::WakeReason>(),
            declaration::<reason::DeadlineReason>(),
            declaration::<event::ConsulEvent>(),
            declaration::<event::What>(),
            declaration::<client::LockFence>(),
            declaration::<client::KeyLocked>(),
            declaration::<client::ClientOutcome>(),
            declaration::<client::ClientStep>(),
            declaration::<world::WorldEvent>(),
            declaration::<world::EventLine>(),
            declaration::<world::SentMessage>(),
            declaration::<world::WorldWhat>(),
            declaration::<world::CallEnd>(),
            declaration::<world::ClientState>(),
            declaration::<world::BeliefRecord>(),
            declaration::<world::OverlapRecord>(),
            declaration::<world::TakeoverRecord>(),
            declaration::<world::WorldDeadline>(),
            declaration::<world::UpcomingReason>(),
            declaration::<world::BranchRecord>(),
            declaration::<world::BranchComparison>(),
            declaration::<error::ErrorCode>(),
            declaration::<error::Failed>(),
        ];
        let head =
            "// Generated from js/src (types, options.rs, error.rs); a test compares both.\n\n";
        let generated = format!("{head}{}", types.concat());
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("npm/types.d.ts");
        if std::env::var_os("LICTOR_TYPES").is_some_and(|value| value == "write") {
            std::fs::write(&path, &generated).expect("the file can be written");
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(committed.trim_end(), generated.trim_end());
    }
}
