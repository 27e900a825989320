//! The tabs of the parts of the page: the questions with the number of answered ones, a pasted
//! guide, an incident, and the sandbox.

use leptos::prelude::*;
use lictor_desk::address::Address;
use lictor_desk::lessons::Scores;
use lictor_sim::scenario::SCENARIOS;

use crate::components::page_id;
use crate::panels::address::use_open_part;
use crate::panels::guide::GuideButton;
use crate::panels::incident::IncidentButton;
use crate::panels::learn::HOME;
use crate::panels::side_panel::close_side_panels;
use crate::platform::words::lesson_words;
use crate::state::lesson_reader::LessonReader;
use crate::state::live_reader::LiveReader;

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
