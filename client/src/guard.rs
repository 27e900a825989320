//! The guard of a lock, a slot or a leadership that this client holds.

use lictor_recipes::{LockLoss, Token};

use crate::driver::Handle;
use crate::error::ReleaseError;

/// A lock, a slot or a leadership that this client holds. Dropping it gives it back in the
/// background.
#[must_use = "the lock is given back when this is dropped"]
#[derive(Debug)]
pub struct Guard {
    handle: Handle,
    token: Token,
}

impl Guard {
    pub(crate) fn new(handle: Handle, token: Token) -> Self {
        Self { handle, token }
    }

    /// Whether the holder may act now. It reads the clocks of the host, so the result is right even
    /// if the runtime was blocked or the machine slept.
    pub fn is_held(&self) -> bool {
        self.handle.may_act()
    }

    /// Resolves when the lock is lost, with the reason; at once if it is lost already. It can be
    /// awaited several times and dropped at any time.
    pub async fn lost(&self) -> LockLoss {
        self.handle.lost().await
    }

    /// The token that a guarded resource compares. A slot of a semaphore has no indexes.
    pub fn fence(&self) -> &Token {
        &self.token
    }

    /// Gives the lock back and ends its session. Returns when Consul has confirmed both. After a
    /// loss it only ends the session. If this future is dropped, the release continues in the
    /// background.
    pub async fn release(self) -> Result<(), ReleaseError> {
        self.handle.release().await
    }
}
