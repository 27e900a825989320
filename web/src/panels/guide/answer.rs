//! What the server has answered to a step of a guide, in a line, with the reason of a refusal.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::message::Answer as ServerAnswer;
use lictor_core::store::Entry;
use lictor_core::time::Instant;
use lictor_sandbox::console::{AnswerView, BodyView, StepRole};
use lictor_sandbox::format::tenths;
use lictor_sandbox::i18n::Words;
use lictor_sim::Verdict;
use lictor_sim::record::{Exchange, ExchangeState};

use crate::components::ActorBadge;
use crate::platform::settings::words;
use crate::state::guide_reader::{GuideReader, SentStep, is_success};

/// How much of an answer is shown.
const SHOWN: usize = 120;

#[component]
pub fn Answer(step: usize, sent: SentStep) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let exchange = reader.exchange(sent.id)?;
    let line = move || {
        let role = reader.guide.with(|guide| {
            guide.as_ref().and_then(|guide| guide.steps.get(step).map(|step| step.role))
        });
        exchange.with(|exchange| {
            let badge = exchange.who.badge;
            let (name, of) = (exchange.who.name.to_string(), exchange.who.name.to_string());
            let at = tenths(exchange.sent.since(Instant::EPOCH));
            let is_refused = !exchange.is_waiting() && !is_success(exchange);
            let note = note(words(), reader, exchange, role.map(|role| (role, step)));
            view! {
                <li class=if is_refused { "refused" } else { "" } data-actor=of>
                    <ActorBadge badge/>
                    <span class="visually-hidden">{name}</span>
                    <span class="num quiet">{at}" s"</span>
                    <b class="mono">{answer(words(), exchange)}</b>
                    <span class="guide-note">{note}</span>
                </li>
            }
        })
    };
    Some(line)
}

/// The answer itself.
fn answer(words: &Words, exchange: &Exchange) -> String {
    let outcome = match &exchange.state {
        ExchangeState::Answered { outcome, .. } => outcome,
        ExchangeState::Waiting { until: Some(_) } => return words.guide.waits.to_owned(),
        ExchangeState::Waiting { until: None } => return words.guide.no_answer.to_owned(),
        ExchangeState::Cancelled { at } => return (words.console.cancelled)(*at),
    };
    let view = AnswerView::from(&outcome.response);
    let entries = exchange.call.entries_in(outcome);
    if !entries.is_empty() {
        return (words.guide.keys_read)(entries.len(), view.index.as_deref().unwrap_or_default());
    }
    let body = match &view.body {
        BodyView::Empty => String::new(),
        BodyView::Pretty(text) | BodyView::Text(text) => cut(text),
        BodyView::Bytes { length } => (words.console.bytes)(*length),
    };
    match view.status {
        200 => body,
        status => format!("{status} {} {body}", view.phrase).trim_end().to_owned(),
    }
}

/// What the answer means: the reason of a refusal and the way on, the keys of a list, the label of
/// a new session.
fn note(
    words: &Words,
    reader: GuideReader,
    exchange: &Exchange,
    step: Option<(StepRole, usize)>,
) -> Option<String> {
    let ExchangeState::Answered { outcome, why, .. } = &exchange.state else { return None };
    let reason = why.as_ref().map(words.why);
    // The document is there already, so the sender joins it.
    let next = match step {
        Some((StepRole::CreateLock, step)) if outcome.verdict() == Verdict::False => {
            Some((words.guide.go_on)(step + 2))
        }
        _ => None,
    };
    if reason.is_some() || next.is_some() {
        return Some([reason, next].into_iter().flatten().collect::<Vec<_>>().join(" "));
    }
    let entries = exchange.call.entries_in(outcome);
    if !entries.is_empty() {
        let name = |entry: &Arc<Entry>| {
            let last = entry.key.as_str().rsplit('/').next().unwrap_or_default();
            match reader.terminal.label(last) {
                label if label.is_empty() => last.to_owned(),
                label => label,
            }
        };
        return Some(cut(&entries.iter().map(name).collect::<Vec<_>>().join(", ")));
    }
    let ServerAnswer::Created(id) = outcome.answer.as_ref().ok()?.answer else { return None };
    let label = reader.terminal.label(&id.to_string());
    (!label.is_empty()).then(|| (words.has_session)(&label))
}

/// The beginning of a text, in one line.
fn cut(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(SHOWN) {
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
        assert_eq!(cut(&"键".repeat(200)).chars().count(), SHOWN + 1);
    }
}
