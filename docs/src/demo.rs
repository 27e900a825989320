//! A demo: the world of a lesson of the page, by the lesson's name, with or without its fix. The
//! outcomes that its script expects are checked when it is read.

use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_sandbox::language::Language;
use lictor_sandbox::lessons::in_language;
use lictor_sandbox::settings::Spacing;
use lictor_sandbox::share;
use lictor_sandbox::timeline::axis::Axis;
use lictor_sandbox::timeline::draw_context::DrawContext;
use lictor_sandbox::timeline::lane_id::{LaneId, LockLane};
use lictor_sandbox::timeline::picture::{Picture, PictureLane, PictureSize};
use lictor_sandbox::timeline::scale::Scale;
use lictor_sim::journal::{Journal, LinkError, PlayError};
use lictor_sim::record::Record;
use lictor_sim::scenario::{Played, SCENARIOS, Scenario, ScenarioError, Scene, Variant};
use lictor_sim::timeline::{SeekTarget, Timeline};
use lictor_sim::trace::TraceLine;

/// The end of the name of a lesson with the change that would have helped.
const FIXED: &str = ".fixed";

/// Why a demo was not drawn.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("there is no demo {0}")]
    Unknown(String),
    #[error("no event of {demo} has the words {words:?}")]
    NoEvent { demo: String, words: String },
    #[error("the script of {0}: {1}")]
    Script(String, Box<ScenarioError>),
    #[error("the acts of {0}: {1}")]
    Play(String, PlayError),
    #[error("the link of {0}: {1}")]
    Link(String, LinkError),
}

/// A performed script.
pub struct Demo {
    name: String,
    scenario: Scenario,
    variant: Variant,
    played: Played,
    /// Its timeline with a record, at the moment of its question or else at its end.
    timeline: Timeline<Record>,
    /// The fragment of a link to the timeline.
    link: String,
}

impl Demo {
    /// Performs a demo by its name, and checks what its script expects.
    pub fn read(name: &str) -> Result<Self, DemoError> {
        let (plain_name, variant) = match name.strip_suffix(FIXED) {
            Some(name) => (name, Variant::Fixed),
            None => (name, Variant::Plain),
        };
        let problem = |error| DemoError::Script(name.to_owned(), Box::new(error));
        let script = script(plain_name).ok_or_else(|| DemoError::Unknown(name.to_owned()))?;
        let scenario = Scenario::read(script).map_err(problem)?;
        let played = scenario.rehearse(variant).map_err(problem)?;
        // Only the plain variant has a question; its moment is that of the other one, too.
        let asked = scenario.play(Variant::Plain).map_err(problem)?.stages;
        let asked = asked.iter().find(|cue| matches!(cue.scene, Scene::Question(_)));
        let recorded = Journal::of(&played.timeline).play();
        let mut timeline: Timeline<Record> =
            recorded.map_err(|error| DemoError::Play(name.to_owned(), error))?;
        if let Some(cue) = asked {
            timeline.seek(SeekTarget::Time(cue.position.at));
        }
        let link = share::link(&timeline, Spacing::Time);
        let link = link.map_err(|error| DemoError::Link(name.to_owned(), error))?;
        Ok(Self { name: name.to_owned(), scenario, variant, played, timeline, link })
    }

    /// Fails unless a line of the trace contains these words; any space between two words matches.
    pub fn require_event(&self, words: &str) -> Result<(), DemoError> {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let has_it = |line: &TraceLine| squeezed(&line.to_string()).contains(&squeezed(words));
        if !words.is_empty() && self.played.trace.iter().any(has_it) {
            return Ok(());
        }
        Err(DemoError::NoEvent { demo: self.name.clone(), words: words.to_owned() })
    }

