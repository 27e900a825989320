//! Where the next command is written, and the deeds of the selected actor beside it.

use lictor_sandbox::actions::ActorAction;
use lictor_sandbox::console::is_unfinished;
use lictor_sandbox::i18n::Word;
use lictor_sim::timeline::Direction;
use wasm_bindgen::JsCast;
use web_sys::{HtmlTextAreaElement, KeyboardEvent};

use super::offers::{offering, offers};
use super::terminal::Terminal;
use crate::desk::Desk;
use crate::parts;
use crate::settings::words;
use crate::ui::{El, Glyph, Part, button, el, icon, live, small_tag, text, word};

/// The test id of the input.
pub const INPUT: &str = "console-input";
/// The input grows with its lines, up to this many.
const LINES: usize = 8;

/// A button: what it does, its words, its test id.
type Button = (ActorAction, Word, &'static str);

const DEEDS: [Button; 4] = [
    (ActorAction::Acquire, |words| words.acquire, "console-acquire"),
    (ActorAction::Release, |words| words.release, "console-release"),
    (ActorAction::Renew, |words| words.renew, "console-renew"),
    (ActorAction::Destroy, |words| words.destroy, "console-destroy"),
];

pub fn prompt(terminal: &'static Terminal, desk: &'static Desk) -> El {
    let runtime = terminal.runtime;
    let badge = live(|| runtime.selected_actor().map(|who| small_tag(who.badge)));
    let send = button("btn btn-icon btn-small", "console-send", || terminal.send())
        .disabled(|| terminal.input.with(|input| input.trim().is_empty()))
        .label(word(|words| words.console.send))
        .title(word(|words| words.console.send));
    let line = el("span", "prompt-line").with(parts![
        badge,
        el("span", "ps mono").attr("aria-hidden", "true").with("$"),
        input(terminal),
        offers(terminal),
        send.with(icon(Glyph::Play)),
    ]);
    let deeds = DEEDS.iter().map(|deed| deed_button(desk, *deed));
    el("div", "prompt").with(line).with(el("span", "deeds").with(Part::from_iter(deeds)))
}

fn input(terminal: &'static Terminal) -> El {
    let label = text(|| {
        let name = terminal.runtime.selected_actor().map(|who| who.name.to_string());
        (words().console.command_for)(&name.unwrap_or_default())
    });
    let rows = text(|| {
        let lines = terminal.input.with(|input| input.split('\n').count());
        lines.clamp(1, LINES).to_string()
    });
    let input = el("textarea", "").attr("rows", rows).attr("spellcheck", "false");
    let input = input.attr("autocomplete", "off").attr("autocapitalize", "off");
    let area: HtmlTextAreaElement = input.node().clone().unchecked_into();
    let http_text = area.clone();
    offering(input, terminal)
        .label(label)
        .test(INPUT)
        .attr("placeholder", word(|words| words.console.placeholder))
        .value(text(|| terminal.input.get()))
        .on("input", move |_| {
            terminal.write(&http_text.value());
            if caret(&http_text) == http_text.text_length() {
                terminal.look();
            }
        })
        .on("keydown", move |event| {
            let event: &KeyboardEvent = event.unchecked_ref();
            let offered = || offered_key(event, terminal);
            let at = caret(&area) as usize;
            if let Some(key) = offered().or_else(|| key_of(event, &area.value(), at)) {
                event.prevent_default();
                act(terminal, key);
            }
        })
}

/// Where the caret is, in UTF-16 units.
fn caret(area: &HtmlTextAreaElement) -> u32 {
    area.selection_start().ok().flatten().unwrap_or_default()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Send,
    Older,
    Newer,
    /// Those of the list over the input.
    Choose(Direction),
    Take(usize),
    Close,
}

/// What a key means to the list over the input, while there is one. Enter takes only what the
/// arrows went to.
fn offered_key(event: &KeyboardEvent, terminal: &Terminal) -> Option<Key> {
    let chosen = terminal.offer.now()?.chosen;
    match event.key().as_str() {
        _ if event.is_composing() || event.shift_key() => None,
        "ArrowUp" => Some(Key::Choose(Direction::Back)),
        "ArrowDown" => Some(Key::Choose(Direction::Forward)),
        "Tab" => Some(Key::Take(chosen.unwrap_or_default())),
        "Enter" => chosen.map(Key::Take),
        "Escape" => Some(Key::Close),
        _ => None,
    }
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

fn act(terminal: &Terminal, key: Key) {
    match key {
        Key::Send => terminal.send(),
        Key::Older => terminal.older(),
        Key::Newer => terminal.newer(),
        Key::Choose(direction) => terminal.choose(direction),
        Key::Take(place) => terminal.take(place),
        Key::Close => terminal.offer.show(None),
    }
}

/// The browser counts the caret in UTF-16 units.
fn is_on_first_line(text: &str, caret: usize) -> bool {
    !text.encode_utf16().take(caret).any(|unit| unit == u16::from(b'\n'))
}

fn is_on_last_line(text: &str, caret: usize) -> bool {
    !text.encode_utf16().skip(caret).any(|unit| unit == u16::from(b'\n'))
}

fn deed_button(desk: &'static Desk, (deed, words, test_id): Button) -> El {
    let runtime = desk.runtime;
    let act = move || desk.carry_out(runtime.selected.now(), deed);
    let is_off = move || {
        let session = runtime.selected_session();
        desk.wishes.with(|wishes| !deed.is_possible(session, wishes))
    };
    button("btn btn-small btn-line", test_id, act).disabled(is_off).with(word(words))
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
