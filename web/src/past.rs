//! The past behind the page: the world's timeline, and what the page remembers at three places
//! of it: at the cursor for rows and cards, at the end of the branch for the event list, and as
//! far ahead as nobody acts for the lanes. Pure.

use lictor_core::gather::Gather;
use lictor_core::sim::journal::Logged;
use lictor_core::sim::timeline::{BranchId, Position, Target, Timeline};
use lictor_core::sim::{Act, JournalEntry, Moment, World};
use lictor_core::time::Instant;

use crate::record::{Record, Touched};

/// A copy of the record is kept after about so many moments, farther apart in a long past.
const SPACING: u64 = 512;
/// So many copies are kept at most.
const KEPT: usize = 16;
/// So many steps ahead are looked at.
const STEPS_AHEAD: usize = 300;
/// What lies ahead is shown in about so many steps, where there is more than can be looked at.
const STEPS_SHOWN: u32 = 32;

/// A world with its past, and the page's memory of it.
pub struct Past {
    timeline: Logged,
    /// The whole branch.
    whole: Record,
    /// The branch up to the cursor, while that is not its end.
    visited: Option<Record>,
    ahead: Ahead,
    kept: Kept,
}

/// What the lanes show: all that happened on the branch and, from its end on, what will happen if
/// nobody acts.
pub struct Ahead {
    pub record: Record,
    /// How far it reaches.
    pub until: Instant,
    /// Whether something else was done since than what was seen ahead.
    is_void: bool,
}

/// What becomes of what was seen ahead, when it is looked at again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It changes by what the record says that it touched.
    Further,
    /// It is another one, or goes on to another place.
    Anew,
}

/// Copies of the record by the number of moments behind them.
struct Kept {
    copies: Vec<(u64, Record)>,
    spacing: u64,
}

impl Past {
    pub fn new(timeline: Timeline) -> Self {
        Self::of(Logged::begin(timeline))
    }

    /// A past that was read from its log, which goes on.
    pub fn resume(timeline: Timeline) -> Self {
        Self::of(Logged::resume(timeline))
    }

    fn of(timeline: Logged) -> Self {
        let until = timeline.world().now();
        let mut past = Self {
            timeline,
            whole: Record::default(),
            visited: None,
            ahead: Ahead { record: Record::default(), until, is_void: true },
            kept: Kept { copies: Vec::new(), spacing: SPACING },
        };
        past.remember_branch();
        past
    }

    /// The world at the cursor.
    pub fn world(&self) -> &World {
        self.timeline.world()
    }

    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// What is known at the cursor.
    pub fn record(&self) -> &Record {
        self.visited.as_ref().unwrap_or(&self.whole)
    }

    /// What changed at the cursor since the last look.
    pub fn take_touched(&mut self) -> Touched {
        self.visited.as_mut().unwrap_or(&mut self.whole).take_touched()
    }

    /// What is known at the end of the branch.
    pub fn whole(&self) -> &Record {
        &self.whole
    }

    /// What is known at the end of another branch.
    pub fn record_of(&self, branch: BranchId) -> Option<Record> {
        let branch = self.timeline.branch(branch)?;
        let mut record = Record::default();
        branch.moments(1..branch.end().moments + 1).iter().for_each(|moment| record.fold(moment));
        Some(record)
    }

    pub fn ahead(&self) -> &Ahead {
        &self.ahead
    }

    /// What was written into the log since this was last asked.
    pub fn take_log(&mut self) -> String {
        self.timeline.take_lines()
    }

    /// The line of the log that leads to the cursor.
    pub fn place(&self) -> String {
        self.timeline.place()
    }

    /// Where the branch ends.
    pub fn end(&self) -> Instant {
        self.timeline.here().end().at
    }

    /// Does something at the cursor; in the past, on a branch of its own.
    pub fn perform(&mut self, act: Act) -> Vec<Moment> {
        let here = self.timeline.current();
        self.ahead.is_void = true;
        let moments = self.timeline.perform(act);
        if self.timeline.current() != here {
            self.begin_branch(moments.first().map(|moment| moment.number));
        }
        self.learn(&moments);
        moments
    }

