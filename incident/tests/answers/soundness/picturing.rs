//! Holds a picture against the worlds that agree with what was shown: each bar against their past,
//! and what follows if nobody acts against what follows there.

use lictor_incident::{BarKind, LaneKind, Picture, PictureBar, PictureLane, TimeBounds, Timestamp};

use crate::soundness::clock::{Millis, millis, written};
use crate::soundness::cluster::Cluster;
use crate::soundness::history::{History, Span};
use crate::soundness::judging::Fault;
use crate::soundness::world::KEYS;

/// Clocks and logs differ by this from the moment that they show.
const TOLERANCE: i64 = 300;
/// A list counts as of the last moment that it can be of: a `Date` header has whole seconds.
const SECOND: i64 = 1_000;

/// What is wrong with the values of a picture by themselves.
pub(crate) fn contradictions(picture: &Picture) -> Vec<String> {
    let mut wrong = Vec::new();
    for lane in &picture.lanes {
        for (place, bar) in lane.bars.iter().enumerate() {
            if let Some(what) = contradiction(lane, place, bar) {
                wrong.push(format!("{what}: {bar:?} of {} {:?}", lane.name, lane.kind));
            }
        }
        if !lane.marks.is_sorted_by_key(|mark| mark.time) {
            wrong.push(format!("marks are not in order: {}", lane.name));
        }
        if lane.open_from.is_some_and(|open| !is_ordered(open)) {
            wrong.push(format!("the earliest is after the latest: {:?}", lane.open_from));
        }
    }
    wrong
}

fn contradiction(lane: &PictureLane, place: usize, bar: &PictureBar) -> Option<&'static str> {
    let end = bar.end.unwrap_or_default();
    if !is_ordered(bar.begin) || !is_ordered(end) {
        return Some("the earliest is after the latest");
    }
    let is_after = |one: Option<Timestamp>, other: Option<Timestamp>| {
        one.zip(other).is_some_and(|(one, other)| one > other)
    };
    if is_after(bar.begin.earliest, end.earliest) || is_after(bar.begin.latest, end.latest) {
        return Some("it ends before it begins");
    }
    let goes_on =
        |next: &PictureBar| next.kind == bar.kind && next.if_nobody_acts && next.begin.is_exact();
    if bar.end.is_none() && !bar.if_nobody_acts && !lane.bars[place..].iter().any(goes_on) {
        return Some("it has no end, and does not go on");
    }
    None
}

fn is_ordered(bounds: TimeBounds) -> bool {
    bounds.earliest.zip(bounds.latest).is_none_or(|(earliest, latest)| earliest <= latest)
}

/// Compares the past that a picture shows with that of a world. Bars that rest on an assumed moment
/// are left out if it is not the right one.
pub(crate) fn compare_past(
    picture: &Picture,
    with_assumed: bool,
    (number, history): (usize, &History),
    faults: &mut Vec<Fault>,
) {
    for lane in &picture.lanes {
        let now = lane.bars.iter().find(|bar| bar.if_nobody_acts).and_then(|bar| bar.begin.latest);
        let past = lane.bars.iter().filter(|bar| !bar.if_nobody_acts);
        for bar in past.filter(|bar| with_assumed || !bar.is_assumed) {
            let Some((kind, spans)) = true_spans(lane, bar, history) else { continue };
            if !spans.iter().any(|span| agrees(bar, span, now)) {
                let what = format!("{}: {}, but {spans:?}", lane.name, text(bar));
                faults.push(Fault { kind, what, world: number });
            }
        }
    }
}

