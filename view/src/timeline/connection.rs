//! The lane of a connection: the times at which its requests were sent and sent again while the
//! network was cut, and how they ended.

use lictor_core::time::Instant;
use lictor_sim::record::{ConnectionTrack, TracedRequest};

use super::axis::Axis;
use super::density::DensityFilter;
use super::draw_context::DrawContext;
use super::label_room::{Label, with_room};
use super::shape::Shape;
use crate::format::clock;

/// The `y` of both ends of a tick.
const TICK: (&str, &str) = ("13", "25");
/// The `y` of the line.
const LINE: &str = "19";
const CROSS: &str = "M-3.5 15.5l7 7M-3.5 22.5l7-7";

/// The requests of one connection. The periods in which the network of the client was cut are
/// their background.
pub(super) fn connection(
    context: &DrawContext,
    track: &ConnectionTrack,
    cuts: &[(Instant, Option<Instant>)],
) -> Vec<Shape> {
    let axis = &context.axis;
    let until = |end: Option<Instant>| context.drawn_until(end.unwrap_or(context.until));
    let mut shapes = Vec::new();
    for (from, to) in cuts.iter().filter(|(from, to)| axis.shows(*from, until(*to))) {
        shapes.push(axis.rect("cut-ground", (*from, until(*to)), (0, 34)));
    }
    let line = Shape::line("log-line", ("0".into(), "100%".into()), (LINE, LINE));
    shapes.push(line);
    for request in &track.requests {
        let to = until(request.end.map(|(at, _)| at)).max(request.since);
        let ends = (axis.x(request.since), axis.x(to));
        shapes.push(Shape::line("conn-wait", ends, (LINE, LINE)));
    }
    let mut labels = Vec::new();
    let all = track.requests.iter().flat_map(|it| sent(it).into_iter().chain(it.again.clone()));
    let mut density = DensityFilter::of_marks(axis, all);
    for request in &track.requests {
        marks(axis, request, &mut density, &mut shapes, &mut labels);
    }
    labels.sort_by(|(one, _), (other, _)| one.from.total_cmp(&other.from));
    shapes.extend(with_room(labels));
    shapes
}

/// When a request was first sent, if that was during the cut.
fn sent(request: &TracedRequest) -> Option<Instant> {
    request.is_sent.then_some(request.since)
}

