//! Reads times as Consul, Go and people write them, to the nanosecond, and writes them to the
//! millisecond. Without a zone, a time counts as UTC.

use alloc::format;
use alloc::string::String;
use core::time::Duration;

use jiff::civil::DateTime;
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

/// A time in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'a> {
    pub(crate) time: Timestamp,
    /// Whether the text names a zone. Without one, the time counts as UTC.
    pub(crate) has_zone: bool,
    /// The text after it.
    pub(crate) rest: &'a str,
}

/// Parses a date with a time: `2026-11-26T09:10:41.126Z`, with any offset, or without a zone, which
/// means UTC. `None` if the text is something else.
pub fn parse(text: &str) -> Option<Timestamp> {
    let written = leading(text.trim())?;
    written.rest.trim().is_empty().then_some(written.time)
}

/// The time at the beginning of a text: `2026-11-26T09:14:25.063+0100`, `2026/11/26 09:14:25`,
/// `2026-11-26 09:12:05.689167558 +0000 UTC`.
pub(crate) fn leading(text: &str) -> Option<Written<'_>> {
    let (year, rest) = number(text, 4)?;
    let separator = rest.chars().next().filter(|it| matches!(it, '-' | '/'))?;
    let (month, rest) = number(rest.strip_prefix(separator)?, 2)?;
    let (day, rest) = number(rest.strip_prefix(separator)?, 2)?;
    let (hour, rest) = number(rest.strip_prefix(['T', 't', ' '])?, 2)?;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (nanos, rest) = fraction(rest);
    let [month, day, hour, minute, second] = [month, day, hour, minute, second].map(|it| it as i8);
    let civil = DateTime::new(year as i16, month, day, hour, minute, second, nanos).ok()?;
    let (offset, rest) = zone(rest).map_or((None, rest), |(offset, rest)| (Some(offset), rest));
    let time = offset.unwrap_or(Offset::UTC).to_timestamp(civil).ok()?;
    Some(Written { time, has_zone: offset.is_some(), rest })
}

/// A number of exactly this many digits.
pub(crate) fn number(text: &str, digits: usize) -> Option<(u32, &str)> {
    let (number, rest) = text.split_at_checked(digits)?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| number.parse().ok()).flatten()?;
    Some((number, rest))
}

/// The nanoseconds of a fraction after a point or a comma; 0 without one.
pub(crate) fn fraction(text: &str) -> (i32, &str) {
    let Some(rest) = text.strip_prefix(['.', ',']) else { return (0, text) };
    // A comma that no digit follows is punctuation.
    if !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return (0, text);
    }
    let end = rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    let digits = rest.bytes().take(end.min(9)).map(|byte| i32::from(byte - b'0'));
    let value = digits.fold(0, |value, digit| value * 10 + digit);
    (value * 10_i32.pow(9 - end.min(9) as u32), &rest[end..])
}

/// `Z`, `+01:00`, `+0100`, or what Go writes: ` +0000 UTC`.
pub(crate) fn zone(text: &str) -> Option<(Offset, &str)> {
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        return Some((Offset::UTC, rest));
    }
    let text = text.strip_prefix(' ').unwrap_or(text);
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, rest) = number(&text[1..], 2)?;
    let (minutes, rest) = number(rest.strip_prefix(':').unwrap_or(rest), 2)?;
    let seconds = sign * (hours * 3_600 + minutes * 60) as i32;
    Some((Offset::from_seconds(seconds).ok()?, rest))
}

/// The time after a duration; the last possible one if that is too late.
pub(crate) fn after(time: Timestamp, duration: Duration) -> Timestamp {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    time.saturating_add(duration).unwrap_or(Timestamp::MAX)
}

/// The time that is a duration earlier; the first possible one if that is too early.
pub(crate) fn before(time: Timestamp, duration: Duration) -> Timestamp {
    let duration = SignedDuration::try_from(duration).unwrap_or(SignedDuration::MAX);
    time.saturating_sub(duration).unwrap_or(Timestamp::MIN)
}

/// A time in UTC, to the millisecond, as sentences have it: `09:11:02.124`. The date is before it,
/// `2026-11-27 09:11:02.124`, unless each of the moments from which a reader counts is on this day.
pub fn write(time: Timestamp, moments: &[Timestamp]) -> String {
    let civil = to_millis(time);
    let is_of_day = |moment: &Timestamp| to_millis(*moment).date() == civil.date();
    if moments.iter().all(is_of_day) {
        clock(civil)
    } else {
        format!("{} {}", date(civil), clock(civil))
    }
}

/// The date and the time of day in UTC, as RFC 3339 writes them, to the millisecond.
pub(crate) fn rfc3339(time: Timestamp) -> String {
    let civil = to_millis(time);
    format!("{}T{}Z", date(civil), clock(civil))
}

fn date(civil: DateTime) -> String {
    format!("{:04}-{:02}-{:02}", civil.year(), civil.month(), civil.day())
}

fn clock(civil: DateTime) -> String {
    let (hour, minute, second) = (civil.hour(), civil.minute(), civil.second());
    format!("{hour:02}:{minute:02}:{second:02}.{:03}", civil.millisecond())
}

fn to_millis(time: Timestamp) -> DateTime {
    let time = Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time);
    Offset::UTC.to_datetime(time)
}

/// A duration in seconds, without zeros at the end: `15 s`, `1.5 s`.
pub(crate) fn seconds(duration: Duration) -> String {
    let text = format!("{}.{:03}", duration.as_secs(), duration.subsec_millis());
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_logs_of_go_and_of_people_are_the_same_moment() {
        let expected = parse("2026-11-26T09:12:05.689Z");
        assert!(expected.is_some());
        for text in [
            "2026-11-26T10:12:05.689+0100",
            "2026-11-26T10:12:05.689+01:00",
            "2026-11-26 09:12:05.689",
            "2026/11/26 09:12:05.689",
            "2026-11-26 09:12:05.689 +0000",
        ] {
            assert_eq!(parse(text), expected, "{text}");
        }
        let go = leading("2026-11-26 09:12:05.689167558 +0000 UTC m=+24.421516802").unwrap();
        assert_eq!(go.rest, " UTC m=+24.421516802");
        assert_eq!(write(go.time, &[]), "09:12:05.689");
        assert_eq!(fraction(",\"msg\""), (0, ",\"msg\""), "punctuation after a number");
    }

    #[test]
    fn a_time_of_another_day_than_a_moment_has_its_date() {
        let [before, after, later] =
            ["2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z"]
                .map(|text| parse(text).unwrap());
        assert_eq!(write(before, &[before]), "23:59:59.999");
        assert_eq!(write(before, &[after]), "2026-11-30 23:59:59.999");
        assert_eq!(write(after, &[before]), "2026-12-01 00:00:00.000");
        assert_eq!(write(after, &[after, later]), "2026-12-01 00:00:00.000");
        // The same time of day, a day later.
        assert_eq!(write(later, &[after]), "2026-12-02 00:00:00.000");
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "2026", "2026-13-01T00:00:00Z", "2026-11-26T25:00:00Z", "noon", "ä026-1"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn seconds_have_no_zeros_at_the_end() {
        assert_eq!(seconds(Duration::from_millis(15_000)), "15 s");
        assert_eq!(seconds(Duration::from_millis(1_500)), "1.5 s");
        assert_eq!(seconds(Duration::ZERO), "0 s");
    }
}
