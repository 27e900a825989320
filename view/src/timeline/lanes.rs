//! The shapes of the lanes of the server log, of locks, sessions and resources, as functions of a
//! track and the axis. Dense marks are thinned out, but a rejected write is always drawn.

use lictor_core::engine::LockDelay;
use lictor_core::time::Instant;
use lictor_sim::record::{
    AcquireAttempt, AttemptResult, ChunkedLog, EventResult, LockIndexReset, LockTrack,
    LogEntryMark, ResourceTrack, SessionTrack, Tenure,
};

use super::axis::Axis;
use super::bar::{Bar, BarRow, TimeSpan, bar, bars};
use super::density::{DensityFilter, DrawnSpan, apart, drawn_spans};
use super::draw_context::DrawContext;
use super::fan::Fan;
use super::label_room::{Label, with_room};
use super::page_width::{LETTER, fits};
use super::shape::Shape;
use super::zones::{Zone, ZoneKind, zones};
use crate::badge;
use crate::format::{between, tenths};

/// Of log entries closer than this share of the axis, only the last one has its index.
const CROWDED: f64 = 0.005;
/// With more tenures than this, a notch whose number has no room is left out.
const NOTCHES: usize = 24;
/// The distance in pixels between marks of one instant.
const MARK_WIDTH: u32 = 8;
/// The distance in pixels between log entries of one instant.
const DOT_WIDTH: u32 = 6;
/// The distance in pixels between writes of one instant, which have labels.
const WRITE_WIDTH: u32 = 26;
/// The approximate width of a pixel, as a share of the axis: a letter has about 7 of them.
pub(super) const PIXEL: f64 = LETTER / 7.0;
/// A cross in the middle of a lane of 28 pixels.
pub(super) const CROSS: &str = "M-4 10l8 8M4 10l-8 8";

/// The server's log: a dot for each entry, with its index where there is room.
pub fn log(context: &DrawContext, log: &ChunkedLog<LogEntryMark>) -> Vec<Shape> {
    let axis = &context.axis;
    let line = Shape::line("log-line", ("0".into(), "100%".into()), ("15", "15"));
    let mut shapes = vec![line];
    let (mut labels, mut fan) = (Vec::new(), Fan::default());
    let mut shown = apart(axis, log, |dot| dot.at).into_iter();
    while let Some((number, at)) = shown.next() {
        let (x, share) = (axis.x(at), axis.fraction(at));
        let beside = DOT_WIDTH * fan.beside(at);
        shapes.push(Shape::circle("log-dot", x.clone(), 15, "2.5").moved_right(beside));
        let next = shown.as_slice().first();
        if next.is_none_or(|(_, next)| axis.fraction(*next) - share >= CROWDED) {
            let index = log.get(number).map(|dot| dot.index.to_string()).unwrap_or_default();
            labels.push(index_label(index, (x, share), beside));
        }
    }
    shapes.extend(with_room(labels));
    shapes
}

/// The index of a log entry beside its dot, or before it at the right edge.
fn index_label(index: String, (x, share): (String, f64), beside: u32) -> (Label, Shape) {
    let room = LETTER * (index.len() + 1) as f64;
    let is_at_edge = share + room > 1.0;
    let moved = share + PIXEL * f64::from(beside);
    let label = Label::beside(if is_at_edge { share - room } else { moved }, index.len());
    let words = Shape::words("log-text halo", (6, "11"), index);
    let words = if is_at_edge { words.before(x) } else { words.beside(x).moved_right(beside) };
    (label, words)
}

/// A lock: lock-delays and bars first, then the marks on them.
pub fn lock(context: &DrawContext, track: &LockTrack) -> Vec<Shape> {
    let axis = &context.axis;
    let mut shapes = delays(context, &track.delays);
    let tenures = tenures(context, &track.tenures, &mut shapes);
    shapes.extend(notches(axis, &tenures));
    let resets = || track.resets.iter().map(LockIndexReset::at);
    let mut density = DensityFilter::of_marks(axis, resets());
    for at in resets().filter(|at| density.shows_mark(*at)) {
        let cross = Shape::path("log-bad", "M-4 20l8 8M4 20l-8 8");
        shapes.push(Shape::place(axis.x(at)).holding(vec![cross]));
    }
    let mut density = DensityFilter::of_marks(axis, track.attempts.iter().map(|it| it.at));
    let mut fan = Fan::default();
    for attempt in track.attempts.iter().filter(|it| density.shows_mark(it.at)) {
        let beside = MARK_WIDTH * fan.beside(attempt.at);
        shapes.push(attempt_mark(axis, attempt).moved_right(beside));
    }
    shapes
}

