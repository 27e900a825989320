//! Why a filter cannot be parsed: the farthest place that the parser reached with all that it
//! expected there, and errors that hold whichever alternative is tried next.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use super::error::FilterError;
use crate::id::go_quoted;

/// How many errors are listed; Consul lists all.
const FAULTS_MAX: usize = 100;

/// What the parser would have accepted at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Expected {
    /// A word or sign.
    Word(&'static str),
    /// A character of a class, by its name.
    Class(&'static str),
    /// The end of the text.
    End,
}

/// The record of one parse.
#[derive(Debug)]
pub(super) struct Trace<'a> {
    text: &'a str,
    /// How many parentheses are open.
    pub(super) depth: usize,
    /// Whether more were open at some place than are allowed.
    pub(super) is_too_deep: bool,
    /// The farthest place, in bytes from the start.
    farthest: usize,
    expected: BTreeSet<Expected>,
    faults: Vec<String>,
}

impl<'a> Trace<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            depth: 0,
            is_too_deep: false,
            farthest: 0,
            expected: BTreeSet::new(),
            faults: Vec::new(),
        }
    }

    /// The place at which the rest of the text begins, in bytes.
    pub(super) fn offset(&self, rest: &str) -> usize {
        self.text.len() - rest.len()
    }

    /// Records that the rest of the text does not begin with what was expected.
    pub(super) fn miss(&mut self, rest: &str, expected: Expected) {
        let at = self.offset(rest);
        if at > self.farthest {
            self.farthest = at;
            self.expected.clear();
        }
        if at == self.farthest {
            self.expected.insert(expected);
        }
    }

    /// Records an error that holds whichever alternative is tried next.
    pub(super) fn fault(&mut self, at: usize, rule: &str, text: &str) {
        if self.faults.len() >= FAULTS_MAX {
            return;
        }
        let fault = format!("{}: rule \"{rule}\": {text}", self.position(at));
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// The result of the parse: `parsed`, or the error if something is wrong.
    pub(super) fn result<T>(&self, parsed: Option<T>) -> Result<T, FilterError> {
        if self.is_too_deep {
            return Err(FilterError::TooDeep);
        }
        if !self.faults.is_empty() {
            return Err(FilterError::Syntax(self.faults.join("\n")));
        }
        parsed.ok_or_else(|| {
            let (position, expected) = (self.position(self.farthest), self.expectations());
            FilterError::Syntax(format!("{position}: no match found, expected: {expected}"))
        })
    }

    /// Line, column and offset of a place. A line feed is at column 0 of the next line.
    fn position(&self, offset: usize) -> String {
        let (before, after) = self.text.split_at(offset);
        let line = before.matches('\n').count() + 1;
        if after.starts_with('\n') {
            return format!("{}:0 ({offset})", line + 1);
        }
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        format!("{line}:{column} ({offset})")
    }

    /// What was expected at the farthest place, sorted; the end comes last.
    fn expectations(&self) -> String {
        let name = |expected: &Expected| match expected {
            Expected::Word(word) => Some(go_quoted(word)),
            Expected::Class(label) => Some((*label).to_string()),
            Expected::End => None,
        };
        let mut sorted = BTreeSet::new();
        sorted.extend(self.expected.iter().filter_map(name));
        let mut names = Vec::from_iter(sorted);
        if self.expected.contains(&Expected::End) {
            names.push("EOF".into());
        }
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => {
                format!("{} or {last}", others.join(", "))
            }
            _ => names.concat(),
        }
    }
}
