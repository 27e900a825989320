//! The next events after the cursor: the next one of a session, and those that follow without a
//! request; and whether the page shows them.

use lictor_core::engine::{Event, Timer};
use lictor_core::error::Cause;
use lictor_core::store::Change;
use lictor_core::time::Instant;
use lictor_sim::record::{Record, SessionTrack};
use lictor_sim::{EventKind, ProgramEvent, SimEvent, Travel, World};

use super::Deadline;

/// Whether the page shows the future: forecast, deadlines, countdowns, the earliest takeover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForecastVisibility {
    /// It is shown.
    Open,
    /// It is hidden, because a question about it is open.
    Closed,
}

impl ForecastVisibility {
    /// Whether the future is hidden.
    pub fn is_hidden(self) -> bool {
        self == Self::Closed
    }
}

/// The next event of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionFuture {
    /// Its TTL starts again at this time: it is renewed, or another server becomes leader.
    Renewed(Instant),
    /// It ends at this time for another reason than its TTL.
    Ends(Instant),
    /// It expires at this time.
    Expires(Instant),
    /// It expires at this time unless it is renewed; the forecast does not reach so far.
    MayExpire(Instant),
}

impl SessionFuture {
    pub fn at(&self) -> Instant {
        match self {
            Self::Renewed(at) | Self::Ends(at) | Self::Expires(at) | Self::MayExpire(at) => *at,
        }
    }
}

/// The next event of a session that exists at the cursor. `now` is its track at the cursor, `ahead`
/// that at the end of the forecast. `None` for a session without a TTL whose end is unknown.
pub fn session_future(now: &SessionTrack, ahead: Option<&SessionTrack>) -> Option<SessionFuture> {
    let last = now.last_start();
    let starts = ahead.map(SessionTrack::starts).unwrap_or_default();
    if let Some(next) = starts.into_iter().find(|start| *start > last) {
        return Some(SessionFuture::Renewed(next));
    }
    match ahead.and_then(|track| track.ended.as_ref()) {
        Some(end) if end.cause.cause == Cause::TtlExpired => Some(SessionFuture::Expires(end.at)),
        Some(end) => Some(SessionFuture::Ends(end.at)),
        None => now.clock.map(|clock| SessionFuture::MayExpire(clock.ends)),
    }
}

/// How many events of the forecast are examined for deadlines at most.
const SCANNED: usize = 500;

/// The first `count` events of the forecast that follow without a request: timers, programs,
/// planned faults, retransmissions. Equal ones are listed once. `ahead` is the record at the end of
/// the forecast, which has the labels of all sessions.
pub fn due_events<'a>(
    world: &World,
    events: impl Iterator<Item = &'a SimEvent>,
    ahead: &Record,
    count: usize,
) -> Vec<(Instant, Deadline)> {
    let mut found: Vec<(Instant, Deadline)> = Vec::new();
    // A connection that is cut repeats its segments often; only the next repetition is listed.
    let repetitions: Vec<_> =
        world.repetitions().map(|it| (it.at, it.call.id, it.segment)).collect();
    let is_next = |event: &&SimEvent| match &event.kind {
        EventKind::Travel(Travel::SentAgain { call, segment, .. }) => {
            repetitions.contains(&(event.at, call.id, *segment))
        }
        EventKind::Travel(_) => false,
        _ => true,
    };
    let events = events.filter(is_next);
    for (at, due) in
        events.take(SCANNED).filter_map(|event| Some((event.at, deadline(event, ahead)?)))
    {
        // A program may repeat a step; the first time is listed.
        if found.iter().all(|(_, known)| *known != due) {
            found.push((at, due));
        }
        if found.len() == count {
            break;
        }
    }
    found
}

/// The deadline that an event is; `None` for an event that follows a request.
fn deadline(event: &SimEvent, ahead: &Record) -> Option<Deadline> {
    match &event.kind {
        EventKind::Server { event, call, .. } => match event {
            Event::Changed(Change::SessionEnded { session, cause, .. }) => {
                let label = ahead.tag(&session.id.to_string()).label;
                match cause {
                    Cause::Requested => None,
                    Cause::TtlExpired => Some(Deadline::SessionExpires { label }),
                    _ => Some(Deadline::SessionEnds { label }),
                }
            }
            Event::DelayOver { key } => Some(Deadline::LockDelayOver { key: ahead.key_name(key) }),
            Event::TimedOut { .. } => {
                Some(Deadline::WaitOver { actor: call.as_ref()?.actor.clone() })
            }
            Event::Fired(Timer::CheckTtl(_, check)) => {
                Some(Deadline::CheckLapses { check: check.as_str().to_owned() })
            }
            Event::Fired(Timer::Reap) => Some(Deadline::Reap),
            _ => None,
        },
        EventKind::Program { program, actor, event: ProgramEvent::Due(due) } => {
            let (actor, name) = (actor.clone(), program.clone());
            Some(Deadline::Program { actor, name, due: *due })
        }
        EventKind::Failed(it) => Some(Deadline::FaultBegins { fault: it.fault.clone() }),
        EventKind::Travel(Travel::SentAgain { call, segment, .. }) => Some(Deadline::SentAgain {
            call: ahead.event_call(call),
            actor: call.actor.clone(),
            segment: *segment,
        }),
        EventKind::Mended(it) => Some(Deadline::FaultEnds { fault: it.fault.clone() }),
        EventKind::Joined { .. }
        | EventKind::Sent(_)
        | EventKind::Answered { .. }
        | EventKind::Cancelled { .. }
        | EventKind::Travel(_)
        | EventKind::Program { .. }
        | EventKind::Used(_) => None,
    }
}
