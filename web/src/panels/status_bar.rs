//! The bar at the foot of the page: the event at the cursor in words, and the buttons of the panels
//! below the picture. On a first visit it has one line for readers with a text of their own.

use leptos::prelude::*;
use lictor_desk::open_panels::OpenPanel;
use lictor_sim::scenario::SCENARIOS;
use lictor_view::format::clock;

use crate::components::{Button, Opener};
use crate::panels::guide::GUIDE;
use crate::panels::incident::INCIDENT;
use crate::panels::learn::HOME;
use crate::platform::words::{Word, lesson_words, row_words, words};
use crate::state::controller::{Controller, use_controller};
use crate::state::lesson_reader::LessonReader;
use crate::state::open_panels::{OpenPanels, panel_button};

#[component]
pub fn StatusBar() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let controller = lesson_reader.controller;
    let is_asked =
        Memo::new(move |_| lesson_reader.session.is_first_visit.get() && controller.is_hidden());
    view! {
        <footer class="status">
            <Show when=move || is_asked.get() fallback=|| view! { <LatestEvent/> }>
                <VisitChoices/>
            </Show>
            <span class="status-buttons" hidden=move || is_asked.get()>
                <PanelButton panel=OpenPanel::Details text=|| words().details/>
                <PanelButton panel=OpenPanel::Events text=|| words().events>
                    <span class="num quiet" data-testid="events-reached">
                        {move || count(controller)}
                    </span>
                </PanelButton>
                <PanelButton panel=OpenPanel::Console text=|| words().console/>
            </span>
        </footer>
    }
}

/// The button that opens and closes a panel.
#[component]
pub fn PanelButton(
    panel: OpenPanel,
    text: Word,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let open = expect_context::<OpenPanels>();
    view! {
        <Button
            class="btn btn-small btn-line"
            test_id=panel_button(panel)
            pressed=Signal::derive(move || open.is_open(panel))
            on_press=move || open.toggle(panel)
        >
            {move || text()}
            {children.map(|children| children())}
        </Button>
    }
}

/// The latest event at the cursor, with its time and its reason.
#[component]
fn LatestEvent() -> impl IntoView {
    let controller = use_controller();
    let text = Memo::new(move |_| {
        controller.store.branch.track();
        let latest = controller.event(controller.store.reached.get())?;
        let visibility = controller.forecast_visibility.get();
        let at = format!("{}{}", clock(latest.at), row_words().second);
        Some((at, row_words().description(&latest, visibility)))
    });
    view! {
        <p class="latest" data-testid="latest-event">
            <span class="num">{move || text.get().map(|(at, _)| at)}</span>
            " "
            <span>{move || text.get().map(|(_, text)| text)}</span>
        </p>
    }
}

/// How many events have happened at the cursor, of how many.
fn count(controller: Controller) -> String {
    let (reached, all) = (controller.store.reached.get(), controller.store.events.get());
    if reached == all { all.to_string() } else { format!("{reached}/{all}") }
}

/// The line of a first visit for readers with something of their own: commands or a guide, an
/// incident, or acts in the sandbox. It is shown until the first visit ends, as by an answered
/// question.
#[component]
fn VisitChoices() -> impl IntoView {
    let session = expect_context::<LessonReader>().session;
    view! {
        <nav class="visit-choices" aria-label=move || lesson_words().own_text>
            <span class="quiet">{move || lesson_words().own_text}</span>
            <Opener id=GUIDE class="link" test_id="visit-guide">
                {move || lesson_words().visit_guide}
            </Opener>
            <Opener id=INCIDENT class="link" test_id="visit-incident">
                {move || words().incident.first_visit}
            </Opener>
            <button
                type="button"
                class="link"
                data-testid="visit-sandbox"
                data-focus-fallback="tab-sandbox"
                on:click=move |_| session.open_sandbox()
            >
                {move || lesson_words().visit_sandbox}
            </button>
            <Opener id=HOME class="link push" test_id="visit-all">
                {move || (lesson_words().all_questions)(SCENARIOS.len())}
            </Opener>
        </nav>
    }
}
