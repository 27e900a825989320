//! A regular expression as a program, and its execution: all threads take each character at once,
//! so that the time is proportional to program and text, whatever the expression. Jumps are
//! relative, so that a part of a program can be copied and put anywhere.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem;

/// Instructions; the end of the last one is a match.
pub(super) type Program = Vec<Instruction>;

#[derive(Clone, Debug)]
pub(super) enum Instruction {
    /// Takes one character of the set.
    Take(Arc<CharSet>),
    /// Continues if the position is a boundary of this kind.
    Assert(Boundary),
    /// Keeps the position in a slot, and continues.
    Save(usize),
    /// Continues at both places, which are relative to this one; the first one is preferred.
    Fork(isize, isize),
    /// Continues at a place that is relative to this one.
    Jump(isize),
}

/// A position between two characters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Boundary {
    TextStart,
    TextEnd,
    LineStart,
    LineEnd,
    Word,
    NotWord,
}

/// A set of characters.
#[derive(Clone, Debug, Default)]
pub(super) struct CharSet {
    pub(super) items: Vec<CharItem>,
    pub(super) is_negated: bool,
    pub(super) ignores_case: bool,
}

#[derive(Clone, Debug)]
pub(super) enum CharItem {
    /// From and to these code points.
    Range(u32, u32),
    /// A class of ASCII characters, such as digits.
    Class { has: fn(&char) -> bool, is_negated: bool },
}

impl CharSet {
    /// All characters but one.
    pub(super) fn all_but(c: char) -> Self {
        let items = Vec::from([CharItem::Range(c.into(), c.into())]);
        Self { items, is_negated: true, ignores_case: false }
    }

    /// All characters.
    pub(super) fn all() -> Self {
        Self { is_negated: true, ..Self::default() }
    }

    fn has(&self, c: char) -> bool {
        let cases =
            if self.ignores_case { [c, c.to_ascii_uppercase(), lower_case(c)] } else { [c; 3] };
        let has = |item: &CharItem| match item {
            CharItem::Range(from, to) => {
                let is_within = |c: &char| (*from..=*to).contains(&u32::from(*c));
                cases.iter().any(is_within) || (from == to && self.has_case_of(*from, c))
            }
            CharItem::Class { has, is_negated } => cases.iter().any(has) != *is_negated,
        };
        self.items.iter().any(has) != self.is_negated
    }

    /// Whether a single character of the set counts as another one.
    fn has_case_of(&self, code: u32, c: char) -> bool {
        let own = char::from_u32(code);
        self.ignores_case && own.is_some_and(|own| lower_case(own) == lower_case(c))
    }
}

/// A character in lower case, if that is one character. The table for upper case would be as large
/// as the rest of this module; without it ranges of capitals such as `À-Ý` have no lower case, and
/// `ſ` and `ς` are letters of their own.
fn lower_case(c: char) -> char {
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

impl Boundary {
    fn is_between(self, before: Option<char>, after: Option<char>) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| is_word(&c));
        match self {
            Self::TextStart => before.is_none(),
            Self::TextEnd => after.is_none(),
            Self::LineStart => matches!(before, None | Some('\n')),
            Self::LineEnd => matches!(after, None | Some('\n')),
            Self::Word => is_word(before) != is_word(after),
            Self::NotWord => is_word(before) == is_word(after),
        }
    }
}

/// Whether `\w` stands for a character.
pub(super) fn is_word(c: &char) -> bool {
    c.is_ascii_alphanumeric() || *c == '_'
}

/// Where groups begin and end in a text: two places for each group, those of the whole match first.
pub(super) type Slots = Vec<Option<usize>>;

/// The first match of a program with this many slots, which `Save` fills. Of several matches at one
/// place it is the one that Go prefers; without slots it is any.
pub(super) fn find(program: &[Instruction], text: &str, slots: usize) -> Option<Slots> {
    let mut threads = Threads::new(program);
    let (mut before, mut rest, mut found) = (None, text.chars(), None);
    loop {
        let at = text.len() - rest.as_str().len();
        if found.is_none() && threads.matched.is_none() {
            let after = rest.clone().next();
            threads.start(0, [None].repeat(slots), Place { at, before, after });
        }
        found = threads.matched.take().or(found);
        if found.is_some() && (slots == 0 || threads.waiting.is_empty()) {
            return found;
        }
        let Some(c) = rest.next() else { return found };
        before = Some(c);
        let at = at + c.len_utf8();
        threads.take(c, Place { at, before, after: rest.clone().next() });
    }
}

/// A place in a text, and the characters around it.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    before: Option<char>,
    after: Option<char>,
}

/// The places of a program at which a character is awaited, those that Go prefers first.
struct Threads<'a> {
    program: &'a [Instruction],
    waiting: Vec<(usize, Slots)>,
    /// For each place whether a thread has been there since the last character.
    visited: Vec<bool>,
    /// A match since the last character. It ends all threads after it.
    matched: Option<Slots>,
}

impl<'a> Threads<'a> {
    fn new(program: &'a [Instruction]) -> Self {
        let visited = [false].repeat(program.len() + 1);
        Self { program, waiting: Vec::new(), visited, matched: None }
    }

    /// Starts a thread and follows it to the places at which it waits for a character.
    fn start(&mut self, index: usize, slots: Slots, place: Place) {
        let mut open = Vec::from([(index, slots)]);
        while let Some((index, mut slots)) = open.pop() {
            if mem::replace(&mut self.visited[index], true) {
                continue;
            }
            match self.program.get(index) {
                None => {
                    self.matched = Some(slots);
                    return;
                }
                Some(Instruction::Take(_)) => self.waiting.push((index, slots)),
                Some(Instruction::Assert(boundary)) => {
                    if boundary.is_between(place.before, place.after) {
                        open.push((index + 1, slots));
                    }
                }
                Some(Instruction::Save(slot)) => {
                    if let Some(slot) = slots.get_mut(*slot) {
                        *slot = Some(place.at);
                    }
                    open.push((index + 1, slots));
                }
                Some(Instruction::Fork(a, b)) => {
                    open.push((index.wrapping_add_signed(*b), slots.clone()));
                    open.push((index.wrapping_add_signed(*a), slots));
                }
                Some(Instruction::Jump(by)) => open.push((index.wrapping_add_signed(*by), slots)),
            }
        }
    }

    /// Feeds a character to each thread; those that it does not match end.
    fn take(&mut self, c: char, place: Place) {
        self.visited.fill(false);
        for (index, slots) in mem::take(&mut self.waiting) {
            if let Some(Instruction::Take(set)) = self.program.get(index)
                && set.has(c)
                && self.matched.is_none()
            {
                self.start(index + 1, slots, place);
            }
        }
    }
}
