//! Checks that two clients never act under one lock at once if each acts only while its program
//! allows it (`Program::may_act`), and the session of the first has ended by its TTL or, if its
//! clock is accurate, the lock-delay is at least the TTL. Overlaps in other cases are counted.
//!
//! Clients whose clock jumps, runs at less than half of the accurate rate, or runs fast are not
//! checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use lictor_core::duration;
use lictor_core::engine::Event;
use lictor_core::error::Cause;
use lictor_core::id::{ActorName, Key, ProgramName, SessionId, SessionRef};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_recipes::{Lock, Recipe, Report, Token};
use lictor_sim::{Condition, EventKind, Fault, ProgramEvent, Running, SimEvent, World};

/// The rates of clocks that are checked, in thousandths. With the slowest one a lease lasts for
/// twice its TTL, as a session does. A fast one is set back when it is repaired.
const RATES: RangeInclusive<u32> = 500..=1_000;

/// How the first of two clients lost its lock without knowing it yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LostBy {
    /// A client destroyed its session.
    Destroyed,
    /// A check, or the removal of its node, ended its session.
    Check,
    /// Its session lives, but the lock was released or the key deleted.
    Released,
}

/// How often two clients acted at once, and for how long at most, by reason.
pub type LeaseOverlaps = BTreeMap<LostBy, (u64, Duration)>;

/// A client that may act.
pub(super) struct Holder {
    pub(super) actor: ActorName,
    pub(super) token: Token,
    pub(super) ttl: Duration,
    /// When it acquired the lock.
    pub(super) since: Instant,
    /// When its lease ends if it is not renewed before.
    pub(super) ends: Instant,
}

/// An overlap that has not ended.
struct OpenOverlap {
    from: Instant,
    /// When one of the leases ends if nothing happens before.
    ends: Instant,
    lost_by: LostBy,
}

/// The leases of a world.
#[derive(Default)]
pub(super) struct Leases {
    /// When programs have acquired their locks.
    acquired: BTreeMap<ProgramName, Instant>,
    ended: BTreeMap<SessionId, (Instant, Cause)>,
    /// Clients that are not checked, because of their clocks.
    unfit: BTreeSet<ActorName>,
    /// Clients whose clock did not always have the accurate rate.
    slow: BTreeSet<ActorName>,
    open: BTreeMap<Key, OpenOverlap>,
    pub(super) overlaps: LeaseOverlaps,
}

/// Two clients act under one lock although the rule forbids it.
#[derive(Debug)]
pub(super) struct LeaseViolation {
    key: Key,
    first: SessionRef,
    at: Instant,
}

impl Leases {
    /// Follows the events of one moment, and checks the holders in the `world` after them;
    /// `contenders` are those that are not programs of the world.
    pub(super) fn follow(
        &mut self,
        world: &World,
        events: &[SimEvent],
        contenders: Vec<Holder>,
    ) -> Result<(), LeaseViolation> {
        events.iter().for_each(|event| self.event(event));
        self.check(world, contenders)
    }

    fn event(&mut self, event: &SimEvent) {
        match &event.kind {
            EventKind::Program { program, event: ProgramEvent::Reports(report), .. } => {
                if matches!(**report, Report::Acquired { .. }) {
                    self.acquired.insert(program.clone(), event.at);
                }
            }
            EventKind::Failed(active) => match &active.fault {
                Fault::ClockJump { actor, .. } => {
                    self.unfit.insert(actor.clone());
                }
                Fault::ClockRate { actor, rate } => {
                    self.slow.insert(actor.clone());
                    if !RATES.contains(rate) {
                        self.unfit.insert(actor.clone());
                    }
                }
                _ => {}
            },
            EventKind::Server {
                event: Event::Changed(Change::SessionEnded { session, cause, .. }),
                ..
            } => {
                self.ended.insert(session.id, (event.at, cause.clone()));
            }
            _ => {}
        }
    }

