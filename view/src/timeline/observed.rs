//! Draws what the sources of an incident show, as lanes on an axis of real time: locks, sessions
//! and what clients believe. A part that is certain is a bar, a part that is only possible is an
//! outline with a hatch, and a begin or an end that no source bounds is a torn edge. What follows
//! if nobody acts is pale.

use std::collections::BTreeMap;
use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_incident::{
    BarKind, LaneKind, MarkKind, Picture, PictureBar, PictureLane, TimeBounds, Timestamp,
};
use lictor_sim::record::Badge;

use super::axis::Axis;
use super::bar::BarRow;
use super::draw_context::DrawnLane;
use super::lanes::{CROSS, end_mark};
use super::observed_texts::{PictureTexts, clock_time, left_out, short_name, title};
use super::page_width::{PageWidth, fits};
use super::scale::Scale;
use super::shape::Shape;
use super::words::{ObservedWords, words};
use crate::badge;
use crate::format::percent;
use crate::language::Language;

/// The picture shows at most this much of what follows, in milliseconds.
const AHEAD_MAX: u64 = 1_800_000;
/// The picture shows this much of the past, in milliseconds, or all of it if it is shorter.
const PAST_MIN: u64 = 120_000;
/// The picture shows more of the past if what follows is long: up to this multiple of it.
const PAST: u64 = 4;
/// The room on both sides of what is shown, as a part of its length.
const MARGIN: u64 = 30;
const DAY: u64 = 86_400_000;
/// The width of a time of day with the room around it, in pixels.
const LABEL: f64 = 78.0;

/// The lanes of an incident.
pub struct ObservedLanes {
    /// Its times count from midnight (UTC) before the first one that is shown.
    pub axis: Axis,
    /// The moment for which the answers hold, where a line belongs. It is also the present time at
    /// which the shapes are to be drawn.
    pub moment: Instant,
    pub lanes: Vec<DrawnLane>,
    /// What is not drawn, in a sentence; `None` if everything is.
    pub left_out: Option<String>,
}

/// What all lanes are drawn with.
struct Drawing<'a> {
    axis: &'a Axis,
    page: PageWidth,
    words: &'static ObservedWords,
    /// The midnight from which the times of the axis count, in milliseconds of Unix time.
    midnight: i64,
    /// The hue and the pattern of each session and client.
    badges: BTreeMap<&'a str, Badge>,
}

/// The time of an axis whose times count from midnight, in milliseconds of Unix time.
fn instant(midnight: i64, time: Timestamp) -> Instant {
    let millis = time.as_millisecond().saturating_sub(midnight);
    Instant::from_millis(u64::try_from(millis).unwrap_or(0))
}

impl ObservedLanes {
    /// The lanes of a picture.
    pub fn new(language: Language, page: PageWidth, picture: &Picture) -> Self {
        let times = times(picture);
        let first = times.iter().copied().min().unwrap_or(picture.moment);
        let last = times.iter().copied().max().unwrap_or(picture.moment);
        let since = |from: Timestamp, to: Timestamp| {
            let millis = to.as_millisecond().saturating_sub(from.as_millisecond());
            u64::try_from(millis).unwrap_or(0)
        };
        let ahead = since(picture.moment, last).min(AHEAD_MAX);
        let past = since(first, picture.moment);
        let shown = past.min(PAST_MIN.max(ahead.saturating_mul(PAST)));
        let margin = (shown + ahead).max(1_000) / MARGIN;
        let begin = picture
            .moment
            .as_millisecond()
            .saturating_sub(i64::try_from(shown + margin).unwrap_or(i64::MAX));
        let midnight = begin.div_euclid(DAY as i64).saturating_mul(DAY as i64);
        let moment = instant(midnight, picture.moment);
        let from = Instant::from_millis(moment.as_millis().saturating_sub(shown + margin));
        let to = Instant::from_millis(moment.as_millis().saturating_add(ahead + margin));
        let axis = Axis::new(&Arc::new(Scale::plain(to)), (from, to));
        let (words, badges) = (&words(language).observed, badges(picture));
        let drawing = Drawing { axis: &axis, page, words, midnight, badges };
        let texts = PictureTexts::new(language, picture.moment);
        let lane = |lane: &PictureLane| DrawnLane {
            class: if is_of_key(lane) { "lane lane-lock group" } else { "lane" },
            height: if is_of_key(lane) { 44 } else { 28 },
            title: title(language, lane),
            label: texts.label(lane),
            shapes: drawing.lane(lane),
        };
        let lanes = picture.lanes.iter().map(lane).collect();
        let left_out = left_out(language, picture, shown < past);
        Self { axis, moment, lanes, left_out }
    }

