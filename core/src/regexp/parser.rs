//! Reads the syntax of Go's `regexp` and makes a program of it. There is no tree: each item becomes
//! a fragment of the program at once, and operators put fragments together. Groups are kept on a
//! stack, so that nesting costs no depth of calls.

use alloc::vec::Vec;
use core::mem;

use super::class;
use super::error::{Fault, RegexpError, error};
use super::fragment::Fragment;
use super::program::{Boundary, CharItem, CharSet, Program};

/// The largest count of a repetition, and the largest product of counts inside each other.
const COUNT_MAX: u32 = 1_000;

/// About the largest number of instructions of a program; Go allows three hundred times as many.
const SIZE_MAX: usize = 10_000;

/// How many groups may be inside each other.
const DEPTH_MAX: usize = 1_000;

/// What `(?imsU)` changes.
#[derive(Clone, Copy, Default)]
struct Flags {
    ignores_case: bool,
    is_multiline: bool,
    dot_takes_newline: bool,
    is_lazy: bool,
}

/// An open group, or the whole expression.
#[derive(Default)]
struct Group {
    /// The alternatives before the last bar.
    alternatives: Vec<Fragment>,
    /// What follows it, item by item.
    items: Vec<Fragment>,
    /// The flags in front of the group, which apply again after it.
    outer_flags: Flags,
    /// Its number, if it captures.
    number: Option<usize>,
}

struct Parser<'a> {
    pattern: &'a str,
    rest: &'a str,
    flags: Flags,
    group: Group,
    outer_groups: Vec<Group>,
    /// The text from the last token on, if that is a repetition.
    repetition: Option<&'a str>,
    /// How many more instructions the program may have.
    size_left: usize,
    /// How many groups capture, with the whole expression.
    groups: usize,
}

/// The program of an expression, and how many groups capture, with the whole expression.
pub(super) fn parse(pattern: &str) -> Result<(Program, usize), RegexpError> {
    let mut parser = Parser {
        pattern,
        rest: pattern,
        flags: Flags::default(),
        group: Group::default(),
        outer_groups: Vec::new(),
        repetition: None,
        size_left: SIZE_MAX,
        groups: 1,
    };
    while let Some(c) = parser.rest.chars().next() {
        let token = parser.rest;
        parser.admit(1)?;
        let is_repetition = parser.token(token, c)?;
        parser.repetition = is_repetition.then_some(token);
    }
    if !parser.outer_groups.is_empty() {
        return error(Fault::OpenGroup, pattern);
    }
    Ok((parser.group.closed().saved(0).program, parser.groups))
}

impl<'a> Parser<'a> {
    /// Reads the next token, which begins with this character. Returns whether it is a repetition.
    fn token(&mut self, text: &'a str, first: char) -> Result<bool, RegexpError> {
        self.rest = &text[first.len_utf8()..];
        match first {
            '(' => self.open(text)?,
            ')' => self.close()?,
            '|' => self.group.begin_alternative(),
            '^' if self.flags.is_multiline => self.assert(Boundary::LineStart),
            '^' => self.assert(Boundary::TextStart),
            '$' if self.flags.is_multiline => self.assert(Boundary::LineEnd),
            '$' => self.assert(Boundary::TextEnd),
            '.' if self.flags.dot_takes_newline => self.take(CharSet::all()),
            '.' => self.take(CharSet::all_but('\n')),
            '[' => {
                let (set, rest) = class::bracketed(text, self.flags.ignores_case)?;
                self.rest = rest;
                self.take(set);
            }
            '*' => return self.repeat(text, 0, None),
            '+' => return self.repeat(text, 1, None),
            '?' => return self.repeat(text, 0, Some(1)),
            '{' => match counts(self.rest) {
                Some((min, max, rest)) => {
                    self.rest = rest;
                    return self.repeat_counted(text, min, max);
                }
                None => self.literal('{'),
            },
            '\\' => self.escape(text)?,
            c => self.literal(c),
        }
        Ok(false)
    }

    fn assert(&mut self, boundary: Boundary) {
        self.group.items.push(Fragment::assert(boundary));
    }

    fn take(&mut self, set: CharSet) {
        self.group.items.push(Fragment::take(set));
    }

    fn literal(&mut self, c: char) {
        self.item(CharItem::Range(c.into(), c.into()));
    }

    fn item(&mut self, item: CharItem) {
        let ignores_case = self.flags.ignores_case;
        self.take(CharSet { items: Vec::from([item]), is_negated: false, ignores_case });
    }

    /// Opens a group, or sets flags for the rest of the one around.
    fn open(&mut self, text: &'a str) -> Result<(), RegexpError> {
        let (outer_flags, mut is_kept) = (self.flags, true);
        if text.starts_with("(?") {
            if let Some(rest) = after_name(text)? {
                self.rest = rest;
            } else {
                let (flags, end, rest) = flags(text, self.flags)?;
                (self.flags, self.rest) = (flags, rest);
                if end == ')' {
                    return Ok(());
                }
                is_kept = false;
            }
        }
        if self.outer_groups.len() >= DEPTH_MAX {
            return error(Fault::Depth, self.pattern);
        }
        let number = is_kept.then_some(self.groups);
        self.groups += usize::from(is_kept);
        let group = Group { outer_flags, number, ..Group::default() };
        self.outer_groups.push(mem::replace(&mut self.group, group));
        Ok(())
    }

