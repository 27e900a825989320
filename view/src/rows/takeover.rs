//! When another client can get a lock: at a time that the forecast shows, or at the earliest time
//! that is possible if the holder sends nothing more.

use core::time::Duration;

use lictor_core::engine::applied_lock_delay;
use lictor_core::error::Cause;
use lictor_core::id::{CheckId, Key, SessionId};
use lictor_core::time::Instant;
use lictor_sim::record::{Record, SessionTag};
use lictor_sim::{Takeover, Terms, World};

use crate::format::{between, tenths};

/// When another client can get a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakeoverRow {
    /// No session holds it, and no lock-delay runs.
    Now,
    /// The holder's session expires, or a lock-delay runs.
    At {
        /// When the first waiting client gets it; without one, when a client can get it.
        at: Instant,
        terms: Terms,
        /// Whether the forecast shows it. Otherwise the holder has to send nothing more.
        is_certain: bool,
        /// The session that gets it; `None` if no waiting client is known.
        taker: Option<SessionTag>,
    },
    /// The holder's session has no TTL, so nothing ends it by itself; it is bound to these checks.
    Never { checks: Vec<CheckId> },
}

impl TakeoverRow {
    /// The takeover of a key. `ahead` is the record at the end of the forecast, and `found` is the
    /// result of the search for waiting programs, in which the holder sends nothing.
    pub fn new(world: &World, ahead: &Record, key: &Key, found: Option<&Takeover>) -> Self {
        let now = world.now();
        let holder = world.store().kv().get(key.as_str()).and_then(|entry| entry.holder()?.id());
        let (freed, open, is_certain) = match holder {
            None => match world.lock_delay(key.as_str()) {
                Some(delay) if delay.until > now => (now, delay.until, true),
                _ => return Self::Now,
            },
            Some(session) => match (end_ahead(ahead, key, session), world.session_clock(session)) {
                (Some(end), _) => (end, delay_ahead(ahead, key, session).unwrap_or(end), true),
                (None, Some(clock)) => {
                    let freed = clock.ends.max(now);
                    (freed, freed.plus(lock_delay(world, session)), false)
                }
                (None, None) => return Self::Never { checks: checks(world, session) },
            },
        };
        let next = ahead.lock(key).filter(|_| is_certain);
        let next = next.and_then(|track| track.tenures.iter().find(|next| next.from >= open));
        let found = found.filter(|found| found.at.minus(found.terms.retry) == open);
        let taken = next
            .map(|next| (next.from, next.session.clone()))
            .or_else(|| found.map(|found| (found.at, ahead.tag(&found.session.to_string()))));
        let at = taken.as_ref().map_or(open, |(at, _)| *at);
        let terms =
            Terms { session: freed.since(now), delay: open.since(freed), retry: at.since(open) };
        Self::At { at, terms, is_certain, taker: taken.map(|(_, session)| session) }
    }
}

/// When the session that holds a key ends by itself in the forecast, and still holds the key then.
fn end_ahead(ahead: &Record, key: &Key, session: SessionId) -> Option<Instant> {
    let end = ahead.session(session)?.ended.as_ref()?;
    let is_by_itself = end.cause.cause != Cause::Requested && end.freed.contains(key);
    is_by_itself.then_some(end.at)
}

/// The end of the lock-delay of a key that the end of a session starts in the forecast.
fn delay_ahead(ahead: &Record, key: &Key, session: SessionId) -> Option<Instant> {
    let delays = &ahead.lock(key)?.delays;
    delays.iter().rfind(|delay| delay.session == session).map(|delay| delay.until)
}

/// The time from now to a takeover at `at`, and its three terms, in seconds with one decimal. The
/// printed terms add up to the printed sum, also when `now` is rounded, and `now` and the sum to
/// the printed time of the takeover.
pub fn printed_terms(now: Instant, at: Instant, terms: &Terms) -> [String; 4] {
    let open = at.minus(terms.retry);
    let freed = open.minus(terms.delay);
    let parts = [(now, at), (now, freed), (freed, open), (open, at)];
    parts.map(|(from, to)| tenths(between(from, to)))
}

