//! One step of a guide: its heading, its command with the values of the sender, the button that
//! sends it, and below it the answers, one for each sender.

use leptos::html::Li;
use leptos::prelude::*;
use lictor_core::message::Answer as ServerAnswer;
use lictor_desk::console::{
    CommandPiece, GuideStep, MissingValue, PieceKind, SentCommand, StepOrigin, StepProblem,
    StepResult, ValueSource, file_of,
};
use lictor_sim::record::{Exchange, ExchangeState, semaphore_prefix};
use web_sys::{Element, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::answer::Answer;
use super::send_bar::SEND_NEXT;
use crate::components::{Button, Glyph, Icon, with_attribute, with_test_id};
use crate::platform::words::{console_words, guide_words};
use crate::state::guide_reader::{GuideReader, SentStep};

/// The addresses of the agent in published guides. A command is shown without them, as its agent is
/// this page.
const AGENTS: [&str; 2] = ["http://localhost:8500", "http://127.0.0.1:8500"];
/// The length of a session's id.
const ID_LENGTH: usize = 36;

#[component]
pub fn Step(step: usize) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let number = step + 1;
    let is_next = Memo::new(move |_| reader.next_step() == step);
    let sent = Memo::new(move |_| reader.sent_of(step));
    let is_sent = Memo::new(move |_| {
        let sender = reader.sender().map(|sender| sender.name);
        sent.with(|sent| sent.iter().any(|it| Some(&it.sender) == sender.as_ref()))
    });
    let item = NodeRef::<Li>::new();
    Effect::new(move |before: Option<Vec<SentStep>>| {
        let sent_now = sent.get();
        let is_new = |it: &SentStep| before.is_some_and(|before| !before.contains(it));
        if sent_now.last().is_some_and(is_new) {
            // The answer is in the document after all effects have run.
            request_animation_frame(move || show(reader, item, sent));
        }
        sent_now
    });
    let role = with_step(reader, step, |step| step.role);
    let origin = with_step(reader, step, |step| step.origin);
    let heading = move || role.map(|role| (guide_words().step)(role));
    let note = move || match origin? {
        StepOrigin::Written => None,
        StepOrigin::Completed => Some(guide_words().completed),
        StepOrigin::Described => Some(guide_words().from_text),
    };
    let is_impossible = Memo::new(move |_| reader.is_impossible(step));
    let label = move || {
        if is_sent.get() {
            format!("{}: {}", guide_words().again, (guide_words().send_step)(number))
        } else {
            (guide_words().send_step)(number)
        }
    };
    view! {
        <li
            node_ref=item
            class="step"
            data-testid=format!("guide-step-{number}")
            aria-current=move || is_next.get().then_some("step")
        >
            <span class="step-number">
                <b class="num">{number}</b>
                {move || mark(reader, step)}
            </span>
            <div>
                <h3>
                    {heading}
                    {move || note().map(|note| view! { <small class="quiet">{note}</small> })}
                </h3>
                <CommandText step/>
                <Notes step/>
                <HeldAlready step is_sent/>
                <Answers step sent/>
                <Lacking step/>
            </div>
            <Button
                class="btn btn-small btn-line"
                test_id=format!("guide-send-{number}")
                label
                disabled=is_impossible
                on_press=move || _ = reader.send(step)
            >
                {move || if is_sent.get() { guide_words().again } else { guide_words().send }}
            </Button>
        </li>
    }
}

/// The sentences for the parts of the line that are not carried out.
#[component]
fn Notes(step: usize) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let notes = with_step(reader, step, |step| step.command.notes.clone()).unwrap_or_default();
    let notes = notes.into_iter().map(|note| {
        let text = move || console_words().note_text(&note);
        view! { <p class="guide-note">{text}</p> }
    });
    notes.collect_view()
}

/// The note, at a step that takes a slot, that its sender has one already.
#[component]
fn HeldAlready(step: usize, is_sent: Memo<bool>) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let is_retake = Memo::new(move |_| !is_sent.get() && reader.retakes(step));
    let note = || view! { <p class="guide-note">{move || guide_words().held_already}</p> };
    move || is_retake.get().then(note)
}

