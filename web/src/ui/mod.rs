//! Dumb widgets: they draw what they are given, emit what was done, and know nothing of locks or
//! sessions.

pub mod choice;
pub mod drawing;
pub mod each;
pub mod icon;
pub mod live;
pub mod ring;
pub mod tag;
pub mod ttl_bar;
pub mod window_list;

pub use choice::{Choices, Pick, Segments};
pub use drawing::{Draw, Drawing};
pub use each::each;
pub use icon::{Defs, Glyph, Icon, IconSize};
pub use live::{Live, after_effects, holds, live, text};
pub use ring::Ring;
pub use tag::{Badge, ServerTag, Tag, TagLook};
pub use ttl_bar::{TtlBar, Zones};
pub use window_list::{Window, WindowList};
