//! The standing orders of a program's user: how long it holds the lock, and what it does after a
//! loss or an end.

use core::time::Duration;

use lictor_core::time::Instant;
use serde::{Deserialize, Serialize};

use crate::interface::{Due, Order, Phase};

/// The standing orders of a user. By default there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UserPolicy {
    /// Releases the lock after it was held for this long; `None` to hold it until an order to stop.
    pub hold: Option<Duration>,
    /// What the user does when the program notices that it lost the lock.
    pub on_loss: OnLoss,
    /// Starts again this long after an end that the user did not order; `None` to stay stopped.
    pub again: Option<Duration>,
}

setters! {
    UserPolicy:
    with_hold(hold: impl Into<Option<Duration>>),
    with_on_loss(on_loss: OnLoss),
    with_again(again: impl Into<Option<Duration>>),
}

/// What a user does when the lock is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum OnLoss {
    /// Unlocks, as the Go client's documentation demands: only this ends the session.
    #[default]
    Unlock,
    /// Does nothing: the session is still renewed, and keeps the locks that it holds.
    StandStill,
    /// Locks again with the same handle, which still counts as held (RCL-05).
    LockAgain,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct User {
    policy: UserPolicy,
    stop_requested: bool,
    seen: Option<Phase>,
    next: Option<(Instant, Due)>,
}

impl User {
    pub(crate) fn new(policy: UserPolicy) -> Self {
        Self { policy, ..Self::default() }
    }

    pub(crate) fn policy(&self) -> UserPolicy {
        self.policy
    }

    pub(crate) fn next_deadline(&self) -> Option<(Instant, Due)> {
        self.next
    }

    /// Notes an order from outside. An order to stop also cancels a planned start.
    pub(crate) fn order_given(&mut self, order: Order) {
        self.stop_requested = order == Order::Stop;
        if self.stop_requested {
            self.next = self.next.filter(|(_, due)| *due != Due::StartAgain);
        }
    }

    /// Takes the planned order that is due. `None` if the deadline is not one of the policy.
    pub(crate) fn take_order(&mut self, due: Due) -> Option<Order> {
        self.next.take_if(|(_, planned)| *planned == due)?;
        match due {
            Due::EndOfWork => Some(Order::Stop),
            _ => Some(Order::Start),
        }
    }

    /// Plans the next order of the policy when the phase of the program has changed. Returns an
    /// order that is due at once.
    pub(crate) fn phase_changed(&mut self, now: Instant, phase: Phase) -> Option<Order> {
        if self.seen.replace(phase).unwrap_or(Phase::Idle) == phase {
            return None;
        }
        let later = |span: Option<Duration>, due| span.map(|span| (now.plus(span), due));
        self.next = match phase {
            Phase::Holding => later(self.policy.hold, Due::EndOfWork),
            Phase::Idle if !self.stop_requested => later(self.policy.again, Due::StartAgain),
            Phase::Idle | Phase::Busy | Phase::Lost => None,
        };
        match (phase, self.policy.on_loss) {
            (Phase::Lost, OnLoss::Unlock) => Some(Order::Stop),
            (Phase::Lost, OnLoss::LockAgain) => Some(Order::Start),
            _ => None,
        }
    }
}