    /// The labels of the axis, which is this many pixels wide: times of day in UTC, and that of the
    /// moment on a plate.
    pub fn labels(&self, width: f64) -> Vec<Shape> {
        let width = width.max(LABEL);
        let place = |at: Instant| {
            let half = LABEL / 2.0;
            (self.axis.fraction(at) * width).clamp(half, width - half)
        };
        let plate = place(self.moment);
        let mut last = f64::NEG_INFINITY;
        let mut shapes = Vec::new();
        for at in self.axis.ticks() {
            let middle = place(at);
            if middle - last < LABEL || (middle - plate).abs() < LABEL {
                continue;
            }
            last = middle;
            let words = Shape::words("axis-text", (0, "16"), clock_time(at));
            shapes.push(Shape::place(percent(middle / width)).holding(vec![words]));
        }
        let half = LABEL / 2.0 - 2.0;
        let ground = Shape::rect("now-plate").attr("x", format!("-{half}")).attr("y", "3");
        let ground = ground.attr("width", (2.0 * half).to_string()).attr("height", "18");
        let words = Shape::words("now-text", (0, "16"), clock_time(self.moment));
        let plate_at = Shape::place(percent(plate / width));
        shapes.push(plate_at.holding(vec![ground.attr("rx", "3"), words]));
        shapes
    }
}

/// Whether a lane is about a key and not about a session or a client.
fn is_of_key(lane: &PictureLane) -> bool {
    matches!(lane.kind, LaneKind::Lock | LaneKind::Semaphore)
}

/// All times of a picture that are known.
fn times(picture: &Picture) -> Vec<Timestamp> {
    let of_bounds = |bounds: TimeBounds| [bounds.earliest, bounds.latest];
    let mut times = Vec::new();
    for lane in &picture.lanes {
        let bars = lane.bars.iter().flat_map(|bar| [Some(bar.begin), bar.end]);
        let bounds = bars.chain([lane.open_from]).flatten().flat_map(of_bounds);
        times.extend(bounds.flatten());
        times.extend(lane.marks.iter().map(|mark| mark.time));
    }
    times
}

/// A badge for each session with a lane, and for each client that is known by its name alone.
fn badges(picture: &Picture) -> BTreeMap<&str, Badge> {
    let mut badges = BTreeMap::new();
    let is_of_key = |lane: &&PictureLane| lane.session.is_none() && lane.kind != LaneKind::Client;
    for lane in picture.lanes.iter().filter(|lane| !is_of_key(lane)) {
        let next = Badge(u16::try_from(badges.len()).unwrap_or(u16::MAX));
        badges.entry(subject(lane)).or_insert(next);
    }
    badges
}

/// The session that a lane is about, or the client.
fn subject(lane: &PictureLane) -> &str {
    lane.session.as_deref().unwrap_or(&lane.name)
}

/// The parts of a bar on the axis.
struct Parts {
    /// The part that is certain.
    certain: Option<(Instant, Instant)>,
    /// The parts before and after it that are possible.
    possible: Vec<(Instant, Instant)>,
    /// Where a begin or an end is torn, because nothing bounds it.
    torn: Vec<Instant>,
    /// A moment about which it was so, if nothing else is certain.
    at_least: Option<Instant>,
    /// All of it.
    whole: (Instant, Instant),
}

