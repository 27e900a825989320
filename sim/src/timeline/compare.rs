//! Compares two branches: the first event at which they differ, and the differences between their
//! worlds at some time. The page's comparison shows it.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::cursor::{Cursor, Target};
use super::{Branch, BranchId, Timeline};
use crate::{Actor, Pending, SimEvent, World};
use alloc::collections::BTreeMap;
use lictor_core::engine::{LockDelay, SessionClock};
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_core::store::{Entry, Session};
use lictor_core::time::Instant;

/// How two branches differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// None if the events are the same as far as both branches have come.
    pub divergence: Option<Divergence>,
    pub keys: Vec<Difference<Key, KeyState>>,
    pub sessions: Vec<Difference<SessionId, SessionState>>,
    pub clients: Vec<Difference<ActorName, ClientState>>,
}

/// The first events that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The time of the earlier one.
    pub at: Instant,
    /// None if the branch has no more events.
    pub one: Option<SimEvent>,
    pub other: Option<SimEvent>,
}

/// A difference between two worlds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference<N, T> {
    pub name: N,
    pub one: Option<T>,
    pub other: Option<T>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyState {
    pub entry: Option<Arc<Entry>>,
    pub delay: Option<LockDelay>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionState {
    pub session: Arc<Session>,
    pub clock: Option<SessionClock>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientState {
    pub actor: Actor,
    /// What it waits for.
    pub pending: Vec<Pending>,
}

impl Timeline {
    /// Compares two branches: all events, and the worlds at some time, or at the ends of branches
    /// that end earlier. None if a branch does not exist.
    pub fn compare(&self, one: BranchId, other: BranchId, at: Instant) -> Option<Comparison> {
        let (one, other) = (self.branch(one)?, self.branch(other)?);
        let worlds = [one, other].map(|branch| branch.visit(Target::Time(at)).world);
        let [left, right] = &worlds;
        Some(Comparison {
            divergence: divergence(one, other),
            keys: differences(keys(left), keys(right)),
            sessions: differences(sessions(left), sessions(right)),
            clients: differences(clients(left), clients(right)),
        })
    }
}

/// Up to their first different act the branches are the same, so they are played again from there.
fn divergence(one: &Branch, other: &Branch) -> Option<Divergence> {
    let common = common_acts(one, other);
    let until = one.end().at.min(other.end().at);
    let mut walks = [one, other].map(|branch| BranchWalk::new(branch, common));
    let [left, right] = &mut walks;
    loop {
        let (one, other) = (left.next(until), right.next(until));
        if one == other {
            one?;
            continue;
        }
        let times = [&one, &other].map(|event| event.as_ref().map(|event| event.at));
        let at = times.into_iter().flatten().min().unwrap_or(until);
        return Some(Divergence { at, one, other });
    }
}

/// The number of first acts that are the same.
fn common_acts(one: &Branch, other: &Branch) -> usize {
    let begin = one.begin().acts.max(other.begin().acts);
    let is_same = |act: &usize| {
        let entries = (one.act(*act), other.act(*act));
        entries.0.is_some() && entries.0 == entries.1
    };
    begin + (begin..).take_while(is_same).count()
}

/// The events of a branch in order.
struct BranchWalk<'a> {
    branch: &'a Branch,
    cursor: Cursor,
    events: VecDeque<SimEvent>,
}

impl<'a> BranchWalk<'a> {
    fn new(branch: &'a Branch, acts: usize) -> Self {
        let cursor = branch.visit(Target::Acts(acts));
        Self { branch, cursor, events: VecDeque::new() }
    }

    fn next(&mut self, until: Instant) -> Option<SimEvent> {
        while self.events.is_empty() {
            self.events.extend(self.cursor.step(self.branch, until)?);
        }
        self.events.pop_front()
    }
}

fn differences<N: Clone + Ord, T: Clone + PartialEq>(
    mut ones: BTreeMap<N, T>,
    mut others: BTreeMap<N, T>,
) -> Vec<Difference<N, T>> {
    ones.retain(|name, one| match others.remove_entry(name) {
        Some((_, other)) if other == *one => false,
        Some((name, other)) => {
            others.insert(name, other);
            true
        }
        None => true,
    });
    let mut names: Vec<N> = ones.keys().chain(others.keys()).cloned().collect();
    names.sort();
    names.dedup();
    let difference = |name: N| {
        let (one, other) = (ones.remove(&name), others.remove(&name));
        Difference { name, one, other }
    };
    names.into_iter().map(difference).collect()
}

fn keys(world: &World) -> BTreeMap<Key, KeyState> {
    let mut keys: BTreeMap<Key, KeyState> = BTreeMap::new();
    for entry in world.store().kv().with_prefix("") {
        keys.entry(entry.key.clone()).or_default().entry = Some(entry.clone());
    }
    for delay in world.lock_delays() {
        keys.entry(delay.key.clone()).or_default().delay = Some(delay.clone());
    }
    keys
}

fn sessions(world: &World) -> BTreeMap<SessionId, SessionState> {
    let state = |session: &Arc<Session>| {
        let clock = world.session_clock(session.id);
        (session.id, SessionState { session: session.clone(), clock })
    };
    world.store().sessions().iter().map(state).collect()
}

fn clients(world: &World) -> BTreeMap<ActorName, ClientState> {
    let state = |actor: &Actor| {
        let ours = world.pending().filter(|(_, pending)| pending.actor == actor.name);
        let pending = ours.map(|(_, pending)| pending.clone()).collect();
        (actor.name.clone(), ClientState { actor: actor.clone(), pending })
    };
    world.actors().iter().map(state).collect()
}
