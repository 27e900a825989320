//! A world with its past, in the form that JavaScript uses: acts are in the line language, events
//! have their lines of a trace, and the answers to requests of clients are collected.
//!
//! It does not use JavaScript, so its tests run natively.

use std::collections::BTreeSet;
use std::time::Duration;

use lictor_core::engine::Config;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::{ActorName, Key, RequestId};
use lictor_core::store::Entry;
use lictor_core::time::Instant;
use lictor_sim::journal::{Journal, LinkError, Log, LogError, SavedText};
use lictor_sim::record::{BeliefSpan, BeliefTrack, Record};
use lictor_sim::timeline::{BranchId, SeekTarget, Timeline, TraceLines, events_with_lines};
use lictor_sim::trace::{WordsError, act_of, is_event};
use lictor_sim::{Act, ActError, Actor, Believer, Caller, Condition, EventKind, Travel, World};

use crate::types::millis;
use crate::types::record::HttpAnswer;
use crate::types::world::{
    BeliefRecord, BranchComparison, BranchRecord, CallEnd, ClientState, OverlapRecord,
    TakeoverRecord, WorldDeadline, WorldEvent,
};

/// A world with its past.
#[derive(Debug)]
pub struct WorldTimeline {
    timeline: Timeline<Record>,
    lines: TraceLines,
    /// The calls whose ends are collected.
    open: BTreeSet<RequestId>,
    ends: Vec<CallEnd>,
}

/// Why a call on a world does nothing.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// The words are no act.
    #[error(transparent)]
    Words(#[from] WordsError),
    /// The world refuses the act.
    #[error(transparent)]
    Act(#[from] ActError),
    /// No event has this number, or it was dropped.
    #[error("there is no event {0} up to the cursor")]
    UnknownEvent(u64),
    /// The branch ends before this time.
    #[error("the branch ends at {0} ms; `advance` goes on from there")]
    AfterTheEnd(u64),
    /// The branch ends before this event.
    #[error("the branch has no event {0}; `advance` goes on from its end")]
    EventAfterTheEnd(u64),
    /// There is no such branch.
    #[error("there is no branch {0}")]
    UnknownBranch(u32),
    /// A read was expected.
    #[error("`read` only reads; a client performs writes")]
    NotARead,
    /// The world has no link.
    #[error(transparent)]
    Link(LinkError),
}

/// Why a text is no world.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnreadableWorld {
    /// It is neither a log nor a link.
    #[error("this is neither a log nor a link")]
    Foreign,
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The link cannot be read.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// It is a link to a lesson.
    #[error("this links to a lesson of Lictor's page; save its world there as a log")]
    Lesson,
}

impl WorldTimeline {
    /// A world without clients.
    pub fn new(config: Config, seed: u64) -> Self {
        Self::of(Timeline::recorded(World::with_config(seed, config)))
    }

    /// The world of a log or of a link, with the cursor where it was.
    pub fn read(text: &str) -> Result<Self, UnreadableWorld> {
        Ok(Self::of(match SavedText::of(text).ok_or(UnreadableWorld::Foreign)? {
            SavedText::Log(log) => Log::read(&log)?,
            SavedText::World(link) => link.open()?,
            SavedText::Lesson(_) => return Err(UnreadableWorld::Lesson),
        }))
    }

    fn of(timeline: Timeline<Record>) -> Self {
        let (lines, open, ends) = (TraceLines::default(), BTreeSet::new(), Vec::new());
        Self { timeline, lines, open, ends }
    }

    /// The world at the cursor.
    pub fn world(&self) -> &World {
        self.timeline.world()
    }

    /// Performs the act of a client, or of `server`, that the words express.
    pub(crate) fn act(&mut self, actor: &str, words: &str) -> Result<Vec<WorldEvent>, WorldError> {
        let names = self.lines.names(&self.timeline).clone().with_server(self.world().config());
        let act = act_of(actor, words, &names)?;
        self.perform(act)
    }

    /// Sends a request of a client, and returns the number of its call with the events.
    pub(crate) fn request(
        &mut self,
        actor: &str,
        request: HttpRequest,
    ) -> Result<(u64, Vec<WorldEvent>), WorldError> {
        let actor = ActorName::from(actor);
        let since = self.timeline.position().event_number;
        let events = self.timeline.perform(Act::Request { actor, request })?;
        let sent = events.iter().find_map(|event| match &event.kind {
            EventKind::Sent(call) => Some(call.id),
            _ => None,
        });
        let id = sent.expect("a request that is performed is sent");
        self.open.insert(id);
        Ok((id.0, self.happened(since)))
    }

