//! The events that cards and the list of next events announce happen at their times, in the
//! forecast or on the recorded branch.

use lictor_core::engine::{Event, Timer};
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_sim::record::EventCall;
use lictor_sim::{EventKind, ProgramEvent, SimEvent, Travel};
use lictor_view::rows::{Deadline, Upcoming};
use lictor_view::rows::{SessionFuture, WorldView};

use super::Contradictions;
use super::page::Page;

pub(crate) fn check(page: &Page<'_>, found: &mut Contradictions) {
    let events = events_ahead(page);
    sessions(page, &events, found);
    if page.past.timeline().is_at_end() {
        due(page, &events, found);
        renewals(page, &events, found);
    } else {
        recorded(page, found);
    }
}

/// The events after the cursor, computed again: recorded ones, or those of a copy of the world in
/// which nobody acts.
fn events_ahead(page: &Page<'_>) -> Vec<SimEvent> {
    let timeline = page.past.timeline();
    if !timeline.is_at_end() {
        let first = timeline.position().event_number + 1;
        return timeline.here().events(first..timeline.here().end().event_number + 1);
    }
    let (mut world, mut events) = (page.world.clone(), Vec::new());
    while world.now() < page.ahead.until {
        events.extend(world.advance_to(page.ahead.until));
    }
    events
}

fn sessions(page: &Page<'_>, events: &[SimEvent], found: &mut Contradictions) {
    for (row, clock, future) in page.clocks() {
        let happens = |event: &SimEvent| match &event.kind {
            EventKind::Server { event: Event::Renewed { session, .. }, .. } => *session == row.id,
            EventKind::Server { event: Event::LeaderChanged { clocks }, .. } => {
                clocks.iter().any(|(session, _)| *session == row.id)
            }
            EventKind::Server {
                event: Event::Changed(Change::SessionEnded { session, .. }),
                ..
            } => session.id == row.id,
            _ => false,
        };
        let ends = |event: &SimEvent| {
            matches!(&event.kind, EventKind::Server { event: Event::Changed(_), .. })
        };
        // A second start of the TTL at the same time changes nothing.
        let is_next =
            |event: &&SimEvent| happens(event) && (ends(event) || event.at > clock.renewed);
        let next = events.iter().find(is_next);
        // An election that ends after the forecast has a known end.
        let is_elected = |at: Instant| {
            at > page.ahead.until
                && events.iter().any(|event| match &event.kind {
                    EventKind::Server { event: Event::LeaderLost { clocks }, .. } => {
                        clocks.iter().any(|(id, clock)| *id == row.id && clock.renewed == at)
                    }
                    _ => false,
                })
        };
        let agrees = match (next.map(|event| event.at), future) {
            (None, SessionFuture::MayExpire(at)) => at == clock.ends && at > page.ahead.until,
            (None, SessionFuture::Renewed(at)) => is_elected(at),
            (Some(next), SessionFuture::Renewed(at) | SessionFuture::Ends(at)) => next == at,
            (Some(next), SessionFuture::Expires(at)) => next == at && at == clock.ends,
            (None, _) | (Some(_), SessionFuture::MayExpire(_)) => false,
        };
        let label = &row.tag.label;
        found.check(agrees, || format!("session {label}: {future:?}, but next is {next:?}"));
    }
}

/// A renewal that a card announces as repeated is sent again at that time, unless a fault begins or
/// ends before.
fn renewals(page: &Page<'_>, events: &[SimEvent], found: &mut Contradictions) {
    let view = WorldView { world: page.world, record: page.record };
    let is_fault =
        |event: &&SimEvent| matches!(event.kind, EventKind::Failed(_) | EventKind::Mended(_));
    let known_until = events.iter().find(is_fault).map_or(page.ahead.until, |event| event.at);
    for (key, _) in page.record.locks() {
        let Some(renewal) = view.unanswered_renewal(key) else { continue };
        let is_sent = |event: &SimEvent| {
            event.at == renewal.at
                && matches!(event.kind, EventKind::Travel(Travel::SentAgain { .. }))
        };
        let happens = renewal.at >= known_until || events.iter().any(is_sent);
        found.check(happens, || format!("{key}: {renewal:?} is not sent again"));
    }
}

