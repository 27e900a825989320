//! The effect of a lesson's fix: the answer with the fix, beside the answer without it.

use leptos::prelude::*;
use lictor_desk::lessons::{FixOutcome, Guess, in_language};

use super::verdict::Verdict;
use crate::components::Button;
use crate::platform::words::{language, lesson_words};
use crate::state::controller::use_controller;

/// The two answers, and the button that goes to the moment which shows the second one. `None` if
/// the lesson has no fix.
pub(super) fn outcome(number: u32, guess: Guess) -> Option<impl IntoView + use<>> {
    let controller = use_controller();
    let found = FixOutcome::new(number, guess)?;
    let language = language();
    let words = lesson_words();
    let without_fix = in_language(&found.without_fix.right, language);
    let sentence =
        (words.outcome)(found.value(language), Some(without_fix).filter(|_| !found.is_same()));
    let (at, target) = (found.at(), found.target());
    Some(view! {
        <div class="outcomes">
            <div>
                <span class="where">{words.without_fix}</span>
                <Verdict answer=found.without_fix.clone()/>
            </div>
            <div class="with-fix" role="status" data-testid="story-outcome">
                <span class="where">{words.with_fix}</span>
                <p class="verdict"><b>{sentence}</b></p>
            </div>
        </div>
        <p class="sees">
            <span>{words.see_on_timeline}</span>
            <Button
                class="btn btn-line"
                test_id="seek-outcome"
                pressed=Signal::derive(move || controller.now.get() == at)
                on_press=move || controller.visit(target)
            >
                {(words.seek_outcome)(at)}
            </Button>
        </p>
    })
}
