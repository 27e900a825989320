//! The clock of a session: a bar from 0 to twice its TTL in two zones, guaranteed and grace, with a
//! needle.

use lictor_core::time::Instant;
use lictor_sandbox::format::percent;
use lictor_sandbox::timeline::shape::Shape;

use super::{El, Text, drawing};
use crate::var::Var;

/// Where the needle stands: the share of twice the TTL that has gone by.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Zones {
    elapsed: f64,
}

impl Zones {
    fn new(elapsed: f64) -> Self {
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

/// The bar of a clock that was started at one moment and runs out at another.
pub fn ttl_bar(label: Text, now: &'static Var<Instant>, (start, end): (Instant, Instant)) -> El {
    let zones = move |now: Instant| {
        let whole = end.since(start).as_secs_f64().max(f64::MIN_POSITIVE);
        Zones::new(now.since(start).as_secs_f64() / whole)
    };
    let draw = move || {
        let half = |class: &str| rect(class, "50%").attr("width", "50%");
        vec![
            rect("z-safe", "0").attr("width", "50%"),
            half("z-grace"),
            half("z-hatch"),
            rect("clock-safe", "0").follow("width", move |now| zones(now).safe()),
            rect("clock-grace", "50%").follow("width", move |now| zones(now).grace()),
            Shape::line("ttl-mark", ("50%".into(), "50%".into()), ("0", "14")),
            needle("needle-halo", ("0", "14"), zones),
            needle("needle", ("-1", "15"), zones).attr("data-testid", "ttl-needle"),
        ]
    };
    drawing("clock", Some(label), now, draw).test("ttl-bar")
}

fn rect(class: &str, x: &str) -> Shape {
    Shape::rect(class).attr("x", x).attr("y", "1").attr("height", "12")
}

fn needle(
    class: &str,
    (from, to): (&str, &str),
    zones: impl Fn(Instant) -> Zones + Copy + Send + Sync + 'static,
) -> Shape {
    let line = Shape::new("line", class).attr("y1", from).attr("y2", to);
    let x = move |now| zones(now).needle();
    line.follow("x1", x).follow("x2", x)
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