fn delays(context: &DrawContext, delays: &[LockDelay]) -> Vec<Shape> {
    let axis = &context.axis;
    let until = |it: &LockDelay| context.drawn_until(it.until);
    let spans = delays.iter().map(|it| (it.armed_at, Some(until(it)))).collect::<Vec<_>>();
    let mut shapes = Vec::new();
    for drawn in drawn_spans(axis, &spans) {
        match drawn {
            DrawnSpan::One(index) if until(&delays[index]) < delays[index].until => {
                shapes.extend(delay_bars(axis, delays[index].armed_at, until(&delays[index])));
            }
            DrawnSpan::One(index) => shapes.extend(delay_shapes(context, &delays[index])),
            DrawnSpan::Many(from, until) => shapes.extend(delay_bars(axis, from, until)),
        }
    }
    shapes
}

/// Draws the bars of the tenures, and returns the tenures that have a bar of their own.
fn tenures<'a>(
    context: &DrawContext,
    all: &'a [Tenure],
    shapes: &mut Vec<Shape>,
) -> Vec<&'a Tenure> {
    const ROOM: BarRow = BarRow { y: 14, height: 20, baseline: "14" };
    let (all, mut shown) = (all.iter().collect::<Vec<_>>(), Vec::new());
    let bars = bars(&context.axis, &all, |it| (it.from, it.to), ROOM, &mut |tenure| {
        shown.push(tenure);
        let span = TimeSpan { from: tenure.from, to: tenure.to };
        let (session, verb) = (&tenure.session, context.words().holds);
        bar(context, Bar { session, span, room: ROOM, verb })
    });
    shapes.extend(bars);
    shown
}

/// A notch with the LockIndex at the beginning of each tenure, where there is room.
fn notches(axis: &Axis, tenures: &[&Tenure]) -> Vec<Shape> {
    let (mut shapes, mut labels) = (Vec::new(), Vec::new());
    for tenure in tenures.iter().filter(|tenure| axis.shows(tenure.from, tenure.from)) {
        let number = tenure.lock_index.to_string();
        let label = Label::beside(axis.fraction(tenure.from), number.len());
        let words = Shape::words("notch-text", (6, "11"), number).beside(axis.x(tenure.from));
        if tenures.len() <= NOTCHES {
            shapes.push(notch(axis, tenure));
            labels.push((label, words));
        } else {
            labels.push((label, Shape::new("g", "").holding(vec![notch(axis, tenure), words])));
        }
    }
    shapes.extend(with_room(labels));
    shapes
}

/// A session: its zones, renewals and end.
pub fn session(context: &DrawContext, track: &SessionTrack) -> Vec<Shape> {
    let axis = &context.axis;
    let mut shapes = Vec::new();
    let zones = known_zones(track, context.until);
    for zone in &zones {
        shapes.extend(zone_shapes(context, *zone));
    }
    let mut density = DensityFilter::of_marks(axis, track.renewals.iter().copied());
    for at in track.renewals.iter().filter(|at| density.shows_mark(**at)) {
        shapes.push(Shape::upright("renew", axis.x(*at), ("6", "22")));
    }
    for at in track.restarts.iter().filter(|at| axis.shows(**at, **at)) {
        let mark = Shape::path("restart", "M0 8l6 6-6 6-6-6z");
        shapes.push(Shape::place(axis.x(*at)).holding(vec![mark]));
    }
    let starts = track.starts();
    for zone in zones {
        shapes.extend(zone_name(context, zone, &starts));
    }
    let end = match (&track.ended, track.clock) {
        (Some(end), _) => Some((end.at, "ended", (context.row_words().ended)(&end.cause))),
        // A session that expires after the forecast may still be renewed.
        (None, Some(clock)) if clock.ends <= context.until => {
            Some((clock.ends, "ended later", context.words().expires.to_owned()))
        }
        (None, _) => None,
    };
    if let Some((at, class, text)) = end.filter(|(at, ..)| axis.shows(*at, *at)) {
        // No text is drawn over the time that is not computed.
        let has_room = fits(&text, axis.share(at, context.until.max(at)));
        shapes.push(end_mark(class, axis.x(at), Some(&*text).filter(|_| has_room)));
    }
    shapes
}

