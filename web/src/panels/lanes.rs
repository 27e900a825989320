//! The lanes of the timeline: a name and a drawing for each track of the record; and all of them as
//! a file.

use lictor_sandbox::timeline::draw_context::DrawContext;
use lictor_sandbox::timeline::lane_id::LaneId;
use lictor_sandbox::timeline::picture::{Picture, PictureLane};
use std::rc::Rc;

use crate::mirror::Version;
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
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
        each(
            move || seen.with(|seen| seen.lanes.clone()),
            LaneId::name,
            move |id| lane(runtime, id)
        ),
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
            y += lane.height();
            if f64::from(y) < scroll.top - SPARE {
                above = y;
                return false;
            }
            let is_seen = top < scroll.top + scroll.height + SPARE;
            below += if is_seen { 0 } else { lane.height() };
            is_seen
        });
    }
    Seen { lanes, above, below }
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
            let scene = DrawContext { words: words(), axis, until: ahead.until };
            drawn.shapes(&scene, ahead.record)
        })
    };
    let (said, shown) = (lane.clone(), version.clone());
    let label = text(move || {
        shown.track();
        runtime.with_ahead(|ahead| said.label(words(), ahead.record))
    });
    let sized = lane.clone();
    let class = text(move || {
        version.track();
        runtime.with_ahead(|ahead| sized.class(ahead.record))
    });
    let row = el("div", "").attr("class", class);
    let row = row.test(runtime.with_ahead(|ahead| lane.test_id(ahead.record)));
    Some(row.with(name).with(drawing("", Some(label), runtime.now_in_turn(), draw)))
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
            let [name, below] = runtime.with_ahead(|ahead| lane.title(words(), ahead.record));
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
        let scene = DrawContext { words, axis: axis.clone(), until: ahead.until };
        let lane = |lane: LaneId| PictureLane {
            name: lane.title(words, ahead.record),
            height: lane.height_in_picture(ahead.record),
            shapes: lane.shapes(&scene, ahead.record),
        };
        let lanes = runtime.mirror.lanes.keys().into_iter().map(lane).collect();
        Picture { words, axis: &axis, now, begin: runtime.begin.now(), lanes }.text()
    })
}
