//! Who believes to hold a lock, from when to when: what each client takes for true from its last
//! answer, beside what is true. A program says itself what it believes; a person believes what the
//! answers to their own requests have told them, and no more.

use lictor_core::id::{ActorName, ProgramName, SessionRef};
use lictor_core::time::Instant;

use super::chunked_log::forget;
use super::tags::SessionTag;

/// Everybody's beliefs about one lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BeliefTrack {
    /// In the order in which they began.
    pub spans: Vec<BeliefSpan>,
    /// So many of the first are over.
    over: usize,
    /// How many believe.
    open: usize,
    /// The times in which two believed at once, oldest first.
    pub overlaps: Vec<BeliefOverlap>,
    /// How many of those are no longer known.
    forgotten: usize,
    /// What was over before is not.
    begin: Instant,
}

/// A time in which a client takes its session for the holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeliefSpan {
    pub believer: Believer,
    pub session: SessionRef,
    pub tag: SessionTag,
    pub from: Instant,
    /// None while it lasts.
    pub to: Option<Instant>,
}

/// Whose belief it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Believer {
    Person(ActorName),
    Program(ProgramName),
}

/// A time in which at least two believe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeliefOverlap {
    pub from: Instant,
    /// None while it lasts.
    pub to: Option<Instant>,
}

/// Whether somebody believes no longer.
pub(super) type StopsBelieving<'a> = &'a dyn Fn(&BeliefSpan) -> bool;

impl BeliefTrack {
    /// Who believed when, in the order in which they began.
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

    /// Those who believe now.
    pub fn believers(&self) -> impl Iterator<Item = &BeliefSpan> {
        self.spans[self.over..].iter().filter(|span| span.to.is_none())
    }

    /// How often two believed at once.
    pub fn overlap_count(&self) -> usize {
        self.forgotten + self.overlaps.len()
    }

    /// A belief begins; those are forgotten that were over before a moment.
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

    /// Ends the beliefs that a client has given up.
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
        // Of two at the same moment one lets go before the other begins.
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
    fn two_believe_from_the_later_beginning_to_the_earlier_end() {
        let track = track(&[(0, Some(30)), (20, Some(40)), (35, None)]);
        let expected = [(20, Some(30)), (35, Some(40))]
            .map(|(from, to): (u64, Option<u64>)| BeliefOverlap { from: at(from), to: to.map(at) });
        assert_eq!(track.overlaps, expected);
    }

    #[test]
    fn who_takes_over_in_the_same_moment_believes_alone() {
        assert!(track(&[(0, Some(10)), (10, Some(20)), (20, None)]).overlaps.is_empty());
    }
}
