//! A demo: the world of a lesson of the page, by the lesson's name, with or without its fix.
//! Reading one plays its script, and fails if an outcome is not the expected one. A demo with
//! another value of an option plays the same script without its expected outcomes.

use std::collections::BTreeSet;
use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_desk::embed::LaneKind;
use lictor_desk::share;
use lictor_sim::journal::{Journal, LinkError, PlayError};
use lictor_sim::record::Record;
use lictor_sim::scenario::{Played, SCENARIOS, Scenario, ScenarioError, Scene, Variant};
use lictor_sim::timeline::{SeekTarget, Timeline};
use lictor_sim::trace::{TraceLine, TraceWriter};
use lictor_view::language::Language;
use lictor_view::settings::Spacing;
use lictor_view::timeline::axis::Axis;
use lictor_view::timeline::draw_context::{DrawContext, DrawnLane};
use lictor_view::timeline::lane_id::{KeyLane, LaneId};
use lictor_view::timeline::page_width::PageWidth;
use lictor_view::timeline::picture::{PictureSize, SvgPicture};
use lictor_view::timeline::scale::Scale;
use lictor_view::timeline::shape::Shape;
use lictor_view::timeline::takeover::ended_takeovers;

use crate::console::ConsoleError;

/// The end of the name of a lesson with the change that would have helped.
const FIXED: &str = ".fixed";

/// Why a demo was not drawn.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("there is no demo {0}")]
    Unknown(String),
    #[error("there is no table of cuts {0}")]
    NoTable(String),
    #[error("no event of {demo} has the words {words:?}")]
    NoEvent { demo: String, words: String },
    #[error("the script of {demo} has not the first of the values {option}")]
    NotFirst { demo: String, option: String },
    #[error("the text is {text:?}, but in {demo} it is {found:?}")]
    Text { demo: String, text: String, found: String },
    #[error("{0} has no such setting, or more than one")]
    Settings(String),
    #[error("this chapter does not show {0}")]
    NotShown(String),
    #[error(transparent)]
    Commands(#[from] ConsoleError),
    #[error("the script of {0}: {1}")]
    Script(String, Box<ScenarioError>),
    #[error("the acts of {0}: {1}")]
    Play(String, PlayError),
    #[error("the link of {0}: {1}")]
    Link(String, LinkError),
}

/// A performed script.
pub struct Demo {
    pub(crate) name: String,
    pub(crate) scenario: Scenario,
    pub(crate) variant: Variant,
    pub(crate) played: Played,
    /// Its timeline with a record, at the moment of its question or else at its end.
    pub(crate) timeline: Timeline<Record>,
    /// The time of the script's question, if there is one.
    question_time: Option<Instant>,
    /// The fragment of a link to the timeline.
    pub(crate) link: String,
}

impl Demo {
    /// Plays the script of a demo by its name. Fails if there is no such demo, or if an outcome is
    /// not the one that the script expects.
    pub fn read(name: &str) -> Result<Self, DemoError> {
        let (script, variant) = script_of(name)?;
        let problem = |error| DemoError::Script(name.to_owned(), Box::new(error));
        let scenario = Scenario::read(script).map_err(problem)?;
        let played = scenario.rehearse(variant).map_err(problem)?;
        // Only the plain variant has a question; its moment is that of the other one, too.
        let stages = scenario.play(Variant::Plain).map_err(problem)?.stages;
        let question = stages.iter().find(|cue| matches!(cue.scene, Scene::Question(_)));
        let question_time = question.map(|cue| cue.position.at);
        Self::new(name, scenario, variant, played, question_time)
    }

    /// The same script in which an option of its sessions and programs has another value in place
    /// of the first. Fails if the script does not have the first value.
    pub(crate) fn with(&self, word: &str, [first, value]: [&str; 2]) -> Result<Self, DemoError> {
        let Self { name, variant, question_time, .. } = self;
        let (script, _) = script_of(name)?;
        let changed = changed(script, *variant, word, [first, value]).ok_or_else(|| {
            let option = format!("{word}={first}");
            DemoError::NotFirst { demo: name.clone(), option }
        })?;
        let problem = |error| DemoError::Script(name.clone(), Box::new(error));
        let scenario = Scenario::read(&changed).map_err(problem)?;
        let played = scenario.play(*variant).map_err(problem)?;
        Self::new(name, scenario, *variant, played, *question_time)
    }

