//! Guarded resources: what a lock protects. A resource may check the fencing token of each write;
//! it then rejects tokens of another kind or of another key, and those older than the latest one
//! that it has accepted. A write in a transaction is rejected if Consul refuses the transaction.

use alloc::collections::VecDeque;

use lictor_core::id::{ActorName, ProgramName, SessionRef};
use lictor_recipes::{Fence, FenceKind, Use};
use serde::{Deserialize, Serialize};

use super::World;
use crate::event::{EventKind, Rejected, Used};

/// A guarded resource outside of Consul, which is always reachable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    /// The kind of token that it checks.
    pub asks: FenceKind,
    /// The token of the latest write that it accepted, except for writes in a transaction.
    pub latest: Option<Fence>,
    /// The sessions that were the tokens of accepted writes, oldest first.
    sessions: VecDeque<SessionRef>,
    /// The number of writes that it accepted.
    pub accepted: u64,
    /// The number of writes that it refused.
    pub refused: u64,
}

/// The largest number of sessions that a resource remembers. It accepts an older one as if it were
/// new.
const SESSIONS_MAX: usize = 1_000;

impl Resource {
    /// A resource that was not written yet.
    pub fn new(asks: FenceKind) -> Self {
        Self { asks, latest: None, sessions: VecDeque::new(), accepted: 0, refused: 0 }
    }

    /// Accepts a write and remembers its token. The latest accepted token is accepted again.
    ///
    /// # Errors
    ///
    /// Why the token is rejected; the latest accepted one stays.
    pub fn write(&mut self, presented: &Fence) -> Result<(), Rejected> {
        let verdict = self.judge(presented);
        self.count(&verdict);
        if verdict.is_ok() {
            self.latest = Some(presented.clone());
            self.remember(presented);
        }
        verdict
    }

    fn count(&mut self, verdict: &Result<(), Rejected>) {
        match verdict {
            Ok(()) => self.accepted += 1,
            Err(_) => self.refused += 1,
        }
    }

    fn judge(&self, presented: &Fence) -> Result<(), Rejected> {
        match (self.asks, presented, &self.latest) {
            (FenceKind::None, _, _) => Ok(()),
            (FenceKind::Session, Fence::Session(presented), latest) => match latest {
                Some(Fence::Session(accepted))
                    if accepted != presented && self.sessions.contains(presented) =>
                {
                    let (presented, accepted) = (presented.clone(), accepted.clone());
                    Err(Rejected::EarlierSession { presented, accepted })
                }
                _ => Ok(()),
            },
            (FenceKind::LockIndex, Fence::LockIndex(presented), latest) => match latest {
                Some(Fence::LockIndex(accepted)) => not_older(*presented, *accepted),
                _ => Ok(()),
            },
            (FenceKind::ModifyIndex, Fence::ModifyIndex(presented), latest) => match latest {
                Some(Fence::ModifyIndex(accepted)) if presented < accepted => {
                    Err(Rejected::OlderModifyIndex { presented: *presented, accepted: *accepted })
                }
                _ => Ok(()),
            },
            (FenceKind::Triple, Fence::Triple { .. }, latest) => {
                check_sequencer(presented, latest.as_ref())
            }
            (_, presented, _) => Err(Rejected::OtherKind { presented: presented.clone() }),
        }
    }

    fn remember(&mut self, presented: &Fence) {
        let Fence::Session(session) = presented else { return };
        if self.sessions.back() != Some(session) {
            if self.sessions.len() == SESSIONS_MAX {
                self.sessions.pop_front();
            }
            self.sessions.push_back(session.clone());
        }
    }
}

/// Checks a sequencer: it must have the same key as the latest one, and a newer LockIndex or the
/// same one with the same session.
fn check_sequencer(presented: &Fence, latest: Option<&Fence>) -> Result<(), Rejected> {
    let (
        Fence::Triple { key, lock_index, session },
        Some(Fence::Triple { key: accepted_key, lock_index: accepted, session: by }),
    ) = (presented, latest)
    else {
        return Ok(());
    };
    if key != accepted_key {
        return Err(Rejected::OtherKey { presented: key.clone(), accepted: accepted_key.clone() });
    }
    not_older(*lock_index, *accepted)?;
    if lock_index == accepted && session != by {
        return Err(Rejected::EarlierSession { presented: session.clone(), accepted: by.clone() });
    }
    Ok(())
}