/// The spans of a world of which a bar can be one, with the name of the fault if it is none.
fn true_spans(
    lane: &PictureLane,
    bar: &PictureBar,
    history: &History,
) -> Option<(&'static str, Vec<Span>)> {
    let key = KEYS.iter().find(|key| lane.key == **key);
    let tenures = || key.and_then(|key| history.tenures.get(key)).into_iter().flatten();
    let tenures_of = |holder: Option<&String>| {
        let of_holder = tenures().filter(|(session, _)| session.as_ref() == holder);
        of_holder.map(|(_, span)| span.clone()).collect::<Vec<_>>()
    };
    match bar.kind {
        // The other keys are those of the semaphore's contenders.
        BarKind::Held | BarKind::Unheld | BarKind::Delayed if key.is_none() => None,
        BarKind::Held => Some(("picture-held", tenures_of(bar.session.as_ref()))),
        BarKind::Unheld => Some(("picture-unheld", tenures_of(None))),
        BarKind::Delayed => {
            let delays = history.delays.get(key?).cloned().unwrap_or_default();
            Some(("picture-delayed", delays))
        }
        BarKind::Lives => {
            let life = history.life(lane.session.as_ref()?)?;
            Some(("picture-life", vec![life.clone()]))
        }
        _ => None,
    }
}

/// Whether a bar can be of a span. One without an end lasts at the moment of the answer.
fn agrees(bar: &PictureBar, span: &Span, now: Option<Timestamp>) -> bool {
    // What is so from the beginning of a world may have begun before it.
    let begins =
        within(span.from as i64, bar.begin) || span.from == 0 && bar.begin.earliest.is_none();
    let ends = match (bar.end, span.to) {
        (Some(end), Some(to)) => within(to as i64, end),
        (Some(end), None) => end.latest.is_none(),
        (None, Some(to)) => now.is_none_or(|now| to as i64 >= millis(now) - SECOND - TOLERANCE),
        (None, None) => true,
    };
    begins && ends
}

fn within(time: i64, bounds: TimeBounds) -> bool {
    bounds.earliest.is_none_or(|earliest| millis(earliest) <= time + TOLERANCE)
        && bounds.latest.is_none_or(|latest| millis(latest) >= time - TOLERANCE)
}

fn text(bar: &PictureBar) -> String {
    let time = |time: Option<Timestamp>| {
        time.map_or("?".into(), |time| written(millis(time).max(0) as Millis))
    };
    let bounds = |bounds: TimeBounds| format!("{}..{}", time(bounds.earliest), time(bounds.latest));
    let end = bar.end.map_or("goes on".into(), bounds);
    format!("{:?} {:?} from {} to {end}", bar.kind, bar.session, bounds(bar.begin))
}

/// Compares when a session ends if nobody acts with a world in which nobody acts.
pub(crate) fn compare_ahead(
    lane: &PictureLane,
    (number, cluster): (usize, &Cluster),
    faults: &mut Vec<Fault>,
) {
    let kind = match lane.kind {
        LaneKind::Lock => BarKind::Held,
        _ => BarKind::Lives,
    };
    let Some(bar) = lane.bars.iter().find(|bar| bar.if_nobody_acts && bar.kind == kind) else {
        return;
    };
    let Some(id) = bar.session.as_ref().or(lane.session.as_ref()) else { return };
    let is_held = || cluster.truth(&lane.key).holder.as_ref() == Some(id);
    if kind == BarKind::Held && !is_held() {
        return;
    }
    let begin = bar.begin.latest.map_or(0, millis);
    let now = cluster.now() as i64;
    let ended = cluster.history.life(id).and_then(|life| life.to);
    let is_true = match (cluster.end_of(id), bar.end) {
        // Somebody has acted since the moment of the answer.
        (None, None) => ended.is_some_and(|ended| ended as i64 >= begin - SECOND - TOLERANCE),
        (None, Some(end)) => {
            let may_be_past = end.earliest.is_some_and(|it| millis(it) <= begin + TOLERANCE);
            may_be_past || ended.is_some_and(|ended| within(ended as i64, end))
        }
        (Some(None), end) => end.is_none_or(|end| end.latest.is_none()),
        (Some(Some(ends)), end) => end.is_some_and(|end| within((ends as i64).max(now), end)),
    };
    if !is_true {
        let what = format!("{}: {}, but {:?} at {now}", lane.name, text(bar), cluster.end_of(id));
        faults.push(Fault { kind: "picture-ahead", what, world: number });
    }
}
