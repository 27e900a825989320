//! The lanes of the picture of an incident: for each key with an answer its lock, the sessions that
//! hold it or ask for it, and the clients that believe that they hold it.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::id::SessionRef;

use crate::answer::{Answer, AnswerKind};
use crate::application::ClientEvent;
use crate::beliefs::BeliefSpan;
use crate::incident::{Incident, Observation};
use crate::log::{LogEvent, Request};
use crate::pattern::ClientEventKind;
use crate::picture::{
    BarKind, EndReason, LaneKind, MarkKind, Picture, PictureBar, PictureLane, PictureMark,
    TimeBounds,
};
use crate::semaphore;

/// The most lanes of a picture.
const LANES_MAX: usize = 40;
/// The most marks of a lane.
const MARKS_MAX: usize = 200;

/// What a lane is about.
enum Subject {
    Lock,
    Session(String),
    Client(Arc<str>),
}

impl Incident {
    /// What the sources show of the keys of these answers, as lanes of bars and marks. Keys that
    /// nobody holds come last. There are at most 40 lanes; what is left out is counted.
    pub fn picture(&self, answers: &[Answer]) -> Picture {
        let mut sorted: Vec<&Answer> = answers.iter().collect();
        sorted.sort_by_key(|answer| rank(answer.kind));
        let (moment, lanes) = (self.as_of(), Vec::new());
        let mut picture = Picture { moment, lanes, left_out_keys: 0, left_out_others: 0 };
        let mut drawn = BTreeSet::new();
        for (place, answer) in sorted.iter().enumerate() {
            if picture.lanes.len() >= LANES_MAX {
                picture.left_out_keys = sorted.len() - place;
                break;
            }
            let sessions = self.sessions_of(answer).into_iter();
            let sessions: Vec<String> = sessions.filter(|id| drawn.insert(id.clone())).collect();
            let sessions = sessions.into_iter().map(Subject::Session);
            let clients = self.clients_of(&answer.key).into_iter().map(Subject::Client);
            for subject in [Subject::Lock].into_iter().chain(sessions).chain(clients) {
                if picture.lanes.len() < LANES_MAX {
                    picture.lanes.push(self.lane(answer, &subject));
                } else {
                    picture.left_out_others += 1;
                }
            }
        }
        picture
    }

    /// The sessions that hold the key of an answer in a list, or ask for it in a log, in the order
    /// of their first evidence.
    fn sessions_of(&self, answer: &Answer) -> Vec<String> {
        let key = &answer.key;
        let entry = self.keys.get(key).and_then(|seen| seen.entry.as_ref());
        let document = entry.and_then(semaphore::document);
        let in_slots = document.iter().flat_map(|document| &document.holders);
        let in_slots = in_slots.map(SessionRef::as_str);
        let named = answer.holder.as_deref().into_iter().chain(answer.likely.as_deref());
        let asked = self.acquires(key).map(|(session, _)| session);
        let all = self.holders_in_lists(key).chain(in_slots).chain(named).chain(asked);
        let all: BTreeSet<&str> = all.collect();
        let mut all: Vec<&str> = all.into_iter().collect();
        all.sort_by_key(|id| (self.first_evidence(id), *id));
        all.into_iter().map(String::from).collect()
    }

    /// The clients whose logs are about a key, by their names.
    fn clients_of(&self, key: &str) -> BTreeSet<Arc<str>> {
        self.beliefs
            .of_keys
            .get(key)
            .into_iter()
            .flat_map(|clients| clients.keys().cloned())
            .collect()
    }