    /// Cancels a call that has no answer yet.
    pub(crate) fn cancel(&mut self, call: u64) -> Result<Vec<WorldEvent>, WorldError> {
        self.open.remove(&RequestId(call));
        self.perform(Act::Cancel { id: RequestId(call) })
    }

    fn perform(&mut self, act: Act) -> Result<Vec<WorldEvent>, WorldError> {
        let since = self.timeline.position().event_number;
        self.timeline.perform(act)?;
        Ok(self.happened(since))
    }

    /// Advances the clock; stops early after many events.
    pub(crate) fn advance(&mut self, span: Duration) -> Vec<WorldEvent> {
        self.advance_to(self.world().now().plus(span))
    }

    /// Advances to the next deadline, if there is one.
    pub(crate) fn advance_to_next(&mut self) -> Vec<WorldEvent> {
        let next = self.world().next_deadline().map(|(at, _)| at);
        next.map_or_else(Vec::new, |at| self.advance_to(at))
    }

    fn advance_to(&mut self, to: Instant) -> Vec<WorldEvent> {
        let since = self.timeline.position().event_number;
        self.timeline.advance_to(to);
        self.happened(since)
    }

    /// The events after the one of this number; ends of calls are collected.
    fn happened(&mut self, since: u64) -> Vec<WorldEvent> {
        let events = self.lines.after(&self.timeline, since);
        for (event, _) in &events {
            let end = match &event.kind {
                EventKind::Answered { call, outcome } if call.caller == Caller::Person => {
                    Some((call.id, Some(&outcome.response)))
                }
                EventKind::Travel(Travel::Broken { call, .. }) => Some((call.id, None)),
                _ => None,
            };
            if let Some((id, response)) = end.filter(|(id, _)| self.open.remove(id)) {
                let answer = response.cloned().map(|it: HttpResponse| HttpAnswer::new(id.0, it));
                self.ends.push(CallEnd { call: id.0 as f64, answer });
            }
        }
        events.into_iter().map(WorldEvent::from).collect()
    }

    pub(crate) fn take_ends(&mut self) -> Vec<CallEnd> {
        std::mem::take(&mut self.ends)
    }

    /// All events up to the cursor that were not dropped.
    pub(crate) fn events(&self) -> Vec<WorldEvent> {
        let events = TraceLines::default().after(&self.timeline, 0);
        events.into_iter().map(WorldEvent::from).collect()
    }

    /// The trace up to the cursor.
    pub fn trace(&self) -> String {
        self.timeline.trace()
    }

    /// The event of a number and those that led to it, beginning with an act if that was not
    /// dropped.
    pub(crate) fn explain(&self, number: u64) -> Result<Vec<WorldEvent>, WorldError> {
        let mut events = self.events();
        let mut chain = Vec::new();
        let mut next = Some(number as f64);
        while let Some(wanted) = next {
            let Some(index) = events.iter().rposition(|event| event.number == wanted) else {
                break;
            };
            events.truncate(index + 1);
            let event = events.pop().expect("it was just found");
            next = event.cause;
            chain.push(event);
        }
        chain.reverse();
        if chain.is_empty() { Err(WorldError::UnknownEvent(number)) } else { Ok(chain) }
    }

    pub(crate) fn next_deadline(&self) -> Option<WorldDeadline> {
        let (at, upcoming) = self.world().next_deadline()?;
        Some(WorldDeadline { at: millis(at), reason: upcoming.into() })
    }

