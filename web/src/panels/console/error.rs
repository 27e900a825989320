//! The errors of the console's input: each has the underlined place, a sentence, and a button if
//! the page can mend it.

use leptos::prelude::*;
use lictor_desk::console::{CommandError, ErrorKind, RejectedInput, position_of};

use super::prompt::INPUT;
use crate::components::Button;
use crate::platform::words::console_words;
use crate::state::dispatch::{Dispatch, NewSession};
use crate::state::terminal::Terminal;

#[component]
pub fn InputErrors() -> impl IntoView {
    let terminal = expect_context::<Terminal>();
    move || {
        terminal.rejected.get().map(|rejected| {
            let errors = each_name_once(&rejected.errors).into_iter();
            let items = errors.map(|error| item(&rejected, error)).collect_view();
            view! { <div class="input-faults" role="alert">{items}</div> }
        })
    }
}

fn item(rejected: &RejectedInput, error: CommandError) -> impl IntoView + use<> {
    let position = position_of(&rejected.text, error.span.start);
    let Excerpt { before, marked, after } = Excerpt::of(&rejected.text, &error);
    let fill = match &error.kind {
        ErrorKind::NoValue(name) if rejected.is_session(name) => {
            let name = name.clone();
            Some(view! { <FillButton name/> })
        }
        _ => None,
    };
    let sentence = move || {
        let words = console_words();
        format!("{} {}", (words.place)(position), words.error_text(&error.kind))
    };
    view! {
        <div class="input-fault" data-testid="console-error">
            <code>{before}<mark data-testid="console-mark">{marked}</mark>{after}</code>
            <p>{sentence}</p>
            {fill}
        </div>
    }
}

/// A button that replaces the name by the session of the selected actor, which is created first if
/// there is none.
#[component]
fn FillButton(name: String) -> impl IntoView {
    let terminal = expect_context::<Terminal>();
    let dispatch = expect_context::<Dispatch>();
    let controller = terminal.controller;
    let named = name.clone();
    let label = move || match controller.selected_session() {
        Some(_) => (console_words().use_session)(&named),
        None => console_words().use_new_session.to_owned(),
    };
    let fill = move || {
        let session = untrack(|| controller.selected_session());
        if let Some(id) = session {
            terminal.fill(&name, &id.to_string());
        }
        session.is_some()
    };
    let fill_later = fill.clone();
    let new_session = NewSession::new(dispatch, move |badge| {
        if controller.selected.get_untracked() == badge {
            fill_later();
        }
    });
    let press = move || {
        if !fill() {
            new_session.create(controller.selected.get_untracked());
        }
    };
    view! {
        <Button
            class="btn btn-small btn-line"
            test_id="console-fill"
            disabled=new_session.is_waiting
            focus_fallback=INPUT
            on_press=press
        >
            {label}
        </Button>
    }
}

/// The largest number of errors that are shown.
const ERRORS_MAX: usize = 5;

/// The first errors that differ, so that a name which occurs several times is reported once.
fn each_name_once(errors: &[CommandError]) -> Vec<CommandError> {
    let mut distinct: Vec<CommandError> = Vec::new();
    for error in errors {
        if distinct.len() == ERRORS_MAX {
            break;
        }
        if distinct.iter().all(|other| other.kind != error.kind) {
            distinct.push(error.clone());
        }
    }
    distinct
}

/// The line with the error, in three pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Excerpt {
    before: String,
    marked: String,
    after: String,
}

impl Excerpt {
    fn of(text: &str, error: &CommandError) -> Self {
        let (start, end) = (error.span.start.min(text.len()), error.span.end.min(text.len()));
        let line_end_before = text.get(..start).and_then(|it| it.rfind('\n'));
        let line_start = line_end_before.map_or(0, |end| end + 1);
        let rest = text.get(end..).unwrap_or_default();
        let line_end = end + rest.find('\n').unwrap_or(rest.len());
        let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default().to_owned();
        Self {
            before: tail(&piece(line_start, start)),
            marked: Some(piece(start, end)).filter(|it| !it.is_empty()).unwrap_or(" ".into()),
            after: head(&piece(end, line_end)),
        }
    }
}

/// The largest number of characters that are shown on either side of the error.
const CONTEXT: usize = 40;

fn head(text: &str) -> String {
    match text.char_indices().nth(CONTEXT) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

fn tail(text: &str) -> String {
    match text.char_indices().rev().nth(CONTEXT) {
        Some((cut, _)) => format!("…{}", &text[cut..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn excerpt(text: &str, span: core::ops::Range<usize>) -> (String, String, String) {
        let excerpt = Excerpt::of(text, &CommandError { kind: ErrorKind::Pipe, span });
        (excerpt.before, excerpt.marked, excerpt.after)
    }

    #[test]
    fn an_excerpt_is_the_line_around_the_fault() {
        let pieces = excerpt("one\ncurl | x\ntwo", 9..10);
        assert_eq!(pieces, ("curl ".into(), "|".into(), " x".into()));
    }

    #[test]
    fn a_fault_at_the_end_is_shown_as_a_gap() {
        assert_eq!(excerpt("curl", 4..4), ("curl".into(), " ".into(), String::new()));
        assert_eq!(excerpt("curl", 90..99), ("curl".into(), " ".into(), String::new()));
    }

    #[test]
    fn long_lines_are_cut_between_characters() {
        let (before, _, after) = excerpt(&"键".repeat(200), 300..303);
        assert_eq!(before.chars().count(), CONTEXT + 2);
        assert_eq!(after.chars().count(), CONTEXT + 1);
    }
}
