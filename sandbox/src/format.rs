//! Numbers and ids as both languages print them.

use core::time::Duration;

use lictor_core::time::Instant;

/// Seconds with one decimal: `11.2`.
pub fn tenths(span: Duration) -> String {
    let tenths = (millis(span) + 50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Thousandths of a second, in groups of three digits: `8 540`.
pub fn milliseconds(span: Duration) -> String {
    let digits = millis(span).to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    grouped
}

/// Milliseconds, at most what 64 bits hold.
fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

/// A point in time, in seconds since the start: `58.3`.
pub fn clock(at: Instant) -> String {
    tenths(at.since(Instant::EPOCH))
}

/// A fraction as a percentage for an attribute, with three decimals.
pub fn percent(share: f64) -> String {
    let thousandths = (share * 100_000.0).round() as i64;
    let sign = if thousandths < 0 { "-" } else { "" };
    let thousandths = thousandths.unsigned_abs();
    format!("{sign}{}.{:03}%", thousandths / 1000, thousandths % 1000)
}

/// The first group of a session id, as people write it down.
pub fn short_id(id: &str) -> &str {
    let end = id.char_indices().nth(8).map_or(id.len(), |(end, _)| end);
    &id[..end]
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

    #[test]
    fn thousands_stand_apart() {
        let grouped = [7, 540, 8_540, 1_234_567].map(Duration::from_millis).map(milliseconds);
        assert_eq!(grouped, ["7", "540", "8\u{202f}540", "1\u{202f}234\u{202f}567"]);
    }

    #[test]
    fn shares_are_printed_in_thousandths_of_a_percent() {
        assert_eq!(percent(0.25), "25.000%");
        assert_eq!(percent(-0.001_23), "-0.123%");
        assert_eq!(percent(1.0 / 3.0), "33.333%");
    }

    #[test]
    fn an_id_that_is_no_id_is_cut_between_characters() {
        assert_eq!(short_id("7d2c41e0-1111-2222-3333-444444444444"), "7d2c41e0");
        assert_eq!(short_id("会话"), "会话");
        assert_eq!(short_id("会会会会会会会会会"), "会会会会会会会会");
    }
}
