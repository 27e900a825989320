//! The bar of a session's TTL. It begins when the TTL was last started and ends after twice the
//! TTL, when the server ends the session. In its first half, the *safe* zone, the server cannot end
//! the session; in its second half, the *grace*, the TTL is over and the server still waits. A
//! needle shows the time.

use std::time::Duration;

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_view::format::percent;

/// How far a bar is filled.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Zones {
    /// The share of twice the TTL that has elapsed, from 0 to 1.
    elapsed: f64,
}

impl Zones {
    fn new(elapsed: f64) -> Self {
        Self { elapsed: elapsed.clamp(0.0, 1.0) }
    }

    /// The position of the needle.
    fn needle(self) -> String {
        percent(self.elapsed)
    }

    /// The filled length of the safe zone.
    fn safe(self) -> String {
        percent(self.elapsed.min(0.5))
    }

    /// The filled length of the grace.
    fn grace(self) -> String {
        percent((self.elapsed - 0.5).max(0.0))
    }
}

/// The bar of a clock that ends at a time. It is decoration: the sentence beside it says the same.
#[component]
pub fn TtlBar(#[prop(into)] now: Signal<Instant>, ttl: Duration, end: Instant) -> impl IntoView {
    let whole = (2.0 * ttl.as_secs_f64()).max(f64::MIN_POSITIVE);
    let zones = move || Zones::new(1.0 - end.since(now.get()).as_secs_f64() / whole);
    let needle = Memo::new(move |_| zones().needle());
    let safe = Memo::new(move |_| zones().safe());
    let grace = Memo::new(move |_| zones().grace());
    view! {
        <svg class="clock" aria-hidden="true">
            <rect class="z-safe" x="0" y="1" height="12" width="50%"/>
            <rect class="z-grace" x="50%" y="1" height="12" width="50%"/>
            <rect class="z-hatch" x="50%" y="1" height="12" width="50%"/>
            <rect class="clock-safe" x="0" y="1" height="12" width=move || safe.get()/>
            <rect class="clock-grace" x="50%" y="1" height="12" width=move || grace.get()/>
            <line class="ttl-mark" x1="50%" x2="50%" y1="0" y2="14"/>
            <svg class="place" x=move || needle.get()>
                <line class="needle-halo" y1="0" y2="14"/>
                <line class="needle" y1="-1" y2="15"/>
            </svg>
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn the_grace_zone_fills_only_after_the_ttl() {
        let early = Zones::new(0.3);
        assert_eq!((early.safe().as_str(), early.grace().as_str()), ("30.000%", "0.000%"));
        let late = Zones::new(0.75);
        assert_eq!((late.safe().as_str(), late.grace().as_str()), ("50.000%", "25.000%"));
    }

    #[test]
    fn the_needle_stays_on_the_bar() {
        assert_eq!(Zones::new(7.0).needle(), "100.000%");
        assert_eq!(Zones::new(-1.0).needle(), "0.000%");
    }
}