    fn check(&mut self, world: &World, contenders: Vec<Holder>) -> Result<(), LeaseViolation> {
        let now = world.now();
        let mut acting: BTreeMap<Key, Vec<Holder>> = BTreeMap::new();
        let programs = world.programs().filter_map(|(name, running)| {
            let since = self.acquired.get(name).copied().unwrap_or_default();
            Holder::find(world, running, since)
        });
        for holder in programs.chain(contenders) {
            if !self.unfit.contains(&holder.actor) {
                acting.entry(holder.token.key.clone()).or_default().push(holder);
            }
        }
        acting.retain(|_, holders| holders.len() > 1);
        close_overlaps(&mut self.open, &mut self.overlaps, now, |key| acting.contains_key(key));
        for (key, mut holders) in acting {
            holders.sort_by_key(|holder| holder.since);
            let ends = holders.iter().map(|holder| holder.ends).min().unwrap_or(now);
            let Holder { actor, token, ttl, .. } = &holders[0];
            let delay = world.lock_delay(key.as_str()).is_some();
            let is_accurate = !self.slow.contains(actor);
            let ended = token.session.id().and_then(|id| self.ended.get(&id));
            let violation =
                LeaseViolation { key: key.clone(), first: token.session.clone(), at: now };
            let lost_by = match ended {
                Some((_, Cause::TtlExpired)) => return Err(violation),
                // The lock-delay was as long as the TTL, or it is not even over.
                Some((at, _)) if delay || is_accurate && now.since(*at) >= *ttl => {
                    return Err(violation);
                }
                Some((_, Cause::Requested)) => LostBy::Destroyed,
                Some(_) => LostBy::Check,
                None => LostBy::Released,
            };
            let open = OpenOverlap { from: now, ends, lost_by };
            self.open.entry(key.clone()).and_modify(|open| open.ends = ends).or_insert(open);
        }
        Ok(())
    }
}

impl Holder {
    /// The holder of a program that has a lock with a session of its own and may act now.
    fn find(world: &World, running: &Running, since: Instant) -> Option<Self> {
        let host = world.actor(running.actor.as_str())?;
        let (program, now) = (&running.program, host.clock.read(world.now()));
        if host.condition != Condition::Up || !program.may_act(now) {
            return None;
        }
        let ttl = duration::parse(&lock_of(program.recipe())?.options().session.ttl).ok()?;
        Some(Self {
            actor: running.actor.clone(),
            token: program.belief().token()?.clone(),
            ttl: Duration::from_nanos(u64::try_from(ttl).ok()?),
            since,
            ends: host.clock.when(program.lease_ends()?),
        })
    }
}

fn lock_of(recipe: &Recipe) -> Option<&Lock> {
    match recipe {
        Recipe::Lock(lock) => Some(lock),
        Recipe::Candidate(candidate) => Some(candidate.lock()),
        Recipe::Writer(writer) => Some(writer.lock()),
        _ => None,
    }
}

/// Removes and counts the overlaps that have ended.
fn close_overlaps(
    open: &mut BTreeMap<Key, OpenOverlap>,
    overlaps: &mut LeaseOverlaps,
    now: Instant,
    lasts: impl Fn(&Key) -> bool,
) {
    open.retain(|key, overlap| {
        let does_last = lasts(key);
        if !does_last {
            let (count, longest) = overlaps.entry(overlap.lost_by).or_default();
            *count += 1;
            *longest = (*longest).max(overlap.ends.min(now).since(overlap.from));
        }
        does_last
    });
}

