//! Plays a scenario: performs its script on a new timeline, and measures the answer of its
//! question. A line whose outcome differs from the script is an error.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::duration;
use lictor_core::time::Instant;

use super::read::squeezed;
use super::{
    BilingualText, Choice, Measure, Numbered, Scenario, ScenarioError, ScenarioPart,
    ScenarioProblem, Variant, WrittenQuestion,
};
use crate::act::{Act, ActError};
use crate::checks::Checks;
use crate::event::SimEvent;
use crate::timeline::{Position, SeekTarget, Timeline};
use crate::trace::{TraceLine, TraceWriter, act_of};
use crate::world::{END, World};

/// Separates the parts of a pattern; any text may come between them.
const GAP: &str = " ... ";
/// The measured time of something that does not happen.
const NEVER: &str = "never";
/// The measured length of an overlap that has not ended with the lesson.
const LASTS: &str = "lasts";

/// A scenario that was played to its end.
#[derive(Clone, Debug)]
pub struct Played {
    /// The timeline, with the cursor at the end or at the answer of the question.
    pub timeline: Timeline,
    /// The checks after its last event.
    pub checks: Checks,
    /// The texts of the scenario with their positions.
    pub stages: Vec<Cue>,
    /// The events as lines.
    pub trace: Vec<TraceLine>,
}

/// A text or question at a position of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cue {
    /// Where it is shown.
    pub position: Position,
    /// What is shown.
    pub scene: Scene,
}

/// What a scenario shows at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scene {
    /// The text of a page.
    Chapter(BilingualText),
    /// A sentence about the next event.
    Beat(BilingualText),
    /// A question with its choices.
    Question(Question),
}

/// A question with its answer, which the engine has computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub text: BilingualText,
    /// The possible answers; one of them is right.
    pub choices: Vec<Choice>,
    /// Why the answer is what it is, to be read after "because".
    pub reason: BilingualText,
    /// The time from which the times among the choices count, if that is not 0 s.
    pub since: Option<Instant>,
    /// The name of the time from there to the right answer.
    pub span: Option<BilingualText>,
    /// The right answer.
    pub answer: MeasuredAnswer,
}

/// What was measured for the answer of a question, and the position that shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// A span of time, a number, an outcome or the first word of one: `20s`, `3`, `true`.
    pub value: String,
    /// When a measured time begins; at the beginning of the lesson if it is `None`.
    pub since: Option<Instant>,
    /// Directly after the event that shows it, or the end of the lesson.
    pub position: Position,
    /// The number of that event.
    pub event: Option<u64>,
    /// Whether only the end of the lesson shows it.
    pub is_at_end: bool,
}

/// The answer of a question, and the position that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredAnswer {
    /// The right one of the choices, counted from 0.
    pub choice: usize,
    /// Directly after the event that shows the answer, or the end of the lesson.
    pub position: Position,
    /// The number of the event that shows the answer, if there is one.
    pub event: Option<u64>,
    /// Whether only the end of the lesson shows the answer: nothing happens until then, or what the
    /// event has begun still lasts.
    pub is_at_end: bool,
}

/// The result of a measurement, and the line of the trace that shows it.
struct Measured {
    value: String,
    line: Option<usize>,
    /// Whether what the line has begun lasts until the end.
    lasts: bool,
}

impl Measured {
    fn at(line: Option<usize>, value: impl Into<String>) -> Self {
        Self { value: value.into(), line, lasts: false }
    }
}

impl Scenario {
    /// Plays the whole scenario. Only [`rehearse`](Self::rehearse) checks the expectations at the
    /// end. The fixed variant has no question.
    ///
    /// # Errors
    ///
    /// Names the first line whose act is refused or whose outcome differs from the script, or whose
    /// question cannot be answered.
    pub fn play(&self, variant: Variant) -> Result<Played, ScenarioError> {
        let mut played = self.play_script(variant)?;
        let mut stages = Vec::new();
        for (position, part) in core::mem::take(&mut played.texts) {
            let scene = match &part.item {
                ScenarioPart::Chapter(text) => Scene::Chapter(text.clone()),
                ScenarioPart::Beat(text) => Scene::Beat(text.clone()),
                ScenarioPart::Question(question) if variant == Variant::Plain => {
                    self.prove(&played, part, question)?;
                    let question = played.answered(question);
                    Scene::Question(question.map_err(|problem| part.error(problem))?)
                }
                ScenarioPart::Question(_)
                | ScenarioPart::TraceLine { .. }
                | ScenarioPart::Wait(_) => continue,
            };
            stages.push(Cue { position, scene });
        }
        let ScenarioPlayer { timeline, checks, trace, .. } = played;
        Ok(Played { timeline, checks, stages, trace })
    }

