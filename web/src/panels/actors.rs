//! The actors: who takes part, what each holds, and the buttons for what the guides do. Below 1024
//! px the panel is a sheet that the bar at the foot opens.

use leptos_dom::helpers::event_target_value;
use lictor_recipes::Phase;
use lictor_sandbox::actions::{ActorAction, SessionOption};
use lictor_sandbox::badge::Badge;
use lictor_sandbox::faults::FaultKind;
use lictor_sandbox::i18n::{Word, Words};
use lictor_sandbox::view::rows::{ActorRow, Health, HostState, LinkState};
use lictor_sim::{Act, Condition, Fault, Plan};

use crate::desk::Desk;
use crate::panels::programs::{program_form, programs};
use crate::parts;
use crate::settings::words;
use crate::ui::{
    Choices, El, Glyph, Part, TagLook, button, closer, crowd, each, el, icon, in_crowd,
    live_if_seen, opener, pick, server_tag, small_icon, tag, text, word,
};

/// The id of the sheet.
const SHEET: &str = "actors";

/// A button: what it does, its words, its longer words, its test id.
type Button = (ActorAction, Word, Word, &'static str);

/// The buttons of every actor; beside them is the one of its node's health.
const FIRST: [Button; 3] = [
    (ActorAction::CreateSession, |w| w.new_session, |w| w.new_session_hint, "create-session"),
    (ActorAction::Acquire, |w| w.acquire, |w| w.acquire, "acquire"),
    (ActorAction::Release, |w| w.release, |w| w.release, "release"),
];
/// Those that only the selected actor shows.
const MORE: [Button; 4] = [
    (ActorAction::Renew, |w| w.renew, |w| w.renew, "renew"),
    (ActorAction::Destroy, |w| w.destroy, |w| w.destroy, "destroy"),
    (ActorAction::Read, |w| w.read, |w| w.read_hint, "read"),
    (ActorAction::Watch, |w| w.watch, |w| w.watch_hint, "watch"),
];

/// The button that opens the sheet.
pub fn sheet_button(class: &str) -> El {
    opener(SHEET, class).with(icon(Glyph::Sheet)).with(word(|words| words.actions))
}

pub fn actors(desk: &'static Desk) -> El {
    let runtime = desk.runtime;
    let items = each(
        || runtime.mirror.actors.keys(),
        |badge| badge.0.to_string(),
        move |badge| actor_item(desk, *badge),
    );
    let add = button("btn btn-small push", "add-actor", || {
        let place = runtime.mirror.actors.keys_now().len() + 1;
        runtime.join(&format!("web-{place}"));
    });
    let close = closer(SHEET, "btn btn-icon btn-small narrow-only");
    let close = close.label(word(|words| words.close)).test("close-actors");
    let head = el("div", "head").with(parts![
        el("h2", "").attr("id", "h-actors").with(word(|words| words.actors)),
        add.with(small_icon(Glyph::Plus)).with(word(|words| words.add_actor)),
        close.with(icon(Glyph::Cross)),
    ]);
    let panel = el("section", "panel actors").attr("id", SHEET).attr("popover", "");
    panel.attr("aria-labelledby", "h-actors").with(parts![
        head,
        el("ol", "")
            .attr("class", crowd("actor-list", || runtime.mirror.actors.len()))
            .with(items)
            .with(server_item(desk)),
        options(desk),
    ])
}

/// The server, and what can happen to it.
fn server_item(desk: &'static Desk) -> El {
    let fail = Act::Inject { fault: Fault::Failover, plan: Plan::NOW };
    let perform = move || desk.runtime.perform(fail.clone());
    let failover = button("btn btn-small push", "failover", perform);
    let failover = failover.title(word(|words| words.world.failover_hint));
    let line = el("div", "actor-line").with(parts![
        server_tag(),
        el("h3", "").with(word(|words| words.world.server)),
        failover.with(word(|words| words.world.failover)),
    ]);
    el("li", "actor").with(line)
}

fn actor_item(desk: &'static Desk, badge: Badge) -> Option<El> {
    let runtime = desk.runtime;
    let row = runtime.mirror.actors.row(&badge)?;
    let test_id = row.peek(|row| format!("actor-{}", row.who.name));
    let is_selected = move || runtime.selected.get() == badge;
    let (item, seen) = in_crowd(el("li", "actor").test(test_id));
    let body = live_if_seen(&seen, move || {
        let more = if is_selected() { &MORE[..] } else { &[] };
        row.with(|row| body(Actor { desk, words: words(), row }, more))
    });
    let item = item.on("click", move |_| runtime.selected.set(badge));
    Some(item.attr("aria-current", text(move || is_selected().to_string())).with(body))
}

/// An actor with what its buttons need.
#[derive(Clone, Copy)]
struct Actor<'a> {
    desk: &'static Desk,
    words: &'static Words,
    row: &'a ActorRow,
}

