//! A small world with its record, for tests of the rows and lanes that are made from it.

use std::sync::Arc;

use lictor_core::ConsulVersion;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, SessionId};
use lictor_core::time::Instant;
use lictor_sim::record::{
    BeliefSpan, BeliefTrack, ChunkedLog, EventResult, EventRow, ExchangeState, Note, Record,
};
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{Act, Call, Fold, Outcome, World};

use crate::fresh_world::sandbox;

pub const LEADER: &str = "db/leader";

/// Rows of events at these times, in seconds.
pub fn rows_at(times: &[u64]) -> Vec<Arc<EventRow>> {
    let timeline = sandbox(ConsulVersion::default());
    let like = timeline.record_at_end().events().get(0).expect("an event");
    times.iter().map(|time| Arc::new(EventRow { at: at(*time), ..(**like).clone() })).collect()
}

/// A log of rows with the numbers from 1 on, each of a client that joined.
pub fn joins(count: usize) -> ChunkedLog<Arc<EventRow>> {
    let rows = rows_at(&[0]);
    let row = |number| Arc::new(EventRow { number, ..(*rows[0]).clone() });
    (1..=count).map(row).collect()
}

/// A time in seconds.
pub fn at(seconds: u64) -> Instant {
    Instant::from_millis(seconds * 1000)
}

/// A world with its record, driven by requests.
pub struct TestWorld {
    pub world: World,
    pub record: Record,
}

impl TestWorld {
    /// A world with the clients `web-1`, `web-2` and `web-3`.
    pub fn of_three() -> Self {
        let mut played = Self { world: World::new(42), record: Record::default() };
        for name in ["web-1", "web-2", "web-3"] {
            played.perform(Act::Join { actor: ActorName::from(name) });
        }
        played
    }

    pub fn perform(&mut self, act: Act) {
        let events = self.world.perform(act).expect("it is possible");
        events.iter().for_each(|event| self.record.fold(event));
    }

    pub fn call(&mut self, actor: &str, method: &str, target: &str, body: &str) {
        let request = HttpRequest::new(method, target, body.as_bytes());
        self.perform(Act::Request { actor: ActorName::from(actor), request });
    }

    pub fn session(&mut self, actor: &str, body: &str) -> SessionId {
        self.call(actor, "PUT", "/v1/session/create", body);
        let session = self.record.session_of(&ActorName::from(actor));
        session.expect("it was created").session.id
    }

    /// Registers the check `work`, which follows the sessions of a name on the actor's node.
    pub fn follow_sessions(&mut self, actor: &str, name: &str) {
        let body = format!(
            r#"{{"Node": "{actor}", "SkipNodeUpdate": true, "Check": {{"CheckID": "work",
                "Type": "session", "Definition": {{"SessionName": "{name}"}}}}}}"#
        );
        self.call(actor, "PUT", "/v1/catalog/register", &body);
    }

    pub fn acquire(&mut self, actor: &str, session: SessionId) {
        self.call(actor, "PUT", &format!("/v1/kv/{LEADER}?acquire={session}"), actor);
    }

    pub fn destroy(&mut self, actor: &str, session: SessionId) {
        self.call(actor, "PUT", &format!("/v1/session/destroy/{session}"), "");
    }

    pub fn advance_to(&mut self, millis: u64) {
        let events = self.world.advance_to(Instant::from_millis(millis));
        events.iter().for_each(|event| self.record.fold(event));
    }

    pub fn act(&mut self, actor: &str, words: &str) {
        let act = act_of(actor, words, &Names::default()).expect("it is well formed");
        self.perform(act);
    }

    /// The latest call, with its answer.
    pub fn answered(&self) -> (&Call, &Outcome) {
        let exchange = self.record.exchanges().last().expect("a request was sent");
        match &exchange.state {
            ExchangeState::Answered { outcome, .. } => (&exchange.call, outcome),
            state => panic!("{state:?} is no answer"),
        }
    }

    pub fn last(&self) -> (EventResult, Note) {
        let row = self.record.events().last().expect("something happened");
        (row.reply.clone(), row.note.clone())
    }
}

/// A track made from spans, in the order in which they began.
pub fn belief_track(spans: Vec<BeliefSpan>) -> BeliefTrack {
    let mut ends =
        spans.iter().filter_map(|it| Some((it.to?, it.session.clone()))).collect::<Vec<_>>();
    ends.sort();
    let (mut track, mut ends) = (BeliefTrack::default(), ends.into_iter().peekable());
    for span in spans {
        while let Some((at, session)) = ends.next_if(|(at, _)| *at < span.from) {
            track.end(at, &|open| open.session == session);
        }
        track.begin(BeliefSpan { to: None, ..span }, Instant::EPOCH);
    }
    ends.for_each(|(at, session)| {
        track.end(at, &|open| open.session == session);
    });
    track
}