    /// What the measurement of the question's answer gives in a variant, and the position that
    /// shows it. In the fixed variant it may be none of the choices.
    ///
    /// # Errors
    ///
    /// As [`Self::play`]; also if nothing is asked.
    pub fn measure(&self, variant: Variant) -> Result<Measurement, ScenarioError> {
        let mut played = self.play_script(variant)?;
        let asked = self.parts.iter().find_map(|part| match &part.item {
            ScenarioPart::Question(question) => Some((part, question)),
            _ => None,
        });
        let missing = ScenarioError { line: 0, problem: ScenarioProblem::NotMeasured };
        let (part, question) = asked.ok_or(missing)?;
        self.prove(&played, part, question)?;
        played.measurement(question).map_err(|problem| part.error(problem))
    }

    /// Refuses a question whose condition is met in no variant: that it is not met in one variant
    /// is an answer only if it is met in the other.
    fn prove(
        &self,
        played: &ScenarioPlayer,
        part: &Numbered<ScenarioPart>,
        question: &WrittenQuestion,
    ) -> Result<(), ScenarioError> {
        let Err(problem) = played.meets(&question.answer) else { return Ok(()) };
        let other = match played.variant {
            Variant::Plain => Variant::Fixed,
            Variant::Fixed => Variant::Plain,
        };
        let is_met = self.play_script(other)?.meets(&question.answer).is_ok();
        if is_met { Ok(()) } else { Err(part.error(problem)) }
    }

    /// Plays the script, without its expectations.
    fn play_script(&self, variant: Variant) -> Result<ScenarioPlayer<'_>, ScenarioError> {
        let mut player = ScenarioPlayer::new(self.seed, variant);
        for actor in &self.cast {
            let joined = player.act(Act::Join { actor: actor.clone() });
            joined.map_err(|error| ScenarioError { line: 1, problem: error.into() })?;
        }
        for part in self.parts.iter().filter(|part| part.is_in(variant)) {
            match &part.item {
                ScenarioPart::TraceLine { at, .. } => {
                    player.wait(*at);
                    player.play_part(part)?;
                }
                ScenarioPart::Wait(until) => player.wait(*until),
                ScenarioPart::Chapter(_) | ScenarioPart::Beat(_) | ScenarioPart::Question(_) => {
                    player.texts.push((player.timeline.position(), part));
                }
            }
        }
        player.wait(self.end);
        Ok(player)
    }
}

/// A script while it is performed: its timeline, trace and checks.
struct ScenarioPlayer<'a> {
    variant: Variant,
    timeline: Timeline,
    checks: Checks,
    writer: TraceWriter,
    trace: Vec<TraceLine>,
    /// The numbers of the events of the lines in the trace.
    numbers: Vec<u64>,
    texts: Vec<(Position, &'a Numbered<ScenarioPart>)>,
}

