//! The difference between two branches up to the end of the shorter one: events from the first one
//! that differs, how long after it each lock is taken over, and the keys that have different
//! holders at the end.

use alloc::string::String;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::time::Duration;

use lictor_core::time::Instant;

use super::lock::Tenure;
use super::{EventRow, Record};

/// The largest number of events that are listed.
const LINES: usize = 50;

/// The branch or branches that have an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffSide {
    /// Only the first branch.
    One,
    /// Only the other branch.
    Other,
    /// Both branches.
    Both,
}

/// How two branches differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchDiff {
    /// The events from the first one that differs, 50 at most, up to the end of the shorter branch;
    /// empty if none differs.
    pub lines: Vec<(DiffSide, Arc<EventRow>)>,
    /// The end of the shorter branch.
    pub until: Instant,
    /// The keys that have different holders then, with both holders.
    pub holders: Vec<(String, [String; 2])>,
    /// The keys that were held at the first difference and are taken over at different times: how
    /// long after it another session acquires the key, on each branch; `None` if none does.
    pub takeovers: Vec<(String, [Option<Duration>; 2])>,
}

/// Compares two branches up to the end of the shorter one. `is_same` returns whether two events are
/// equal.
pub fn compare(
    records: [&Record; 2],
    until: Instant,
    is_same: impl Fn(&EventRow, &EventRow) -> bool,
) -> BranchDiff {
    let [mut one, mut other] = records.map(|record| {
        let events = record.events();
        events.iter().take_while(|row| row.at <= until).peekable()
    });
    let mut lines: Vec<(DiffSide, Arc<EventRow>)> = Vec::new();
    while let Some(at) = earliest(one.peek().copied(), other.peek().copied())
        && lines.len() < LINES
    {
        let [ones, mut others] = [&mut one, &mut other].map(|rows| {
            let mut of_instant = Vec::new();
            while let Some(row) = rows.next_if(|row| row.at == at) {
                of_instant.push(row);
            }
            of_instant
        });
        // The events of an instant can have another order on the other branch. Its events before an
        // equal one are listed before it.
        let is_equal =
            |row: &Arc<EventRow>, all: &[&Arc<EventRow>]| all.iter().any(|twin| is_same(row, twin));
        for (place, row) in ones.iter().enumerate() {
            let Some(twin) = others.iter().position(|twin| is_same(row, twin)) else {
                lines.push((DiffSide::One, (*row).clone()));
                continue;
            };
            let before = others.drain(..twin).collect::<Vec<_>>();
            let (later, alone): (Vec<_>, Vec<_>) =
                before.into_iter().partition(|other| is_equal(other, &ones[place + 1..]));
            lines.extend(alone.into_iter().map(|row| (DiffSide::Other, row.clone())));
            lines.push((DiffSide::Both, (*row).clone()));
            others.splice(..1, later);
        }
        lines.extend(others.into_iter().map(|row| (DiffSide::Other, row.clone())));
        if lines.iter().all(|(side, _)| *side == DiffSide::Both) {
            lines.clear();
        }
    }
    lines.truncate(LINES);
    let first = lines.iter().position(|(side, _)| *side != DiffSide::Both);
    lines.drain(..first.unwrap_or(lines.len()));
    let first = lines.first().map(|(_, row)| row.at);
    let takeovers = first.map_or_else(Vec::new, |first| takeovers(records, (first, until)));
    BranchDiff { lines, until, holders: holders(records, until), takeovers }
}

fn takeovers(
    records: [&Record; 2],
    (first, until): (Instant, Instant),
) -> Vec<(String, [Option<Duration>; 2])> {
    let mut found = Vec::new();
    for (key, track) in records[0].locks() {
        let held = |tenure: &&Tenure| tenure.from < first && tenure.to.is_none_or(|to| to >= first);
        let Some(holder) = track.tenures.iter().find(held) else { continue };
        let spans = records.map(|record| {
            let mut tenures = record.lock(key)?.tenures.iter();
            let is_other = |tenure: &&Tenure| {
                (first..=until).contains(&tenure.from) && tenure.session != holder.session
            };
            Some(tenures.find(is_other)?.from.since(first))
        });
        if spans[0] != spans[1] {
            found.push((key.to_string(), spans));
        }
    }
    found
}

