//! The lanes of the timeline: a name and a drawing for each track of the record.

use leptos::prelude::*;
use lictor_core::id::{Key, SessionId};

use crate::mirror::LaneId;
use crate::record::Record;
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::Words;
use crate::timeline::axis::Axis;
use crate::timeline::lanes::{self, Scene};
use crate::timeline::shape::Shape;
use crate::ui::{Drawing, Tag, TagLook, live, text};

#[component]
pub fn Lane(runtime: Runtime, axis: Signal<Axis>, lane: LaneId) -> impl IntoView {
    let settings = use_settings();
    let version = runtime.mirror.lanes.row(&lane)?;
    let drawn = lane.clone();
    let draw = move || {
        version.track();
        let scene = Scene { words: settings.words(), axis: axis.get() };
        runtime.with_record(|record| shapes(&scene, record, &drawn))
    };
    let said = lane.clone();
    let label = text(move || {
        runtime.mirror.events.track();
        runtime.with_record(|record| label(settings.words(), record, &said))
    });
    let class = match lane {
        LaneId::Server => "lane lane-server group",
        LaneId::Lock(_) => "lane lane-lock group",
        LaneId::Slots(_) => "lane lane-slots group",
        LaneId::Session(..) => "lane",
    };
    let test_id = test_id(runtime, &lane);
    Some(view! {
        <div class=class data-testid=test_id>
            <div class="lane-name">{name(runtime, lane)}</div>
            <Drawing draw=Box::new(draw) now=runtime.now class="" label/>
        </div>
    })
}

fn shapes(scene: &Scene, record: &Record, lane: &LaneId) -> Vec<Shape> {
    match lane {
        LaneId::Server => Some(lanes::log(scene, record.log())),
        LaneId::Lock(key) => record.lock(key).map(|track| lanes::lock(scene, track)),
        LaneId::Session(_, id) => record.session(*id).map(|track| lanes::session(scene, track)),
        LaneId::Slots(prefix) => record.semaphore(prefix).map(|track| lanes::slots(scene, track)),
    }
    .unwrap_or_default()
}

fn label(words: &Words, record: &Record, lane: &LaneId) -> String {
    match lane {
        LaneId::Server => (words.server_lane_label)(record.log().len()),
        LaneId::Lock(key) => {
            let count = record.lock(key).map_or(0, |track| track.tenures.len());
            (words.lock_lane_label)(key.as_str(), count)
        }
        LaneId::Session(_, id) => (words.session_lane_label)(&session_label(record, *id)),
        LaneId::Slots(prefix) => (words.slots_lane_label)(shown(prefix)),
    }
}

/// A name that no other lane has.
pub fn lane_name(lane: &LaneId) -> String {
    match lane {
        LaneId::Server => "server".to_owned(),
        LaneId::Lock(key) => format!("lock {key}"),
        LaneId::Session(_, id) => format!("session {id}"),
        LaneId::Slots(prefix) => format!("slots {prefix}"),
    }
}

fn test_id(runtime: Runtime, lane: &LaneId) -> String {
    match lane {
        LaneId::Server => "lane-server".to_owned(),
        LaneId::Lock(key) => format!("lane-{key}"),
        LaneId::Session(_, id) => {
            let label = runtime.with_record(|record| session_label(record, *id));
            format!("lane-session-{label}")
        }
        LaneId::Slots(prefix) => format!("lane-slots-{}", shown(prefix)),
    }
}

fn name(runtime: Runtime, lane: LaneId) -> AnyView {
    let settings = use_settings();
    match lane {
        LaneId::Server => view! { <span>{word(|words| words.server)} " s1"</span> }.into_any(),
        LaneId::Lock(key) => {
            let name = key.to_string();
            let truth = word(|words| words.server_truth);
            view! { <span title=name.clone()>{name.clone()} <small>{truth}</small></span> }
                .into_any()
        }
        LaneId::Session(_, id) => {
            let tag = runtime.with_record(|record| record.tag(&id.to_string()));
            let badge = tag.owner.map(|who| view! { <Tag badge=who.badge look=TagLook::Small/> });
            let name = text(move || (settings.words().session_named)(&tag.label));
            view! { {badge} <span>{name}</span> }.into_any()
        }
        LaneId::Slots(prefix) => {
            let name = shown(&prefix).to_owned();
            let limit = live(move || {
                runtime.mirror.events.track();
                let limit = runtime.with_record(|record| record.semaphore(&prefix)?.limit);
                (settings.words().slots)(limit)
            });
            view! { <span title=name.clone()>{name.clone()} <small>{limit}</small></span> }
                .into_any()
        }
    }
}

fn session_label(record: &Record, id: SessionId) -> String {
    record.tag(&id.to_string()).label.to_string()
}

/// A prefix as it is shown: the root has a name, too.
fn shown(prefix: &Key) -> &str {
    if prefix.is_empty() { "/" } else { prefix.as_str() }
}
