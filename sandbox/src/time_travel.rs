//! The past behind the page: the world's timeline, and what the page remembers at three places
//! of it: at the cursor for rows and cards, at the end of the branch for the event list, and as
//! far ahead as nobody acts for the lanes. Pure.

mod checkpoints;
use lictor_core::time::Instant;
use lictor_sim::journal::LoggedTimeline;
use lictor_sim::timeline::{BranchId, Position, Target, Timeline};
use lictor_sim::{Act, JournalEntry, SimEvent, World};

use self::checkpoints::Kept;
use crate::history::{Record, Touched};

/// So many steps ahead are looked at before it is asked whether there is time for more.
const STEPS_AHEAD: usize = 8;
/// What lies ahead is shown in about so many steps, where there is more than can be looked at.
const STEPS_SHOWN: u32 = 6;

/// A world with its past, and the page's memory of it.
pub struct Past {
    timeline: LoggedTimeline,
    /// The whole branch.
    whole: Record,
    /// The branch up to the cursor, while that is not its end.
    visited: Option<Record>,
    ahead: Foreseen,
    kept: Kept,
    /// Where the visible past begins, by the number of moments before it.
    begin: u64,
}

/// What the lanes show: all that happened on the branch and, from its end on, what will happen if
/// nobody acts.
pub struct Ahead<'a> {
    pub record: &'a Record,
    /// How far it reaches.
    pub until: Instant,
}

/// What was seen ahead.
struct Foreseen {
    /// The whole branch and what comes after it; none where nothing was seen, or something else was
    /// done since.
    record: Option<Record>,
    until: Instant,
    /// Whether there is nothing more to see of it.
    is_complete: bool,
}

/// What becomes of what was seen ahead, when it is looked at again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// It changes by what the record says that it touched.
    Further,
    /// It is another one, or goes on to another place.
    Anew,
}

impl Past {
    pub fn new(timeline: Timeline) -> Self {
        Self::of(LoggedTimeline::begin(timeline))
    }

    /// A past that was read from its log, which goes on.
    pub fn resume(timeline: Timeline) -> Self {
        Self::of(LoggedTimeline::resume(timeline))
    }

    fn of(timeline: LoggedTimeline) -> Self {
        let until = timeline.world().now();
        let mut past = Self {
            timeline,
            whole: Record::default(),
            visited: None,
            ahead: Foreseen { record: None, until, is_complete: false },
            kept: Kept::default(),
            begin: 0,
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
        let mut record = Record::beginning(branch.beginning());
        branch.moments(1..branch.end().moments + 1).iter().for_each(|moment| record.fold(moment));
        Some(record)
    }

    pub fn ahead(&self) -> Ahead<'_> {
        match &self.ahead.record {
            Some(record) => Ahead { record, until: self.ahead.until },
            None => Ahead { record: &self.whole, until: self.end() },
        }
    }

    /// Whether all was seen of what is to be seen ahead.
    pub fn is_foreseen(&self) -> bool {
        self.ahead.is_complete
    }

    /// What was written into the log since this was last asked.
    pub fn take_log(&mut self) -> String {
        self.timeline.take_lines()
    }

    /// The line of the log that leads to the cursor.
    pub fn place(&self) -> String {
        self.timeline.position_line()
    }

    /// Where the branch ends.
    pub fn end(&self) -> Instant {
        self.timeline.here().end().at
    }

    /// Does something at the cursor; in the past, on a branch of its own.
    pub fn perform(&mut self, act: Act) -> Vec<SimEvent> {
        let here = self.timeline.current();
        self.ahead.record = None;
        let moments = self.timeline.perform(act);
        if self.timeline.current() != here {
            self.begin_branch(moments.first().map(|moment| moment.number));
        }
        self.learn(&moments);
        moments
    }

    /// Lets time pass; in the past, what happened happens again.
    pub fn advance(&mut self, to: Instant) -> Vec<SimEvent> {
        let moments = self.timeline.advance(to);
        self.learn(&moments);
        moments
    }

    /// Where the visible past begins; the beginning where nothing was folded away.
    pub fn begin(&self) -> Instant {
        if self.begin > 0 { self.timeline.here().begin().at } else { Instant::EPOCH }
    }

    /// Forgets what is no longer visible, as the timeline has folded it away.
    fn forget(&mut self) {
        let begin = self.timeline.here().begin();
        if begin.moments > self.begin {
            self.begin = begin.moments;
            self.kept.forget(begin);
            self.whole.forget(begin.at);
            self.ahead.record = None;
        }
    }

