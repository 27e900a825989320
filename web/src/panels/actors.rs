//! The panel of acts: what can be done about a lock that is held or delayed, a row for each client,
//! which selects it, and one for the server. Below the rows, at a fixed place, are the buttons of
//! the selected client. Below 1024 px the panel is a sheet that a button opens.

use leptos::html::Li;
use leptos::prelude::*;
use lictor_core::id::Index;
use lictor_core::time::Instant;
use lictor_desk::i18n::Words;
use lictor_desk::programs::free_client_name;
use lictor_recipes::Phase;
use lictor_sim::Condition;
use lictor_sim::record::Badge;
use lictor_view::format::clock;
use lictor_view::rows::{ActorRow, Health, HostState, ProgramRow, Waits};

use crate::components::crowd::while_in_view;
use crate::components::{
    ActorBadge, BadgeLook, Button, Closer, Glyph, Icon, IconButton, Opener, ServerBadge,
    crowd_class, in_view, page_id,
};
use crate::panels::action_panel::ActionPanel;
use crate::panels::cures::Cures;
use crate::panels::failover::Failover;
use crate::panels::programs::next_act;
use crate::panels::state_line::use_shown_key;
use crate::platform::words::{row_words, timeline_words, words};
use crate::state::controller::use_controller;
use crate::state::store::Row;

/// The id of the sheet.
const SHEET: &str = "actors";

/// The button that opens the sheet.
#[component]
pub fn SheetButton(class: &'static str) -> impl IntoView {
    view! {
        <Opener id=SHEET class>
            <Icon glyph=Glyph::Sheet/>
            {move || words().actions}
        </Opener>
    }
}

#[component]
pub fn Actors() -> impl IntoView {
    let controller = use_controller();
    let actors = controller.store.actors;
    let stuck = use_shown_key();
    let add = move || controller.join(&controller.with_world(free_client_name));
    let actor = |row: Row<Badge, ActorRow>| view! { <Actor badge=row.key row=row.signal/> };
    view! {
        <section
            class="panel actors"
            id=page_id(SHEET)
            popover=""
            aria-labelledby=page_id("h-actors")
        >
            <div class="head">
                <h2 id=page_id("h-actors")>
                    {move || (words().act_at)(&clock(controller.coarse_now.get()))}
                </h2>
                <Button class="btn btn-small push" test_id="add-actor" on_press=add>
                    <Icon glyph=Glyph::Plus small=true/>
                    {move || words().add_actor}
                </Button>
                <UndoButtons/>
                <Closer
                    id=SHEET
                    class="btn btn-icon btn-small narrow-only"
                    test_id="close-actors"
                    label=move || words().close
                >
                    <Icon glyph=Glyph::Cross/>
                </Closer>
            </div>
            {move || stuck.get().map(|key| view! { <Cures key/> })}
            <ol class=move || crowd_class("actor-list", actors.len())>
                <For each=move || actors.list().to_vec() key=|row| row.id children=actor/>
                <Server/>
            </ol>
            <ActionPanel/>
        </section>
    }
}

/// The buttons that undo and redo the last act.
#[component]
pub fn UndoButtons() -> impl IntoView {
    let controller = use_controller();
    let can = Memo::new(move |_| controller.can_undo_and_redo());
    view! {
        <IconButton
            glyph=Glyph::Undo
            test_id="undo"
            label=move || words().past.undo
            disabled=Signal::derive(move || !can.get().0)
            on_press=move || controller.undo()
        />
        <Show when=move || can.get().1>
            <IconButton
                glyph=Glyph::Redo
                test_id="redo"
                label=move || words().past.redo
                focus_fallback="undo"
                on_press=move || controller.redo()
            />
        </Show>
    }
}

/// The row of the server: its index, and the buttons for the loss of its leader.
#[component]
fn Server() -> impl IntoView {
    let controller = use_controller();
    let state = Memo::new(move |_| -> (bool, Index) {
        controller.store.reached.track();
        controller.store.branch.track();
        // The index grows without an event when tombstones are deleted.
        controller.coarse_now.track();
        controller.with_world(|world| (world.has_leader(), world.index()))
    });
    let note = move || match state.get() {
        (true, index) => (words().world.leads)(index),
        (false, index) => (words().world.no_leader)(index),
    };
    view! {
        <li class="actor-row server-row">
            <ServerBadge/>
            <b class="actor-name">{move || words().world.server}</b>
            <Failover/>
            <span class="actor-note">{note}</span>
        </li>
    }
}

/// A client: pressing its row selects it.
#[component]
fn Actor(badge: Badge, row: ArcRwSignal<ActorRow>) -> impl IntoView {
    let controller = use_controller();
    let item = NodeRef::<Li>::new();
    let name = row.with_untracked(|row| row.actor.name.to_string());
    let row = while_in_view(in_view(item), move || row.get());
    let is_selected = Memo::new(move |_| controller.selected.get() == badge);
    let status =
        Memo::new(move |_| row.with(|row| status(words(), row, || !controller.is_hidden())));
    // The next act of a program is hidden while a question is open.
    let note = Memo::new(move |_| {
        row.with(|row| {
            note(words(), row, || (!controller.is_hidden()).then(|| controller.coarse_now.get()))
        })
    });
    let title = {
        let name = name.clone();
        move || (words().select_actor)(&name)
    };
    // A note may be cut off, so the pointer shows the whole text.
    let note_title = RwSignal::new(None::<String>);
    view! {
        <li node_ref=item data-testid=format!("actor-{name}")>
            <button
                type="button"
                class="actor-row"
                title=title
                aria-pressed=move || is_selected.get().to_string()
                data-testid=format!("select-{name}")
                on:click=move |_| controller.selected.set(badge)
            >
                <ActorBadge badge=Some(badge) look=BadgeLook::Normal/>
                <b class="actor-name">{name.clone()}</b>
                <span class="actor-status" data-testid=format!("status-{name}")>
                    <StatusText status/>
                    <span
                        class="actor-note num"
                        title=move || note_title.get()
                        on:pointerenter=move |_| note_title.set(Some(note.get_untracked()))
                    >
                        {move || note.get()}
                    </span>
                </span>
            </button>
        </li>
    }
}

