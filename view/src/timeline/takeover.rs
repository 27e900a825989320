//! The lane that adds up how long nobody else can take a lock: from the last renewal of its holder
//! to the end of the session, and from there to the end of the lock-delay. What is ahead is dashed.

use core::time::Duration;

use lictor_core::engine::{SessionClock, applied_lock_delay};
use lictor_core::error::Cause;
use lictor_core::id::Key;
use lictor_core::time::Instant;
use lictor_sim::record::{LockTrack, Record, SessionTrack};

use super::axis::{Axis, OUTSIDE};
use super::density::{DrawnSpan, drawn_spans};
use super::draw_context::DrawContext;
use super::page_width::{PageWidth, fits};
use super::shape::Shape;
use crate::format::{between, percent, whole_seconds};

const MIDDLE: &str = "14";
const BASELINE: &str = "18.5";
/// The y coordinates of the ticks.
const TICK: (&str, &str) = ("8", "20");

/// The times between which nobody else can take a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Takeover {
    /// The last renewal, or the end of a session that did not expire.
    from: Instant,
    ended: Instant,
    /// The earliest time at which another session can hold the key.
    until: Instant,
}

/// Which takeover is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Drawn {
    /// One that a session's end begins.
    Known(Takeover),
    /// The earliest takeover if the holder, which still renews its session, sent nothing more from
    /// the present time on.
    Bound { held: Instant, starts: Vec<Instant>, ttl: Duration, delay: Duration },
}

/// A drawing of a takeover: everything that its shapes depend on besides the time.
#[derive(Clone)]
struct Drawing {
    drawn: Drawn,
    axis: Axis,
    /// The names of the two spans, and what follows a number of seconds.
    words: [&'static str; 2],
    second: &'static str,
    page: PageWidth,
}

/// A time of a takeover at a present time.
type TakeoverTime = fn(&Takeover, Instant) -> Instant;

/// A text of the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Session,
    LockDelay,
    Sum,
}

/// The takeovers that the ends of sessions begin, and the one that is possible at the present time.
pub fn takeovers(context: &DrawContext, record: &Record, key: &Key) -> Vec<Shape> {
    let mut shapes = ended_takeovers(context, record, key);
    let bound = record.lock(key).and_then(|track| bound(record, track));
    shapes.extend(bound.into_iter().flat_map(|drawn| drawing(context, drawn)));
    shapes
}

/// The takeovers that the ends of sessions begin.
pub fn ended_takeovers(context: &DrawContext, record: &Record, key: &Key) -> Vec<Shape> {
    let Some(track) = record.lock(key) else { return Vec::new() };
    let ended = record.sessions().filter_map(|session| takeover(key, track, session));
    let mut all: Vec<Takeover> = ended.collect();
    all.sort_by_key(|takeover| takeover.from);
    let spans: Vec<_> = all.iter().map(|it| (it.from, Some(it.until))).collect();
    let mut shapes = Vec::new();
    for span in drawn_spans(&context.axis, &spans) {
        match span {
            DrawnSpan::One(index) => shapes.extend(drawing(context, Drawn::Known(all[index]))),
            DrawnSpan::Many(from, until) => {
                let across = (context.axis.x(from), context.axis.x(until));
                shapes.push(Shape::line("takeover-line", across, (MIDDLE, MIDDLE)));
            }
        }
    }
    shapes
}

/// The takeover that the end of a session begins. `None` if the session did not hold the key, or if
/// the key could be taken at once.
fn takeover(key: &Key, track: &LockTrack, session: &SessionTrack) -> Option<Takeover> {
    let end = session.ended.as_ref().filter(|end| end.freed.contains(key))?;
    let delay = track.delays.iter().find(|delay| delay.session == session.session.id);
    let from = match end.cause.cause {
        Cause::TtlExpired => session.last_start(),
        _ => end.at,
    };
    let until = delay.map_or(end.at, |delay| delay.until);
    (from < until).then_some(Takeover { from, ended: end.at, until })
}

