//! What each source holds, and by how much its clock seems to differ from that of another log.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};

use crate::application::{Application, ApplicationSummary};
use crate::lists::List;
use crate::log::{LogEvent, Request};
use crate::renewal_clock::Renewals;
use crate::source::{Content, Source};
use crate::time::{self, seconds};

/// What a source holds.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SourceSummary {
    /// The name of the source.
    pub name: Arc<str>,
    /// Its lists with their numbers of entries, and the time of its log.
    pub holds: String,
    /// The kinds of its entries with their numbers.
    entries: Vec<String>,
    has_lists: bool,
    /// The first and the last time of its log.
    span: Option<(Timestamp, Timestamp)>,
    /// How many lines its log has.
    pub lines: usize,
    /// The lines of an application, with the patterns that were used.
    pub application: Option<ApplicationSummary>,
    /// What was added to its times, by [`Source::clock_offset`].
    pub clock_offset: SignedDuration,
    /// The offset with which its clock would agree with that of another log, if it does not.
    pub proposal: Option<ClockProposal>,
}

/// A difference of two clocks, from the events that both logs have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockProposal {
    /// What to pass to [`Source::clock_offset`] in place of the present offset.
    pub clock_offset: SignedDuration,
    /// The difference of its clock, and the name of the other log, in a sentence.
    pub sentence: String,
}

impl ClockProposal {
    /// The proposal for a clock with an offset that is behind that of another log by a difference.
    fn new(offset: SignedDuration, difference: SignedDuration, other: &str, by: &str) -> Self {
        let side = if difference.is_positive() { "behind" } else { "ahead of" };
        Self {
            clock_offset: offset.saturating_add(difference),
            sentence: format!(
                "its clock seems to be {} {side} that of {other}, by {by} that both have",
                seconds(difference.unsigned_abs()),
            ),
        }
    }

    /// The proposal by the renewals that a client's log has in common with those of servers, each
    /// with its name. The log counts that has most of them.
    pub(crate) fn by_renewals<'a>(
        offset: SignedDuration,
        client: &Renewals<'_>,
        servers: impl Iterator<Item = (&'a str, Renewals<'a>)>,
    ) -> Option<Self> {
        let found = servers.filter_map(|(name, server)| Some((name, client.offset_to(&server)?)));
        let (name, (difference, count)) = found.max_by_key(|(_, (_, count))| *count)?;
        let by = format!("{count} renewals");
        (difference.abs() > AGREE).then(|| Self::new(offset, difference, name, &by))
    }
}

/// Clocks that differ by less agree: each log writes an event when its process learns of it.
const AGREE: SignedDuration = SignedDuration::from_millis(500);
/// The differences of the events are the clocks' if they vary by no more than this.
const STEADY: SignedDuration = SignedDuration::from_secs(1);

