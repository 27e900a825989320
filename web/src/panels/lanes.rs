//! The lanes of the timeline: a name and a drawing for each track of the record; and all of them as
//! a file.

use std::rc::Rc;

use lictor_core::gather::Gather;
use lictor_core::id::{Key, SessionId};

use crate::mirror::{LaneId, Side, Version};
use crate::parts;
use crate::record::{Record, SlotsTrack};
use crate::runtime::Runtime;
use crate::settings::words;
use crate::text::Words;
use crate::timeline::belief::belief;
use crate::timeline::lanes::{self, Scene};
use crate::timeline::picture::{Lane, Picture};
use crate::timeline::shape::Shape;
use crate::ui::{El, Part, Scroll, Text, decoration, drawing, each, el, small_tag, text};
use crate::var::Var;

/// So many lanes are all in the document; of more, those that are near the view.
const DRAWN: usize = 72;
/// Above and below the view, lanes are kept ready in as many pixels.
const SPARE: f64 = 240.0;

/// All lanes, of which those are drawn that are in view; the others are as much empty space.
pub fn drawn_lanes(
    runtime: &'static Runtime,
    scroll: Rc<Var<Scroll>>,
    is_wanted: impl Fn(&LaneId) -> bool + 'static,
) -> Part {
    let seen = Var::worked_out(move || {
        let mut lanes = runtime.mirror.lanes.keys();
        lanes.retain(&is_wanted);
        window(lanes, scroll.get())
    });
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
    let name = el("div", "lane-name").with(name(runtime, lane, &version));
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
    Some(row.with(name).with(drawing("", Some(label), runtime.now_in_turn(), draw)))
}

/// The class of a lane, which sets its height; one of slots is as high as it has slots.
fn class(record: &Record, lane: &LaneId) -> String {
    match lane {
        LaneId::Server => "lane lane-server group".to_owned(),
        LaneId::Lock(_, Side::Truth) => "lane lane-lock group".to_owned(),
        LaneId::Lock(_, Side::Belief) => "lane lane-belief".to_owned(),
        LaneId::Session(..) => "lane".to_owned(),
        LaneId::Slots(prefix) => {
            format!("lane lane-slots slots-{} group", slots_drawn(record, prefix))
        }
        LaneId::Resource(_) => "lane group".to_owned(),
    }
}

fn slots_drawn(record: &Record, prefix: &Key) -> usize {
    let rows = record.semaphore(prefix).map_or(0, SlotsTrack::rows);
    rows.clamp(2, lanes::SLOTS_DRAWN)
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
                .map_or((0, 0), |track| (track.believers().count(), track.overlaps()));
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

/// What a lane is called, and what stands below that.
fn title(words: &Words, record: &Record, lane: &LaneId) -> [String; 2] {
    let (name, below) = match lane {
        LaneId::Server => (format!("{}{SERVER_NAME}", words.server), ""),
        LaneId::Lock(key, Side::Truth) => (key.to_string(), words.server_truth),
        LaneId::Lock(_, Side::Belief) => (words.belief.to_owned(), words.who_thinks_so),
        LaneId::Session(_, id) => ((words.session_named)(&session_label(record, *id)), ""),
        LaneId::Slots(prefix) => {
            let limit = record.semaphore(prefix).and_then(|track| track.limit);
            return [shown(prefix).to_owned(), (words.slots)(limit)];
        }
        LaneId::Resource(name) => (name.to_string(), words.world.resource),
    };
    [name, below.to_owned()]
}

fn name(runtime: &'static Runtime, lane: &LaneId, version: &Rc<Var<Version>>) -> Part {
    let badge = match lane {
        LaneId::Session(_, id) => {
            runtime.with_ahead(|ahead| ahead.record.tag(&id.to_string())).owner
        }
        LaneId::Server | LaneId::Lock(..) | LaneId::Slots(_) | LaneId::Resource(_) => None,
    };
    let said = |place: usize| {
        let (lane, version) = (lane.clone(), version.clone());
        text(move || {
            version.track();
            let [name, below] = runtime.with_ahead(|ahead| title(words(), ahead.record, &lane));
            if place == 0 { name } else { below }
        })
    };
    let name = el("span", "").title(said(0)).with(said(0)).with(el("small", "").with(said(1)));
    parts![badge.map(|who| small_tag(who.badge)), name]
}

/// All lanes as a picture, which is a file.
pub fn picture(runtime: &Runtime) -> String {
    let (words, axis, now) = (words(), runtime.axis.now(), runtime.now.now());
    runtime.with_ahead(|ahead| {
        let scene = Scene { words, axis: axis.clone(), until: ahead.until };
        let lane = |lane: LaneId| Lane {
            name: title(words, ahead.record, &lane),
            height: match &lane {
                LaneId::Slots(prefix) => 4 + 16 * slots_drawn(ahead.record, prefix) as u32,
                other => height(other),
            },
            shapes: shapes(&scene, ahead.record, &lane),
        };
        let lanes = runtime.mirror.lanes.keys().into_iter().map(lane).gather();
        Picture { words, axis: &axis, now, begin: runtime.begin.now(), lanes }.text()
    })
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
