//! Plays a scenario: performs its script on a new timeline, and measures the answer of its
//! question. A line whose outcome differs from the script is an error.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::read::squeezed;
use super::{Measure, Numbered, Part, Scenario, ScenarioError, ScenarioProblem, Text, Variant};
use crate::timeline::{Position, Timeline};
use crate::trace::{TraceLine, TraceWriter, act_of};
use crate::{Act, Checks, END, SimEvent, World};
use lictor_core::duration;
use lictor_core::time::Instant;

/// Separates the parts of a pattern; any text may come between them.
const GAP: &str = " ... ";
/// When something happens that does not.
const NEVER: &str = "never";

/// A scenario that was played to its end.
#[derive(Clone, Debug)]
pub struct Played {
    pub timeline: Timeline,
    pub checks: Checks,
    /// What is said, and where in the past.
    pub stages: Vec<Cue>,
    /// What happened, in lines.
    pub story: Vec<TraceLine>,
}

/// Something that is said at a place in the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cue {
    pub position: Position,
    pub scene: Scene,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scene {
    Chapter(Text),
    Beat(Text),
    /// The answer is the world's, and among the choices.
    Question {
        text: Text,
        choices: Vec<String>,
        answer: String,
    },
}

impl Scenario {
    /// Plays all of it. An error names the line that does not go as it says; whether all is met
    /// that is expected in the end, only [`rehearse`](Self::rehearse) looks.
    pub fn play(&self, variant: Variant) -> Result<Played, ScenarioError> {
        let played = self.perform(variant)?;
        let mut stages = Vec::new();
        for (position, part) in &played.said {
            let scene = match &part.of {
                Part::Chapter(text) => Scene::Chapter(text.clone()),
                Part::Beat(text) => Scene::Beat(text.clone()),
                Part::Question { text, choices, answer } => {
                    let answer = played.measured(answer);
                    let answer = answer.ok_or_else(|| part.error(ScenarioProblem::NotMeasured))?;
                    if variant == Variant::Plain && !choices.contains(&answer) {
                        return Err(part.error(ScenarioProblem::AnswerIsNoChoice(answer)));
                    }
                    Scene::Question { text: text.clone(), choices: choices.clone(), answer }
                }
                Part::ProgramEvent { .. } => continue,
            };
            stages.push(Cue { position: *position, scene });
        }
        let Stagehand { timeline, checks, story, .. } = played;
        Ok(Played { timeline, checks, stages, story })
    }

    /// Does what the script says, without a look at its expectations.
    fn perform(&self, variant: Variant) -> Result<Stagehand<'_>, ScenarioError> {
        let mut hand = Stagehand::new(self.seed);
        for actor in &self.cast {
            hand.act(Act::Join { actor: actor.clone() });
        }
        for part in self.parts.iter().filter(|part| part.is_in(variant)) {
            match &part.of {
                Part::ProgramEvent { at, .. } => {
                    hand.wait(*at);
                    hand.do_as_told(part)?;
                }
                Part::Chapter(_) | Part::Beat(_) | Part::Question { .. } => {
                    hand.said.push((hand.timeline.position(), part));
                }
            }
        }
        hand.wait(self.end);
        Ok(hand)
    }
}

/// A script while it is performed: its timeline, story and checks.
struct Stagehand<'a> {
    timeline: Timeline,
    checks: Checks,
    teller: TraceWriter,
    story: Vec<TraceLine>,
    said: Vec<(Position, &'a Numbered<Part>)>,
}

impl Stagehand<'_> {
    fn new(seed: u64) -> Self {
        let world = World::new(seed);
        Self {
            checks: Checks::of(&world),
            timeline: Timeline::new(world),
            teller: TraceWriter::default(),
            story: Vec::new(),
            said: Vec::new(),
        }
    }

    fn wait(&mut self, until: Instant) {
        while self.timeline.world().now() < until.min(END) {
            let events = self.timeline.advance(until);
            self.watch(&events);
        }
    }

    fn act(&mut self, act: Act) {
        let events = self.timeline.perform(act);
        self.watch(&events);
    }

    fn watch(&mut self, events: &[SimEvent]) {
        events.iter().for_each(|event| self.checks.follow(event));
        self.story.extend(self.teller.tell(events));
    }

    fn do_as_told(&mut self, part: &Numbered<Part>) -> Result<(), ScenarioError> {
        let Part::ProgramEvent { at, actor, name, what, outcome } = &part.of else { return Ok(()) };
        if *at < self.timeline.world().now() {
            return Err(part.error(ScenarioProblem::BackInTime));
        }
        let act = act_of(actor, what, &self.teller.names);
        let act = act.map_err(|error| part.error(error))?;
        self.timeline.world().check_act(&act).map_err(|error| part.error(error))?;
        let before = self.story.len();
        self.act(act);
        if let Some(name) = name {
            let made = self.teller.names.latest();
            let id = made.ok_or_else(|| part.error(ScenarioProblem::NoSession))?;
            self.teller.names.call(id, name.clone());
        }
        let Some(expected) = outcome else { return Ok(()) };
        let told = self.story[before..].iter().find_map(|line| line.outcome.clone());
        let told = told.unwrap_or_else(|| "nothing yet".into());
        if told.starts_with(expected.as_str()) {
            return Ok(());
        }
        let expected = expected.clone();
        Err(part.error(ScenarioProblem::OtherOutcome { expected, actual: told }))
    }

    fn measured(&self, measure: &Measure) -> Option<String> {
        match measure {
            Measure::When(pattern) => {
                let first = lines_with(&self.story, pattern).next();
                Some(first.map_or_else(|| NEVER.into(), |line| span(line.at)))
            }
            Measure::Count(pattern) => Some(lines_with(&self.story, pattern).count().to_string()),
            Measure::Outcome(pattern) => {
                lines_with(&self.story, pattern).find_map(|line| line.outcome.clone())
            }
            Measure::Verdict(pattern) => {
                let outcome =
                    lines_with(&self.story, pattern).find_map(|line| line.outcome.as_deref())?;
                outcome.split([' ', ':']).next().map(String::from)
            }
            Measure::Overlap => {
                let overlap = self.checks.overlap(self.timeline.world().now());
                Some(duration::print(overlap))
            }
        }
    }
}

/// The lines of a story that have a pattern in them.
pub(super) fn lines_with<'a>(
    story: &'a [TraceLine],
    pattern: &'a str,
) -> impl Iterator<Item = &'a TraceLine> {
    story.iter().filter(move |line| {
        let text = squeezed(&line.to_string());
        pattern.split(GAP).all(|part| text.contains(part))
    })
}

fn span(at: Instant) -> String {
    duration::print(at.since(Instant::EPOCH))
}