/// The mark of the end of a session, with its reason if that has room.
pub(super) fn end_mark(class: &str, x: String, reason: Option<&str>) -> Shape {
    let ground = Shape::circle("ended-ground", "0".into(), 14, "6.5");
    let reason = reason.map(|reason| Shape::words("z-text opt", (10, "18"), reason));
    let marks = [ground, Shape::path(class, CROSS)].into_iter().chain(reason);
    Shape::place(x).holding(marks.collect())
}

/// The zones of a session, those of a live session only up to the end of the forecast.
fn known_zones(track: &SessionTrack, until: Instant) -> Vec<Zone> {
    let mut zones = zones(track);
    if track.ended.is_none() {
        zones.retain(|zone| zone.from < until);
        for zone in &mut zones {
            zone.to = zone.to.map(|to| to.min(until));
        }
    }
    zones
}

/// A guarded resource: each write, a dot where it was accepted and a cross where not.
pub fn resource(context: &DrawContext, track: &ResourceTrack) -> Vec<Shape> {
    let axis = &context.axis;
    let line = Shape::line("log-line", ("0".into(), "100%".into()), ("14", "14"));
    let mut shapes = vec![line];
    let mut density = DensityFilter::of_marks(axis, track.writes.iter().map(|it| it.at));
    let (mut labels, mut fan) = (Vec::new(), Fan::default());
    for write in &track.writes {
        let is_rejected = write.reply == EventResult::Rejected;
        let is_shown =
            density.shows_mark(write.at) || is_rejected && axis.shows(write.at, write.at);
        if !is_shown {
            continue;
        }
        let beside = WRITE_WIDTH * fan.beside(write.at);
        let (mark, class) = if is_rejected {
            let cross = Shape::path("rejected", CROSS).attr("data-testid", "write-rejected");
            (cross, "write-text is-rejected halo")
        } else {
            let class = format!("try yes {}", badge::class(write.actor.badge));
            (Shape::circle(class, "0".into(), 14, "3.25"), "write-text halo")
        };
        let place = || Shape::place(axis.x(write.at));
        shapes.push(place().holding(vec![mark.moved_right(beside)]));
        let number = format!("w{}", write.number);
        let share = axis.fraction(write.at) + PIXEL * f64::from(beside);
        let label = Label { is_needed: is_rejected, ..Label::beside(share, number.len()) };
        let words = Shape::words(class, (7, "11"), number).moved_right(beside);
        labels.push((label, place().holding(vec![words])));
    }
    shapes.extend(with_room(labels));
    shapes
}

/// A lock-delay: while it runs, its remaining time at now; in the forecast, its whole length at its
/// beginning.
fn delay_shapes(context: &DrawContext, delay: &LockDelay) -> Vec<Shape> {
    let (axis, second) = (&context.axis, context.row_words().second);
    let LockDelay { armed_at: from, until, .. } = *delay;
    let letters = seconds(from, until, second).len() + 2;
    let has_room = axis.share(from, until) > LETTER * letters as f64;
    let words = Shape::words("halo-delay opt", (10, "28"), "");
    let words = words.say(
        (from, until, has_room, second),
        |(from, until, has_room, second), now| match now {
            now if now < *from && *has_room => seconds(*from, *until, second),
            now if now >= *from && now < *until => seconds(now, *until, second),
            _ => String::new(),
        },
    );
    let place = (axis.clone(), from);
    let place = Shape::moving(place, |(axis, from), now| axis.x_if_visible(now.max(*from)));
    let mut shapes = delay_bars(axis, from, until);
    shapes.push(place.holding(vec![words]));
    shapes
}

