//! The timeline as pure values: the scale and axis, and the shapes that draw each track of the
//! history, for the page and for SVG files.

pub mod axis;
pub mod axis_labels;
mod bar;
pub mod belief;
pub mod branch_lanes;
mod check;
mod connection;
mod density;
pub mod draw_context;
mod fan;
mod former;
pub mod grid;
pub mod horizon;
mod key_lane;
mod label_room;
pub mod lane_id;
pub mod lane_window;
pub mod lanes;
pub mod legend;
pub mod marks;
pub mod observed;
mod observed_texts;
pub mod overview;
pub mod page_width;
pub mod patterns;
pub mod picture;
pub mod scale;
pub mod shape;
mod slots;
pub mod steps;
pub mod takeover;
mod words;
pub mod zones;

pub use words::{Words, words};
