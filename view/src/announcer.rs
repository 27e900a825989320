//! Which messages the page announces to screen readers, and when: one at a time, with a pause after
//! each. Of the messages that arrive during a pause, only the latest is announced. The wall clock's
//! time is an argument.

use core::cmp::Reverse;
use core::time::Duration;
use std::sync::Arc;

use lictor_sim::record::{EventCall, EventResult, EventRow, ServerCall};

use crate::language::Language;
use crate::rows;
use crate::rows::CountdownThreshold;
use crate::rows::{ForecastVisibility, WorldView};

/// The pause between two messages.
const PAUSE: Duration = Duration::from_secs(2);

/// A message. Two events can have the same text, such as two refusals in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    pub text: String,
    /// The number of the row of the event; `None` if it is about no event.
    pub row: Option<usize>,
}

/// The last message, and the earliest time of the next one.
#[derive(Debug, Default)]
pub struct AnnouncementQueue {
    last: Message,
    /// The earliest time of the next message.
    pause_end: Duration,
    /// Whether a retry is scheduled.
    is_scheduled: bool,
}

/// What to do with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnounceDecision {
    /// Announce it now.
    Speak,
    /// Call [`AnnouncementQueue::retry`] with the latest message after this time.
    RetryAfter(Duration),
    /// It was announced last, or a retry is scheduled already.
    Skip,
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), row: None }
    }
}

impl AnnouncementQueue {
    /// Decides about the latest message.
    pub fn decide(&mut self, message: &Message, now: Duration) -> AnnounceDecision {
        if self.is_scheduled || *message == self.last {
            return AnnounceDecision::Skip;
        }
        let wait = self.pause_end.saturating_sub(now);
        self.is_scheduled = !wait.is_zero();
        if self.is_scheduled {
            return AnnounceDecision::RetryAfter(wait);
        }
        (self.last, self.pause_end) = (message.clone(), now + PAUSE);
        AnnounceDecision::Speak
    }

    /// The pause is over: decides about the latest message again.
    pub fn retry(&mut self, message: &Message, now: Duration) -> AnnounceDecision {
        self.is_scheduled = false;
        self.decide(message, now)
    }
}

/// The weightiest of the latest events, or the countdown that passed a threshold after it. Only the
/// last `new` events are considered, of which those of one moment count as the latest. While a
/// question is open, no countdown: it would give away the answer.
pub fn latest_message(
    language: Language,
    view: &WorldView<'_>,
    visibility: ForecastVisibility,
    new: usize,
) -> Message {
    let words = rows::words(language);
    let mut events = view.record.events().iter().rev();
    let last = events.by_ref().find(|row| row.reply != EventResult::Joined);
    let same_moment = |row: &&Arc<EventRow>| last.is_some_and(|last| last.at == row.at);
    let earlier = events.take(new.saturating_sub(1)).take_while(same_moment);
    let event = last.into_iter().chain(earlier).min_by_key(|row| Reverse(weight(row)));
    let is_later = |it: &CountdownThreshold| event.is_none_or(|row| row.at < it.at);
    let threshold = if visibility.is_hidden() { None } else { view.threshold().filter(is_later) };
    match (threshold, event) {
        (Some(it), _) => {
            Message::from((words.due_in)(&(words.deadline)(&it.deadline), it.left).as_str())
        }
        (None, Some(row)) => {
            Message { text: words.description(row, visibility), row: Some(row.number) }
        }
        (None, None) => Message::default(),
    }
}