fn seconds(from: Instant, until: Instant, second: &str) -> String {
    format!("{}{second}", tenths(between(from, until)))
}

fn delay_bars(axis: &Axis, from: Instant, until: Instant) -> Vec<Shape> {
    let rect = |class| axis.rect(class, (from, until), (14, 20)).attr("rx", "2");
    vec![rect("delay-ground"), rect("delay").attr("data-testid", "lane-delay")]
}

fn notch(axis: &Axis, tenure: &Tenure) -> Shape {
    Shape::place(axis.x(tenure.from)).holding(vec![Shape::path("notch", "M-4 7h8l-4 6z")])
}

fn attempt_mark(axis: &Axis, attempt: &AcquireAttempt) -> Shape {
    let (class, test_id) = match attempt.result {
        AttemptResult::Yes => ("try yes", "try-true"),
        AttemptResult::No => ("try", "try-false"),
        AttemptResult::Unknown => ("try unknown", "try-unknown"),
    };
    let class = format!("{class} {}", badge::class(attempt.actor.badge));
    Shape::circle(class, axis.x(attempt.at), 39, "3.25").attr("data-testid", test_id)
}

/// A zone of a session's TTL: filled up to now, an outline after that.
fn zone_shapes(context: &DrawContext, zone: Zone) -> Vec<Shape> {
    const ROOM: (u32, u32) = (6, 16);
    let axis = &context.axis;
    let class = match zone.kind {
        ZoneKind::Guaranteed | ZoneKind::Untimed => "z-safe",
        ZoneKind::Grace => "z-grace",
    };
    let span = (zone.from, zone.to.unwrap_or(context.until));
    let mut shapes = axis.rects_around_now(class, span, ROOM).to_vec();
    if zone.kind == ZoneKind::Grace {
        shapes.push(axis.rect("z-hatch", span, ROOM));
    }
    shapes
}

