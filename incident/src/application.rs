//! What an application wrote about its lock, in lines that a pattern finds. It is what a client
//! believed, by its own clock.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};

use crate::clock_time::{ClockTime, DateOrder};
use crate::lists::List;
use crate::pattern::{ClientEventKind, EventPattern, Name};
use crate::propose::{self, KnownNames};
use crate::source::{Content, Evidence, Source, Unused};

/// What an application wrote.
#[derive(Clone, Debug)]
pub(crate) struct ClientEvent {
    pub(crate) kind: ClientEventKind,
    pub(crate) time: Timestamp,
    /// The client that the line names, or the source.
    pub(crate) client: Arc<str>,
    pub(crate) key: Option<String>,
    pub(crate) session: Option<String>,
    pub(crate) line: Arc<Evidence>,
}

/// The lines of an application in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApplicationSummary {
    /// How many lines have a time and are not of Consul's log.
    pub lines: usize,
    /// The patterns, each with the number of lines that it found and no earlier one.
    pub patterns: Vec<(EventPattern, usize)>,
    /// Whether the patterns were proposed from the lines.
    pub is_proposed: bool,
}

impl ApplicationSummary {
    /// How many lines a pattern found.
    pub fn found(&self) -> usize {
        self.patterns.iter().map(|(_, count)| count).sum()
    }

    /// `12 lines of an application: acquired 3, renewed 8, lost 1`.
    pub(crate) fn text(&self) -> String {
        let lines = if self.lines == 1 { "line" } else { "lines" };
        let counted = ClientEventKind::ALL.into_iter().filter_map(|kind| {
            let of_kind = self.patterns.iter().filter(|(pattern, _)| pattern.kind() == kind);
            let count: usize = of_kind.map(|(_, count)| count).sum();
            (count > 0).then(|| format!("{} {count}", kind.name()))
        });
        let counted: Vec<String> = counted.collect();
        let counted = if counted.is_empty() { "none used".into() } else { counted.join(", ") };
        format!("{} {lines} of an application: {counted}", self.lines)
    }
}

/// The lines of an application that a pattern found, before their times are resolved.
pub(crate) struct Application<'a> {
    pub(crate) summary: ApplicationSummary,
    source: Arc<str>,
    offset: SignedDuration,
    order: Option<DateOrder>,
    /// The times of the first and the last line.
    ends: Option<[ClockTime; 2]>,
    found: Vec<FoundLine<'a>>,
    first_unmatched: Option<usize>,
    without_time: Option<(usize, usize)>,
}

struct FoundLine<'a> {
    kind: ClientEventKind,
    time: ClockTime,
    /// The key, the session and the client.
    names: [Option<&'a str>; 3],
    number: usize,
    text: &'a str,
}

/// The names in all lists and logs.
pub(crate) fn known_names<'a>(contents: &'a [Content<'_>]) -> KnownNames<'a> {
    let mut known = KnownNames::default();
    for content in contents {
        for shown in &content.lists {
            match &shown.list {
                List::Sessions(sessions) => {
                    known.sessions.extend(sessions.iter().map(|session| session.id.as_str()));
                    let names = sessions.iter().map(|session| session.name.as_str());
                    known.clients.extend(names.filter(|name| !name.is_empty()));
                }
                List::Keys(keys) => known.keys.extend(keys.iter().map(|entry| entry.key.as_str())),
                _ => {}
            }
        }
        let events = content.log.iter().filter_map(|(line, _)| line.event.as_ref());
        for event in events {
            known.sessions.extend(event.session());
            known.keys.extend(event.key());
        }
    }
    known
}

/// The lines of an application in a source; `None` if it has none.
pub(crate) fn read<'a>(
    source: &Source<'a>,
    content: &Content<'a>,
    known: &KnownNames<'_>,
) -> Option<Application<'a>> {
    let lines = &content.application;
    if lines.is_empty() {
        return None;
    }
    let proposed = match source.given_patterns() {
        Some(_) => None,
        None => Some(propose::patterns(lines, known)),
    };
    let patterns = match &proposed {
        Some(proposed) => &proposed.patterns[..],
        None => source.given_patterns().unwrap_or_default(),
    };
    let mut patterns: Vec<(EventPattern, usize)> =
        patterns.iter().map(|pattern| (pattern.clone(), 0)).collect();
    let mut found_lines = Vec::new();
    let mut first_unmatched = None;
    for (place, line) in lines.iter().enumerate() {
        let can_be = |pattern: &EventPattern| match &proposed {
            Some(proposed) => proposed.kinds[place] == Some(pattern.kind()),
            None => true,
        };
        let mut possible = patterns.iter_mut().filter(|(pattern, _)| can_be(pattern));
        let found = possible.find_map(|(pattern, count)| {
            let found = pattern.find(line.text, line.time_place.start)?;
            *count += 1;
            Some((pattern.kind(), found))
        });
        let Some((kind, found)) = found else {
            first_unmatched.get_or_insert(line.number);
            continue;
        };
        found_lines.push(FoundLine {
            kind,
            time: found.time,
            names: [Name::Key, Name::Session, Name::Client].map(|name| found.name(name)),
            number: line.number,
            text: line.text,
        });
    }
    Some(Application {
        summary: ApplicationSummary {
            lines: lines.len(),
            patterns,
            is_proposed: proposed.is_some(),
        },
        source: content.name.clone(),
        offset: source.offset(),
        order: content.date_order,
        ends: lines.first().zip(lines.last()).map(|(first, last)| [first.time, last.time]),
        found: found_lines,
        first_unmatched,
        without_time: content.without_time,
    })
}