/// The answers to a step, one for each sender.
#[component]
fn Answers(step: usize, sent: Memo<Vec<SentStep>>) -> impl IntoView {
    view! {
        <ul class="guide-answers" data-testid=format!("guide-answer-{}", step + 1)>
            <For
                each=move || sent.get()
                key=|it| format!("{} {:?}", it.sender, it.sent)
                let:it
            >
                <Answer sent=it/>
            </For>
        </ul>
    }
}

/// Scrolls a step with its answers into view, and the lane and the card that show its effect. The
/// list of events follows its end by itself.
fn show(reader: GuideReader, item: NodeRef<Li>, sent: Memo<Vec<SentStep>>) {
    if let Some(last) = sent.try_get_untracked().and_then(|mut sent| sent.pop()) {
        show_changed(reader, &last);
    }
    let Some(item) = item.try_get_untracked().flatten() else { return };
    into_view(&item);
    // A step may be higher than the panel.
    if let Ok(Some(answers)) = item.query_selector(".guide-answers") {
        into_view(&answers);
    }
}

/// Scrolls the lane and the card of the lock, semaphore or session of a request into view.
fn show_changed(reader: GuideReader, sent: &SentStep) {
    let SentCommand::Request(request) = &sent.sent else { return };
    let Some(exchange) = reader.exchange(request) else { return };
    let parts = exchange.with_untracked(|exchange| lane_and_card(reader, exchange));
    parts.into_iter().flatten().flatten().for_each(|part| into_view(&part));
}

/// The lane and the card of the semaphore or the lock of a request, or of the session that it has
/// created; each only if it is in the document.
fn lane_and_card(reader: GuideReader, exchange: &Exchange) -> Option<[Option<Element>; 2]> {
    if let Some(key) = exchange.call.operation().and_then(|operation| operation.key()) {
        return Some(match semaphore_prefix(key) {
            Some(prefix) => [
                with_test_id(&format!("lane-slots-{prefix}")),
                with_attribute("data-prefix", prefix.as_str()),
            ],
            None => {
                [with_test_id(&format!("lane-{key}")), with_attribute("data-key", key.as_str())]
            }
        });
    }
    let ExchangeState::Answered { outcome, .. } = &exchange.state else { return None };
    let ServerAnswer::Created(id) = outcome.answer.as_ref().ok()?.answer else { return None };
    let label = reader.terminal.label(&id.to_string());
    let [lane, card] = [format!("lane-session-{label}"), format!("session-{label}")];
    Some([with_test_id(&lane), with_test_id(&card)])
}

