//! What a source is, and what it consists of.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};
use thiserror::Error;

use crate::address::Address;
use crate::answer_head::AnswerHead;
use crate::clock_time::{DateOrder, TimedLine};
use crate::lists::List;
use crate::log::LogLine;
use crate::pattern::EventPattern;
use crate::plain;
use crate::request::ListRequest;

/// A text with the name of where it comes from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
    offset: SignedDuration,
    patterns: Option<&'a [EventPattern]>,
}

impl<'a> Source<'a> {
    /// What a file holds or what was pasted. The name is printed before line numbers.
    pub const fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { name, bytes, offset: SignedDuration::ZERO, patterns: None }
    }

    /// Adds a duration to each time in the source, because its clock is behind (or ahead, if it is
    /// negative).
    #[must_use]
    pub const fn clock_offset(mut self, offset: SignedDuration) -> Self {
        self.offset = offset;
        self
    }

    /// Sets the patterns of an application's lines in the source, in place of those that are
    /// proposed. If there are none, such lines are not used.
    #[must_use]
    pub const fn patterns(mut self, patterns: &'a [EventPattern]) -> Self {
        self.patterns = Some(patterns);
        self
    }

    /// The same source without what only a terminal needs, which `plain` gets.
    pub(crate) fn plain(self, plain: &'a mut Vec<u8>) -> Self {
        let text = core::str::from_utf8(self.bytes).map(plain::plain);
        let Ok(Cow::Owned(text)) = text else { return self };
        *plain = text.into_bytes();
        Self { bytes: plain, ..self }
    }

    pub(crate) const fn given_patterns(&self) -> Option<&'a [EventPattern]> {
        self.patterns
    }

    pub(crate) const fn offset(&self) -> SignedDuration {
        self.offset
    }
}

/// A line that a statement rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The name of the source.
    pub source: Arc<str>,
    /// The number of the line, from 1.
    pub line: usize,
    /// The line as it was pasted.
    pub text: String,
}

/// A part of a source that was not used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The name of the source.
    pub source: Arc<str>,
    /// The number of its first line, from 1.
    pub line: usize,
    /// What it is, and what to do.
    pub reason: String,
}

/// The reason why an incident could not be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum IncidentError {
    /// No source has a list or a line of Consul's.
    #[error("no list of Consul and no line of its log was found{}", reasons(.0))]
    NothingRead(Vec<Unused>),
    /// The lists are of several datacenters, each of which has its own sessions and keys. Each with
    /// the source and the line that names it.
    #[error("the lists are from the datacenters {}: read one at a time", .0.join(", "))]
    Datacenters(Vec<String>),
    /// The lists are of several namespaces, likewise.
    #[error("the lists are from the namespaces {}: read one at a time", .0.join(", "))]
    Namespaces(Vec<String>),
    /// Two lists contradict each other, so that they are of two clusters: their names, and what
    /// shows it.
    #[error(
        "{} and {} are of two clusters, or of one before and after a snapshot was restored, or one \
         of them lacks what its token may not see: {}. Read one cluster at a time",
        .lists[0], .lists[1], .why
    )]
    Clusters {
        /// The names of the lists, each with its place.
        lists: [String; 2],
        /// What shows it.
        why: String,
    },
    /// No source and no option has the time at which the lists were taken.
    #[error("nothing says when the lists were taken: add a log, or name the time")]
    NoTime,
}

fn reasons(unused: &[Unused]) -> String {
    let reasons = unused.iter().map(|unused| {
        let Unused { source, line, reason } = unused;
        alloc::format!("\n{source}:{line}: {reason}")
    });
    reasons.collect()
}

/// A list with what was shown of its request and of the head of its answer.
#[derive(Debug)]
pub(crate) struct ShownList {
    pub(crate) list: List,
    pub(crate) line: Evidence,
    pub(crate) request: Option<ListRequest>,
    /// Where it was asked for, if a command above it says it.
    pub(crate) address: Option<Address>,
    pub(crate) head: AnswerHead,
    /// Whether it is one object, in place of a list of one.
    pub(crate) is_object: bool,
}

/// What a source consists of.
#[derive(Debug)]
pub(crate) struct Content<'a> {
    pub(crate) name: Arc<str>,
    pub(crate) lists: Vec<ShownList>,
    /// The lines of its log with an event that matters.
    pub(crate) log: Vec<(LogLine, Arc<Evidence>)>,
    /// How many lines its log has.
    pub(crate) lines: usize,
    /// The earliest and the latest time of its log.
    pub(crate) span: Option<(Timestamp, Timestamp)>,
    /// The times of which its log has every request to its agent, which are written at the level
    /// `debug`.
    pub(crate) covered: Vec<(Timestamp, Timestamp)>,
    /// When the cluster was new, if the log has lines of the level `debug` at this time: Consul
    /// writes how many votes an election needs.
    pub(crate) birth: Option<Timestamp>,
    /// Whether it is the output of a program that picks lines.
    pub(crate) is_picked: bool,
    /// The node and the datacenter that an agent prints before its log.
    pub(crate) node: Option<String>,
    pub(crate) datacenter: Option<String>,
    /// Whether a time of its log has no zone.
    pub(crate) lacks_zone: bool,
    /// The lines with a time that are not of Consul's log.
    pub(crate) application: Vec<TimedLine<'a>>,
    /// The order of the numbers in the dates of an application, if one of them shows it.
    pub(crate) date_order: Option<DateOrder>,
    /// The number of the first line without a time after lines of an application, and how many such
    /// lines there are.
    pub(crate) without_time: Option<(usize, usize)>,
    pub(crate) unused: Vec<Unused>,
    /// What the program that collected the lists says about them.
    pub(crate) remarks: Vec<Unused>,
}
