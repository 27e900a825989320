//! Searches along a branch, forward and back. A search computes the past again, so it runs in
//! slices: each call of `Timeline::look_for` takes some steps.

use alloc::boxed::Box;

use serde::{Deserialize, Serialize};

use super::cursor::{Cursor, Target};
use super::{Branch, BranchId, Timeline};
use crate::ids::ids_in;
use crate::request_form::key_in;
use crate::{Always, Checks, EventKind, SimEvent, Sometimes, Travel, Verdict};
use lictor_core::engine::{Event, Timer};
use lictor_core::error::Cause;
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::store::Change;

/// The subject of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchQuery {
    /// A request that was refused or failed, a session that was not destroyed by a request, or a
    /// fault.
    Problem,
    /// Anything that happens to a key.
    Key(Key),
    /// Anything that happens to a session.
    Session(SessionId),
    /// Anything that a client does.
    Client(ActorName),
    /// A safety rule is broken: this one, or any.
    Broken(Option<Always>),
    /// An occurrence that the checks count, such as two believers.
    Seen(Sometimes),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Back,
}

/// The state of a search after some steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchResult {
    /// It is not finished.
    Unfinished,
    Found(Box<SimEvent>),
    Nothing,
}

/// An unfinished search. It stays on its branch when the cursor moves.
#[derive(Clone, Debug)]
pub struct Search {
    branch: BranchId,
    wanted: SearchQuery,
    direction: Direction,
    /// Only events after this one count when searching forward, and only those before it when
    /// searching back.
    from: u64,
    cursor: Cursor,
    /// The number of events before the present section.
    piece: u64,
    /// The last match in the present section, when searching back.
    met: Option<SimEvent>,
    /// The checks, if the search needs them: they must follow all events from the beginning.
    checks: Option<Box<Checks>>,
}

impl Timeline {
    /// Begins a search on the branch of the cursor, after or before the event of a number.
    pub fn search(&self, wanted: SearchQuery, direction: Direction, from: u64) -> Search {
        let first = match direction {
            Direction::Forward => from.saturating_add(1),
            Direction::Back => from,
        };
        let (cursor, checks) = match wanted {
            SearchQuery::Broken(_) | SearchQuery::Seen(_) => {
                let cursor = self.here().first().clone();
                let checks = Checks::of(&cursor.world);
                (cursor, Some(Box::new(checks)))
            }
            SearchQuery::Problem
            | SearchQuery::Key(_)
            | SearchQuery::Session(_)
            | SearchQuery::Client(_) => {
                (self.here().nearest(Target::SimEvent(first)).clone(), None)
            }
        };
        let piece = cursor.world.event_count();
        Search { branch: self.current, wanted, direction, from, cursor, piece, met: None, checks }
    }

    /// Continues a search by some steps.
    pub fn look_for(&self, search: &mut Search, steps: usize) -> SearchResult {
        let Some(branch) = self.branch(search.branch) else { return SearchResult::Nothing };
        for _ in 0..steps {
            let sought = match (search.checks.is_some(), search.direction) {
                (true, _) => search.with_checks(branch),
                (false, Direction::Forward) => search.forward(branch),
                (false, Direction::Back) => search.back(branch),
            };
            if sought != SearchResult::Unfinished {
                return sought;
            }
        }
        SearchResult::Unfinished
    }
}

impl Search {
    /// Continues a search that needs checks: forward to the first match, back through all events to
    /// the last match.
    fn with_checks(&mut self, branch: &Branch) -> SearchResult {
        let is_past = self.direction == Direction::Back
            && self.cursor.world.event_count().saturating_add(1) >= self.from;
        let step = if is_past { None } else { self.cursor.step(branch, branch.end().at) };
        let Some(events) = step else {
            return self
                .met
                .take()
                .map_or(SearchResult::Nothing, |it| SearchResult::Found(Box::new(it)));
        };
        for event in &events {
            let Some(number) = self.met_at(event) else { continue };
            let met = match number == event.number {
                true => Some(event.clone()),
                false => branch.events(number..number + 1).pop(),
            };
            match (self.direction, met) {
                (Direction::Forward, Some(met)) if number > self.from => {
                    return SearchResult::Found(Box::new(met));
                }
                (Direction::Back, Some(met)) if number < self.from => self.met = Some(met),
                _ => {}
            }
        }
        SearchResult::Unfinished
    }

    /// The event at which a check first reports a match, after this event was checked.
    fn met_at(&mut self, event: &SimEvent) -> Option<u64> {
        let checks = self.checks.as_mut()?;
        match self.wanted {
            SearchQuery::Broken(rule) => {
                let before = checks.broken().len();
                checks.follow(event);
                let mut new = checks.broken()[before..].iter();
                new.find(|it| rule.is_none_or(|rule| rule == it.rule)).map(|it| it.event)
            }
            SearchQuery::Seen(what) => {
                let before = checks.seen(what);
                checks.follow(event);
                (checks.seen(what) > before).then_some(event.number)
            }
            SearchQuery::Problem
            | SearchQuery::Key(_)
            | SearchQuery::Session(_)
            | SearchQuery::Client(_) => None,
        }
    }