impl fmt::Display for LeaseViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, first, at } = self;
        write!(f, "two clients act under the lock {key} at {at}, the first in session {first}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_recipes::{Belief, LOCK_FLAG};
    use lictor_sim::Act;
    use lictor_sim::trace::{Names, act_of};

    const KEY: &str = "lead";

    /// Performs acts, written as `ACTOR WORDS`, and waits, written as seconds. The first session is
    /// S1. Returns the reasons of overlaps, and the largest number of programs that believed at
    /// once that they hold the lock.
    fn run(acts: &[&str]) -> (Vec<LostBy>, usize) {
        let (mut world, mut leases, mut names) =
            (World::new(1), Leases::default(), Names::default());
        let mut believers = 0;
        for line in acts {
            let act = match line.parse::<u64>() {
                Ok(seconds) => Act::Advance { to: world.now().plus(Duration::from_secs(seconds)) },
                Err(_) => {
                    let (actor, words) = line.split_once(' ').expect("an actor and words");
                    act_of(actor, words, &names).expect("it is an act")
                }
            };
            let mut acts = vec![act];
            if let Act::Advance { to } = acts[0] {
                acts.clear();
                let millis = u64::try_from(to.since(world.now()).as_millis()).expect("it is short");
                let now = world.now();
                acts.extend(
                    (1..=millis / 100).map(|step| Act::Advance {
                        to: now.plus(Duration::from_millis(step * 100)),
                    }),
                );
            }
            for act in acts {
                let events = world.perform(act).expect("it is possible");
                names.learn(&events);
                leases.follow(&world, &events, Vec::new()).expect("no rule is violated");
                let believes = |belief: &Belief| matches!(belief, Belief::Believes { .. });
                let now = world.programs().filter(|(_, it)| believes(it.program.belief()));
                believers = believers.max(now.count());
            }
        }
        let found = leases.overlaps.into_iter();
        (
            found.inspect(|(_, (_, longest))| assert!(!longest.is_zero())).map(|it| it.0).collect(),
            believers,
        )
    }

    /// Two clients contend; the first holds the lock in a session with this lock-delay.
    fn contended(delay: &str, then: &[&str]) -> (Vec<LostBy>, usize) {
        let (one, two) = (
            format!("web-1 spawns one lock {KEY} ttl=15s delay={delay}"),
            format!("web-2 spawns two lock {KEY} ttl=15s delay={delay}"),
        );
        let mut acts = vec!["web-1 joins", "web-2 joins", "ops joins", &one, &two];
        acts.extend(["server orders one start", "1", "server orders two start", "1"]);
        acts.extend(then);
        run(&acts)
    }

    #[test]
    fn a_client_without_a_network_stops_before_its_session_has_ended() {
        for cut in ["cut mode=drop", "cut mode=reject", "cut way=from-server mode=drop"] {
            let cut = format!("web-1 {cut}");
            let (overlaps, believers) = contended("1ms", &[&cut, "90"]);
            assert_eq!(overlaps, [], "{cut}");
            assert!(believers > 1 || cut.contains("reject"), "it still believes: {cut}");
        }
    }

    #[test]
    fn a_client_that_was_paused_does_not_act_when_it_resumes() {
        let (overlaps, believers) = contended("1ms", &["web-1 pauses for=60s", "90"]);
        assert_eq!((overlaps, believers), (vec![], 2));
    }

    #[test]
    fn a_session_that_somebody_destroys_overlaps_if_its_holder_is_cut_off_and_the_delay_is_short() {
        let then = ["web-1 cut mode=drop", "ops destroy S1", "60"];
        assert_eq!(contended("1s", &then).0, [LostBy::Destroyed]);
        assert_eq!(contended("15s", &then).0, []);
    }

    #[test]
    fn a_session_that_a_check_ends_overlaps_if_its_holder_is_cut_off_and_the_delay_is_short() {
        let then = ["web-1 cut mode=drop", "web-1 check-critical serfHealth", "60"];
        assert_eq!(contended("1s", &then).0, [LostBy::Check]);
        assert_eq!(contended("15s", &then).0, []);
    }

    #[test]
    fn a_lock_that_somebody_else_releases_or_deletes_overlaps_whatever_its_delay_is() {
        // With the flags of a lock: the other client takes it for something else without them.
        let release = format!("ops PUT /v1/kv/{KEY}?release=<S1>&flags={LOCK_FLAG}");
        let delete = format!("ops delete {KEY}");
        for act in [&*release, &*delete] {
            let then = ["web-1 cut mode=drop", act, "60"];
            assert_eq!(contended("15s", &then).0, [LostBy::Released], "{act}");
            assert_eq!(contended("15s", &[act, "60"]).0, [], "with a network it learns it at once");
        }
    }
}
