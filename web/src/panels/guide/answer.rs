//! The line with the answer to a step of a guide, and what the answer means.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::error::Error;
use lictor_core::message::Answer as ServerAnswer;
use lictor_core::store::Entry;
use lictor_desk::console::{AnswerView, BodyView, SentCommand, StepResult, StepRole};
use lictor_recipes::{COORDINATION, SemaphoreDocument};
use lictor_sim::record::{Exchange, ExchangeState};
use lictor_sim::{Problem, Verdict};
use lictor_view::rows::Tense;

use crate::components::ActorBadge;
use crate::platform::words::{console_words, guide_words, row_words, words};
use crate::state::guide_reader::{GuideReader, SentStep};

/// The largest number of characters of an answer that are shown.
const LENGTH_MAX: usize = 120;

#[component]
pub fn Answer(sent: SentStep) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let controller = reader.terminal.controller;
    let badge = controller.with_record(|record| record.actor_tag(&sent.sender).map(|it| it.badge));
    let name = sent.sender.to_string();
    let exchange = match &sent.sent {
        SentCommand::Request(request) => Some(reader.exchange(request)?),
        _ => None,
    };
    let content = move || {
        let (answer, note) = said(reader, &sent);
        let is_refused = reader.result_of(&sent) == StepResult::Refused;
        let at = exchange.as_ref().map(|exchange| {
            let at = exchange.with(|exchange| (guide_words().at)(exchange.sent));
            view! { <span class="num quiet">{at}</span> }
        });
        view! {
            <li class=if is_refused { "refused" } else { "" } data-actor=name.clone()>
                {badge.map(|badge| view! { <ActorBadge badge=Some(badge)/> })}
                <span class="visually-hidden">{name.clone()}</span>
                {at}
                <b class="mono">{answer}</b>
                <span class="guide-note">{note}</span>
            </li>
        }
    };
    Some(content)
}

/// The text of the answer to a step, and the note about its meaning, if there is one.
pub fn said(reader: GuideReader, sent: &SentStep) -> (String, Option<String>) {
    match &sent.sent {
        SentCommand::Request(request) => match reader.exchange(request) {
            Some(exchange) => {
                exchange.with(|exchange| (answer(exchange), note(reader, exchange, sent.step)))
            }
            None => (guide_words().no_answer.to_owned(), None),
        },
        SentCommand::Kept { name, .. } => ((console_words().kept)(name), None),
        SentCommand::Started(program) => ((console_words().started)(program), None),
        SentCommand::Printed(text) => (text.clone(), None),
    }
}

/// The answer itself, or that it is awaited or failed.
fn answer(exchange: &Exchange) -> String {
    let outcome = match &exchange.state {
        ExchangeState::Answered { outcome, .. } => outcome,
        ExchangeState::Waiting { until: Some(_) } => return guide_words().waits.to_owned(),
        ExchangeState::Waiting { until: None } => return guide_words().no_answer.to_owned(),
        ExchangeState::Cancelled { at } => return (console_words().cancelled)(*at),
        ExchangeState::Failed { text: Some(text), .. } => return text.to_string(),
        ExchangeState::Failed { at, text: None } => return (console_words().failed)(*at),
    };
    let view = AnswerView::new(&exchange.call, outcome);
    let entries = exchange.call.entries_in(outcome);
    if !entries.is_empty() {
        return (guide_words().keys_read)(entries.len(), view.index.as_deref().unwrap_or_default());
    }
    let body = match &view.body {
        BodyView::Empty => String::new(),
        BodyView::Pretty(text) | BodyView::Text(text) if view.status == 200 => cut(text),
        BodyView::Pretty(text) | BodyView::Text(text) => text.trim().to_owned(),
        BodyView::Bytes { length } => (console_words().bytes)(*length),
    };
    match view.status {
        200 => body,
        status => format!("{status} {} {body}", view.phrase).trim_end().to_owned(),
    }
}

/// What the answer means: what a redirect has lost, the reason of a refusal and the next step to
/// send, what a read shows, or the label of a new session. `None` if there is nothing to add to the
/// answer itself.
fn note(reader: GuideReader, exchange: &Exchange, step: usize) -> Option<String> {
    let ExchangeState::Answered { outcome, why, .. } = &exchange.state else { return None };
    if let Some(lost) = reader.terminal.redirected(exchange) {
        return Some((console_words().redirected)(lost.method.as_deref(), lost.has_lost_body));
    }
    let problem = outcome.problem();
    let meaning = problem.and_then(|problem| row_words().refusals.meaning(problem));
    let reason = why.as_ref().map(|why| (row_words().why)(why, Tense::Present)).or(meaning);
    let next = reader.guide.with(|guide| {
        let guide = guide.as_ref().filter(|_| outcome.verdict() == Verdict::False)?;
        match guide.steps.get(step)?.role {
            // The document is there already, so the sender joins it.
            StepRole::CreateLock if step + 1 < guide.steps.len() => {
                Some((guide_words().go_on)(step + 2))
            }
            _ => guide.read_step(step).map(|read| (guide_words().read_again)(read + 1)),
        }
    });
    let next = next.or_else(|| remedy(reader, problem?, step));
    match (reason, next) {
        (Some(reason), Some(next)) => return Some((guide_words().reason_and_next)(&reason, &next)),
        (Some(note), None) | (None, Some(note)) => return Some(note),
        (None, None) => {}
    }
    let entries = exchange.call.entries_in(outcome);
    if !entries.is_empty() {
        return Some(cut(&read_entries(reader, entries)));
    }
    let ServerAnswer::Created(id) = outcome.answer.as_ref().ok()?.answer else { return None };
    let label = reader.terminal.label(&id.to_string());
    (!label.is_empty()).then(|| (words().has_session)(&label))
}

/// What the reader can do about an error that an id or a node of the text has caused.
fn remedy(reader: GuideReader, problem: &Problem, step: usize) -> Option<String> {
    let Problem::Refused(refusal) = problem else { return None };
    let guide = reader.guide.get()?;
    match refusal.error {
        Error::MissingNode => Some(guide_words().nobody_has_node.to_owned()),
        Error::InvalidSession(_) => {
            let is_written = reader.choices.with(|it| guide.sends_written_id(step, it));
            is_written.then(|| guide_words().nobody_has_id.to_owned())
        }
        _ => None,
    }
}

/// The keys of an answer, with the value of a single one and the holders of a semaphore.
fn read_entries(reader: GuideReader, entries: &[Arc<Entry>]) -> String {
    let label = |id: &str| match reader.terminal.label(id) {
        label if label.is_empty() => id.to_owned(),
        label => label,
    };
    let described = entries.iter().map(|entry| {
        let last = entry.key.as_str().rsplit('/').next().unwrap_or_default();
        let name = label(last);
        if last == COORDINATION
            && let Ok(document) = SemaphoreDocument::read(&entry.value)
        {
            let holders = document.holders.iter().map(|it| label(it.as_str())).collect::<Vec<_>>();
            let holders = (guide_words().holders)(document.limit, &holders.join(", "));
            return format!("{name} ({holders})");
        }
        match core::str::from_utf8(&entry.value) {
            Ok(value) if entries.len() == 1 && !value.is_empty() => format!("{name} = {value}"),
            _ => name,
        }
    });
    described.collect::<Vec<_>>().join(", ")
}

/// The first [`LENGTH_MAX`] characters of a text, in one line.
fn cut(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn long_answers_are_cut_between_characters() {
        assert_eq!(cut("a\n  b"), "a b");
        assert_eq!(cut(&"键".repeat(200)).chars().count(), LENGTH_MAX + 1);
    }
}
