//! Matches recorded texts with actual ones: symbols such as `{S1}`, recorded UUIDs, `@12@` and
//! index members match the id or index that corresponds to them. All else must be equal.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::ids::{Ids, name_of};
use super::{Indexes, uuid};
use crate::vector::RecordedRequest;

static SYMBOL: LazyLock<Regex> = LazyLock::new(|| regex(r"\{[A-Z]+[0-9]+(?::upper)?\}"));
static REF: LazyLock<Regex> = LazyLock::new(|| regex(r"@([0-9]+)(?:\+([0-9]+))?@"));
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let any_of = [
        r#"(?<member>"(?:Create|Modify)Index": ?)(?<index>[0-9]+)"#,
        r"(?<symbol>\{[A-Z]+[0-9]+(?::upper)?\})",
        "(?<stale>current modify index @(?<current>[0-9]+)@ != (?<sent>[0-9]+))",
        r"(?<ref>@[0-9]+(?:\+[0-9]+)?@)",
        &format!("(?<uuid>{})", uuid::PATTERN),
    ];
    regex(&any_of.join("|"))
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

/// `@recorded+plus@` in a request: an index of an earlier answer, and a number that is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRef {
    pub recorded: u64,
    pub plus: u64,
}

/// The indexes to which a request refers.
pub fn index_refs(request: &RecordedRequest) -> Vec<IndexRef> {
    request.texts().flat_map(|text| REF.captures_iter(text).map(|it| index_ref(&it))).collect()
}

/// A request's text with symbols replaced by the ids that are known.
pub fn fill_ids(text: &str, ids: &Ids) -> String {
    let fill =
        |symbol: &Captures<'_>| ids.actual(&symbol[0]).unwrap_or_else(|| symbol[0].to_owned());
    SYMBOL.replace_all(text, fill).into_owned()
}

/// A request's text with `@n@` replaced by the indexes that are known.
pub fn fill_indexes(text: &str, indexes: &Indexes) -> String {
    let fill = |written: &Captures<'_>| {
        let IndexRef { recorded, plus } = index_ref(written);
        let known = indexes.actual(recorded).map(|index| index.saturating_add(plus).to_string());
        known.unwrap_or_else(|| written[0].to_owned())
    };
    REF.replace_all(text, fill).into_owned()
}

pub(super) fn holds_symbol(text: &str) -> bool {
    SYMBOL.is_match(text)
}

/// A part of a recorded text whose actual value is not known before the match.
#[derive(Clone, Debug)]
pub(super) enum Unknown {
    Index(u64),
    /// The recorded name of an id that is not known yet.
    Id(String),
}

enum Piece {
    Exactly(String),
    Open(Unknown),
}

/// A recorded text as a sequence of pieces.
pub(super) struct Pattern(Vec<Piece>);

impl Pattern {
    /// Whether the text has parts other than literal ones.
    pub(super) fn is_needed(recorded: &str) -> bool {
        TOKEN.is_match(recorded)
    }

    pub(super) fn new(recorded: &str, ids: &Ids, indexes: &Indexes, refs: &[IndexRef]) -> Self {
        let mut pattern = Self(Vec::new());
        let mut end = 0;
        for token in TOKEN.captures_iter(recorded) {
            let Some(whole) = token.get(0) else {
                continue;
            };
            pattern.exactly(&recorded[end..whole.start()]);
            end = whole.end();
            pattern.token(&token, ids, indexes, refs);
        }
        pattern.exactly(&recorded[end..]);
        pattern
    }

    /// The values of the open parts in an actual text; `None` if it does not match.
    pub(super) fn find(self, text: &str) -> Option<Vec<(Unknown, &str)>> {
        let (mut rest, mut found) = (text, Vec::new());
        for piece in self.0 {
            let length = match &piece {
                Piece::Exactly(text) if rest.starts_with(text) => text.len(),
                Piece::Exactly(_) => return None,
                Piece::Open(Unknown::Index(_)) => digits(rest)?,
                Piece::Open(Unknown::Id(_)) => uuid::length_at_start(rest)?,
            };
            let (got, after) = rest.split_at(length);
            rest = after;
            if let Piece::Open(unknown) = piece {
                found.push((unknown, got));
            }
        }
        rest.is_empty().then_some(found)
    }

    fn exactly(&mut self, text: &str) {
        self.0.push(Piece::Exactly(text.to_owned()));
    }

    fn open(&mut self, unknown: Unknown) {
        self.0.push(Piece::Open(unknown));
    }

    fn token(&mut self, token: &Captures<'_>, ids: &Ids, indexes: &Indexes, refs: &[IndexRef]) {
        if let Some(member) = token.name("member") {
            self.exactly(member.as_str());
            self.open(Unknown::Index(number(&token["index"])));
        } else if let Some(symbol) = token.name("symbol") {
            match ids.actual(symbol.as_str()) {
                Some(id) => self.exactly(&id),
                None => self.open(Unknown::Id(name_of(symbol.as_str()))),
            }
        } else if token.name("stale").is_some() {
            self.exactly("current modify index ");
            self.open(Unknown::Index(number(&token["current"])));
            let sent = sent_index(number(&token["sent"]), indexes, refs);
            self.exactly(&format!(" != {sent}"));
        } else if let Some(written) = token.name("ref").and_then(|it| REF.captures(it.as_str())) {
            let IndexRef { recorded, plus } = index_ref(&written);
            self.open(Unknown::Index(recorded.saturating_add(plus)));
        } else if let Some(uuid) = token.name("uuid") {
            match ids.known(uuid.as_str()) {
                Some(id) => self.exactly(&id),
                None => self.open(Unknown::Id(uuid.as_str().to_lowercase())),
            }
        }
    }
}

/// The number that the replayed request sent where the recorded one sent `recorded`. The two differ
/// if the vector has it as `@n@`.
fn sent_index(recorded: u64, indexes: &Indexes, refs: &[IndexRef]) -> u64 {
    let mut named = refs.iter().filter(|it| it.recorded.saturating_add(it.plus) == recorded);
    let sent =
        named.find_map(|it| Some(indexes.made_in_vector(it.recorded)?.saturating_add(it.plus)));
    sent.unwrap_or(recorded)
}

fn index_ref(written: &Captures<'_>) -> IndexRef {
    let plus = written.get(2).map_or(0, |plus| number(plus.as_str()));
    IndexRef { recorded: number(&written[1]), plus }
}

/// The length of the number with which a text begins; `None` if it begins with none.
fn digits(text: &str) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    (end > 0).then_some(end)
}

/// A number made of digits; beyond 64 bits the largest, which no index reaches.
fn number(digits: &str) -> u64 {
    digits.parse().unwrap_or(u64::MAX)
}
