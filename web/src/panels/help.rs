//! The help: what the page is and which keys it knows.

use leptos_dom::helpers::event_target_checked;
use lictor_sandbox::i18n::Word;
use lictor_sandbox::settings::Switch;

use crate::keys::HELP;
use crate::parts;
use crate::settings::{Settings, settings};
use crate::ui::{El, Part, el, popover, word};
use crate::var::Var;

/// Each key with what it does, in the order of the help.
const KEYS: [(&str, Word); 21] = [
    ("Space", |words| words.key_run),
    ("→", |words| words.key_next),
    ("←", |words| words.past.key_previous),
    ("Shift → ←", |words| words.key_second),
    ("PgUp PgDn", |words| words.past.key_tenth),
    ("Home End", |words| words.past.key_ends),
    ("+ −", |words| words.view.key_zoom),
    ("0", |words| words.view.key_all),
    ("T", |words| words.view.key_axis),
    ("N P", |words| words.past.key_problem),
    ("1–9", |words| words.key_actor),
    ("A", |words| words.key_acquire),
    ("R", |words| words.key_release),
    ("W", |words| words.key_renew),
    ("D", |words| words.key_destroy),
    ("H", |words| words.key_health),
    ("G", |words| words.world.pause_hint),
    ("X", |words| words.world.cut_hint),
    ("C", |words| words.past.compare),
    ("/", |words| words.key_filter),
    ("?", |words| words.key_help),
];

pub fn help() -> El {
    let rows = KEYS.iter().map(|&(key, says)| {
        let name = el("dt", "").with(el("kbd", "").with(key));
        el("div", "").with(name).with(el("dd", "").with(word(says)))
    });
    popover(HELP, "help", word(|words| words.help_heading)).with(parts![
        el("p", "").with(word(|words| words.help_intro)),
        el("dl", "").with(Part::from_iter(rows)),
        el("p", "quiet").with(word(|words| words.help_keys)),
        switch("single-keys", |it| &it.single_keys, Settings::choose_single_keys)
            .with(word(|words| words.help_single_keys)),
        switch("voice", |it| &it.voice, Settings::choose_voice)
            .with(word(|words| words.help_voice)),
    ])
}

/// A setting that is on or off.
fn switch(test_id: &str, of: fn(&Settings) -> &Var<Switch>, choose: fn(&Settings, Switch)) -> El {
    let toggle = el("input", "").attr("type", "checkbox").test(test_id);
    let toggle = toggle.flag("checked", move || of(settings()).get() == Switch::On);
    let toggle = toggle.on("change", move |event| {
        choose(settings(), if event_target_checked(event) { Switch::On } else { Switch::Off });
    });
    el("label", "switch").with(toggle)
}
