//! The console: what was sent and what came back, and a line to send the next request as the
//! selected actor. Requests of the page's buttons are shown as the commands that make them.

pub mod entry;
pub mod error;
pub mod offers;
pub mod prompt;
pub mod terminal;

use std::rc::Rc;

use leptos_dom::helpers::window;

use crate::desk::Desk;
use crate::parts;
use crate::ui::{
    Choices, El, Glyph, after_effects, button, each, effect, el, icon, live, segments, word,
};
use crate::var::Var;

use entry::entry;
use error::errors;
use prompt::prompt;
use terminal::Terminal;

/// How commands are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As they were typed; those of buttons as curl.
    Curl,
    Http,
}

/// The form that is chosen.
type Chosen = Rc<Var<Form>>;

pub fn console(desk: &'static Desk, terminal: &'static Terminal) -> El {
    let form = Rc::new(Var::new(Form::Curl));
    let panel = el("section", "panel console").attr("id", "console").test("console");
    panel.attr("aria-labelledby", "h-console").with(parts![
        head(terminal, form.clone()),
        transcript(terminal, form),
        errors(terminal, desk),
        prompt(terminal, desk),
    ])
}

fn head(terminal: &'static Terminal, form: Chosen) -> El {
    let shown = form.clone();
    let copy = move || {
        if let Some(text) = terminal.last_command(shown.now()) {
            // Where the browser refuses, the text can still be selected and copied by hand.
            let _ = window().navigator().clipboard().write_text(&text);
        }
    };
    let copy = button("btn btn-icon btn-small", "console-copy", copy)
        .disabled(|| terminal.listed().is_empty())
        .label(word(|words| words.console.copy))
        .title(word(|words| words.console.copy));
    let heading = el("h2", "").attr("id", "h-console");
    el("div", "head").with(parts![
        heading.with(word(|words| words.console.heading)),
        segments("seg-small push", word(|words| words.console.form), forms(form)),
        copy.with(icon(Glyph::Copy)),
    ])
}

fn forms(form: Chosen) -> Choices {
    let options = [
        (Form::Curl, word(|words| words.console.form_curl), "console-form-curl"),
        (Form::Http, word(|words| words.console.form_http), "console-form-http"),
    ];
    let shown = form.clone();
    Choices::of(options, move || shown.get(), move |picked| form.set(picked))
}

fn transcript(terminal: &'static Terminal, form: Chosen) -> El {
    let entries = each(
        || terminal.listed(),
        |(number, version)| format!("{number}.{version}"),
        move |(number, _)| entry(terminal, form.clone(), *number),
    );
    let empty = live(|| {
        let text = || el("span", "quiet").with(word(|words| words.console.empty));
        terminal.listed().is_empty().then(text)
    });
    let list = el("pre", "").attr("tabindex", "0").attr("role", "group");
    let list = list.attr("aria-labelledby", "h-console");
    let list = list.test("console-transcript").with(empty).with(entries);
    let scrolled = list.node().clone();
    effect(move || {
        terminal.listed();
        // The new entry is in the document only after all effects have run.
        let scrolled = scrolled.clone();
        after_effects(move || scrolled.set_scroll_top(scrolled.scroll_height()));
    });
    list
}
