//! The choices of a first visit: the open question, a pasted guide, an incident, a free sandbox, or
//! the list of all questions. They are shown until the first visit ends, as by an answered
//! question.

use leptos::prelude::*;
use lictor_sim::scenario::SCENARIOS;

use crate::components::{Glyph, Icon, Opener, focus};
use crate::panels::guide::GUIDE;
use crate::panels::incident::INCIDENT;
use crate::panels::learn::HOME;
use crate::platform::words::{lesson_words, words};
use crate::state::lesson_reader::LessonReader;

#[component]
pub fn VisitChoices() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let scores = move || {
        lesson_reader.scores.with(|scores| {
            let (answered, right) = (scores.answered(), scores.guessed_right());
            (lesson_words().scores)(answered, SCENARIOS.len(), right)
        })
    };
    view! {
        <Show when=move || lesson_reader.session.is_first_visit.get()>
            <nav class="visit-choices" aria-label=move || lesson_words().learn>
                <button
                    type="button"
                    class="visit-choice"
                    aria-current="true"
                    data-testid="visit-question"
                    on:click=move |_| drop(focus("choice-1"))
                >
                    <Icon glyph=Glyph::Question/>
                    <VisitChoiceText text=|| lesson_words().visit_question/>
                </button>
                <Opener id=GUIDE class="visit-choice" test_id="visit-guide">
                    <Icon glyph=Glyph::Sheet/>
                    <VisitChoiceText text=|| lesson_words().visit_guide/>
                </Opener>
                <Opener id=INCIDENT class="visit-choice" test_id="visit-incident">
                    <Icon glyph=Glyph::Alert/>
                    <VisitChoiceText text=|| words().incident.first_visit/>
                </Opener>
                <button
                    type="button"
                    class="visit-choice"
                    data-testid="visit-sandbox"
                    data-focus-fallback="tab-sandbox"
                    on:click=move |_| lesson_reader.session.open_sandbox()
                >
                    <Icon glyph=Glyph::Play/>
                    <VisitChoiceText text=|| lesson_words().visit_sandbox/>
                </button>
                <Opener id=HOME class="visit-choice visit-all" test_id="visit-all">
                    <span>
                        <b>{move || (lesson_words().all_questions)(SCENARIOS.len())}</b>
                        <small>{scores}</small>
                    </span>
                    <Icon glyph=Glyph::Next/>
                </Opener>
            </nav>
        </Show>
    }
}

#[component]
fn VisitChoiceText(text: fn() -> (&'static str, &'static str)) -> impl IntoView {
    view! {
        <span>
            <b>{move || text().0}</b>
            <small>{move || text().1}</small>
        </span>
    }
}
