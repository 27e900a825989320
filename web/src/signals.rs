//! Signals that notify only about changes: setting an equal value does nothing.

use leptos::prelude::*;

/// Sets a signal only if the value differs.
pub trait SetIfChanged<T> {
    fn set_if_changed(&self, value: T);
}

impl<T: PartialEq + Send + Sync + 'static> SetIfChanged<T> for RwSignal<T> {
    fn set_if_changed(&self, value: T) {
        self.maybe_update(|old| replace(old, value));
    }
}

impl<T: PartialEq + Send + Sync + 'static> SetIfChanged<T> for ArcRwSignal<T> {
    fn set_if_changed(&self, value: T) {
        self.maybe_update(|old| replace(old, value));
    }
}

/// Whether the value differs from the old one, which it then replaces.
fn replace<T: PartialEq>(old: &mut T, value: T) -> bool {
    let is_changed = *old != value;
    if is_changed {
        *old = value;
    }
    is_changed
}
