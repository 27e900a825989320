//! The answer to a guess: what was guessed, what happened and why, the marked choices, and the
//! buttons that go to the guess and to the answer on the timeline. With the fix of the lesson: the
//! answer with it, beside the answer without it.

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_desk::lessons::{
    AnswerMoment, ChoiceMark, FixOutcome, Guess, GuessAnswer, Question, in_language,
};
use lictor_sim::scenario::BilingualText;
use lictor_view::format::clock;
use lictor_view::rows::{self, ForecastVisibility};

use super::keyed_text;
use crate::components::{Button, Glyph, Icon, use_one_column};
use crate::platform::words::{language, lesson_words, row_words};
use crate::state::controller::use_controller;
use crate::state::dispatch::Dispatch;

/// The test id of the sentence that answers the guess. It has the focus after the guess, so that
/// it is read out, and the buttons that lead to the evidence are next.
pub(super) const VERDICT: &str = "story-verdict";

/// The sentence that answers the guess: the answer, and its reason.
#[component]
pub(super) fn Verdict(answer: GuessAnswer) -> impl IntoView {
    let dispatch = expect_context::<Dispatch>();
    let language = language();
    let sentence = (lesson_words().verdict)(&answer);
    // The sentence ends with the reason; what precedes it is the answer.
    let reason = in_language(&answer.reason, language);
    let lead = sentence.strip_suffix(reason).unwrap_or_default().to_owned();
    let reason = sentence[lead.len()..].to_owned();
    let label = |text: &BilingualText| in_language(text, language).to_owned();
    let guessed = answer.guessed.as_ref().filter(|_| !answer.is_right);
    let answers = [guessed.map(label), Some(label(&answer.right))];
    view! {
        <p class="verdict" data-testid=VERDICT tabindex="-1" role="status">
            {move || verdict_lead(&lead, &answers)}
            {move || keyed_text(&reason, &dispatch.known_keys())}
        </p>
    }
}

/// The whole answer to a guess, below its question.
pub(super) fn verdict(question: &Question, answer: &GuessAnswer) -> impl IntoView + use<> {
    let words = lesson_words();
    let language = language();
    let marks = question.choices.iter().zip(&answer.marks).map(|(choice, mark)| {
        let label = in_language(&choice.label, language).to_owned();
        let (class, sign, note) = match mark {
            ChoiceMark::Right => ("mark yes", Some(Glyph::Check), words.the_answer),
            ChoiceMark::Wrong => ("mark no", Some(Glyph::Cross), words.your_guess),
            ChoiceMark::Plain => ("mark", None, ""),
        };
        let sign = sign.map(|glyph| view! { <Icon glyph small=true/> });
        view! { <li class=class>{sign}<b>{label}</b><span>{note}</span></li> }
    });
    let marks = marks.collect_view();
    view! {
        <Verdict answer=answer.clone()/>
        <ul class="marks">{marks}</ul>
        {seek_buttons(answer)}
        {seen_event(answer)}
    }
}

/// The first part of the sentence, with a wrong guess and the answer marked in it.
fn verdict_lead(lead: &str, [wrong, right]: &[Option<String>; 2]) -> impl IntoView + use<> {
    let mut parts = Vec::new();
    let mut rest = lead;
    for (text, class) in [(wrong, "is-danger"), (right, "is-ok")] {
        let found = text.as_deref().and_then(|text| Some((rest.find(text)?, text)));
        if let Some((start, text)) = found {
            let (before, text) = (rest[..start].to_owned(), text.to_owned());
            rest = &rest[start + text.len()..];
            parts.push(view! { {before}<em class=class>{text}</em> });
        }
    }
    view! { <b>{parts}{rest.to_owned()}</b> }
}

/// The event that shows the answer, in one line, since a narrow page has the list of events far
/// below. `None` if no event shows it: a time, or a state that lasts to the end of the lesson, is
/// seen on the lanes.
fn seen_event(answer: &GuessAnswer) -> Option<impl IntoView + use<>> {
    if answer.evidence.moment != AnswerMoment::Event {
        return None;
    }
    let controller = use_controller();
    let row = controller.with_record_at_end(|whole| answer.evidence.row(whole).cloned())?;
    let words = row_words();
    let rows::Words { second, colon, .. } = words;
    let description = words.description(&row, ForecastVisibility::Open);
    let text = format!("{}{second}{colon}{description}", clock(row.at));
    Some(view! { <p class="small story-event" data-testid="story-event">{text}</p> })
}

/// Scrolls a narrow page so that the buttons, one of which has the focus, are at the top and the
/// lanes below them in view.
fn show_lanes(is_narrow: bool) {
    if is_narrow && let Ok(Some(buttons)) = document().query_selector(".sees") {
        buttons.scroll_into_view();
    }
}

/// A button that goes to a time of the timeline. It is pressed while the cursor is there.
fn seek_button(
    test_id: &'static str,
    at: Instant,
    text: String,
    on_press: impl Fn() + 'static,
) -> impl IntoView {
    let controller = use_controller();
    let pressed = Signal::derive(move || controller.now.get() == at);
    view! { <Button class="btn btn-line" test_id pressed on_press>{text}</Button> }
}

/// The buttons that go to the guess and to the answer on the timeline.
fn seek_buttons(answer: &GuessAnswer) -> impl IntoView + use<> {
    let controller = use_controller();
    let is_narrow = use_one_column();
    let evidence = answer.evidence;
    let words = lesson_words();
    let guess = answer.guessed_time.map(|at| {
        seek_button("seek-guess", at, (words.seek_guess)(at), move || {
            controller.seek(at);
            show_lanes(is_narrow.get_untracked());
        })
    });
    let text = (words.seek_answer)(evidence.at, evidence.moment);
    let right = seek_button("seek-answer", evidence.at, text, move || {
        controller.visit(evidence.target());
        show_lanes(is_narrow.get_untracked());
    });
    view! { <p class="sees"><span>{words.see_on_timeline}</span> {guess} {right}</p> }
}

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
    let text = (words.seek_outcome)(at);
    let seek = seek_button("seek-outcome", at, text, move || controller.visit(target));
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
        <p class="sees"><span>{words.see_on_timeline}</span> {seek}</p>
    })
}