    /// Lets time pass; in the past, what happened happens again.
    pub fn advance(&mut self, to: Instant) -> Vec<Moment> {
        let moments = self.timeline.advance(to);
        self.learn(&moments);
        moments
    }

    /// Goes to another place on the branch.
    pub fn seek(&mut self, target: Target) {
        let position = self.timeline.seek(target);
        self.ahead.is_void = true;
        let is_at_end = self.timeline.is_at_end();
        self.visited = (!is_at_end).then(|| self.remembered(position.moments));
    }

    /// Goes to the next event, if the branch has one.
    pub fn next_event(&mut self) -> bool {
        let next = self.whole.events().get(self.record().events().len()).map(|row| row.moment);
        next.is_some_and(|moment| {
            self.seek(Target::Moment(moment));
            true
        })
    }

    /// Goes back to the end of the latest event before here, or to the beginning.
    pub fn previous_event(&mut self) {
        let here = self.timeline.position();
        let earlier = self.record().events().iter().rev().map(|row| row.moment).gather();
        for moment in earlier {
            let there = self.timeline.seek(Target::Moment(moment));
            if there.at < here.at || there.moments < here.moments {
                return self.seek(Target::Moment(moment));
            }
        }
        self.first();
    }

    /// Goes to where the clients have joined and nothing has happened yet.
    pub fn first(&mut self) {
        let is_join = |act: &Act| matches!(act, Act::Join { .. });
        let joined = self.timeline.here().acts().take_while(|(_, entry)| is_join(&entry.act));
        let acts = joined.last().map_or(0, |(number, _)| number + 1);
        self.seek(Target::Acts(acts));
    }

    /// Goes to another branch. False if there is no such branch.
    pub fn switch(&mut self, branch: BranchId) -> bool {
        let is_there = self.timeline.switch(branch).is_some();
        if is_there {
            self.remember_branch();
        }
        is_there
    }

    /// Does what a script does after what is done already, and goes to a place of it. In the past
    /// that begins a branch of this name.
    pub fn do_up_to(&mut self, script: &[JournalEntry], until: Position, name: &str) {
        if !self.timeline.is_at_end() {
            self.timeline.fork(name.to_owned());
            self.begin_branch(None);
        }
        let done = self.timeline.position().acts;
        for entry in script.get(done..until.acts).unwrap_or_default() {
            self.advance(entry.at);
            self.perform(entry.act.clone());
        }
        self.advance(until.at);
    }

    /// Looks ahead up to a moment, from the end of the branch. What was seen ahead before happens
    /// as it was seen, so it is only looked further.
    pub fn look_ahead(&mut self, until: Instant) -> Seen {
        let is_new = self.ahead.is_void || until < self.ahead.until;
        if is_new {
            let reached = self.end().min(until);
            self.ahead = Ahead { record: self.whole.clone(), until: reached, is_void: false };
        }
        let reached = self.ahead.until;
        if self.visited.is_none() {
            self.look_further(until);
        }
        if is_new || self.ahead.until != reached { Seen::Anew } else { Seen::Further }
    }

    /// Where it cannot be looked to the end it is looked on by whole steps, as all that has no end
    /// is drawn anew with each.
    fn look_further(&mut self, until: Instant) {
        let horizon = until.since(self.timeline.world().now());
        let forecast = self.timeline.look_ahead(horizon, STEPS_AHEAD);
        let (ahead, reached) = (&mut self.ahead, forecast.world().now().min(until));
        for moment in forecast.after(ahead.record.moments()).take_while(|it| it.at <= until) {
            ahead.record.fold(moment);
        }
        if reached == until || reached.since(ahead.until) > horizon / STEPS_SHOWN {
            ahead.until = reached.max(ahead.until);
        }
    }