impl Drawing<'_> {
    fn lane(&self, lane: &PictureLane) -> Vec<Shape> {
        let room = if is_of_key(lane) {
            BarRow { y: 14, height: 20, baseline: "14" }
        } else {
            BarRow { y: 6, height: 16, baseline: "12.5" }
        };
        let (mut shapes, mut above, mut ahead) = (Vec::new(), Vec::new(), None);
        for (place, bar) in lane.bars.iter().enumerate() {
            let parts = self.parts(bar, &lane.bars[place..]);
            let hue = badge::class(self.badge(bar.session.as_deref().unwrap_or(subject(lane))));
            shapes.extend(self.bar(bar, &parts, room, hue));
            above.extend(self.name(bar, &parts, room, hue));
            above.extend(self.end_mark(lane, bar));
            if bar.if_nobody_acts && bar.kind != BarKind::Unheld {
                let (from, to) = ahead.unwrap_or(parts.whole);
                ahead = Some((from.min(parts.whole.0), to.max(parts.whole.1)));
            }
        }
        shapes.extend(ahead.map(|span| self.rect("veil", span, room)));
        shapes.extend(above);
        shapes.extend(self.marks(lane));
        shapes.extend(self.open_from(lane));
        shapes
    }

    fn badge(&self, subject: &str) -> Badge {
        self.badges.get(subject).copied().unwrap_or(Badge(7))
    }

    fn instant(&self, time: Option<Timestamp>) -> Option<Instant> {
        time.map(|time| instant(self.midnight, time))
    }

    /// The parts of a bar. One without an end lasts until the next bar of its kind begins, or as
    /// long as the axis.
    fn parts(&self, bar: &PictureBar, since: &[PictureBar]) -> Parts {
        let goes_on = |next: &&PictureBar| next.kind == bar.kind && next.if_nobody_acts;
        let next = since.iter().skip(1).find(goes_on).filter(|_| !bar.if_nobody_acts);
        let next = next.and_then(|next| self.instant(next.begin.latest));
        let begin = [bar.begin.earliest, bar.begin.latest].map(|time| self.instant(time));
        let end = match bar.end {
            Some(end) => [end.earliest, end.latest].map(|time| self.instant(time)),
            None => [Some(next.unwrap_or(self.axis.end())); 2],
        };
        let certain = begin[1].zip(end[0]).filter(|(from, to)| from < to);
        let mut possible = Vec::new();
        let mut torn = Vec::new();
        match certain {
            Some((from, to)) => {
                possible.extend(begin[0].map(|earliest| (earliest, from)));
                possible.extend(end[1].map(|latest| (to, latest)));
                torn.extend(begin[0].is_none().then_some(from));
                torn.extend(end[1].is_none().then_some(to));
            }
            None => {
                let from = begin[0].or(end[0]).or(begin[1]);
                let to = end[1].or(begin[1]).or(end[0]);
                possible.extend(from.zip(to));
                torn.extend(from.filter(|_| begin[0].is_none()));
                torn.extend(to.filter(|_| end[1].is_none()));
            }
        }
        possible.retain(|(from, to)| from < to);
        let lasted = end[0].is_some() || bar.is_assumed;
        let at_least = begin[1].filter(|_| certain.is_none() && begin[0].is_none() && lasted);
        let all = begin.into_iter().chain(end).flatten();
        let (from, to) = (all.clone().min(), all.max());
        let whole = (from.unwrap_or(self.axis.start()), to.unwrap_or(self.axis.end()));
        Parts { certain, possible, torn, at_least, whole }
    }

    fn rect(&self, class: impl Into<String>, span: (Instant, Instant), room: BarRow) -> Shape {
        self.axis.rect(class, span, (room.y, room.height))
    }

    fn bar(&self, bar: &PictureBar, parts: &Parts, room: BarRow, hue: &str) -> Vec<Shape> {
        let shows = |(from, to): &(Instant, Instant)| self.axis.shows(*from, *to);
        let later = if bar.if_nobody_acts { " later" } else { "" };
        let mut shapes = Vec::new();
        if bar.kind == BarKind::Unheld {
            let middle = (room.y + room.height / 2).to_string();
            let across = parts.certain.filter(shows);
            let across = across.map(|(from, to)| (self.axis.x(from), self.axis.x(to)));
            shapes.extend(across.map(|x| Shape::line("log-line", x, (&middle, &middle))));
            return shapes;
        }
        for span in parts.possible.iter().copied().filter(shows) {
            // A tenure and the lock-delay after it may both be possible at a time.
            let half = room.height / 2;
            let room = match bar.kind {
                BarKind::Held => BarRow { height: half, ..room },
                BarKind::Delayed => BarRow { y: room.y + half, height: half, ..room },
                _ => room,
            };
            let classes = match bar.kind {
                BarKind::Lives => [format!("z-grace{later}"), "z-hatch".to_owned()],
                _ => [format!("dead {hue}"), "z-hatch".to_owned()],
            };
            shapes.extend(classes.map(|class| self.rect(class, span, room).attr("rx", "2")));
        }
        if let Some(span) = parts.certain.filter(shows) {
            let classes = match bar.kind {
                BarKind::Lives => vec![format!("z-safe{later}")],
                BarKind::Delayed => vec!["delay-ground".to_owned(), "delay".to_owned()],
                _ => vec![format!("bar {hue}"), format!("bar-edge {hue}")],
            };
            shapes.extend(classes.into_iter().map(|class| self.rect(class, span, room)));
        }
        if let Some(at) = parts.at_least.filter(|at| self.axis.shows(*at, *at)) {
            let mark = Shape::rect(format!("bar {hue}")).attr("x", "-2").attr("width", "4");
            let mark = mark.attr("y", room.y.to_string()).attr("height", room.height.to_string());
            shapes.push(Shape::place(self.axis.x(at)).holding(vec![mark]));
        }
        for at in parts.torn.iter().filter(|at| self.axis.shows(**at, **at)) {
            let (y, quarter) = (room.y, f64::from(room.height) / 4.0);
            let half = 2.0 * quarter;
            let wave = format!("M0 {y}q4 {quarter} 0 {half}q-4 {quarter} 0 {half}");
            let wave = Shape::path("fold-edge", wave).attr("data-testid", "torn");
            shapes.push(Shape::place(self.axis.x(*at)).holding(vec![wave]));
        }
        shapes
    }

    /// The name of the session on a bar of a lock or a client, if it has room.
    fn name(&self, bar: &PictureBar, parts: &Parts, room: BarRow, hue: &str) -> Option<Shape> {
        let (name, (from, to)) = (bar.name.as_ref()?, parts.certain?);
        let kind = if bar.if_nobody_acts { "bar-text-ahead" } else { "bar-text" };
        let full = name.strip_prefix("session ").unwrap_or(name);
        let share = self.axis.share(from, to) / self.page.letter();
        let name = [full, short_name(name)].into_iter().find(|name| fits(name, share))?;
        let words = Shape::words(format!("{kind} {hue}"), (6, &room.y.to_string()), name);
        Some(words.attr("dy", room.baseline).beside(self.axis.x(from)))
    }

    /// The end of a session or a belief, with its reason if that has room.
    fn end_mark(&self, lane: &PictureLane, bar: &PictureBar) -> Option<Shape> {
        let reason = (self.words.reason)(bar.end_reason?);
        let at = self.instant(bar.end?.latest).filter(|at| self.axis.shows(*at, *at))?;
        if lane.kind == LaneKind::Lock {
            return None;
        }
        let class = if bar.if_nobody_acts { "ended later" } else { "ended" };
        let next = lane.bars.iter().filter_map(|next| self.instant(next.begin.earliest));
        let next = next.filter(|next| *next > at).map(|next| self.axis.fraction(next));
        let until = next.fold(1.0, f64::min);
        let reason = Some(reason).filter(|it| fits(it, until - self.axis.fraction(at)));
        Some(end_mark(class, self.axis.x(at), reason))
    }

    fn marks(&self, lane: &PictureLane) -> Vec<Shape> {
        let marks = lane.marks.iter().filter_map(|mark| {
            let at = instant(self.midnight, mark.time);
            let x = self.axis.shows(at, at).then(|| self.axis.x(at))?;
            let hue = badge::class(self.badge(mark.session.as_deref().unwrap_or(subject(lane))));
            let line = |class| Shape::upright(class, x.clone(), ("6", "22"));
            let circle =
                |class: &str, y| Shape::circle(format!("{class} {hue}"), x.clone(), y, "3.25");
            let path = |class, d| Shape::place(x.clone()).holding(vec![Shape::path(class, d)]);
            Some(match mark.kind {
                MarkKind::Asked => circle("try unknown", 39),
                MarkKind::Refused => path("log-bad", "M-4 35l8 8M4 35l-8 8"),
                MarkKind::Renewed => line("renew"),
                MarkKind::Elected => path("restart", "M0 8l6 6-6 6-6-6z"),
                MarkKind::Acquired => circle("try yes", 14),
                MarkKind::Lost => path("log-bad", CROSS),
                MarkKind::Released => circle("try", 14),
                // A clock of a client is not that of the server.
                _ => line("renew later"),
            })
        });
        marks.collect()
    }

    /// When another client can take a lock: a tick at each bound.
    fn open_from(&self, lane: &PictureLane) -> Vec<Shape> {
        let Some(open) = lane.open_from else { return Vec::new() };
        let bounds = [open.earliest, open.latest].map(|time| self.instant(time));
        let ticks = bounds.into_iter().flatten().filter(|at| self.axis.shows(*at, *at));
        let tick = |at| Shape::upright("takeover-line later", self.axis.x(at), ("8", "40"));
        ticks.map(tick).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use lictor_incident::{Incident, Source, parse_time};

    use super::*;

    const HOLDER: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";
    const LANGUAGES: [Language; 2] = Language::ALL;

    fn incident(texts: &[(&str, &str)]) -> Incident {
        let sources = texts.iter().map(|(name, text)| Source::new(name, text.as_bytes()));
        let sources: Vec<_> = sources.collect();
        let taken = parse_time("2026-11-26T09:10:40Z");
        Incident::read(&sources, taken).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The lists of a key with a holder: its session has a TTL of 15 s and a lock-delay of 15 s.
    fn held() -> Picture {
        let sessions = format!(
            r#"[{{"ID": "{HOLDER}", "Name": "worker-a", "Node": "n1", "LockDelay": 15000000000,
                "Behavior": "release", "TTL": "15s", "NodeChecks": ["serfHealth"],
                "ServiceChecks": null, "CreateIndex": 8, "ModifyIndex": 8}}]"#
        );
        let keys = format!(
            r#"[{{"LockIndex": 1, "Key": "jobs/leader", "Flags": 0, "Value": null,
                "Session": "{HOLDER}", "CreateIndex": 9, "ModifyIndex": 9}}]"#
        );
        let incident = incident(&[("sessions.json", &sessions), ("keys.json", &keys)]);
        incident.picture(&incident.answers())
    }

    fn lanes_of(language: Language, picture: &Picture) -> ObservedLanes {
        ObservedLanes::new(language, PageWidth::Wide, picture)
    }

    /// The class and the place of each rectangle, in shares of the axis.
    fn rects(shapes: &[Shape], now: Instant) -> Vec<(String, f64, f64)> {
        let share = |shape: &Shape, name| {
            let value = shape.attribute(name, now)?;
            value.strip_suffix('%')?.parse::<f64>().ok().map(|percent| percent / 100.0)
        };
        let rect = |shape: &Shape| {
            let (x, width) = (share(shape, "x")?, share(shape, "width")?);
            Some((shape.attribute("class", now)?, x, x + width))
        };
        shapes.iter().filter_map(rect).collect()
    }

    #[test]
    fn what_only_a_list_shows_begins_there_and_what_follows_is_pale() {
        let lanes = lanes_of(Language::English, &held());
        let now = lanes.axis.fraction(lanes.moment);
        let [lock, session] = &lanes.lanes[..] else { panic!("two lanes") };
        for lane in [lock, session] {
            let rects = rects(&lane.shapes, lanes.moment);
            assert!(rects.iter().all(|(_, from, _)| *from >= now - 1e-4), "{rects:?} {now}");
            let veil = rects.iter().find(|(class, ..)| class == "veil").expect("it is pale");
            let last = rects.iter().map(|(.., to)| *to).fold(0.0, f64::max);
            assert!((veil.1 - now).abs() < 1e-4 && veil.2 >= last - 1e-4, "{veil:?} {last}");
            let is_torn = |shape: &&Shape| {
                shape.children.iter().any(|it| it.attribute("data-testid", lanes.moment).is_some())
            };
            let torn = lane.shapes.iter().find(is_torn).expect("its begin is not known");
            assert_eq!(torn.attribute("x", lanes.moment), Some(lanes.axis.x(lanes.moment)));
        }
        assert_eq!(Shape::texts(&session.shapes, lanes.moment), ["its TTL"]);
        assert_eq!(lock.title, ["jobs/leader", "observed"]);
        assert_eq!(session.title, ["worker-a", "session 4154283e"]);
        assert_eq!(lanes.left_out, None);
    }

    #[test]
    fn the_end_of_a_ttl_that_is_not_exact_has_a_hatch_between_its_bounds() {
        let lanes = lanes_of(Language::English, &held());
        let drawn = rects(&lanes.lanes[1].shapes, lanes.moment);
        let hatch = drawn.iter().find(|(class, ..)| class == "z-hatch").expect("its end");
        let at = |seconds: u64| {
            let instant = Instant::from_millis(lanes.moment.as_millis() + seconds * 1000);
            lanes.axis.fraction(instant)
        };
        assert!((hatch.1 - at(0)).abs() < 1e-4 && (hatch.2 - at(30)).abs() < 1e-4, "{hatch:?}");
    }

    #[test]
    fn a_label_says_what_is_drawn_with_its_bounds() {
        let lanes = LANGUAGES.map(|language| lanes_of(language, &held()));
        assert_eq!(
            lanes[0].lanes[0].label,
            "Lock jobs/leader, as the sources show it; held by session 4154283e (worker-a), begins \
             at 09:10:40.000 or earlier, goes on; if nobody acts and the leader stays; held by \
             session 4154283e (worker-a), ends between 09:10:40.000 and 09:11:10.000; a \
             lock-delay refuses each acquire, begins between 09:10:40.000 and 09:11:10.000, ends \
             between 09:10:55.000 and 09:11:25.000; another client can take it between \
             09:10:55.000 and 09:11:25.000"
        );
        assert!(lanes[1].lanes[0].label.starts_with("锁 jobs/leader"));
    }

    #[test]
    fn the_axis_has_round_times_of_day_that_do_not_overlap() {
        let lanes = lanes_of(Language::English, &held());
        for width in [232.0, 440.0, 900.0] {
            let labels = lanes.labels(width);
            let place = |shape: &Shape| {
                let x = shape.attribute("x", lanes.moment).expect("a place");
                x.trim_end_matches('%').parse::<f64>().expect("a share") / 100.0 * width
            };
            let mut places: Vec<f64> = labels.iter().map(place).collect();
            places.sort_by(f64::total_cmp);
            assert!(places.windows(2).all(|pair| pair[1] - pair[0] > LABEL - 0.1), "{places:?}");
            let texts = Shape::texts(&labels, lanes.moment);
            assert_eq!(texts.last().map(String::as_str), Some("09:10:40"));
            assert!(texts.iter().all(|text| text.len() == 8), "{texts:?}");
        }
    }

    /// The recorded and the partial incidents, each with all of its files.
    fn incidents() -> Vec<Picture> {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../incident/tests");
        let mut pictures = Vec::new();
        for folder in ["incidents", "partial"] {
            for entry in fs::read_dir(tests.join(folder)).expect("a folder") {
                let Ok(files) = fs::read_dir(entry.expect("an entry").path()) else { continue };
                let paths = files.map(|file| file.expect("a file").path());
                let paths = paths
                    .filter(|path| !path.ends_with("truth.json") && !path.ends_with("expect.json"));
                let read = |path: std::path::PathBuf| {
                    let name = path.file_name()?.to_str()?.to_owned();
                    Some((name, fs::read(path).ok()?))
                };
                let texts: Vec<_> = paths.filter_map(read).collect();
                let sources = texts.iter().map(|(name, text)| Source::new(name, text));
                let sources: Vec<_> = sources.collect();
                let now = parse_time("2026-11-28T12:00:00Z").expect("a time");
                let incident = Incident::read_now(&sources, None, now, &mut |_| {});
                pictures.extend(incident.ok().map(|it| it.picture(&it.answers())));
            }
        }
        pictures
    }

    #[test]
    fn each_incident_is_drawn_inside_of_its_axis_in_each_language() {
        let pictures = incidents();
        assert!(pictures.len() > 30, "{}", pictures.len());
        for picture in &pictures {
            for language in LANGUAGES {
                let lanes = lanes_of(language, picture);
                assert_eq!(lanes.lanes.len(), picture.lanes.len());
                assert!(lanes.axis.shows(lanes.moment, lanes.moment), "{picture:?}");
                for lane in &lanes.lanes {
                    assert!(!lane.title[0].is_empty() && !lane.label.is_empty(), "{picture:?}");
                    for (class, from, to) in rects(&lane.shapes, lanes.moment) {
                        let is_inside = (0.0..=1.0001).contains(&from) && to <= 1.0001;
                        assert!(is_inside && from <= to, "{class} {from} {to}: {picture:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_has_no_lane_is_said() {
        let mut picture = held();
        picture.left_out_keys = 3;
        picture.left_out_others = 1;
        let left_out = |language| lanes_of(language, &picture).left_out;
        let expected = "Not drawn: 3 keys, and 1 lane of sessions and clients.";
        assert_eq!(left_out(Language::English).as_deref(), Some(expected));
        assert!(left_out(Language::Chinese).is_some());
    }
}