fn checks(world: &World, session: SessionId) -> Vec<CheckId> {
    let session = world.store().sessions().get(session);
    session.map_or_else(Vec::new, |session| session.enforced_checks().cloned().collect())
}

/// The lock-delay that the end of a session starts.
fn lock_delay(world: &World, session: SessionId) -> Duration {
    let session = world.store().sessions().get(session);
    session.map_or(Duration::ZERO, |session| applied_lock_delay(session.lock_delay))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::rows::words;
    use crate::test_world::{LEADER, TestWorld};

    fn row(played: &TestWorld) -> TakeoverRow {
        let (world, key) = (&played.world, Key::from(LEADER));
        TakeoverRow::new(world, &played.record, &key, world.earliest_takeover(&key).as_ref())
    }

    fn printed(played: &TestWorld, row: &TakeoverRow) -> String {
        let TakeoverRow::At { at, terms, .. } = row else { return format!("{row:?}") };
        let terms = printed_terms(played.world.now(), *at, terms);
        (words(Language::English).takeover_sum)(&terms)
    }

    #[test]
    fn the_earliest_takeover_without_programs_follows_from_the_session_and_the_lock_delay() {
        let mut played = TestWorld::of_three();
        let (one, two) =
            (played.session("web-1", r#"{"TTL": "15s"}"#), played.session("web-2", ""));
        played.acquire("web-1", one);
        assert_eq!(printed(&played, &row(&played)), "45.0 s = 30.0 session + 15.0 lock-delay");
        played.advance_to(12_340);
        assert_eq!(printed(&played, &row(&played)), "32.7 s = 17.7 session + 15.0 lock-delay");
        played.advance_to(30_000);
        let at = Instant::from_millis(45_000);
        assert!(
            matches!(row(&played), TakeoverRow::At { at: end, is_certain: true, .. } if end == at)
        );
        played.advance_to(45_000);
        assert_eq!(row(&played), TakeoverRow::Now);
        played.acquire("web-2", two);
        let checks = vec![CheckId::from("serfHealth")];
        assert_eq!(row(&played), TakeoverRow::Never { checks }, "its session has no TTL");
    }

    #[test]
    fn an_acquire_succeeds_from_the_earliest_takeover_on_and_not_before() {
        for (delay, ttl) in [("15s", "10s"), ("0s", "20s"), ("90s", "10s"), ("7s", "15s")] {
            let mut played = TestWorld::of_three();
            let body = format!(r#"{{"TTL": "{ttl}", "LockDelay": "{delay}"}}"#);
            let (one, two) = (played.session("web-1", &body), played.session("web-2", ""));
            played.acquire("web-1", one);
            let TakeoverRow::At { at, .. } = row(&played) else { panic!("the session has a TTL") };
            played.advance_to(at.as_millis() - 1);
            played.acquire("web-2", two);
            assert_eq!(played.last().0, lictor_sim::record::EventResult::False, "{delay}");
            played.advance_to(at.as_millis());
            played.acquire("web-2", two);
            assert_eq!(played.last().0, lictor_sim::record::EventResult::True, "{delay}");
        }
    }

    #[test]
    fn printed_terms_add_up_to_the_printed_sum_and_time() {
        let millis = Duration::from_millis;
        let terms = Terms { session: millis(10_570), delay: millis(15_000), retry: millis(3_470) };
        let printed = |now: u64, rounded| {
            let at = Instant::from_millis(now + 10_570 + 15_000 + 3_470);
            printed_terms(Instant::from_millis(rounded), at, &terms)
        };
        assert_eq!(printed(0, 0), ["29.0", "10.6", "15.0", "3.4"]);
        assert_eq!(printed(150, 150), ["29.0", "10.5", "15.0", "3.5"], "from 0.2 s to 29.2 s");
        assert_eq!(printed(1_160, 1_200), ["29.0", "10.5", "15.0", "3.5"], "from 1.2 s to 30.2 s");
    }
}
