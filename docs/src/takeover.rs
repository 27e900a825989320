//! The lane of a picture that adds up how long nobody can take a lock: from the last renewal of its
//! holder to the end of the session, and from there to the end of the lock-delay.

use lictor_core::error::Cause;
use lictor_core::id::Key;
use lictor_core::time::Instant;
use lictor_sim::record::{LockTrack, Record, SessionTrack};
use lictor_view::language::Language;
use lictor_view::timeline::axis::Axis;
use lictor_view::timeline::picture::PictureLane;
use lictor_view::timeline::shape::Shape;

use crate::mention::span_in_words;

const HEIGHT: u32 = 36;
const MIDDLE: &str = "18";
const BASELINE: &str = "22";
/// The share of the axis's width that a letter takes, and the class of its texts: in a column, and
/// on a phone.
const LETTERS: [(f64, &str); 2] = [(0.0115, "wide-only"), (0.027, "narrow-only")];

/// The times between which nobody can take a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Takeover {
    /// The last renewal, or the end of a session that did not expire.
    from: Instant,
    ended: Instant,
    /// The earliest time at which another session can hold the key.
    until: Instant,
}

/// The lane of a record with exactly one lock. `None` if there are more or fewer locks, or if no
/// session ended while it held the key for a time that the lane could show.
pub(crate) fn lane(record: &Record, axis: &Axis, language: Language) -> Option<PictureLane> {
    let mut locks = record.locks();
    let (Some((key, track)), None) = (locks.next(), locks.next()) else { return None };
    let ends = record.sessions().filter_map(|session| takeover(key, track, session));
    let shapes: Vec<Shape> = ends.flat_map(|takeover| shapes(takeover, axis, language)).collect();
    let name = match language {
        Language::English => "takeover",
        Language::Chinese => "最早接手",
    };
    let name = [name.to_owned(), String::new()];
    (!shapes.is_empty()).then_some(PictureLane { name, height: HEIGHT, shapes })
}

/// The takeover that the end of a session begins. `None` if the session did not hold the key, or if
/// the key could be taken at once.
fn takeover(key: &Key, track: &LockTrack, session: &SessionTrack) -> Option<Takeover> {
    let end = session.ended.as_ref().filter(|end| end.freed.contains(key))?;
    let delay = track.delays.iter().find(|delay| delay.session == session.session.id);
    let from = match end.cause.cause {
        Cause::TtlExpired => session.renewals.last().copied().unwrap_or(session.first),
        _ => end.at,
    };
    let until = delay.map_or(end.at, |delay| delay.until);
    (from < until).then_some(Takeover { from, ended: end.at, until })
}

fn shapes(takeover: Takeover, axis: &Axis, language: Language) -> Vec<Shape> {
    let Takeover { from, ended, until } = takeover;
    let [session, delay] = match language {
        Language::English => ["session", "lock-delay"],
        Language::Chinese => ["会话", "锁延迟"],
    };
    // The picture can end before the lock-delay.
    let drawn = |at: Instant| at.min(axis.end());
    let mut shapes = vec![line((axis.x(from), axis.x(drawn(until))), (MIDDLE, MIDDLE))];
    let ends = [from, ended, until].into_iter().filter(|at| *at <= axis.end());
    shapes.extend(ends.map(|at| line((axis.x(at), axis.x(at)), ("12", "24"))));
    let sum = format!("= {}", span_in_words(until.since(from), language));
    let is_sum = from < ended && ended < until;
    for (letter, class) in LETTERS {
        let room = 1.0 - axis.fraction(drawn(until));
        let has_room = room > letter * width(&sum) + 0.02;
        if is_sum && has_room {
            let words = Shape::words(format!("takeover-sum {class}"), (6, BASELINE), &*sum);
            shapes.push(words.beside(axis.x(until)));
        }
        for (word, from, to) in [(session, from, ended), (delay, ended, until)] {
            let span = span_in_words(to.since(from), language);
            let after =
                if is_sum && !has_room && to == until { format!(" {sum}") } else { String::new() };
            let long = format!("{span} {word}{after}");
            let short = format!("{span}{after}");
            let share = axis.fraction(drawn(to)) - axis.fraction(from);
            let fitting = [long, short, span].into_iter();
            let mut fitting = fitting.filter(|words| letter * (width(words) + 2.0) < share);
            let words = fitting.next().filter(|_| from < to);
            shapes.extend(words.map(|words| {
                let middle = from.plus(drawn(to).since(from) / 2);
                let words = Shape::words(format!("takeover-text {class}"), (0, BASELINE), words);
                words.beside(axis.x(middle))
            }));
        }
    }
    shapes
}

fn line(across: (String, String), down: (&str, &str)) -> Shape {
    Shape::line("takeover-line", across, down)
}

/// The width of a text in letters; a Chinese character is as wide as two.
fn width(text: &str) -> f64 {
    text.chars().map(|letter| if letter.is_ascii() { 1.0 } else { 2.0 }).sum()
}

#[cfg(test)]
mod tests {
    use crate::Demo;
    use lictor_view::language::Language;
    use lictor_view::timeline::picture::PictureSize;

    fn picture(demo: &str) -> String {
        let demo = Demo::read(demo).expect("a demo");
        demo.picture(Language::English, PictureSize::COLUMN, demo.name.as_str(), &[], false)
    }

    #[test]
    fn the_time_until_a_takeover_is_the_sum_of_its_parts() {
        let picture = picture("earliest-takeover");
        for words in [">takeover<", ">20 s session<", ">15 s lock-delay<", ">= 35 s<"] {
            assert!(picture.contains(words), "{words}");
        }
    }

    #[test]
    fn pictures_of_several_locks_and_of_releases_have_no_takeover_lane() {
        for demo in ["three-exits", "false-but-free.fixed"] {
            assert!(!picture(demo).contains(">takeover<"), "{demo}");
        }
    }
}
