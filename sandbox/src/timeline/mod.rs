//! The timeline's arithmetic: which part of time is shown, where on the axis a moment stands, and
//! which shapes a track of the record is drawn with. Pure; the panel turns shapes into SVG.

pub mod axis;
mod bar;
pub mod belief;
mod density;
pub mod draw_context;
pub mod grid;
pub mod lane_id;
pub mod lanes;
pub mod marks;
pub mod overview;
pub mod patterns;
pub mod picture;
pub mod scale;
pub mod shape;
pub mod steps;
pub mod zones;
