//! A demo as docs/theme/player.js plays it: the times at which something important happens or the
//! facts change, each with the facts from then on and the most important events in words. The facts
//! are computed from the world at that time. Times are whole milliseconds, as in links, so a link
//! opens the same world.

use lictor_core::time::Instant;
use lictor_sim::record::{EventCall, EventResult, EventRow, Record};
use lictor_sim::timeline::SeekTarget;
use lictor_view::language::Language;
use lictor_view::rows::WorldView;
use lictor_view::rows::{self, ForecastVisibility};
use serde_json::{Value, json};

use crate::demo::Demo;
use crate::facts::{Fact, Subject};

/// How many important events of one time are shown at most: the last ones.
const SHOWN_MAX: usize = 3;
/// The y coordinate of the scrubber's line in its drawing, in pixels.
const LINE: u32 = 20;

/// As wide as two badges and the distance to the next fact.
const BADGES: &str = "xxxxxxx";

/// What a demo shows over time.
pub(crate) struct Playback {
    /// The end of the demo, in milliseconds.
    end: u64,
    moments: Vec<Moment>,
}

/// A time at which something happens.
#[derive(Debug, PartialEq, Eq)]
struct Moment {
    /// In milliseconds.
    at: u64,
    /// The facts from this time to that of the next moment.
    facts: Vec<Fact>,
    events: Vec<EventText>,
}

/// An event in words: its source and call, its result, and its note.
type EventText = [String; 3];

/// How much an event matters to a reader of the book.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// A repeated segment, a wait that begins: it is shown only if the facts change with it.
    Least,
    /// A read, a renewal.
    Little,
    /// A lock, a session, a fault, an error.
    Much,
}

impl Playback {
    pub(crate) fn new(demo: &Demo, language: Language) -> Self {
        let mut timeline = demo.timeline.clone();
        let rows: Vec<_> = timeline.record_at_end().events().iter().cloned().collect();
        let subject = Subject::new(timeline.record_at_end());
        let mut moments: Vec<Moment> = Vec::new();
        for rows in rows.chunk_by(|one, next| millis(one.at) == millis(next.at)) {
            let at = rows.first().map_or(0, |row| millis(row.at));
            timeline.seek(SeekTarget::Time(Instant::from_millis(at)));
            let view = WorldView { world: timeline.world(), record: timeline.record() };
            let facts = subject.facts(&view, language);
            let most = rows.iter().map(|row| weight(row)).max().unwrap_or(Weight::Least);
            let has_news = moments.last().is_none_or(|last| last.facts != facts);
            if most > Weight::Least || has_news {
                let heaviest: Vec<_> = rows.iter().filter(|row| weight(row) == most).collect();
                let count = if most == Weight::Much { SHOWN_MAX } else { 1 };
                let latest = &heaviest[heaviest.len().saturating_sub(count)..];
                let words = rows::words(language);
                let events = latest.iter().map(|row| words_of(row, words)).collect();
                moments.push(Moment { at, facts, events });
            }
        }
        Self { end: millis(timeline.here().end().at), moments }
    }

    /// What the script reads: the end, and the moments with their times, facts and events.
    pub(crate) fn json(&self) -> Value {
        let moment = |moment: &Moment| {
            let facts: Vec<Value> = moment.facts.iter().map(Fact::json).collect();
            json!([moment.at, facts, moment.events])
        };
        json!({ "end": self.end, "moments": self.moments.iter().map(moment).collect::<Vec<_>>() })
    }

    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// The longest text of facts and that of events. The player reserves room for both, so that it
    /// does not move while it plays.
    pub(crate) fn longest(&self) -> [String; 2] {
        let facts = self.moments.iter().map(|moment| {
            let texts = moment.facts.iter().map(|fact| format!("{}{BADGES}", fact.text));
            texts.collect::<Vec<_>>().join("\n")
        });
        let events = self.moments.iter().map(|moment| {
            moment.events.iter().map(|it| it.concat()).collect::<Vec<_>>().join("\n")
        });
        [facts.max_by_key(|text| width(text)), events.max_by_key(|text| width(text))]
            .map(Option::unwrap_or_default)
    }

