//! Draws the lanes of a key: its values, its values without the fix of a lesson, its two indexes,
//! and the clients that read it or were woken by its changes.

use std::collections::BTreeMap;

use lictor_core::time::Instant;
use lictor_sim::record::{KeyRead, KeyTrack, KeyVersion, ReadState};

use super::draw_context::DrawContext;
use super::label_room::{Label, with_room};
use super::lanes::PIXEL;
use super::page_width::LETTER;
use super::shape::Shape;
use super::words::Words;
use crate::badge;

/// The longest part of a value that is drawn, in letters.
const VALUE_LENGTH: usize = 40;
/// The width of a letter of a value, in letters of a bar.
const CODE: f64 = 1.1;
/// The y coordinate of the largest value of an index, in pixels.
const HIGH: u64 = 11;
/// The y coordinate of the smallest value of an index, in pixels.
const LOW: u64 = 19;

/// The lanes of a key that clients read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyLane {
    Value,
    /// The value without the fix of a lesson.
    Former,
    ModifyIndex,
    LockIndex,
    Reads,
}

impl KeyLane {
    pub const ALL: [Self; 5] =
        [Self::Value, Self::Former, Self::ModifyIndex, Self::LockIndex, Self::Reads];

    /// Whether the lane of a key is drawn: a key that was never written has no indexes.
    pub(super) fn exists(self, track: &KeyTrack) -> bool {
        match self {
            Self::Value | Self::Former | Self::Reads => true,
            Self::ModifyIndex | Self::LockIndex => {
                track.versions.iter().any(|version| version.entry.is_some())
            }
        }
    }

    /// The name of the lane beside the drawing.
    pub(super) fn name(self, words: &Words) -> &'static str {
        match self {
            Self::Value => words.key_lane.value,
            Self::Former => words.key_lane.former,
            Self::ModifyIndex => "ModifyIndex",
            Self::LockIndex => "LockIndex",
            Self::Reads => words.key_lane.reads,
        }
    }
}

/// A version of the key with its end, which is that of the forecast for the last version.
#[derive(Clone, Copy)]
struct Part<'a> {
    version: &'a KeyVersion,
    to: Instant,
}

/// The shapes of a lane of a key. `former` is the key's track without the fix of a lesson.
pub(super) fn key(
    context: &DrawContext,
    lane: KeyLane,
    (track, former): (&KeyTrack, Option<&KeyTrack>),
) -> Vec<Shape> {
    match lane {
        KeyLane::Value => values(context, track, former),
        KeyLane::Former => former.map_or_else(Vec::new, |former| former_values(context, former)),
        KeyLane::ModifyIndex => index(context, track, |version| {
            version.entry.as_ref().map(|entry| entry.modify_index.0)
        }),
        KeyLane::LockIndex => {
            index(context, track, |version| version.entry.as_ref().map(|entry| entry.lock_index))
        }
        KeyLane::Reads => reads(context, track),
    }
}

fn parts<'a>(context: &DrawContext, track: &'a KeyTrack) -> Vec<Part<'a>> {
    let ends = track.versions.iter().skip(1).map(|next| next.from).chain([context.until]);
    let parts = track.versions.iter().zip(ends).map(|(version, to)| Part { version, to });
    // Of several writes at one instant the last one is drawn.
    let lasts = parts.filter(|part| part.version.from < part.to);
    lasts.filter(|part| context.axis.shows(part.version.from, part.to)).collect()
}

/// A box for each value, with another class where the fix of a lesson has changed it.
fn values(context: &DrawContext, track: &KeyTrack, former: Option<&KeyTrack>) -> Vec<Shape> {
    let parts = parts(context, track);
    let shapes = parts.iter().flat_map(|part| {
        let is_changed = former.is_some_and(|former| value_at(former, part) != value(part.version));
        let class = if is_changed { "value-box is-changed" } else { "value-box" };
        value_shapes(context, *part, class)
    });
    shapes.collect()
}

fn former_values(context: &DrawContext, former: &KeyTrack) -> Vec<Shape> {
    let parts = parts(context, former).into_iter();
    parts.flat_map(|part| value_shapes(context, part, "value-box is-former")).collect()
}