fn not_older(presented: u64, accepted: u64) -> Result<(), Rejected> {
    if presented < accepted {
        Err(Rejected::OlderLockIndex { presented, accepted })
    } else {
        Ok(())
    }
}

impl World {
    /// The guarded resource with this name.
    pub fn resource(&self, name: &str) -> Option<&Resource> {
        self.resources.get(name)
    }

    /// Carries out a program's write to its guarded resource.
    pub(super) fn use_resource(
        &mut self,
        program: &ProgramName,
        actor: &ActorName,
        write: Use,
        cause: Option<u64>,
    ) {
        self.record_use(program, actor, cause, |resource| {
            let verdict = resource.write(&write.fence);
            (write, verdict)
        });
    }

    /// Records the result of a write to a key that Consul itself guarded (TXN-29).
    pub(super) fn record_checked(
        &mut self,
        program: &ProgramName,
        actor: &ActorName,
        (number, is_accepted): (u64, bool),
        cause: u64,
    ) {
        let running = self.programs.get(program);
        let token = running.and_then(|running| running.program.belief().token().cloned());
        self.record_use(program, actor, Some(cause), |resource| {
            let verdict = if is_accepted { Ok(()) } else { Err(Rejected::NotTheHolder) };
            resource.count(&verdict);
            (Use { number, fence: Fence::None, token }, verdict)
        });
    }

    fn record_use(
        &mut self,
        program: &ProgramName,
        actor: &ActorName,
        cause: Option<u64>,
        judge: impl FnOnce(&mut Resource) -> (Use, Result<(), Rejected>),
    ) {
        let Some(running) = self.programs.get(program) else { return };
        let Some(name) = running.resource.clone() else { return };
        let Some(resource) = self.resources.get_mut(&name) else { return };
        let asks = resource.asks;
        let (write, verdict) = judge(resource);
        let (program, actor) = (program.clone(), actor.clone());
        let used = Used { resource: name, asks, program, actor, write, verdict };
        self.note(cause, EventKind::Used(used));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::id::{Index, Key};

    fn session(name: &str) -> Fence {
        Fence::Session(SessionRef::from(name))
    }

    fn triple(lock_index: u64, session: &str) -> Fence {
        let session = SessionRef::from(session);
        Fence::Triple { key: Key::from("k"), lock_index, session }
    }

    fn verdicts<const N: usize>(asks: FenceKind, presented: [Fence; N]) -> [bool; N] {
        let mut resource = Resource::new(asks);
        presented.map(|fence| resource.write(&fence).is_ok())
    }

    #[test]
    fn a_resource_accepts_no_older_token() {
        let [one, two] = [1, 2].map(|it| Fence::ModifyIndex(Index(it)));
        let presented = [one.clone(), two.clone(), two, one];
        assert_eq!(verdicts(FenceKind::ModifyIndex, presented), [true, true, true, false]);
        let presented = [session("a"), session("b"), session("a"), session("b")];
        assert_eq!(verdicts(FenceKind::Session, presented), [true, true, false, true]);
        let presented = [triple(1, "a"), triple(2, "b"), triple(1, "a"), triple(2, "c")];
        assert_eq!(verdicts(FenceKind::Triple, presented), [true, true, false, false]);
    }

    #[test]
    fn a_reset_lock_index_makes_the_fence_reject_the_rightful_holder() {
        let presented = [Fence::LockIndex(3), Fence::LockIndex(1)];
        assert_eq!(verdicts(FenceKind::LockIndex, presented), [true, false]);
    }

    #[test]
    fn a_resource_without_a_fence_accepts_every_write() {
        let presented = [Fence::LockIndex(3), session("a"), Fence::None, Fence::LockIndex(1)];
        assert_eq!(verdicts(FenceKind::None, presented), [true; 4]);
        assert_eq!(verdicts(FenceKind::Session, [Fence::None]), [false]);
    }
}
