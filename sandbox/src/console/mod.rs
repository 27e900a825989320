//! What a person types or pastes, read as requests: curl as the guides write it, plain HTTP lines,
//! and variables. Pure: text goes in, [`Command`]s or [`Fault`]s with their place come out.
//!
//! Reading and filling in are two steps. [`read`] takes the whole input apart before anything is
//! sent, so that a mistake in the last line stops the first; names are filled in at the last
//! moment, as their values come from the answers in between.

mod answer;
mod assign;
mod complete;
mod curl;
mod cursor;
mod fault;
mod plain;
mod recall;
mod shell;
mod slots;
mod transcript;
mod url;
mod variables;

pub use answer::{AnswerView, BodyView};
pub use complete::{Kind, More, Offer, offer};
pub use fault::{Fault, Open, Place, Span, Trouble, place};
pub use plain::written;
pub use recall::Recall;
pub use transcript::{Answered, Entry, Next, Progress, Rejected, Transcript};
pub use variables::Variables;

use assign::{Assignment, Source};
use cursor::Cursor;
use lictor_core::http::HttpRequest;
use slots::Slots;

/// One command of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// As it was written, without the prompt before it.
    pub text: String,
    pub span: Span,
    /// The variable that takes the answer, or the value.
    pub assign: Option<String>,
    pub what: What,
    slots: Slots,
}

/// What a command asks for. Its texts still hold their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    Ask(Draft),
    /// `name=value`: nothing is sent.
    Keep(Word),
    Help,
}

/// A request whose names are not filled in yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub method: String,
    pub origin: Origin,
    pub url: Word,
    /// What `-G` moves from the body to the query.
    pub query: Vec<String>,
    pub headers: Vec<(String, String)>,
    pub body: String,
    pub shown: Shown,
    /// What the body seems to lack, where it is written line by line.
    pub awaits: Option<Open>,
}

/// Where the method of a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Written,
    /// curl's own choice of POST when there is a body, which Consul refuses.
    FromBody,
    Implied,
}

/// How much of the answer was asked for (`-i`, `-v`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    Body,
    Headers,
}

/// A piece of a command and where it stands in the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub span: Span,
}

/// A command with all its names filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ready {
    Send(HttpRequest),
    Keep { name: String, value: String },
    Help,
}

/// Looks up the value of a name.
pub type Values<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The longest input that is read: twice what the largest value of a key needs.
const LONGEST: usize = 1 << 20;
/// The most commands in one input.
const MOST: usize = 1_000;

/// Takes an input apart. One fault anywhere and nothing of it runs.
pub fn read(text: &str) -> Result<Vec<Command>, Fault> {
    if text.len() > LONGEST {
        return Err(Fault::new(Trouble::TooLong, 0..0));
    }
    let mut cursor = Cursor::new(text);
    let mut commands = Vec::new();
    while cursor.skip_between() {
        if commands.len() == MOST {
            return Err(Fault::new(Trouble::TooLong, cursor.at()..text.len()));
        }
        commands.push(command(&mut cursor)?);
    }
    Ok(commands)
}

/// Whether Enter should open a new line instead of sending: a quote, a bracket or a line is still
/// open.
pub fn is_unfinished(text: &str) -> bool {
    match read(text) {
        Err(fault) => matches!(fault.trouble, Trouble::Unfinished(_)),
        Ok(commands) => commands.last().is_some_and(|last| match &last.what {
            What::Ask(draft) => draft.awaits.is_some(),
            What::Keep(_) | What::Help => false,
        }),
    }
}

impl Command {
    /// The request, or one fault for each name without a value.
    pub fn fill(&self, value: Values<'_>) -> Result<Ready, Vec<Fault>> {
        match &self.what {
            What::Help => Ok(Ready::Help),
            What::Keep(word) => {
                let kept = self.slots.fill(&word.text, value);
                self.closed(&[&kept], value)?;
                Ok(Ready::Keep { name: self.assign.clone().unwrap_or_default(), value: kept })
            }
            What::Ask(draft) => self.request(draft, value).map(Ready::Send),
        }
    }

    /// Whether the headers of the answer were asked for.
    pub fn shown(&self) -> Shown {
        if let What::Ask(draft) = &self.what { draft.shown } else { Shown::Body }
    }

    /// Where a fault of this command stands in the command's own text.
    pub fn within(&self, span: &Span) -> Span {
        span.start.saturating_sub(self.span.start)..span.end.saturating_sub(self.span.start)
    }

    /// The host is cut off before names are asked for: `$CONSUL_HTTP_ADDR` needs no value here.
    fn request(&self, draft: &Draft, value: Values<'_>) -> Result<HttpRequest, Vec<Fault>> {
        let filled = |text: &String| self.slots.fill(text, value);
        let mut target = url::target(&filled(&draft.url.text))
            .map_err(|trouble| vec![Fault::new(trouble, draft.url.span.clone())])?;
        for piece in &draft.query {
            target.push(if target.contains('?') { '&' } else { '?' });
            target.push_str(&filled(piece));
        }
        let method = filled(&draft.method);
        let headers = draft.headers.iter().map(|(name, value)| (filled(name), filled(value)));
        let headers = headers.collect::<Vec<_>>();
        let body = filled(&draft.body);
        let mut texts = vec![&method, &target, &body];
        for (name, value) in &headers {
            texts.push(name);
            texts.push(value);
        }
        self.closed(&texts, value)?;
        let target = url::encoded(&target);
        Ok(HttpRequest { method, target, headers, body: body.into_bytes() })
    }

    /// Nothing is sent while a name in it has no value.
    fn closed(&self, texts: &[&String], value: Values<'_>) -> Result<(), Vec<Fault>> {
        let open = self.slots.open(texts, value);
        if open.is_empty() { Ok(()) } else { Err(open) }
    }
}

/// Reads one command from where the cursor stands to its end.
fn command(cursor: &mut Cursor<'_>) -> Result<Command, Fault> {
    let start = cursor.at();
    let mut slots = Slots::default();
    let (assign, source) = match assign::assignment(cursor) {
        Some(Assignment { name, source }) => (Some(name), source),
        None => (None, Source::Any),
    };
    let what = what(cursor, &mut slots, source).map_err(|fault| slots.shown(fault))?;
    let text = cursor.text_from(start).trim_end().to_owned();
    Ok(Command { span: start..start + text.len(), text, assign, what, slots })
}

fn what(cursor: &mut Cursor<'_>, slots: &mut Slots, source: Source) -> Result<What, Fault> {
    let close = match source {
        Source::Value => return shell::value(cursor, slots).map(What::Keep),
        Source::Any if plain::is_here(cursor) => return plain::read(cursor, slots).map(What::Ask),
        Source::Any => None,
        Source::Shell(close) => Some(close),
    };
    let start = cursor.at();
    let words = shell::words(cursor, slots, close)?;
    curl::read(&words, start)
}

#[cfg(test)]
mod guide_tests;
#[cfg(test)]
pub(crate) mod tests;
