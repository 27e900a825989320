//! Parts that change: every text and every drawn part has one type, whatever draws it. The page has
//! dozens of them, and the code that keeps each type up to date would otherwise be there dozens of
//! times.

use leptos::prelude::*;

/// A drawn part of the page.
pub type Live = Box<dyn FnMut() -> AnyView + Send>;

/// A part that is drawn again when what it reads changes.
pub fn live<V: IntoAny>(draw: impl Fn() -> V + Send + 'static) -> Live {
    Box::new(move || draw().into_any())
}

/// A text that changes with what it reads.
pub fn text<T: Into<String>>(say: impl Fn() -> T + Send + Sync + 'static) -> Signal<String> {
    fn of(say: Box<dyn Fn() -> String + Send + Sync>) -> Signal<String> {
        Signal::derive(say)
    }
    of(Box::new(move || say().into()))
}

/// A statement that becomes true or false with what it reads.
pub fn holds(is_so: impl Fn() -> bool + Send + Sync + 'static) -> Signal<bool> {
    fn of(is_so: Box<dyn Fn() -> bool + Send + Sync>) -> Signal<bool> {
        Signal::derive(is_so)
    }
    of(Box::new(is_so))
}

/// Does something once what all effects have changed is in the document; not at all if the part
/// that asks for it has gone by then.
pub fn after_effects(act: impl FnOnce() + 'static) {
    if let Ok(handle) = request_animation_frame_with_handle(act) {
        on_cleanup(move || handle.cancel());
    }
}
