//! Draws the lane of a health check: a bar for each period of one status, with the session whose
//! beginning or end caused it, a line for each period without gossip, and a label for each in which
//! the check is not in the catalog.

use lictor_core::store::catalog::CheckStatus;
use lictor_core::time::Instant;
use lictor_sim::record::{CheckSpan, CheckTrack};

use super::bar::{BarRow, bars};
use super::draw_context::DrawContext;
use super::shape::Shape;

/// The vertical place of the bars.
const ROOM: BarRow = BarRow { y: 6, height: 16, baseline: "12.5" };

/// The shapes of a check: the bars, and after all of them their labels, which no bar may cover.
pub(super) fn check(context: &DrawContext, track: &CheckTrack) -> Vec<Shape> {
    let spans = track.spans.iter().collect::<Vec<_>>();
    let mut labels = Vec::new();
    let mut shapes = bars(&context.axis, &spans, |it| (it.from, it.to), ROOM, &mut |span| {
        labels.extend(status_label(context, track, span));
        bar(context, span)
    });
    for silence in &track.silences {
        shapes.extend(silence_shape(context, *silence));
        labels.extend(silence_label(context, track, *silence));
    }
    for (from, to) in track.absences() {
        let texts = [context.words().check_absent.to_owned()];
        labels.extend(label(context, (from, to.unwrap_or(context.until)), &texts, "absent"));
    }
    shapes.extend(labels);
    shapes
}

/// A line above a period in which gossip does not reach the node. The check becomes critical only
/// when gossip has detected that.
fn silence_shape(context: &DrawContext, (from, to): (Instant, Option<Instant>)) -> Option<Shape> {
    let (axis, end) = (&context.axis, to.unwrap_or(context.until));
    let shape = || axis.rect("check-silence", (from, end), (1, 3));
    axis.shows(from, end).then(|| shape().attr("data-testid", "lane-silence"))
}

/// The shapes of a period: a bar up to now, and an outline after that.
fn bar(context: &DrawContext, span: &CheckSpan) -> Vec<Shape> {
    let axis = &context.axis;
    let (place, room) = ((span.from, span.to.unwrap_or(context.until)), (ROOM.y, ROOM.height));
    let class = format!("check-{}", class_of(&span.status));
    let [ahead, past] = axis.rects_around_now(&class, place, room);
    let mut shapes = vec![ahead, past.attr("data-testid", class)];
    if span.status == CheckStatus::Critical {
        shapes.push(axis.rect("check-hatch", place, room));
    }
    shapes
}

/// The label with the status of a bar, on its part before gossip stops.
fn status_label(context: &DrawContext, track: &CheckTrack, span: &CheckSpan) -> Option<Shape> {
    let (from, end) = (span.from, span.to.unwrap_or(context.until));
    let silent = track.silences.iter().map(|(from, _)| *from).find(|at| (from..end).contains(at));
    let sentence = (context.row_words().check_status)(&span.status, span.by.as_deref());
    let texts = [sentence, span.status.as_str().to_owned()];
    label(context, (from, silent.unwrap_or(end)), &texts, class_of(&span.status))
}

/// The label of a period without gossip, on its part before the status changes.
fn silence_label(
    context: &DrawContext,
    track: &CheckTrack,
    (from, to): (Instant, Option<Instant>),
) -> Option<Shape> {
    let end = to.unwrap_or(context.until);
    let span = track.spans.iter().rfind(|span| span.from <= from);
    let end = span.and_then(|span| span.to).map_or(end, |to| to.min(end));
    let status = span.map_or("passing", |span| class_of(&span.status));
    label(context, (from, end), &[context.words().no_gossip.to_owned()], status)
}

/// A label with the first of these texts that has room in a period; `None` if none has.
fn label(
    context: &DrawContext,
    (from, to): (Instant, Instant),
    texts: &[String],
    status: &str,
) -> Option<Shape> {
    let (axis, class) = (&context.axis, format!("check-text {status}"));
    let text = texts.iter().find(|text| context.fits(text, axis.share(from, to)))?;
    Some(Shape::words(class, (6, "18.5"), text).beside(axis.x(from.max(axis.start()))))
}