/// Scrolls an element into view; if it is higher than its panel, its beginning.
fn into_view(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    for it in [Some(element.clone()), element.first_element_child()].into_iter().flatten() {
        it.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// A property of a step; `None` if the guide has no such step.
fn with_step<T>(reader: GuideReader, step: usize, read: impl FnOnce(&GuideStep) -> T) -> Option<T> {
    reader.guide.with_untracked(|guide| guide.as_ref()?.steps.get(step).map(read))
}

/// The sign beside the number: whether the last answer was a success; `None` before the step is
/// sent and while its answer is awaited.
fn mark(reader: GuideReader, step: usize) -> Option<impl IntoView> {
    let (class, glyph) = match reader.result_of(&reader.sent_of(step).pop()?) {
        StepResult::Waiting => return None,
        StepResult::Done => ("step-mark is-yes", Glyph::Check),
        StepResult::Refused => ("step-mark is-no", Glyph::Cross),
    };
    Some(view! { <span class=class><Icon glyph small=true/></span> })
}

/// The command as the sender has sent it; before that, the one that it would send.
#[component]
fn CommandText(step: usize) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let pieces = Memo::new(move |_| reader.pieces(step));
    let sent = Memo::new(move |_| {
        let sender = reader.sender()?.name;
        reader.sent_of(step).into_iter().rfind(|it| it.sender == sender).map(|it| it.pieces)
    });
    let text = move |pieces: Vec<CommandPiece>| {
        pieces.into_iter().map(|it| piece(reader, it)).collect_view()
    };
    let test_id = format!("guide-command-{}", step + 1);
    view! {
        <code class="guide-command" data-testid=test_id>
            {move || text(sent.get().unwrap_or_else(|| pieces.get()))}
        </code>
    }
}

fn piece(reader: GuideReader, CommandPiece { text, kind }: CommandPiece) -> AnyView {
    let class = match kind {
        PieceKind::Written => {
            let text = AGENTS.iter().fold(text, |text, agent| text.replace(agent, "…"));
            return view! { {text} }.into_any();
        }
        PieceKind::Missing(from) => {
            let placeholder = move || match from {
                Some(from) => (guide_words().from_step)(&text, from + 1),
                None => format!("<{}>", text.trim_start_matches(['@', '$', '('])),
            };
            return view! { <span class="value is-missing">{placeholder}</span> }.into_any();
        }
        PieceKind::Filled => "value",
        PieceKind::Composed => "value is-composed",
    };
    let short = shortened(&text, |id| reader.terminal.label(id));
    view! { <span class=class title=text>{short}</span> }.into_any()
}

/// A text in which the quoted ids of known sessions are replaced by their labels.
fn shortened(text: &str, label: impl Fn(&str) -> String) -> String {
    let parts = text.split('"').map(|part| {
        let label = if part.len() == ID_LENGTH { label(part) } else { String::new() };
        if label.is_empty() { part.to_owned() } else { label }
    });
    parts.collect::<Vec<_>>().join("\"")
}

/// Why a step cannot be sent: the values that were missing when it was tried, with the steps that
/// provide them, no free or held slot, or a fault in its text.
#[component]
fn Lacking(step: usize) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let problem = Memo::new(move |_| {
        let is_stopped = reader.stopped.get() == Some(step);
        reader.problem(step).filter(|_| is_stopped || reader.is_impossible(step))
    });
    let lines = move || {
        let lines = problem_lines(&problem.get()?).into_iter();
        let lines = lines.map(|(text, step)| {
            let other = step.map(|step| view! { <SendOther step/> });
            view! { <p>{text} {other}</p> }
        });
        Some(lines.collect_view())
    };
    let test_id = format!("guide-missing-{}", step + 1);
    view! { <div class="guide-missing" role="alert" data-testid=test_id>{lines}</div> }
}

/// The reasons why a step cannot be sent, each with the step that provides what is missing.
pub fn problem_lines(problem: &StepProblem) -> Vec<(String, Option<usize>)> {
    let words = guide_words();
    match problem {
        StepProblem::Missing(missing) => {
            let lines = missing.iter().map(|MissingValue { name, source }| {
                let name = file_of(name).unwrap_or(name);
                match *source {
                    ValueSource::Step(from) => ((words.from_step)(name, from + 1), Some(from)),
                    ValueSource::Reader => ((words.enter_above)(name), None),
                }
            });
            lines.collect()
        }
        StepProblem::NoFreeSlot { limit, watch } => {
            vec![((words.no_free_slot)(*limit, watch.map(|step| step + 1)), *watch)]
        }
        StepProblem::NoSlotHeld => vec![(words.no_slot_held.to_owned(), None)],
        StepProblem::Faulty(kind) => vec![(console_words().error_text(kind), None)],
    }
}

/// The button of another step, on which this one depends.
#[component]
fn SendOther(step: usize) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    view! {
        <Button
            class="btn btn-small btn-line"
            test_id="guide-prompt"
            focus_fallback=SEND_NEXT
            on_press=move || _ = reader.send(step)
        >
            {move || (guide_words().send_step)(step + 1)}
        </Button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn ids_of_known_sessions_are_shown_as_labels() {
        let id = "a".repeat(ID_LENGTH);
        let label = |part: &str| if part == id { "A".to_owned() } else { String::new() };
        assert_eq!(shortened(&id, label), "A");
        let unknown = "b".repeat(ID_LENGTH);
        assert_eq!(
            shortened(&format!("[\"{id}\",\"{unknown}\"]"), label),
            format!("[\"A\",\"{unknown}\"]")
        );
    }
}