/// The state of an actor in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Status {
    text: String,
    title: Option<String>,
    is_problem: bool,
}

impl Status {
    fn fine(text: impl Into<String>) -> Self {
        Self { text: text.into(), title: None, is_problem: false }
    }

    fn problem(text: &str) -> Self {
        Self { text: text.to_owned(), title: None, is_problem: true }
    }
}

/// The text of a status. Its elements are kept when the text changes.
#[component]
fn StatusText(status: Memo<Status>) -> impl IntoView {
    let is_problem = Memo::new(move |_| status.with(|status| status.is_problem));
    let title = Memo::new(move |_| status.with(|status| status.title.clone()));
    let alert = move || is_problem.get().then(|| view! { <Icon glyph=Glyph::Alert small=true/> });
    view! {
        <span
            class="state-text"
            class:is-danger=move || is_problem.get()
            title=move || title.get()
        >
            {alert}
            <span>{move || status.with(|status| status.text.clone())}</span>
        </span>
    }
}

/// The state of an actor: its most important problem, else what it waits for or holds, else its
/// session. `is_ahead_shown` is called only if it is needed, so that the caller rarely depends on
/// it.
fn status(words: &Words, row: &ActorRow, is_ahead_shown: impl Fn() -> bool) -> Status {
    if let (Condition::Up, Some(until)) = (row.host.condition, row.host.cut_until)
        && row.health == Health::Passing
        && row.wrongly_believes.is_none()
        && is_ahead_shown()
    {
        return Status::problem(&(words.world.is_cut_until)(until));
    }
    if let Some(problem) = problems(words, row).next() {
        return problem;
    }
    let is_holding = row.programs.iter().any(|program| program.phase == Phase::Holding);
    match (&row.session, row.waits) {
        // A program that holds a lock also waits, for its end.
        (_, Some(Waits::ForChange)) if !is_holding => Status::fine(words.waits),
        (_, Some(Waits::ForAnswer)) if !is_holding => Status::fine(words.awaits_answer),
        // The note of such a row is about the programs, so the keys are named here.
        (Some(_), _) if !row.programs.is_empty() && !row.holds.is_empty() => {
            Status::fine((words.holds_keys)(&row.holds.join(row_words().list)))
        }
        (Some(_), _) => Status::fine(sessions(words, row).unwrap_or_default()),
        (None, _) => Status::fine(words.idle),
    }
}

/// The live session of an actor, or their number if there are several; `None` without one.
fn sessions(words: &Words, row: &ActorRow) -> Option<String> {
    let (_, label) = row.session.as_ref()?;
    let text = if row.sessions > 1 {
        (words.has_sessions)(row.sessions)
    } else {
        (words.has_session)(label)
    };
    Some(text)
}

/// The problems of an actor, its node and its host, the most important first.
fn problems(words: &Words, row: &ActorRow) -> impl Iterator<Item = Status> {
    let critical = (row.health == Health::Critical).then(|| Status::problem(words.node_failing));
    let believes = row.wrongly_believes.as_ref().map(|key| {
        let title = Some((words.believes_to_hold)(key));
        Status { title, ..Status::problem(timeline_words().believes) }
    });
    let host = host_problem(words, &row.host).map(Status::problem);
    [critical, believes, host].into_iter().flatten()
}

/// The problem of the host of an actor, if there is one.
fn host_problem(words: &Words, host: &HostState) -> Option<&'static str> {
    match (host.condition, host.cut) {
        (Condition::Down, _) => Some(words.world.is_down),
        (Condition::Paused, _) => Some(words.world.is_paused),
        (Condition::Up, Some(_)) => Some(words.world.is_cut),
        (Condition::Up, None) => None,
    }
}

/// The second line of a row: the state of the actor's programs; without a program its other
/// problems and its session, unless the status names them, and the keys that it holds. `now` is
/// called only if it is needed; it returns `None` while the future is hidden.
fn note(words: &Words, row: &ActorRow, now: impl Fn() -> Option<Instant>) -> String {
    let is_running = row.host.condition != Condition::Down;
    if let (true, Some(program)) = (is_running, row.programs.first()) {
        let more = row.programs.len() - 1;
        let named = program_note(words, program, now);
        return if more == 0 { named } else { format!("{named} (+{more})") };
    }
    let holds = match row.holds.as_slice() {
        [] => words.holds_nothing.to_owned(),
        keys => (words.holds_keys)(&keys.join(row_words().list)),
    };
    let mut parts = problems(words, row).skip(1).map(|it| it.text).collect::<Vec<_>>();
    if problems(words, row).next().is_some() || row.waits.is_some() {
        parts.extend(sessions(words, row));
    }
    parts.push(holds);
    parts.join(row_words().comma)
}

/// The name and the state of a program, and its next act with the time until then.
fn program_note(words: &Words, program: &ProgramRow, now: impl Fn() -> Option<Instant>) -> String {
    let ProgramRow { name, state, next, .. } = program;
    let state = (words.world.program_state)(state);
    match next.and_then(|next| Some((next, now()?))) {
        Some((next, now)) => {
            format!(
                "{name}{}{state}{}{}",
                row_words().colon,
                row_words().comma,
                next_act(next, now)
            )
        }
        None => format!("{name}{}{state}", row_words().colon),
    }
}
