//! Values that are followed: whoever reads one while it draws is run again when it changes. A value
//! is plain data beside a trigger, so the reactive graph, which is compiled anew for every type
//! that it holds, holds none.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use reactive_graph::graph::untrack;
use reactive_graph::signal::ArcTrigger;
use reactive_graph::traits::{Notify, Track};

use crate::ui::effect;

/// A value with those who follow it.
pub struct Var<T> {
    value: RefCell<T>,
    changed: ArcTrigger,
}

impl<T> Var<T> {
    pub fn new(value: T) -> Self {
        Self { value: RefCell::new(value), changed: ArcTrigger::new() }
    }

    /// Follows the value without reading it.
    pub fn track(&self) {
        self.changed.track();
    }

    /// Reads and follows.
    pub fn with<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        self.track();
        self.peek(read)
    }

    /// Reads only.
    pub fn peek<R>(&self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.value.borrow())
    }

    pub fn update(&self, change: impl FnOnce(&mut T)) {
        change(&mut self.value.borrow_mut());
        self.changed.notify();
    }

    pub fn set(&self, value: T) {
        self.update(|old| *old = value);
    }
}

impl<T: Clone> Var<T> {
    /// The value, followed.
    pub fn get(&self) -> T {
        self.with(T::clone)
    }

    /// The value as it is now.
    pub fn now(&self) -> T {
        self.peek(T::clone)
    }
}

impl<T: PartialEq> Var<T> {
    /// Sets the value if it is another one; one that comes out as it was wakes nobody.
    pub fn show(&self, value: T) {
        if self.peek(|shown| *shown != value) {
            self.set(value);
        }
    }
}

impl<T> Var<Option<Arc<T>>> {
    /// Sets the value if it is another one, however alike; that is quick to see.
    pub fn show_shared(&self, value: Option<Arc<T>>) {
        if self.peek(|shown| shown.as_ref().map(Arc::as_ptr)) != value.as_ref().map(Arc::as_ptr) {
            self.set(value);
        }
    }
}

impl<T: PartialEq + 'static> Var<T> {
    /// A value that is worked out from others, for as long as the part is there that asks for it.
    pub fn worked_out(work_out: impl Fn() -> T + 'static) -> Rc<Self> {
        let var = Rc::new(Self::new(untrack(&work_out)));
        let shown = var.clone();
        effect(move || shown.show(work_out()));
        var
    }
}