/// The takeover that is possible while a session holds the key. `None` if nobody holds it at the
/// end of the forecast, or if the session has no TTL.
fn bound(record: &Record, track: &LockTrack) -> Option<Drawn> {
    let tenure = track.tenures.last().filter(|tenure| tenure.to.is_none())?;
    let mut holders = record.sessions().filter(|session| session.tag == tenure.session);
    let session = holders.find(|session| session.ended.is_none())?;
    let ttl = session.clock?.ttl;
    let delay = applied_lock_delay(session.session.lock_delay);
    Some(Drawn::Bound { held: tenure.from, starts: session.starts(), ttl, delay })
}

impl Drawn {
    /// The takeover at a present time; `None` if there is none then.
    fn at(&self, now: Instant) -> Option<Takeover> {
        match self {
            Self::Known(takeover) => Some(*takeover),
            Self::Bound { held, starts, ttl, delay } => {
                let started = starts.partition_point(|start| *start <= now);
                let from = *starts.get(started.checked_sub(1)?)?;
                let ended = SessionClock::starting(from, *ttl).ends;
                (*held <= now).then(|| Takeover { from, ended, until: ended.plus(*delay) })
            }
        }
    }
}

impl Drawing {
    fn seconds(&self, from: Instant, to: Instant) -> String {
        format!("{}{}", whole_seconds(between(from, to)), self.second)
    }

    /// A line between two times of the takeover, outside of the drawing if there is none at
    /// present.
    fn line(&self, class: &str, times: [TakeoverTime; 2]) -> Shape {
        let [from, to] = times.map(|time| (self.clone(), time));
        let x = |(drawing, time): &(Self, TakeoverTime), now| {
            let at = drawing.drawn.at(now).map(|takeover| time(&takeover, now));
            at.map_or_else(|| OUTSIDE.to_owned(), |at| drawing.axis.x(at))
        };
        let line = Shape::new("line", class).attr("y1", MIDDLE).attr("y2", MIDDLE);
        line.follow("x1", from, x).follow("x2", to, x)
    }

    /// A tick at a time of the takeover, outside of the drawing if that is not on the axis.
    fn tick(&self, time: TakeoverTime) -> Shape {
        let x = |(drawing, time): &(Self, TakeoverTime), now| {
            let at = drawing.drawn.at(now).map(|takeover| time(&takeover, now));
            at.map_or_else(|| OUTSIDE.to_owned(), |at| drawing.axis.x_if_visible(at))
        };
        let tick = Shape::new("line", "takeover-line").attr("y1", TICK.0).attr("y2", TICK.1);
        tick.follow("x1", (self.clone(), time), x).follow("x2", (self.clone(), time), x)
    }

    fn fraction(&self, at: Instant) -> f64 {
        self.axis.fraction(at).clamp(0.0, 1.0)
    }

    /// The position of a text: in the middle of its span, or after both spans.
    fn text_x(&self, now: Instant, text: Text) -> String {
        let Some(takeover) = self.drawn.at(now) else { return OUTSIDE.to_owned() };
        let (from, to) = takeover.span(text);
        percent((self.fraction(from) + self.fraction(to)) / 2.0)
    }

    /// The longest form of a text that has room. The sum is after the spans, or in the text of the
    /// lock-delay if there is no room.
    fn text(&self, now: Instant, text: Text) -> String {
        let Some(takeover) = self.drawn.at(now) else { return String::new() };
        let fits = |text: &str, share: f64| fits(text, share / self.page.letter());
        let sum = takeover.has_sum();
        let sum = sum.then(|| format!("= {}", self.seconds(takeover.from, takeover.until)));
        let room = 1.0 - self.fraction(takeover.until);
        let (inside, after) = match sum {
            Some(sum) if fits(&sum, room) => (String::new(), sum),
            Some(sum) => (format!(" {sum}"), String::new()),
            None => (String::new(), String::new()),
        };
        let (from, to) = takeover.span(text);
        let (word, inside) = match text {
            Text::Sum => return after,
            Text::Session => (self.words[0], ""),
            Text::LockDelay => (self.words[1], &*inside),
        };
        let (span, share) = (self.seconds(from, to), self.fraction(to) - self.fraction(from));
        let forms = [format!("{span} {word}{inside}"), format!("{span}{inside}"), span];
        forms.into_iter().find(|form| from < to && fits(form, share)).unwrap_or_default()
    }
}

