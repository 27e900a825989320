//! Who believes to hold a lock, from when to when: what each client takes for true from its last
//! answer, beside what is true. A program says itself what it believes; a person believes what the
//! answers to their own requests have told them, and no more.

use lictor_core::http::HttpResponse;
use lictor_core::id::{ActorName, Key, ProgramName, SessionId, SessionRef};
use lictor_core::time::Instant;
use lictor_recipes::Belief;
use std::rc::Rc;

use super::{CallTrack, Did, Record, Reply, SessionTag, Who, contender_of, forget};
use crate::requests::{self, Wants};

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
    pub doubles: Vec<TwoBelieve>,
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
pub struct TwoBelieve {
    pub from: Instant,
    /// None while it lasts.
    pub to: Option<Instant>,
}

/// Whether somebody believes no longer.
type GivesUp<'a> = &'a dyn Fn(&BeliefSpan) -> bool;

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
    pub fn overlaps(&self) -> usize {
        self.forgotten + self.doubles.len()
    }

    /// A belief begins; those are forgotten that were over before a moment.
    fn begin(&mut self, span: BeliefSpan, begin: Instant) {
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
            self.doubles.push(TwoBelieve { from: span.from, to: None });
        }
        self.spans.push(span);
    }

    /// Ends the beliefs that a client has given up.
    fn end(&mut self, at: Instant, gives_up: GivesUp<'_>) -> bool {
        let was = self.open;
        let open = self.spans[self.over..].iter_mut().filter(|span| span.to.is_none());
        for span in open.filter(|span| gives_up(span)) {
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
        if let Some(open) = self.doubles.last_mut() {
            open.to = Some(at);
        }
        // Of two at the same moment one lets go before the other begins.
        self.doubles.pop_if(|last| last.from == at);
    }

    fn forget(&mut self, begin: Instant) {
        self.begin = begin;
        self.spans.retain(|span| span.to.is_none_or(|to| to >= begin));
        self.over = self.spans.iter().take_while(|span| span.to.is_some()).count();
        self.forgotten += forget(&mut self.doubles, &|it| it.to.is_some_and(|to| to < begin));
    }
}

impl Record {
    /// What a program believes from now on.
    pub(super) fn believes(&mut self, at: Instant, program: &ProgramName, belief: &Belief) {
        let believer = Believer::Program(program.clone());
        match belief {
            Belief::Believes { token, .. } => {
                self.believe(at, believer, &token.key, &token.session);
            }
            Belief::Unknown
            | Belief::Contending { .. }
            | Belief::KnowsLost { .. }
            | Belief::LetGo { .. } => self.give_up(at, &|span| span.believer == believer),
        }
    }

    /// Whoever went down with a host believes nothing any more.
    pub(super) fn believes_nothing(&mut self, at: Instant, actor: &ActorName) {
        let is_its =
            |span: &BeliefSpan| span.tag.owner.as_ref().is_some_and(|who| who.name == *actor);
        self.give_up(at, &is_its);
    }

    /// What an answer tells the person who asked.
    pub(super) fn told(
        &mut self,
        at: Instant,
        call: &CallTrack,
        reply: &Reply,
        response: &HttpResponse,
    ) {
        let person = Believer::Person(call.who.name.clone());
        if let Did::Ended(id) = &call.did {
            let ended = SessionRef::from(*id);
            return self.give_up(at, &|span| span.believer == person && span.session == ended);
        }
        if let Some(session) = requests::renewed(&call.request) {
            if response.status == 404 {
                self.give_up(at, &|span| {
                    span.believer == person && span.session.as_str() == session
                });
            }
            return;
        }
        let Some(lock) = call.lock.clone() else { return };
        match (&lock.wants, reply) {
            (Wants::Acquire(session), Reply::True) => self.believe(at, person, &lock.key, session),
            (Wants::Acquire(session) | Wants::Release(session), Reply::True | Reply::False) => {
                self.give_up_lock(at, &lock.key, &|span| {
                    span.believer == person && span.session == *session
                });
            }
            (Wants::Read, Reply::Ok | Reply::NotFound) => {
                let shown = String::from_utf8_lossy(&response.body);
                self.give_up_lock(at, &lock.key, &|span| {
                    span.believer == person && !shown.contains(span.session.as_str())
                });
            }
            _ => {}
        }
    }

    /// A key that a client takes itself to hold, and does not.
    pub fn misbelieved(&self, who: &Who) -> Option<&Key> {
        let is_wrong = |(key, track): &(&Key, &BeliefTrack)| {
            let is_its = |span: &&BeliefSpan| span.tag.owner.as_ref() == Some(who);
            track.believers().filter(is_its).any(|span| !self.is_true(key, span))
        };
        self.beliefs.iter().map(|(key, track)| (key, &**track)).find(is_wrong).map(|(key, _)| key)
    }

    /// Whether who believes to hold a key does. What is no lock is a semaphore's prefix, of which a
    /// slot is held as long as its session is there.
    fn is_true(&self, key: &Key, span: &BeliefSpan) -> bool {
        let Some(lock) = self.locks.get(key) else {
            let session = SessionId::parse(span.session.as_str()).and_then(|id| self.session(id));
            return session.is_some_and(|track| track.ended.is_none());
        };
        let holder = lock.tenures.last().filter(|tenure| tenure.to.is_none());
        holder.is_some_and(|tenure| tenure.session == span.tag)
    }

    fn believe(&mut self, at: Instant, believer: Believer, key: &Key, session: &SessionRef) {
        // Several hold slots of a semaphore at once, each a key of its own.
        if contender_of(key.as_str()).is_some() {
            return;
        }
        let tag = self.tag_of(session);
        let span = BeliefSpan { believer, session: session.clone(), tag, from: at, to: None };
        Rc::make_mut(self.beliefs.entry(key.clone()).or_default()).begin(span, self.begin);
        self.touch_key(key);
    }

    fn give_up(&mut self, at: Instant, gives_up: GivesUp<'_>) {
        for key in self.beliefs.keys().cloned().collect::<Vec<_>>() {
            self.give_up_lock(at, &key, gives_up);
        }
    }

    fn give_up_lock(&mut self, at: Instant, key: &Key, gives_up: GivesUp<'_>) {
        let is_there = self.beliefs.get(key).is_some_and(|track| track.believers().any(gives_up));
        if is_there
            && self.beliefs.get_mut(key).is_some_and(|track| Rc::make_mut(track).end(at, gives_up))
        {
            self.touch_key(key);
        }
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
            .map(|(from, to): (u64, Option<u64>)| TwoBelieve { from: at(from), to: to.map(at) });
        assert_eq!(track.doubles, expected);
    }

    #[test]
    fn who_takes_over_in_the_same_moment_believes_alone() {
        assert!(track(&[(0, Some(10)), (10, Some(20)), (20, None)]).doubles.is_empty());
    }
}
