//! Go's durations (`1.5h`, `1m30s`), in which Consul expects TTLs, waits and delays. They are
//! parsed with integers only, and refused with the errors of Go's package `time`.

use alloc::format;
use alloc::string::String;
use core::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::time::nanos;

/// Why a text is not a duration, with Go's text of the error.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DurationError {
    /// The text is no number with a unit, or too large for 64 bits of nanoseconds.
    #[error("time: invalid duration {}", time_quoted(.0))]
    Invalid(String),
    /// The last number of the text has no unit.
    #[error("time: missing unit in duration {}", time_quoted(.0))]
    MissingUnit(String),
    /// A number has a unit that Go does not know.
    #[error("time: unknown unit {} in duration {}", time_quoted(unit), time_quoted(text))]
    UnknownUnit {
        /// The unit as it was written.
        unit: String,
        /// The whole text.
        text: String,
    },
}

/// Parses a Go duration into nanoseconds, which may be negative. Fails if the text is not a
/// duration, or too long for 64 bits.
pub fn parse(text: &str) -> Result<i64, DurationError> {
    let invalid = || DurationError::Invalid(text.into());
    let (is_negative, mut rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (part, after) = component(rest, text)?;
        total = total.checked_add(part).filter(|t| *t <= 1 << 63).ok_or_else(invalid)?;
        rest = after;
    }
    let nanos = if is_negative { 0i64.checked_sub_unsigned(total) } else { total.try_into().ok() };
    nanos.ok_or_else(invalid)
}

/// A text as Go's package `time` quotes it: byte by byte.
fn time_quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
            b' '..=0x7f => quoted.push(char::from(byte)),
            _ => quoted.push_str(&format!("\\x{byte:02x}")),
        }
    }
    quoted.push('"');
    quoted
}

/// Formats a duration as Go does (`1m30s`, `250ms`), rounded down to whole milliseconds, below a
/// millisecond to whole microseconds.
pub fn print(span: Duration) -> String {
    let nanos = nanos(span);
    let step = match nanos {
        0..1_000 => 1,
        1_000..1_000_000 => 1_000,
        _ => 1_000_000,
    };
    print_exact(Duration::from_nanos(nanos - nanos % step))
}

/// Formats a duration as Go does, to the nanosecond (`422.411µs`, `1m3.229780767s`).
pub fn print_exact(span: Duration) -> String {
    const SECOND: u64 = 1_000_000_000;
    let nanos = nanos(span);
    match nanos {
        0 => return "0s".into(),
        1..1_000 => return format!("{nanos}ns"),
        1_000..1_000_000 => return decimal(nanos, 1_000) + "µs",
        1_000_000..SECOND => return decimal(nanos, 1_000_000) + "ms",
        _ => {}
    }
    let (hours, minutes) = (nanos / (3_600 * SECOND), nanos / (60 * SECOND) % 60);
    let seconds = decimal(nanos % (60 * SECOND), SECOND);
    match (hours, minutes) {
        (0, 0) => format!("{seconds}s"),
        (0, _) => format!("{minutes}m{seconds}s"),
        _ => format!("{hours}h{minutes}m{seconds}s"),
    }
}

/// Nanoseconds in a unit, without zeros at the end of the fraction.
fn decimal(nanos: u64, unit: u64) -> String {
    let (whole, digits) = (nanos / unit, unit.ilog10() as usize);
    let fraction = format!("{:0digits$}", nanos % unit);
    match fraction.trim_end_matches('0') {
        "" => format!("{whole}"),
        fraction => format!("{whole}.{fraction}"),
    }
}

/// Parses one number with its unit into nanoseconds; also returns the text after it.
fn component<'a>(rest: &'a str, text: &str) -> Result<(u64, &'a str), DurationError> {
    let invalid = || DurationError::Invalid(text.into());
    let (whole, after) = digits(rest);
    let (fraction, after) = after.strip_prefix('.').map_or(("", after), digits);
    if whole.is_empty() && fraction.is_empty() {
        return Err(invalid());
    }
    let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
    let (unit, after) = after.split_at(end);
    if unit.is_empty() {
        return Err(DurationError::MissingUnit(text.into()));
    }
    let scale = unit_nanos(unit)
        .ok_or_else(|| DurationError::UnknownUnit { unit: unit.into(), text: text.into() })?;
    let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
    let nanos = whole.checked_mul(scale).filter(|n| *n <= 1 << 63).ok_or_else(invalid)?;
    Ok((nanos.checked_add(fraction_of(fraction, scale)).ok_or_else(invalid)?, after))
}

/// Splits the leading ASCII digits off.
fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}

/// The nanoseconds of `0.<digits>` units, rounded down; digits after the eighteenth have no effect.
fn fraction_of(digits: &str, scale: u64) -> u64 {
    let mut value: u128 = 0;
    let mut power: u128 = 1;
    for digit in digits.bytes().take(18) {
        value = value * 10 + u128::from(digit - b'0');
        power *= 10;
    }
    u64::try_from(value * u128::from(scale) / power).unwrap_or(u64::MAX)
}

fn unit_nanos(unit: &str) -> Option<u64> {
    Some(match unit {
        "ns" => 1,
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    fn check(text: &str, nanos: i64) {
        assert_eq!(parse(text), Ok(nanos), "{text}");
    }

    #[test]
    fn units_add_up_and_fractions_are_exact() {
        check("10s", 10_000_000_000);
        check("1h2m3s", 3_723_000_000_000);
        check("0.5m", 30_000_000_000);
        check("1.5us", 1_500);
        check(".5s", 500_000_000);
        check("-1.5h", -5_400_000_000_000);
        check("+0", 0);
        check("-0s", 0);
        check("0h0m0.0s", 0);
        check("-9223372036854775808ns", i64::MIN);
    }

    #[test]
    fn durations_are_formatted_as_in_go() {
        for (millis, text) in [
            (0, "0s"),
            (250, "250ms"),
            (1_500, "1.5s"),
            (10_000, "10s"),
            (90_000, "1m30s"),
            (86_400_000, "24h0m0s"),
        ] {
            assert_eq!(print(Duration::from_millis(millis)), text);
        }
        for (nanos, rounded, exact) in [
            (999, "999ns", "999ns"),
            (422_411, "422µs", "422.411µs"),
            (1_110_250, "1ms", "1.11025ms"),
            (1_001_536_274, "1.001s", "1.001536274s"),
            (63_229_780_767, "1m3.229s", "1m3.229780767s"),
            (3_600_000_000_001, "1h0m0s", "1h0m0.000000001s"),
        ] {
            let span = Duration::from_nanos(nanos);
            assert_eq!((&*print(span), &*print_exact(span)), (rounded, exact));
        }
    }

    #[test]
    fn error_texts_are_those_of_go() {
        for (text, message) in [
            ("15", r#"time: missing unit in duration "15""#),
            ("00", r#"time: missing unit in duration "00""#),
            ("1d", r#"time: unknown unit "d" in duration "1d""#),
            ("abc", r#"time: invalid duration "abc""#),
            ("", r#"time: invalid duration """#),
            ("-", r#"time: invalid duration "-""#),
            ("9223372036854775808ns", r#"time: invalid duration "9223372036854775808ns""#),
            ("9999999999999h", r#"time: invalid duration "9999999999999h""#),
        ] {
            assert_eq!(parse(text).expect_err(text).to_string(), message);
        }
    }
}