    fn lane(&self, answer: &Answer, subject: &Subject) -> PictureLane {
        let is_semaphore = answer.kind == AnswerKind::Semaphore;
        let (kind, name, session) = match subject {
            Subject::Lock if is_semaphore => (LaneKind::Semaphore, answer.key.clone(), None),
            Subject::Lock => (LaneKind::Lock, answer.key.clone(), None),
            Subject::Session(id) => (LaneKind::Session, self.name_of(id), Some(id.clone())),
            Subject::Client(client) => (LaneKind::Client, String::from(&**client), None),
        };
        let (bars, mut marks) = match subject {
            Subject::Lock if is_semaphore => (Vec::new(), Vec::new()),
            Subject::Lock => (self.lock_bars(answer), self.marks_of_lock(&answer.key)),
            Subject::Session(id) => {
                let holds = answer.holder.as_ref() == Some(id);
                let now = if holds { answer.as_of } else { self.now };
                (self.life(id, now), self.marks_of_session(id))
            }
            Subject::Client(client) => {
                (self.beliefs_of(&answer.key, client), self.marks_of_client(&answer.key, client))
            }
        };
        let earlier_marks = marks.len().saturating_sub(MARKS_MAX);
        marks.drain(..earlier_marks);
        let is_known = answer.kind != AnswerKind::Unknown && matches!(subject, Subject::Lock);
        let open_from = Some(TimeBounds::new(answer.earliest, answer.latest));
        let open_from = open_from.filter(|open| is_known && *open != TimeBounds::default());
        let key = answer.key.clone();
        PictureLane { kind, key, name, session, bars, marks, earlier_marks, open_from }
    }

    fn marks_of_lock(&self, key: &str) -> Vec<PictureMark> {
        let mark = |line: &Observation| {
            let (kind, session) = match &line.event {
                LogEvent::LockDelay { .. } => (MarkKind::Refused, None),
                LogEvent::Request(Request::Acquire { session, .. }) => {
                    (MarkKind::Asked, Some(session.clone()))
                }
                _ => return None,
            };
            let name = session.as_deref().map(|session| self.name_of(session));
            Some(PictureMark { kind, time: line.time, session, name })
        };
        self.lines_of_key(key).filter_map(mark).collect()
    }

    /// When a client believed that it holds a key.
    fn beliefs_of(&self, key: &str, client: &Arc<str>) -> Vec<PictureBar> {
        let belief = self.beliefs.of_keys.get(key).and_then(|of_key| of_key.get(client));
        let spans = belief.into_iter().flat_map(|belief| &belief.spans);
        spans.map(|span| self.belief_bar(span)).collect()
    }

    fn belief_bar(&self, span: &BeliefSpan) -> PictureBar {
        let begin = TimeBounds::exact(span.begin.time);
        let end = match &span.end {
            Some(end) => TimeBounds::exact(end.time),
            None => {
                let of_client = |event: &&ClientEvent| event.client == span.begin.client;
                let last = self.clients.iter().rfind(of_client).map(|event| event.time);
                TimeBounds::new(last, None)
            }
        };
        let mut bar = PictureBar::new(BarKind::Believes, begin, Some(end));
        if let Some(session) = &span.begin.session {
            bar = bar.of_session(session, self.name_of(session));
        }
        bar.end_reason = span.end.as_ref().and_then(|end| match end.kind {
            ClientEventKind::Lost => Some(EndReason::Lost),
            ClientEventKind::Released => Some(EndReason::Released),
            ClientEventKind::Acquired | ClientEventKind::Renewed => None,
        });
        bar
    }

    /// What a client logs about a key, or about no key.
    fn marks_of_client(&self, key: &str, client: &Arc<str>) -> Vec<PictureMark> {
        let events = self.clients.iter().filter(|event| {
            event.client == *client && event.key.as_deref().is_none_or(|named| named == key)
        });
        let mark = |event: &ClientEvent| {
            let kind = match event.kind {
                ClientEventKind::Acquired => MarkKind::Acquired,
                ClientEventKind::Lost => MarkKind::Lost,
                ClientEventKind::Released => MarkKind::Released,
                ClientEventKind::Renewed => MarkKind::RenewedByClient,
            };
            let session = event.session.clone();
            let name = session.as_deref().map(|session| self.name_of(session));
            PictureMark { kind, time: event.time, session, name }
        };
        events.map(mark).collect()
    }
}

/// The place of the lanes of a key among those of others, by the kind of its answer.
const fn rank(kind: AnswerKind) -> usize {
    match kind {
        AnswerKind::Held | AnswerKind::Delayed | AnswerKind::Semaphore => 0,
        AnswerKind::Unknown | AnswerKind::MaybeDelayed => 1,
        AnswerKind::Free => 2,
    }
}
