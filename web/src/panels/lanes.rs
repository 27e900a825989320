//! The lanes of the timeline: a name and a drawing for each track of the record.

use std::rc::Rc;

use lictor_core::id::{Key, SessionId};

use crate::mirror::{LaneId, Side};
use crate::parts;
use crate::record::{Record, SlotsTrack};
use crate::runtime::Runtime;
use crate::settings::words;
use crate::text::Words;
use crate::timeline::belief::belief;
use crate::timeline::lanes::{self, Scene};
use crate::timeline::shape::Shape;
use crate::ui::{El, Part, Scroll, Text, decoration, drawing, each, el, small_tag, text, word};
use crate::var::Var;

/// So many lanes are all in the document; of more, those that are near the view.
const DRAWN: usize = 72;
/// Above and below the view, lanes are kept ready in as many pixels.
const SPARE: f64 = 240.0;

/// All lanes, of which those are drawn that are in view; the others are as much empty space.
pub fn lanes(runtime: &'static Runtime, scroll: Rc<Var<Scroll>>) -> Part {
    let seen = Var::worked_out(move || window(runtime.mirror.lanes.keys(), scroll.get()));
    let (above, below) = (seen.clone(), seen.clone());
    parts![
        space(text(move || above.with(|seen| seen.above.to_string()))),
        each(move || seen.with(|seen| seen.lanes.clone()), lane_name, move |id| lane(runtime, id)),
        space(text(move || below.with(|seen| seen.below.to_string()))),
    ]
}

/// The lanes that are drawn, and the height of what stands for the others, in pixels.
#[derive(PartialEq, Eq)]
struct Seen {
    lanes: Vec<LaneId>,
    above: u32,
    below: u32,
}

fn window(mut lanes: Vec<LaneId>, scroll: Scroll) -> Seen {
    let (mut y, mut above, mut below) = (0, 0, 0);
    if lanes.len() > DRAWN {
        lanes.retain(|lane| {
            let top = f64::from(y);
            y += height(lane);
            if f64::from(y) < scroll.top - SPARE {
                above = y;
                return false;
            }
            let is_seen = top < scroll.top + scroll.height + SPARE;
            below += if is_seen { 0 } else { height(lane) };
            is_seen
        });
    }
    Seen { lanes, above, below }
}

/// The height of a lane in pixels, on a page of ordinary height; on a higher one it is a little
/// more.
fn height(lane: &LaneId) -> u32 {
    match lane {
        LaneId::Server => 24,
        LaneId::Lock(..) => 44,
        LaneId::Slots(_) => 36,
        LaneId::Session(..) | LaneId::Resource(_) => 28,
    }
}

/// The height is an attribute of a drawing, never a style.
fn space(height: Text) -> El {
    let drawing = decoration("").attr("width", "1").attr("height", height);
    el("div", "space").with(drawing)
}

fn lane(runtime: &'static Runtime, lane: &LaneId) -> Option<El> {
    let version = runtime.mirror.lanes.row(lane)?;
    let (drawn, shown) = (lane.clone(), version.clone());
    let draw = move || {
        shown.track();
        let axis = runtime.axis.get();
        runtime.with_ahead(|ahead| {
            let scene = Scene { words: words(), axis, until: ahead.until };
            shapes(&scene, ahead.record, &drawn)
        })
    };
    let (said, shown) = (lane.clone(), version.clone());
    let label = text(move || {
        shown.track();
        runtime.with_ahead(|ahead| label(words(), ahead.record, &said))
    });
    let sized = lane.clone();
    let class = text(move || {
        version.track();
        runtime.with_ahead(|ahead| class(ahead.record, &sized))
    });
    let row = el("div", "").attr("class", class);
    let row = row.test(runtime.with_ahead(|ahead| test_id(ahead.record, lane)));
    let name = el("div", "lane-name").with(name(runtime, lane));
    Some(row.with(name).with(drawing("", Some(label), &runtime.now, draw)))
}

/// The class of a lane, which sets its height; one of slots is as high as it has slots.
fn class(record: &Record, lane: &LaneId) -> String {
    match lane {
        LaneId::Server => "lane lane-server group".to_owned(),
        LaneId::Lock(_, Side::Truth) => "lane lane-lock group".to_owned(),
        LaneId::Lock(_, Side::Belief) => "lane lane-belief".to_owned(),
        LaneId::Session(..) => "lane".to_owned(),
        LaneId::Slots(prefix) => {
            let rows = record.semaphore(prefix).map_or(0, SlotsTrack::rows);
            format!("lane lane-slots slots-{} group", rows.clamp(2, lanes::SLOTS_DRAWN))
        }
        LaneId::Resource(_) => "lane group".to_owned(),
    }
}

