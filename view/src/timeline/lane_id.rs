//! The lanes of the timeline: one or several for each track of the record, each with its name, its
//! label, its height and its shapes.

use lictor_core::id::{Index, Key, ResourceName, SessionId};
use lictor_sim::record::{CheckPath, CheckTrack, ConnectionPath, Record, SemaphoreTrack};
use lictor_sim::scenario::{LessonLane, Scenario};

use super::bar::with_paled_forecast;
use super::belief::belief;
use super::check::check;
use super::connection::connection;
use super::draw_context::{DrawContext, DrawnLane};
use super::former;
use super::key_lane;
use super::lanes;
use super::shape::Shape;
use super::slots::{SLOTS_DRAWN, slots};
use super::takeover::takeovers;
use super::words::{Words, words};
use crate::language::Language;
use crate::rows;

pub use super::key_lane::KeyLane;

/// A lane of the timeline, in the order in which lanes are drawn.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LaneId {
    Server,
    Lock(Key, LockLane),
    Connection(ConnectionPath),
    Key(Key, KeyLane),
    Session(Index, SessionId),
    /// How long nobody else can take a lock. It depends on what is ahead, so that it would answer a
    /// question.
    Takeover(Key),
    Check(CheckPath),
    Slots(Key),
    Resource(ResourceName),
}

/// The two lanes of a lock: its holders at the server, and the beliefs of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockLane {
    Truth,
    Belief,
}

impl LaneId {
    /// The lanes of everything that a record contains, in the order of the page, without that of
    /// the server's log, and without those of former values and of takeovers, for which a record
    /// alone is not enough.
    pub fn all(record: &Record) -> Vec<Self> {
        let mut lanes = Vec::new();
        for (key, _) in record.locks() {
            lanes.push(Self::Lock(key.clone(), LockLane::Truth));
            if record.beliefs(key).is_some() {
                lanes.push(Self::Lock(key.clone(), LockLane::Belief));
            }
        }
        for (key, track) in record.keys().filter_map(|key| Some((key, record.key(key)?))) {
            let kinds = KeyLane::ALL.into_iter().filter(|lane| *lane != KeyLane::Former);
            let kinds = kinds.filter(|lane| lane.exists(track));
            lanes.extend(kinds.map(|lane| Self::Key(key.clone(), lane)));
        }
        let sessions = record.sessions().map(|track| &track.session);
        lanes.extend(sessions.map(|session| Self::Session(session.create_index, session.id)));
        lanes.extend(record.health_checks().map(|track| Self::Check(track.check.path())));
        lanes.extend(record.semaphores().map(|(prefix, _)| Self::Slots(prefix.clone())));
        lanes.extend(record.resources().map(|(name, _)| Self::Resource(name.clone())));
        lanes.extend(record.connections().map(|(path, _)| Self::Connection(path.clone())));
        lanes.sort();
        lanes
    }

    /// Whether the record has the track of the lane.
    pub fn exists_in(&self, record: &Record) -> bool {
        match self {
            Self::Server => true,
            Self::Lock(key, LockLane::Truth) => record.lock(key).is_some(),
            Self::Lock(key, LockLane::Belief) => {
                record.lock(key).is_some() && record.beliefs(key).is_some()
            }
            Self::Connection(path) => record.connection(path).is_some(),
            Self::Key(key, lane) => record.key(key).is_some_and(|track| lane.exists(track)),
            Self::Session(_, id) => record.session(*id).is_some(),
            Self::Takeover(key) => record.lock(key).is_some_and(|track| !track.tenures.is_empty()),
            Self::Check(path) => record.health_check(path).is_some(),
            Self::Slots(prefix) => record.semaphore(prefix).is_some(),
            Self::Resource(name) => record.resource(name).is_some(),
        }
    }

    /// Whether the lane is about what is ahead, so that it is not shown while a question is open.
    pub fn is_ahead(&self) -> bool {
        matches!(self, Self::Takeover(_))
    }

    /// Whether the lane is about more than who holds what until when: the log of the server, keys
    /// and connections.
    pub fn is_detail(&self) -> bool {
        matches!(self, Self::Server | Self::Key(..) | Self::Connection(_))
    }

    /// Whether a lesson shows the lane; the others are folded. A lesson that names no lanes shows
    /// all but those of details, which a lesson has only by name.
    pub fn belongs_to(&self, lesson: &Scenario) -> bool {
        let (kind, ..) = self.kind();
        if lesson.lanes.is_empty() { !self.is_detail() } else { lesson.lanes.contains(&kind) }
    }