/// Each listed event happens at its time, and no end of a lock-delay, timeout of a blocking query
/// or step of a program is missing.
fn due(page: &Page<'_>, events: &[SimEvent], found: &mut Contradictions) {
    for (at, upcoming) in &page.next_up {
        let Upcoming::Due(deadline) = upcoming else {
            found.check(false, || format!("{upcoming:?} is not due"));
            continue;
        };
        if *at > page.ahead.until {
            continue;
        }
        let happens = events.iter().any(|event| event.at == *at && is_of(page, event, deadline));
        found.check(happens, || format!("next up at {at}: {deadline:?} does not happen"));
    }
    let shown_until = page.next_up.last().map_or(page.ahead.until, |(at, _)| *at);
    let shown: Vec<Instant> = page.next_up.iter().map(|(at, _)| *at).collect();
    // Of the steps that a program repeats only the first one is listed.
    let is_repeated = |event: &SimEvent| {
        let listed = page.next_up.iter().find_map(|(at, upcoming)| match upcoming {
            Upcoming::Due(deadline) => is_of(page, event, deadline).then_some(*at),
            Upcoming::Recorded(_) => None,
        });
        listed.is_some_and(|at| at < event.at)
    };
    let next = events.iter().filter(|event| event.at < shown_until && !is_repeated(event));
    for event in next {
        let ends = matches!(
            &event.kind,
            EventKind::Server { event: Event::DelayOver { .. } | Event::TimedOut { .. }, .. }
                | EventKind::Program { event: ProgramEvent::Due(_), .. }
        );
        found.check(!ends || shown.contains(&event.at), || {
            format!("{event:?} is not among the next events: {:?}", page.next_up)
        });
    }
}

/// Whether an event is what happens at a deadline.
fn is_of(page: &Page<'_>, event: &SimEvent, deadline: &Deadline) -> bool {
    match (&event.kind, deadline) {
        (EventKind::Server { event, call, .. }, deadline) => match (event, deadline) {
            (
                Event::Changed(Change::SessionEnded { session, .. }),
                Deadline::SessionExpires { label } | Deadline::SessionEnds { label },
            ) => page.ahead.record.tag(&session.id.to_string()).label == *label,
            (Event::DelayOver { key: free }, Deadline::LockDelayOver { key }) => {
                page.ahead.record.key_name(free) == *key
            }
            (Event::TimedOut { .. }, Deadline::WaitOver { actor }) => {
                call.as_ref().is_some_and(|call| call.actor == *actor)
            }
            (Event::Fired(Timer::CheckTtl(_, id)), Deadline::CheckLapses { check }) => {
                id.as_str() == check
            }
            (Event::Fired(Timer::Reap), Deadline::Reap) => true,
            _ => false,
        },
        (
            EventKind::Program { program, actor, event: ProgramEvent::Due(reached) },
            Deadline::Program { actor: client, name, due },
        ) => (program, actor, reached) == (name, client, due),
        (
            EventKind::Travel(Travel::SentAgain { call: repeated, segment, .. }),
            Deadline::SentAgain { call: EventCall::Http { call, .. }, segment: sent, .. },
        ) => (repeated, segment) == (call, sent),
        (EventKind::Failed(active), Deadline::FaultBegins { fault })
        | (EventKind::Mended(active), Deadline::FaultEnds { fault }) => active.fault == *fault,
        _ => false,
    }
}

/// In the past, the next events are those of the event list after the cursor.
fn recorded(page: &Page<'_>, found: &mut Contradictions) {
    let reached = page.record.events().len();
    for (place, (at, upcoming)) in page.next_up.iter().enumerate() {
        let row = page.past.record_at_end().events().get(reached + place);
        let agrees = match (upcoming, row) {
            (Upcoming::Recorded(shown), Some(row)) => shown == row && row.at == *at,
            _ => false,
        };
        found.check(agrees, || format!("next up at {at}: {upcoming:?} is not recorded"));
    }
}
