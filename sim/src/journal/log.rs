//! Log files: a timeline with its branches as JSON Lines, to which lines are added while it grows.
//!
//! A file begins with a journal. Each later line is an act, a position of the cursor, a fork or the
//! removal of a branch, so that the file is complete after each of them. A journal alone is a log
//! with one branch.
//! [`Log::read`] refuses damaged files and acts that the world refuses.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;
use core::ops::Deref;
use core::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::ConsulVersion;
use lictor_core::engine::Config;
use lictor_core::store::Contradiction;
use lictor_core::time::Instant;

use super::records::{
    ActRecord, ForkRecord, Head, LOG, LogRecord, PositionRecord, RecordError, RemoveRecord,
    Signature, VERSION, parse, push_line,
};
use super::{EVENTS_MAX, EventBudget, Journal, PlayError, Start, TooManyEvents};
use crate::act::{Act, ActError, JournalEntry};
use crate::event::SimEvent;
use crate::fold::Fold;
use crate::observed::{ObservedError, ObservedPast};
use crate::tcp::Network;
use crate::timeline::{
    BranchId, Forecast, Position, Revised, Revision, RevisionError, SeekTarget, Timeline,
};
use crate::world::{DumpError, World};

/// A timeline that records every change to it in a log.
#[derive(Clone, Debug)]
pub struct LoggedTimeline<F: Fold = ()> {
    timeline: Timeline<F>,
    log: Log,
}

/// Writes the lines of a log, and tracks the position of a reader of these lines.
#[derive(Clone, Debug)]
pub struct Log {
    /// The lines since [`LoggedTimeline::take_lines`] was last called.
    lines: String,
    /// The branch at whose end a reader is, and the time of that end for the reader; `None` if the
    /// reader is not at an end.
    reader: Option<(BranchId, Instant)>,
}

/// Why a text is not a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// Its first line is not that of a log.
    #[error("this is not a log")]
    NotALog,
    /// It has a version that this program does not read.
    #[error("the log has version {found}; this program reads {VERSION}")]
    UnknownVersion {
        /// The version of the log.
        found: u32,
    },
    /// A line cannot be read or performed.
    #[error("line {line}: {error}")]
    Line {
        /// Which line, counted from 1.
        line: usize,
        /// What is wrong with it.
        error: LogLineError,
    },
    /// It has fewer acts than the number in its first line.
    #[error("the log is cut off: {found} of {expected} acts")]
    CutOff {
        /// The number of acts in the first line.
        expected: usize,
        /// The number of acts that follow.
        found: usize,
    },
    /// The acts of its journal cannot be performed.
    #[error(transparent)]
    Play(#[from] PlayError),
}