fn body(actor: Actor, more: &[Button]) -> Part {
    let Actor { words, row, .. } = actor;
    let name = row.who.name.as_str();
    let buttons = |buttons: &[Button]| -> Part {
        buttons.iter().map(|button| deed_button(actor, *button)).collect()
    };
    let group = || el("div", "faults").attr("role", "group").label((words.acts_of)(name));
    let select = el("button", "name").attr("type", "button").title((words.select_actor)(name));
    let select = select.test(format!("select-{name}")).with(name);
    let line = el("div", "actor-line").with(parts![
        tag(row.who.badge, TagLook::Normal),
        el("h3", "").with(select),
        el("p", "").test(format!("status-{name}")).with(status(words, row)),
    ]);
    let first = group().with(buttons(&FIRST)).with(health_button(actor));
    let is_selected = !more.is_empty();
    parts![
        line,
        programs(actor.desk.runtime, words, row),
        first,
        is_selected.then(|| group().with(buttons(more))),
        is_selected.then(|| faults(actor)),
    ]
}

/// What can go wrong with its host.
fn faults(actor: Actor) -> El {
    let Actor { words, row, .. } = actor;
    let label = (words.world.faults_of)(row.who.name.as_str());
    let buttons = FaultKind::ALL.iter().map(|mishap| mishap_button(actor, *mishap));
    el("div", "faults").attr("role", "group").label(label).with(Part::from_iter(buttons))
}

fn mishap_button(actor: Actor, mishap: FaultKind) -> El {
    let Actor { desk, words, row } = actor;
    let (id, label, hint) = match mishap {
        FaultKind::Pause => ("pause", words.world.pause, words.world.pause_hint),
        FaultKind::Crash => ("crash", words.world.crash, words.world.crash_hint),
        FaultKind::Cut => ("cut", words.world.cut, words.world.cut_hint),
        FaultKind::SlowClock => ("clock", words.world.slow_clock, words.world.slow_clock_hint),
    };
    let act = mishap.toggle_act(&row.who.name, &row.host);
    let test_id = format!("{id}-{}", row.who.name);
    button("btn btn-small", &test_id, move || desk.runtime.perform(act.clone()))
        .attr("aria-pressed", mishap.is_on(&row.host).to_string())
        .title(hint)
        .with(label)
}

/// What is wrong with its host, if anything is.
fn ailment(words: &Words, host: &HostState) -> Option<&'static str> {
    match (host.condition, host.link) {
        (Condition::Down, _) => Some(words.world.is_down),
        (Condition::Paused, _) => Some(words.world.is_paused),
        (Condition::Up, LinkState::Cut) => Some(words.world.is_cut),
        (Condition::Up, LinkState::Whole) => None,
    }
}

