//! The shared parts of recipes: the session that they keep alive, the watch over what they hold,
//! their attempts, and their pending calls.
//!
//! A part imports no recipe.

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
