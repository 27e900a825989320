//! A drawing covers exactly its interval: a bar is drawn at a time if and only if the world at that
//! time has the holder, lock-delay, session or status, and nothing is drawn after the end of the
//! forecast. Each overlap of beliefs has a band, a stopwatch is within its band, and the latest
//! entry of the log is labelled with its index.

use lictor_core::time::Instant;
use lictor_sim::{Fault, World};
use lictor_tests::dice::Dice;
use lictor_view::language::Language;
use lictor_view::timeline::draw_context::DrawContext;
use lictor_view::timeline::lane_id::{LaneId, LockLane};
use lictor_view::timeline::page_width::PageWidth;
use lictor_view::timeline::shape::Shape;

use super::Contradictions;
use super::page::Page;

/// How many times of a timeline are compared with the world.
const TIMES: usize = 4;
/// The precision of positions, as a share of the axis.
const PRECISION: f64 = 0.000_02;
/// The width of a stopwatch, which shows how long an overlap lasts, as a share of the axis of a
/// wide page.
const STOPWATCH_WIDTH: f64 = 0.18;

/// A shape of a lane, from one share of the axis to another.
struct Drawn {
    class: String,
    from: f64,
    to: f64,
}

/// A lane with the shapes that it draws.
struct Lane {
    id: LaneId,
    drawn: Vec<Drawn>,
    /// The centres of the visible stopwatches, as shares of the axis.
    stopwatches: Vec<f64>,
}

pub(crate) fn check(page: &Page<'_>, dice: &mut Dice, found: &mut Contradictions) {
    let lanes: Vec<Lane> = page.lanes().into_iter().map(|id| lane(page, id)).collect();
    let end = page.axis.fraction(page.ahead.until) + PRECISION;
    for lane in &lanes {
        for drawn in lane.drawn.iter().filter(|it| it.class != "veil") {
            found.check(drawn.to <= end, || {
                format!("{}: {} is drawn to {}, after {end}", name(lane), drawn.class, drawn.to)
            });
        }
        stopwatches(page, lane, found);
        let first_bar = lane.drawn.iter().position(|drawn| drawn.class == "bar");
        let last_ground = lane.drawn.iter().rposition(|drawn| drawn.class == "both-ground");
        let is_below = first_bar.zip(last_ground).is_none_or(|(bar, ground)| ground < bar);
        found.check(is_below, || format!("{}: the ground of a band covers a bar", name(lane)));
    }
    last_index(page, found);
    for _ in 0..TIMES {
        let Some(at) = any_time(page, dice) else { return };
        let Some(world) = page.world_at(at) else { continue };
        let share = page.axis.fraction(at);
        for lane in &lanes {
            if is_exact(lane, share) {
                at_time(lane, share, &world, at, found);
            }
        }
    }
}

/// The latest entry of the server's log has its index beside it.
fn last_index(page: &Page<'_>, found: &mut Contradictions) {
    let context = context(page);
    let last = page.ahead.record.log().last().filter(|last| last.at <= page.axis.end());
    let Some(last) = last else { return };
    let shapes = LaneId::Server.shapes(&context, page.ahead.record);
    let mut labels = shapes.iter().filter_map(|shape| Some(shape.text.as_ref()?.at(page.now)));
    let has_label = labels.any(|text| text == last.index.to_string());
    found.check(has_label, || format!("the log has no label for its last index {}", last.index));
}

fn context(page: &Page<'_>) -> DrawContext {
    let (language, axis, until) = (Language::English, page.axis.clone(), page.ahead.until);
    DrawContext { language, axis, page: PageWidth::Wide, until, former: None }
}

fn name(lane: &Lane) -> String {
    format!("{:?}", lane.id)
}

/// A time that the lanes show, before the end of what is computed.
fn any_time(page: &Page<'_>, dice: &mut Dice) -> Option<Instant> {
    let begin = page.past.begin().as_millis();
    let span = page.ahead.until.as_millis().saturating_sub(begin);
    let span = usize::try_from(span).unwrap_or(usize::MAX);
    (span > 0).then(|| Instant::from_millis(begin + dice.below(span) as u64))
}

fn lane(page: &Page<'_>, id: LaneId) -> Lane {
    let shapes = id.shapes(&context(page), page.ahead.record);
    let percent = |shape: &Shape, name: &str| -> Option<f64> {
        let value = shape.attribute(name, page.now)?;
        Some(value.strip_suffix('%')?.parse::<f64>().ok()? / 100.0)
    };
    let drawn = shapes.iter().filter_map(|shape| {
        let class = shape.attribute("class", page.now)?;
        let from = percent(shape, "x")?;
        let to = from + percent(shape, "width")?;
        let class = class.split(' ').next().unwrap_or_default().to_owned();
        (to > from).then_some(Drawn { class, from, to })
    });
    let drawn = drawn.collect();
    let is_stopwatch = |shape: &&Shape| {
        shape.attribute("data-testid", page.now).as_deref() == Some("two-believers")
    };
    let stopwatches = shapes.iter().filter(is_stopwatch).filter_map(|shape| percent(shape, "x"));
    let stopwatches = stopwatches.filter(|place| *place >= 0.0).collect();
    Lane { id, drawn, stopwatches }
}