/// The name of a zone, where it has room between two starts of the clock.
fn zone_name(context: &DrawContext, zone: Zone, starts: &[Instant]) -> Option<Shape> {
    let axis = &context.axis;
    let (text, class) = match zone.kind {
        ZoneKind::Guaranteed => (context.words().guaranteed, "z-text opt halo-safe"),
        ZoneKind::Grace => (context.words().grace, "z-text opt halo-grace"),
        ZoneKind::Untimed => return None,
    };
    let end = zone.to?;
    let inside = starts.iter().copied().filter(|at| (zone.from..end).contains(at));
    let has_room = |from: &Instant| {
        let next = starts.iter().copied().find(|at| at > from).map_or(end, |at| at.min(end));
        let (from, to) = (axis.fraction(*from), axis.fraction(next).min(1.0));
        from >= 0.0 && fits(text, to - from)
    };
    let from = std::iter::once(zone.from).chain(inside).find(has_room)?;
    Some(Shape::words(class, (8, "18.5"), text).beside(axis.x(from)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::{TestWorld, at};
    use lictor_core::id::Index;
    use lictor_sim::record::{ActorTag, Badge, SessionTag, WriteMark};

    fn context() -> DrawContext {
        DrawContext::plain(100, 60)
    }

    fn tag() -> SessionTag {
        SessionTag { label: "A".into(), owner: None }
    }

    fn widths(shapes: &[Shape], class: &str, now: Instant) -> Vec<String> {
        Shape::values(shapes, class, "width", now)
    }

    /// A lock that a session holds between these times.
    fn held(from: u64, to: Option<u64>) -> Vec<Shape> {
        let (from, to) = (at(from), to.map(at));
        let tenures = vec![Tenure { session: tag(), from, to, lock_index: 1 }];
        lock(&context(), &LockTrack { tenures, ..LockTrack::default() })
    }

    #[test]
    fn a_bar_without_an_end_reaches_to_the_end_of_the_forecast() {
        assert_eq!(widths(&held(10, None), "bar", at(10)), ["50.000%"]);
    }

    #[test]
    fn the_index_of_an_entry_at_the_right_edge_is_before_its_dot() {
        let dots = [50, 99].map(|seconds| LogEntryMark { at: at(seconds), index: Index(12) });
        let shapes = log(&context(), &dots.into_iter().collect());
        let places: Vec<_> = shapes.iter().filter_map(|it| it.attribute("dx", at(0))).collect();
        assert_eq!(places, ["6", "-6"]);
    }

    #[test]
    fn an_index_beside_the_dots_of_one_instant_leaves_no_room_for_a_near_one() {
        let dot = |seconds, index| LogEntryMark { at: at(seconds), index: Index(index) };
        let labels = |dots: Vec<LogEntryMark>| {
            let shapes = log(&context(), &dots.into_iter().collect());
            shapes.iter().filter(|it| it.attribute("dx", at(0)).is_some()).count()
        };
        assert_eq!(labels(vec![dot(0, 10), dot(6, 11)]), 2);
        assert_eq!(labels(vec![dot(0, 7), dot(0, 8), dot(0, 9), dot(0, 10), dot(6, 11)]), 1);
    }

    #[test]
    fn attempts_of_one_instant_are_drawn_next_to_each_other() {
        let attempt = |name: &str, seconds| AcquireAttempt {
            at: at(seconds),
            actor: ActorTag { name: name.into(), badge: Badge(0) },
            result: AttemptResult::No,
        };
        let attempts = vec![attempt("web-1", 20), attempt("web-2", 20), attempt("web-3", 30)];
        let shapes = lock(&context(), &LockTrack { attempts, ..LockTrack::default() });
        let places =
            shapes.iter().map(|it| (it.attribute("cx", at(0)), it.attribute("transform", at(0))));
        let expected = [("20.000%", None), ("20.000%", Some("translate(8)")), ("30.000%", None)];
        let expected = expected.map(|(x, moved)| (Some(x.to_owned()), moved.map(str::to_owned)));
        assert_eq!(places.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_bar_with_an_end_does_not_change_with_time() {
        let shapes = held(10, Some(20));
        assert_eq!(widths(&shapes, "bar", at(15)), widths(&shapes, "bar", at(90)));
    }

    fn delay(from: u64, until: u64) -> LockDelay {
        LockDelay {
            key: lictor_core::id::Key::from("a"),
            armed_at: at(from),
            until: at(until),
            index: Index(1),
            session: lictor_core::id::SessionId::parse("7d2c41e0-1111-2222-3333-444444444444")
                .expect("it is an id"),
            cause: lictor_core::error::Cause::TtlExpired,
        }
    }

    /// The labels of two lock-delays of 15 and 20 s.
    fn delay_words(now: Instant) -> Vec<(String, String)> {
        let delays = vec![delay(20, 35), delay(60, 80)];
        let context = DrawContext::plain(100, 100);
        let shapes = lock(&context, &LockTrack { delays, ..LockTrack::default() });
        let places = shapes.iter().filter(|shape| !shape.children.is_empty());
        let labels = places.map(|place| {
            let words = place.children[0].text.as_ref().map(|text| text.at(now));
            (place.attribute("x", now).unwrap_or_default(), words.unwrap_or_default())
        });
        labels.collect()
    }

    #[test]
    fn each_lock_delay_is_labelled_with_its_own_time() {
        let owned = |expected: [(&str, &str); 2]| {
            expected.map(|(x, words)| (x.to_owned(), words.to_owned())).to_vec()
        };
        assert_eq!(delay_words(at(10)), owned([("20.000%", "15.0 s"), ("60.000%", "20.0 s")]));
        assert_eq!(delay_words(at(30)), owned([("30.000%", "5.0 s"), ("60.000%", "20.0 s")]));
        assert_eq!(delay_words(at(64))[1], ("64.000%".to_owned(), "16.0 s".to_owned()));
        assert!(delay_words(at(90)).iter().all(|(_, words)| words.is_empty()));
    }

    /// The session has a TTL of 10 s and was renewed last at 50 s.
    #[test]
    fn a_session_that_may_be_renewed_after_the_forecast_has_no_end() {
        let mut played = TestWorld::of_three();
        let id = played.session("web-1", r#"{"TTL": "10s"}"#);
        for second in (5..=50).step_by(5) {
            played.advance_to(second * 1_000);
            played.call("web-1", "PUT", &format!("/v1/session/renew/{id}"), "");
        }
        let track = played.record.session(id).expect("it is remembered");
        let ends = |until| {
            let shapes = session(&DrawContext::plain(100, until), track);
            let marks = shapes.iter().filter(|shape| !shape.children.is_empty());
            let ahead = shapes.iter().filter(|shape| {
                shape.attribute("class", at(50)).is_some_and(|it| it.starts_with("z-grace"))
            });
            (marks.count(), ahead.count() > 0)
        };
        assert_eq!(ends(60), (0, false), "its grace and its end are not computed");
        assert_eq!(ends(65), (0, true));
        assert_eq!(ends(80), (1, true));
    }

    #[test]
    fn what_is_off_the_axis_is_not_drawn() {
        assert!(held(200, Some(300)).is_empty());
    }

    #[test]
    fn dense_log_entries_share_one_label() {
        let dots = [1, 2, 3].map(|index| LogEntryMark { at: at(50), index: Index(index) });
        let shapes = log(&context(), &dots.into_iter().collect());
        assert_eq!(Shape::texts(&shapes, at(50)), ["3"]);
    }

    /// The positions of the marks for this many log entries at this distance in milliseconds.
    fn places(entries: u64, apart: u64) -> Vec<f64> {
        let dot = |number: u64| LogEntryMark {
            at: Instant::from_millis(number * apart),
            index: Index(number),
        };
        let shapes = log(&context(), &(0..entries).map(dot).collect());
        let places = shapes.iter().filter_map(|shape| shape.attribute("cx", at(0)));
        places.map(|x| x.trim_end_matches('%').parse().expect("a number")).collect()
    }

    #[test]
    fn dense_marks_are_thinned_out_evenly_and_sparse_ones_are_not() {
        assert_eq!(places(100, 10).len(), 100);
        let crowd = places(10_000, 10);
        assert!((90..=100).contains(&crowd.len()), "{}", crowd.len());
        assert!(crowd.windows(2).all(|pair| pair[1] - pair[0] >= 1.0), "{crowd:?}");
    }

    #[test]
    fn every_rejected_write_is_drawn_among_dense_writes() {
        let actor = ActorTag { name: "web-1".into(), badge: Badge(0) };
        let write = |number: u64| WriteMark {
            number,
            at: Instant::from_millis(number * 10),
            actor: actor.clone(),
            reply: if number % 1_000 == 7 { EventResult::Rejected } else { EventResult::Accepted },
        };
        let track = ResourceTrack { writes: (0..9_000).map(write).collect(), made: 9_000 };
        let shapes = resource(&context(), &track);
        let rejected = |shape: &&Shape| {
            shape.children.iter().any(|mark| mark.attribute("data-testid", at(0)).is_some())
        };
        assert_eq!(shapes.iter().filter(rejected).count(), 9);
        assert!(shapes.len() < 240, "{}", shapes.len());
    }

    #[test]
    fn dense_tenures_are_merged_so_that_a_held_lock_never_looks_free() {
        let from = |number: u64| Instant::from_millis(number * 100);
        let tenure = |number| Tenure {
            session: tag(),
            from: from(number),
            to: Some(from(number + 1)),
            lock_index: number,
        };
        let track = LockTrack { tenures: (0..600).map(tenure).collect(), ..LockTrack::default() };
        let shapes = lock(&context(), &track);
        let drawn = ["bar", "many"].map(|class| widths(&shapes, class, at(0)));
        let width = |it: &String| it.trim_end_matches('%').parse::<f64>().expect("a number");
        let whole: f64 = drawn.iter().flatten().map(width).sum();
        assert!((whole - 60.0).abs() < 0.2, "{whole}");
        assert!(drawn.iter().all(|bars| (40..=60).contains(&bars.len())), "{drawn:?}");
    }

    #[test]
    fn the_last_entry_of_the_log_has_its_index() {
        let dots = (1..=9).map(|index| LogEntryMark { at: at(index), index: Index(index) });
        let shapes = log(&context(), &dots.collect());
        assert_eq!(Shape::texts(&shapes, at(9)), ["1", "5", "9"]);
    }
}
