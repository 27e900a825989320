//! The hand on the lanes: a wheel or two fingers zoom, a drag or a wheel to the side moves what is
//! shown, and a click goes to a moment.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, MouseEvent, PointerEvent, WheelEvent};

use crate::runtime::Runtime;
use crate::ui::El;

/// A pointer that has moved less far is still, in pixels.
const STILL: f64 = 4.0;
/// A click as near as this to an event is meant for it, in pixels.
const NEAR: f64 = 8.0;
/// A wheel that turns so far, in pixels, zooms to twice as much or half as much.
const WHEEL: f64 = 240.0;

/// What becomes of an event.
type ActorAction = fn(&Hand, &Event);

/// What the pointers on the lanes do.
struct Hand {
    runtime: &'static Runtime,
    /// The drawing that is as wide as the axis, and the box, in which it may scroll.
    ground: Element,
    scrolled: Element,
    /// Where the first pointer and another one were seen last; not a number while it is not down.
    down: [Cell<f64>; 2],
    /// How far they have moved since the first one came down.
    moved: Cell<f64>,
}

/// Lets pointers and wheel on the box of the lanes move what is shown in it.
pub fn handled(runtime: &'static Runtime, lanes: El, ground: &El) -> El {
    let (ground, scrolled) = (ground.node().clone(), lanes.node().clone());
    let (down, moved) = ([Cell::new(f64::NAN), Cell::new(f64::NAN)], Cell::new(0.0));
    let hand = Rc::new(Hand { runtime, ground, scrolled, down, moved });
    let deeds: [(&str, ActorAction); 6] = [
        ("pointerdown", |hand, event| hand.press(event.unchecked_ref())),
        ("pointermove", |hand, event| hand.slide(event.unchecked_ref())),
        ("pointerup", |hand, event| hand.lift(event.unchecked_ref())),
        ("pointercancel", |hand, event| hand.lift(event.unchecked_ref())),
        ("click", |hand, event| hand.click(event.unchecked_ref())),
        ("wheel", |hand, event| hand.turn(event.unchecked_ref())),
    ];
    deeds.into_iter().fold(lanes, |lanes, (name, act)| {
        let hand = hand.clone();
        lanes.on(name, move |event| act(&hand, event))
    })
}

impl Hand {
    fn press(&self, pointer: &PointerEvent) {
        if pointer.is_primary() {
            self.moved.set(0.0);
        }
        if pointer.button() == 0 {
            self.finger(pointer).set(x(pointer));
        }
    }

    fn slide(&self, pointer: &PointerEvent) {
        if pointer.buttons() == 0 {
            // It was lifted where nobody saw it.
            return self.lift(pointer);
        }
        let (from, to) = (self.finger(pointer).get(), x(pointer));
        if from.is_nan() {
            return;
        }
        self.finger(pointer).set(to);
        self.moved.set(self.moved.get() + (to - from).abs());
        if self.moved.get() < STILL {
            return;
        }
        // Only a pointer that is gone cannot be captured.
        let _ = self.scrolled.set_pointer_capture(pointer.pointer_id());
        let still = self.down[usize::from(pointer.is_primary())].get();
        if still.is_nan() {
            self.drag(to - from);
        } else {
            self.pinch(still, (from, to));
        }
    }

    fn lift(&self, pointer: &PointerEvent) {
        self.finger(pointer).set(f64::NAN);
    }

    fn finger(&self, pointer: &PointerEvent) -> &Cell<f64> {
        &self.down[usize::from(!pointer.is_primary())]
    }

    /// A box that is narrower than the lanes scrolls first.
    fn drag(&self, by: f64) {
        let was = self.scrolled.scroll_left();
        self.scrolled.set_scroll_left(was - by.round() as i32);
        let rest = by + f64::from(self.scrolled.scroll_left() - was);
        let (_, width) = self.place();
        self.runtime.pan(-rest / width);
    }

    /// What is under the one finger stays there, and what is under the other goes along with it.
    fn pinch(&self, still: f64, (from, to): (f64, f64)) {
        let (left, width) = self.place();
        let (was, is) = ((from - still).abs().max(STILL), (to - still).abs().max(STILL));
        self.runtime.zoom(was / is, (still - left) / width);
    }

    fn click(&self, event: &MouseEvent) {
        let (left, width) = self.place();
        let place = (x(event) - left) / width;
        let target = event.target().and_then(|it| it.dyn_into::<Element>().ok());
        let is_name =
            target.is_some_and(|it| it.closest(".lane-name").is_ok_and(|it| it.is_some()));
        if self.moved.get() < STILL && !is_name && (0.0..=1.0).contains(&place) {
            self.runtime.pick(place, NEAR / width);
        }
    }

    fn turn(&self, wheel: &WheelEvent) {
        let (left, width) = self.place();
        let along = wheel.delta_x() + if wheel.shift_key() { wheel.delta_y() } else { 0.0 };
        if wheel.ctrl_key() {
            let turned = wheel.delta_y() / WHEEL;
            let times = if turned > 0.0 { 1.0 + turned } else { 1.0 / (1.0 - turned) };
            self.runtime.zoom(times, (x(wheel) - left) / width);
        } else if along == 0.0 {
            return;
        } else {
            self.drag(-along);
        }
        wheel.prevent_default();
    }

    /// Where the axis begins in the window, and how wide it is.
    fn place(&self) -> (f64, f64) {
        let place = self.ground.get_bounding_client_rect();
        (place.left(), place.width().max(1.0))
    }
}

/// Where on an element the pointer is that is down on it, from 0 to 1. It stays with the element
/// until it is lifted.
pub fn held(event: &Event) -> Option<f64> {
    let pointer: &PointerEvent = event.unchecked_ref();
    let target = event.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    let line = target.filter(|_| pointer.buttons() == 1)?;
    // Only a pointer that is gone cannot be captured.
    let _ = line.set_pointer_capture(pointer.pointer_id());
    let place = line.get_bounding_client_rect();
    Some((x(pointer) - place.left()) / place.width().max(1.0))
}

fn x(event: &MouseEvent) -> f64 {
    f64::from(event.client_x())
}
