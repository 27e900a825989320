//! Which clients believed that they held a lock, from when to when, and when too many did at once.

use alloc::vec::Vec;

use lictor_core::id::SessionRef;
use lictor_core::time::Instant;

use super::chunked_log::forget;
use super::tags::SessionTag;
use crate::belief::Believer;

/// The beliefs of all clients about one lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BeliefTrack {
    /// The spans, in the order in which they began.
    pub spans: Vec<BeliefSpan>,
    /// The length of the longest beginning of `spans` in which every span has ended.
    over: usize,
    /// The periods in which more clients believed so than may hold the lock, oldest first.
    pub overlaps: Vec<BeliefOverlap>,
    /// How many overlaps were dropped.
    forgotten: usize,
    /// Spans and overlaps that ended before this time were dropped.
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
    /// `None` while it lasts.
    pub to: Option<Instant>,
}

/// A period in which more clients believe that they hold the lock than may hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BeliefOverlap {
    /// When one client too many began to believe so.
    pub from: Instant,
    /// `None` while it lasts.
    pub to: Option<Instant>,
}

impl BeliefTrack {
    /// The beliefs that have not ended.
    pub fn believers(&self) -> impl Iterator<Item = &BeliefSpan> {
        self.spans[self.over..].iter().filter(|span| span.to.is_none())
    }

    /// The number of overlaps, including those that were dropped.
    pub fn overlap_count(&self) -> usize {
        self.forgotten + self.overlaps.len()
    }

    /// Adds a belief, unless the same believer already has one with this session. First drops those
    /// that ended before `kept_from`.
    pub fn begin(&mut self, span: BeliefSpan, kept_from: Instant) {
        if self.begin < kept_from {
            self.forget(kept_from);
        }
        let is_known =
            |open: &BeliefSpan| open.believer == span.believer && open.session == span.session;
        if self.believers().any(is_known) {
            return;
        }
        self.spans.push(span);
    }

    /// Ends the open beliefs for which the condition holds.
    pub fn end(&mut self, at: Instant, stops: &dyn Fn(&BeliefSpan) -> bool) {
        let open = self.spans[self.over..].iter_mut().filter(|span| span.to.is_none());
        open.filter(|span| stops(span)).for_each(|span| span.to = Some(at));
        self.over += self.spans[self.over..].iter().take_while(|span| span.to.is_some()).count();
    }

    /// Whether more clients believe so now than may hold the lock.
    pub(super) fn overlaps_now(&self) -> bool {
        self.overlaps.last().is_some_and(|last| last.to.is_none())
    }

    /// Begins an overlap, or ends the one that lasts.
    pub(super) fn set_overlap(&mut self, at: Instant, begins: bool) {
        debug_assert_ne!(self.overlaps_now(), begins, "an overlap begins and ends once");
        if begins {
            return self.overlaps.push(BeliefOverlap { from: at, to: None });
        }
        if let Some(last) = self.overlaps.last_mut() {
            last.to = Some(at);
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
    fn a_belief_that_has_ended_is_kept_but_counts_no_more() {
        let mut track = BeliefTrack::default();
        track.begin(span("one", 0), Instant::EPOCH);
        track.begin(span("one", 5), Instant::EPOCH);
        track.begin(span("two", 20), Instant::EPOCH);
        end(&mut track, "one", 30);
        assert_eq!((track.spans.len(), track.believers().count()), (2, 1));
        track.begin(span("three", 35), at(31));
        assert_eq!((track.spans.len(), track.believers().count()), (2, 2));
    }

    #[test]
    fn a_takeover_at_the_same_time_is_no_overlap() {
        let mut track = BeliefTrack::default();
        track.set_overlap(at(10), true);
        track.set_overlap(at(10), false);
        assert!(track.overlaps.is_empty());
        track.set_overlap(at(20), true);
        assert!(track.overlaps_now());
        track.set_overlap(at(30), false);
        assert_eq!(track.overlaps, [BeliefOverlap { from: at(20), to: Some(at(30)) }]);
    }
}
