//! The tabs of the three parts of the page: the questions with the number of answered ones, a
//! pasted guide, and the sandbox. They replace the choices of a first visit (`doors`).

use leptos::prelude::*;
use lictor_sandbox::lessons::Scores;
use lictor_sim::scenario::SCENARIOS;

use crate::components::page_id;
use crate::panels::guide::{GUIDE, GuideButton};
use crate::panels::learn::HOME;
use crate::platform::settings::words;
use crate::state::lesson_reader::LessonReader;

#[component]
pub fn Tabs() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let has_lesson = Memo::new(move |_| lesson_reader.reading.with(Option::is_some));
    let current = |is_current: bool| is_current.then_some("true");
    let count = move || {
        let answered = lesson_reader.scores.with(Scores::answered);
        format!("{answered}/{}", SCENARIOS.len())
    };
    let leave = move |_| lesson_reader.session.return_to_sandbox();
    view! {
        <nav class="tabs" aria-label=move || words().learn.learn>
            <button
                type="button"
                class="tab"
                popovertarget=page_id(HOME)
                data-testid="home-button"
                aria-current=move || current(has_lesson.get())
                title=move || words().learn.heading
            >
                {move || words().learn.tab_questions}
                " "
                <span class="num" data-testid="answered">{count}</span>
            </button>
            <GuideButton/>
            <button
                type="button"
                class="tab"
                popovertarget=page_id(GUIDE)
                popovertargetaction="hide"
                data-testid="tab-sandbox"
                aria-current=move || current(!has_lesson.get())
                title=move || words().learn.sandbox_text
                on:click=leave
            >
                {move || words().learn.tab_sandbox}
            </button>
        </nav>
    }
}
