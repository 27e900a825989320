//! A past with all its branches, as lines to which more are added whenever something was done: a
//! journal, and what came after it.
//!
//! A later line is an act, which is done where the lines before it have led to; a place to go to;
//! or the beginning of a branch. In the past an act begins one by itself, as it did.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Deref;
use core::time::Duration;

use super::lines::{Kind, LinesError, act_line, entry_of, journal_of, lines_of, wrong};
use super::members::Members;
use super::{MOMENTS_MAX, pass};
use crate::timeline::{BranchId, Forecast, Position, Target, Timeline};
use crate::{Act, JournalEntry, SimEvent};
use lictor_core::json::{self, Json, Writer};
use lictor_core::time::Instant;

/// A timeline that writes down what is done to it.
#[derive(Clone, Debug)]
pub struct Logged {
    timeline: Timeline,
    log: Log,
}

/// The lines of a log, and where they have led whoever reads them.
#[derive(Clone, Debug)]
pub struct Log {
    /// What was written and not yet taken.
    lines: String,
    /// The branch at whose end a reader of the lines stands, and how far that has come for them;
    /// none if they stand in a past.
    reader: Option<(BranchId, Instant)>,
}

/// What a line behind the journal says.
enum LogLine {
    Act(JournalEntry),
    Place(BranchId, Position),
    Fork(String),
}

impl Logged {
    /// The log begins with all that was done on the branch of the cursor, and on no other one.
    pub fn begin(timeline: Timeline) -> Self {
        Self { log: Log::begin(&timeline), timeline }
    }

    /// Goes on with a timeline that was read from its log.
    pub fn resume(timeline: Timeline) -> Self {
        Self { log: Log::resume(&timeline), timeline }
    }

    /// The lines that were written since this was last asked.
    pub fn take_lines(&mut self) -> String {
        self.log.take()
    }

    /// The line that leads to the cursor, for the end of a log.
    pub fn place(&self) -> String {
        Log::place(&self.timeline)
    }

    /// As [`Timeline::perform`].
    pub fn perform(&mut self, act: Act) -> Vec<SimEvent> {
        let acts = self.position().acts;
        self.log.approach(&self.timeline);
        let moments = self.timeline.perform(act);
        if self.position().acts > acts {
            self.log.act(&self.timeline);
        }
        moments
    }

    /// As [`Timeline::advance`]. How far time went is written when it matters.
    pub fn advance(&mut self, to: Instant) -> Vec<SimEvent> {
        self.timeline.advance(to)
    }

    /// As [`Timeline::seek`].
    pub fn seek(&mut self, target: Target) -> Position {
        self.log.leave(&self.timeline);
        self.timeline.seek(target)
    }

    /// As [`Timeline::switch`].
    pub fn switch(&mut self, branch: BranchId) -> Option<Position> {
        self.log.leave(&self.timeline);
        self.timeline.switch(branch)
    }

    /// As [`Timeline::fork`].
    pub fn fork(&mut self, name: String) -> BranchId {
        self.log.leave(&self.timeline);
        self.log.approach(&self.timeline);
        let branch = self.timeline.fork(name);
        self.log.fork(&self.timeline);
        branch
    }

    /// As [`Timeline::look_ahead`].
    pub fn look_ahead(&mut self, horizon: Duration, steps: usize) -> &Forecast {
        self.timeline.look_ahead(horizon, steps)
    }
}

impl Deref for Logged {
    type Target = Timeline;

    fn deref(&self) -> &Timeline {
        &self.timeline
    }
}

impl Log {
    /// Begins with all that was done on the branch of the cursor, and on no other one.
    fn begin(timeline: &Timeline) -> Self {
        let journal = timeline.journal();
        let lines = lines_of(Kind::Log, &journal);
        Self { lines, reader: Some((BranchId::FIRST, journal.end)) }
    }

    /// Goes on with a log of a past that was read from it.
    fn resume(timeline: &Timeline) -> Self {
        let mut log = Self { lines: String::new(), reader: None };
        log.leave(timeline);
        log.take();
        log
    }

    /// The lines that were written since this was last asked.
    fn take(&mut self) -> String {
        core::mem::take(&mut self.lines)
    }

