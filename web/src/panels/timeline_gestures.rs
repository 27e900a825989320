//! Pointers on the lanes: Ctrl and the wheel or two fingers zoom; a drag, a horizontal wheel, or
//! Shift and the wheel pan; a click seeks.

use leptos::ev;
use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use leptos_use::{UseEventListenerOptions, use_event_listener, use_event_listener_with_options};
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent, PointerEvent, WheelEvent};

use crate::components::axis_in_window;
use crate::state::controller::Controller;

/// The distance in pixels below which the movement of a pointer is a click.
const STILL: f64 = 4.0;
/// The distance in pixels within which a click goes to an event.
const NEAR: f64 = 8.0;
/// The turn of the wheel in pixels that zooms by a factor of two.
const WHEEL: f64 = 240.0;

/// Handles the pointers on the lanes. A cheap copy: all copies share the state.
#[derive(Clone, Copy)]
struct Gestures {
    controller: Controller,
    /// The drawing that is as wide as the axis.
    drawing: NodeRef<Canvas>,
    /// The box in which the lanes may scroll.
    scrolled: NodeRef<Div>,
    pointers: StoredValue<Pointers>,
}

/// The pointers that are pressed.
#[derive(Clone, Copy, Default)]
struct Pointers {
    /// The last positions of the first pointer and of another one, while they are down.
    down: [Option<f64>; 2],
    /// The distance that they have moved since the first one came down.
    moved: f64,
}

/// Makes pointers and the wheel on the box of the lanes zoom, pan and seek.
pub fn use_gestures(controller: Controller, scrolled: NodeRef<Div>, drawing: NodeRef<Canvas>) {
    let pointers = StoredValue::new(Pointers::default());
    let gestures = Gestures { controller, drawing, scrolled, pointers };
    let _ = use_event_listener(scrolled, ev::pointerdown, move |event| gestures.press(&event));
    let _ = use_event_listener(scrolled, ev::pointermove, move |event| gestures.slide(&event));
    let _ = use_event_listener(scrolled, ev::pointerup, move |event| gestures.lift(&event));
    let _ = use_event_listener(scrolled, ev::pointercancel, move |event| gestures.lift(&event));
    let _ = use_event_listener(scrolled, ev::click, move |event| gestures.click(&event));
    // The wheel scrolls the page unless this listener prevents it.
    let active = UseEventListenerOptions::default().passive(false);
    let turn = move |event| gestures.turn(&event);
    let _ = use_event_listener_with_options(scrolled, ev::wheel, turn, active);
}

impl Gestures {
    fn press(self, pointer: &PointerEvent) {
        self.pointers.update_value(|pointers| {
            if pointer.is_primary() {
                pointers.moved = 0.0;
            }
            if pointer.button() == 0 {
                pointers.down[place(pointer)] = Some(x(pointer));
            }
        });
    }

    fn slide(self, pointer: &PointerEvent) {
        if pointer.buttons() == 0 {
            // A hover, or the pointer was lifted outside of the window.
            return self.lift(pointer);
        }
        let Pointers { down, moved } = self.pointers.get_value();
        let (Some(from), to) = (down[place(pointer)], x(pointer)) else { return };
        let moved = moved + (to - from).abs();
        self.pointers.update_value(|pointers| {
            pointers.down[place(pointer)] = Some(to);
            pointers.moved = moved;
        });
        if moved < STILL {
            return;
        }
        if let Some(scrolled) = self.scrolled.get_untracked() {
            // Only a pointer that is gone cannot be captured.
            let _ = scrolled.set_pointer_capture(pointer.pointer_id());
        }
        match down[1 - place(pointer)] {
            None => self.drag(to - from),
            Some(still) => self.pinch(still, (from, to)),
        }
    }

    fn lift(self, pointer: &PointerEvent) {
        self.pointers.update_value(|pointers| pointers.down[place(pointer)] = None);
    }

    fn drag(self, by: f64) {
        let (_, width) = self.axis();
        self.controller.pan(-by / width);
    }

    /// Zooms so that the time under one finger stays there, and that under the other follows it.
    fn pinch(self, still: f64, (from, to): (f64, f64)) {
        let (left, width) = self.axis();
        let [before, after] = [from, to].map(|moving| (moving - still).abs().max(STILL));
        self.controller.zoom(before / after, (still - left) / width);
    }

    fn click(self, event: &MouseEvent) {
        let (left, width) = self.axis();
        let share = (x(event) - left) / width;
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let is_name =
            target.is_some_and(|it| it.closest(".lane-name").is_ok_and(|it| it.is_some()));
        let is_still = self.pointers.with_value(|pointers| pointers.moved < STILL);
        if is_still && !is_name && (0.0..=1.0).contains(&share) {
            self.controller.pick(share, NEAR / width);
        }
    }

    fn turn(self, wheel: &WheelEvent) {
        let (left, width) = self.axis();
        let along = wheel.delta_x() + if wheel.shift_key() { wheel.delta_y() } else { 0.0 };
        if wheel.ctrl_key() {
            let turned = wheel.delta_y() / WHEEL;
            let times = if turned > 0.0 { 1.0 + turned } else { 1.0 / (1.0 - turned) };
            self.controller.zoom(times, (x(wheel) - left) / width);
        } else if along == 0.0 {
            return;
        } else {
            self.drag(-along);
        }
        wheel.prevent_default();
    }

    /// The left edge of the axis in the window, and its width.
    fn axis(self) -> (f64, f64) {
        axis_in_window(self.drawing)
    }
}

/// The place of a pointer in [`Pointers::down`]: 0 for the first pointer, 1 for another one.
fn place(pointer: &PointerEvent) -> usize {
    usize::from(!pointer.is_primary())
}

/// The position of a pressed pointer along the element of the listener, where 0 and 1 are its
/// edges; `None` unless only the main button is pressed. The element captures the pointer until it
/// is lifted.
pub fn dragged_to(pointer: &PointerEvent) -> Option<f64> {
    if pointer.buttons() != 1 {
        return None;
    }
    let line = pointer.current_target()?.dyn_into::<Element>().ok()?;
    // Only a pointer that is gone cannot be captured.
    let _ = line.set_pointer_capture(pointer.pointer_id());
    let place = line.get_bounding_client_rect();
    Some((x(pointer) - place.left()) / place.width().max(1.0))
}

fn x(event: &MouseEvent) -> f64 {
    f64::from(event.client_x())
}