/// The value of another track in the middle of a part.
fn value_at<'a>(track: &'a KeyTrack, part: &Part<'_>) -> Option<&'a [u8]> {
    let middle = part.version.from.as_millis().midpoint(part.to.as_millis());
    let middle = Instant::from_millis(middle);
    value(track.versions.iter().rev().find(|version| version.from <= middle)?)
}

fn value(version: &KeyVersion) -> Option<&[u8]> {
    version.entry.as_ref().map(|entry| &*entry.value)
}

fn value_shapes(context: &DrawContext, part: Part<'_>, class: &str) -> Vec<Shape> {
    let (axis, from) = (&context.axis, part.version.from);
    let Some(bytes) = value(part.version) else {
        let note = text(context, (from, part.to), "key-note", context.words().key_lane.no_key);
        return note.into_iter().collect();
    };
    let area = axis.rect(class, (from, part.to), (3, 18)).attr("rx", "2");
    let value = value_text(context.words(), bytes);
    let mut shapes = vec![area];
    shapes.extend(text(context, (from, part.to), "key-value", &value));
    shapes
}

/// A value as one line: a text, shortened if it is long, or the length of bytes that are none.
fn value_text(words: &Words, bytes: &[u8]) -> String {
    let Ok(text) = core::str::from_utf8(bytes) else { return (words.key_lane.bytes)(bytes.len()) };
    if text.is_empty() {
        return words.key_lane.empty.to_owned();
    }
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(VALUE_LENGTH) {
        Some((end, _)) => format!("{}… {}", &line[..end], (words.key_lane.bytes)(bytes.len())),
        None => line,
    }
}

/// A text at the beginning of a span, cut to the room that it has; `None` without room.
fn text(
    context: &DrawContext,
    (from, to): (Instant, Instant),
    class: &str,
    full: &str,
) -> Option<Shape> {
    let axis = &context.axis;
    let room = axis.share(from, to) / (LETTER * CODE * context.page.letter());
    let words = Shape::words(class, (6, "16.5"), cut(full, room as usize)?);
    Some(words.beside(axis.x(from.max(axis.start()))))
}

/// A text cut to this many letters; `None` if there is room for fewer than three.
fn cut(text: &str, room: usize) -> Option<String> {
    match text.char_indices().nth(room.saturating_sub(1)) {
        _ if room < 3 => None,
        Some((end, _)) if text.chars().count() > room => Some(format!("{}…", &text[..end])),
        _ => Some(text.to_owned()),
    }
}

/// An index as a line that rises with it, with its value where it changes.
fn index(
    context: &DrawContext,
    track: &KeyTrack,
    index_of: fn(&KeyVersion) -> Option<u64>,
) -> Vec<Shape> {
    let axis = &context.axis;
    let all = track.versions.iter().filter_map(index_of);
    let (least, most) = (all.clone().min().unwrap_or(0), all.max().unwrap_or(0));
    let height = |value: u64| LOW - (value - least) * (LOW - HIGH) / (most - least).max(1);
    let (mut shapes, mut labels) = (Vec::new(), Vec::new());
    let mut before = None;
    for part in parts(context, track) {
        let Some(value) = index_of(part.version) else {
            before = None;
            continue;
        };
        let (y, from) = (height(value).to_string(), part.version.from);
        let line = (axis.x(from), axis.x(part.to));
        shapes.push(Shape::line("index-line", line, (&y, &y)));
        if before == Some(value) {
            continue;
        }
        if let Some(before) = before {
            let before = height(before).to_string();
            shapes.push(Shape::upright("index-line", axis.x(from), (&before, &y)));
        }
        let number = value.to_string();
        let room = Label::beside(axis.fraction(from), number.len());
        let number = Shape::words("index-text", (4, &(height(value) - 3).to_string()), number);
        labels.push((room, number.beside(axis.x(from))));
        before = Some(value);
    }
    shapes.extend(with_room(labels));
    shapes
}

/// The width of a mark in the lane of reads, with a gap, in pixels.
const MARK: u32 = 18;