impl Takeover {
    fn span(&self, text: Text) -> (Instant, Instant) {
        match text {
            Text::Session => (self.from, self.ended),
            Text::LockDelay => (self.ended, self.until),
            Text::Sum => (self.until, self.until),
        }
    }

    /// Whether it has two spans.
    fn has_sum(&self) -> bool {
        self.from < self.ended && self.ended < self.until
    }
}

fn drawing(context: &DrawContext, drawn: Drawn) -> Vec<Shape> {
    let words = context.words();
    let drawing = Drawing {
        drawn,
        axis: context.axis.clone(),
        words: [words.takeover_session, words.takeover_delay],
        second: context.row_words().second,
        page: context.page,
    };
    let from: TakeoverTime = |takeover, _| takeover.from;
    let reached: TakeoverTime = |takeover, now| now.clamp(takeover.from, takeover.until);
    let ended: TakeoverTime = |takeover, _| takeover.ended;
    let until: TakeoverTime = |takeover, _| takeover.until;
    let mut shapes = vec![
        drawing.line("takeover-line", [from, reached]),
        drawing.line("takeover-line later", [reached, until]),
    ];
    shapes.extend([from, ended, until].map(|time| drawing.tick(time)));
    shapes.extend([Text::Session, Text::LockDelay, Text::Sum].map(|it| words_of(&drawing, it)));
    shapes
}

fn words_of(drawing: &Drawing, text: Text) -> Shape {
    let (class, right) = match text {
        Text::Session | Text::LockDelay => ("takeover-text", "0"),
        Text::Sum => ("takeover-sum", "6"),
    };
    let words = Shape::new("text", class).attr("dx", right).attr("y", BASELINE);
    words
        .follow("x", (drawing.clone(), text), |(drawing, text), now| drawing.text_x(now, *text))
        .say((drawing.clone(), text), |(drawing, text), now| drawing.text(now, *text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::{LEADER, TestWorld, at};

    /// The texts of the lane at a present time.
    fn texts(played: &TestWorld, now: u64) -> Vec<String> {
        let context = DrawContext::plain(75, 75);
        let shapes = takeovers(&context, &played.record, &Key::from(LEADER));
        Shape::texts(&shapes, at(now)).into_iter().filter(|text| !text.is_empty()).collect()
    }

    /// web-1 holds the lock with a TTL of 20 s, and renews its session at 10 s.
    fn renewed_at_10() -> TestWorld {
        let mut played = TestWorld::of_three();
        let id = played.session("web-1", r#"{"TTL": "20s"}"#);
        played.acquire("web-1", id);
        played.advance_to(10_000);
        played.call("web-1", "PUT", &format!("/v1/session/renew/{id}"), "");
        played
    }

    #[test]
    fn the_time_until_a_takeover_is_the_sum_of_its_parts() {
        let mut played = renewed_at_10();
        let expected = ["40 s session", "15 s lock-delay", "= 55 s"];
        assert_eq!(texts(&played, 12), expected, "the session may still be renewed");
        played.advance_to(50_000);
        assert_eq!(texts(&played, 12), expected, "it has ended");
    }

    #[test]
    fn a_takeover_that_is_only_possible_begins_with_the_last_renewal_before_the_present() {
        let played = renewed_at_10();
        let axis = DrawContext::plain(100, 100).axis;
        let track = played.record.lock(&Key::from(LEADER)).expect("it is held");
        let drawn = bound(&played.record, track).expect("its session has a TTL");
        let from = |now| drawn.at(at(now)).map(|takeover| axis.x(takeover.from));
        assert_eq!(from(5).as_deref(), Some("0.000%"));
        assert_eq!(from(10).as_deref(), Some("10.000%"));
    }

    #[test]
    fn a_session_that_is_destroyed_leaves_the_lock_delay_alone() {
        let mut played = renewed_at_10();
        let id = played.record.session_of(&"web-1".into()).expect("it lives").session.id;
        played.destroy("web-1", id);
        assert_eq!(texts(&played, 12), ["15 s lock-delay"]);
        let mut untimed = TestWorld::of_three();
        let id = untimed.session("web-1", "");
        untimed.acquire("web-1", id);
        assert!(texts(&untimed, 12).is_empty(), "nothing ends a session without a TTL");
    }
}
