//! The state of a page: `controller` owns the world, `store` holds a signal for each row, and what
//! a person does enters by `dispatch` and `shortcuts`.

pub mod controller;
pub mod dispatch;
mod extent;
pub mod frame_loop;
pub mod guide_reader;
pub mod incident_reader;
pub mod lesson_reader;
pub mod listed;
pub mod load;
mod rows;
pub mod shortcuts;
pub mod store;
mod sync;
pub mod terminal;
mod travel;
pub mod world_session;
