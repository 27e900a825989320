//! The parts that recipes share: state machines for the session, the watch of a held key and the
//! attempts, and the pending calls. A part imports no recipe.

pub(crate) mod answers;
pub(crate) mod attempts;
pub(crate) mod calls;
pub(crate) mod contending;
pub(crate) mod handle;
pub(crate) mod monitor;
pub(crate) mod session_renewer;
pub(crate) mod step_context;
pub(crate) mod upkeep;
pub(crate) mod user_policy;
pub(crate) mod work;
