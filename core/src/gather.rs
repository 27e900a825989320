//! Lists gathered from iterators: by std, and on wasm item by item. Std has a way of its own for
//! each kind of iterator, which is quicker, but is compiled anew for each one, and the page has
//! hundreds.

use alloc::string::String;
use alloc::vec::Vec;

/// What [`Iterator::collect`] and [`Vec::extend`] do, by less code on wasm.
pub trait Gather: Iterator + Sized {
    /// The items as a list.
    fn gather(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        self.gather_into(&mut list);
        list
    }

    /// Puts the items at the end of a list.
    #[cfg(not(target_arch = "wasm32"))]
    fn gather_into(self, list: &mut Vec<Self::Item>) {
        list.extend(self);
    }

    /// Puts the items at the end of a list.
    #[cfg(target_arch = "wasm32")]
    fn gather_into(self, list: &mut Vec<Self::Item>) {
        for item in self {
            list.push(item);
        }
    }
}

impl<I: Iterator> Gather for I {}

/// The same for what may fail.
pub trait TryGather<T, E>: Iterator<Item = Result<T, E>> + Sized {
    /// The items as a list, or the first failure.
    fn try_gather(self) -> Result<Vec<T>, E> {
        let mut list = Vec::new();
        for item in self {
            list.push(item?);
        }
        Ok(list)
    }
}

impl<T, E, I: Iterator<Item = Result<T, E>>> TryGather<T, E> for I {}

/// Texts as one.
pub trait Join {
    /// What `join` of std does, which is compiled anew for each length of what stands between.
    fn joined(&self, between: &str) -> String;
}

impl<T: AsRef<str>> Join for [T] {
    fn joined(&self, between: &str) -> String {
        let mut whole = String::new();
        for (place, text) in self.iter().enumerate() {
            whole.push_str(if place > 0 { between } else { "" });
            whole.push_str(text.as_ref());
        }
        whole
    }
}
