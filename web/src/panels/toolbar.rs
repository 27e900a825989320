//! The bar at the top: the name of the page, the tabs, the controls of time, worlds and branches,
//! and the settings.

use leptos::prelude::*;
use lictor_view::format::tenths;
use lictor_view::language::Language;
use lictor_view::pacer::{RunMode, Speed};
use lictor_view::rows::BranchRow;

use crate::components::{
    Button, ChoiceOption, Glyph, Icon, Opener, Pick, Popover, Segments, use_one_column,
};
use crate::panels::checks::ChecksButton;
use crate::panels::compare::COMPARE;
use crate::panels::export::ExportButton;
use crate::panels::share::ShareButton;
use crate::panels::tabs::Tabs;
use crate::panels::version::VersionButton;
use crate::panels::worlds::WorldsButton;
use crate::platform::settings::settings;
use crate::platform::words::{language, lesson_words, row_words, words};
use crate::state::controller::use_controller;
use crate::state::lesson_reader::LessonReader;
use crate::state::shortcuts::HELP;

/// The name of the page, in every language.
const NAME: &str = "Lictor";

/// The id of the panel with the controls that have no room in the bar of a narrow page.
const MORE: &str = "more";

#[component]
pub fn Toolbar() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let is_narrow = use_one_column();
    let is_first_visit = lesson_reader.session.is_first_visit;
    let controller = lesson_reader.controller;
    let has_branches = Memo::new(move |_| {
        !is_first_visit.get() && controller.branches.with(|branches| branches.all.len() > 1)
    });
    let about = move || (lesson_words().about)(&(words().version.name)(controller.version.get()));
    view! {
        <header
            class="toolbar"
            class:is-first-visit=move || is_first_visit.get()
            class:has-branches=move || has_branches.get()
        >
            <span class="brand"><Logo/><span>{NAME}</span></span>
            <Show
                when=move || is_first_visit.get()
                fallback=|| view! { <Tabs/> }
            >
                <p class="about" data-testid="about">{about}</p>
            </Show>
            <Show
                when=move || is_narrow.get()
                fallback=|| view! { <Controls/> }
            >
                <ChecksButton/>
                <Opener
                    id=MORE
                    class="btn btn-icon"
                    label=move || words().more
                    title=move || words().more
                >
                    <b>"…"</b>
                </Opener>
                <Popover id=MORE class="help more" heading=move || words().more>
                    <div class="more-controls"><Controls/></div>
                </Popover>
            </Show>
        </header>
    }
}

/// The controls, which are in the bar of a wide page and in a panel of a narrow one.
#[component]
fn Controls() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let is_narrow = use_one_column();
    view! {
        <Show when=move || !lesson_reader.session.is_first_visit.get()><WorldControls/></Show>
        <span class="push settings">
            <Show when=move || !is_narrow.get()><ChecksButton/></Show>
            <ShareButton/>
            <ExportButton/>
            <LanguageButton/>
            <ThemeButton/>
            <Opener
                id=HELP
                class="btn btn-icon"
                label=move || words().help
                title=move || words().help
            >
                <b>"?"</b>
            </Opener>
        </span>
    }
}

/// The controls of the open world: its time, the undo of acts, other worlds and its branches.
#[component]
fn WorldControls() -> impl IntoView {
    let controller = use_controller();
    let modes = vec![
        ChoiceOption::new(RunMode::Step, || words().step, "mode-step"),
        ChoiceOption::new(RunMode::Play, || words().play, "mode-play"),
    ];
    let speeds =
        Speed::ALL.iter().map(|&speed| ChoiceOption::new(speed, speed.label(), "")).collect();
    view! {
        <span class="rule opt-mid"></span>
        <Segments
            label=move || words().run_mode
            options=modes
            chosen=controller.mode
            on_pick=move |mode| controller.set_mode(mode)
        />
        <Pick
            class="w-speed"
            test_id="speed"
            label=move || words().speed
            options=speeds
            chosen=controller.speed
            on_pick=move |speed| controller.set_speed(speed)
        />
        <ReachedSpeed/>
        <UndoButtons/>
        <WorldsButton/>
        <BranchPicker/>
        <VersionButton/>
        <span class="seed opt-wide">
            {move || words().seed} " "
            <output data-testid="seed">{move || controller.seed.get().to_string()}</output>
        </span>
    }
}

