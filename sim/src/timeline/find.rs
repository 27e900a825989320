//! Searches along a branch, forward and back. The past is played again for it, so a search goes in
//! slices: each call takes some steps.

use alloc::borrow::Cow;
use alloc::boxed::Box;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use super::stand::{Stand, Target};
use super::{Branch, BranchId, Timeline};
use crate::journal::ids::ids_in;
use crate::{Always, Checks, Happening, Moment, Sometimes, Travel, Verdict};
use lictor_core::engine::{Event, Timer};
use lictor_core::error::Cause;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::store::Change;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wanted {
    /// A request that was refused or broke, a session that ended unasked, or a fault.
    Problem,
    /// Anything that happens to a key.
    Key(Key),
    /// Anything that happens to a session.
    Session(SessionId),
    /// Anything that a client does.
    Client(ActorName),
    /// A safety rule is broken: this one, or any.
    Broken(Option<Always>),
    /// Something occurs that the checks watch for, such as two believers.
    Seen(Sometimes),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Back,
}

/// What a search has come to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// It has to go on.
    Going,
    Found(Box<Moment>),
    Nothing,
}

/// A search under way. It stays with its branch, whatever happens to the cursor.
#[derive(Clone, Debug)]
pub struct Search {
    branch: BranchId,
    wanted: Wanted,
    direction: Direction,
    /// Only moments behind it count, or only those before it.
    from: u64,
    stand: Stand,
    /// How many moments there were where the current piece of the past begins.
    piece: u64,
    /// The last that was met in the current piece, when searching back.
    met: Option<Moment>,
    /// Where checks are asked: they follow the past from its beginning.
    checks: Option<Box<Checks>>,
}

impl Timeline {
    /// Looks for something on the branch of the cursor, behind or before the moment of a number.
    pub fn search(&self, wanted: Wanted, direction: Direction, from: u64) -> Search {
        let first = match direction {
            Direction::Forward => from.saturating_add(1),
            Direction::Back => from,
        };
        let (stand, checks) = match wanted {
            Wanted::Broken(_) | Wanted::Seen(_) => {
                let stand = self.here().first().clone();
                let checks = Checks::of(&stand.world);
                (stand, Some(Box::new(checks)))
            }
            Wanted::Problem | Wanted::Key(_) | Wanted::Session(_) | Wanted::Client(_) => {
                (self.here().nearest(Target::Moment(first)).clone(), None)
            }
        };
        let piece = stand.world.moments();
        Search { branch: self.current, wanted, direction, from, stand, piece, met: None, checks }
    }

    /// Looks on by some steps.
    pub fn look_for(&self, search: &mut Search, steps: usize) -> Sought {
        let Some(branch) = self.branch(search.branch) else { return Sought::Nothing };
        for _ in 0..steps {
            let sought = match (search.checks.is_some(), search.direction) {
                (true, _) => search.with_checks(branch),
                (false, Direction::Forward) => search.forward(branch),
                (false, Direction::Back) => search.back(branch),
            };
            if sought != Sought::Going {
                return sought;
            }
        }
        Sought::Going
    }
}

impl Search {
    /// Forward the first that counts is what is sought, back the last.
    fn with_checks(&mut self, branch: &Branch) -> Sought {
        let is_past = self.direction == Direction::Back
            && self.stand.world.moments().saturating_add(1) >= self.from;
        let step = if is_past { None } else { self.stand.step(branch, branch.end().at) };
        let Some(moments) = step else {
            return self.met.take().map_or(Sought::Nothing, |it| Sought::Found(Box::new(it)));
        };
        for moment in &moments {
            let Some(number) = self.met_at(moment) else { continue };
            let met = match number == moment.number {
                true => Some(moment.clone()),
                false => branch.moments(number..number + 1).pop(),
            };
            match (self.direction, met) {
                (Direction::Forward, Some(met)) if number > self.from => {
                    return Sought::Found(Box::new(met));
                }
                (Direction::Back, Some(met)) if number < self.from => self.met = Some(met),
                _ => {}
            }
        }
        Sought::Going
    }

    /// The moment at which a check says what is sought, with this moment known.
    fn met_at(&mut self, moment: &Moment) -> Option<u64> {
        let checks = self.checks.as_mut()?;
        match self.wanted {
            Wanted::Broken(rule) => {
                let before = checks.broken().len();
                checks.follow(moment);
                let mut new = checks.broken()[before..].iter();
                new.find(|it| rule.is_none_or(|rule| rule == it.rule)).map(|it| it.moment)
            }
            Wanted::Seen(what) => {
                let before = checks.seen(what);
                checks.follow(moment);
                (checks.seen(what) > before).then_some(moment.number)
            }
            Wanted::Problem | Wanted::Key(_) | Wanted::Session(_) | Wanted::Client(_) => None,
        }
    }

