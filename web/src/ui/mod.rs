//! What the page is built from. `element` and `part` put elements into the document and keep them
//! up to date; the others are dumb widgets: they draw what they are given, emit what was done, and
//! know nothing of locks or sessions.

pub mod choice;
pub mod crowd;
pub mod drawing;
pub mod element;
pub mod focus;
pub mod icon;
pub mod live;
pub mod part;
pub mod popover;
pub mod ring;
pub mod tag;
pub mod ttl_bar;
pub mod window_list;

pub use choice::{Choices, pick, segments};
pub use crowd::{crowd, in_crowd};
pub use drawing::drawing;
pub use element::{El, Value, button, el, svg};
pub use focus::focus;
pub use icon::{Glyph, decoration, defs, icon, small_icon};
pub use live::{Text, after_effects, effect, on_window, text, word};
pub use part::{Item, Part, each, live, live_if_seen, put};
pub use popover::{closer, opened, opener, popover};
pub use ring::ring;
pub use tag::{TagLook, server_tag, small_tag, tag};
pub use ttl_bar::ttl_bar;
pub use window_list::{Rows, Scroll, TableLook, Window, window_list};