    /// What changed in what is seen ahead since the last look.
    pub fn take_touched_ahead(&mut self) -> Touched {
        self.ahead.record.take_touched()
    }

    fn learn(&mut self, moments: &[Moment]) {
        for moment in moments {
            if let Some(visited) = &mut self.visited {
                visited.fold(moment);
            }
            if moment.number > self.whole.moments() {
                self.whole.fold(moment);
                self.kept.take(&self.whole);
            }
            if moment.number > self.ahead.record.moments() {
                self.ahead.record.fold(moment);
            }
        }
        if self.visited.is_some() && self.timeline.is_at_end() {
            let touched = self.visited.take().map(|mut visited| visited.take_touched());
            self.whole.touch(touched.unwrap_or_default());
        }
    }

    /// What was the past up to the cursor is all there is of the new branch.
    fn begin_branch(&mut self, first: Option<u64>) {
        self.ahead.is_void = true;
        if let Some(visited) = self.visited.take() {
            self.whole = visited;
        }
        let first = first.unwrap_or(self.whole.moments() + 1);
        self.kept.copies.retain(|(moments, _)| *moments < first);
    }

    /// Learns all of a branch that was not followed while it grew.
    fn remember_branch(&mut self) {
        self.kept.copies.clear();
        self.whole = Record::default();
        self.visited = None;
        let end = self.timeline.here().end();
        for moment in self.timeline.here().moments(1..end.moments + 1) {
            self.whole.fold(&moment);
            self.kept.take(&self.whole);
        }
        self.ahead.is_void = true;
        let here = self.timeline.position();
        if here != end {
            self.visited = Some(self.remembered(here.moments));
        }
    }

    /// The record as it was after so many moments.
    fn remembered(&self, moments: u64) -> Record {
        let visited = self.visited.as_ref().filter(|record| record.moments() <= moments);
        let kept = self.kept.before(moments).max_by_key(|record| record.moments());
        let nearest = visited.into_iter().chain(kept).max_by_key(|record| record.moments());
        let mut record = nearest.cloned().unwrap_or_default();
        let missing = record.moments() + 1..moments + 1;
        let missing = self.timeline.here().moments(missing);
        missing.iter().for_each(|moment| record.fold(moment));
        record
    }
}

impl Kept {
    fn take(&mut self, record: &Record) {
        let last = self.copies.last().map_or(0, |(moments, _)| *moments);
        if record.moments() < last + self.spacing {
            return;
        }
        self.copies.push((record.moments(), record.clone()));
        if self.copies.len() > KEPT {
            let mut place = 0;
            self.copies.retain(|_| {
                place += 1;
                place % 2 == 0
            });
            self.spacing *= 2;
        }
    }