impl Application<'_> {
    /// The name of the source, the same for all that is of it.
    pub(crate) fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// The time of the first and of the last line, whatever their order is.
    pub(crate) fn span(&self, near: Timestamp) -> Option<(Timestamp, Timestamp)> {
        let [first, last] = self.ends?.map(|time| self.resolve(time, near));
        let (first, last) = first.zip(last)?;
        Some((first.min(last), first.max(last)))
    }

    fn resolve(&self, time: ClockTime, near: Timestamp) -> Option<Timestamp> {
        let time = time.resolve(near, self.order)?;
        Some(time.saturating_add(self.offset).unwrap_or(time))
    }

    /// The events. A time without a year or a date gets the one that is nearest to `near`.
    pub(crate) fn events(&self, near: Timestamp) -> impl Iterator<Item = ClientEvent> {
        self.found.iter().filter_map(move |found| {
            let [key, session, client] = found.names;
            let evidence = Evidence {
                source: self.source.clone(),
                line: found.number,
                text: found.text.trim().replace('\n', " "),
            };
            let time = self.resolve(found.time, near)?;
            Some(ClientEvent {
                kind: found.kind,
                time,
                client: client.map_or_else(|| self.source.clone(), Arc::from),
                key: key.map(Into::into),
                session: session.map(Into::into),
                line: Arc::new(evidence),
            })
        })
    }

    /// What was not used, and what is to be known about the times.
    pub(crate) fn unused(&self) -> impl Iterator<Item = Unused> {
        let summary = &self.summary;
        let (all, found) = (summary.lines, self.found.len());
        let unmatched = self.first_unmatched.map(|line| (line, match (found, summary.is_proposed) {
            (0, true) => format!(
                "{}: a time, but not of Consul's log, and no words such as \"acquired lock\", \
                 \"lost leadership\", \"renewed session\", \"released lock\": a pattern can say \
                 which lines are these",
                counted(all),
            ),
            (0, false) if summary.patterns.is_empty() => {
                format!("{} of an application: it is turned off", counted(all))
            }
            _ => format!("{} of an application that no pattern matches", counted(all - found)),
        }));
        let without_time = self.without_time.map(|(line, count)| {
            (line, format!("{} without a time, such as those of a stack trace", counted(count)))
        });
        let without = |has: fn(ClockTime) -> bool, reason: &str| {
            let line = self.found.iter().find(|found| !has(found.time))?;
            Some((line.number, String::from(reason)))
        };
        let zone = without(
            ClockTime::has_zone,
            "the times of this application have no zone and count as UTC: if they are others, \
             correct its clock by an offset",
        );
        let date = without(
            ClockTime::has_year,
            "the times of this application have no year or no date: the nearest to the lists \
             counts",
        );
        let ordered = |time: ClockTime| !time.needs_order();
        let order = if self.order.is_some() { None } else { without(ordered, ORDER) };
        [unmatched, without_time, zone, date, order]
            .into_iter()
            .flatten()
            .map(|(line, reason)| Unused { source: self.source.clone(), line, reason })
    }
}

const ORDER: &str = "the dates of this application, such as 07/08/2026, have the month or the day \
                     first, and none shows which: the nearest to the lists counts; if it is the \
                     other, correct its clock by an offset";

fn counted(lines: usize) -> String {
    if lines == 1 { "1 line".into() } else { format!("{lines} lines") }
}

/// What is wrong with the names of events: neither the lists nor the log of a server has them.
pub(crate) fn unknown_names(
    events: &[ClientEvent],
    is_key: impl Fn(&str) -> bool,
    is_session: impl Fn(&str) -> bool,
) -> Vec<Unused> {
    let mut named = BTreeSet::new();
    let mut unused = Vec::new();
    for event in events.iter().filter(|event| event.kind != ClientEventKind::Renewed) {
        let session = event.session.as_deref().filter(|session| is_session(session));
        let reason = match &event.key {
            Some(key) if is_key(key) => continue,
            Some(key) => format!(
                "the key {key} is neither in a list of keys nor in the log of a server: what the \
                 client believes about it is not compared"
            ),
            None if session.is_some() => continue,
            None => String::from(
                "the line names neither a key nor a session that is known: what the client \
                 believes is not compared",
            ),
        };
        if named.insert((event.line.source.clone(), event.key.clone())) {
            let (source, line) = (event.line.source.clone(), event.line.line);
            unused.push(Unused { source, line, reason });
        }
    }
    unused
}
