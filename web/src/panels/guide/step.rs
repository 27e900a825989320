//! One command of a guide: its heading, its text with the values of the sender, the button that
//! sends it, and the answers below, one for each sender.

use leptos::html::Li;
use leptos::prelude::*;
use lictor_sandbox::console::{CommandPiece, GuideStep, MissingValue, PieceKind, StepOrigin};
use lictor_sim::record::ExchangeState;
use lictor_sim::record::semaphore_prefix;
use web_sys::{Element, ScrollIntoViewOptions, ScrollLogicalPosition};

use super::answer::Answer;
use super::send_bar::SEND_NEXT;
use crate::components::{Button, Glyph, Icon, with_test_id};
use crate::platform::settings::words;
use crate::state::guide_reader::{GuideReader, SentStep, is_success};

/// The agent of the published guides, which is this page.
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
    Effect::new(move |was: Option<usize>| {
        let count = sent.with(Vec::len);
        if count > was.unwrap_or(count) {
            // The answer is in the document after all effects have run.
            request_animation_frame(move || show(reader, item, sent));
        }
        count
    });
    let role = with_step(reader, step, |step| step.role);
    let origin = with_step(reader, step, |step| step.origin);
    let heading = move || role.map(|role| (words().guide.step)(role));
    let note = move || match origin? {
        StepOrigin::Written => None,
        StepOrigin::Completed => Some(words().guide.completed),
        StepOrigin::Described => Some(words().guide.from_text),
    };
    let label = move || {
        if is_sent.get() {
            format!("{}: {}", words().guide.again, (words().guide.send_step)(number))
        } else {
            (words().guide.send_step)(number)
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
                <ul class="guide-answers" data-testid=format!("guide-answer-{number}")>
                    <For each=move || sent.get() key=|it| it.id.0 let:it>
                        <Answer step sent=it/>
                    </For>
                </ul>
                <Lacking step/>
            </div>
            <Button
                class="btn btn-small btn-line"
                test_id=format!("guide-send-{number}")
                label
                on_press=move || _ = reader.send(step)
            >
                {move || if is_sent.get() { words().guide.again } else { words().guide.send }}
            </Button>
        </li>
    }
}

/// Scrolls a step with its answers into view, and the lane of what it has changed.
fn show(reader: GuideReader, item: NodeRef<Li>, sent: Memo<Vec<SentStep>>) {
    if let Some(last) = sent.try_get_untracked().and_then(|mut sent| sent.pop()) {
        show_lane(reader, &last);
    }
    let Some(item) = item.try_get_untracked().flatten() else { return };
    into_view(&item);
}

/// Scrolls the lane of the key of a request into view; for a semaphore, its slots.
fn show_lane(reader: GuideReader, sent: &SentStep) {
    let Some(exchange) = reader.exchange(sent.id) else { return };
    let key = exchange.with_untracked(|exchange| exchange.call.operation()?.key().cloned());
    let Some(key) = key else { return };
    let lane = match semaphore_prefix(&key) {
        Some(prefix) => format!("lane-slots-{prefix}"),
        None => format!("lane-{key}"),
    };
    if let Some(lane) = with_test_id(&lane) {
        into_view(&lane);
    }
}

fn into_view(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

fn with_step<T>(reader: GuideReader, step: usize, read: impl FnOnce(&GuideStep) -> T) -> Option<T> {
    reader.guide.with_untracked(|guide| guide.as_ref()?.steps.get(step).map(read))
}

/// Whether the last answer was a success, beside the number; nothing while the request waits.
fn mark(reader: GuideReader, step: usize) -> Option<impl IntoView> {
    let last = reader.sent_of(step).pop()?;
    let exchange = reader.exchange(last.id)?;
    if exchange.with(|it| matches!(it.state, ExchangeState::Waiting { .. })) {
        return None;
    }
    let is_success = exchange.with(is_success);
    let (class, glyph) = if is_success {
        ("step-mark is-yes", Glyph::Check)
    } else {
        ("step-mark is-no", Glyph::Cross)
    };
    Some(view! { <span class=class><Icon glyph small=true/></span> })
}

#[component]
fn CommandText(step: usize) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let pieces = Memo::new(move |_| reader.pieces(step));
    let shown = move || pieces.get().into_iter().map(|it| piece(reader, it)).collect_view();
    view! { <code class="guide-command">{shown}</code> }
}

fn piece(reader: GuideReader, CommandPiece { text, kind }: CommandPiece) -> AnyView {
    let class = match kind {
        PieceKind::Written => {
            let text = AGENTS.iter().fold(text, |text, agent| text.replace(agent, "…"));
            return view! { {text} }.into_any();
        }
        PieceKind::Missing(from) => {
            let says = move || match from {
                Some(from) => (words().guide.from_step)(&text, from + 1),
                None => format!("<{text}>"),
            };
            return view! { <span class="value is-missing">{says}</span> }.into_any();
        }
        PieceKind::Filled => "value",
        PieceKind::Composed => "value is-composed",
    };
    let short = shortened(&text, |id| reader.terminal.label(id));
    view! { <span class=class title=text>{short}</span> }.into_any()
}

/// A text with the ids of known sessions as the page calls them.
fn shortened(text: &str, label: impl Fn(&str) -> String) -> String {
    let parts = text.split('"').map(|part| {
        let label = if part.len() == ID_LENGTH { label(part) } else { String::new() };
        if label.is_empty() { part.to_owned() } else { label }
    });
    parts.collect::<Vec<_>>().join("\"")
}

/// The missing values of a step after an attempt to send it, with the steps that provide them.
#[component]
fn Lacking(step: usize) -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let missing = Memo::new(move |_| {
        let is_stopped = reader.stopped.get() == Some(step);
        if is_stopped { reader.missing(step) } else { Vec::new() }
    });
    let lines = move || {
        let missing = missing.get().into_iter();
        let lines = missing.map(|MissingValue { name, from_step }| match from_step {
            Some(from) => offer(reader, name, from).into_any(),
            None => view! { <p>{move || (words().guide.from_nowhere)(&name)}</p> }.into_any(),
        });
        lines.collect_view()
    };
    let test_id = format!("guide-missing-{}", step + 1);
    view! { <div class="guide-missing" role="alert" data-testid=test_id>{lines}</div> }
}

fn offer(reader: GuideReader, name: String, from: usize) -> impl IntoView {
    view! {
        <p>
            {move || (words().guide.from_step)(&name, from + 1)}
            <Button
                class="btn btn-small btn-line"
                test_id="guide-offer"
                focus_fallback=SEND_NEXT
                on_press=move || _ = reader.send(from)
            >
                {move || (words().guide.send_step)(from + 1)}
            </Button>
        </p>
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
        let label = |of: &str| if of == id { "A".to_owned() } else { String::new() };
        assert_eq!(shortened(&id, label), "A");
        let unknown = "b".repeat(ID_LENGTH);
        assert_eq!(
            shortened(&format!("[\"{id}\",\"{unknown}\"]"), label),
            format!("[\"A\",\"{unknown}\"]")
        );
    }
}