    fn new(
        name: &str,
        scenario: Scenario,
        variant: Variant,
        played: Played,
        question_time: Option<Instant>,
    ) -> Result<Self, DemoError> {
        let recorded = Journal::of(&played.timeline).play();
        let mut timeline: Timeline<Record> =
            recorded.map_err(|error| DemoError::Play(name.to_owned(), error))?;
        if let Some(at) = question_time {
            timeline.seek(SeekTarget::Time(at));
        }
        // The trace names sessions as the picture does.
        let mut writer = TraceWriter::default();
        writer.names = timeline.record_at_end().session_names();
        let trace = writer.lines_of(&timeline.here().events(0..u64::MAX));
        let played = Played { trace, ..played };
        let link = share::link(&timeline, Spacing::Time);
        let link = link.map_err(|error| DemoError::Link(name.to_owned(), error))?;
        let name = name.to_owned();
        Ok(Self { name, scenario, variant, played, timeline, question_time, link })
    }

    /// The time of the first line of the trace that contains these words, or of the last such line
    /// if the words begin with `last`; any space between two words matches. Fails if there is no
    /// such line, or if there are no words.
    pub(crate) fn time_of(&self, words: &str) -> Result<Instant, DemoError> {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let squeezed_words = squeezed(words);
        let (is_last, wanted) = match squeezed_words.strip_prefix("last ") {
            Some(words) => (true, words),
            None => (false, &*squeezed_words),
        };
        let has_it = |line: &&TraceLine| squeezed(&line.to_string()).contains(wanted);
        let mut found = self.played.trace.iter().filter(has_it).filter(|_| !wanted.is_empty());
        let found = if is_last { found.next_back() } else { found.next() };
        let missing = || DemoError::NoEvent { demo: self.name.clone(), words: words.to_owned() };
        found.map(|line| line.at).ok_or_else(missing)
    }

    /// The record at the end of the demo.
    pub(crate) fn record(&self) -> &Record {
        self.timeline.record_at_end()
    }

    /// Whether both have the same clients and outcomes at the same times.
    pub(crate) fn goes_as(&self, other: &Self) -> bool {
        let happened = |it: &Self| -> Vec<_> {
            it.played
                .trace
                .iter()
                .map(|line| (line.at, line.actor.clone(), line.outcome.clone()))
                .collect()
        };
        happened(self) == happened(other)
    }

    /// The lanes that the lesson shows; with `has_keys` those of the keys that clients read as
    /// well.
    fn lanes(&self, has_keys: bool) -> impl Iterator<Item = LaneId> {
        LaneId::all(self.timeline.record_at_end()).into_iter().filter(move |lane| {
            lane.belongs_to(&self.scenario) || has_keys && matches!(lane, LaneId::Key(..))
        })
    }

    /// The kinds of its lanes, in the words of the attribute `lanes` of <lictor-sandbox>.
    pub(crate) fn kinds(&self, has_keys: bool) -> String {
        let kinds = self.lanes(has_keys).map(|lane| LaneKind::of(&lane).name());
        let kinds: BTreeSet<&str> = kinds.collect();
        kinds.into_iter().collect::<Vec<_>>().join(" ")
    }

    /// Its lanes with their shapes, some of which depend on the present time.
    fn drawn_lanes(
        &self,
        language: Language,
        page: PageWidth,
        axis: &Axis,
        has_keys: bool,
    ) -> Vec<DrawnLane> {
        let record = self.record();
        let until = self.timeline.here().end().at;
        let context = DrawContext { language, axis: axis.clone(), page, until, former: None };
        let mut lanes = Vec::new();
        let mut last_key = None;
        for lane in self.lanes(has_keys) {
            let mut drawn = lane.drawn(&context, record);
            if let LaneId::Key(key, kind) = lane
                && last_key.replace(key.clone()) != Some(key.clone())
                && kind != KeyLane::Value
            {
                // The first lane of a key has the name of the key, and room for a second line.
                drawn.height += 10;
                let [name, _] = drawn.title;
                drawn.title = [key.to_string(), name];
            }
            lanes.push(drawn);
        }
        lanes.extend(takeover_lane(&context, record));
        lanes
    }

