//! The bar at the top: the name of the page, the tabs, the branches of the open world, a failed
//! check, and a menu with what is needed less often.

use leptos::prelude::*;
use lictor_desk::address::Address;
use lictor_desk::lessons::Scores;
use lictor_sim::scenario::SCENARIOS;
use lictor_view::language::Language;
use lictor_view::rows::BranchRow;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, MouseEvent};

use crate::components::{
    Button, ChoiceOption, Glyph, Icon, Opener, PageIds, Pick, Popover, close_panel, page_id,
};
use crate::panels::address::use_open_part;
use crate::panels::checks::{ChecksAlert, ChecksButton};
use crate::panels::compare::COMPARE;
use crate::panels::export::ExportButton;
use crate::panels::guide::GuideButton;
use crate::panels::incident::IncidentButton;
use crate::panels::learn::HOME;
use crate::panels::legend::Legend;
use crate::panels::share::ShareButton;
use crate::panels::side_panel::close_side_panels;
use crate::panels::version::VersionButton;
use crate::panels::worlds::WorldsButton;
use crate::platform::settings::settings;
use crate::platform::words::{language, lesson_words, row_words, words};
use crate::state::controller::use_controller;
use crate::state::lesson_reader::LessonReader;
use crate::state::live_reader::LiveReader;
use crate::state::shortcuts::HELP;

/// The name of the page, in every language.
const NAME: &str = "Lictor";

/// The id of the menu.
const MORE: &str = "more";

#[component]
pub fn Toolbar() -> impl IntoView {
    view! {
        <header class="toolbar">
            <span class="brand"><Logo/><span>{NAME}</span></span>
            <Tabs/>
            <span class="push"></span>
            <BranchPicker/>
            <ChecksAlert/>
            <Opener
                id=MORE
                class="btn btn-icon"
                label=move || words().more
                title=move || words().more
            >
                <b>"…"</b>
            </Opener>
            <Popover id=MORE class="help more" heading=move || words().more>
                <Menu/>
            </Popover>
        </header>
    }
}

/// The tabs of the parts of the page: the questions with the number of answered ones, a pasted
/// guide, an incident, and the sandbox.
#[component]
pub fn Tabs() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let open = use_open_part();
    let is_question =
        move || matches!(open.get(), Address::Questions | Address::Question(_)).then_some("true");
    let current = move |part: Address| (open.get() == part).then_some("true");
    let live = expect_context::<LiveReader>();
    let incident = move || if live.is_on.get() { Address::Live } else { Address::Incident };
    let count = move || {
        let answered = lesson_reader.scores.with(Scores::answered);
        format!("{answered}/{}", SCENARIOS.len())
    };
    let leave = move |_| {
        close_side_panels();
        lesson_reader.session.return_to_sandbox();
    };
    view! {
        <nav class="tabs" aria-label=move || lesson_words().learn>
            <button
                type="button"
                class="tab"
                popovertarget=page_id(HOME)
                data-testid="home-button"
                aria-current=is_question
                title=move || lesson_words().heading
            >
                {move || lesson_words().tab_questions}
                " "
                <span class="num" data-testid="answered">{count}</span>
            </button>
            <GuideButton attr:aria-current=move || current(Address::Guide)/>
            <IncidentButton attr:aria-current=move || current(incident())/>
            <button
                type="button"
                class="tab"
                data-testid="tab-sandbox"
                aria-current=move || current(Address::Sandbox)
                title=move || lesson_words().sandbox_text
                on:click=leave
            >
                {move || lesson_words().tab_sandbox}
            </button>
        </nav>
    }
}

/// What is not needed at each moment: worlds, sharing, checks, settings and help.
#[component]
fn Menu() -> impl IntoView {
    let ids = PageIds::of_page();
    let controller = use_controller();
    view! {
        <div class="menu" on:click=move |event| open_alone(ids, &event)>
            <WorldsButton/>
            <ShareButton/>
            <ExportButton/>
            <VersionButton/>
            <ChecksButton/>
            <LanguageButton/>
            <ThemeButton/>
            <Legend/>
            <Opener id=HELP class="btn menu-item">
                <b>"?"</b>
                {move || words().help}
            </Opener>
            <p class="small quiet">
                {move || words().seed} " "
                <output data-testid="seed">{move || controller.seed.get().to_string()}</output>
            </p>
        </div>
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
                ChoiceOption::new(id, move || (row_words().branch_name)(&title), "")
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

/// Closes the menu before the panel of the pressed button opens, so that the panel is alone. The
/// browser would keep the menu open below a panel that its button opens.
fn open_alone(ids: PageIds, event: &MouseEvent) {
    let button = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let button = button.and_then(|target| target.closest("[popovertarget]").ok().flatten());
    let panel = button.and_then(|button| button.get_attribute("popovertarget"));
    let Some(panel) = panel.and_then(|id| document().get_element_by_id(&id)) else { return };
    event.prevent_default();
    close_panel(ids, MORE);
    let _ = panel.unchecked_ref::<HtmlElement>().show_popover();
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
        <Button class="btn menu-item" test_id="language" title=label on_press=switch>
            <Icon glyph=Glyph::Globe/>
            {label}
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
        <Button class="btn menu-item" test_id="theme" title=label on_press=switch>
            <Icon glyph=Glyph::Theme/>
            {label}
        </Button>
    }
}