    /// The height of what the lane draws, in pixels; that of slots depends on their number.
    pub fn height(&self, record: &Record) -> u32 {
        let (_, height, _) = self.kind();
        match self {
            Self::Slots(prefix) => height + 20 * slots_drawn(record, prefix) as u32,
            _ => height,
        }
    }

    /// The CSS class of the lane.
    pub fn class(&self) -> &'static str {
        self.kind().2
    }

    /// The kind of the lane in a lesson, its height, that of a semaphore without its slots, and its
    /// CSS class.
    fn kind(&self) -> (LessonLane, u32, &'static str) {
        match self {
            Self::Server => (LessonLane::Server, 24, "lane group"),
            Self::Lock(_, LockLane::Truth) => (LessonLane::Locks, 44, "lane lane-lock group"),
            Self::Lock(_, LockLane::Belief) => (LessonLane::Beliefs, 48, "lane lane-belief"),
            Self::Connection(_) => (LessonLane::Connections, 34, "lane"),
            Self::Key(_, KeyLane::Value) => (LessonLane::Keys, 34, "lane lane-key group"),
            Self::Key(..) => (LessonLane::Keys, 24, "lane lane-key"),
            Self::Session(..) => (LessonLane::Sessions, 28, "lane"),
            Self::Takeover(_) => (LessonLane::Locks, 28, "lane"),
            Self::Check(_) => (LessonLane::Checks, 28, "lane"),
            Self::Slots(_) => (LessonLane::Slots, 4, "lane lane-slots group"),
            Self::Resource(_) => (LessonLane::Resources, 28, "lane group"),
        }
    }

    /// The lane as it is drawn.
    pub fn drawn(&self, context: &DrawContext, record: &Record) -> DrawnLane {
        DrawnLane {
            class: self.class(),
            height: self.height(record),
            title: self.title(context.language, record),
            label: self.label(context.language, record),
            shapes: self.shapes(context, record),
        }
    }

    /// The shapes of the lane.
    pub fn shapes(&self, context: &DrawContext, record: &Record) -> Vec<Shape> {
        let shapes = match self {
            Self::Server => Some(lanes::log(context, record.log())),
            Self::Lock(key, LockLane::Truth) => {
                record.lock(key).map(|track| lanes::lock(context, track))
            }
            Self::Lock(key, LockLane::Belief) => {
                record.beliefs(key).map(|track| belief(context, track, record.lock(key)))
            }
            Self::Key(key, lane) => {
                let former = context.former.as_ref().and_then(|former| former.key(key));
                record.key(key).map(|track| key_lane::key(context, *lane, (track, former)))
            }
            Self::Connection(path) => {
                let track = record.connection(path);
                track.map(|track| connection(context, track, record.cuts(&path.0)))
            }
            Self::Session(_, id) => record.session(*id).map(|track| lanes::session(context, track)),
            Self::Takeover(key) => Some(takeovers(context, record, key)),
            Self::Check(path) => record.health_check(path).map(|track| check(context, track)),
            Self::Slots(prefix) => record.semaphore(prefix).map(|track| slots(context, track)),
            Self::Resource(name) => {
                record.resource(name).map(|track| lanes::resource(context, track))
            }
        };
        let mut shapes = with_paled_forecast(&context.axis, shapes.unwrap_or_default());
        shapes.extend(self.former(context, record));
        shapes
    }

    /// The shapes of the lane in the history without the lesson's fix.
    fn former(&self, context: &DrawContext, record: &Record) -> Vec<Shape> {
        let Some(before) = context.former.as_deref() else { return Vec::new() };
        match self {
            Self::Lock(key, LockLane::Truth) => before
                .lock(key)
                .zip(record.lock(key))
                .map_or_else(Vec::new, |(before, now)| former::lock(context, before, now)),
            Self::Session(_, id) => {
                let tracks = before.session(*id).zip(record.session(*id));
                let end = tracks.and_then(|(before, now)| former::session(context, before, now));
                end.into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// The accessible label of the lane.
    pub fn label(&self, language: Language, record: &Record) -> String {
        let words = words(language);
        match self {
            Self::Server => (words.server_lane_label)(record.log().len()),
            Self::Lock(key, LockLane::Truth) => {
                let count = record.lock(key).map_or(0, |track| track.tenures.len());
                (words.lock_lane_label)(key.as_str(), count)
            }
            Self::Lock(key, LockLane::Belief) => {
                let (now, overlaps) = record
                    .beliefs(key)
                    .map_or((0, 0), |track| (track.believers().count(), track.overlap_count()));
                (words.belief_lane_label)(key.as_str(), now, overlaps)
            }
            Self::Connection(path) => {
                let requests = record.connection(path).map_or(&[][..], |track| &track.requests);
                let again = requests.iter().map(|request| request.again.len()).sum();
                let usage = (words.connection_use)(path.2);
                (words.connection_lane_label)(path.0.as_str(), usage, requests.len(), again)
            }
            Self::Key(key, lane) => (words.key_lane.label)(key.as_str(), lane.name(words)),
            Self::Session(_, id) => (words.session_lane_label)(&session_label(record, *id)),
            Self::Takeover(key) => (words.takeover_lane_label)(key.as_str()),
            Self::Check(path) => {
                let track = record.health_check(path);
                let status = track.and_then(CheckTrack::present).map(|span| &span.status);
                (words.check_lane_label)(path.1.as_str(), path.0.as_str(), status)
            }
            Self::Slots(prefix) => (words.slots_lane_label)(prefix_name(prefix)),
            Self::Resource(name) => {
                let count = record.resource(name).map_or(0, |track| track.writes.len());
                (words.resource_lane_label)(name.as_str(), count)
            }
        }
    }

    /// The name by which the page tests find it.
    pub fn test_id(&self, record: &Record) -> String {
        match self {
            Self::Server => "lane-server".to_owned(),
            Self::Lock(key, LockLane::Truth) => format!("lane-{key}"),
            Self::Lock(key, LockLane::Belief) => format!("lane-belief-{key}"),
            Self::Connection((actor, _, usage)) => format!("lane-{usage:?}-{actor}"),
            Self::Key(key, lane) => format!("lane-{lane:?}-{key}"),
            Self::Session(_, id) => format!("lane-session-{}", session_label(record, *id)),
            Self::Takeover(key) => format!("lane-takeover-{key}"),
            Self::Check((_, check)) => format!("lane-check-{}", check.as_str()),
            Self::Slots(prefix) => format!("lane-slots-{}", prefix_name(prefix)),
            Self::Resource(name) => format!("lane-resource-{name}"),
        }
    }

    /// The name of the lane, and the line below it.
    pub fn title(&self, language: Language, record: &Record) -> [String; 2] {
        let words = words(language);
        let (name, below) = match self {
            Self::Server => (rows::words(language).server.to_owned(), ""),
            Self::Lock(key, LockLane::Truth) => (key.to_string(), words.server_truth),
            Self::Lock(_, LockLane::Belief) => (words.belief.to_owned(), words.client_view),
            Self::Connection((_, program, usage)) => {
                let below = program.as_ref().map_or(words.connection, |it| it.as_str());
                ((words.connection_use)(*usage).to_owned(), below)
            }
            Self::Key(key, KeyLane::Value) => (key.to_string(), words.key_lane.value),
            Self::Key(_, lane) => (lane.name(words).to_owned(), ""),
            Self::Session(_, id) => ((words.session_named)(&session_label(record, *id)), ""),
            // The name of the only lock is above the lane already.
            Self::Takeover(key) => match record.locks().nth(1) {
                Some(_) => (words.takeover.to_owned(), key.as_str()),
                None => (words.takeover.to_owned(), ""),
            },
            Self::Check(path) => return check_title(words, record, path),
            Self::Slots(prefix) => {
                let limit = record.semaphore(prefix).and_then(|track| track.limit);
                return [prefix_name(prefix).to_owned(), (words.slots)(limit)];
            }
            Self::Resource(name) => (name.to_string(), words.resource),
        };
        [name, below.to_owned()]
    }
}

/// The id of a check, and the sessions that it follows or else its node.
fn check_title(words: &Words, record: &Record, path: &CheckPath) -> [String; 2] {
    let Some(track) = record.health_check(path) else { return [String::new(), String::new()] };
    let below = match &track.follows {
        Some(name) => (words.check_follows)(name),
        None if track.is_of_node() => track.check.node.to_string(),
        None => (words.check_of_node)(track.check.node.as_str()),
    };
    [track.check.id.to_string(), below]
}

fn slots_drawn(record: &Record, prefix: &Key) -> usize {
    let rows = record.semaphore(prefix).map_or(0, SemaphoreTrack::rows);
    rows.clamp(2, SLOTS_DRAWN)
}

fn session_label(record: &Record, id: SessionId) -> String {
    record.tag(&id.to_string()).label.to_string()
}

/// The name of a prefix; that of the empty one is `/`.
fn prefix_name(prefix: &Key) -> &str {
    if prefix.is_empty() { "/" } else { prefix.as_str() }
}