    /// The picture of the whole demo, with this accessible name. It has a band for each of these
    /// spans, which is displayed while a reader points at the link of the span.
    pub(crate) fn picture(
        &self,
        language: Language,
        size: PictureSize,
        name: &str,
        bands: &[(Instant, Instant)],
        has_keys: bool,
    ) -> String {
        let end = self.timeline.here().end().at;
        let axis = Axis::all(&Arc::new(Scale::plain(end)));
        let lanes = self.drawn_lanes(language, size.page, &axis, has_keys);
        let height = lanes.iter().map(|lane| lane.height).sum();
        let bands = (0..).zip(bands);
        let mut below: Vec<Shape> = bands
            .map(|(number, span)| {
                band("band", *span, &axis, height).attr("data-band", number.to_string())
            })
            .collect();
        below.push(band("here", (end, end), &axis, height));
        let begin = Instant::EPOCH;
        let picture =
            SvgPicture { language, axis: &axis, now: end, is_hidden: false, begin, lanes };
        picture.element(size, name, below)
    }
}

/// The lane of takeovers of a demo with exactly one lock. `None` if no session ended while it held
/// the lock.
fn takeover_lane(context: &DrawContext, record: &Record) -> Option<DrawnLane> {
    let mut locks = record.locks();
    let (Some((key, _)), None) = (locks.next(), locks.next()) else { return None };
    let shapes = ended_takeovers(context, record, key);
    let lane = LaneId::Takeover(key.clone()).drawn(context, record);
    (!shapes.is_empty()).then_some(DrawnLane { shapes, ..lane })
}

/// A rectangle over all lanes of a picture: a span, or a moment, which has a fixed width.
fn band(class: &str, (from, to): (Instant, Instant), axis: &Axis, height: u32) -> Shape {
    const MOMENT: &str = "26";
    let band = Shape::rect(class).attr("x", axis.x(from)).attr("height", height.to_string());
    if from < to {
        return band.attr("width", axis.width(from, to));
    }
    band.attr("width", MOMENT).attr("transform", "translate(-13)")
}

/// The script of a demo, and the variant of the script that the demo plays.
fn script_of(name: &str) -> Result<(&'static str, Variant), DemoError> {
    let (plain, variant) = match name.strip_suffix(FIXED) {
        Some(name) => (name, Variant::Fixed),
        None => (name, Variant::Plain),
    };
    let is_it = |text: &&str| Scenario::read(text).is_ok_and(|scenario| scenario.name == plain);
    let script = SCENARIOS.into_iter().find(is_it);
    Ok((script.ok_or_else(|| DemoError::Unknown(name.to_owned()))?, variant))
}

