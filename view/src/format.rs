//! Times, spans, sizes and versions as texts that are the same in every language.

use core::time::Duration;

use lictor_core::ConsulVersion;
use lictor_core::time::Instant;

/// A time as it is shown: the nearest tenth of a second. Spans are the differences of such times
/// ([`between`]), so that all numbers of a page add up.
pub fn shown(at: Instant) -> Instant {
    Instant::from_millis(nearest(at.as_millis(), 100) * 100)
}

/// The time from one moment to another, as the difference of the shown times; zero if the second is
/// earlier.
pub fn between(from: Instant, to: Instant) -> Duration {
    shown(to).since(shown(from))
}

/// Seconds with one decimal, rounded: `11.2`.
pub fn tenths(span: Duration) -> String {
    let tenths = nearest(millis(span), 100);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Seconds with one decimal, which is left out if it is 0: `40`, `20.3`.
pub fn whole_seconds(span: Duration) -> String {
    let tenths = tenths(span);
    tenths.strip_suffix(".0").unwrap_or(&tenths).to_owned()
}

/// Seconds with two decimals, rounded: `11.24`.
pub fn hundredths(span: Duration) -> String {
    let hundredths = nearest(millis(span), 10);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A time before the beginning of a world, in seconds with two decimals: `−4.40`.
pub fn before_beginning(ago: Duration) -> String {
    format!("{}{}", if ago.is_zero() { "" } else { "−" }, hundredths(ago))
}

/// The length of a period: in milliseconds below a second, else as the difference of the shown
/// times: `540 ms`, `75.0 s`. The units, with the space before them, are those of a language.
pub fn length((from, to): (Instant, Instant), [millisecond, second]: [&str; 2]) -> String {
    match millis(to.since(from)) {
        millis @ 0..1_000 => format!("{millis}{millisecond}"),
        _ => format!("{}{second}", tenths(between(from, to))),
    }
}

/// A number of milliseconds in units of so many, rounded: halves are rounded up.
fn nearest(millis: u64, unit: u64) -> u64 {
    millis.saturating_add(unit / 2) / unit
}

/// A span in whole milliseconds.
fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// A point in time, in seconds since the start: `58.3`.
pub fn clock(at: Instant) -> String {
    tenths(at.since(Instant::EPOCH))
}

/// The names of all versions of Consul, with a text between two of them.
pub fn version_names(between: &str) -> String {
    ConsulVersion::ALL.map(ConsulVersion::name).join(between)
}

/// A number of bytes in kilobytes, rounded up to a tenth below 10 kB and to a whole one above:
/// `0.4 kB`, `12 kB`.
pub fn kilobytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100);
    match tenths {
        0..100 => format!("{}.{} kB", tenths / 10, tenths % 10),
        _ => format!("{} kB", bytes.div_ceil(1000)),
    }
}

/// A fraction as a percentage with three decimals, as CSS and SVG read it.
pub fn percent(share: f64) -> String {
    let thousandths = (share * 100_000.0).round() as i64;
    let sign = if thousandths < 0 { "-" } else { "" };
    let thousandths = thousandths.unsigned_abs();
    format!("{sign}{}.{:03}%", thousandths / 1000, thousandths % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_one_decimal() {
        assert_eq!(tenths(Duration::from_millis(11_249)), "11.2");
        assert_eq!(tenths(Duration::from_millis(9_950)), "10.0");
        assert_eq!(clock(Instant::from_millis(58_300)), "58.3");
    }

    /// A reader compares them: on a button, on an axis, in a sentence.
    #[test]
    fn a_time_and_a_span_are_rounded_in_the_same_way() {
        for (millis, text) in [(16_664, "16.7"), (20_288, "20.3"), (20_249, "20.2"), (50, "0.1")] {
            let span = Duration::from_millis(millis);
            let at = Instant::EPOCH.plus(span);
            let all =
                [tenths(span), clock(at), clock(shown(at)), tenths(between(Instant::EPOCH, at))];
            assert!(all.iter().all(|it| it == text), "{millis}: {all:?}");
        }
        assert_eq!(hundredths(Duration::from_millis(16_666)), "16.67");
    }

    #[test]
    fn a_time_before_the_beginning_is_negative() {
        let times = [0, 1_037, 4_400, 4_405].map(Duration::from_millis).map(before_beginning);
        assert_eq!(times, ["0.00", "−1.04", "−4.40", "−4.41"]);
    }

    #[test]
    fn a_short_span_is_in_milliseconds() {
        let from = Instant::from_millis(2_050);
        let lengths = [0, 7, 999, 1_000, 75_049, 75_100]
            .map(|millis| (from, Instant::from_millis(2_050 + millis)))
            .map(|span| length(span, [" ms", " s"]));
        assert_eq!(lengths, ["0 ms", "7 ms", "999 ms", "1.0 s", "75.0 s", "75.1 s"]);
    }

    #[test]
    fn the_shown_time_and_the_span_until_a_later_one_add_up_to_the_later_one() {
        let until = Instant::from_millis(20_750);
        for millis in [0, 12_849, 12_850, 12_899, 20_749, 20_750] {
            let now = Instant::from_millis(millis);
            let sum = shown(now).plus(between(now, until));
            assert_eq!(clock(sum), clock(until), "{millis}");
        }
        assert_eq!(between(until, Instant::from_millis(3_000)), Duration::ZERO);
    }

    #[test]
    fn small_sizes_have_one_decimal() {
        let sizes = [0, 1, 400, 9_900, 9_901, 12_000].map(kilobytes);
        assert_eq!(sizes, ["0.0 kB", "0.1 kB", "0.4 kB", "9.9 kB", "10 kB", "12 kB"]);
    }

    #[test]
    fn percentages_have_three_decimals() {
        assert_eq!(percent(0.25), "25.000%");
        assert_eq!(percent(-0.001_23), "-0.123%");
        assert_eq!(percent(1.0 / 3.0), "33.333%");
    }
}