    fn forward(&mut self, branch: &Branch) -> SearchResult {
        let Some(events) = self.cursor.step(branch, branch.end().at) else {
            return SearchResult::Nothing;
        };
        let mut later = events.into_iter().filter(|event| event.number > self.from);
        later
            .find(|event| self.wanted.is_in(event))
            .map_or(SearchResult::Unfinished, |it| SearchResult::Found(Box::new(it)))
    }

    /// Continues a search back: the last match of the present section is the result; without one,
    /// the section before it is next.
    fn back(&mut self, branch: &Branch) -> SearchResult {
        if self.cursor.world.event_count() + 1 < self.from
            && let Some(events) = self.cursor.step(branch, branch.end().at)
        {
            let earlier = events.into_iter().filter(|event| event.number < self.from);
            let met = earlier.rev().find(|event| self.wanted.is_in(event));
            self.met = met.or_else(|| self.met.take());
            return SearchResult::Unfinished;
        }
        if let Some(met) = self.met.take() {
            return SearchResult::Found(Box::new(met));
        }
        if self.piece <= branch.begin().event_number {
            return SearchResult::Nothing;
        }
        self.from = self.piece + 1;
        self.cursor = branch.nearest(Target::SimEvent(self.piece)).clone();
        self.piece = self.cursor.world.event_count();
        SearchResult::Unfinished
    }
}

impl SearchQuery {
    fn is_in(&self, event: &SimEvent) -> bool {
        match self {
            Self::Problem => is_problem(event),
            Self::Key(key) => is_about_key(event, key),
            Self::Session(id) => is_about_session(event, *id),
            Self::Client(name) => client_of(event) == Some(name),
            Self::Broken(_) | Self::Seen(_) => false,
        }
    }
}

fn is_problem(event: &SimEvent) -> bool {
    match &event.kind {
        EventKind::Answered { outcome, .. } => {
            matches!(outcome.verdict, Verdict::False | Verdict::Error)
        }
        EventKind::Server { event: Event::Changed(Change::SessionEnded { cause, .. }), .. } => {
            *cause != Cause::Requested
        }
        EventKind::Travel(Travel::AnswerLost { .. } | Travel::Broken { .. })
        | EventKind::Failed(_) => true,
        _ => false,
    }
}

fn client_of(event: &SimEvent) -> Option<&ActorName> {
    match &event.kind {
        EventKind::Joined { actor }
        | EventKind::Sent { actor, .. }
        | EventKind::Answered { actor, .. }
        | EventKind::Cancelled { actor, .. }
        | EventKind::Program { actor, .. } => Some(actor),
        EventKind::Used(used) => Some(&used.actor),
        EventKind::Travel(travel) => match travel {
            Travel::Arrived { actor, .. }
            | Travel::RequestLost { actor, .. }
            | Travel::AnswerLost { actor, .. }
            | Travel::Broken { actor, .. }
            | Travel::Late { actor, .. }
            | Travel::HungUp { actor, .. } => Some(actor),
        },
        EventKind::Failed(active) | EventKind::Mended(active) => active.fault.actor(),
        EventKind::Server { .. } => None,
    }
}

fn is_about_key(event: &SimEvent, key: &Key) -> bool {
    match &event.kind {
        EventKind::Sent { request, .. } | EventKind::Answered { request, .. } => {
            key_in(request).is_some_and(|of| of == key.as_str())
        }
        EventKind::Server { event, .. } => match event {
            Event::Changed(Change::KeyWritten { after: entry, .. })
            | Event::Changed(Change::KeyDeleted { before: entry }) => entry.key == *key,
            Event::DelayArmed(delay) => delay.key == *key,
            Event::DelayOver { key: of } | Event::Fired(Timer::LockDelay(of)) => of == key,
            _ => false,
        },
        _ => false,
    }
}

fn is_about_session(event: &SimEvent, id: SessionId) -> bool {
    match &event.kind {
        EventKind::Sent { request, .. } | EventKind::Answered { request, .. } => {
            let texts = [request.target.as_bytes(), &request.body];
            texts.iter().any(|text| ids_in(text).any(|(_, of)| of == id))
        }
        EventKind::Server { event, .. } => match event {
            Event::Changed(Change::SessionCreated(session))
            | Event::Changed(Change::SessionEnded { session, .. }) => session.id == id,
            Event::Changed(Change::KeyWritten { before, after }) => {
                let holders = [before.as_ref().and_then(|entry| entry.holder()), after.holder()];
                holders.iter().flatten().any(|holder| holder.id() == Some(id))
            }
            Event::Renewed { session, .. } => *session == id,
            Event::DelayArmed(delay) => delay.session == id,
            _ => false,
        },
        _ => false,
    }
}