/// The marks of a request, and their labels: times, and at the end the status.
fn marks(
    axis: &Axis,
    request: &TracedRequest,
    density: &mut DensityFilter,
    shapes: &mut Vec<Shape>,
    labels: &mut Vec<(Label, Shape)>,
) {
    let mut label = |at: Instant, text: String, is_end| {
        let half = text.chars().count() / 2;
        let place = axis.fraction(at);
        let room = Label { is_needed: is_end, ..Label::beside(place, 2 * half) };
        let shift = (room.to - room.from) / 2.0;
        let room = Label { from: room.from - shift, to: room.to - shift, ..room };
        labels.push((room, Shape::words("conn-text halo", (0, "10"), text).beside(axis.x(at))));
    };
    if let Some(at) = sent(request).filter(|at| density.shows_mark(*at)) {
        let arrow = Shape::path("conn-sent", "M0 13v12M-3 17l3-4 3 4");
        shapes.push(Shape::place(axis.x(at)).holding(vec![arrow]));
        label(at, clock(at), false);
    }
    let mut before = request.since;
    for at in request.again.iter().copied() {
        if density.shows_mark(at) {
            // The first transmission after now has its own class.
            let class = |(before, at): &(Instant, Instant), now: Instant| {
                if *before <= now && now < *at { "conn-again next" } else { "conn-again" }
                    .to_owned()
            };
            let tick = Shape::bare("line").follow("class", (before, at), class);
            shapes.push(tick.between((axis.x(at), axis.x(at)), TICK));
            label(at, clock(at), false);
        }
        before = at;
    }
    if let Some((at, status)) = request.end.filter(|(at, _)| axis.shows(*at, *at)) {
        let (mark, text) = match status {
            Some(status) => (Shape::circle("conn-end", "0".into(), 19, "4"), status.to_string()),
            None => (Shape::path("conn-failed", CROSS), "×".to_owned()),
        };
        shapes.push(Shape::place(axis.x(at)).holding(vec![mark]));
        if status.is_some() {
            label(at, text, true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_travel::TimeTravel;
    use lictor_core::id::ActorName;
    use lictor_sim::record::RequestUse;

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    /// A lock with a TTL of 15 s, whose network is cut for 20 s, 6.5 s after a renewal.
    fn cut_lock(now: u64) -> TimeTravel {
        let acts = [
            (0, "web-1", "spawns one lock db/leader ttl=15s on-loss=stand-still"),
            (0, "web-1", "orders one start"),
            (14_000, "web-1", "cut for=20s"),
        ];
        let healthy = TimeTravel::after(&acts[..2], 14_000);
        assert_eq!(healthy.record().connections().count(), 0, "nothing has failed");
        TimeTravel::after(&acts, now)
    }

    fn track(past: &TimeTravel, usage: RequestUse) -> &ConnectionTrack {
        let path = (ActorName::from("web-1"), Some("one".into()), usage);
        past.record().connection(&path).expect("the cut concerns it")
    }

    /// The times are those of the recording A-20 of a real client.
    #[test]
    fn a_renewal_is_sent_again_at_the_recorded_times_and_then_answered() {
        let past = cut_lock(60_000);
        let recorded = [1.2, 1.4, 1.8, 2.7, 4.3, 7.8, 14.5, 27.8];
        let [renewal] = &track(&past, RequestUse::Renewals).requests[..] else {
            panic!("{:?}", past.record().connections().collect::<Vec<_>>())
        };
        let since_cut = |at: Instant| at.as_millis() as f64 / 1e3 - 14.0;
        assert!(renewal.is_sent && (since_cut(renewal.since) - 1.0).abs() < 0.1);
        let again: Vec<_> = renewal.again.iter().map(|at| since_cut(*at)).collect();
        assert_eq!(again.len(), recorded.len(), "{again:?}");
        let differences = again.iter().zip(recorded).map(|(one, other)| (one - other).abs());
        assert!(differences.fold(0.0, f64::max) < 0.3, "{again:?}");
        let end = renewal.end.map(|(at, status)| (since_cut(at).round(), status));
        assert_eq!(end, Some((28.0, Some(404))));

        let [watch, ..] = &track(&past, RequestUse::Watch).requests[..] else {
            panic!("{:?}", past.record().connections().collect::<Vec<_>>())
        };
        assert_eq!((watch.is_sent, watch.since), (false, at(14_000)), "it waits since before");
        assert_eq!(watch.end.map(|(_, status)| status), Some(Some(200)));
        let cuts = [(at(14_000), Some(at(34_000)))];
        assert_eq!(past.record().cuts(&ActorName::from("web-1")), cuts);
    }

    #[test]
    fn the_next_transmission_is_marked_and_the_cut_is_the_background() {
        let past = cut_lock(60_000);
        let context = DrawContext::plain(60, 60);
        let cuts = past.record().cuts(&ActorName::from("web-1"));
        let shapes = connection(&context, track(&past, RequestUse::Renewals), cuts);
        let classes = |now| -> Vec<String> {
            shapes.iter().filter_map(|shape| shape.attribute("class", at(now))).collect()
        };
        let count = |now, class: &str| classes(now).iter().filter(|one| *one == class).count();
        assert_eq!([count(20_000, "cut-ground"), count(20_000, "conn-again next")], [1, 1]);
        assert_eq!(count(20_000, "conn-again"), 7);
        assert_eq!(count(50_000, "conn-again next"), 0);
        let texts = Shape::texts(&shapes, at(60_000));
        assert_eq!(texts.last().map(String::as_str), Some("404"), "{texts:?}");
    }
}
