//! The actors: who takes part, what each holds, and the buttons for what the guides do. Below 1024
//! px the panel is a sheet that the bar at the foot opens.

use leptos::prelude::*;

use crate::deeds::{Choice, Deed, Wish};
use crate::desk::Desk;
use crate::rows::{ActorRow, Health};
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::Words;
use crate::ui::{Badge, Choices, Glyph, Icon, IconSize, Pick, Tag, each, live, text};

/// The id of the sheet.
pub const SHEET: &str = "actors";

/// A button: what it does, its words, its longer words, its test id.
type Button = (Deed, fn(&Words) -> &'static str, fn(&Words) -> &'static str, &'static str);

/// The buttons of every actor; none stands for the one of its node's health.
const FIRST: [Option<Button>; 4] = [
    Some((Deed::CreateSession, |w| w.new_session, |w| w.new_session_hint, "create-session")),
    Some((Deed::Acquire, |w| w.acquire, |w| w.acquire, "acquire")),
    Some((Deed::Release, |w| w.release, |w| w.release, "release")),
    None,
];
/// Those that only the selected actor shows.
const MORE: [Option<Button>; 4] = [
    Some((Deed::Renew, |w| w.renew, |w| w.renew, "renew")),
    Some((Deed::Destroy, |w| w.destroy, |w| w.destroy, "destroy")),
    Some((Deed::Read, |w| w.read, |w| w.read_hint, "read")),
    Some((Deed::Watch, |w| w.watch, |w| w.watch_hint, "watch")),
];

#[component]
pub fn Actors(runtime: Runtime, desk: Desk) -> impl IntoView {
    let badges = move || runtime.mirror.actors.keys().to_vec();
    let name = |badge: &Badge| badge.0.to_string();
    let items = each(badges, name, move |badge| view! { <ActorItem runtime desk badge/> });
    let add = move |_| {
        let place = runtime.mirror.actors.keys_untracked().len() + 1;
        runtime.join(&format!("web-{place}"));
    };
    view! {
        <section class="panel actors" id=SHEET popover aria-labelledby="h-actors">
            <div class="head">
                <h2 id="h-actors">{word(|words| words.actors)}</h2>
                <button
                    class="btn btn-small push"
                    type="button"
                    on:click=add
                    data-testid="add-actor"
                >
                    <Icon glyph=Glyph::Plus size=IconSize::Small/>
                    {word(|words| words.add_actor)}
                </button>
                <button
                    class="btn btn-icon btn-small narrow-only"
                    type="button"
                    popovertarget=SHEET
                    popovertargetaction="hide"
                    aria-label=word(|words| words.close)
                    data-testid="close-actors"
                >
                    <Icon glyph=Glyph::Cross/>
                </button>
            </div>
            <ol class="actor-list">
                {items}
            </ol>
            <Options desk/>
        </section>
    }
}

#[component]
fn ActorItem(runtime: Runtime, desk: Desk, badge: Badge) -> impl IntoView {
    let settings = use_settings();
    let row = runtime.mirror.actors.row(&badge)?;
    let test_id = row.with_untracked(|row| format!("actor-{}", row.who.name));
    let is_selected = move || runtime.selected.get() == badge;
    let body = live(move || {
        let shown = if is_selected() { &[FIRST, MORE][..] } else { &[FIRST][..] };
        row.with(|row| body(settings.words(), Actor { runtime, desk, row }, shown))
    });
    Some(view! {
        <li
            class="actor"
            aria-current=text(move || is_selected().to_string())
            on:click=move |_| runtime.selected.set(badge)
            data-testid=test_id
        >
            {body}
        </li>
    })
}

/// An actor with what its buttons need.
#[derive(Clone, Copy)]
struct Actor<'a> {
    runtime: Runtime,
    desk: Desk,
    row: &'a ActorRow,
}

fn body(words: &Words, actor: Actor, shown: &[[Option<Button>; 4]]) -> AnyView {
    let name = actor.row.who.name.to_string();
    let select = (words.select_actor)(&name);
    let groups = shown.iter().map(|buttons| {
        let acts = (words.acts_of)(&name);
        let buttons = buttons.iter().map(|button| match button {
            Some(button) => deed_button(words, actor, button),
            None => health_button(words, actor),
        });
        view! { <div class="faults" role="group" aria-label=acts>{buttons.collect_view()}</div> }
    });
    let groups = groups.collect_view();
    let status_id = format!("status-{name}");
    let select_id = format!("select-{name}");
    view! {
        <div class="actor-line">
            <Tag badge=actor.row.who.badge/>
            <h3>
                <button class="name" type="button" title=select data-testid=select_id>
                    {name}
                </button>
            </h3>
            <p data-testid=status_id>{status(words, actor.row)}</p>
        </div>
        {groups}
    }
    .into_any()
}