    fn close(&mut self) -> Result<(), RegexpError> {
        let Some(outer) = self.outer_groups.pop() else {
            return error(Fault::ClosedGroup, self.pattern);
        };
        let group = mem::replace(&mut self.group, outer);
        self.flags = group.outer_flags;
        let number = group.number;
        let closed = group.closed();
        self.group.items.push(match number {
            Some(number) => closed.saved(number),
            None => closed,
        });
        Ok(())
    }

    /// An escape outside a class in brackets.
    fn escape(&mut self, text: &'a str) -> Result<(), RegexpError> {
        let boundary = match self.rest.chars().next() {
            Some('A') => Boundary::TextStart,
            Some('z') => Boundary::TextEnd,
            Some('b') => Boundary::Word,
            Some('B') => Boundary::NotWord,
            Some('Q') => {
                let quoted = &self.rest[1..];
                let (quoted, rest) = quoted.split_once("\\E").unwrap_or((quoted, ""));
                quoted.chars().for_each(|c| self.literal(c));
                self.rest = rest;
                return Ok(());
            }
            _ => {
                let (item, rest) = class::escape(text)?;
                self.rest = rest;
                self.item(item);
                return Ok(());
            }
        };
        self.rest = &self.rest[1..];
        self.assert(boundary);
        Ok(())
    }

    /// Refuses an expression whose program would become too large.
    fn admit(&mut self, more: usize) -> Result<(), RegexpError> {
        match self.size_left.checked_sub(more) {
            Some(left) => self.size_left = left,
            None => return error(Fault::Size, self.pattern),
        }
        Ok(())
    }

    /// A repetition whose counts are in braces.
    fn repeat_counted(
        &mut self,
        text: &'a str,
        min: u32,
        max: Option<u32>,
    ) -> Result<bool, RegexpError> {
        let is_too_often = min > COUNT_MAX || max.is_some_and(|max| max > COUNT_MAX || max < min);
        if is_too_often {
            return error(Fault::Count, &text[..text.len() - self.rest.len()]);
        }
        self.repeat(text, min, max)
    }

    /// Repeats the last item; a question mark after the operator prefers the fewest repetitions.
    fn repeat(&mut self, text: &'a str, min: u32, max: Option<u32>) -> Result<bool, RegexpError> {
        let rest_of_lazy = self.rest.strip_prefix('?');
        let is_lazy = rest_of_lazy.is_some() != self.flags.is_lazy;
        self.rest = rest_of_lazy.unwrap_or(self.rest);
        let until_here = |from: &'a str| &from[..from.len() - self.rest.len()];
        if let Some(before) = self.repetition {
            return error(Fault::NestedRepetition, until_here(before));
        }
        let Some(item) = self.group.items.pop() else {
            return error(Fault::NothingToRepeat, until_here(text));
        };
        if item.count_of_repeated(min, max) > COUNT_MAX {
            return error(Fault::Count, until_here(text));
        }
        self.admit(item.length_of_repeated(min, max))?;
        self.group.items.push(item.repeated(min, max, is_lazy));
        Ok(true)
    }
}

impl Group {
    fn begin_alternative(&mut self) {
        let items = mem::take(&mut self.items);
        self.alternatives.push(in_sequence(items));
    }

    /// The group as one fragment.
    fn closed(self) -> Fragment {
        let mut alternatives = self.alternatives;
        alternatives.push(in_sequence(self.items));
        Fragment::any_of(alternatives)
    }
}

fn in_sequence(items: Vec<Fragment>) -> Fragment {
    items.into_iter().fold(Fragment::default(), Fragment::then)
}

/// The text after `(?P<name>` or `(?<name>`, if the text begins so.
fn after_name(text: &str) -> Result<Option<&str>, RegexpError> {
    let named = text.strip_prefix("(?P<").or_else(|| text.strip_prefix("(?<"));
    let Some(named) = named.filter(|named| !named.is_empty()) else { return Ok(None) };
    let Some((name, rest)) = named.split_once('>') else { return error(Fault::Name, text) };
    if name.is_empty() || !name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()) {
        return error(Fault::Name, &text[..text.len() - rest.len()]);
    }
    Ok(Some(rest))
}

/// Reads flags such as `(?i-s:`. Returns the flags that then apply, the character that ends them,
/// and the text after it.
fn flags(text: &str, before: Flags) -> Result<(Flags, char, &str), RegexpError> {
    let mut flags = before;
    let (mut is_set, mut is_complete) = (true, true);
    let mut chars = text[2..].chars();
    while let Some(c) = chars.next() {
        match c {
            'i' => flags.ignores_case = is_set,
            'm' => flags.is_multiline = is_set,
            's' => flags.dot_takes_newline = is_set,
            'U' => flags.is_lazy = is_set,
            '-' if is_set => {
                (is_set, is_complete) = (false, false);
                continue;
            }
            ':' | ')' if is_complete => return Ok((flags, c, chars.as_str())),
            _ => break,
        }
        is_complete = true;
    }
    error(Fault::Flags, &text[..text.len() - chars.as_str().len()])
}

/// Reads the counts after an opening brace, such as `2,5}`. Without them the brace is a literal.
fn counts(text: &str) -> Option<(u32, Option<u32>, &str)> {
    let (min, rest) = count(text)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => count(rest).map(|(max, rest)| (Some(max), rest))?,
    };
    Some((min, max, rest.strip_prefix('}')?))
}

/// A number without leading zeros; one that is too large for its type is the largest.
fn count(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    let is_number = !digits.is_empty() && (digits == "0" || !digits.starts_with('0'));
    is_number.then(|| (digits.parse().unwrap_or(u32::MAX), rest))
}
