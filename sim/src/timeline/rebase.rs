//! Rebases a branch: removes, replaces or moves an act, and performs the later acts again. In a
//! later act the id of a session is replaced by the id of the session that the same act creates
//! now.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use lictor_core::http::HttpRequest;
use lictor_core::id::{RequestId, SessionId};
use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use super::cursor::{Cursor, SeekTarget};
use super::{Branch, BranchId, Limits, Timeline};
use crate::act::{Act, ActError, JournalEntry};
use crate::event::{EventKind, SimEvent};
use crate::fold::Fold;
use crate::ids::{made, with_ids};
use crate::trace::{Names, words_of};
use crate::world::EVENTS_AT_ONCE;

/// The change to a branch. Acts are named by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Revision {
    /// Without the act of this number.
    Remove(usize),
    /// With another act in place of the one of this number, at a time within the branch. If it is
    /// not the time of the old act, the new one follows the acts of that time.
    Replace(usize, JournalEntry),
}

/// The result of a rebase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revised {
    /// The new branch.
    pub branch: BranchId,
    /// The number of later acts that the new world refused, which were left out.
    pub left_out: usize,
}

/// Why a branch cannot be revised. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionError {
    /// The branch has no act of this number, or has dropped it.
    #[error("the act is no longer there")]
    NoSuchAct,
    /// The new time of an act is not on the branch.
    #[error("the time is before the beginning or after the end of the branch")]
    NoSuchTime {
        /// The beginning of the branch, as far as it is kept.
        begin: Instant,
        /// Its end.
        end: Instant,
    },
    /// The world refuses the new act.
    #[error(transparent)]
    Act(#[from] ActError),
}

/// The old and the new branch, which perform the same acts side by side.
struct Rebase<'a, F> {
    past: &'a Branch<F>,
    old: Cursor,
    branch: Branch<F>,
    new: Cursor<F>,
    /// The acts on the new branch since the change.
    acts: Vec<JournalEntry>,
    limits: Limits,
    /// The ids of sessions and prepared queries on the old branch, with their counterparts on the
    /// new one.
    made: BTreeMap<SessionId, SessionId>,
    requests: BTreeMap<RequestId, RequestId>,
    left_out: usize,
}

impl<F: Fold> Timeline<F> {
    /// Begins a branch with a changed past, as long as the branch of the cursor, and moves the
    /// cursor to the same time on it.
    ///
    /// # Errors
    ///
    /// Fails if the branch has no act of this number or not the new time, or the world refuses the
    /// new act.
    pub fn revise(&mut self, revision: Revision) -> Result<Revised, RevisionError> {
        Ok(self.revise_with_acts(revision)?.0)
    }

    /// As [`Timeline::revise`]; also returns the acts since the fork, which the branch may have
    /// dropped.
    pub(crate) fn revise_with_acts(
        &mut self,
        revision: Revision,
    ) -> Result<(Revised, Vec<JournalEntry>), RevisionError> {
        let at = self.world().now();
        let Rebase { branch, acts, left_out, .. } = self.rebased(revision)?;
        self.add(branch);
        self.cursor = self.here().visit(SeekTarget::Time(at));
        Ok((Revised { branch: self.current, left_out }, acts))
    }

    fn rebased(&self, revision: Revision) -> Result<Rebase<'_, F>, RevisionError> {
        let mut rebase = self.rebase(&revision)?;
        let past = rebase.past;
        match revision {
            Revision::Remove(number) => {
                rebase.past_act(past.act(number).ok_or(RevisionError::NoSuchAct)?);
            }
            Revision::Replace(number, entry) => rebase.replace(number, entry)?,
        }
        while let Some(entry) = past.act(rebase.old.acts) {
            rebase.repeat(entry);
        }
        rebase.pass_to(past.end().at);
        Ok(rebase)
    }

    /// Both worlds directly before the change.
    fn rebase(&self, revision: &Revision) -> Result<Rebase<'_, F>, RevisionError> {
        let past = self.here();
        let (named_after, new) = match revision {
            Revision::Remove(number) => {
                let entry = past.act(*number).ok_or(RevisionError::NoSuchAct)?;
                (&entry.act, before(past, *number, entry.at))
            }
            Revision::Replace(number, new) => {
                let entry = past.act(*number).ok_or(RevisionError::NoSuchAct)?;
                let (begin, end) = (past.begin().at, past.end().at);
                if new.at < begin || new.at > end {
                    return Err(RevisionError::NoSuchTime { begin, end });
                }
                (&new.act, before(past, *number, entry.at.min(new.at)))
            }
        };
        let name = words_of(named_after, &Names::default());
        Ok(Rebase {
            past,
            branch: past.fork(name, self.current, &new),
            old: new.without_record(),
            new,
            acts: Vec::new(),
            limits: self.limits.clone(),
            made: BTreeMap::new(),
            requests: BTreeMap::new(),
            left_out: 0,
        })
    }
}

