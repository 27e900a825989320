//! Ordered maps and sets, and lists put in order: by std, and on wasm by less code. Std's trees and
//! sorts are long, they are made anew for each kind of entry, and the page has many kinds.
//!
//! Both give the same answers in the same order. The map and the set here offer only what Lictor
//! asks of them.

use alloc::vec::Vec;
use core::cmp::Ordering;

#[cfg(not(target_arch = "wasm32"))]
pub use alloc::collections::{BTreeMap, BTreeSet};
#[cfg(target_arch = "wasm32")]
pub use {map::BTreeMap, set::BTreeSet};

#[cfg(any(target_arch = "wasm32", test))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "only its test is native"))]
mod map;
#[cfg(any(target_arch = "wasm32", test))]
mod order;
#[cfg(target_arch = "wasm32")]
mod set;

/// Puts a list in its natural order.
pub fn sort<T: Ord>(list: &mut Vec<T>) {
    sort_by(list, T::cmp);
}

/// Puts a list in order; equals stay as they stood.
#[cfg(not(target_arch = "wasm32"))]
#[allow(clippy::ptr_arg, reason = "the other one needs a Vec")]
pub fn sort_by<T>(list: &mut Vec<T>, order: impl FnMut(&T, &T) -> Ordering) {
    list.sort_by(order);
}

/// Puts a list in order; equals stay as they stood. What is out of order moves one by one, which is
/// quick for the lists here: they are short, or almost in order.
#[cfg(target_arch = "wasm32")]
pub fn sort_by<T>(list: &mut Vec<T>, mut order: impl FnMut(&T, &T) -> Ordering) {
    for next in 1..list.len() {
        if order(&list[next - 1], &list[next]).is_gt() {
            let place = list[..next].partition_point(|it| order(it, &list[next]).is_le());
            let item = list.remove(next);
            list.insert(place, item);
        }
    }
}