    /// The marks of the scrubber: a disc where a lock was acquired, a square where a session ended,
    /// a diamond where a fault began, a tick for anything else.
    pub(crate) fn marks(&self, record: &Record) -> String {
        let marks = record.marks();
        let x = |at: u64| at as f64 * 100.0 / self.end.max(1) as f64;
        let place = |at: u64, drawn: &str| {
            format!(
                "<svg class=\"place\" x=\"{:.3}%\"><path class=\"mk\" d=\"{drawn}\"/></svg>",
                x(at)
            )
        };
        let [acquired, ended, faults] =
            [&marks.acquired, &marks.ended, &marks.faults].map(|times| -> Vec<u64> {
                let mut times: Vec<_> = times.iter().map(|at| millis(*at)).collect();
                times.dedup();
                times
            });
        let mut drawn = String::new();
        for at in self.moments.iter().map(|moment| moment.at) {
            if ![&acquired, &ended, &faults].iter().any(|times| times.contains(&at)) {
                let x = x(at);
                drawn += &format!(
                    "<line class=\"tick\" x1=\"{x:.3}%\" x2=\"{x:.3}%\" y1=\"{}\" y2=\"{}\"/>",
                    LINE - 6,
                    LINE + 6
                );
            }
        }
        for at in acquired {
            drawn += &format!("<circle class=\"mk\" cx=\"{:.3}%\" cy=\"{LINE}\" r=\"5\"/>", x(at));
        }
        drawn.extend(ended.into_iter().map(|at| place(at, "M-4 14h8v12h-8z")));
        drawn.extend(faults.into_iter().map(|at| place(at, "M0 13.5l6.5 6.5-6.5 6.5-6.5-6.5z")));
        drawn
    }
}

/// The first whole millisecond that is not before a time: the world at it contains what happens
/// at the time.
fn millis(at: Instant) -> u64 {
    let whole = at.as_millis();
    whole + u64::from(Instant::from_millis(whole) < at)
}

/// The approximate width of a text; a Chinese character is as wide as two letters, and a line
/// takes room as well.
fn width(text: &str) -> usize {
    let width = |letter: char| match letter {
        '\n' => 60,
        letter if letter < '\u{2e80}' => 1,
        _ => 2,
    };
    text.chars().map(width).sum()
}

fn weight(row: &EventRow) -> Weight {
    match row.reply {
        EventResult::Waits | EventResult::SentAgain | EventResult::Joined | EventResult::Added => {
            Weight::Least
        }
        EventResult::Ok
        | EventResult::NotFound
        | EventResult::Moved
        | EventResult::Ordered(_)
        | EventResult::Passing => Weight::Little,
        EventResult::True
        | EventResult::False
        | EventResult::Refused(_)
        | EventResult::Cancelled
        | EventResult::Failed
        | EventResult::Ended
        | EventResult::Fault
        | EventResult::Mended
        | EventResult::Accepted
        | EventResult::Rejected
        | EventResult::Critical
        | EventResult::NoAnswer
        | EventResult::Reported => Weight::Much,
    }
}

