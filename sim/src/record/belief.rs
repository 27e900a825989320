//! Which clients believed that they held a lock, from when to when, and when two did at once.

use crate::belief::Believer;
use alloc::vec::Vec;
use lictor_core::id::SessionRef;
use lictor_core::time::Instant;

use super::chunked_log::forget;
use super::tags::SessionTag;

/// The beliefs of all clients about one lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BeliefTrack {
    /// In the order in which they began.
    pub spans: Vec<BeliefSpan>,
    /// How many of the first spans have ended.
    over: usize,
    /// How many spans are open.
    open: usize,
    /// The periods in which two clients believed so at once, oldest first.
    pub overlaps: Vec<BeliefOverlap>,
    /// How many overlaps were dropped.
    forgotten: usize,
    /// Spans that ended before this time may be dropped.
    begin: Instant,
}

/// A period in which a client believes that its session holds the lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeliefSpan {
    /// The person or the program.
    pub believer: Believer,
    /// Their session.
    pub session: SessionRef,
    /// The label of the session.
    pub tag: SessionTag,
    /// When it began.
    pub from: Instant,
    /// None while it lasts.
    pub to: Option<Instant>,
}

/// A period in which at least two clients believe that they hold the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BeliefOverlap {
    /// When the second client began to believe so.
    pub from: Instant,
    /// None while it lasts.
    pub to: Option<Instant>,
}

impl BeliefTrack {
    /// The beliefs that have not ended.
    pub fn believers(&self) -> impl Iterator<Item = &BeliefSpan> {
        self.spans[self.over..].iter().filter(|span| span.to.is_none())
    }

    /// How many such periods there were.
    pub fn overlap_count(&self) -> usize {
        self.forgotten + self.overlaps.len()
    }

    /// Begins a belief, after dropping those that ended before a time.
    pub fn begin(&mut self, span: BeliefSpan, begin: Instant) {
        if self.begin < begin {
            self.forget(begin);
        }
        let is_known =
            |open: &BeliefSpan| open.believer == span.believer && open.session == span.session;
        if self.believers().any(is_known) {
            return;
        }
        self.open += 1;
        if self.open == 2 {
            self.overlaps.push(BeliefOverlap { from: span.from, to: None });
        }
        self.spans.push(span);
    }

    /// Ends the open beliefs for which the condition holds, and returns whether there were any.
    pub fn end(&mut self, at: Instant, stops: &dyn Fn(&BeliefSpan) -> bool) -> bool {
        let was = self.open;
        let open = self.spans[self.over..].iter_mut().filter(|span| span.to.is_none());
        for span in open.filter(|span| stops(span)) {
            span.to = Some(at);
            self.open -= 1;
        }
        self.over += self.spans[self.over..].iter().take_while(|span| span.to.is_some()).count();
        if was > 1 && self.open < 2 {
            self.close(at);
        }
        was > self.open
    }

    fn close(&mut self, at: Instant) {
        if let Some(open) = self.overlaps.last_mut() {
            open.to = Some(at);
        }
        // An end and a beginning at the same time do not overlap.
        self.overlaps.pop_if(|last| last.from == at);
    }

    fn forget(&mut self, begin: Instant) {
        self.begin = begin;
        self.spans.retain(|span| span.to.is_none_or(|to| to >= begin));
        self.over = self.spans.iter().take_while(|span| span.to.is_some()).count();
        self.forgotten += forget(&mut self.overlaps, &|it| it.to.is_some_and(|to| to < begin));
    }
}

#[cfg(test)]
mod tests {
    use lictor_core::id::ActorName;

    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::from_millis(seconds * 1000)
    }

    fn span(session: &str, from: u64) -> BeliefSpan {
        BeliefSpan {
            believer: Believer::Person(ActorName::from("x")),
            session: SessionRef::from(session),
            tag: SessionTag { label: "A".into(), owner: None },
            from: at(from),
            to: None,
        }
    }

    fn end(track: &mut BeliefTrack, session: &str, at_second: u64) {
        track.end(at(at_second), &|span| span.session.as_str() == session);
    }

    #[test]
    fn two_beliefs_overlap_from_the_later_beginning_to_the_earlier_end() {
        let mut track = BeliefTrack::default();
        track.begin(span("one", 0), Instant::EPOCH);
        track.begin(span("two", 20), Instant::EPOCH);
        end(&mut track, "one", 30);
        track.begin(span("three", 35), Instant::EPOCH);
        end(&mut track, "two", 40);
        let expected = [(20, 30), (35, 40)]
            .map(|(from, to)| BeliefOverlap { from: at(from), to: Some(at(to)) });
        assert_eq!(track.overlaps, expected);
    }

    #[test]
    fn a_takeover_at_the_same_time_is_no_overlap() {
        let mut track = BeliefTrack::default();
        track.begin(span("one", 0), Instant::EPOCH);
        track.begin(span("two", 10), Instant::EPOCH);
        end(&mut track, "one", 10);
        assert!(track.overlaps.is_empty());
    }
}
