//! The line of a first visit for readers with something of their own: commands or a guide, an
//! incident, or acts in the sandbox. It is shown until the first visit ends, as by an answered
//! question.

use leptos::prelude::*;
use lictor_sim::scenario::SCENARIOS;

use crate::components::Opener;
use crate::panels::guide::GUIDE;
use crate::panels::incident::INCIDENT;
use crate::panels::learn::HOME;
use crate::platform::words::{lesson_words, words};
use crate::state::lesson_reader::LessonReader;

#[component]
pub fn VisitChoices() -> impl IntoView {
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