/// The class of a status. The catalog accepts any text as a status; an unknown one is drawn as a
/// warning.
fn class_of(status: &CheckStatus) -> &'static str {
    match status {
        CheckStatus::Passing => "passing",
        CheckStatus::Warning | CheckStatus::Other(_) => "warning",
        CheckStatus::Critical => "critical",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::{TestWorld, at};
    use crate::timeline::page_width::PageWidth;

    fn context() -> DrawContext {
        DrawContext::plain(100, 100)
    }

    /// The labels with a status.
    fn labels(context: &DrawContext, track: &CheckTrack, status: &str) -> Vec<String> {
        let (shapes, class) = (check(context, track), format!("check-text {status}"));
        let has = |shape: &&Shape| shape.attribute("class", at(0)).as_ref() == Some(&class);
        Shape::texts(&shapes.iter().filter(has).cloned().collect::<Vec<_>>(), at(0))
    }

    /// Two sessions of the name `worker` begin at 12 s and at 46 s; the first one ends at 66 s.
    fn two_sessions_of_a_name() -> TestWorld {
        let mut played = TestWorld::of_three();
        played.follow_sessions("web-1", "worker");
        played.advance_to(12_000);
        let first = played.session("web-1", r#"{"Name": "worker"}"#);
        played.advance_to(46_000);
        played.session("web-1", r#"{"Name": "worker"}"#);
        played.advance_to(66_000);
        played.destroy("web-1", first);
        played
    }

    fn attributes(shapes: &[Shape], class: &str, name: &str, now: Instant) -> Vec<String> {
        let has = |shape: &&Shape| shape.attribute("class", now).as_deref() == Some(class);
        shapes.iter().filter(has).filter_map(|shape| shape.attribute(name, now)).collect()
    }

    #[test]
    fn each_status_has_a_bar_with_the_session_that_caused_it() {
        let played = two_sessions_of_a_name();
        let track = played.record.health_checks().next().expect("there is a check");
        let shapes = check(&context(), track);
        assert_eq!(attributes(&shapes, "check-passing", "x", at(100)), ["12.000%", "46.000%"]);
        assert_eq!(attributes(&shapes, "check-critical", "width", at(100)), ["12.000%", "34.000%"]);
        assert_eq!(attributes(&shapes, "check-critical", "width", at(80)), ["12.000%", "14.000%"]);
        let wide = context();
        assert_eq!(labels(&wide, track, "passing"), ["passing: session A began", "passing"]);
        let critical = labels(&wide, track, "critical");
        assert_eq!(critical, ["critical", "critical: session A ended"]);
        let narrow = DrawContext { page: PageWidth::Narrow, ..wide };
        assert_eq!(labels(&narrow, track, "critical"), ["critical"]);
        let is_above = shapes.iter().skip_while(|shape| shape.tag == "rect");
        assert!(is_above.into_iter().all(|shape| shape.tag == "text"), "no bar covers words");
    }

    /// Gossip loses the node at 20 s, notices that after 15 s, and finds it again at 60 s.
    #[test]
    fn a_loss_of_gossip_is_drawn_from_its_beginning_and_not_from_its_detection() {
        let mut played = TestWorld::of_three();
        played.session("web-1", "{}");
        assert_eq!(played.record.health_checks().count(), 0, "nothing happened to the node");
        played.advance_to(20_000);
        played.act("web-1", "node-silent detection=15s for=40s");
        played.advance_to(100_000);
        let track = played.record.health_checks().next().expect("the node was in doubt");
        let shapes = check(&context(), track);
        assert_eq!(attributes(&shapes, "check-silence", "x", at(100)), ["20.000%"]);
        assert_eq!(attributes(&shapes, "check-silence", "width", at(100)), ["40.000%"]);
        assert_eq!(attributes(&shapes, "check-critical", "x", at(100)), ["35.000%"]);
        assert_eq!(attributes(&shapes, "check-critical", "width", at(100)), ["25.000%"]);
        let texts = Shape::texts(&shapes, at(0));
        assert!(texts.iter().any(|text| text == "silent"), "{texts:?}");
    }

    /// The node leaves the catalog at 20 s and is registered again at 60 s.
    #[test]
    fn the_time_in_which_a_node_is_not_in_the_catalog_is_drawn() {
        let mut played = TestWorld::of_three();
        played.session("web-1", "{}");
        played.advance_to(20_000);
        played.act("web-1", "node-removed for=40s");
        played.advance_to(100_000);
        let track = played.record.health_checks().next().expect("its check was removed");
        let shapes = check(&context(), track);
        let bars = ["x", "width"].map(|it| attributes(&shapes, "check-passing", it, at(100)));
        assert_eq!(bars, [["0.000%", "60.000%"], ["20.000%", "40.000%"]]);
        assert_eq!(labels(&context(), track, "absent"), ["not in the catalog"]);
        let narrow = DrawContext { page: PageWidth::Narrow, ..context() };
        assert!(labels(&narrow, track, "absent").is_empty(), "it has no room");
    }

    #[test]
    fn a_check_that_is_removed_has_no_bar_any_more() {
        let mut played = two_sessions_of_a_name();
        played.advance_to(80_000);
        let body = r#"{"Node": "web-1", "CheckID": "work"}"#;
        played.call("web-1", "PUT", "/v1/catalog/deregister", body);
        let track = played.record.health_checks().next().expect("it is remembered");
        assert_eq!(track.present(), None);
        let shapes = check(&context(), track);
        let widths = attributes(&shapes, "check-critical", "width", at(100));
        assert_eq!(widths.last().map(String::as_str), Some("14.000%"));
    }
}
