//! Reusable components that do not depend on the page's state: they render their properties and
//! report actions through callbacks.

pub mod badge;
pub mod button;
pub mod choice;
pub mod crowd;
pub mod drawing;
pub mod focus;
pub mod icon;
pub mod ids;
pub mod long_table;
pub mod painter;
pub mod popover;
pub mod shape_style;
pub mod ttl_bar;
pub mod width;

pub use badge::{ActorBadge, BadgeLook, ServerBadge};
pub use button::{Button, CopyButton, IconButton};
pub use choice::{ChoiceOption, Pick, PickField, Segments};
pub use crowd::{crowd_class, in_view};
pub use drawing::{Drawing, axis_in_window, point_in_drawing, use_axis_width};
pub use focus::{focus, keep_focus, reveal, with_attribute, with_test_id};
pub use icon::{Defs, Glyph, Icon};
pub use ids::{PageIds, page_id};
pub use long_table::{LongTable, Scroll, Slot};
pub use popover::{CloseButton, Closer, Opener, Popover, close_panel, is_panel_open};
pub use ttl_bar::TtlBar;
pub use width::{use_one_column, use_sheet};