/// A row of the event list in three parts; the player emphasises the second one.
fn words_of(row: &EventRow, words: &rows::Words) -> EventText {
    let rows::Words { colon, comma, stop, .. } = words;
    let (source, call) = (words.source(&row.source), words.call(&row.call));
    let note = words.note_while(&row.note, ForecastVisibility::Open);
    let (before, main, after) = match (&row.call, &row.reply) {
        // The call already states what happened; the result would repeat it.
        (EventCall::Server(_) | EventCall::Fault(_) | EventCall::Repair(_), _) => {
            (format!("{source}{colon}"), call, note)
        }
        (_, EventResult::Reported) => {
            (format!("{source}{colon}{call}{comma}"), note, String::new())
        }
        (_, reply) => (format!("{source}{colon}{call}{comma}"), (words.reply)(reply), note),
    };
    let main = if after.is_empty() { main } else { format!("{main}{stop}") };
    [before, main.trim_end().to_owned(), after]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::with_demos;
    use lictor_desk::share::{self, Imported};
    use lictor_sim::timeline::Timeline;
    use std::fs;

    /// A player as a page has it: the playback, and the link that "Act here" and the sandbox open.
    struct Emitted {
        page: String,
        language: Language,
        playback: Value,
        link: String,
    }

    fn attribute(html: &str, name: &str) -> String {
        let (_, value) = html.split_once(&format!(" {name}=\"")).expect("it has the attribute");
        let value = value.split('"').next().unwrap_or_default();
        let value = value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">");
        value.replace("&amp;", "&")
    }

    /// The players of all pages of *Learn*: one for each demo and each value of its setting.
    fn emitted() -> Vec<Emitted> {
        let mut all = Vec::new();
        for (tag, language) in [("en", Language::English), ("zh", Language::Chinese)] {
            let folder = format!("{}/{tag}/learn", env!("CARGO_MANIFEST_DIR"));
            for entry in fs::read_dir(folder).expect("the pages of Learn") {
                let path = entry.expect("a page").path();
                let text = fs::read_to_string(&path).expect("a page is text");
                let chapter = json!({ "path": "learn/page.md", "content": text });
                let book = json!([
                    { "config": { "book": { "language": tag } } },
                    { "items": [{ "Chapter": chapter }] }
                ]);
                let page = path.display().to_string();
                let book = with_demos(&book.to_string()).expect("its demos are drawn");
                let book: Value = serde_json::from_str(&book).expect("a book");
                let html = book.pointer("/items/0/Chapter/content").and_then(Value::as_str);
                for world in html.unwrap_or_default().split("<div class=\"demo-world\"").skip(1) {
                    let playback = serde_json::from_str(&attribute(world, "data-playback"));
                    let (page, playback) = (page.clone(), playback.expect("a playback is JSON"));
                    all.push(Emitted {
                        page,
                        language,
                        playback,
                        link: attribute(world, "data-opens"),
                    });
                }
            }
        }
        all
    }

    /// The world of a link, at a time.
    fn opened(link: &str, time: u64) -> Timeline<Record> {
        let link = link.split("&t=").next().unwrap_or_default();
        match share::read(&format!("{link}&t={time}")) {
            Ok(Imported::World { timeline, .. }) => *timeline,
            other => panic!("{link} opens no world: {other:?}"),
        }
    }

    /// The facts of the engine's world at a time, as the player has them.
    fn facts_of(timeline: &Timeline<Record>, language: Language) -> Value {
        let view = WorldView { world: timeline.world(), record: timeline.record() };
        let facts = Subject::new(timeline.record_at_end()).facts(&view, language);
        facts.iter().map(Fact::json).collect()
    }

    #[test]
    fn the_player_has_the_facts_of_the_engine_at_all_times_and_for_every_value() {
        let all = emitted();
        assert!(all.len() >= 80, "only {} players", all.len());
        for Emitted { page, language, playback, link } in all {
            let moments = playback["moments"].as_array().expect("it has moments");
            let time = |moment: &Value| moment[0].as_u64().expect("a time in milliseconds");
            let end = playback["end"].as_u64().expect("a time in milliseconds");
            assert_eq!(moments.first().map(time), Some(0), "{page}");
            let mut timeline = opened(&link, 0);
            for (place, moment) in moments.iter().enumerate() {
                let at = time(moment);
                let next = moments.get(place + 1).map_or(end + 1, time);
                // At the event, in the middle, and directly before the next one.
                for at in [at, u64::midpoint(at, next - 1), next - 1] {
                    timeline.seek(SeekTarget::Time(Instant::from_millis(at)));
                    assert_eq!(facts_of(&timeline, language), moment[1], "{page} at {at}");
                }
            }
            assert!(moments.last().map(time) <= Some(end), "{page}");
        }
    }

    #[test]
    fn a_link_with_the_time_of_the_player_opens_the_world_at_this_time() {
        for Emitted { page, language, playback, link } in emitted() {
            let moments = playback["moments"].as_array().expect("it has moments");
            for moment in [&moments[moments.len() / 2], &moments[moments.len() - 1]] {
                let at = moment[0].as_u64().expect("a time in milliseconds");
                let timeline = opened(&link, at);
                assert_eq!(timeline.world().now(), Instant::from_millis(at), "{page}");
                assert_eq!(facts_of(&timeline, language), moment[1], "{page} at {at}");
            }
        }
    }

    #[test]
    fn the_player_shows_the_events_of_the_engine_and_leaves_out_no_lock_session_or_fault() {
        for Emitted { page, language, playback, link } in emitted() {
            let timeline = opened(&link, 0);
            let rows: Vec<_> = timeline.record_at_end().events().iter().cloned().collect();
            let moments = playback["moments"].as_array().expect("it has moments");
            for moment in moments {
                let own = rows.iter().filter(|row| moment[0] == millis(row.at));
                let own: Vec<Value> =
                    own.map(|row| json!(words_of(row, rows::words(language)))).collect();
                let shown = moment[2].as_array().expect("it has events");
                assert!(
                    !shown.is_empty() && shown.iter().all(|it| own.contains(it)),
                    "{page}: {shown:?}"
                );
            }
            for row in rows.iter().filter(|row| weight(row) == Weight::Much) {
                let at = millis(row.at);
                assert!(moments.iter().any(|moment| moment[0] == at), "{page} has none at {at}");
            }
        }
    }

    #[test]
    fn the_facts_of_a_lock_follow_its_demo() {
        let demo = Demo::read("ttl-twice").expect("a demo");
        let playback = Playback::new(&demo, Language::English);
        let facts = |at: u64| -> Vec<&str> {
            let moment = playback.moments.iter().rfind(|moment| moment.at <= at);
            moment.expect("it has begun").facts.iter().map(|fact| &*fact.text).collect()
        };
        assert_eq!(facts(500), ["nobody believes it holds", "the server: nobody"]);
        assert_eq!(facts(1_000), ["web-1 believes it holds", "the server: session A until 40.0 s"]);
        let crashed =
            ["web-1 has crashed and believes nothing", "the server: session A until 60.0 s"];
        assert_eq!(facts(28_000), crashed);
        let delay = ["nobody believes it holds", "the server: nobody; lock-delay until 75.0 s"];
        assert_eq!(facts(60_000), delay);
        assert_eq!(
            facts(80_000),
            ["web-2 believes it holds", "the server: session B until 115.0 s"]
        );
        let ended =
            &playback.moments.iter().find(|moment| moment.at == 60_000).expect("it ends").events;
        assert_eq!(
            ended[..],
            [["server: ", "session A ended.", "expired (2 × TTL); released db/leader"]]
        );
    }

    #[test]
    fn a_fact_and_an_event_have_the_same_digits_of_a_time() {
        let demo = Demo::read("cut-two-seconds").expect("a demo");
        for (language, until, expires) in [
            (Language::English, "until 54.2 s", "expires at 54.2 s"),
            (Language::Chinese, "到 54.2 秒", "54.2 秒时到期"),
        ] {
            let playback = Playback::new(&demo, language);
            let renewed = playback.moments.last().expect("it has moments");
            assert!(renewed.facts[1].text.ends_with(until), "{:?}", renewed.facts);
            assert!(renewed.events[0][2].ends_with(expires), "{:?}", renewed.events);
        }
    }
}