/// What there is to say of an actor in a few words.
fn status(words: &Words, row: &ActorRow) -> AnyView {
    if row.health == Health::Critical {
        let text = words.node_failing;
        return view! {
            <span class="state-text is-danger">
                <Icon glyph=Glyph::Alert size=IconSize::Small/> {text}
            </span>
        }
        .into_any();
    }
    let text = match (&row.session, row.waiting) {
        (_, 1..) => words.waits.to_owned(),
        (Some(_), 0) if !row.holds.is_empty() => (words.holds_keys)(&row.holds.join(", ")),
        (Some((_, label)), 0) => (words.has_session)(label),
        (None, 0) => words.idle.to_owned(),
    };
    view! { <span class="state-text">{text}</span> }.into_any()
}

fn deed_button(words: &Words, actor: Actor, (deed, says, hint, test_id): &Button) -> AnyView {
    let Actor { runtime, desk, row } = actor;
    let (deed, badge) = (*deed, row.who.badge);
    let session = row.session.as_ref().map(|(id, _)| *id);
    let is_possible = desk.wishes.with(|wishes| deed.is_possible(session, wishes));
    let title = if is_possible { hint(words) } else { words.needs_session };
    view! {
        <button
            class="btn btn-small"
            type="button"
            disabled=!is_possible
            title=title
            on:click=move |_| desk.carry_out(runtime, badge, deed)
            data-testid=format!("{test_id}-{}", row.who.name)
        >
            {says(words)}
        </button>
    }
    .into_any()
}

fn health_button(words: &Words, actor: Actor) -> AnyView {
    let Actor { runtime, desk, row } = actor;
    let badge = row.who.badge;
    let (deed, label, title) = match row.health {
        Health::Passing => (Deed::FailCheck, words.health, words.fail_hint),
        Health::Critical => (Deed::RestoreCheck, words.failing, words.restore_hint),
    };
    view! {
        <button
            class="btn btn-small"
            type="button"
            aria-pressed=(row.health == Health::Critical).to_string()
            title=title
            on:click=move |_| desk.carry_out(runtime, badge, deed)
            data-testid=format!("health-{}", row.who.name)
        >
            {label}
        </button>
    }
    .into_any()
}

/// What the buttons work with: the key, and how new sessions are made.
#[component]
fn Options(desk: Desk) -> impl IntoView {
    let key = move |event| {
        let text = event_target_value(&event);
        desk.wishes.update(|wishes| wishes.key = text);
    };
    view! {
        <section class="options" aria-labelledby="h-options">
            <div class="head"><h2 id="h-options">{word(|words| words.buttons_use)}</h2></div>
            <label class="field field-key">
                <span>{word(|words| words.key)}</span>
                <input
                    type="text"
                    spellcheck="false"
                    autocomplete="off"
                    prop:value=text(move || desk.wishes.with(|wishes| wishes.key.clone()))
                    on:input=key
                    data-testid="option-key"
                />
            </label>
            <div class="fields">
                <Field desk label=|words| words.ttl option=Wish::Ttl test_id="option-ttl"/>
                <Field
                    desk
                    label=|words| words.lock_delay
                    option=Wish::LockDelay
                    test_id="option-lock-delay"
                />
                <Field
                    desk
                    label=|words| words.behavior
                    option=Wish::Behavior
                    test_id="option-behavior"
                />
            </div>
        </section>
    }
}

#[component]
fn Field(
    desk: Desk,
    label: fn(&Words) -> &'static str,
    option: Wish,
    test_id: &'static str,
) -> impl IntoView {
    let settings = use_settings();
    let words = move |choice: Choice| choice.unwrap_or(settings.words().unset).to_owned();
    let choices = Choices::of(
        option.choices().iter().map(|choice| (*choice, "")),
        move || desk.wishes.with(|wishes| wishes.get(option)),
        words,
        move |choice| desk.wishes.update(|wishes| wishes.set(option, choice)),
    );
    view! {
        <div class="field">
            <span aria-hidden="true">{word(label)}</span>
            <Pick label=word(label) choices class="" test_id/>
        </div>
    }
}
