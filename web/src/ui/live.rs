//! What keeps the page up to date: texts that change, effects, and what waits for a frame.

use std::rc::Rc;

use leptos_dom::helpers::{request_animation_frame_with_handle, window_event_listener_untyped};
use lictor_sandbox::i18n::Word;
use reactive_graph::effect::RenderEffect;
use reactive_graph::owner::on_cleanup;
use web_sys::Event;

use crate::settings::words;

/// A text that changes with what it reads; copies of it are handles.
#[derive(Clone)]
pub struct Text(Rc<dyn Fn() -> String>);

/// A text that is said anew when what it reads changes.
pub fn text<T: Into<String>>(say: impl Fn() -> T + 'static) -> Text {
    Text(Rc::new(move || say().into()))
}

/// A word of the chosen language.
pub fn word(pick: Word) -> Text {
    text(move || pick(words()))
}

impl Text {
    pub fn say(&self) -> String {
        (self.0)()
    }
}

/// Runs at once, and again whenever something changes that it read, for as long as the part is
/// there that it belongs to.
pub fn effect(act: impl FnMut() + 'static) {
    fn keep(mut act: Box<dyn FnMut()>) {
        let effect = RenderEffect::new(move |_| act());
        on_cleanup(move || drop(effect));
    }
    keep(Box::new(act));
}

/// Does something once what all effects have changed is in the document; not at all if the part
/// that asks for it has gone by then.
pub fn after_effects(act: impl FnOnce() + 'static) {
    let act: Box<dyn FnOnce()> = Box::new(act);
    if let Ok(handle) = request_animation_frame_with_handle(act) {
        on_cleanup(move || handle.cancel());
    }
}

/// Listens to an event of the window, for as long as the part is there that asks for it.
pub fn on_window(event: &str, act: impl Fn(Event) + 'static) {
    let act: Box<dyn Fn(Event)> = Box::new(act);
    let listener = window_event_listener_untyped(event, act);
    on_cleanup(move || listener.remove());
}
