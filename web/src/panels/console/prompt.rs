//! The input for the next command with its completions, and below it the buttons that send the
//! selected actor's requests.

use leptos::html::Textarea;
use leptos::prelude::*;
use lictor_desk::actions::ActorAction;
use lictor_desk::console::is_unfinished;
use lictor_desk::direction::Direction;
use web_sys::{HtmlTextAreaElement, KeyboardEvent, PointerEvent};

use crate::components::{ActorBadge, Button, Glyph, IconButton, PageIds};
use crate::panels::sender_fault::SenderFault;
use crate::platform::words::{Word, console_words, words};
use crate::signals::SetIfChanged;
use crate::state::dispatch::Dispatch;
use crate::state::terminal::Terminal;

/// The test id of the input.
pub const INPUT: &str = "console-input";
/// The id of the list of completions.
const LIST: &str = "completions";
/// The number of lines up to which the input grows.
const LINES: usize = 8;

/// A button: its action, its text, its test id.
type ActionText = (ActorAction, Word, &'static str);

const ACTIONS: [ActionText; 4] = [
    (ActorAction::Acquire, || words().acquire, "console-acquire"),
    (ActorAction::Release, || words().release, "console-release"),
    (ActorAction::Renew, || words().renew, "console-renew"),
    (ActorAction::Destroy, || words().destroy, "console-destroy"),
];

#[component]
pub fn Prompt() -> impl IntoView {
    let terminal = expect_context::<Terminal>();
    let selected =
        Memo::new(move |_| terminal.controller.selected_actor().map(|actor| actor.badge));
    let badge = move || selected.get().map(|badge| view! { <ActorBadge badge=Some(badge)/> });
    let is_empty = Memo::new(move |_| terminal.input.with(|input| input.trim().is_empty()));
    let actions = ACTIONS.map(|text| view! { <ActionButton text/> });
    view! {
        <div class="prompt">
            <SenderFault panel="console"/>
            <span class="prompt-line">
                {badge}
                <span class="ps mono" aria-hidden="true">"$"</span>
                <Input/>
                <Completions/>
                <IconButton
                    glyph=Glyph::Play
                    class="btn btn-icon btn-small"
                    test_id="console-send"
                    label=move || console_words().send
                    disabled=is_empty
                    on_press=move || terminal.send()
                />
            </span>
            <span class="deeds">{actions.into_iter().collect_view()}</span>
        </div>
    }
}

#[component]
fn Input() -> impl IntoView {
    let terminal = expect_context::<Terminal>();
    let area = NodeRef::<Textarea>::new();
    let ids = PageIds::of_page();
    let label = move || {
        let name = terminal.controller.selected_actor().map(|actor| actor.name.to_string());
        (console_words().command_for)(&name.unwrap_or_default())
    };
    let rows = move || {
        let lines = terminal.input.with(|input| input.split('\n').count());
        lines.clamp(1, LINES).to_string()
    };
    let chosen = move || {
        let chosen = terminal.completion.get().and_then(|completion| completion.chosen);
        chosen.map(|index| item_id(ids, index)).unwrap_or_default()
    };
    let controls = move || {
        let is_open = terminal.completion.with(Option::is_some);
        if is_open { ids.of(LIST) } else { String::new() }
    };
    let write = move |_| {
        let Some(area) = area.get_untracked() else { return };
        terminal.write(&area.value());
        if caret(&area) == area.text_length() {
            terminal.look();
        }
    };
    let press = move |event: KeyboardEvent| {
        let Some(area) = area.get_untracked() else { return };
        // Keys of an input method, and those with Shift, belong to the browser.
        if !event.is_composing()
            && !event.shift_key()
            && (press_in_list(&event, terminal) || press_in_input(&event, terminal, &area))
        {
            event.prevent_default();
        }
    };
    view! {
        <textarea
            node_ref=area
            rows=rows
            spellcheck="false"
            autocomplete="off"
            autocapitalize="off"
            aria-autocomplete="list"
            aria-controls=controls
            aria-activedescendant=chosen
            aria-label=label
            data-testid=INPUT
            placeholder=move || console_words().placeholder
            prop:value=move || terminal.input.get()
            on:blur=move |_| terminal.completion.set_if_changed(None)
            on:input=write
            on:keydown=press
        ></textarea>
    }
}

/// The id of a completion.
fn item_id(ids: PageIds, index: usize) -> String {
    ids.of(&format!("{LIST}-{index}"))
}

/// The list of completions above the input. Tab takes the first one, or the one that the arrow keys
/// have selected; Escape closes the list.
#[component]
fn Completions() -> impl IntoView {
    let terminal = expect_context::<Terminal>();
    let ids = PageIds::of_page();
    move || {
        let completions = terminal.completion.get()?;
        let items = completions.texts.iter().enumerate().map(|(index, text)| {
            let take = move |event: PointerEvent| {
                // A press would move the focus from the input to the list.
                event.prevent_default();
                terminal.take(index);
            };
            view! {
                <li
                    id=item_id(ids, index)
                    role="option"
                    aria-selected=(completions.chosen == Some(index)).to_string()
                    on:pointerdown=take
                >
                    {text.clone()}
                    <span class="quiet">{terminal.label(text)}</span>
                </li>
            }
        });
        Some(view! {
            <ul
                class="completions"
                id=ids.of(LIST)
                role="listbox"
                data-testid=ids.of(LIST)
                aria-label=move || console_words().completions
            >
                {items.collect_view()}
            </ul>
        })
    }
}

/// The position of the caret in UTF-16 units.
fn caret(area: &HtmlTextAreaElement) -> u32 {
    area.selection_start().ok().flatten().unwrap_or_default()
}

/// Carries out a key of the open list of completions; returns false for any other key. Enter takes
/// a completion only if the arrow keys have selected one.
fn press_in_list(event: &KeyboardEvent, terminal: Terminal) -> bool {
    let Some(completion) = terminal.completion.get_untracked() else { return false };
    match (event.key().as_str(), completion.chosen) {
        ("ArrowUp", _) => terminal.choose(Direction::Back),
        ("ArrowDown", _) => terminal.choose(Direction::Forward),
        ("Tab", chosen) => terminal.take(chosen.unwrap_or_default()),
        ("Enter", Some(chosen)) => terminal.take(chosen),
        ("Escape", _) => terminal.completion.set_if_changed(None),
        _ => return false,
    }
    true
}

/// Carries out a key of the input; returns false for a key that is left to the browser.
fn press_in_input(event: &KeyboardEvent, terminal: Terminal, area: &HtmlTextAreaElement) -> bool {
    let (text, caret) = (area.value(), caret(area) as usize);
    match event.key().as_str() {
        "Enter" if event.ctrl_key() || !is_unfinished(&text) => terminal.send(),
        "ArrowUp" if is_on_first_line(&text, caret) => terminal.older(),
        "ArrowDown" if is_on_last_line(&text, caret) => terminal.newer(),
        _ => return false,
    }
    true
}

/// Whether a caret, in UTF-16 units, is on the first line of a text.
fn is_on_first_line(text: &str, caret: usize) -> bool {
    !text.encode_utf16().take(caret).any(|unit| unit == u16::from(b'\n'))
}

/// Whether a caret, in UTF-16 units, is on the last line of a text.
fn is_on_last_line(text: &str, caret: usize) -> bool {
    !text.encode_utf16().skip(caret).any(|unit| unit == u16::from(b'\n'))
}

#[component]
fn ActionButton(text: ActionText) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let controller = dispatch.controller;
    let (action, label, test_id) = text;
    let is_off = Memo::new(move |_| {
        let session = controller.selected_session();
        dispatch.form.with(|form| !action.is_possible(session, form))
    });
    view! {
        <Button
            class="btn btn-small btn-line"
            test_id
            disabled=Signal::from(is_off)
            on_press=move || {
                dispatch.carry_out(controller.selected.get_untracked(), action);
            }
        >
            {move || label()}
        </Button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn the_arrows_recall_only_at_the_edges_of_the_text() {
        let text = "键one\ntwo";
        assert!(is_on_first_line(text, 4));
        assert!(!is_on_first_line(text, 5));
        assert!(!is_on_last_line(text, 4));
        assert!(is_on_last_line(text, 5));
        assert!(is_on_first_line("", 0) && is_on_last_line("", 0));
    }
}