/// The reached speed, while it is less than the chosen one.
#[component]
fn ReachedSpeed() -> impl IntoView {
    let reached = use_controller().reached;
    let text = move |reached| (words().speed_reached)(&tenths(reached));
    move || {
        reached.get().map(|reached| {
            view! {
                <span class="quiet small num" data-testid="speed-reached">{text(reached)}</span>
            }
        })
    }
}

/// The buttons that undo and redo the last act.
#[component]
fn UndoButtons() -> impl IntoView {
    let controller = use_controller();
    let can = Memo::new(move |_| controller.can_undo_and_redo());
    view! {
        <Button
            class="btn btn-icon"
            test_id="undo"
            label=move || words().past.undo
            title=move || words().past.undo
            disabled=Signal::derive(move || !can.get().0)
            on_press=move || controller.undo()
        >
            <Icon glyph=Glyph::Undo/>
        </Button>
        <Show when=move || can.get().1>
            <Button
                class="btn btn-icon"
                test_id="redo"
                label=move || words().past.redo
                title=move || words().past.redo
                focus_fallback="undo"
                on_press=move || controller.redo()
            >
                <Icon glyph=Glyph::Redo/>
            </Button>
        </Show>
    }
}

/// The list of the branches and the button that compares them, once there is more than one.
#[component]
fn BranchPicker() -> impl IntoView {
    let controller = use_controller();
    let named = Memo::new(move |_| {
        let name = |row: &BranchRow| (row.id, row.title.clone());
        controller.branches.with(|branches| branches.all.iter().map(name).collect::<Vec<_>>())
    });
    let current = Signal::derive(move || controller.branches.with(|branches| branches.current));
    move || {
        let named = named.get();
        (named.len() > 1).then(|| {
            let options = named.into_iter();
            let options = options.map(|(id, title)| {
                ChoiceOption::new(id, move || row_words().branch_name(&title), "")
            });
            view! {
                <Pick
                    class="w-branch"
                    test_id="branch"
                    label=move || words().past.branch
                    options=options.collect()
                    chosen=current
                    on_pick=move |id| controller.switch(id)
                />
                <Opener
                    id=COMPARE
                    class="btn btn-icon"
                    label=move || words().past.compare
                    title=move || words().past.compare
                >
                    <Icon glyph=Glyph::Fork/>
                </Opener>
            }
        })
    }
}

/// The logo of the page: a bar of the truth above a bar of a belief.
#[component]
pub fn Logo() -> impl IntoView {
    view! {
        <svg aria-hidden="true" viewBox="0 0 20 20">
            <rect class="truth" x="1" y="4" width="11" height="5" rx="1"/>
            <rect class="belief" x="5.75" y="11.75" width="12.5" height="4" rx="1"/>
        </svg>
    }
}

#[component]
fn LanguageButton() -> impl IntoView {
    let label = move || (words().language)(language().name());
    let switch = || {
        let next = match settings().language.get_untracked() {
            Language::English => Language::Chinese,
            Language::Chinese => Language::English,
        };
        settings().choose_language(next);
    };
    view! {
        <Button class="btn btn-icon" test_id="language" label title=label on_press=switch>
            <Icon glyph=Glyph::Globe/>
        </Button>
    }
}

#[component]
fn ThemeButton() -> impl IntoView {
    let label = move || {
        let words = words();
        (words.theme)(words.theme_name(settings().theme.get()))
    };
    let switch = || settings().choose_theme(settings().theme.get_untracked().next());
    view! {
        <Button class="btn btn-icon" test_id="theme" label title=label on_press=switch>
            <Icon glyph=Glyph::Theme/>
        </Button>
    }
}
