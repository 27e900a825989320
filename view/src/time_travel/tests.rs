//! Tests of `TimeTravel`: the histories at the cursor and of the forecast, new branches, and
//! dropped events.

use lictor_core::id::{ActorName, Key};
use lictor_sim::record::LockTrack;
use lictor_sim::timeline::Limits;

use super::*;
use crate::test_world::at;

/// A client creates a session of 10 s, takes a lock with it after 5 s, and does no more.
fn past() -> TimeTravel {
    let acts = [(0, "web-1", "session ttl=10s"), (5_000, "web-1", "put a value=1 acquire=A")];
    TimeTravel::after(&acts, 30_000)
}

fn is_held(record: &Record) -> bool {
    let track = record.lock(&Key::from("a"));
    track.is_some_and(|track| track.tenures.iter().any(|tenure| tenure.to.is_none()))
}

#[test]
fn the_history_at_the_cursor_is_the_one_of_that_time() {
    let mut past = past();
    assert_eq!(past.begin(), Instant::EPOCH);
    assert!(!is_held(past.record()));
    past.seek(SeekTarget::Time(at(6)));
    assert!(is_held(past.record()));
    past.seek(SeekTarget::Time(at(4)));
    assert!(past.record().lock(&Key::from("a")).is_none());
    past.seek(SeekTarget::Time(at(19)));
    assert!(is_held(past.record()) && !is_held(past.record_at_end()));
}

#[test]
fn the_cursor_steps_through_events_in_both_directions() {
    /// The clients of the sandbox joined at one moment.
    const JOINED: usize = 3;
    let mut past = past();
    let all = past.record_at_end().events().len();
    let mut back = vec![past.record().events().len()];
    while past.record().events().len() > JOINED {
        past.previous_event();
        back.push(past.record().events().len());
    }
    let mut forward = vec![past.record().events().len()];
    while past.next_event() {
        forward.push(past.record().events().len());
    }
    back.reverse();
    assert_eq!(forward.last(), Some(&all));
    back.dedup();
    assert_eq!(forward, back);
}

#[test]
fn an_act_in_the_past_begins_a_branch_with_the_history_before_it() {
    let mut past = past();
    let main = past.timeline().current();
    past.seek(SeekTarget::Time(at(6)));
    past.perform_words("web-1", "put b value=1");
    assert_ne!(past.timeline().current(), main);
    assert!(is_held(past.record_at_end()));
    let rows = past.record_at_end().events().len();
    assert!(past.switch(main));
    past.seek(SeekTarget::Time(past.end()));
    assert!(!is_held(past.record()));
    assert!(past.record_at_end().events().len() >= rows);
}

#[test]
fn a_forecast_can_be_shortened() {
    let mut past = past();
    past.seek(SeekTarget::Time(at(6)));
    past.perform_words("web-1", "put b value=1");
    past.extend_forecast(at(60), &|| true);
    assert!(!is_held(past.forecast().record));
    past.extend_forecast(at(6), &|| true);
    assert!(is_held(past.forecast().record));
    assert_eq!(past.forecast().until, at(6));
}

#[test]
fn a_script_continues_after_the_acts_that_were_already_performed() {
    let mut past = past();
    let script: Vec<_> = past.timeline().here().acts().map(|(_, it)| it.clone()).collect();
    past.seek(SeekTarget::Time(at(4)));
    let left = past.timeline().position();
    past.perform_words("web-1", "put a value=reader");
    past.advance_to(at(9));
    past.seek(SeekTarget::Position(left));
    let goal = Position { at: at(6), acts: script.len(), ..left };
    past.play_script(&script, goal, "the story");
    assert!(is_held(past.record()));
    let values = past.world().store().kv().get("a").map(|entry| entry.value.to_vec());
    assert_eq!(values, Some(b"1".to_vec()));
}

#[test]
fn advancing_in_the_past_repeats_the_events() {
    let mut past = past();
    let full: Vec<_> = past.record_at_end().events().iter().cloned().collect();
    past.seek(SeekTarget::Time(at(1)));
    past.advance_to(at(6));
    assert!(is_held(past.record()));
    past.advance_to(at(40));
    assert!(past.timeline().is_at_end());
    let kept: Vec<_> = past.record().events().iter().take(full.len()).cloned().collect();
    assert_eq!(kept, full);
}

/// A timeline that drops its oldest events, with a client that writes twice a second.
fn folding() -> TimeTravel {
    let limits = Limits { events: 400, ..Limits::default() };
    let mut past = TimeTravel::new(Timeline::recorded_within(World::new(1), limits));
    past.perform(Act::Join { actor: ActorName::from("web-1") }).expect("it is possible");
    past.perform_words("web-1", "session");
    past.perform_words("web-1", "put b acquire=A");
    for number in 1..4_000 {
        past.perform_words("web-1", &format!("put a value={number}"));
        past.advance_to(Instant::from_millis(number * 500));
    }
    past
}

#[test]
fn dropped_events_are_forgotten_and_the_others_keep_their_numbers() {
    let mut past = folding();
    let events = past.record_at_end().events();
    let (all, first) = (events.len(), events.first());
    assert_eq!((all, past.begin() > Instant::EPOCH), (4_002, true));
    assert!(all - first < 1_000, "{first} of {all}");
    assert!(events.get(first).is_some_and(|row| row.number == first + 1));
    let begin = past.begin();
    assert!(events.iter().next().is_some_and(|row| row.at <= begin) && begin > at(1_500));
    assert_eq!(past.record_at_end().sessions().count(), 1, "it exists");
    for number in [all, all - 1] {
        past.previous_event();
        assert_eq!(past.record().events().last().map(|row| row.number), Some(number));
    }
    past.first();
    assert!(past.record().actor_tag(&ActorName::from("web-1")).is_some());
    assert!(past.next_event());
    let reached = past.record().events().len();
    assert!((first..first + 300).contains(&reached), "{reached}");
}

#[test]
fn clients_sessions_and_locks_from_before_the_first_kept_event_are_known() {
    let mut past = folding();
    past.perform_words("web-1", "session name=other");
    let known = |record: &Record| {
        let holder = |lock: &LockTrack| lock.tenures.last().map(|it| (it.session.clone(), it.to));
        let holders = record.locks().map(|(key, lock)| (key.clone(), holder(lock)));
        let tags = record.sessions().map(|track| track.tag.clone());
        (record.actors().to_vec(), holders.collect::<Vec<_>>(), tags.collect::<Vec<_>>())
    };
    let timeline = past.timeline();
    let end = SeekTarget::Position(timeline.here().end());
    let again = timeline.record_of(timeline.current(), end).expect("it is there");
    assert_eq!(known(&again), known(past.record_at_end()));
    assert_eq!(again.sessions().count(), 2);
    let last = |record: &Record| {
        let events = record.events().iter().rev().take(300);
        events.map(|row| (row.at, row.call.clone(), row.reply.clone())).collect::<Vec<_>>()
    };
    assert!(last(&again) == last(past.record_at_end()));
}

#[test]
fn the_forecast_has_the_events_that_follow_without_an_act() {
    let mut past = past();
    past.seek(SeekTarget::Time(at(6)));
    past.perform_words("web-1", "put b value=1");
    past.extend_forecast(at(60), &|| true);
    assert_eq!(past.forecast().until, at(60));
    let lock = past.forecast().record.lock(&Key::from("a")).cloned();
    past.advance_to(at(60));
    assert_eq!(past.record().lock(&Key::from("a")).cloned(), lock);
    assert!(!is_held(past.record()));
}