    /// The line that leads to the cursor, for the end of a log.
    fn place(timeline: &Timeline) -> String {
        let mut json = Writer::plain();
        json.open_object();
        json.member("branch").unsigned(u64::from(timeline.current().number()));
        json.member("at").unsigned(timeline.position().at.as_nanos());
        json.member("acts").unsigned(timeline.position().acts as u64);
        json.close_object();
        json.into_text() + "\n"
    }

    /// Before a branch is left, for another place or a fork: how far it has come is not known from
    /// its acts.
    fn leave(&mut self, timeline: &Timeline) {
        let here = (timeline.current(), timeline.world().now());
        if timeline.is_at_end() && self.reader != Some(here) {
            self.lines.push_str(&Self::place(timeline));
            self.reader = Some(here);
        }
    }

    /// Before something is done: where that is.
    fn approach(&mut self, timeline: &Timeline) {
        let branch = self.reader.map(|(branch, _)| branch);
        if !timeline.is_at_end() || branch != Some(timeline.current()) {
            self.lines.push_str(&Self::place(timeline));
            self.reader = None;
        }
    }

    /// The latest act of the branch was done.
    fn act(&mut self, timeline: &Timeline) {
        if let Some((_, entry)) = timeline.here().acts().next_back() {
            self.lines.push_str(&act_line(entry));
            self.lines.push('\n');
        }
        self.reader = Some((timeline.current(), timeline.world().now()));
    }

    /// A branch was begun by itself.
    fn fork(&mut self, timeline: &Timeline) {
        let mut json = Writer::plain();
        json.open_object();
        json.member("fork").text(&timeline.here().name);
        json.close_object();
        self.lines.push_str(&json.into_text());
        self.lines.push('\n');
        self.reader = Some((timeline.current(), timeline.world().now()));
    }

    /// The past of which a log was kept, up to where it ends.
    pub fn read(text: &str) -> Result<Timeline, LinesError> {
        let (journal, rest) = journal_of(Kind::Log, text)?;
        let mut timeline = journal.play().map_err(|why| wrong(1, &why.to_string()))?;
        for (number, text) in rest {
            let line = line(text).map_err(|problem| wrong(number, &problem))?;
            line.follow(&mut timeline).map_err(|problem| wrong(number, &problem))?;
        }
        Ok(timeline)
    }
}

fn line(text: &str) -> Result<LogLine, String> {
    let value = json::only_value(text).map_err(|problem| problem.to_string())?;
    let all = Members::among(&value, &[])?;
    match (all.get("branch"), all.get("fork")) {
        (Some(_), _) => place_of(&value),
        (None, Some(_)) => {
            let name = Members::only(&value, &["fork"])?.text("fork")?;
            Ok(LogLine::Fork(name.into()))
        }
        (None, None) => entry_of(&value).map(LogLine::Act),
    }
}

fn place_of(value: &Json) -> Result<LogLine, String> {
    let members = Members::only(value, &["branch", "at", "acts"])?;
    let at = Instant::from_nanos(members.number("at")?);
    let position = Position { at, acts: members.narrow("acts")?, ..Position::default() };
    Ok(LogLine::Place(BranchId::new(members.narrow("branch")?), position))
}

impl LogLine {
    fn follow(self, timeline: &mut Timeline) -> Result<(), String> {
        let last = timeline.world().moments().saturating_add(MOMENTS_MAX);
        match self {
            Self::Act(entry) => act(timeline, entry, last),
            Self::Place(branch, position) => go(timeline, branch, position, last),
            Self::Fork(name) => {
                timeline.fork(name);
                Ok(())
            }
        }
    }
}

fn act(timeline: &mut Timeline, entry: JournalEntry, last: u64) -> Result<(), String> {
    if entry.at < timeline.world().now() {
        return Err("it goes back in time".into());
    }
    pass(timeline, entry.at, last).map_err(|why| why.to_string())?;
    let why = timeline.world().declines(&entry.act);
    why.map_or(Ok(()), |why| Err(why.to_string()))?;
    timeline.perform(entry.act);
    Ok(())
}

/// Goes to a place; where the branch has not come so far it goes on.
fn go(
    timeline: &mut Timeline,
    branch: BranchId,
    position: Position,
    last: u64,
) -> Result<(), String> {
    timeline.switch(branch).ok_or("there is no such branch")?;
    let end = timeline.here().end().at;
    if position.at > end {
        timeline.seek(Target::Time(end));
        pass(timeline, position.at, last).map_err(|why| why.to_string())?;
    }
    timeline.seek(Target::Position(position));
    Ok(())
}