fn shapes(scene: &Scene, record: &Record, lane: &LaneId) -> Vec<Shape> {
    match lane {
        LaneId::Server => Some(lanes::log(scene, record.log())),
        LaneId::Lock(key, Side::Truth) => record.lock(key).map(|track| lanes::lock(scene, track)),
        LaneId::Lock(key, Side::Belief) => {
            record.beliefs(key).map(|track| belief(scene, track, record.lock(key)))
        }
        LaneId::Session(_, id) => record.session(*id).map(|track| lanes::session(scene, track)),
        LaneId::Slots(prefix) => record.semaphore(prefix).map(|track| lanes::slots(scene, track)),
        LaneId::Resource(name) => record.resource(name).map(|track| lanes::resource(scene, track)),
    }
    .unwrap_or_default()
}

fn label(words: &Words, record: &Record, lane: &LaneId) -> String {
    match lane {
        LaneId::Server => (words.server_lane_label)(record.log().len()),
        LaneId::Lock(key, Side::Truth) => {
            let count = record.lock(key).map_or(0, |track| track.tenures.len());
            (words.lock_lane_label)(key.as_str(), count)
        }
        LaneId::Lock(key, Side::Belief) => {
            let (now, doubles) = record
                .beliefs(key)
                .map_or((0, 0), |track| (track.believers().count(), track.doubles().len()));
            (words.belief_lane_label)(key.as_str(), now, doubles)
        }
        LaneId::Session(_, id) => (words.session_lane_label)(&session_label(record, *id)),
        LaneId::Slots(prefix) => (words.slots_lane_label)(shown(prefix)),
        LaneId::Resource(name) => {
            let count = record.resource(name).map_or(0, |track| track.writes.len());
            (words.world.resource_lane_label)(name.as_str(), count)
        }
    }
}

/// A name that no other lane has.
fn lane_name(lane: &LaneId) -> String {
    match lane {
        LaneId::Server => "server".to_owned(),
        LaneId::Lock(key, Side::Truth) => format!("lock {key}"),
        LaneId::Lock(key, Side::Belief) => format!("belief {key}"),
        LaneId::Session(_, id) => format!("session {id}"),
        LaneId::Slots(prefix) => format!("slots {prefix}"),
        LaneId::Resource(name) => format!("resource {name}"),
    }
}

fn test_id(record: &Record, lane: &LaneId) -> String {
    match lane {
        LaneId::Server => "lane-server".to_owned(),
        LaneId::Lock(key, Side::Truth) => format!("lane-{key}"),
        LaneId::Lock(key, Side::Belief) => format!("lane-belief-{key}"),
        LaneId::Session(_, id) => format!("lane-session-{}", session_label(record, *id)),
        LaneId::Slots(prefix) => format!("lane-slots-{}", shown(prefix)),
        LaneId::Resource(name) => format!("lane-resource-{name}"),
    }
}

fn name(runtime: &'static Runtime, lane: &LaneId) -> Part {
    match lane {
        LaneId::Server => el("span", "").with(word(|words| words.server)).with(SERVER_NAME).into(),
        LaneId::Lock(key, Side::Truth) => {
            let truth = el("small", "").with(word(|words| words.server_truth));
            el("span", "").title(key.as_str()).with(key.as_str()).with(truth).into()
        }
        LaneId::Lock(key, Side::Belief) => {
            let who = el("small", "").with(word(|words| words.who_thinks_so));
            el("span", "").title(key.as_str()).with(word(|words| words.belief)).with(who).into()
        }
        LaneId::Session(_, id) => {
            let tag = runtime.with_ahead(|ahead| ahead.record.tag(&id.to_string()));
            let badge = tag.owner.map(|who| small_tag(who.badge));
            let name = text(move || (words().session_named)(&tag.label));
            parts![badge, el("span", "").with(name)]
        }
        LaneId::Slots(prefix) => {
            let name = shown(prefix);
            let prefix = prefix.clone();
            let limit = text(move || {
                runtime.mirror.events.track();
                let limit = runtime.with_ahead(|ahead| ahead.record.semaphore(&prefix)?.limit);
                (words().slots)(limit)
            });
            el("span", "").title(name).with(name).with(el("small", "").with(limit)).into()
        }
        LaneId::Resource(name) => {
            let kind = el("small", "").with(word(|words| words.world.resource));
            el("span", "").title(name.as_str()).with(name.as_str()).with(kind).into()
        }
    }
}

/// The name of the one server, behind the word for it.
const SERVER_NAME: &str = " s1";

fn session_label(record: &Record, id: SessionId) -> String {
    record.tag(&id.to_string()).label.to_string()
}

/// A prefix as it is shown: the root has a name, too.
fn shown(prefix: &Key) -> &str {
    if prefix.is_empty() { "/" } else { prefix.as_str() }
}
