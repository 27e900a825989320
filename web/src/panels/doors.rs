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
pub fn Doors() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let scores = move || {
        lesson_reader.scores.with(|scores| {
            let (answered, right) = (scores.answered(), scores.guessed_right());
            (lesson_words().scores)(answered, SCENARIOS.len(), right)
        })
    };
    view! {
        <Show when=move || lesson_reader.session.is_first_visit.get()>
            <nav class="doors" aria-label=move || lesson_words().learn>
                <button
                    type="button"
                    class="door"
                    aria-current="true"
                    data-testid="door-question"
                    on:click=move |_| drop(focus("choice-1"))
                >
                    <Icon glyph=Glyph::Question/>
                    <DoorText text=|| lesson_words().door_question/>
                </button>
                <Opener id=GUIDE class="door" test_id="door-guide">
                    <Icon glyph=Glyph::Sheet/>
                    <DoorText text=|| lesson_words().door_guide/>
                </Opener>
                <Opener id=INCIDENT class="door" test_id="door-incident">
                    <Icon glyph=Glyph::Alert/>
                    <DoorText text=|| words().incident.door/>
                </Opener>
                <button
                    type="button"
                    class="door"
                    data-testid="door-sandbox"
                    data-focus-fallback="tab-sandbox"
                    on:click=move |_| lesson_reader.session.open_sandbox()
                >
                    <Icon glyph=Glyph::Play/>
                    <DoorText text=|| lesson_words().door_sandbox/>
                </button>
                <Opener id=HOME class="door door-all" test_id="door-all">
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
fn DoorText(text: fn() -> (&'static str, &'static str)) -> impl IntoView {
    view! {
        <span>
            <b>{move || text().0}</b>
            <small>{move || text().1}</small>
        </span>
    }
}
