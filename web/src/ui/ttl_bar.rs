//! The clock of a session: a bar from 0 to twice its TTL in two zones, guaranteed and grace, with a
//! needle.

use leptos::prelude::*;

use super::text;
use crate::text::percent;

/// Where the needle stands: the share of twice the TTL that has gone by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zones {
    elapsed: f64,
}

impl Zones {
    pub fn new(elapsed: f64) -> Self {
        Self { elapsed: elapsed.clamp(0.0, 1.0) }
    }

    fn needle(self) -> String {
        percent(self.elapsed)
    }

    fn safe(self) -> String {
        percent(self.elapsed.min(0.5))
    }

    fn grace(self) -> String {
        percent((self.elapsed - 0.5).max(0.0))
    }
}

#[component]
pub fn TtlBar(
    #[prop(into)] zones: Signal<Zones>,
    #[prop(into)] label: Signal<String>,
) -> impl IntoView {
    let needle = Signal::derive(move || zones.get().needle());
    let safe = text(move || zones.get().safe());
    let grace = text(move || zones.get().grace());
    view! {
        <svg class="clock" role="img" aria-label=label data-testid="ttl-bar">
            <rect class="z-safe" x="0" y="1" width="50%" height="12"/>
            <rect class="z-grace" x="50%" y="1" width="50%" height="12"/>
            <rect class="z-hatch" x="50%" y="1" width="50%" height="12"/>
            <rect class="clock-safe" x="0" y="1" width=safe height="12"/>
            <rect class="clock-grace" x="50%" y="1" width=grace height="12"/>
            <line class="ttl-mark" x1="50%" x2="50%" y1="0" y2="14"/>
            <line class="needle-halo" x1=needle x2=needle y1="0" y2="14"/>
            <line class="needle" data-testid="ttl-needle" x1=needle x2=needle y1="-1" y2="15"/>
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
