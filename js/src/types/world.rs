//! The values of a world that JavaScript receives: events with their causes, clients, beliefs,
//! takeovers and branches. All times are milliseconds.

use lictor_core::engine::Stamped;
use lictor_sim::timeline::EventWithLine;
use lictor_sim::trace::TraceLine;
use lictor_sim::{Caller, EventKind, Segment, SimEvent, Takeover, Travel, Upcoming, Used};
use serde::Serialize;

use super::event::{ConsulEvent, What};
use super::reason::{DeadlineReason, RefusalReason};
use super::record::HttpAnswer;
use super::{millis, number};

/// Something that happened in a world.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorldEvent {
    /// Counts from 1.
    pub(crate) number: f64,
    /// The time of the world, in milliseconds.
    pub(crate) at: f64,
    /// The number of the event that caused this one; null for an act.
    pub(crate) cause: Option<f64>,
    /// The line of a trace that this event has: its client or `server`, and what happened in words.
    /// Null for an intermediate step, such as the arrival of a request.
    pub(crate) line: Option<EventLine>,
    #[serde(flatten)]
    pub(crate) what: WorldWhat,
}

/// An event in words, as traces print it. Sessions are `S1`, `S2`, ... in the order of creation.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct EventLine {
    /// The index of Consul's log.
    pub(crate) index: Option<f64>,
    /// A client, or `server`.
    pub(crate) actor: String,
    pub(crate) what: String,
    pub(crate) outcome: Option<String>,
}

/// What a network repeats.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SentMessage {
    /// The first segment, with which a client makes a connection.
    Dial,
    /// A request.
    Request,
    /// An answer.
    Answer,
}

/// The kind of an event of a world.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(rename = "WorldEventKind"))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum WorldWhat {
    /// A client joined.
    Joined { client: String },
    /// A client, or one of its programs, sent a request.
    Sent { call: f64, client: String, program: Option<String>, method: String, target: String },
    /// An answer reached its caller. `reason` says why it is `false` or an error.
    Answered { call: f64, client: String, status: u16, reason: Option<RefusalReason> },
    /// A caller cancelled its call.
    Cancelled { call: f64, client: String },
    /// A request reached the server.
    RequestArrived { call: f64 },
    /// A request was lost, which its caller does not know.
    RequestLost { call: f64 },
    /// An answer was lost: the request took effect, which its caller does not know.
    AnswerLost { call: f64, status: u16 },
    /// The caller got an error instead of an answer, and does not know whether it took effect.
    /// `error` is that of its HTTP client; null if its process has ended.
    CallBroken { call: f64, client: String, error: Option<String> },
    /// The network repeats a message that was not acknowledged; the number counts from 1.
    SentAgain { call: f64, message: SentMessage, number: u32 },
    /// A connection broke, and the HTTP client of the caller repeats the call on a new one.
    CallRepeated { call: f64 },
    /// An answer arrived after its call had ended.
    AnswerLate { call: f64 },
    /// The server noticed that a caller no longer waits.
    CallerGone { call: f64 },
    /// A fault began. `client` is null for one of the server.
    FaultBegan { client: Option<String> },
    /// A fault ended.
    FaultEnded { client: Option<String> },
    /// A program acted, or its belief changed; `line` says what.
    Program { client: String, program: String },
    /// A program wrote to a guarded resource.
    ResourceUsed { client: String, program: String, resource: String, is_accepted: bool },
    /// Something happened in the server; null for what repeats another event.
    Server { event: Option<What> },
}

/// How a request of a client ended.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallEnd {
    pub(crate) call: f64,
    /// Null if the connection broke.
    pub(crate) answer: Option<HttpAnswer>,
}

/// A client of a world.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClientState {
    pub(crate) name: String,
    #[cfg_attr(test, ts(type = "\"up\" | \"paused\" | \"down\""))]
    pub(crate) condition: &'static str,
    /// Whether a fault cuts its link.
    pub(crate) is_cut: bool,
    /// The time that its clock shows, in milliseconds.
    pub(crate) clock: f64,
}

/// A client or a program that believes that its session holds a lock.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BeliefRecord {
    pub(crate) client: String,
    /// The program on the client; null for the client itself.
    pub(crate) program: Option<String>,
    pub(crate) session: String,
    /// Since when, in milliseconds.
    pub(crate) since: f64,
    /// Whether the session really holds the key now.
    pub(crate) is_true: bool,
}

/// A time during which more clients or programs believed that they held a lock than may hold it.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct OverlapRecord {
    /// When one too many began to believe so.
    pub(crate) from: f64,
    /// Null as long as it lasts.
    pub(crate) to: Option<f64>,
}

/// When a lock can change its holder at the earliest if its holder sends nothing from now on, and
/// the parts of the time until then, in order. All are milliseconds.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakeoverRecord {
    pub(crate) at: f64,
    /// The session that acquires it.
    pub(crate) session: String,
    /// Until the holder's session ends: the rest of twice its TTL.
    pub(crate) session_ends: f64,
    /// The lock-delay after that.
    pub(crate) lock_delay: f64,
    /// Until the first waiting client tries again and its request arrives.
    pub(crate) retry: f64,
}

/// The next thing that happens in a world without an act.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorldDeadline {
    pub(crate) at: f64,
    pub(crate) reason: UpcomingReason,
}

