//! The strip under the timeline: why the latest answer was `false`, with what led to it. Before
//! anything has happened it says what to do first.

use lictor_sandbox::actions::ActorAction;
use lictor_sandbox::badge::Badge;
use lictor_sandbox::format::clock;
use lictor_sandbox::history::{CauseStep, EventResult, Explanation, Note};
use lictor_sandbox::i18n::Words;

use crate::desk::Desk;
use crate::parts;
use crate::settings::words;
use crate::ui::{El, Glyph, Part, Text, button, el, icon, live, text, word};
use crate::var::Var;

pub fn why_strip(desk: &'static Desk) -> El {
    let mirror = &desk.runtime.mirror;
    let is_fresh = Var::worked_out(|| mirror.sessions.is_empty() && mirror.keys.is_empty());
    let body = live(move || match mirror.explanation.get() {
        Some(explanation) => explained(words(), &explanation),
        None if is_fresh.get() => start(desk).into(),
        None => remark(word(|words| words.quiet_heading), word(|words| words.quiet_text)).into(),
    });
    el("div", "why").test("why").with(body)
}

fn remark(heading: Text, text: Text) -> El {
    el("p", "").with(el("b", "").with(heading)).with(" ").with(text)
}

fn start(desk: &'static Desk) -> El {
    let first = Badge(0);
    let label = text(move || {
        let actor = desk.runtime.mirror.actors.row(&first);
        let name = actor.map(|row| row.with(|row| row.who.name.to_string()));
        let key = desk.wishes.with(|wishes| wishes.key.clone());
        (words().start_button)(&name.unwrap_or_default(), &key)
    });
    let act = button("btn btn-main", "start", move || {
        desk.carry_out(first, ActorAction::CreateSession);
        desk.carry_out(first, ActorAction::Acquire);
    });
    let act = act.heir("run");
    el("div", "start")
        .with(remark(word(|words| words.start_heading), word(|words| words.start_text)))
        .with(act.with(icon(Glyph::Play)).with(el("span", "").with(label)))
}

fn explained(words: &Words, explanation: &Explanation) -> Part {
    let question = match explanation.reply {
        EventResult::False => (words.last_false)(explanation.at),
        _ => (words.last_error)(explanation.at),
    };
    let key = explanation.key.as_ref().filter(|_| matches!(explanation.note, Note::Reason(_)));
    let key = key.map(|key| parts![el("code", "").with(key.as_str()), ": "]);
    let sentence = el("p", "").test("why-sentence").with(key);
    let sentence = sentence.with((words.note)(&explanation.note));
    let steps = explanation.chain.iter().map(|step| chain_item(words, step));
    let chain = el("ol", "chain").label(words.chain_label).test("chain");
    parts![
        el("div", "").with(el("h3", "").with(question)).with(" ").with(sentence),
        chain.with(steps.collect::<Part>()),
    ]
}

fn chain_item(words: &Words, step: &CauseStep) -> El {
    let moment = |at| format!("{} s", clock(at));
    let (when, what, end) = match step {
        CauseStep::Held { at, label } => (moment(*at), (words.chain_held)(label), None),
        CauseStep::Ended { at, label, cause } => {
            (moment(*at), (words.chain_ended)(label, cause), None)
        }
        CauseStep::LockDelay { at, until, span } => {
            (moment(*at), (words.chain_lock_delay)(*span, *until), None)
        }
        CauseStep::Got { at, actor, reply } => {
            let got = (words.chain_got)(actor.as_str());
            (moment(*at), got, Some((words.reply)(reply)))
        }
    };
    let end = end.map(|end| el("b", "").with(end));
    el("li", "").with(el("span", "when num").with(when)).with(el("span", "").with(what).with(end))
}
