//! The timeline's arithmetic: which part of time is shown, and where on the axis a moment stands.

pub mod axis;
