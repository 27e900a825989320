//! The buttons that move and run time, with their menu. On a narrow page they are the bar at its
//! foot, which also has the main button of a lesson.

use leptos::prelude::*;

use crate::components::use_one_column;
use crate::panels::actors::SheetButton;
use crate::panels::clock::{Reading, TimeButtons};
use crate::panels::lesson::steps::MainButton;
use crate::panels::time_menu::{TimeMenu, TimeMenuButton};
use crate::platform::words::words;
use crate::state::lesson_reader::LessonReader;

#[component]
pub fn Transport() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let is_narrow = use_one_column();
    let has_main =
        Memo::new(move |_| is_narrow.get() && lesson_reader.reading.with(Option::is_some));
    view! {
        <section
            class="panel transport"
            class:has-main=move || has_main.get() aria-label=move || words().run
        >
            // In the tab order the main button follows the choices of a question; the styles put it
            // after the buttons that move through time.
            <Show when=move || has_main.get()><MainButton/></Show>
            <Show when=move || !is_narrow.get()><Reading/></Show>
            <TimeButtons/>
            <TimeMenuButton/>
            <TimeMenu/>
            <SheetButton class="btn btn-line narrow-only"/>
        </section>
    }
}
