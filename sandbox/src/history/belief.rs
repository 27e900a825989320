//! Which clients believed that they held a lock, from when to when, and when two did at once.
//! `belief_updates` starts and ends the beliefs; the belief lane compares them with the truth.

use lictor_core::id::SessionRef;
use lictor_core::time::Instant;
use lictor_sim::Believer;

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
    pub believer: Believer,
    pub session: SessionRef,
    pub tag: SessionTag,
    pub from: Instant,
    /// None while it lasts.
    pub to: Option<Instant>,
}

/// A period in which at least two clients believe that they hold the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BeliefOverlap {
    pub from: Instant,
    /// None while it lasts.
    pub to: Option<Instant>,
}

/// Whether a belief ends.
pub(super) type StopsBelieving<'a> = &'a dyn Fn(&BeliefSpan) -> bool;

impl BeliefTrack {
    /// A track made from spans, in the order in which they began.
    #[cfg(test)]
    pub fn of(spans: Vec<BeliefSpan>) -> Self {
        let mut ends =
            spans.iter().filter_map(|it| Some((it.to?, it.session.clone()))).collect::<Vec<_>>();
        ends.sort();
        let (mut track, mut ends) = (Self::default(), ends.into_iter().peekable());
        for span in spans {
            while let Some((at, session)) = ends.next_if(|(at, _)| *at < span.from) {
                track.end(at, &|open| open.session == session);
            }
            track.begin(BeliefSpan { to: None, ..span }, Instant::EPOCH);
        }
        ends.for_each(|(at, session)| {
            track.end(at, &|open| open.session == session);
        });
        track
    }

    /// The beliefs that have not ended.
    pub fn believers(&self) -> impl Iterator<Item = &BeliefSpan> {
        self.spans[self.over..].iter().filter(|span| span.to.is_none())
    }

    /// How many such periods there were.
    pub fn overlap_count(&self) -> usize {
        self.forgotten + self.overlaps.len()
    }

    /// Begins a belief, after dropping those that ended before a time.
    pub(super) fn begin(&mut self, span: BeliefSpan, begin: Instant) {
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
    pub(super) fn end(&mut self, at: Instant, stops: StopsBelieving<'_>) -> bool {
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

    fn track(spans: &[(u64, Option<u64>)]) -> BeliefTrack {
        let span = |(place, (from, to)): (usize, &(u64, Option<u64>))| BeliefSpan {
            believer: Believer::Person(ActorName::from("x")),
            session: SessionRef::from(place.to_string().as_str()),
            tag: SessionTag { label: "A".into(), owner: None },
            from: at(*from),
            to: to.map(at),
        };
        BeliefTrack::of(spans.iter().enumerate().map(span).collect())
    }

    #[test]
    fn two_beliefs_overlap_from_the_later_beginning_to_the_earlier_end() {
        let track = track(&[(0, Some(30)), (20, Some(40)), (35, None)]);
        let expected = [(20, Some(30)), (35, Some(40))]
            .map(|(from, to): (u64, Option<u64>)| BeliefOverlap { from: at(from), to: to.map(at) });
        assert_eq!(track.overlaps, expected);
    }

    #[test]
    fn a_takeover_at_the_same_time_is_no_overlap() {
        assert!(track(&[(0, Some(10)), (10, Some(20)), (20, None)]).overlaps.is_empty());
    }
}