/// What there is to say of an actor in a few words.
fn status(words: &Words, row: &ActorRow) -> El {
    if row.health == Health::Critical {
        let line = el("span", "state-text is-danger");
        return line.with(small_icon(Glyph::Alert)).with(words.node_failing);
    }
    if let Some(key) = &row.wrongly_believes {
        let line = el("span", "state-text is-danger").title((words.believes_to_hold)(key));
        return line.with(small_icon(Glyph::Alert)).with(words.believes);
    }
    if let Some(ailment) = ailment(words, &row.host) {
        let line = el("span", "state-text is-danger");
        return line.with(small_icon(Glyph::Alert)).with(ailment);
    }
    let is_holding = row.programs.iter().any(|program| program.phase == Phase::Holding);
    let text = match (&row.session, row.waiting) {
        // A program that holds waits for the end of that, too.
        (_, 1..) if !is_holding => words.waits.to_owned(),
        (Some(_), _) if !row.holds.is_empty() => (words.holds_keys)(&row.holds.join(", ")),
        (Some((_, label)), _) => (words.has_session)(label),
        (None, _) => words.idle.to_owned(),
    };
    el("span", "state-text").with(text)
}

fn deed_button(actor: Actor, (deed, says, hint, test_id): Button) -> El {
    let Actor { desk, words, row } = actor;
    let badge = row.who.badge;
    let session = row.session.as_ref().map(|(id, _)| *id);
    let is_possible = desk.wishes.with(|wishes| deed.is_possible(session, wishes));
    let test_id = format!("{test_id}-{}", row.who.name);
    button("btn btn-small", &test_id, move || desk.carry_out(badge, deed))
        .attr("aria-disabled", (!is_possible).then_some("true"))
        .title(if is_possible { hint(words) } else { words.needs_session })
        .with(says(words))
}

fn health_button(actor: Actor) -> El {
    let Actor { desk, words, row } = actor;
    let badge = row.who.badge;
    let (deed, label, title) = match row.health {
        Health::Passing => (ActorAction::FailCheck, words.health, words.fail_hint),
        Health::Critical => (ActorAction::RestoreCheck, words.failing, words.restore_hint),
    };
    let test_id = format!("health-{}", row.who.name);
    button("btn btn-small", &test_id, move || desk.carry_out(badge, deed))
        .attr("aria-pressed", (row.health == Health::Critical).to_string())
        .title(title)
        .with(label)
}

/// What the buttons work with: the key, and how new sessions are made.
fn options(desk: &'static Desk) -> El {
    let key = el("input", "").attr("type", "text").attr("spellcheck", "false");
    let key = key.attr("autocomplete", "off").test("option-key");
    let key = key.value(text(|| desk.wishes.with(|wishes| wishes.key.clone())));
    let key = key.on("input", |event| {
        let text = event_target_value(event);
        desk.wishes.update(|wishes| wishes.key = text);
    });
    let heading = el("h2", "").attr("id", "h-options").with(word(|words| words.buttons_use));
    el("section", "options").attr("aria-labelledby", "h-options").with(parts![
        el("div", "head").with(heading),
        el("label", "field field-key").with(el("span", "").with(word(|words| words.key))).with(key),
        el("div", "fields").with(parts![
            field(desk, SessionOption::Ttl, |words| words.ttl, "option-ttl"),
            field(desk, SessionOption::LockDelay, |words| words.lock_delay, "option-lock-delay"),
            field(desk, SessionOption::Behavior, |words| words.behavior, "option-behavior"),
        ]),
        program_form(desk),
    ])
}

fn field(desk: &'static Desk, wish: SessionOption, label: Word, test_id: &str) -> El {
    let options = wish.choices().iter().map(|choice| {
        let words = text(|| choice.unwrap_or(words().unset));
        (*choice, words, "")
    });
    let choices = Choices::of(
        options,
        move || desk.wishes.with(|wishes| wishes.get(wish)),
        move |choice| desk.wishes.update(|wishes| wishes.set(wish, choice)),
    );
    let name = el("span", "").attr("aria-hidden", "true").with(word(label));
    el("div", "field").with(name).with(pick("", test_id, word(label), choices))
}