/// A stopwatch lies within a band of two beliefs, and each overlap has a band of its own.
fn stopwatches(page: &Page<'_>, lane: &Lane, found: &mut Contradictions) {
    let LaneId::Lock(key, LockLane::Belief) = &lane.id else { return };
    for place in &lane.stopwatches {
        let (from, to) = (place - STOPWATCH_WIDTH / 2.0, place + STOPWATCH_WIDTH / 2.0);
        let contains = |band: &&Drawn| {
            band.class == "both" && band.from <= from + 0.001 && to <= band.to + 0.001
        };
        found.check(lane.drawn.iter().any(|band| contains(&band)), || {
            format!("{}: the stopwatch from {from} to {to} is wider than its band", name(lane))
        });
    }
    let overlaps = page.ahead.record.beliefs(key).into_iter().flat_map(|track| &track.overlaps);
    for overlap in overlaps {
        let to = overlap.to.unwrap_or(page.ahead.until);
        let ends = [overlap.from, to].map(|at| page.axis.fraction(at));
        let is_it = |band: &Drawn| {
            band.class == "both"
                && (band.from - ends[0]).abs() < PRECISION
                && (band.to - ends[1]).abs() < PRECISION
        };
        let is_drawn = ends[0] == ends[1] || lane.drawn.iter().any(is_it) || is_dense(lane);
        found.check(is_drawn, || format!("{}: {overlap:?} has no band of its own", name(lane)));
    }
}

/// Whether short bars are merged.
fn is_dense(lane: &Lane) -> bool {
    lane.drawn.iter().any(|drawn| drawn.class == "many")
}

/// Whether a lane can be compared with the world at a time: no bar begins or ends there, so that
/// rounding makes no difference, and no short bars are merged.
fn is_exact(lane: &Lane, share: f64) -> bool {
    let edges = lane.drawn.iter().flat_map(|drawn| [drawn.from, drawn.to]);
    let mut near = edges.filter(|edge| (edge - share).abs() < PRECISION * 2.0);
    near.next().is_none() && !is_dense(lane)
}

/// Compares the bars of a lane at a time with the world at that time.
fn at_time(lane: &Lane, share: f64, world: &World, at: Instant, found: &mut Contradictions) {
    let covers = |class: &str| {
        let mut drawn = lane.drawn.iter().filter(|it| it.class == class);
        drawn.any(|it| it.from < share && share < it.to)
    };
    let mut same = |what: &str, drawn: bool, actual: bool| {
        found.check(drawn == actual, || {
            format!("{} at {at}: drawn as {what}: {drawn}, in the world: {actual}", name(lane))
        });
    };
    match &lane.id {
        LaneId::Lock(key, LockLane::Truth) => {
            let entry = world.store().kv().get(key.as_str());
            let is_held = entry.is_some_and(|entry| entry.holder().is_some());
            same("held", covers("bar"), is_held);
            same("in lock-delay", covers("delay"), world.lock_delay(key.as_str()).is_some());
        }
        LaneId::Session(_, id) => {
            let lives = world.store().sessions().get(*id).is_some();
            same("alive", covers("z-safe") || covers("z-grace"), lives);
            if let Some(clock) = world.session_clock(*id) {
                same("guaranteed", covers("z-safe"), at < clock.guaranteed_until());
            }
        }
        LaneId::Check((node, check)) => {
            let path = (node.clone(), check.clone());
            let mut checks = world.store().catalog().checks();
            let status = checks.find(|it| it.path() == path).map(|it| it.status.as_str());
            same("passing", covers("check-passing"), status == Some("passing"));
            same("critical", covers("check-critical"), status == Some("critical"));
        }
        LaneId::Connection((actor, ..)) => {
            let is_cut = world.active_faults().iter().any(|active| match &active.fault {
                Fault::Cut { actor: other, .. } => other == actor,
                _ => false,
            });
            same("cut", covers("cut-ground"), is_cut);
        }
        LaneId::Server
        | LaneId::Lock(..)
        | LaneId::Key(..)
        | LaneId::Takeover(_)
        | LaneId::Slots(_)
        | LaneId::Resource(_) => {}
    }
}