    /// Goes to another place on the branch.
    pub fn seek(&mut self, target: Target) {
        let position = self.timeline.seek(target);
        self.ahead.record = None;
        let is_at_end = self.timeline.is_at_end();
        self.visited = (!is_at_end).then(|| self.remembered(position.moments));
    }

    /// Goes to the next event, if the branch has one.
    pub fn next_event(&mut self) -> bool {
        let next = self.whole.events().get(self.record().events().len()).map(|row| row.moment);
        next.is_some_and(|moment| {
            self.seek(Target::SimEvent(moment));
            true
        })
    }

    /// Goes back to the end of the latest event before here, or to the beginning.
    pub fn previous_event(&mut self) {
        let here = self.timeline.position();
        let earlier = self.record().events().iter().rev().map(|row| row.moment).collect::<Vec<_>>();
        for moment in earlier {
            let there = self.timeline.seek(Target::SimEvent(moment));
            if there.at < here.at || there.moments < here.moments {
                return self.seek(Target::SimEvent(moment));
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

    /// Looks ahead up to a moment, from the end of the branch, for as long as there is time. What
    /// was seen ahead before happens as it was seen, so it is only looked further.
    pub fn look_ahead(&mut self, until: Instant, has_time: &dyn Fn() -> bool) -> Seen {
        if until < self.ahead.until {
            self.ahead.record = None;
        }
        let is_new = self.ahead.record.is_none();
        if is_new {
            self.ahead.until = self.end().min(until);
        }
        let reached = self.ahead.until;
        let mut record = self.ahead.record.take().unwrap_or_else(|| self.whole.clone());
        self.ahead.is_complete = self.visited.is_some();
        while !self.ahead.is_complete {
            self.look_further(&mut record, until);
            if !has_time() {
                break;
            }
        }
        self.ahead.record = Some(record);
        if is_new || self.ahead.until != reached { Seen::Anew } else { Seen::Further }
    }

    /// Where it cannot be looked to the end it is looked on by whole steps, as all that has no end
    /// is drawn anew with each.
    fn look_further(&mut self, record: &mut Record, until: Instant) {
        let horizon = until.since(self.timeline.world().now());
        let forecast = self.timeline.look_ahead(horizon, STEPS_AHEAD);
        let (ahead, reached) = (&mut self.ahead, forecast.world().now().min(until));
        for moment in forecast.after(record.moments()).take_while(|it| it.at <= until) {
            record.fold(moment);
        }
        ahead.is_complete = forecast.is_complete();
        if reached == until || reached.since(ahead.until) > horizon / STEPS_SHOWN {
            ahead.until = reached.max(ahead.until);
        }
    }

    /// What changed in what is seen ahead since the last look.
    pub fn take_touched_ahead(&mut self) -> Touched {
        self.ahead.record.as_mut().map(Record::take_touched).unwrap_or_default()
    }

    fn learn(&mut self, moments: &[SimEvent]) {
        for moment in moments {
            if let Some(visited) = &mut self.visited {
                visited.fold(moment);
            }
            if moment.number > self.whole.moments() {
                self.whole.fold(moment);
                self.kept.take(&self.whole);
            }
        }
        // Where time has come farther than was seen, that is of no more use.
        self.ahead.record.take_if(|seen| seen.moments() < self.whole.moments());
        if self.visited.is_some() && self.timeline.is_at_end() {
            let touched = self.visited.take().map(|mut visited| visited.take_touched());
            self.whole.touch(touched.unwrap_or_default());
        }
        self.forget();
    }

    /// What was the past up to the cursor is all there is of the new branch.
    fn begin_branch(&mut self, first: Option<u64>) {
        self.ahead.record = None;
        if let Some(visited) = self.visited.take() {
            self.whole = visited;
        }
        let first = first.unwrap_or(self.whole.moments() + 1);
        self.kept.cut(first);
    }

    /// Learns all of a branch that was not followed while it grew.
    fn remember_branch(&mut self) {
        self.kept.cut(0);
        self.begin = self.timeline.here().begin().moments;
        self.whole = Record::beginning(self.timeline.here().beginning());
        self.visited = None;
        let end = self.timeline.here().end();
        for moment in self.timeline.here().moments(1..end.moments + 1) {
            self.whole.fold(&moment);
            self.kept.take(&self.whole);
        }
        self.ahead.record = None;
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
        let begin = || Record::beginning(self.timeline.here().beginning());
        let mut record = nearest.cloned().unwrap_or_else(begin);
        let missing = record.moments() + 1..moments + 1;
        let missing = self.timeline.here().moments(missing);
        missing.iter().for_each(|moment| record.fold(moment));
        record
    }
}

#[cfg(test)]
mod tests;