/// By how many pixels the next mark of an instant is moved to the right, so that it is beside those
/// before it. The middle of the first one is at the instant. `taken` has the number of marks of
/// each instant.
fn moved(taken: &mut BTreeMap<Instant, u32>, at: Instant) -> u32 {
    let taken = taken.entry(at).or_default();
    let moved = *taken * MARK;
    *taken += 1;
    moved
}

/// The reads and the waits, each with the badge of its client.
fn reads(context: &DrawContext, track: &KeyTrack) -> Vec<Shape> {
    let (axis, mut taken) = (&context.axis, BTreeMap::new());
    let mut shapes = Vec::new();
    let starts = track.reads.iter().map(|read| read.from);
    let ends = starts.clone().skip(1).chain([axis.end()]);
    for (read, next) in track.reads.iter().zip(ends) {
        shapes.extend(wait_line(context, read));
        if axis.shows(read.from, read.from) {
            shapes.push(begun(context, read, (next, moved(&mut taken, read.from))));
        }
        // A read that begins at this instant is later in the list, so its mark is beside this one.
        if let ReadState::Woken(at, _) = read.state {
            shapes.push(woken(context, read, (at, moved(&mut taken, at))));
        }
    }
    shapes
}

/// The end of a wait, which is that of the forecast while it continues; `None` for a read.
fn wait_end(context: &DrawContext, read: &KeyRead) -> Option<Instant> {
    match &read.state {
        ReadState::Waiting => Some(context.until),
        ReadState::Woken(at, _) | ReadState::Ended(at) => Some(*at),
        ReadState::Read(_) => None,
    }
}

fn wait_line(context: &DrawContext, read: &KeyRead) -> Option<Shape> {
    let (axis, class) = (&context.axis, badge::class(read.actor.badge));
    let end = wait_end(context, read).filter(|end| axis.shows(read.from, *end))?;
    let line = (axis.x(read.from), axis.x(end));
    Some(Shape::line(format!("wait-line {class}"), line, ("12", "12")))
}

/// The mark of a read or of the beginning of a wait, with the value that was read if there is room
/// before the next mark.
fn begun(context: &DrawContext, read: &KeyRead, (next, moved): (Instant, u32)) -> Shape {
    let (axis, words) = (&context.axis, &context.words().key_lane);
    let text = match &read.state {
        ReadState::Read(Some(entry)) => value_text(context.words(), &entry.value),
        ReadState::Read(None) => words.no_key.to_owned(),
        ReadState::Waiting | ReadState::Woken(..) | ReadState::Ended(_) => words.waits.to_owned(),
    };
    let until = wait_end(context, read).map_or(next, |end| end.min(next));
    let mut marks = badge(read, moved);
    let from = axis.fraction(read.from).max(0.0) + PIXEL * f64::from(moved);
    let share = (axis.fraction(until).min(1.0) - from) / CODE - 2.0 * LETTER;
    if context.fits(&text, share) {
        marks.push(Shape::words("read-text halo", (12 + moved, "16.5"), text));
    }
    Shape::place(axis.x(read.from)).holding(marks)
}

/// The mark of a wait that ended by a change: a circle as wide as the badge of a read, because a
/// wider mark would look like a span of time.
fn woken(context: &DrawContext, read: &KeyRead, (at, moved): (Instant, u32)) -> Shape {
    let class = badge::class(read.actor.badge);
    let x = f64::from(moved) - 8.0;
    let circle = Shape::rect(format!("woken {class}")).attr("x", x.to_string()).attr("y", "4");
    let circle = circle.attr("width", "16").attr("height", "16").attr("rx", "8");
    let letters = Shape::words("woken-text", (moved, "16.5"), read.actor.badge.letters());
    let mark = vec![circle, letters];
    Shape::place(context.axis.x(at)).holding(mark).attr("data-testid", "woken")
}

