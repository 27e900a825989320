//! A reader's guess at a lesson's question, and the page's reaction: the right choice, the reason,
//! and the position on the timeline that shows it. The answer comes from the played scenario.

use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_sim::record::{EventRow, Record};
use lictor_sim::scenario::{BilingualText, Choice, Question};
use lictor_sim::timeline::{Position, SeekTarget};

/// How a reader answered a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// One of the choices, counted from 0.
    Choice(usize),
    /// The answer was shown without a guess.
    Skipped,
}

/// How a choice is marked after the guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceMark {
    /// It is the answer, guessed or not.
    Right,
    /// It was guessed, and is not the answer.
    Wrong,
    /// It is not the answer, and was not guessed.
    Plain,
}

/// The reaction to a guess.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuessAnswer {
    /// The choice that was guessed. `None` if the answer was shown without a guess.
    pub guessed: Option<BilingualText>,
    pub right: BilingualText,
    pub is_right: bool,
    /// The reason, as a clause that follows "because".
    pub reason: BilingualText,
    /// A mark for each choice, in their order.
    pub marks: Vec<ChoiceMark>,
    /// The time of a wrong guess, if the choices are times.
    pub guessed_time: Option<Instant>,
    pub evidence: AnswerEvidence,
}

/// The position on the timeline that shows an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerEvidence {
    pub at: Instant,
    pub position: Position,
    pub moment: AnswerMoment,
    /// The number of the event that shows it. `None` if no event does.
    event: Option<u64>,
}

/// How the position of an answer shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerMoment {
    /// The answer is its time.
    Time,
    /// An event there shows the answer.
    Event,
    /// The lesson ends there: nothing has happened, or something still lasts.
    End,
}

impl Guess {
    /// The guessed choice; `None` without a guess.
    pub fn choice(self) -> Option<usize> {
        match self {
            Self::Choice(choice) => Some(choice),
            Self::Skipped => None,
        }
    }
}

impl GuessAnswer {
    /// The answer to a guess. A choice that does not exist counts as no guess.
    pub fn new(question: &Question, guess: Guess) -> Self {
        let right = question.answer.choice;
        let guessed = guess.choice().filter(|choice| *choice < question.choices.len());
        let mark = |choice: usize| match choice {
            _ if choice == right => ChoiceMark::Right,
            _ if Some(choice) == guessed => ChoiceMark::Wrong,
            _ => ChoiceMark::Plain,
        };
        let label = |choice: usize| question.choices[choice].label.clone();
        let wrong = guessed.filter(|choice| *choice != right);
        let moment = match question.choices[right].at {
            _ if question.answer.is_at_end => AnswerMoment::End,
            Some(_) => AnswerMoment::Time,
            None => AnswerMoment::Event,
        };
        Self {
            guessed: guessed.map(label),
            right: label(right),
            is_right: guessed == Some(right),
            reason: question.reason.clone(),
            marks: (0..question.choices.len()).map(mark).collect(),
            guessed_time: wrong.and_then(|choice| question.choices[choice].at),
            evidence: AnswerEvidence {
                at: question.answer.position.at,
                position: question.answer.position,
                moment,
                event: question.answer.event,
            },
        }
    }
}

impl AnswerEvidence {
    /// The place to which the cursor moves to show the answer.
    pub fn target(&self) -> SeekTarget {
        SeekTarget::Position(self.position)
    }

    /// The row of the event list that shows it. `None` if no event does.
    pub fn row<'a>(&self, history: &'a Record) -> Option<&'a Arc<EventRow>> {
        let event = self.event?;
        let rows = history.events();
        let after = rows.partition_point(|row| row.event <= event);
        rows.get(after.checked_sub(1)?)
    }
}

