//! Names and odd characters of a command, each kept as one private character of its text.
//!
//! The word splitter then sees no quotes or blanks inside of a value, wherever it will be filled
//! in. A character of the input that is itself private becomes a slot too, so nothing is mistaken.

use super::Values;
use super::fault::{Fault, Span, Trouble};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots(Vec<Slot>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Slot {
    Name { name: String, span: Span },
    Literal(String),
}

/// The first of the private characters, and how many there are.
const FIRST: u32 = 0xF_0000;
const ROOM: usize = 0xFFFD;

impl Slots {
    pub(super) fn name(&mut self, name: String, span: Span) -> Result<char, Fault> {
        let at = span.clone();
        self.put(Slot::Name { name, span }, at)
    }

    pub(super) fn literal(&mut self, text: String, span: Span) -> Result<char, Fault> {
        self.put(Slot::Literal(text), span)
    }

    /// A character as it may stand in a text with slots.
    pub(super) fn plain(&mut self, c: char, at: usize) -> Result<char, Fault> {
        if position(c).is_some() { self.literal(c.into(), at..at + c.len_utf8()) } else { Ok(c) }
    }

    /// The text with what is known filled in; names without a value stay slots.
    pub(super) fn fill(&self, text: &str, value: Values<'_>) -> String {
        let mut filled = String::with_capacity(text.len());
        for c in text.chars() {
            match self.at(c) {
                Some(Slot::Literal(literal)) => filled.push_str(literal),
                Some(Slot::Name { name, .. }) => match value(name) {
                    Some(value) => filled.push_str(&value),
                    None => filled.push(c),
                },
                None => filled.push(c),
            }
        }
        filled
    }

    /// The names that still stand in filled texts, one fault for each place.
    pub(super) fn open(&self, texts: &[&String], value: Values<'_>) -> Vec<Fault> {
        let characters = texts.iter().flat_map(|text| text.chars());
        let mut open = characters.filter_map(position).collect::<Vec<_>>();
        open.sort();
        open.dedup();
        let faults = open.into_iter().filter_map(|at| match self.0.get(at)? {
            Slot::Name { name, span } if value(name).is_none() => {
                Some(Fault::new(Trouble::NoValue(name.clone()), span.clone()))
            }
            _ => None,
        });
        faults.collect()
    }

    /// A text with its names as they were written, more or less.
    pub(super) fn written(&self, text: &str) -> String {
        self.fill(text, &|name| Some(format!("<{name}>")))
    }

    /// A fault that can be shown: what it quotes holds no slots.
    pub(super) fn shown(&self, fault: Fault) -> Fault {
        let trouble = match fault.trouble {
            Trouble::UnknownProgram(text) => Trouble::UnknownProgram(self.written(&text)),
            Trouble::UnknownOption(text) => Trouble::UnknownOption(self.written(&text)),
            Trouble::SecondAddress(text) => Trouble::SecondAddress(self.written(&text)),
            other => other,
        };
        Fault { trouble, span: fault.span }
    }

    fn put(&mut self, slot: Slot, span: Span) -> Result<char, Fault> {
        let c = character(self.0.len()).ok_or(Fault::new(Trouble::TooLong, span))?;
        self.0.push(slot);
        Ok(c)
    }

    fn at(&self, c: char) -> Option<&Slot> {
        self.0.get(position(c)?)
    }
}

fn character(at: usize) -> Option<char> {
    (at < ROOM).then(|| u32::try_from(at).ok()).flatten().and_then(|at| char::from_u32(FIRST + at))
}

fn position(c: char) -> Option<usize> {
    usize::try_from(u32::from(c).checked_sub(FIRST)?).ok().filter(|at| *at < ROOM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_and_open_ones_are_told() {
        let mut slots = Slots::default();
        let known = slots.name("s1".into(), 0..3).expect("room");
        let open = slots.name("s2".into(), 4..7).expect("room");
        let value = |name: &str| (name == "s1").then(|| "abc".to_owned());
        let filled = slots.fill(&format!("{known}-{open}"), &value);
        assert_eq!(filled, format!("abc-{open}"));
        assert_eq!(
            slots.open(&[&filled], &value),
            [Fault::new(Trouble::NoValue("s2".into()), 4..7)]
        );
    }

    #[test]
    fn private_characters_of_the_input_survive() {
        let mut slots = Slots::default();
        slots.name("s".into(), 0..2).expect("room");
        let masked = slots.plain('\u{f0000}', 2).expect("room");
        assert_eq!(slots.fill(&masked.to_string(), &|_| Some("x".into())), "\u{f0000}");
    }
}