/// Why a line of a log cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogLineError {
    /// It is not one of the records of a log.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The first line has neither a seed nor a world, or both, or a world with a state.
    #[error("a log begins with either a seed or a world")]
    NoStart,
    /// The first line has both `consul` and `config`.
    #[error("a log names the version of Consul either in `consul` or in `config`")]
    TwoVersions,
    /// The state of a cluster in the first line contradicts itself.
    #[error("the state that it begins in: {0}")]
    State(Contradiction),
    /// The events in the first line cannot have been observed before it.
    #[error(transparent)]
    Observed(#[from] ObservedError),
    /// The dump in the first line cannot be restored.
    #[error("the world that it begins with: {0}")]
    World(DumpError),
    /// Its time is before that of the cursor.
    #[error("it goes back in time")]
    BackInTime,
    /// The world refuses its act.
    #[error(transparent)]
    Act(#[from] ActError),
    /// It names a branch that does not exist.
    #[error("there is no such branch")]
    NoSuchBranch,
    /// The lines up to this one cause more events than a reader computes.
    #[error(transparent)]
    TooManyEvents(#[from] TooManyEvents),
}

impl<F: Fold> LoggedTimeline<F> {
    /// Begins a log with the acts on the branch of the cursor; other branches are left out.
    pub fn begin(timeline: Timeline<F>) -> Self {
        let journal = Journal::of(&timeline);
        let reader = Some((BranchId::FIRST, journal.end));
        Self { log: Log { lines: journal.to_lines(), reader }, timeline }
    }

    /// Continues a timeline that was read from its log.
    pub fn resume(timeline: Timeline<F>) -> Self {
        let here = (timeline.current(), timeline.world().now());
        let reader = timeline.is_at_end().then_some(here);
        Self { log: Log { lines: String::new(), reader }, timeline }
    }

    /// The lines that were written since the last call.
    pub fn take_lines(&mut self) -> String {
        mem::take(&mut self.log.lines)
    }

    /// The line that moves a reader to the cursor, for the end of a log.
    pub fn position_line(&self) -> String {
        let mut line = String::new();
        push_line(&mut line, &cursor_record(&self.timeline));
        line
    }

    /// As [`Timeline::perform`].
    ///
    /// # Errors
    ///
    /// If the world refuses the act, nothing changes, and no line is written.
    pub fn perform(&mut self, act: Act) -> Result<Vec<SimEvent>, ActError> {
        if let Act::Advance { to } = act {
            return Ok(self.advance_to(to));
        }
        self.world().check_act(&act)?;
        self.log.approach(&self.timeline);
        let events = self.timeline.perform(act)?;
        self.log.act(&self.timeline);
        Ok(events)
    }

    /// As [`Timeline::advance_to`]. The time that was reached is only written when a later line
    /// depends on it.
    pub fn advance_to(&mut self, to: Instant) -> Vec<SimEvent> {
        self.timeline.advance_to(to)
    }

    /// As [`Timeline::seek`].
    pub fn seek(&mut self, target: SeekTarget) -> Position {
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

    /// As [`Timeline::remove`].
    pub fn remove(&mut self, branch: BranchId) {
        let is_there = self.timeline.branch(branch).is_some();
        if is_there && branch != self.timeline.current() {
            self.timeline.remove(branch);
            push_line(&mut self.log.lines, &RemoveRecord { remove: branch.number() });
        }
    }

    /// As [`Timeline::revise`]. The log has no record for a revision: it is written as a fork and
    /// the acts that follow.
    ///
    /// # Errors
    ///
    /// As [`Timeline::revise`]; no line is written.
    pub fn revise(&mut self, revision: Revision) -> Result<Revised, RevisionError> {
        let mut log = self.log.clone();
        log.leave(&self.timeline);
        let (revised, acts) = self.timeline.revise_with_acts(revision)?;
        let branch = self.timeline.here();
        let fork = branch.parent().expect("a revised branch is a fork");
        push_line(&mut log.lines, &position_record(fork.from, fork.at));
        push_line(&mut log.lines, &ForkRecord { fork: branch.name.clone() });
        acts.iter().for_each(|entry| push_line(&mut log.lines, &ActRecord::of(entry)));
        push_line(&mut log.lines, &position_record(revised.branch, branch.end()));
        log.reader = Some((revised.branch, branch.end().at));
        self.log = log;
        Ok(revised)
    }

    /// As [`Timeline::look_ahead`].
    pub fn look_ahead(&mut self, horizon: Duration, steps: usize) -> &Forecast<F> {
        self.timeline.look_ahead(horizon, steps)
    }

    /// As [`Timeline::records_mut`].
    pub fn records_mut(&mut self) -> (&mut F, Option<&mut F>) {
        self.timeline.records_mut()
    }
}

impl<F: Fold> Deref for LoggedTimeline<F> {
    type Target = Timeline<F>;

    fn deref(&self) -> &Timeline<F> {
        &self.timeline
    }
}

impl Log {
    /// Reads a log. The cursor is at the position of its last line.
    ///
    /// # Errors
    ///
    /// Fails if the text is no log, is damaged, cut off or of another version, if the world refuses
    /// an act, and if more than a million events follow from it. Nothing is read in part.
    pub fn read<F: Fold>(text: &str) -> Result<Timeline<F>, LogError> {
        read_within(text, &mut EventBudget(EVENTS_MAX))
    }

    /// Called before a branch is left for another position or a fork: records its end time, which
    /// its acts do not contain.
    fn leave<F: Fold>(&mut self, timeline: &Timeline<F>) {
        let here = (timeline.current(), timeline.world().now());
        if timeline.is_at_end() && self.reader != Some(here) {
            push_line(&mut self.lines, &cursor_record(timeline));
            self.reader = Some(here);
        }
    }

    /// Called before an act or a fork: moves a reader to the cursor.
    fn approach<F: Fold>(&mut self, timeline: &Timeline<F>) {
        let branch = self.reader.map(|(branch, _)| branch);
        if !timeline.is_at_end() || branch != Some(timeline.current()) {
            push_line(&mut self.lines, &cursor_record(timeline));
            self.reader = None;
        }
    }

    /// Records the latest act of the branch.
    fn act<F: Fold>(&mut self, timeline: &Timeline<F>) {
        if let Some((_, entry)) = timeline.here().acts().next_back() {
            push_line(&mut self.lines, &ActRecord::of(entry));
        }
        self.reader = Some((timeline.current(), timeline.world().now()));
    }

    /// Records a fork.
    fn fork<F: Fold>(&mut self, timeline: &Timeline<F>) {
        push_line(&mut self.lines, &ForkRecord { fork: timeline.here().name.clone() });
        self.reader = Some((timeline.current(), timeline.world().now()));
    }
}

impl Journal {
    /// The journal as a log with one branch.
    pub fn to_lines(&self) -> String {
        let (acts, end) = (self.entries.len(), self.end);
        let head = match self.start.origin() {
            Ok(origin) => Head::of(origin, acts, end),
            Err(world) => {
                let world = Some(STANDARD.encode(world.dump()));
                Head { world, acts, end, ..Head::default() }
            }
        };
        let mut lines = String::new();
        push_line(&mut lines, &Head { observed: self.observed.clone(), ..head });
        self.entries.iter().for_each(|entry| push_line(&mut lines, &ActRecord::of(entry)));
        lines
    }
}

/// The record that moves a reader to the cursor.
fn cursor_record<F: Fold>(timeline: &Timeline<F>) -> PositionRecord {
    position_record(timeline.current(), timeline.position())
}

fn position_record(branch: BranchId, Position { at, acts, .. }: Position) -> PositionRecord {
    PositionRecord { branch: branch.number(), at, acts }
}

fn read_within<F: Fold>(text: &str, budget: &mut EventBudget) -> Result<Timeline<F>, LogError> {
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (first, text) = lines.next().ok_or(LogError::NotALog)?;
    let head = head(first, text)?;
    let (acts, end) = (head.acts, head.end);
    let beginning = beginning(head).map_err(|error| LogError::Line { line: first, error })?;
    let (start, observed) = beginning;
    let mut entries = Vec::new();
    while entries.len() < acts {
        let Some((line, text)) = lines.next() else {
            return Err(LogError::CutOff { expected: acts, found: entries.len() });
        };
        let entry = parse::<ActRecord>(text).and_then(ActRecord::entry);
        entries.push(entry.map_err(|error| LogError::Line { line, error: error.into() })?);
    }
    let mut timeline = Journal { start, observed, entries, end }.play_within(budget)?;
    for (line, text) in lines {
        let followed = LogRecord::parse(text)
            .map_err(LogLineError::from)
            .and_then(|record| follow(record, &mut timeline, budget));
        followed.map_err(|error| LogError::Line { line, error })?;
    }
    Ok(timeline)
}

fn head(line: usize, text: &str) -> Result<Head, LogError> {
    let signature: Signature = parse(text).map_err(|_| LogError::NotALog)?;
    if signature.lictor != LOG {
        return Err(LogError::NotALog);
    }
    if signature.version != VERSION {
        return Err(LogError::UnknownVersion { found: signature.version });
    }
    parse(text).map_err(|error| LogError::Line { line, error: error.into() })
}

fn beginning(mut head: Head) -> Result<(Start, ObservedPast), LogLineError> {
    let observed = mem::take(&mut head.observed).checked()?;
    Ok((start(head)?, observed))
}

fn start(head: Head) -> Result<Start, LogLineError> {
    match (head.seed, head.world) {
        (Some(seed), None) => {
            let config = config(head.consul, head.config)?;
            let network = head.network.unwrap_or(Network::Messages);
            let start = Start::in_state(seed, config, network, head.state.as_deref());
            start.map_err(LogLineError::State)
        }
        (None, Some(dump)) if head.state.is_none() => {
            let dump =
                STANDARD.decode(dump).map_err(|_| LogLineError::World(DumpError::Damaged))?;
            let world = World::restore(&dump).map_err(LogLineError::World)?;
            Ok(Start::Snapshot(Box::new(world)))
        }
        _ => Err(LogLineError::NoStart),
    }
}

/// The configuration of a log's first line.
fn config(version: Option<ConsulVersion>, config: Option<Config>) -> Result<Config, LogLineError> {
    match (version, config) {
        (Some(version), None) => Ok(Config::of(version)),
        (None, Some(config)) => Ok(config),
        (None, None) => Ok(Config::of(ConsulVersion::unnamed())),
        (Some(_), Some(_)) => Err(LogLineError::TwoVersions),
    }
}

/// Applies a line to the timeline.
fn follow<F: Fold>(
    record: LogRecord,
    timeline: &mut Timeline<F>,
    budget: &mut EventBudget,
) -> Result<(), LogLineError> {
    match record {
        LogRecord::Act(act) => perform(timeline, act.entry()?, budget),
        LogRecord::Position(position) => go(timeline, &position, budget),
        LogRecord::Fork(ForkRecord { fork }) => {
            timeline.fork(fork);
            Ok(())
        }
        LogRecord::Remove(RemoveRecord { remove }) => {
            timeline.remove(BranchId::new(remove));
            Ok(())
        }
    }
}

fn perform<F: Fold>(
    timeline: &mut Timeline<F>,
    JournalEntry { at, act }: JournalEntry,
    budget: &mut EventBudget,
) -> Result<(), LogLineError> {
    if at < timeline.world().now() {
        return Err(LogLineError::BackInTime);
    }
    budget.advance_to(timeline, at)?;
    let events = timeline.perform(act)?;
    Ok(budget.spend(events.len())?)
}

fn go<F: Fold>(
    timeline: &mut Timeline<F>,
    &PositionRecord { branch, at, acts }: &PositionRecord,
    budget: &mut EventBudget,
) -> Result<(), LogLineError> {
    timeline.switch(BranchId::new(branch)).ok_or(LogLineError::NoSuchBranch)?;
    let end = timeline.here().end().at;
    if at > end {
        timeline.seek(SeekTarget::Time(end));
        budget.advance_to(timeline, at)?;
    }
    timeline.seek(SeekTarget::Position(Position { at, acts, ..Position::default() }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::format;

    /// A watcher that polls every second.
    const BUSY: &str = r#"{"lictor":"log","version":1,"seed":7,"acts":3,"end":0}
{"at":0,"actor":"a","does":"joins"}
{"at":0,"actor":"a","does":"spawns p naive cron hold=1s again=1s"}
{"at":0,"actor":"server","does":"orders p start"}
"#;

    #[test]
    fn all_lines_of_a_log_share_one_limit_of_events() {
        let waits = |seconds: u64| {
            let line = |second| {
                format!("{{\"branch\":0,\"at\":{},\"acts\":3}}\n", second * 1_000_000_000_u64)
            };
            BUSY.to_owned() + &(1..=seconds).map(line).collect::<String>()
        };
        let read = |seconds| read_within::<()>(&waits(seconds), &mut EventBudget(100));
        assert!(read(2).is_ok());
        let error = LogLineError::TooManyEvents(TooManyEvents);
        assert!(matches!(read(60), Err(LogError::Line { error: found, .. }) if found == error));
    }
}