/// The letter of a client on its hue.
fn badge(read: &KeyRead, right: u32) -> Vec<Shape> {
    let x = f64::from(right) - 8.0;
    let ground = Shape::rect(format!("read-badge {}", badge::class(read.actor.badge)));
    let ground = ground.attr("x", x.to_string()).attr("y", "4").attr("width", "16");
    let letter = Shape::words("read-letter", (right, "16.5"), read.actor.badge.letters());
    vec![ground.attr("height", "16").attr("rx", "3"), letter]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;
    use lictor_core::id::Key;

    fn lane(played: &TestWorld, key: &str, lane: KeyLane) -> Vec<Shape> {
        let track = played.record.key(&Key::from(key)).expect("it is read");
        super::key(&DrawContext::plain(10, 10), lane, (track, None))
    }

    /// web-1 locks the key and releases it at 2 s without a value; web-2 reads at 1 s and at 3 s;
    /// web-3 waits for a change from 1 s on.
    #[test]
    fn a_release_without_a_value_changes_the_lanes_of_its_key() {
        let mut played = TestWorld::of_three();
        let id = played.session("web-1", "{}");
        played.call("web-1", "PUT", &format!("/v1/kv/master?acquire={id}"), "10.0.0.1");
        let index = played.world.index();
        played.advance_to(1_000);
        played.call("web-2", "GET", "/v1/kv/master", "");
        played.call("web-3", "GET", &format!("/v1/kv/master?index={index}&wait=60s"), "");
        played.advance_to(2_000);
        played.call("web-1", "PUT", &format!("/v1/kv/master?release={id}"), "");
        played.advance_to(3_000);
        played.call("web-2", "GET", "/v1/kv/master", "");
        let lane_texts = |part| Shape::texts(&lane(&played, "master", part), Instant::EPOCH);
        assert_eq!(lane_texts(KeyLane::Value), ["10.0.0.1", "\"\" empty"]);
        assert_eq!(lane_texts(KeyLane::LockIndex), ["1"]);
        assert_eq!(lane_texts(KeyLane::ModifyIndex).len(), 2);
        assert_eq!(lane_texts(KeyLane::Reads), ["B", "C", "C", "B", "\"\" empty"]);
        let is_woken = |shape: &Shape| {
            shape.attribute("data-testid", Instant::EPOCH).as_deref() == Some("woken")
        };
        let woken = lane(&played, "master", KeyLane::Reads);
        let woken = woken.iter().filter(|shape| is_woken(shape)).collect::<Vec<_>>();
        assert_eq!(woken.len(), 1);
        assert_eq!(woken[0].attribute("x", Instant::EPOCH).as_deref(), Some("20.000%"));
        let width = woken[0].children[0].attribute("width", Instant::EPOCH);
        assert_eq!(width.as_deref(), Some("16"), "as wide as a read, and no span of time");
    }

    #[test]
    fn a_key_that_is_missing_and_one_that_is_deleted_have_no_value() {
        let mut played = TestWorld::of_three();
        played.call("web-1", "GET", "/v1/kv/flag", "");
        played.advance_to(3_000);
        played.call("web-2", "PUT", "/v1/kv/flag", "on");
        played.advance_to(6_000);
        played.call("web-2", "DELETE", "/v1/kv/flag", "");
        let lane_texts = |part| Shape::texts(&lane(&played, "flag", part), Instant::EPOCH);
        assert_eq!(lane_texts(KeyLane::Value), ["no key", "on", "no key"]);
        assert_eq!(lane_texts(KeyLane::LockIndex), ["0"]);
    }

    #[test]
    fn a_blocking_query_that_is_answered_at_once_is_a_read() {
        let mut played = TestWorld::of_three();
        played.call("web-1", "PUT", "/v1/kv/other", "1");
        played.call("web-1", "GET", "/v1/kv/flag?index=1&wait=60s", "");
        let track = played.record.key(&Key::from("flag")).expect("it was read");
        assert!(matches!(track.reads[..], [KeyRead { state: ReadState::Read(None), .. }]));
    }

    #[test]
    fn a_key_that_nobody_reads_has_no_lanes() {
        let mut played = TestWorld::of_three();
        played.call("web-1", "PUT", "/v1/kv/quiet", "1");
        assert_eq!(played.record.keys().count(), 0);
    }
}
