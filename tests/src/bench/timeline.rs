//! The rows of the benchmark about the timeline: seeking, recording and sharing. Their sizes are
//! numbers of requests, with a store of a thousand keys.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use lictor_core::engine::{Config, Engine};
use lictor_core::http::HttpRequest;
use lictor_core::id::ActorName;
use lictor_sim::journal::Journal;
use lictor_sim::timeline::{SeekTarget, Timeline};
use lictor_sim::{Act, World};

use super::{BenchWork, RUNS};

const KEYS: usize = 1_000;
const SEEKS: u64 = 50;
const PLACES: usize = 400;

/// Seeks to events spread over the whole timeline.
pub(super) fn seek(events: usize) -> BenchWork {
    let timeline = RefCell::new(busy_timeline(events));
    work(SEEKS as usize, move || {
        let mut timeline = timeline.borrow_mut();
        let (begin, end) =
            (timeline.here().begin().event_number, timeline.here().end().event_number);
        for place in 0..SEEKS {
            let number = begin + place * 7_919 * 1_013 % (end - begin);
            timeline.seek(SeekTarget::SimEvent(number + 1));
        }
    })
}

/// Seeks to events spread over the whole timeline, and measures the slowest seek.
pub(super) fn seek_worst(events: usize) -> BenchWork {
    let timeline = RefCell::new(busy_timeline(events));
    let runs = Cell::new(0_u64);
    let work = work(1, move || {
        let mut timeline = timeline.borrow_mut();
        let (begin, end) =
            (timeline.here().begin().event_number, timeline.here().end().event_number);
        let place = runs.replace(runs.get() + 1) / RUNS as u64;
        timeline.seek(SeekTarget::SimEvent(begin + place * 7_919 * 1_013 % (end - begin) + 1));
    });
    BenchWork { places: Some(PLACES), ..work }
}

/// Steps back four events at a time.
pub(super) fn step_back(events: usize) -> BenchWork {
    let timeline = RefCell::new(busy_timeline(events));
    work(SEEKS as usize, move || {
        let mut timeline = timeline.borrow_mut();
        timeline.seek(SeekTarget::SimEvent(u64::MAX));
        for _ in 0..SEEKS {
            let here = timeline.position().event_number;
            timeline.seek(SeekTarget::SimEvent(here - 4));
        }
    })
}

/// Records a whole timeline with its checkpoints.
pub(super) fn record(events: usize) -> BenchWork {
    work(events, move || drop(busy_timeline(events)))
}

/// Writes a timeline as a link, and reads the link.
pub(super) fn link(events: usize) -> BenchWork {
    let journal = Journal::of(&busy_timeline(events));
    work(events, move || {
        let link = journal.to_link().expect("it begins with a seed");
        drop(Journal::from_link(&link));
    })
}

fn work(operations: usize, run: impl Fn() + 'static) -> BenchWork {
    let engine = Engine::new(Config::default(), 1);
    BenchWork { engine, operations, run: Box::new(move |_| run()), places: None }
}

/// A timeline in which a client writes a thousand keys in rotation, one request each ten
/// milliseconds. `events` is the number of requests.
pub fn busy_timeline(events: usize) -> Timeline {
    let mut timeline = Timeline::new(World::new(1));
    let actor = ActorName::from("web-1");
    timeline.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
    for number in 0..events {
        timeline.advance(Duration::from_millis(10));
        let target = format!("/v1/kv/service/app-{:04}", number % KEYS);
        let request = HttpRequest::new("PUT", &target, format!("value {number}").as_bytes());
        timeline.perform(Act::Request { actor: actor.clone(), request }).expect("it is possible");
    }
    timeline
}
