//! One command with what became of it.

use std::rc::Rc;

use lictor_core::error::Reason;
use lictor_core::time::Instant;
use lictor_sandbox::console::{
    AnswerParts, AnswerView, BodyView, Entry, EntryState, MethodSource, ReceivedAnswer,
};
use lictor_sandbox::format::tenths;
use lictor_sandbox::history::ExplainedReason;
use lictor_sandbox::i18n::Words;
use lictor_sandbox::request_log::ExchangeId;

use super::Form;
use super::prompt::INPUT;
use super::terminal::{Terminal, in_form};
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{El, Glyph, Part, button, el, icon, live, small_tag, text, word};
use crate::var::Var;

pub fn entry(terminal: &'static Terminal, form: Rc<Var<Form>>, number: u64) -> Option<El> {
    let runtime = terminal.runtime;
    let entry = Rc::new(terminal.entry(number)?);
    let who = runtime.with_record(|record| record.actor_tag(&entry.actor).cloned())?;
    let (at, outcome) = (entry.at, outcome(runtime, &entry));
    let http_text = entry.clone();
    let command = text(move || in_form(&http_text, form.get()));
    let status = text(move || status(words(), &entry).unwrap_or_default());
    let name = who.name.clone();
    let asked = text(move || (words().console.asked)(name.as_str(), at));
    let meta = el("span", "meta")
        .with(small_tag(who.badge))
        .with(asked)
        .with(el("span", "push").test("console-status").with(status));
    let line = el("span", "line")
        .test("console-command")
        .with(el("span", "ps").attr("aria-hidden", "true").with("$ "))
        .with(command);
    let entry = el("span", "entry").test("console-entry").attr("data-actor", who.name.as_str());
    Some(entry.with(meta).with(line).with(outcome))
}

/// How far the command has come, in a line.
fn status(words: &Words, entry: &Entry) -> Option<String> {
    let words = &words.console;
    match &entry.progress {
        EntryState::Kept { name, .. } => Some((words.kept)(name)),
        EntryState::Cancelled { at } => Some((words.cancelled)(*at)),
        EntryState::Answered(answered) => {
            let AnswerView { status, phrase, index, .. } = &answered.view;
            let line = (words.status)(*status, phrase, index.as_deref());
            let is_later = answered.at > entry.at;
            let later = is_later.then(|| format!("{} · ", (words.answered)(answered.at)));
            Some(later.unwrap_or_default() + &line)
        }
        EntryState::Help
        | EntryState::Printed(_)
        | EntryState::Sending
        | EntryState::Waiting { .. } => None,
    }
}

/// What stands below the command.
fn outcome(runtime: &'static Runtime, entry: &Entry) -> Part {
    match &entry.progress {
        EntryState::Kept { value, .. } => answer(value).into(),
        EntryState::Help => help(),
        EntryState::Printed(text) => answer(text).into(),
        EntryState::Sending | EntryState::Cancelled { .. } => Part::Nothing,
        EntryState::Waiting { id, since } => pending(runtime, *id, *since).into(),
        EntryState::Answered(answered) => answer_lines(runtime, answered, entry),
    }
}

fn answer(text: &str) -> El {
    el("span", "answer").test("console-answer").with(text)
}

fn help() -> Part {
    live(|| {
        let lines = words().console.help.iter().map(|&(form, text)| {
            let form = el("b", "").with(form);
            el("span", "help-line").with(form).with(el("span", "").with(text))
        });
        el("span", "console-help").test("console-help").with(Part::from_iter(lines))
    })
}

/// A blocking query that waits: for how long already, and a way to give it up.
fn pending(runtime: &'static Runtime, id: ExchangeId, since: Instant) -> El {
    let waited = text(move || {
        let waited = runtime.coarse_now.get().since(since);
        (words().console.pending)(&tenths(waited))
    });
    let cancel = button("btn btn-small btn-line", "console-cancel", move || runtime.cancel(id));
    let cancel = cancel.heir(INPUT);
    el("span", "pending")
        .test("console-pending")
        .with(el("span", "num").with(waited))
        .with(cancel.with(word(|words| words.console.cancel)))
}

fn answer_lines(runtime: &'static Runtime, answered: &ReceivedAnswer, entry: &Entry) -> Part {
    let view = &answered.view;
    let headers = (entry.shown == AnswerParts::Headers).then(|| headers(view));
    let is_post = view.status == 405 && entry.origin == MethodSource::FromBody;
    let hint = is_post.then(|| {
        let hint = el("span", "note").test("console-hint");
        hint.with(word(|words| words.console.body_makes_post))
    });
    parts![
        headers,
        body(&view.body),
        view.decoded.iter().map(decoded).collect::<Part>(),
        hint,
        answered.why.clone().map(|why| reason(runtime, why)),
    ]
}

fn headers(view: &AnswerView) -> El {
    let lines = view.headers.iter().map(|(name, value)| format!("{name}: {value}\n"));
    el("span", "note headers").test("console-headers").with(lines.collect::<String>())
}

fn body(body: &BodyView) -> Option<El> {
    match body {
        BodyView::Empty => None,
        BodyView::Pretty(text) | BodyView::Text(text) => Some(answer(text)),
        BodyView::Bytes { length } => {
            let length = *length;
            let text = text(move || (words().console.bytes)(length));
            Some(el("span", "note").test("console-answer").with(text))
        }
    }
}

fn decoded((key, value): &(String, String)) -> El {
    let key = key.clone();
    let label = text(move || (words().console.decoded)(&key));
    let line = el("span", "decoded").test("console-decoded");
    line.with(el("span", "quiet").with(label)).with(" ").with(value.as_str())
}

/// Why it was refused, and the way to the moment when the reason is over.
fn reason(runtime: &'static Runtime, why: ExplainedReason) -> El {
    let run = match &why.reason {
        Reason::LockDelay { until, .. } => Some(run_to(runtime, *until)),
        _ => None,
    };
    let sentence = text(move || (words().why)(&why));
    el("span", "reason")
        .test("console-reason")
        .with(icon(Glyph::Why))
        .with(el("span", "").with(sentence))
        .with(run)
}

fn run_to(runtime: &'static Runtime, over: Instant) -> Part {
    let is_ahead = Var::worked_out(move || runtime.now.get() < over);
    live(move || {
        let label = text(move || (words().run_to)(over));
        let run = move || button("btn btn-small", "console-run-to", move || runtime.run_to(over));
        is_ahead.get().then(|| run().heir(INPUT).with(label))
    })
}
