//! Where the next command is written, and the deeds of the selected actor beside it.

use leptos::ev::KeyboardEvent;
use leptos::html::Textarea;
use leptos::prelude::*;

use super::terminal::Terminal;
use crate::console::is_unfinished;
use crate::deeds::Deed;
use crate::desk::Desk;
use crate::settings::{use_settings, word};
use crate::text::Words;
use crate::ui::{Glyph, Icon, Tag, TagLook, holds, live, text};

/// The input grows with its lines, up to this many.
const LINES: usize = 8;

/// A button: what it does, its words, its test id.
type Button = (Deed, fn(&Words) -> &'static str, &'static str);

const DEEDS: [Button; 4] = [
    (Deed::Acquire, |words| words.acquire, "console-acquire"),
    (Deed::Release, |words| words.release, "console-release"),
    (Deed::Renew, |words| words.renew, "console-renew"),
    (Deed::Destroy, |words| words.destroy, "console-destroy"),
];

#[component]
pub fn Prompt(terminal: Terminal, desk: Desk) -> impl IntoView {
    let runtime = terminal.runtime;
    let badge = live(move || {
        let actor = runtime.selected_actor()?;
        Some(view! { <Tag badge=actor.who.badge look=TagLook::Small/> })
    });
    let is_empty = holds(move || terminal.input.with(|input| input.trim().is_empty()));
    let deeds = DEEDS.map(|(deed, words, test_id)| {
        view! { <DeedButton terminal desk deed words test_id/> }.into_any()
    });
    view! {
        <div class="prompt">
            <span class="prompt-line">
                {badge}
                <span class="ps mono" aria-hidden="true">"$"</span>
                <Input terminal/>
                <button
                    class="btn btn-icon btn-small"
                    type="button"
                    disabled=is_empty
                    aria-label=word(|words| words.console.send)
                    title=word(|words| words.console.send)
                    on:click=move |_| terminal.send()
                    data-testid="console-send"
                >
                    <Icon glyph=Glyph::Play/>
                </button>
            </span>
            <span class="deeds">{deeds.into_iter().collect_view()}</span>
        </div>
    }
}

#[component]
fn Input(terminal: Terminal) -> impl IntoView {
    let settings = use_settings();
    let area = NodeRef::<Textarea>::new();
    let label = text(move || {
        let name = terminal.runtime.selected_actor().map(|actor| actor.who.name.to_string());
        (settings.words().console.command_for)(&name.unwrap_or_default())
    });
    let rows = text(move || {
        let lines = terminal.input.with(|input| input.split('\n').count());
        lines.clamp(1, LINES).to_string()
    });
    let on_key = move |event: KeyboardEvent| {
        let Some(area) = area.get_untracked() else { return };
        let text = area.value();
        let caret = area.selection_start().ok().flatten().unwrap_or_default() as usize;
        if let Some(key) = key_of(&event, &text, caret) {
            event.prevent_default();
            act(terminal, key);
        }
    };
    view! {
        <textarea
            node_ref=area
            rows=rows
            spellcheck="false"
            autocomplete="off"
            autocapitalize="off"
            aria-label=label
            placeholder=word(|words| words.console.placeholder)
            prop:value=text(move || terminal.input.get())
            on:input=move |event| terminal.edited(event_target_value(&event))
            on:keydown=on_key
            data-testid="console-input"
        ></textarea>
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Send,
    Older,
    Newer,
}

/// What a key means in the input; none leaves it to the browser. Keys that an input method takes
/// for itself are its own.
fn key_of(event: &KeyboardEvent, text: &str, caret: usize) -> Option<Key> {
    if event.is_composing() || event.shift_key() {
        return None;
    }
    match event.key().as_str() {
        "Enter" if event.ctrl_key() || !is_unfinished(text) => Some(Key::Send),
        "ArrowUp" if is_on_first_line(text, caret) => Some(Key::Older),
        "ArrowDown" if is_on_last_line(text, caret) => Some(Key::Newer),
        _ => None,
    }
}

fn act(terminal: Terminal, key: Key) {
    match key {
        Key::Send => terminal.send(),
        Key::Older => terminal.older(),
        Key::Newer => terminal.newer(),
    }
}

/// The browser counts the caret in UTF-16 units.
fn is_on_first_line(text: &str, caret: usize) -> bool {
    !text.encode_utf16().take(caret).any(|unit| unit == u16::from(b'\n'))
}

fn is_on_last_line(text: &str, caret: usize) -> bool {
    !text.encode_utf16().skip(caret).any(|unit| unit == u16::from(b'\n'))
}

#[component]
fn DeedButton(
    terminal: Terminal,
    desk: Desk,
    deed: Deed,
    words: fn(&Words) -> &'static str,
    test_id: &'static str,
) -> impl IntoView {
    let runtime = terminal.runtime;
    let is_off = holds(move || {
        let session = runtime.selected_session();
        desk.wishes.with(|wishes| !deed.is_possible(session, wishes))
    });
    view! {
        <button
            class="btn btn-small btn-line"
            type="button"
            disabled=is_off
            on:click=move |_| desk.carry_out(runtime, runtime.selected.get_untracked(), deed)
            data-testid=test_id
        >
            {word(words)}
        </button>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