/// The choices that are times, with their times: the page draws them as pins on the axis.
pub fn pins(question: &Question) -> Vec<(usize, Instant)> {
    let timed = |(index, choice): (usize, &Choice)| Some((index, choice.at?));
    question.choices.iter().enumerate().filter_map(timed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{Lesson, words};
    use lictor_sim::World;
    use lictor_sim::scenario::{SCENARIOS, Variant};
    use lictor_sim::timeline::Timeline;
    use lictor_view::language::Language;
    use lictor_view::rows::{self, ForecastVisibility};
    use lictor_view::time_travel::TimeTravel;

    fn lessons() -> impl Iterator<Item = Lesson> {
        let numbers = 1..=SCENARIOS.len() as u32;
        numbers.map(|number| Lesson::play(number, Variant::Plain).expect("it was tested"))
    }

    /// The same acts on the page's own timeline lead to the same event.
    #[test]
    fn each_answer_is_the_event_at_its_position_on_the_page() {
        for lesson in lessons() {
            let (_, question) = lesson.question().expect("it asks one");
            let answer = GuessAnswer::new(question, Guess::Skipped);
            let mut past = TimeTravel::new(Timeline::recorded(World::new(lesson.scenario.seed)));
            let end = lesson.pages.last().expect("it has pages").position;
            past.play_script(&lesson.script, end, "story");
            past.seek(answer.evidence.target());
            assert_eq!(past.world().now(), answer.evidence.at, "{}", lesson.scenario.name);
            let name = &lesson.scenario.name;
            let row = answer.evidence.row(past.record());
            assert_eq!(row.is_some(), answer.evidence.event.is_some(), "{name}");
            match answer.evidence.moment {
                AnswerMoment::End => assert_eq!(past.timeline().position(), end, "{name}"),
                _ => assert_eq!(row.map(|row| row.at), Some(answer.evidence.at), "{name}"),
            }
        }
    }

    #[test]
    fn only_an_answer_that_is_a_time_is_called_one() {
        let moment = |number| {
            let lesson = Lesson::play(number, Variant::Plain).expect("it was tested");
            let (_, question) = lesson.question().expect("it asks one");
            GuessAnswer::new(question, Guess::Skipped).evidence.moment
        };
        let at = Instant::from_millis(67_000);
        let label = |moment| (words(Language::English).seek_answer)(at, moment);
        assert_eq!(moment(1), AnswerMoment::Time);
        assert_eq!(label(moment(1)), "67.0 s, the answer");
        assert_eq!(moment(10), AnswerMoment::Event, "a late write is accepted");
        assert_eq!(label(moment(10)), "at 67.0 s");
        assert_eq!(moment(15), AnswerMoment::Event, "one learns that it has lost the lock");
        assert_eq!(moment(16), AnswerMoment::End, "it never happens");
        assert_eq!(label(moment(16)), "67.0 s, the end");
    }

    /// One step of the simulation may have several events; the list marks the right one.
    #[test]
    fn the_row_of_an_answer_is_the_event_that_shows_it() {
        for (number, expected) in [
            (10, "web-1: WRITE ledger w8, accepted."),
            (
                15,
                "web-1: GET kv/db/leader?consistent=&index=10, failed: dial tcp \
                 consul:8500: i/o timeout",
            ),
        ] {
            let lesson = Lesson::play(number, Variant::Plain).expect("it was tested");
            let (_, question) = lesson.question().expect("it asks one");
            let answer = GuessAnswer::new(question, Guess::Skipped);
            let mut past = TimeTravel::new(Timeline::recorded(World::new(lesson.scenario.seed)));
            let end = lesson.pages.last().expect("it has pages").position;
            past.play_script(&lesson.script, end, "story");
            let row = answer.evidence.row(past.record()).expect("it has one");
            let text = rows::words(Language::English).description(row, ForecastVisibility::Open);
            assert_eq!(text, expected, "{number}");
        }
    }

    #[test]
    fn the_reaction_has_the_guess_the_answer_and_the_reason() {
        for lesson in lessons() {
            let (_, question) = lesson.question().expect("it asks one");
            for guess in 0..question.choices.len() {
                let answer = GuessAnswer::new(question, Guess::Choice(guess));
                let is_right = guess == question.answer.choice;
                assert_eq!(answer.is_right, is_right);
                assert_eq!(answer.marks[question.answer.choice], ChoiceMark::Right);
                assert_eq!(answer.marks[guess] == ChoiceMark::Wrong, !is_right);
                for language in Language::ALL {
                    let verdict = (words(language).verdict)(&answer);
                    let name = &lesson.scenario.name;
                    assert!(verdict.contains(crate::lessons::in_language(
                        &question.choices[guess].label,
                        language
                    )));
                    assert!(
                        verdict.contains(crate::lessons::in_language(&answer.right, language)),
                        "{name}: {verdict}"
                    );
                    let reason = crate::lessons::in_language(&question.reason, language);
                    assert!(verdict.ends_with(reason), "{name}: {verdict}");
                }
            }
        }
    }

    #[test]
    fn the_first_lesson_has_a_reaction_in_words() {
        let lesson = lessons().next().expect("there are stories");
        let (_, question) = lesson.question().expect("it asks one");
        let words = words(Language::English);
        let because = "because the server waits for twice the TTL after the last renewal; the TTL \
                       only promises that the session ends no earlier.";
        for (guess, verdict) in [
            (Guess::Choice(0), format!("You said 20 s. It was 40 s, {because}")),
            (Guess::Choice(2), format!("You said 40 s, and it was 40 s, {because}")),
            (Guess::Skipped, format!("It was 40 s, {because}")),
            (Guess::Choice(9), format!("It was 40 s, {because}")),
        ] {
            assert_eq!((words.verdict)(&GuessAnswer::new(question, guess)), verdict);
        }
        let answer = GuessAnswer::new(question, Guess::Choice(0));
        assert_eq!(answer.guessed_time, Some(Instant::from_millis(40_000)));
        assert_eq!(answer.evidence.at, Instant::from_millis(60_000));
        let seconds = pins(question).into_iter().map(|(_, at)| at.as_millis() / 1000);
        assert_eq!(seconds.collect::<Vec<_>>(), [40, 50, 60, 80]);
    }
}
