//! The state of a page: the world with its timeline, a signal for each row that is shown, and the
//! functions that the page's controls call.

pub mod controller;
pub mod dispatch;
mod extent;
pub mod frame_loop;
pub mod guide_reader;
pub mod incident_reader;
pub mod lesson_reader;
pub mod listed;
pub mod live_reader;
pub mod load;
pub mod open_panels;
mod rows;
pub mod shortcuts;
pub mod store;
mod sync;
pub mod terminal;
mod travel;
pub mod world_session;
