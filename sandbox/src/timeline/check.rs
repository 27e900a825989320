//! The lane of a health check: a bar for each period of one status, with the session that began or
//! ended. `LaneId` calls it.

use lictor_core::store::catalog::CheckStatus;
use lictor_core::time::Instant;

use super::axis::Axis;
use super::bar::{BarRow, LETTER, many};
use super::density::{DrawnSpan, drawn_spans};
use super::draw_context::DrawContext;
use super::shape::Shape;
use lictor_sim::record::{CheckSpan, CheckTrack};

/// The row of the bars.
const ROOM: BarRow = BarRow { y: 6, height: 16, baseline: "12.5" };
/// How many times as much of the axis a letter takes on a narrow page.
const NARROW_LETTER: f64 = 2.4;

/// The bars of a check, and above all of them their words.
pub(super) fn check(scene: &DrawContext, track: &CheckTrack) -> Vec<Shape> {
    let spans = track.spans.iter().map(|span| (span.from, span.to)).collect::<Vec<_>>();
    let (mut shapes, mut labels) = (Vec::new(), Vec::new());
    for drawn in drawn_spans(&scene.axis, &spans) {
        match drawn {
            DrawnSpan::One(index) => {
                shapes.extend(bar(scene, &track.spans[index]));
                labels.extend(label(scene, &track.spans[index]));
            }
            DrawnSpan::Many(from, to) => shapes.push(many(&scene.axis, (from, to), ROOM)),
        }
    }
    shapes.extend(labels);
    shapes
}

/// A bar up to now, and an outline after that.
fn bar(scene: &DrawContext, span: &CheckSpan) -> Vec<Shape> {
    let axis = &scene.axis;
    let (from, end) = (span.from, span.to.unwrap_or(scene.until));
    let class = format!("check-{}", class_of(&span.status));
    let row =
        |shape: Shape| shape.attr("y", ROOM.y.to_string()).attr("height", ROOM.height.to_string());
    let inputs = || (axis.clone(), from, end);
    let ahead = row(Shape::rect(format!("{class} later")))
        .follow("x", inputs(), |(axis, from, _), now| axis.x(now.max(*from)))
        .follow("width", inputs(), |(axis, from, end), now| axis.width(now.max(*from), *end));
    let past = row(Shape::rect(class.clone())).attr("x", axis.x(from));
    let past = past.follow("width", inputs(), |(axis, from, end), now| {
        axis.width(*from, now.min(*end).max(*from))
    });
    let mut shapes = vec![ahead, past.attr("data-testid", class)];
    if span.status == CheckStatus::Critical {
        let hatch = row(Shape::rect("check-hatch")).attr("x", axis.x(from));
        shapes.push(hatch.attr("width", axis.width(from, end)));
    }
    shapes
}

/// As much of the words of a bar as has room, for a wide page and for a narrow one.
fn label(scene: &DrawContext, span: &CheckSpan) -> Vec<Shape> {
    let axis = &scene.axis;
    let (from, end) = (span.from, span.to.unwrap_or(scene.until));
    let status = class_of(&span.status);
    let sentence = (scene.words.health_checks.status)(&span.status, span.by.as_deref());
    let texts = [sentence, span.status.as_str().to_owned()];
    let pages = [(LETTER, "wide-only"), (LETTER * NARROW_LETTER, "narrow-only")];
    let label = |(letter, page): (f64, &str)| {
        let text = texts.iter().find(|text| fits(axis, (from, end), text, letter))?;
        let shape = Shape::words(format!("check-text {status} {page}"), (6, "18.5"), text);
        Some(shape.beside(axis.x(from.max(axis.start()))))
    };
    pages.into_iter().filter_map(label).collect()
}

/// The class of a status; the catalog may hold any other text, which is drawn as a warning.
fn class_of(status: &CheckStatus) -> &'static str {
    match status {
        CheckStatus::Passing => "passing",
        CheckStatus::Warning | CheckStatus::Other(_) => "warning",
        CheckStatus::Critical => "critical",
    }
}

fn fits(axis: &Axis, (from, to): (Instant, Instant), words: &str, letter: f64) -> bool {
    let share = axis.fraction(to).min(1.0) - axis.fraction(from).max(0.0);
    share > letter * (words.len() + 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::test_world::TestWorld;
    use crate::timeline::scale::Scale;
    use std::sync::Arc;

    fn at(seconds: u64) -> Instant {
        Instant::from_millis(seconds * 1000)
    }

    fn scene() -> DrawContext {
        let axis = Axis::new(&Arc::new(Scale::plain(at(100))), (Instant::EPOCH, at(100)));
        let words = Language::English.words();
        DrawContext { words, axis, until: at(100), former: None }
    }

    /// Two sessions of the name `worker` begin at 12 s and at 46 s; the first one ends at 66 s.
    fn two_sessions_of_a_name() -> TestWorld {
        let mut played = TestWorld::new();
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
        let shapes = check(&scene(), track);
        assert_eq!(attributes(&shapes, "check-passing", "x", at(100)), ["12.000%", "46.000%"]);
        assert_eq!(attributes(&shapes, "check-critical", "width", at(100)), ["12.000%", "34.000%"]);
        assert_eq!(attributes(&shapes, "check-critical", "width", at(80)), ["12.000%", "14.000%"]);
        let said = |status: &str, page: &str| {
            let class = format!("check-text {status} {page}");
            let texts = shapes
                .iter()
                .filter(|shape| shape.attribute("class", at(0)).as_deref() == Some(class.as_str()));
            texts.filter_map(|shape| Some(shape.text.as_ref()?.at(at(0)))).collect::<Vec<_>>()
        };
        assert_eq!(said("passing", "wide-only"), ["passing: session A began", "passing"]);
        assert_eq!(said("critical", "wide-only"), ["critical", "critical: session A ended"]);
        assert_eq!(said("critical", "narrow-only"), ["critical"]);
        let is_above = shapes.iter().skip_while(|shape| shape.tag == "rect");
        assert!(is_above.into_iter().all(|shape| shape.tag == "text"), "no bar covers words");
    }

    #[test]
    fn a_check_that_is_removed_has_no_bar_any_more() {
        let mut played = two_sessions_of_a_name();
        played.advance_to(80_000);
        let body = r#"{"Node": "web-1", "CheckID": "work"}"#;
        played.call("web-1", "PUT", "/v1/catalog/deregister", body);
        let track = played.record.health_checks().next().expect("it is remembered");
        assert_eq!(track.present(), None);
        let shapes = check(&scene(), track);
        let widths = attributes(&shapes, "check-critical", "width", at(100));
        assert_eq!(widths.last().map(String::as_str), Some("14.000%"));
    }
}
