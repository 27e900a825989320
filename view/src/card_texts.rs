//! The texts of cards that depend on the time at the cursor: how long a session still lasts, and
//! the times until the next events. Every span comes from `format::between`, so a deadline has the
//! same countdown everywhere.

use lictor_core::engine::SessionClock;
use lictor_core::time::Instant;

use crate::format::between;
use crate::language::Language;
use crate::rows;
use crate::rows::SessionFuture;
use crate::rows::Upcoming;

/// The sentence about the clock of a session, in two parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionClockText {
    /// The warning for how long its TTL is over; `None` while the TTL lasts.
    pub over: Option<String>,
    /// The rest of the sentence.
    pub rest: String,
}

/// The sentence about how long the TTL of a session still lasts, and about its next event.
pub fn session_clock(
    language: Language,
    clock: &SessionClock,
    future: Option<&SessionFuture>,
    now: Instant,
) -> SessionClockText {
    let words = rows::words(language);
    let guaranteed_until = clock.guaranteed_until();
    let then = future
        .map_or_else(String::new, |future| (words.clock_future)(future, between(now, future.at())));
    // The session of a world that began in the state of a cluster may have been past its TTL then.
    let is_over_from_begin = clock.ends.since(Instant::EPOCH) < clock.ttl;
    let over = if is_over_from_begin {
        clock.ttl.saturating_sub(between(now, clock.ends))
    } else if now > guaranteed_until {
        between(guaranteed_until, now)
    } else {
        let guaranteed = (words.clock_guaranteed)(between(now, guaranteed_until));
        return SessionClockText { over: None, rest: guaranteed + &then };
    };
    SessionClockText { over: Some((words.clock_over)(over)), rest: then }
}

/// The texts of one of the next events: the time until it, its sentence, and a short form of that.
pub fn next_up(
    language: Language,
    (at, upcoming): (Instant, &Upcoming),
    now: Instant,
) -> [String; 3] {
    let words = rows::words(language);
    let left = (words.in_span)(between(now, at));
    [left, words.upcoming(upcoming), words.upcoming_short(upcoming)]
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    #[test]
    fn a_ttl_that_began_before_the_world_is_guaranteed_for_its_rest_only() {
        let at = Instant::from_millis;
        let clock = |ends| SessionClock {
            renewed: Instant::EPOCH,
            ttl: Duration::from_secs(30),
            ends: at(ends),
        };
        let text = |ends, now| session_clock(Language::English, &clock(ends), None, at(now));
        let lasts = |rest: &str| SessionClockText { over: None, rest: rest.into() };
        assert_eq!(text(53_900, 0), lasts("guaranteed for 23.9 s"));
        assert_eq!(text(53_900, 15_900), lasts("guaranteed for 8.0 s"));
        assert_eq!(text(53_900, 25_000).over.as_deref(), Some("past its TTL by 1.1 s"));
        assert_eq!(text(20_000, 0).over.as_deref(), Some("past its TTL by 10.0 s"));
        assert_eq!(text(20_000, 5_000).over.as_deref(), Some("past its TTL by 15.0 s"));
    }
}
