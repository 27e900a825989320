//! The answer to a guess: what was guessed, what happened and why, the marked choices, and the
//! buttons that seek to both on the timeline. `question` is shown before the guess.

use leptos::prelude::*;
use lictor_sandbox::tutorial::{ChoiceMark, GuessAnswer, Question, in_language};

use crate::components::Button;
use crate::platform::settings::{settings, words};
use crate::state::controller::use_controller;

pub(super) fn verdict(question: &Question, answer: &GuessAnswer) -> impl IntoView + use<> {
    let words = words();
    let language = settings().language.get();
    let says = (words.learn.verdict)(answer);
    let marks = question.choices.iter().zip(&answer.marks).map(|(choice, mark)| {
        let label = in_language(&choice.label, language).to_owned();
        let (class, note) = match mark {
            ChoiceMark::Right => ("mark yes", words.learn.the_answer),
            ChoiceMark::Wrong => ("mark no", words.learn.your_guess),
            ChoiceMark::Plain => ("mark", ""),
        };
        view! { <li class=class><b>{label}</b>{note}</li> }
    });
    let marks = marks.collect_view();
    view! {
        <p class="verdict" data-testid="story-verdict" role="status">{says}</p>
        <ul class="marks">{marks}</ul>
        {seek_buttons(answer)}
    }
}

/// The buttons that go to the guess and to the answer on the timeline.
fn seek_buttons(answer: &GuessAnswer) -> impl IntoView + use<> {
    let controller = use_controller();
    let place = answer.answer_place;
    let is_at = move |at| Signal::derive(move || controller.now.get() == at);
    let guess = answer.guess_place.map(|at| {
        view! {
            <Button
                class="btn btn-line"
                test_id="seek-guess"
                pressed=is_at(at)
                on_press=move || controller.seek(at)
            >
                {move || (words().learn.seek_guess)(at)}
            </Button>
        }
    });
    view! {
        <p class="sees">
            <span>{move || words().learn.see_on_timeline}</span>
            {guess}
            <Button
                class="btn btn-line"
                test_id="seek-answer"
                pressed=is_at(place.at)
                on_press=move || controller.visit(place.target())
            >
                {move || (words().learn.seek_answer)(place.at)}
            </Button>
        </p>
    }
}