/// The world at a time, before the act of a number and after the earlier acts up to this time.
fn before<F: Fold>(past: &Branch<F>, number: usize, at: Instant) -> Cursor<F> {
    let is_later = |number: &usize| past.act(*number).is_some_and(|entry| entry.at > at);
    let acts = (past.begin().acts..number).find(is_later).unwrap_or(number);
    let mut cursor = past.visit(SeekTarget::Acts(acts));
    cursor.pass_to(at);
    cursor
}

impl<F: Fold> Rebase<'_, F> {
    /// Performs the new act at its time, in place of the act of a number.
    fn replace(&mut self, number: usize, new: JournalEntry) -> Result<(), RevisionError> {
        let past = self.past;
        let old = past.act(number).ok_or(RevisionError::NoSuchAct)?;
        let (old_events, new_events);
        if new.at < old.at {
            new_events = self.perform(new.act)?;
            while self.old.acts < number
                && let Some(entry) = past.act(self.old.acts)
            {
                self.repeat(entry);
            }
            self.pass_to(old.at);
            old_events = self.past_act(old);
        } else {
            old_events = self.past_act(old);
            while new.at > old.at
                && let Some(entry) = past.act(self.old.acts).filter(|entry| entry.at <= new.at)
            {
                self.repeat(entry);
            }
            self.pass_to(new.at);
            let act = self.renamed(&new.act);
            new_events = self.perform(act)?;
        }
        self.learn(&old_events, &new_events);
        Ok(())
    }

    /// Performs an act on both branches.
    fn repeat(&mut self, entry: &JournalEntry) {
        self.pass_to(entry.at);
        let old_events = self.past_act(entry);
        // The new branch may reach the limit of events before this time.
        if self.new.world.now() < entry.at {
            self.left_out += 1;
            return;
        }
        match self.perform(self.renamed(&entry.act)) {
            Ok(new_events) => self.learn(&old_events, &new_events),
            Err(_) => self.left_out += 1,
        }
    }

    fn pass_to(&mut self, at: Instant) {
        let old_events = self.old.pass_to(at);
        let mut new_events = Vec::new();
        while new_events.len() < old_events.len() + EVENTS_AT_ONCE {
            let Some(more) = self.new.pass(at) else { break };
            new_events.extend(more);
            self.branch.grow(&mut self.new, &self.limits);
        }
        self.branch.grow(&mut self.new, &self.limits);
        self.learn(&old_events, &new_events);
    }

    /// Performs an act on the old branch only.
    fn past_act(&mut self, entry: &JournalEntry) -> Vec<SimEvent> {
        self.old.perform(entry.act.clone()).expect("the old branch has performed it")
    }

    /// Performs an act on the new branch only.
    fn perform(&mut self, act: Act) -> Result<Vec<SimEvent>, ActError> {
        let events = self.new.perform(act.clone())?;
        self.acts.push(JournalEntry { at: self.new.world.now(), act: act.clone() });
        self.branch.record(act, &mut self.new, &self.limits);
        Ok(events)
    }

    /// Pairs the ids that the same act created on both branches.
    fn learn(&mut self, old_events: &[SimEvent], new_events: &[SimEvent]) {
        self.made.extend(made(old_events).into_iter().zip(made(new_events)));
        self.requests.extend(sent(old_events).zip(sent(new_events)));
    }

    fn renamed(&self, act: &Act) -> Act {
        match act {
            Act::Request { actor, request } => {
                let request = self.renamed_request(request);
                Act::Request { actor: actor.clone(), request }
            }
            Act::Cancel { id } => Act::Cancel { id: *self.requests.get(id).unwrap_or(id) },
            other => other.clone(),
        }
    }

    fn renamed_request(&self, request: &HttpRequest) -> HttpRequest {
        let new = |id: SessionId| self.made.get(&id).copied();
        let target = with_ids(request.target.as_bytes(), new);
        let target = String::from_utf8(target);
        HttpRequest {
            target: target.unwrap_or_else(|_| request.target.clone()),
            body: with_ids(&request.body, new),
            ..request.clone()
        }
    }
}

fn sent(events: &[SimEvent]) -> impl Iterator<Item = RequestId> {
    events.iter().filter_map(|event| match &event.kind {
        EventKind::Sent(call) => Some(call.id),
        _ => None,
    })
}