    pub(crate) fn clients(&self) -> Vec<ClientState> {
        let now = self.world().now();
        let state = |actor: &Actor| ClientState {
            name: actor.name.to_string(),
            condition: match actor.condition {
                Condition::Up => "up",
                Condition::Paused => "paused",
                Condition::Down => "down",
            },
            is_cut: actor.cut.is_some(),
            clock: millis(actor.clock.read(now)),
        };
        self.world().actors().iter().map(state).collect()
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry> {
        self.world().store().kv().get(key).map(|entry| &**entry)
    }

    /// The server's answer to a read, which is not part of the world. Fails for a write.
    pub fn look(&self, target: &str) -> Result<HttpResponse, WorldError> {
        self.world().read_now(target).ok_or(WorldError::NotARead)
    }

    /// The clients and programs that believe that they hold a lock.
    pub(crate) fn beliefs(&self, key: &str) -> Vec<BeliefRecord> {
        let holder = self.entry(key).and_then(Entry::holder).map(ToString::to_string);
        let track = self.timeline.record().beliefs(&Key::from(key));
        let spans = track.into_iter().flat_map(BeliefTrack::believers);
        let record = |span: &BeliefSpan| BeliefRecord {
            client: span.believer.actor().to_string(),
            program: match &span.believer {
                Believer::Person(_) => None,
                Believer::Program { name, .. } => Some(name.to_string()),
            },
            session: span.session.to_string(),
            since: millis(span.from),
            is_true: holder.as_deref() == Some(span.session.as_str()),
        };
        spans.map(record).collect()
    }

    /// The times during which at least two clients or programs believed that they held a lock.
    pub(crate) fn overlaps(&self, key: &str) -> Vec<OverlapRecord> {
        let track = self.timeline.record().beliefs(&Key::from(key));
        let overlaps = track.into_iter().flat_map(|track| &track.overlaps);
        overlaps.map(|it| OverlapRecord { from: millis(it.from), to: it.to.map(millis) }).collect()
    }

    pub(crate) fn earliest_takeover(&self, key: &str) -> Option<TakeoverRecord> {
        self.world().earliest_takeover(&Key::from(key)).map(TakeoverRecord::from)
    }

    /// Moves the cursor. Calls whose ends were not collected yet are given up. Fails for what is
    /// after the end of the branch.
    pub fn seek(&mut self, target: SeekTarget) -> Result<(), WorldError> {
        let end = self.timeline.here().end();
        match target {
            SeekTarget::Time(at) if at > end.at => {
                return Err(WorldError::AfterTheEnd(end.at.as_millis()));
            }
            SeekTarget::SimEvent(number) if number > end.event_number => {
                return Err(WorldError::EventAfterTheEnd(number));
            }
            _ => {}
        }
        self.give_up();
        self.timeline.seek(target);
        Ok(())
    }

    /// Begins a branch at the cursor.
    pub fn fork(&mut self, name: String) -> u32 {
        self.give_up();
        self.timeline.fork(name).number()
    }

    /// Moves the cursor to another branch, at the same time or at its end.
    pub fn switch(&mut self, branch: u32) -> Result<(), WorldError> {
        let found = self.timeline.switch(BranchId::new(branch));
        found.ok_or(WorldError::UnknownBranch(branch))?;
        self.give_up();
        Ok(())
    }

    fn give_up(&mut self) {
        self.open.clear();
        self.ends.clear();
    }

    pub(crate) fn branches(&self) -> Vec<BranchRecord> {
        let current = self.timeline.current();
        let branches = self.timeline.branches().map(|(id, branch)| BranchRecord {
            id: id.number(),
            name: branch.name.clone(),
            end: millis(branch.end().at),
            is_current: id == current,
        });
        branches.collect()
    }

    /// The events of two branches from the first one that differs up to the end of the shorter
    /// branch. Fails if a branch does not exist.
    pub(crate) fn compare(&self, one: u32, other: u32) -> Result<BranchComparison, WorldError> {
        let branch =
            |id| self.timeline.branch(BranchId::new(id)).ok_or(WorldError::UnknownBranch(id));
        let (one, other) = (branch(one)?, branch(other)?);
        let until = millis(one.end().at.min(other.end().at));
        let [mut one, mut other] = [one, other].map(|branch| {
            let mut events = branch.events(1..branch.end().event_number + 1);
            events.retain(is_event);
            let events = events_with_lines(events).into_iter().map(WorldEvent::from);
            events.take_while(|event| event.at <= until).collect::<Vec<_>>()
        });
        let is_same = |(one, other): &(&WorldEvent, &WorldEvent)| {
            (one.at, &one.line) == (other.at, &other.line)
        };
        let same = one.iter().zip(&other).take_while(is_same).count();
        Ok(BranchComparison { one: one.split_off(same), other: other.split_off(same) })
    }

    /// The current branch as the fragment of a link.
    pub fn link(&self) -> Result<String, WorldError> {
        Journal::of(&self.timeline).to_link().map_err(WorldError::Link)
    }

    /// The current branch as the text of a log file.
    pub fn log(&self) -> String {
        Journal::of(&self.timeline).to_lines()
    }

    /// A number that is equal for equal worlds.
    pub fn digest(&self) -> u32 {
        crc32fast::hash(&self.world().dump())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(events: &[WorldEvent]) -> Vec<String> {
        let line = |event: &WorldEvent| event.line.as_ref().map(|it| it.what.clone());
        events.iter().filter_map(line).collect()
    }

    fn world() -> WorldTimeline {
        let mut world = WorldTimeline::new(Config::default(), 1);
        for client in ["web-1", "web-2"] {
            world.act(client, "joins").expect("the name is free");
        }
        world
    }

    #[test]
    fn a_session_keeps_its_name_after_a_seek() {
        let mut world = world();
        world.act("web-1", "session ttl=10s").expect("it is possible");
        world.advance(Duration::from_secs(1));
        world.seek(SeekTarget::Time(Instant::EPOCH)).expect("the branch reaches it");
        let taken = world.act("web-1", "put a acquire=S1").expect("the session exists");
        assert_eq!(lines(&taken), ["put a acquire=S1"]);
        assert_eq!(world.branches().len(), 2, "the time that had passed is another branch");
        world.advance(Duration::from_secs(20));
        world.seek(SeekTarget::Acts(3)).expect("the branch reaches it");
        world.act("web-2", "put a").expect("it is possible");
        assert_eq!(world.branches().len(), 3);
        assert!(world.trace().contains("put a"));
    }

    #[test]
    fn the_answer_to_a_clients_request_is_collected_once() {
        let mut world = world();
        world.act("web-1", "links latency=50ms").expect("it is possible");
        let request = HttpRequest::new("PUT", "/v1/kv/a", b"x");
        let (call, _) = world.request("web-1", request).expect("the client runs");
        // Its connection is opened by a round trip, the request is another one.
        world.advance(Duration::from_millis(199));
        assert!(world.take_ends().is_empty());
        world.advance(Duration::from_millis(1));
        let ends = world.take_ends();
        assert_eq!(ends.len(), 1);
        assert_eq!(ends[0].call, call as f64);
        assert_eq!(ends[0].answer.as_ref().map(|it| it.status), Some(200));
        assert!(world.take_ends().is_empty());
    }

    #[test]
    fn a_link_and_a_log_lead_to_an_equal_world() {
        let mut world = world();
        world.act("web-1", "spawns w1 lock db/leader ttl=10s").expect("it is possible");
        world.act("server", "orders w1 start").expect("it is possible");
        world.advance(Duration::from_secs(60));
        for text in [world.link().expect("it begins with a seed"), world.log()] {
            let read = WorldTimeline::read(&text).expect("it was just written");
            assert_eq!(read.digest(), world.digest(), "{text}");
        }
        let address = format!("https://example.org/{}&t=5000", world.link().expect("it has one"));
        let read = WorldTimeline::read(&address).expect("it was just written");
        assert_eq!(read.world().now(), Instant::from_millis(5_000));
        world.seek(SeekTarget::Time(Instant::from_millis(5_000))).expect("the branch reaches it");
        assert_eq!(read.digest(), world.digest());
        assert_eq!(WorldTimeline::read("hello").err(), Some(UnreadableWorld::Foreign));
        let lesson = WorldTimeline::read("#story=ttl-twice.1").err();
        assert_eq!(lesson, Some(UnreadableWorld::Lesson));
    }

    #[test]
    fn every_event_is_explained_back_to_an_act() {
        let mut world = world();
        world.act("web-1", "spawns w1 lock db/leader ttl=10s").expect("it is possible");
        world.act("server", "orders w1 start").expect("it is possible");
        world.act("web-1", "crashes").expect("it is possible");
        world.advance(Duration::from_secs(60));
        for event in world.events() {
            let chain = world.explain(event.number as u64).expect("it exists");
            assert_eq!(chain[0].cause, None, "{event:?}");
            assert_eq!(chain.last(), Some(&event));
        }
        assert_eq!(world.explain(1_000_000), Err(WorldError::UnknownEvent(1_000_000)));
    }
}