    fn forward(&mut self, branch: &Branch) -> Sought {
        let Some(moments) = self.stand.step(branch, branch.end().at) else {
            return Sought::Nothing;
        };
        let mut later = moments.into_iter().filter(|moment| moment.number > self.from);
        later
            .find(|moment| self.wanted.is_in(moment))
            .map_or(Sought::Going, |it| Sought::Found(Box::new(it)))
    }

    /// The last one in a piece is what is sought; if there is none, the piece before it is next.
    fn back(&mut self, branch: &Branch) -> Sought {
        if self.stand.world.moments() + 1 < self.from
            && let Some(moments) = self.stand.step(branch, branch.end().at)
        {
            let earlier = moments.into_iter().filter(|moment| moment.number < self.from);
            let met = earlier.rev().find(|moment| self.wanted.is_in(moment));
            self.met = met.or_else(|| self.met.take());
            return Sought::Going;
        }
        if let Some(met) = self.met.take() {
            return Sought::Found(Box::new(met));
        }
        if self.piece <= branch.begin().moments {
            return Sought::Nothing;
        }
        self.from = self.piece + 1;
        self.stand = branch.nearest(Target::Moment(self.piece)).clone();
        self.piece = self.stand.world.moments();
        Sought::Going
    }
}

impl Wanted {
    fn is_in(&self, moment: &Moment) -> bool {
        match self {
            Self::Problem => is_problem(moment),
            Self::Key(key) => is_about_key(moment, key),
            Self::Session(id) => is_about_session(moment, *id),
            Self::Client(name) => client_of(moment) == Some(name),
            Self::Broken(_) | Self::Seen(_) => false,
        }
    }
}

fn is_problem(moment: &Moment) -> bool {
    match &moment.happening {
        Happening::Answered { outcome, .. } => {
            matches!(outcome.verdict, Verdict::False | Verdict::Error)
        }
        Happening::Server { event: Event::Changed(Change::SessionEnded { cause, .. }), .. } => {
            *cause != Cause::Requested
        }
        Happening::Travel(Travel::AnswerLost { .. } | Travel::Broken { .. })
        | Happening::Failed(_) => true,
        _ => false,
    }
}

fn client_of(moment: &Moment) -> Option<&ActorName> {
    match &moment.happening {
        Happening::Joined { actor }
        | Happening::Sent { actor, .. }
        | Happening::Answered { actor, .. }
        | Happening::Cancelled { actor, .. }
        | Happening::Program { actor, .. } => Some(actor),
        Happening::Used(used) => Some(&used.actor),
        Happening::Travel(travel) => match travel {
            Travel::Arrived { actor, .. }
            | Travel::RequestLost { actor, .. }
            | Travel::AnswerLost { actor, .. }
            | Travel::Broken { actor, .. }
            | Travel::Late { actor, .. }
            | Travel::HungUp { actor, .. } => Some(actor),
        },
        Happening::Failed(trouble) | Happening::Mended(trouble) => trouble.fault.actor(),
        Happening::Server { .. } => None,
    }
}

fn is_about_key(moment: &Moment, key: &Key) -> bool {
    match &moment.happening {
        Happening::Sent { request, .. } | Happening::Answered { request, .. } => {
            key_in(request).is_some_and(|of| of == key.as_str())
        }
        Happening::Server { event, .. } => match event {
            Event::Changed(Change::KeyWritten { after: entry, .. })
            | Event::Changed(Change::KeyDeleted { before: entry }) => entry.key == *key,
            Event::DelayArmed(delay) => delay.key == *key,
            Event::DelayOver { key: of } | Event::Fired(Timer::LockDelay(of)) => of == key,
            _ => false,
        },
        _ => false,
    }
}

fn is_about_session(moment: &Moment, id: SessionId) -> bool {
    match &moment.happening {
        Happening::Sent { request, .. } | Happening::Answered { request, .. } => {
            let texts = [request.target.as_bytes(), &request.body];
            texts.iter().any(|text| ids_in(text).any(|(_, of)| of == id))
        }
        Happening::Server { event, .. } => match event {
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

/// The key that a request is about.
pub(crate) fn key_in(request: &HttpRequest) -> Option<Cow<'_, str>> {
    let path = request.target.split('?').next()?.strip_prefix("/v1/kv/")?;
    Some(percent_decode_str(path).decode_utf8_lossy())
}