/// What each source holds. The clock of the longest log is the one that others are compared with.
pub(crate) fn summaries(
    sources: &[Source<'_>],
    contents: &[Content<'_>],
    applications: &[Option<Application<'_>>],
) -> Vec<SourceSummary> {
    let longest = contents.iter().max_by_key(|content| content.lines);
    let longest = longest.filter(|content| content.span.is_some());
    let events = longest.map(distinct_events).unwrap_or_default();
    let summary = |((source, content), application): ((&Source<'_>, &Content<'_>), _)| {
        let application: &Option<Application<'_>> = application;
        let application = application.as_ref().map(|application| application.summary.clone());
        let is_longest = longest.is_some_and(|longest| core::ptr::eq(longest, content));
        let difference = if is_longest { None } else { difference(content, &events) };
        let proposal = longest.zip(difference).map(|(longest, (difference, count))| {
            let by = format!("{count} event{}", if count == 1 { "" } else { "s" });
            ClockProposal::new(source.offset(), difference, &longest.name, &by)
        });
        SourceSummary {
            name: content.name.clone(),
            holds: String::new(),
            entries: entries(content),
            has_lists: !content.lists.is_empty(),
            span: content.span,
            lines: content.lines,
            application,
            clock_offset: source.offset(),
            proposal,
        }
    };
    sources.iter().zip(contents).zip(applications).map(summary).collect()
}

/// The events that identify themselves and happened once, with their times.
fn distinct_events<'a>(content: &'a Content<'_>) -> BTreeMap<&'a LogEvent, Timestamp> {
    let mut events: BTreeMap<&LogEvent, Option<Timestamp>> = BTreeMap::new();
    for (line, _) in &content.log {
        if let Some(event) = line.event.as_ref().filter(|event| identifies_itself(event)) {
            let time = events.entry(event).or_insert(Some(line.time));
            time.take_if(|time| *time != line.time);
        }
    }
    events.into_iter().filter_map(|(event, time)| Some((event, time?))).collect()
}

fn identifies_itself(event: &LogEvent) -> bool {
    match event {
        LogEvent::Expired(_) | LogEvent::LockDelay { .. } => true,
        LogEvent::Elected | LogEvent::ElectedNode(_) => true,
        LogEvent::Request(request) | LogEvent::Failed(request) | LogEvent::Unplaced(request) => {
            !matches!(request, Request::Create | Request::List(_) | Request::Other)
        }
        // A server learns of the members when it starts, whenever they started.
        LogEvent::Candidate(_)
        | LogEvent::EndsSome
        | LogEvent::NodeFailed(_)
        | LogEvent::NodeRemoved(_)
        | LogEvent::Reload
        | LogEvent::Transaction
        | LogEvent::Member(_) => false,
    }
}

/// By how much a log's clock is behind, and by how many events. `None` if it agrees, or if the
/// events that both have do not say it.
fn difference(
    content: &Content<'_>,
    others: &BTreeMap<&LogEvent, Timestamp>,
) -> Option<(SignedDuration, usize)> {
    let mut differences: Vec<SignedDuration> = distinct_events(content)
        .into_iter()
        .filter_map(|(event, time)| Some(others.get(event)?.duration_since(time)))
        .collect();
    differences.sort_unstable();
    let (first, last) = (*differences.first()?, *differences.last()?);
    let median = differences[differences.len() / 2];
    let is_steady = last.saturating_sub(first) <= STEADY;
    (is_steady && median.abs() > AGREE).then_some((median, differences.len()))
}

impl SourceSummary {
    /// Says what the source holds, in a report that holds for a moment.
    pub(crate) fn describe(&mut self, as_of: Timestamp) {
        let mut parts = core::mem::take(&mut self.entries);
        if let Some((first, last)) = self.span {
            let lines = if self.lines == 1 { "line" } else { "lines" };
            let [first, last] = [first, last].map(|time| time::write(time, &[as_of]));
            parts.push(format!("{} {lines} of a log, {first} to {last}", self.lines));
        }
        parts.extend(self.application.as_ref().map(ApplicationSummary::text));
        self.holds = match (parts.is_empty(), self.has_lists) {
            (false, _) => parts.join(", "),
            (true, true) => "no entries".into(),
            (true, false) => "nothing of Consul's".into(),
        };
    }
}

/// The kinds of entries of the lists with their numbers.
fn entries(content: &Content<'_>) -> Vec<String> {
    let mut counts = [
        ("session", "sessions", 0),
        ("key", "keys", 0),
        ("node", "nodes", 0),
        ("check", "checks", 0),
        ("exported key", "exported keys", 0),
        ("agent", "agents", 0),
        ("instance of a service", "instances of a service", 0),
    ];
    for shown in &content.lists {
        let (kind, count) = match &shown.list {
            List::Sessions(sessions) => (0, sessions.len()),
            List::Keys(keys) => (1, keys.len()),
            List::Nodes(nodes) => (2, nodes.len()),
            List::Checks(checks) => (3, checks.len()),
            List::Export(count) => (4, *count),
            List::Agent(_) => (5, 1),
            List::Service(count) => (6, *count),
            List::OtherEntry | List::BlankEntry | List::Empty => continue,
        };
        counts[kind].2 += count;
    }
    let counted = counts.into_iter().filter(|(_, _, count)| *count > 0);
    counted
        .map(|(one, many, count)| format!("{count} {}", if count == 1 { one } else { many }))
        .collect()
}