fn earliest(one: Option<&Arc<EventRow>>, other: Option<&Arc<EventRow>>) -> Option<Instant> {
    one.into_iter().chain(other).map(|row| row.at).min()
}

fn holders(records: [&Record; 2], at: Instant) -> Vec<(String, [String; 2])> {
    let mut found: Vec<(String, [String; 2])> = Vec::new();
    for (index, record) in records.iter().enumerate() {
        for (key, track) in record.locks() {
            let holds = |tenure: &&Tenure| tenure.from <= at && tenure.to.is_none_or(|to| to > at);
            let Some(tenure) = track.tenures.iter().rfind(holds) else { continue };
            let holder = tenure.session.label.to_string();
            match found.iter_mut().find(|(of, _)| of == key.as_str()) {
                Some((_, holders)) => holders[index] = holder,
                None => {
                    let mut holders = [String::new(), String::new()];
                    holders[index] = holder;
                    found.push((key.to_string(), holders));
                }
            }
        }
    }
    found.retain(|(_, [one, other])| one != other);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::act::Act;
    use crate::fold::Fold;
    use crate::record::EventCall;
    use crate::trace::{Names, act_of};
    use crate::world::World;
    use alloc::format;
    use lictor_core::http::HttpRequest;
    use lictor_core::id::ActorName;

    /// A record in which each key was written at its second.
    fn record(writes: &[(u64, &str)]) -> Record {
        let (mut world, mut record) = (World::new(1), Record::default());
        let actor = ActorName::from("web-1");
        let mut events = world.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
        for (second, key) in writes {
            events.extend(world.advance_to(Instant::from_millis(second * 1_000)));
            let request = HttpRequest::new("PUT", &format!("/v1/kv/{key}"), b"x");
            events.extend(
                world
                    .perform(Act::Request { actor: actor.clone(), request })
                    .expect("it is possible"),
            );
        }
        events.iter().for_each(|event| record.fold(event));
        record
    }

    /// The request of a row; branches number their requests anew.
    fn request(row: &EventRow) -> Option<&HttpRequest> {
        match &row.call {
            EventCall::Http { call, .. } => Some(&call.request),
            _ => None,
        }
    }

    fn is_same(one: &EventRow, other: &EventRow) -> bool {
        (one.at, request(one), &one.reply) == (other.at, request(other), &other.reply)
    }

    /// The sides and seconds of the events that differ.
    fn told(one: &[(u64, &str)], other: &[(u64, &str)], until: u64) -> Vec<(DiffSide, u64)> {
        let until = Instant::from_millis(until * 1_000);
        let found = compare([&record(one), &record(other)], until, is_same);
        found.lines.iter().map(|(side, row)| (*side, row.at.as_millis() / 1_000)).collect()
    }

    #[test]
    fn both_branches_keep_the_order_of_the_events_of_an_instant() {
        let until = Instant::from_millis(1_000);
        let keys = |one: &[(u64, &str)], other: &[(u64, &str)]| -> Vec<_> {
            let found = compare([&record(one), &record(other)], until, is_same);
            let target = |row: &EventRow| request(row).map(|request| request.target.clone());
            found.lines.iter().map(|(side, row)| (*side, target(row).unwrap_or_default())).collect()
        };
        let (one, other) = ([(1, "b")], [(1, "a"), (1, "b")]);
        let line = |side, key: &str| (side, format!("/v1/kv/{key}"));
        let expected = [line(DiffSide::Other, "a"), line(DiffSide::Both, "b")];
        assert_eq!(keys(&one, &other), expected);
        let expected = [line(DiffSide::One, "a"), line(DiffSide::Both, "b")];
        assert_eq!(keys(&other, &one), expected);
    }

    #[test]
    fn equal_branches_have_no_difference() {
        let writes = [(1, "a"), (2, "b")];
        assert_eq!(told(&writes, &writes, 9), []);
        assert_eq!(told(&writes, &writes[..1], 1), [], "the one has not come so far");
    }

    #[test]
    fn events_after_the_first_difference_are_listed_in_order_of_time() {
        let one = [(1, "a"), (2, "b"), (5, "e")];
        let other = [(1, "a"), (3, "c"), (5, "e")];
        let lines = [(DiffSide::One, 2), (DiffSide::Other, 3), (DiffSide::Both, 5)];
        assert_eq!(told(&one, &other, 9), lines);
        assert_eq!(told(&one, &one[..1], 9), [(DiffSide::One, 2), (DiffSide::One, 5)]);
        assert_eq!(told(&one[..1], &one, 4), [(DiffSide::Other, 2)]);
    }

    #[test]
    fn events_of_one_instant_are_equal_in_any_order() {
        let (one, other) = ([(1, "a"), (2, "b"), (2, "c")], [(2, "c"), (2, "b")]);
        assert_eq!(told(&one, &other, 9)[0], (DiffSide::One, 1));
        assert_eq!(told(&one, &other, 9)[1..], [(DiffSide::Both, 2), (DiffSide::Both, 2)]);
        assert_eq!(told(&one[1..], &other, 9), []);
    }

    #[test]
    fn keys_with_different_holders_at_the_end_of_the_shorter_branch_are_listed() {
        let hold = |words: &[&str]| {
            let (mut world, mut record) = (World::new(1), Record::default());
            let mut events = world
                .perform(Act::Join { actor: ActorName::from("web-1") })
                .expect("it is possible");
            for words in words {
                let act = act_of("web-1", words, &Names::default()).expect("it is well formed");
                events.extend(world.perform(act).expect("it is possible"));
            }
            events.iter().for_each(|event| record.fold(event));
            record
        };
        let (one, none) = (hold(&["spawns p lock db/leader", "orders p start"]), hold(&[]));
        let found = compare([&one, &none], Instant::from_millis(0), is_same);
        assert_eq!(found.holders, [("db/leader".into(), ["A".into(), String::new()])]);
        let equal = compare([&one, &one], Instant::from_millis(0), is_same);
        assert_eq!((equal.lines.len(), equal.holders.len()), (0, 0));
    }

    /// The holder releases the lock at 5 s, or crashes.
    #[test]
    fn the_time_until_a_takeover_is_compared() {
        let at = |seconds: u64| Instant::from_millis(seconds * 1_000);
        let play = |act: &str| {
            let (mut world, mut record) = (World::new(1), Record::default());
            let mut events = Vec::new();
            for client in ["web-1", "web-2"] {
                let actor = ActorName::from(client);
                events.extend(world.perform(Act::Join { actor }).expect("it is possible"));
                for words in [format!("spawns {client} lock k"), format!("orders {client} start")] {
                    let act = act_of(client, &words, &Names::default()).expect("well formed");
                    events.extend(world.perform(act).expect("it is possible"));
                }
            }
            events.extend(world.advance_to(at(5)));
            let act = act_of("web-1", act, &Names::default()).expect("it is well formed");
            events.extend(world.perform(act).expect("it is possible"));
            while world.now() < at(60) {
                events.extend(world.advance_to(at(60)));
            }
            events.iter().for_each(|event| record.fold(event));
            record
        };
        let (released, crashed) = (play("orders web-1 stop"), play("crashes memory=lost"));
        let spans = |until| compare([&released, &crashed], at(until), is_same).takeovers;
        let [zero, forty] = [0, 40].map(|seconds| Some(Duration::from_secs(seconds)));
        assert_eq!(spans(60), [("k".to_string(), [zero, forty])]);
        assert_eq!(spans(20), [("k".to_string(), [zero, None])]);
        assert_eq!(compare([&crashed, &crashed], at(60), is_same).takeovers, []);
    }
}