/// What happens next.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(crate) enum UpcomingReason {
    /// A timer of the server fires.
    Server { timer: DeadlineReason },
    /// Something happens outside of the server's timers and the programs: a message arrives or is
    /// sent again, a connection fails, or a fault begins or ends.
    Scheduled,
    /// A program acts.
    Program { program: String },
}

/// One of the pasts of a world.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BranchRecord {
    pub(crate) id: u32,
    pub(crate) name: String,
    /// The time of its end, in milliseconds.
    pub(crate) end: f64,
    /// Whether the cursor is on it.
    pub(crate) is_current: bool,
}

/// How two branches differ: the events from the first difference on, up to the end of the shorter
/// branch. Both lists are empty if none differs.
#[derive(Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BranchComparison {
    pub(crate) one: Vec<WorldEvent>,
    pub(crate) other: Vec<WorldEvent>,
}

impl From<EventWithLine> for WorldEvent {
    fn from((event, line): EventWithLine) -> Self {
        Self {
            number: event.number as f64,
            at: millis(event.at),
            cause: event.cause.map(|number| number as f64),
            line: line.map(EventLine::from),
            what: WorldWhat::of(&event),
        }
    }
}

impl From<TraceLine> for EventLine {
    fn from(line: TraceLine) -> Self {
        let TraceLine { index, actor, what, outcome, at: _ } = line;
        Self { index: index.map(number), actor, what, outcome }
    }
}

impl WorldWhat {
    fn of(event: &SimEvent) -> Self {
        match &event.kind {
            EventKind::Joined { actor } => Self::Joined { client: actor.to_string() },
            EventKind::Sent(call) => Self::Sent {
                call: call.id.0 as f64,
                client: call.actor.to_string(),
                program: match &call.caller {
                    Caller::Person => None,
                    Caller::Program { program, .. } => Some(program.to_string()),
                },
                method: call.request.method.clone(),
                target: call.request.target.clone(),
            },
            EventKind::Answered { call, outcome } => Self::Answered {
                call: call.id.0 as f64,
                client: call.actor.to_string(),
                status: outcome.response.status,
                reason: outcome.reason().map(RefusalReason::from),
            },
            EventKind::Cancelled { call, .. } => {
                Self::Cancelled { call: call.id.0 as f64, client: call.actor.to_string() }
            }
            EventKind::Travel(travel) => Self::travel(travel),
            EventKind::Failed(active) => {
                Self::FaultBegan { client: active.fault.actor().map(ToString::to_string) }
            }
            EventKind::Mended(active) => {
                Self::FaultEnded { client: active.fault.actor().map(ToString::to_string) }
            }
            EventKind::Program { program, actor, .. } => {
                Self::Program { client: actor.to_string(), program: program.to_string() }
            }
            EventKind::Used(Used { resource, program, actor, verdict, .. }) => Self::ResourceUsed {
                client: actor.to_string(),
                program: program.to_string(),
                resource: resource.to_string(),
                is_accepted: verdict.is_ok(),
            },
            EventKind::Server { index, event: happened, .. } => {
                let (at, index, event) = (event.at, *index, happened.clone());
                let stamped = Stamped { at, index, event };
                Self::Server { event: ConsulEvent::of(&stamped).map(|event| event.what) }
            }
        }
    }

    fn travel(travel: &Travel) -> Self {
        match travel {
            Travel::Arrived { call, .. } => Self::RequestArrived { call: call.id.0 as f64 },
            Travel::RequestLost { call, .. } => Self::RequestLost { call: call.id.0 as f64 },
            Travel::AnswerLost { call, outcome, .. } => {
                Self::AnswerLost { call: call.id.0 as f64, status: outcome.response.status }
            }
            Travel::Broken { call, failure, .. } => Self::CallBroken {
                call: call.id.0 as f64,
                client: call.actor.to_string(),
                error: failure.as_ref().map(|failure| call.failure_text(failure)),
            },
            Travel::SentAgain { call, segment, number } => Self::SentAgain {
                call: call.id.0 as f64,
                message: match segment {
                    Segment::Dial => SentMessage::Dial,
                    Segment::Request => SentMessage::Request,
                    Segment::Answer => SentMessage::Answer,
                },
                number: *number,
            },
            Travel::Repeated { call, .. } => Self::CallRepeated { call: call.id.0 as f64 },
            Travel::Late { call } => Self::AnswerLate { call: call.id.0 as f64 },
            Travel::HungUp { call, .. } => Self::CallerGone { call: call.id.0 as f64 },
        }
    }
}

impl From<Upcoming<'_>> for UpcomingReason {
    fn from(upcoming: Upcoming<'_>) -> Self {
        match upcoming {
            Upcoming::Timer(timer) => Self::Server { timer: timer.into() },
            Upcoming::ScheduledEvent(_) | Upcoming::Connection(_) => Self::Scheduled,
            Upcoming::Program(program, _) => Self::Program { program: program.to_string() },
        }
    }
}

impl From<Takeover> for TakeoverRecord {
    fn from(Takeover { at, session, terms }: Takeover) -> Self {
        let span = |span: std::time::Duration| span.as_nanos() as f64 / 1e6;
        Self {
            at: millis(at),
            session: session.to_string(),
            session_ends: span(terms.session),
            lock_delay: span(terms.delay),
            retry: span(terms.retry),
        }
    }
}