/// The script with another value of an option, without its question and expected outcomes. An
/// option that the script leaves out is set for each of its sessions and programs. `None` if no
/// option has the first value.
fn changed(
    script: &str,
    variant: Variant,
    word: &str,
    [first, value]: [&str; 2],
) -> Option<String> {
    const QUESTION: [&str; 7] =
        ["question", "choice", "reason", "since", "span", "answer", "expect"];
    let other = match variant {
        Variant::Plain => "+ ",
        Variant::Fixed => "- ",
    };
    let [option, present] = [format!(" {word}="), format!(" {word}={first} ")];
    let lines = || script.lines().filter(|line| !line.starts_with(other));
    let head = |line: &str| {
        let line = line.trim_start_matches(['-', '+', ' ']).to_owned();
        line.split_once(": ").map(|(head, _)| head.to_owned()).filter(|head| !head.contains(' '))
    };
    let act = |line: &str| format!("{} ", line.split(" -> ").next().unwrap_or_default());
    let is_left_out = !lines().any(|line| head(line).is_none() && act(line).contains(&option));
    let mut has_changed = false;
    let mut changed = String::with_capacity(script.len());
    for line in lines() {
        match head(line) {
            Some(head) if QUESTION.contains(&&*head) => continue,
            Some(_) => changed += line,
            None if is_left_out && (line.contains(" = session") || line.contains(" spawns ")) => {
                has_changed = true;
                changed += &format!("{}{option}{value}", act(line).trim_end());
            }
            None => {
                has_changed |= act(line).contains(&present);
                let act = act(line).replace(&present, &format!("{option}{value} "));
                changed += act.trim_end();
            }
        }
        changed.push('\n');
    }
    has_changed.then_some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_of(percent: &str) -> f64 {
        percent.trim_end_matches('%').parse::<f64>().expect("a percentage") / 100.0
    }

    /// The span that a rectangle covers at a time, if it follows the time.
    fn span(shape: &Shape, now: Instant) -> Option<(f64, f64)> {
        let follows = |name: &str| {
            shape.attributes.iter().any(|(known, value)| *known == name && value.fixed().is_none())
        };
        let is_meant = shape.tag == "rect" && (follows("x") || follows("width"));
        let read = |name: &str| shape.attribute(name, now).map(|value| share_of(&value));
        let (x, width) = (read("x")?, read("width")?);
        is_meant.then_some((x, x + width))
    }

    /// docs/theme/player.js displays two layers, each cut at the present time: the past as it looks
    /// at the end of the demo, and the future as it looks at the beginning.
    #[test]
    fn two_layers_that_are_cut_at_a_time_are_the_lanes_of_the_engine_at_this_time() {
        let mut checked = 0;
        for text in SCENARIOS {
            let name = Scenario::read(text).expect("a scenario").name;
            let demo = Demo::read(&name).expect("a demo");
            let end = demo.timeline.here().end().at;
            let axis = Axis::all(&Arc::new(Scale::plain(end)));
            let lanes = demo.drawn_lanes(Language::English, PageWidth::Wide, &axis, true);
            let times: Vec<_> = demo.record().events().iter().map(|row| row.at).collect();
            for shape in lanes.iter().flat_map(|lane| &lane.shapes) {
                for now in times.iter().copied() {
                    let Some((from, to)) = span(shape, now) else { continue };
                    let cut = axis.fraction(now);
                    let [past, ahead] = [end, Instant::EPOCH].map(|at| span(shape, at));
                    let past = past.map(|(from, to)| (from, to.min(cut)));
                    let ahead = ahead.map(|(from, to)| (from.max(cut), to));
                    let drawn: Vec<_> =
                        [past, ahead].into_iter().flatten().filter(|(a, b)| b - a > 1e-4).collect();
                    let expected = (to - from > 1e-4).then_some((from, to));
                    let is_near = |one: f64, other: f64| (one - other).abs() < 1e-4;
                    let is_same = match (&drawn[..], expected) {
                        ([], None) => true,
                        ([(a, b)], Some((from, to))) => is_near(*a, from) && is_near(*b, to),
                        _ => false,
                    };
                    assert!(is_same, "{name} at {now:?}: {drawn:?} is not {expected:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 1_000, "only {checked} rectangles follow the time");
    }

    fn english_picture(demo: &str) -> String {
        let demo = Demo::read(demo).expect("a demo");
        demo.picture(Language::English, PictureSize::COLUMN, demo.name.as_str(), &[], false)
    }

    #[test]
    fn the_time_until_a_takeover_is_the_sum_of_its_parts() {
        let picture = english_picture("earliest-takeover");
        for words in [">takeover<", ">20 s session<", ">15 s lock-delay<", ">= 35 s<"] {
            assert!(picture.contains(words), "{words}");
        }
    }

    #[test]
    fn pictures_of_several_locks_and_of_releases_have_no_takeover_lane() {
        for demo in ["three-exits", "false-but-free.fixed"] {
            assert!(!english_picture(demo).contains(">takeover<"), "{demo}");
        }
    }
}
