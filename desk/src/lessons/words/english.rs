//! The strings around lessons and questions in English. The texts of the lessons are not here: they
//! are in their scenarios.

use lictor_view::format::{clock, whole_seconds};
use lictor_view::language::english::seconds;

use super::Words;
use crate::lessons::{AnswerMoment, GuessAnswer, MeasuredValue, QuestionState, Topic};

pub(super) const WORDS: Words = Words {
    skip_to_question: "Skip to the question",
    learn: "Learn",
    heading: "What do you believe about Consul locks?",
    intro: "Each question takes about a minute. It stops a running story before an event that \
            many people predict wrongly, and names its source.",
    topic: |topic| match topic {
        Topic::Free => "When is it free?",
        Topic::Protects => "What does a lock protect?",
        Topic::Ends => "What ends a session?",
        Topic::Believes => "Who thinks they hold it?",
        Topic::Slots => "Slots, watches and checks",
        Topic::Network => "When the network fails",
    },
    sandbox: "Empty sandbox",
    sandbox_text: "Three clients, one server, nothing else",
    page: |page, of| format!("{page} of {of}"),
    next: "Next",
    next_page: "Next page",
    back: "Back",
    lesson: "Lesson",
    close: "Leave the story",
    again: "Play again",

    about: |consul| {
        format!(
            "Lictor runs a {consul} server in this page: see who holds a lock, who only believes \
             so, and when the next client gets in."
        )
    },
    own_text: "Something of your own?",
    visit_guide: "Paste commands or a guide",
    visit_sandbox: "Open the sandbox",
    fresh_sandbox: "three clients, one server, time at 0",
    all_questions: |count| format!("All {count} questions"),
    tab_questions: "Questions",
    tab_guide: "Guide",
    tab_sandbox: "Sandbox",

    question_of: |number, of| format!("Question {number} of {of}"),
    choices: "Your guess",
    guess: "Guess",
    choose_first: "Choose an answer first.",
    skip: "Show me without a guess",
    guess_first: "Guess first",
    renewed_ago: |ttl, ago| format!("TTL {}, last renewed {} ago", seconds(ttl), seconds(ago)),
    made_ago: |ttl, ago| format!("TTL {}, made {} ago", seconds(ttl), seconds(ago)),
    changed: "You have changed the story.",
    put_lesson_back: "Put it back",

    verdict,
    your_guess: "your guess",
    counted_from: |seconds| format!("since {seconds} s"),
    the_answer: "the answer",
    see_on_timeline: "See it on the timeline:",
    seek_guess: |at| format!("{} s, your guess", clock(at)),
    seek_answer: |at, shows| match shows {
        AnswerMoment::Time => format!("{} s, the answer", clock(at)),
        AnswerMoment::Event => format!("at {} s", clock(at)),
        AnswerMoment::End => format!("{} s, the end", clock(at)),
    },
    helped: "What would have helped",
    without_fix: "Without the fix",
    with_fix: "With the fix",
    outcome: |value, was| {
        let value = match value {
            MeasuredValue::Choice(text) | MeasuredValue::Text(text) => text,
            MeasuredValue::Span(span) => format!("{} s", whole_seconds(span)),
            MeasuredValue::Never => "never".to_owned(),
        };
        match was {
            Some(was) => format!("The answer changes from “{was}” to “{value}”."),
            None => format!("The answer is still “{value}”."),
        }
    },
    seek_outcome: |at| format!("{} s, with this change", clock(at)),
    next_question: "Next question",
    next_title: |number, of, title| format!("{number} of {of}: {title}"),

    mark: |mark| match mark {
        QuestionState::Open => "open",
        QuestionState::Next => "this one next",
        QuestionState::GuessedRight => "guessed right",
        QuestionState::Answered => "answered, not guessed right",
    },
    scores: |answered, of, right| match answered {
        0 => "none answered yet".into(),
        answered => format!("{answered} of {of} answered, {right} guessed right"),
    },
    go_on: |number| format!("Continue with question {number}"),
    stays_here: "Progress stays in this browser.",
    forget: "Reset it",
};

fn verdict(answer: &GuessAnswer) -> String {
    let (right, reason) = (&answer.right.english, &answer.reason.english);
    match &answer.guessed {
        Some(guessed) if answer.is_right => {
            format!("You said {}, and it was {right}, because {reason}", guessed.english)
        }
        Some(guessed) => format!("You said {}. It was {right}, because {reason}", guessed.english),
        None => format!("It was {right}, because {reason}"),
    }
}