impl ScenarioPlayer<'_> {
    fn new(seed: u64, variant: Variant) -> Self {
        let world = World::new(seed);
        Self {
            variant,
            checks: Checks::of(&world),
            timeline: Timeline::new(world),
            writer: TraceWriter::default(),
            trace: Vec::new(),
            numbers: Vec::new(),
            texts: Vec::new(),
        }
    }

    fn wait(&mut self, until: Instant) {
        while self.timeline.world().now() < until.min(END) {
            let events = self.timeline.advance_to(until);
            self.watch(&events);
        }
    }

    fn act(&mut self, act: Act) -> Result<(), ActError> {
        let events = self.timeline.perform(act)?;
        self.watch(&events);
        Ok(())
    }

    fn watch(&mut self, events: &[SimEvent]) {
        for event in events {
            self.checks.follow(event);
            let lines = self.writer.lines_of(core::slice::from_ref(event));
            self.numbers.extend(lines.iter().map(|_| event.number));
            self.trace.extend(lines);
        }
    }

    fn play_part(&mut self, part: &Numbered<ScenarioPart>) -> Result<(), ScenarioError> {
        let ScenarioPart::TraceLine { at, actor, name, what, outcome } = &part.item else {
            return Ok(());
        };
        if *at < self.timeline.world().now() {
            return Err(part.error(ScenarioProblem::BackInTime));
        }
        let act = act_of(actor, what, &self.writer.names).map_err(|error| part.error(error))?;
        let before = self.trace.len();
        self.act(act).map_err(|error| part.error(error))?;
        if let Some(name) = name {
            let made = self.writer.names.latest();
            let id = made.ok_or_else(|| part.error(ScenarioProblem::NoSession))?;
            self.writer.names.call(id, name.clone());
        }
        let Some(expected) = outcome else { return Ok(()) };
        let mut own = self.trace[before..].iter().filter(|line| line.actor == *actor);
        let outcome = own.find_map(|line| line.outcome.clone());
        let actual = outcome.unwrap_or_else(|| "nothing yet".into());
        if actual.starts_with(expected.as_str()) {
            return Ok(());
        }
        let expected = expected.clone();
        Err(part.error(ScenarioProblem::OtherOutcome { expected, actual }))
    }

    fn measurement(&mut self, question: &WrittenQuestion) -> Result<Measurement, ScenarioProblem> {
        let since = match &question.since {
            Some(pattern) => {
                let line = self.line_with(pattern).ok_or(ScenarioProblem::NotMeasured)?;
                Some(self.trace[line].at)
            }
            None => None,
        };
        let begin = since.unwrap_or(Instant::EPOCH);
        let found = self.measured(&question.answer, begin).ok_or(ScenarioProblem::NotMeasured)?;
        let Measured { value, line, lasts } = found;
        let event = line.map(|line| self.numbers[line]);
        let end = self.timeline.here().end();
        let shown = if lasts { None } else { event };
        let position = shown.map_or(end, |event| self.timeline.seek(SeekTarget::SimEvent(event)));
        Ok(Measurement { value, since, position, event, is_at_end: shown.is_none() })
    }

    /// A question with the answer that the played script gives.
    fn answered(&mut self, question: &WrittenQuestion) -> Result<Question, ScenarioProblem> {
        let Measurement { value, since, position, event, is_at_end } =
            self.measurement(question)?;
        let Some(choice) = question.choices.iter().position(|choice| choice.value == value) else {
            return Err(ScenarioProblem::AnswerIsNoChoice(value));
        };
        let begin = since.unwrap_or(Instant::EPOCH);
        let choices = question.choices.iter().map(|choice| {
            let span = if question.answer.is_time() { span_of(&choice.value) } else { None };
            Choice { at: span.map(|span| begin.plus(span)), ..choice.clone() }
        });
        Ok(Question {
            text: question.text.clone(),
            choices: choices.collect(),
            reason: question.reason.clone(),
            since,
            span: question.span.clone(),
            answer: MeasuredAnswer { choice, position, event, is_at_end },
        })
    }

    fn measured(&self, measure: &Measure, since: Instant) -> Option<Measured> {
        let lines = |pattern| places_with(&self.trace, pattern);
        Some(match measure {
            Measure::When(pattern) => match lines(pattern).find(|at| self.trace[*at].at >= since) {
                Some(line) => {
                    let value = duration::print(self.trace[line].at.since(since));
                    Measured::at(Some(line), value)
                }
                None => Measured::at(None, NEVER),
            },
            Measure::Count(pattern) => {
                Measured::at(lines(pattern).last(), lines(pattern).count().to_string())
            }
            Measure::Outcome(pattern) => {
                let line = lines(pattern).find(|at| self.trace[*at].outcome.is_some())?;
                Measured::at(Some(line), self.trace[line].outcome.clone()?)
            }
            Measure::Verdict(pattern) => {
                let line = lines(pattern).find(|at| self.trace[*at].outcome.is_some())?;
                let outcome = self.trace[line].outcome.as_deref()?;
                Measured::at(Some(line), outcome.split([' ', ':']).next()?)
            }
            Measure::Overlap => {
                let last = self.checks.overlaps().last();
                let line = |event: u64| self.numbers.iter().position(|it| *it == event);
                let (began, ended) =
                    last.map_or((None, None), |it| (Some(it.events.0), it.events.1));
                let overlap = || duration::print(self.checks.overlap(self.timeline.world().now()));
                match (began, ended) {
                    (Some(began), None) => {
                        Measured { value: LASTS.into(), line: line(began), lasts: true }
                    }
                    _ => Measured::at(ended.and_then(line), overlap()),
                }
            }
        })
    }

    /// Whether the condition of a measurement is met.
    fn meets(&self, measure: &Measure) -> Result<(), ScenarioProblem> {
        match measure {
            Measure::When(pattern)
            | Measure::Count(pattern)
            | Measure::Outcome(pattern)
            | Measure::Verdict(pattern) => {
                let missing = || ScenarioProblem::MatchesNothing(pattern.clone());
                self.line_with(pattern).map(|_| ()).ok_or_else(missing)
            }
            Measure::Overlap if self.checks.overlaps().is_empty() => {
                Err(ScenarioProblem::NoOverlap)
            }
            Measure::Overlap => Ok(()),
        }
    }

    fn line_with(&self, pattern: &str) -> Option<usize> {
        places_with(&self.trace, pattern).next()
    }
}

fn span_of(text: &str) -> Option<Duration> {
    let nanos = duration::parse(text).ok()?;
    Some(Duration::from_nanos(u64::try_from(nanos).ok()?))
}

impl Measure {
    /// Whether the answer is a time.
    fn is_time(&self) -> bool {
        matches!(self, Self::When(_))
    }
}

/// The positions of the lines that contain a pattern.
pub(super) fn places_with<'a>(
    trace: &'a [TraceLine],
    pattern: &'a str,
) -> impl Iterator<Item = usize> + 'a {
    let has_it = move |line: &TraceLine| {
        let text = squeezed(&line.to_string());
        pattern.split(GAP).all(|part| text.contains(part))
    };
    trace.iter().enumerate().filter(move |(_, line)| has_it(line)).map(|(index, _)| index)
}
