//! The tabs of the parts of the page: the questions with the number of answered ones, a pasted
//! guide, an incident, and the sandbox.

use leptos::prelude::*;
use lictor_desk::lessons::Scores;
use lictor_sim::scenario::SCENARIOS;

use crate::components::page_id;
use crate::panels::guide::GuideButton;
use crate::panels::incident::IncidentButton;
use crate::panels::learn::HOME;
use crate::panels::side_panel::close_side_panels;
use crate::platform::words::lesson_words;
use crate::state::guide_reader::GuideReader;
use crate::state::incident_reader::IncidentReader;
use crate::state::lesson_reader::LessonReader;

/// A part of the page that has a tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Questions,
    Guide,
    Incident,
    Sandbox,
}

/// The part whose tab is marked: the list of the questions covers a panel beside the page, which
/// may be open meanwhile.
fn part_on_top(is_list_open: bool, beside: Option<Part>, has_lesson: bool) -> Part {
    match (is_list_open, beside, has_lesson) {
        (true, _, _) | (_, None, true) => Part::Questions,
        (false, Some(part), _) => part,
        (false, None, false) => Part::Sandbox,
    }
}

#[component]
pub fn Tabs() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let has_lesson = Memo::new(move |_| lesson_reader.reading.with(Option::is_some));
    let guide_reader = expect_context::<GuideReader>();
    let incident_reader = expect_context::<IncidentReader>();
    let on_top = Memo::new(move |_| {
        let is_list_open = lesson_reader.is_list_open.get();
        let beside = [
            guide_reader.is_open.get().then_some(Part::Guide),
            incident_reader.is_open.get().then_some(Part::Incident),
        ];
        part_on_top(is_list_open, beside.into_iter().flatten().next(), has_lesson.get())
    });
    let current = move |part: Part| (on_top.get() == part).then_some("true");
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
                aria-current=move || current(Part::Questions)
                title=move || lesson_words().heading
            >
                {move || lesson_words().tab_questions}
                " "
                <span class="num" data-testid="answered">{count}</span>
            </button>
            <GuideButton attr:aria-current=move || current(Part::Guide)/>
            <IncidentButton attr:aria-current=move || current(Part::Incident)/>
            <button
                type="button"
                class="tab"
                data-testid="tab-sandbox"
                aria-current=move || current(Part::Sandbox)
                title=move || lesson_words().sandbox_text
                on:click=leave
            >
                {move || lesson_words().tab_sandbox}
            </button>
        </nav>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn the_list_of_questions_is_above_a_guide_and_a_guide_above_a_lesson() {
        assert_eq!(part_on_top(true, Some(Part::Guide), false), Part::Questions);
        assert_eq!(part_on_top(false, Some(Part::Guide), true), Part::Guide);
        assert_eq!(part_on_top(false, Some(Part::Incident), false), Part::Incident);
        assert_eq!(part_on_top(false, None, true), Part::Questions);
        assert_eq!(part_on_top(false, None, false), Part::Sandbox);
    }
}