    /// The figure in HTML. `root` is the way to the folder of the page.
    pub fn figure(&self, language: Language, root: &str) -> String {
        let texts = Texts::of(language);
        let title = in_language(&self.scenario.title, language);
        let setting = match self.variant {
            Variant::Plain => &self.scenario.preview,
            Variant::Fixed => &self.scenario.fix,
        };
        let setting = in_language(setting, language);
        let pictures = [PictureSize::COLUMN, PictureSize::PHONE]
            .map(|size| self.picture(language, size, &format!("{title} {setting}")));
        let trace: String = self.played.trace.iter().map(|line| format!("{line}\n")).collect();
        let (title, setting, trace) = (escaped(title), escaped(setting), escaped(&trace));
        let Self { name, link, .. } = self;
        let [wide, narrow] = pictures;
        format!(
            "<figure class=\"demo\" id=\"demo-{name}\">\n\
             <figcaption><b>{title}</b> <span>{setting}</span></figcaption>\n\
             <div class=\"demo-picture\">{wide}{narrow}</div>\n\
             <p class=\"demo-foot\">\
             <button type=\"button\" data-opens=\"{link}\" hidden>{run}</button> \
             <a href=\"{root}{link}\">{open}</a></p>\n\
             <details><summary>{words}</summary><pre lang=\"en\">{trace}</pre></details>\n\
             </figure>",
            link = escaped(link),
            run = texts.run,
            open = texts.open,
            words = texts.every_event,
        )
    }

    /// The picture of everything that happened, with this accessible name.
    fn picture(&self, language: Language, size: PictureSize, name: &str) -> String {
        let (words, end) = (language.words(), self.timeline.here().end().at);
        let record = self.timeline.record_at_end();
        let axis = Axis::all(&Arc::new(Scale::plain(end)));
        let scene =
            DrawContext { words, axis: axis.clone(), until: end, is_veiled: false, former: None };
        let lane = |lane: LaneId| PictureLane {
            name: lane.title(words, record),
            height: lane.height_in_picture(record),
            shapes: lane.shapes(&scene, record),
        };
        let lanes = lanes(record).into_iter().filter(|lane| lane.belongs_to(&self.scenario));
        let lanes = lanes.map(lane).collect();
        let begin = Instant::EPOCH;
        Picture { words, axis: &axis, now: end, is_veiled: false, begin, lanes }.element(size, name)
    }
}

/// The script of a lesson.
fn script(name: &str) -> Option<&'static str> {
    let is_it = |text: &&str| Scenario::read(text).is_ok_and(|scenario| scenario.name == name);
    SCENARIOS.into_iter().find(is_it)
}

/// The lanes of everything that a record contains, in the order of the page. The server's log is
/// left out: it would be one more lane in every picture.
fn lanes(record: &Record) -> Vec<LaneId> {
    let mut lanes = Vec::new();
    for (key, _) in record.locks() {
        lanes.push(LaneId::Lock(key.clone(), LockLane::Truth));
        if record.beliefs(key).is_some() {
            lanes.push(LaneId::Lock(key.clone(), LockLane::Belief));
        }
    }
    let sessions = record.sessions().map(|track| &track.session);
    lanes.extend(sessions.map(|session| LaneId::Session(session.create_index, session.id)));
    lanes.extend(record.health_checks().map(|track| LaneId::Check(track.check.path())));
    lanes.extend(record.semaphores().map(|(prefix, _)| LaneId::Slots(prefix.clone())));
    lanes.extend(record.resources().map(|(name, _)| LaneId::Resource(name.clone())));
    lanes.sort();
    lanes
}

/// The texts of a figure.
struct Texts {
    run: &'static str,
    open: &'static str,
    every_event: &'static str,
}

impl Texts {
    fn of(language: Language) -> Self {
        match language {
            Language::English => Self {
                run: "Run it here",
                open: "Open in the sandbox",
                every_event: "Every event in words",
            },
            Language::Chinese => {
                Self {
                    run: "在此运行", open: "在沙箱中打开", every_event: "用文字列出每个事件"
                }
            }
        }
    }
}

/// A text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
