//! When the page speaks to those who hear it: one message at a time, so that each can be heard to
//! its end. Of those that come meanwhile the latest is said. Pure: it is told what the wall clock
//! says.

use core::time::Duration;

use crate::history::Reply;
use crate::i18n::Words;
use crate::view::Glance;
use crate::view::rows::Threshold;

/// From one message to the next.
const PAUSE: Duration = Duration::from_secs(2);

/// What was said last, and what comes next.
#[derive(Debug, Default)]
pub struct Voice {
    said: String,
    /// When the next message may be said.
    free: Duration,
    /// Whether somebody comes back for it.
    is_awaited: bool,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// It is said now.
    Now,
    /// Whatever is the latest after so long may be said then, if [`Voice::come_back`] is called.
    Later(Duration),
    /// It was said last, or will be looked at with what waits already.
    Nothing,
}

impl Voice {
    /// There is a message, or still the same.
    pub fn turn(&mut self, message: &str, now: Duration) -> Turn {
        if self.is_awaited || message == self.said {
            return Turn::Nothing;
        }
        let wait = self.free.saturating_sub(now);
        self.is_awaited = !wait.is_zero();
        if self.is_awaited {
            return Turn::Later(wait);
        }
        (self.said, self.free) = (message.to_owned(), now + PAUSE);
        Turn::Now
    }

    /// The wait is over: the latest message has its turn.
    pub fn come_back(&mut self, message: &str, now: Duration) -> Turn {
        self.is_awaited = false;
        self.turn(message, now)
    }
}

/// What happened last, or which countdown has come far since.
pub fn latest(words: &Words, glance: &Glance<'_>) -> String {
    let events = glance.record.events().iter();
    let event = events.rev().find(|row| row.reply != Reply::Joined);
    let is_later = |it: &Threshold| event.is_none_or(|row| row.at < it.at);
    match (glance.threshold().filter(is_later), event) {
        (Some(it), _) => (words.due_in)(&(words.deadline)(&it.deadline), it.left),
        (None, Some(row)) => words.said(row),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn a_message_after_a_pause_is_said_at_once() {
        let mut voice = Voice::default();
        assert_eq!(voice.turn("one", at(0)), Turn::Now);
        assert_eq!(voice.turn("one", at(1)), Turn::Nothing);
        assert_eq!(voice.turn("two", at(2_000)), Turn::Now);
    }

    #[test]
    fn of_those_that_come_too_soon_the_latest_is_said_when_the_pause_is_over() {
        let mut voice = Voice::default();
        voice.turn("one", at(0));
        assert_eq!(voice.turn("two", at(500)), Turn::Later(at(1_500)));
        assert_eq!(voice.turn("three", at(600)), Turn::Nothing);
        // A timer may be early.
        assert_eq!(voice.come_back("three", at(1_999)), Turn::Later(at(1)));
        assert_eq!(voice.come_back("three", at(2_000)), Turn::Now);
        assert_eq!(voice.turn("four", at(2_001)), Turn::Later(at(1_999)));
    }

    #[test]
    fn what_was_taken_back_while_it_waited_is_not_said() {
        let mut voice = Voice::default();
        voice.turn("one", at(0));
        voice.turn("two", at(500));
        assert_eq!(voice.come_back("one", at(2_000)), Turn::Nothing);
        assert_eq!(voice.turn("two", at(2_001)), Turn::Now);
    }

    #[test]
    fn a_storm_is_one_message_in_two_seconds() {
        let (mut voice, mut due, mut said) = (Voice::default(), None, Vec::new());
        for now in 0..10_000 {
            let message = now.min(9_000).to_string();
            let turn = match due {
                Some(time) if time <= at(now) => voice.come_back(&message, at(now)),
                _ => voice.turn(&message, at(now)),
            };
            match turn {
                Turn::Now => said.push((now, message)),
                Turn::Later(wait) => due = Some(at(now) + wait),
                Turn::Nothing => {}
            }
        }
        let expected = [0, 2_000, 4_000, 6_000, 8_000].map(|now| (now, now.to_string()));
        assert_eq!(said, expected);
        assert_eq!(voice.come_back("9000", at(10_000)), Turn::Now);
    }
}
