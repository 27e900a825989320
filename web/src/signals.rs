//! Signals that notify only about changes: setting an equal value does nothing.

use leptos::prelude::*;

/// Sets a signal only if the value differs.
pub trait SetIfChanged<T> {
    fn set_if_changed(&self, value: T);
}

impl<T: PartialEq, S: Update<Value = T>> SetIfChanged<T> for S {
    fn set_if_changed(&self, value: T) {
        self.maybe_update(|old| {
            let is_changed = *old != value;
            if is_changed {
                *old = value;
            }
            is_changed
        });
    }
}
