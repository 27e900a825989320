//! The actors: who takes part, what each holds, and the buttons for what the guides do. Below 1024 px the
//! panel is a sheet that the bar at the foot opens.

use leptos::prelude::*;

use crate::deeds::{Choice, Deed, Wish};
use crate::desk::Desk;
use crate::rows::{ActorRow, Health};
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::Words;
use crate::ui::{Badge, Choices, Glyph, Icon, IconSize, Pick, Tag, each, holds, live, text};

/// The id of the sheet.
pub const SHEET: &str = "actors";

/// A button: what it does, its words, its longer words, its test id.
type Button = (Deed, fn(&Words) -> &'static str, fn(&Words) -> &'static str, &'static str);

const FIRST: [Button; 3] = [
    (Deed::CreateSession, |w| w.new_session, |w| w.new_session_hint, "create-session"),
    (Deed::Acquire, |w| w.acquire, |w| w.acquire, "acquire"),
    (Deed::Release, |w| w.release, |w| w.release, "release"),
];
const MORE: [Button; 4] = [
    (Deed::Renew, |w| w.renew, |w| w.renew, "renew"),
    (Deed::Destroy, |w| w.destroy, |w| w.destroy, "destroy"),
    (Deed::Read, |w| w.read, |w| w.read_hint, "read"),
    (Deed::Watch, |w| w.watch, |w| w.watch_hint, "watch"),
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
                <button class="btn btn-small push" type="button" on:click=add data-testid="add-actor">
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
    let name = row.with_untracked(|row| row.who.name.to_string());
    let is_selected = Memo::new(move |_| runtime.selected.get() == badge);
    let status = {
        let row = row.clone();
        live(move || row.with(|row| status(settings.words(), row)))
    };
    let select = {
        let name = name.clone();
        Signal::derive(move || (settings.words().select_actor)(&name))
    };
    let acts = {
        let name = name.clone();
        Signal::derive(move || (settings.words().acts_of)(&name))
    };
    let first = FIRST.map(|button| deed_button(runtime, desk, row.clone(), button));
    let health = health_button(runtime, desk, row.clone());
    let more = live(move || {
        let row = row.clone();
        is_selected.get().then(|| {
            let buttons = MORE.map(|button| deed_button(runtime, desk, row.clone(), button));
            view! { <div class="faults acts" role="group" aria-label=acts>{buttons.into_iter().collect_view()}</div> }
        })
    });
    Some(view! {
        <li
            class="actor"
            aria-current=text(move || is_selected.get().to_string())
            on:click=move |_| runtime.selected.set(badge)
            data-testid=format!("actor-{name}")
        >
            <div class="actor-line">
                <Tag badge/>
                <h3>
                    <button class="name" type="button" title=select data-testid=format!("select-{name}")>
                        {name.clone()}
                    </button>
                </h3>
                <p data-testid=format!("status-{name}")>{status}</p>
            </div>
            <div class="faults" role="group" aria-label=acts>
                {first.into_iter().collect_view()} {health}
            </div>
            {more}
        </li>
    })
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

fn deed_button(
    runtime: Runtime,
    desk: Desk,
    row: ArcRwSignal<ActorRow>,
    (deed, words, hint, test_id): Button,
) -> impl IntoView {
    let settings = use_settings();
    let (badge, name) = row.with_untracked(|row| (row.who.badge, row.who.name.to_string()));
    let session = Memo::new(move |_| row.with(|row| row.session.as_ref().map(|(id, _)| *id)));
    let is_possible =
        Signal::derive(move || desk.wishes.with(|wishes| deed.is_possible(session.get(), wishes)));
    let title = text(move || {
        let table = settings.words();
        if is_possible.get() { hint(table) } else { table.needs_session }
    });
    view! {
        <button
            class="btn btn-small"
            type="button"
            disabled=holds(move || !is_possible.get())
            title=title
            on:click=move |_| desk.carry_out(runtime, badge, deed)
            data-testid=format!("{test_id}-{name}")
        >
            {word(words)}
        </button>
    }
}

fn health_button(runtime: Runtime, desk: Desk, row: ArcRwSignal<ActorRow>) -> impl IntoView {
    let settings = use_settings();
    let (badge, name) = row.with_untracked(|row| (row.who.badge, row.who.name.to_string()));
    let health = Memo::new(move |_| row.with(|row| row.health));
    let is_failing = move || health.get() == Health::Critical;
    let label =
        text(move || if is_failing() { settings.words().failing } else { settings.words().health });
    let title =
        text(
            move || {
                if is_failing() {
                    settings.words().restore_hint
                } else {
                    settings.words().fail_hint
                }
            },
        );
    let toggle = move |_| {
        let deed = match health.get_untracked() {
            Health::Passing => Deed::FailCheck,
            Health::Critical => Deed::RestoreCheck,
        };
        desk.carry_out(runtime, badge, deed);
    };
    view! {
        <button
            class="btn btn-small"
            type="button"
            aria-pressed=text(move || is_failing().to_string())
            title=title
            on:click=toggle
            data-testid=format!("health-{name}")
        >
            {label}
        </button>
    }
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