/// How much an event matters to a listener to whom only one event of its moment is announced. The
/// answers to the listener's own acts weigh the same, so that the latest of them is announced.
fn weight(row: &EventRow) -> u8 {
    match (&row.call, &row.reply) {
        (EventCall::Server(ServerCall::SessionEnded { .. }), _) | (_, EventResult::Fault) => 3,
        (_, EventResult::True) => 2,
        _ if row.act.is_some() => 2,
        _ if row.is_problem() => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time_travel::TimeTravel;

    /// The message about the last new events of a world.
    fn message(past: &TimeTravel, visibility: ForecastVisibility, new: usize) -> String {
        latest_message(Language::English, &past.view(), visibility, new).text
    }

    #[test]
    fn while_a_question_is_open_no_countdown_is_announced() {
        let past = TimeTravel::after(&[(0, "web-1", "session ttl=10s")], 12_000);
        assert_eq!(message(&past, ForecastVisibility::Open, 1), "A expires in 10.0 s");
        let closed = message(&past, ForecastVisibility::Closed, 1);
        assert_eq!(closed, "web-1: PUT session/create, ok: session A");
    }

    #[test]
    fn the_end_of_a_session_is_announced_and_not_a_read_of_the_same_moment() {
        let acts = [(0, "web-1", "session ttl=10s"), (20_000, "web-1", "get a")];
        let past = TimeTravel::after(&acts, 20_000);
        let [one, two] = [1, 2].map(|new| message(&past, ForecastVisibility::Open, new));
        assert!(one.starts_with("web-1: GET kv/a, not found"), "{one}");
        assert!(two.contains("session A"), "{two}");
    }

    #[test]
    fn of_the_answers_to_ones_own_commands_the_latest_is_announced() {
        let past = TimeTravel::after(&[(0, "web-1", "put a"), (0, "web-1", "get missing")], 0);
        let message = message(&past, ForecastVisibility::Open, 2);
        assert!(message.starts_with("web-1: GET kv/missing, not found"), "{message}");
    }

    #[test]
    fn the_second_of_two_equal_refusals_is_announced_too() {
        let (mut past, mut announcer) = (TimeTravel::after(&[], 0), AnnouncementQueue::default());
        let decisions = [0, 3_000].map(|now| {
            past.perform_words("web-1", "put a cas=7");
            let visibility = ForecastVisibility::Open;
            let message = latest_message(Language::English, &past.view(), visibility, 1);
            assert!(message.text.starts_with("web-1: PUT kv/a?cas=7, false"), "{message:?}");
            [announcer.decide(&message, at(now)), announcer.decide(&message, at(now + 2_500))]
        });
        assert_eq!(decisions, [[AnnounceDecision::Speak, AnnounceDecision::Skip]; 2]);
    }

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_message_after_a_pause_is_announced_at_once() {
        let mut announcer = AnnouncementQueue::default();
        assert_eq!(announcer.decide(&"one".into(), at(0)), AnnounceDecision::Speak);
        assert_eq!(announcer.decide(&"one".into(), at(1)), AnnounceDecision::Skip);
        assert_eq!(announcer.decide(&"two".into(), at(2_000)), AnnounceDecision::Speak);
    }

    #[test]
    fn of_messages_during_a_pause_the_latest_is_announced_after_it() {
        let mut announcer = AnnouncementQueue::default();
        announcer.decide(&"one".into(), at(0));
        assert_eq!(
            announcer.decide(&"two".into(), at(500)),
            AnnounceDecision::RetryAfter(at(1_500))
        );
        assert_eq!(announcer.decide(&"three".into(), at(600)), AnnounceDecision::Skip);
        // A timer may fire early.
        assert_eq!(
            announcer.retry(&"three".into(), at(1_999)),
            AnnounceDecision::RetryAfter(at(1))
        );
        assert_eq!(announcer.retry(&"three".into(), at(2_000)), AnnounceDecision::Speak);
        assert_eq!(
            announcer.decide(&"four".into(), at(2_001)),
            AnnounceDecision::RetryAfter(at(1_999))
        );
    }

    #[test]
    fn a_message_that_was_withdrawn_during_the_pause_is_not_announced() {
        let mut announcer = AnnouncementQueue::default();
        announcer.decide(&"one".into(), at(0));
        announcer.decide(&"two".into(), at(500));
        assert_eq!(announcer.retry(&"one".into(), at(2_000)), AnnounceDecision::Skip);
        assert_eq!(announcer.decide(&"two".into(), at(2_001)), AnnounceDecision::Speak);
    }

    #[test]
    fn many_messages_become_one_in_two_seconds() {
        let mut announcer = AnnouncementQueue::default();
        let (mut due, mut announced) = (None, Vec::new());
        for now in 0..10_000 {
            let message = now.min(9_000).to_string();
            let decision = match due {
                Some(time) if time <= at(now) => announcer.retry(&message.as_str().into(), at(now)),
                _ => announcer.decide(&message.as_str().into(), at(now)),
            };
            match decision {
                AnnounceDecision::Speak => announced.push((now, message)),
                AnnounceDecision::RetryAfter(wait) => due = Some(at(now) + wait),
                AnnounceDecision::Skip => {}
            }
        }
        let expected = [0, 2_000, 4_000, 6_000, 8_000].map(|now| (now, now.to_string()));
        assert_eq!(announced, expected);
        assert_eq!(announcer.retry(&"9000".into(), at(10_000)), AnnounceDecision::Speak);
    }
}