    fn before(&self, moments: u64) -> impl Iterator<Item = &Record> {
        let is_before = move |(of, _): &&(u64, Record)| *of <= moments;
        self.copies.iter().filter(is_before).map(|(_, record)| record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::http::HttpRequest;
    use lictor_core::id::{ActorName, Key};

    fn at(seconds: u64) -> Instant {
        Instant::from_millis(seconds * 1000)
    }

    fn request(method: &str, target: &str, body: &str) -> Act {
        let request = HttpRequest::new(method, target, body.as_bytes());
        Act::Request { actor: ActorName::from("web-1"), request }
    }

    /// A client creates a session of 10 s, takes a lock with it after 5 s, and does no more.
    fn past() -> Past {
        let mut past = Past::new(Timeline::new(World::new(1)));
        past.perform(Act::Join { actor: ActorName::from("web-1") });
        past.perform(request("PUT", "/v1/session/create", r#"{"TTL": "10s"}"#));
        past.advance(at(5));
        let session = past.record().sessions().next().expect("a session").session.id;
        past.perform(request("PUT", &format!("/v1/kv/a?acquire={session}"), "1"));
        past.advance(at(30));
        past
    }

    fn is_held(record: &Record) -> bool {
        let track = record.lock(&Key::from("a"));
        track.is_some_and(|track| track.tenures.iter().any(|tenure| tenure.to.is_none()))
    }

    #[test]
    fn the_record_at_the_cursor_is_as_it_was_then() {
        let mut past = past();
        assert!(!is_held(past.record()));
        past.seek(Target::Time(at(6)));
        assert!(is_held(past.record()));
        past.seek(Target::Time(at(4)));
        assert!(past.record().lock(&Key::from("a")).is_none());
        past.seek(Target::Time(at(19)));
        assert!(is_held(past.record()) && !is_held(past.whole()));
    }

    #[test]
    fn events_are_gone_through_one_by_one_in_both_directions() {
        let mut past = past();
        let all = past.whole().events().len();
        let mut back = vec![past.record().events().len()];
        while past.record().events().len() > 1 {
            past.previous_event();
            back.push(past.record().events().len());
        }
        let mut forward = vec![past.record().events().len()];
        while past.next_event() {
            forward.push(past.record().events().len());
        }
        back.reverse();
        assert_eq!(forward.last(), Some(&all));
        back.dedup();
        assert_eq!(forward, back);
    }

    #[test]
    fn an_act_in_the_past_begins_a_branch_that_knows_only_what_was_before() {
        let mut past = past();
        let main = past.timeline().current();
        past.seek(Target::Time(at(6)));
        past.perform(request("PUT", "/v1/kv/b", "1"));
        assert_ne!(past.timeline().current(), main);
        assert!(is_held(past.whole()));
        let rows = past.whole().events().len();
        assert!(past.switch(main));
        past.seek(Target::Time(past.end()));
        assert!(!is_held(past.record()));
        assert!(past.whole().events().len() >= rows);
    }

    #[test]
    fn what_was_seen_ahead_can_be_put_out_of_sight_again() {
        let mut past = past();
        past.seek(Target::Time(at(6)));
        past.perform(request("PUT", "/v1/kv/b", "1"));
        past.look_ahead(at(60));
        assert!(!is_held(&past.ahead().record));
        past.look_ahead(at(6));
        assert!(is_held(&past.ahead().record));
        assert_eq!(past.ahead().until, at(6));
    }

    #[test]
    fn a_script_goes_on_where_it_was_left_whatever_was_done_since() {
        let mut past = past();
        let script: Vec<_> = past.timeline().here().acts().map(|(_, it)| it.clone()).collect();
        past.seek(Target::Time(at(4)));
        let left = past.timeline().position();
        past.perform(request("PUT", "/v1/kv/a", "of the reader"));
        past.advance(at(9));
        past.seek(Target::Position(left));
        let goal = Position { at: at(6), acts: script.len(), ..left };
        past.do_up_to(&script, goal, "the story");
        assert!(is_held(past.record()));
        let values = past.world().store().kv().get("a").map(|entry| entry.value.to_vec());
        assert_eq!(values, Some(b"1".to_vec()));
    }

    #[test]
    fn time_that_passes_in_the_past_brings_back_what_happened() {
        let mut past = past();
        let whole: Vec<_> = past.whole().events().to_vec();
        past.seek(Target::Time(at(1)));
        past.advance(at(6));
        assert!(is_held(past.record()));
        past.advance(at(40));
        assert!(past.timeline().is_at_end());
        assert_eq!(past.record().events()[..whole.len()], whole[..]);
    }

    #[test]
    fn what_lies_ahead_is_what_comes_if_nobody_acts() {
        let mut past = past();
        past.seek(Target::Time(at(6)));
        past.perform(request("PUT", "/v1/kv/b", "1"));
        past.look_ahead(at(60));
        assert_eq!(past.ahead().until, at(60));
        let lock = past.ahead().record.lock(&Key::from("a")).cloned();
        past.advance(at(60));
        assert_eq!(past.record().lock(&Key::from("a")).cloned(), lock);
        assert!(!is_held(past.record()));
    }
}
