//! The last time on the lanes: not before the end of a live session with the lock-delay after it,
//! of a lock-delay, or of a period in which two clients believe that they hold a lock. Ends more
//! than ten minutes ahead do not count.

use core::time::Duration;

use lictor_core::engine::applied_lock_delay;
use lictor_core::time::Instant;
use lictor_sim::record::{LockTrack, Record, SessionTrack};

use super::axis::{Extent, span_for};
use crate::format::shown;
use crate::time_travel::TimeTravel;

/// Ends later than this do not count: a session may live for two days.
const FARTHEST: Duration = Duration::from_secs(600);
/// The time ahead for which an overlap of beliefs is shown at most: it may have no end.
const LONGEST_OVERLAP: Duration = Duration::from_secs(60);
/// The last end on the lanes is at most at this share of the axis, so that its name has room.
const NEEDED_AT_MOST: f64 = 0.9;

/// The last time on the lanes, for the part of the axis that the reader chose.
pub fn horizon(past: &TimeTravel, extent: Extent) -> Instant {
    let least = horizon_without_needs(shown(past.end()), extent);
    let farthest = past.end().plus(FARTHEST);
    let needed = needed(past).into_iter().filter(|at| *at <= farthest).max();
    let needed = needed.map(|at| Instant::EPOCH.plus(span_for(at, NEEDED_AT_MOST)));
    needed.map_or(least, |needed| needed.max(least))
}

/// The last time on the lanes if nothing has to be shown after the end of the branch.
pub fn horizon_without_needs(end: Instant, extent: Extent) -> Instant {
    let (_, to) = extent.around(end);
    to.max(Extent::Whole.around(end).1)
}

fn needed(past: &TimeTravel) -> Vec<Instant> {
    let record = past.record_at_end();
    let mut needed = Vec::new();
    for track in record.sessions().filter(|track| track.ended.is_none()) {
        if let Some(clock) = track.clock {
            needed.push(clock.ends.plus(lock_delay_after(record, track)));
        }
    }
    needed.extend(record.locks().filter_map(|(_, lock)| Some(lock.delays.last()?.until)));
    let forecast = past.forecast();
    let latest = past.end().plus(LONGEST_OVERLAP);
    for overlap in forecast.record.beliefs_about_locks().filter_map(|it| it.overlaps.last()) {
        needed.push(overlap.to.unwrap_or(latest).min(latest));
    }
    needed
}

/// The lock-delay that the end of a session starts: zero if the session holds no lock.
fn lock_delay_after(record: &Record, session: &SessionTrack) -> Duration {
    let is_held = |lock: &LockTrack| {
        let last = lock.tenures.last().filter(|tenure| tenure.to.is_none());
        last.is_some_and(|tenure| tenure.session == session.tag)
    };
    if !record.locks().any(|(_, lock)| is_held(lock)) {
        return Duration::ZERO;
    }
    applied_lock_delay(session.session.lock_delay)
}
