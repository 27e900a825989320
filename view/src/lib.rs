//! Shows a world, without a browser: the rows of the page as plain values, the timeline's lanes and
//! axis as shapes, movement through time, and the texts of both in each language.

pub mod announcer;
pub mod badge;
pub mod card_texts;
pub mod event_filter;
pub mod event_folds;
pub mod format;
pub mod fresh_world;
pub mod language;
pub mod next_up;
pub mod pacer;
pub mod request_text;
pub mod rows;
pub mod settings;
#[cfg(any(test, feature = "test-world"))]
pub mod test_world;
pub mod time_travel;
pub mod timeline;
