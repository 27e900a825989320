//! The state of a page: the controller owns the world, the store holds a signal for each row, and
//! what a person does enters by `dispatch` and `shortcuts`.

pub mod controller;
pub mod dispatch;
mod extent;
pub mod frame_loop;
pub mod load;
mod rows;
pub mod shortcuts;
pub mod store;
mod sync;
mod travel;
pub mod tutorial;
