//! Times in the lines of applications: with a date as logs write it, without a year as syslog, as a
//! time of the day, or as a number since 1970. A date of numbers whose order nothing says is kept
//! as both.

use core::ops::Range;

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::Offset;
use jiff::{SignedDuration, Timestamp};

use crate::time::{self, fraction, number, zone};

/// A time as a line has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ClockTime {
    Full {
        time: Timestamp,
        has_zone: bool,
    },
    /// With a date such as 07/08/2026, whose first number is the month or the day.
    Numbered {
        numbers: [i8; 2],
        year: i16,
        time: Time,
        offset: Option<Offset>,
    },
    /// Without a year and a zone. The year is a leap year, so that each date exists.
    WithoutYear(DateTime),
    /// Without a date and a zone.
    OfDay(Time),
}

/// A line with a time.
#[derive(Clone, Debug)]
pub(crate) struct TimedLine<'a> {
    pub(crate) number: usize,
    pub(crate) text: &'a str,
    pub(crate) time: ClockTime,
    pub(crate) time_place: Range<usize>,
}

impl<'a> TimedLine<'a> {
    /// A line by its number, if it has a time.
    pub(crate) fn new(number: usize, text: &'a str) -> Option<Self> {
        let (time, time_place) = find(text)?;
        Some(Self { number, text, time, time_place })
    }
}

/// The order of the numbers of a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    MonthFirst,
    DayFirst,
}

impl ClockTime {
    pub(crate) fn has_zone(self) -> bool {
        matches!(self, Self::Full { has_zone: true, .. } | Self::Numbered { offset: Some(_), .. })
    }

    pub(crate) fn has_year(self) -> bool {
        matches!(self, Self::Full { .. } | Self::Numbered { .. })
    }

    /// The order that the numbers of its date show, as there is no 13th month.
    pub(crate) fn order(self) -> Option<DateOrder> {
        match self {
            Self::Numbered { numbers: [first, _], .. } if first > 12 => Some(DateOrder::DayFirst),
            Self::Numbered { numbers: [_, second], .. } if second > 12 => {
                Some(DateOrder::MonthFirst)
            }
            _ => None,
        }
    }

    /// Whether it has a date whose order is to be known.
    pub(crate) fn needs_order(self) -> bool {
        let is_same = |numbers: [i8; 2]| numbers[0] == numbers[1];
        self.order().is_none()
            && matches!(self, Self::Numbered { numbers, .. } if !is_same(numbers))
    }

    /// The time. What it lacks, the year or the date or their order if it is not known, is what
    /// brings it nearest to another time.
    pub(crate) fn resolve(self, near: Timestamp, order: Option<DateOrder>) -> Option<Timestamp> {
        let date = Offset::UTC.to_datetime(near).date();
        let nearest = |civil: &mut dyn Iterator<Item = DateTime>| {
            let times = civil.filter_map(|civil| Offset::UTC.to_timestamp(civil).ok());
            times.min_by_key(|time| time.duration_since(near).unsigned_abs())
        };
        match self {
            Self::Full { time, .. } => Some(time),
            Self::Numbered { numbers: [first, second], year, time, offset } => {
                let dates =
                    [(DateOrder::MonthFirst, first, second), (DateOrder::DayFirst, second, first)];
                let order = self.order().or(order);
                let times = dates.into_iter().filter_map(|(of_date, month, day)| {
                    let date = Date::new(year, month, day).ok()?;
                    let civil = DateTime::from_parts(date, time);
                    let time = offset.unwrap_or(Offset::UTC).to_timestamp(civil).ok()?;
                    order.is_none_or(|order| order == of_date).then_some(time)
                });
                times.min_by_key(|time| time.duration_since(near).unsigned_abs())
            }
            Self::WithoutYear(civil) => nearest(&mut (-1..=1).filter_map(|years| {
                let year = date.year() + years;
                let date = Date::new(year, civil.month(), civil.day()).ok()?;
                Some(DateTime::from_parts(date, civil.time()))
            })),
            Self::OfDay(time) => nearest(&mut (-1..=1).filter_map(|days| {
                let day = SignedDuration::from_hours(24 * days);
                Some(DateTime::from_parts(date.checked_add(day).ok()?, time))
            })),
        }
    }
}

/// A time at the beginning of a text, and the text after it.
pub(crate) fn at_start(text: &str) -> Option<(ClockTime, &str)> {
    dated(text).or_else(|| epoch(text)).or_else(|| of_day(text))
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
/// A leap year.
const SOME_YEAR: i16 = 2000;

/// A time with a date: `2026-11-20T09:10:31Z`, `20/Nov/2026:09:10:31 +0000`, `Nov 20 09:10:31`,
/// `11/20/2026 9:10:31 AM`, `I1120 09:10:31.123456`.
fn dated(text: &str) -> Option<(ClockTime, &str)> {
    let first = *text.as_bytes().first()?;
    if first.is_ascii_digit() {
        let found = year_first(text).or_else(|| day_first(text)).or_else(|| numbered(text));
        return found.map(|(time, rest)| with_utc(time, rest));
    }
    if !first.is_ascii_uppercase() {
        return None;
    }
    if let Some((month_day, rest)) = number(&text[1..], 4) {
        // The levels of klog: info, warning, error, fatal, debug.
        let rest = rest.strip_prefix(' ').filter(|_| b"IWEFD".contains(&first))?;
        let date = Date::new(SOME_YEAR, (month_day / 100) as i8, (month_day % 100) as i8).ok()?;
        let (time, rest) = time_of_day(rest)?;
        return Some((ClockTime::WithoutYear(DateTime::from_parts(date, time)), rest));
    }
    named_month(text)
}

/// `Nov 20 09:10:31`, with the year at the end or as in `Nov 20, 2026 9:10:31 AM` and
/// `November 20th 2026, 09:10:31.123`.
fn named_month(text: &str) -> Option<(ClockTime, &str)> {
    let (month, rest) = month(text)?;
    let rest = rest.strip_prefix(' ')?;
    let (day, rest) = one_or_two_digits(rest.strip_prefix(' ').unwrap_or(rest))?;
    let rest = without_ordinal(rest);
    let year = rest.strip_prefix([',', ' ']).map(str::trim_start).and_then(|rest| number(rest, 4));
    if let Some((year, rest)) = year {
        let date = Date::new(year as i16, month, day).ok()?;
        let (time, rest) = time_of_day(after_date(rest)?)?;
        let time = full(date, time, None)?;
        return Some(with_utc(time, rest));
    }
    let (time, rest) = time_of_day(rest.strip_prefix(' ')?)?;
    let after_zone = rest.strip_prefix(" UTC").or_else(|| rest.strip_prefix(" GMT"));
    let year = after_zone.unwrap_or(rest).strip_prefix(' ').and_then(|rest| number(rest, 4));
    if let Some((year, rest)) = year.filter(|(_, rest)| !rest.starts_with(is_part_of_word)) {
        let date = Date::new(year as i16, month, day).ok()?;
        let offset = after_zone.map(|_| Offset::UTC);
        return Some((full(date, time, offset)?, rest));
    }
    let date = Date::new(SOME_YEAR, month, day).ok()?;
    Some((ClockTime::WithoutYear(DateTime::from_parts(date, time)), rest))
}

fn full(date: Date, time: Time, offset: Option<Offset>) -> Option<ClockTime> {
    let civil = DateTime::from_parts(date, time);
    let time = offset.unwrap_or(Offset::UTC).to_timestamp(civil).ok()?;
    Some(ClockTime::Full { time, has_zone: offset.is_some() })
}

/// A time that counts as UTC, with the name of this zone if it follows.
fn with_utc(time: ClockTime, rest: &str) -> (ClockTime, &str) {
    let Some(rest) = [" UTC", " GMT"].iter().find_map(|zone| rest.strip_prefix(zone)) else {
        return (time, rest);
    };
    let time = match time {
        ClockTime::Full { time, .. } => ClockTime::Full { time, has_zone: true },
        ClockTime::Numbered { numbers, year, time, .. } => {
            ClockTime::Numbered { numbers, year, time, offset: Some(Offset::UTC) }
        }
        time => time,
    };
    (time, rest)
}

/// What is between a date and the time of the day.
fn after_date(text: &str) -> Option<&str> {
    [" @ ", " at ", ", at ", ", ", " ", "T", ":"]
        .iter()
        .find_map(|separator| text.strip_prefix(separator))
}

/// `2026-11-20T09:10:31Z`, `2026/11/20 9:10:31 PM`, `2026-11-20 @ 09:10:31.123`.
fn year_first(text: &str) -> Option<(ClockTime, &str)> {
    if let Some(written) = time::leading(text)
        && twelve_hours(written.rest).is_none()
    {
        let time = ClockTime::Full { time: written.time, has_zone: written.has_zone };
        return Some((time, written.rest));
    }
    let (year, rest) = number(text, 4)?;
    let separator = rest.chars().next().filter(|it| matches!(it, '-' | '/'))?;
    let (month, rest) = number(&rest[1..], 2)?;
    let (day, rest) = number(rest.strip_prefix(separator)?, 2)?;
    let date = Date::new(year as i16, month as i8, day as i8).ok()?;
    let (time, rest) = time_of_day(after_date(rest)?)?;
    Some((full(date, time, None)?, rest))
}

/// `20/Nov/2026:09:10:31 +0000`, `20-Nov-2026 09:10:31.123`, `20th November 2026, 09:10:31`.
fn day_first(text: &str) -> Option<(ClockTime, &str)> {
    let (day, rest) = one_or_two_digits(text)?;
    let (month, rest) = month(without_ordinal(rest).strip_prefix(['/', '-', ' '])?)?;
    let (year, rest) = number(rest.strip_prefix(['/', '-', ' '])?, 4)?;
    let (time, rest) = time_of_day(after_date(rest)?)?;
    let (offset, rest) = zone(rest).map_or((None, rest), |(offset, rest)| (Some(offset), rest));
    Some((full(Date::new(year as i16, month, day).ok()?, time, offset)?, rest))
}

/// `11/20/2026 9:10:31 AM`, `20-11-2026 09:10:31`; with points the day is first: `20.11.2026`. A
/// year of two digits counts only with twelve hours, as in `11/20/26 9:10:31.123 AM` of Splunk:
/// others write it first.
fn numbered(text: &str) -> Option<(ClockTime, &str)> {
    let (first, rest) = one_or_two_digits(text)?;
    let separator = rest.chars().next().filter(|it| matches!(it, '/' | '-' | '.'))?;
    let (second, rest) = one_or_two_digits(&rest[1..])?;
    let rest = rest.strip_prefix(separator)?;
    let (year, rest, is_short) = match number(rest, 4) {
        Some((year, rest)) => (year as i16, rest, false),
        None => number(rest, 2).map(|(year, rest)| (2_000 + year as i16, rest, true))?,
    };
    let clock = after_date(rest)?;
    let (time, rest) = time_of_day(clock)?;
    let has_twelve_hours = clock[..clock.len() - rest.len()].ends_with(['M', 'm']);
    if is_short && !has_twelve_hours {
        return None;
    }
    let (offset, rest) = zone(rest).map_or((None, rest), |(offset, rest)| (Some(offset), rest));
    if separator == '.' {
        return Some((full(Date::new(year, second, first).ok()?, time, offset)?, rest));
    }
    let numbers = [first, second];
    let is_date =
        Date::new(year, first, second).or_else(|_| Date::new(year, second, first)).is_ok();
    is_date.then_some((ClockTime::Numbered { numbers, year, time, offset }, rest))
}

/// The name of a month or its first three letters.
fn month(text: &str) -> Option<(i8, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, rest) = text.split_at(end);
    let is_short = name.len() == 3;
    let month =
        MONTHS.iter().position(|month| *month == name || is_short && month.starts_with(name))?;
    Some((month as i8 + 1, rest))
}

/// The text after the letters of an ordinal: `20th`, `21st`.
fn without_ordinal(text: &str) -> &str {
    let found = ["st", "nd", "rd", "th"].iter().find_map(|letters| text.strip_prefix(letters));
    found.unwrap_or(text)
}

/// Whether a time is written as interfaces that show logs do: `Nov 20, 2026 @ 09:10:31.000`,
/// `November 20th 2026, 09:10:31.000`, `11/20/26 9:10:31.000 AM`.
pub(crate) fn is_of_viewer(found: &str) -> bool {
    let is_ordinal = |word: &str| {
        let rest = word.trim_start_matches(|it: char| it.is_ascii_digit());
        rest.len() < word.len() && !rest.is_empty() && without_ordinal(rest).is_empty()
    };
    let mut parts = found.split('/');
    let has_short_year =
        number(found, 4).is_none() && parts.nth(2).is_some_and(|year| number(year, 4).is_none());
    found.contains(" @ ")
        || found.contains(" at ")
        || found.split([' ', ',']).any(is_ordinal)
        || has_short_year
}

fn one_or_two_digits(text: &str) -> Option<(i8, &str)> {
    let (number, rest) = number(text, 2).or_else(|| number(text, 1))?;
    Some((number as i8, rest))
}

/// `09:10:31`, with or without a fraction, or with twelve hours: `9:10:31 AM`.
fn time_of_day(text: &str) -> Option<(Time, &str)> {
    let (hour, rest) = one_or_two_digits(text)?;
    let has_two_digits = text.len() - rest.len() == 2;
    let (minute, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (second, rest) = number(rest.strip_prefix(':')?, 2)?;
    let (nanos, rest) = fraction(rest);
    let (hour, rest) = match twelve_hours(rest).filter(|_| (1..=12).contains(&hour)) {
        Some((is_afternoon, rest)) => (hour % 12 + if is_afternoon { 12 } else { 0 }, rest),
        None => (Some(hour).filter(|_| has_two_digits)?, rest),
    };
    let time = Time::new(hour, minute as i8, second as i8, nanos).ok()?;
    Some((time, rest))
}

/// `AM` or `PM` after a time, and whether it is the afternoon. Some libraries write a narrow space.
fn twelve_hours(text: &str) -> Option<(bool, &str)> {
    let text = text.strip_prefix([' ', '\u{a0}', '\u{202f}']).unwrap_or(text);
    let (half, rest) = text.split_at_checked(2)?;
    let is_afternoon = half.eq_ignore_ascii_case("PM");
    let is_half = is_afternoon || half.eq_ignore_ascii_case("AM");
    (is_half && !rest.starts_with(is_part_of_word)).then_some((is_afternoon, rest))
}

fn of_day(text: &str) -> Option<(ClockTime, &str)> {
    let (time, rest) = time_of_day(text)?;
    let is_end = !rest.starts_with(is_part_of_word) && !rest.starts_with(':');
    is_end.then_some((ClockTime::OfDay(time), rest))
}

/// Seconds, milliseconds, microseconds or nanoseconds since 1970, of the years 2001 to 2286.
fn epoch(text: &str) -> Option<(ClockTime, &str)> {
    let digits = text.bytes().take(20).take_while(u8::is_ascii_digit).count();
    let scale = match digits {
        10 => 1_000_000_000,
        13 => 1_000_000,
        16 => 1_000,
        19 => 1,
        _ => return None,
    };
    let number: i128 = text[..digits].parse().ok()?;
    let (nanos, rest) = match digits {
        10 => fraction(&text[digits..]),
        _ => (0, &text[digits..]),
    };
    let is_end = text.starts_with(|it: char| it != '0') && !rest.starts_with(is_part_of_word);
    let time = Timestamp::from_nanosecond(number * scale + i128::from(nanos)).ok()?;
    is_end.then_some((ClockTime::Full { time, has_zone: true }, rest))
}

fn is_part_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The names of the members and fields in which loggers write the time.
const TIME_NAMES: [&str; 11] = [
    "time",
    "ts",
    "timestamp",
    "@timestamp",
    "t",
    "@t",
    "datetime",
    "asctime",
    "date",
    "_time",
    "__realtime_timestamp",
];

/// The time of a line and its place. In plain text this is the first time that has a date with its
/// year or is in a field of [`TIME_NAMES`]; that of an interface that shows logs, which is before
/// a line, counts only if there is no other. In JSON it is the first one in such a field
/// or, without one, the first with a date. Otherwise it is a date without a year, a number since
/// 1970 at the beginning of the line, or a time of the day there.
fn find(line: &str) -> Option<(ClockTime, Range<usize>)> {
    let is_json = line.starts_with('{');
    let mut best: Option<(u8, (ClockTime, Range<usize>))> = None;
    let mut before = None;
    for (start, char) in line.char_indices() {
        let begins_word = before.is_none_or(|before: char| !before.is_ascii_alphanumeric());
        before = Some(char);
        if !begins_word || !char.is_ascii_alphanumeric() {
            continue;
        }
        let Some((time, rest)) = at_start(&line[start..]) else { continue };
        let is_number = line[start..].bytes().take_while(u8::is_ascii_digit).count() >= 10;
        let is_first = line[..start].trim_matches(['[', ' ', '\t']).is_empty();
        let rank = match time {
            _ if is_labelled(&line[..start]) => 0,
            _ if is_number && is_first => 2,
            // An interface that shows logs writes its own time before that of the line.
            _ if time.has_year() && !is_number => {
                let found = &line[start..line.len() - rest.len()];
                u8::from(is_json || is_of_viewer(found))
            }
            ClockTime::WithoutYear(_) => 1,
            ClockTime::OfDay(_) if is_first => 3,
            _ => continue,
        };
        let found = (time, start..line.len() - rest.len());
        if rank == 0 {
            return Some(found);
        }
        if best.as_ref().is_none_or(|(best, _)| rank < *best) {
            best = Some((rank, found));
        }
    }
    best.map(|(_, found)| found)
}

/// Whether a text ends with the name of a field for times and what separates it from its value.
fn is_labelled(before: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', ' ']);
    let Some(before) = before.strip_suffix([':', '=']) else { return false };
    let name = before.trim_end_matches(['"', '\'', ' ']);
    let is_name = |it: char| it.is_ascii_alphanumeric() || "@_-.".contains(it);
    let name = name.rsplit(|it| !is_name(it)).next().unwrap_or(name);
    TIME_NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time_of(line: &str) -> Option<ClockTime> {
        find(line).map(|(time, _)| time)
    }

    fn resolved(line: &str, near: Timestamp) -> Option<Timestamp> {
        time_of(line).unwrap_or_else(|| panic!("{line}")).resolve(near, None)
    }

    #[test]
    fn times_of_usual_loggers_are_found_and_resolved() {
        let near = time::parse("2026-11-20T12:00:00Z").unwrap();
        for (line, expected) in [
            ("2026-11-20T09:10:31.123Z INFO lock", "2026-11-20T09:10:31.123Z"),
            ("2026/11/20 09:10:31 lock", "2026-11-20T09:10:31Z"),
            ("2026-11-20 09:10:31,123 - root - INFO", "2026-11-20T09:10:31.123Z"),
            ("2026-11-20 09:10:31.123 UTC [12] lock", "2026-11-20T09:10:31.123Z"),
            ("x[1]: [20/Nov/2026:10:10:31 +0100] lock", "2026-11-20T09:10:31Z"),
            ("20-Nov-2026 09:10:31.123 INFO [main]", "2026-11-20T09:10:31.123Z"),
            ("Nov 20 09:10:31 host app[12]: lock", "2026-11-20T09:10:31Z"),
            ("Nov  2 09:10:31 host app[12]: lock", "2026-11-02T09:10:31Z"),
            ("Fri Nov 20 09:10:31 2026 lock", "2026-11-20T09:10:31Z"),
            ("Nov 20 09:10:31 h a: 2026-11-20T09:10:30Z lock", "2026-11-20T09:10:30Z"),
            ("I1120 09:10:31.123456   1 leaderelection.go:258] x", "2026-11-20T09:10:31.123456Z"),
            ("09:10:31.123 [main] INFO lock", "2026-11-20T09:10:31.123Z"),
            (r#"{"level":30,"time":1795165831123,"pid":1}"#, "2026-11-20T09:10:31.123Z"),
            (r#"{"level":"info","ts":1795165831.123}"#, "2026-11-20T09:10:31.123Z"),
            (
                r#"{"until":"2026-11-20T09:11:31Z","time":"2026-11-20T09:10:31Z"}"#,
                "2026-11-20T09:10:31Z",
            ),
            ("level=info ts=1795165831 msg=lock", "2026-11-20T09:10:31Z"),
            ("1795165831.123 lock", "2026-11-20T09:10:31.123Z"),
            ("[1795165831] lock", "2026-11-20T09:10:31Z"),
            (r#"{"@t":"2026-11-20T09:10:31.123Z","@mt":"lock"}"#, "2026-11-20T09:10:31.123Z"),
            ("INFO 11/20/2026 9:10:31 AM - lock", "2026-11-20T09:10:31Z"),
            ("11/20/2026 09:10:31 PM lock", "2026-11-20T21:10:31Z"),
            ("11/20/2026 12:10:31 AM lock", "2026-11-20T00:10:31Z"),
            ("[Nest] 7  - 11/20/2026, 12:10:31 PM     LOG [Lock]", "2026-11-20T12:10:31Z"),
            ("11/20/2026, 9:10:31\u{202f}PM lock", "2026-11-20T21:10:31Z"),
            ("20.11.2026 09:10:31,123 lock", "2026-11-20T09:10:31.123Z"),
            ("20/11/2026 10:10:31 +0100 lock", "2026-11-20T09:10:31Z"),
            ("2026-11-20 09:10:31 PM lock", "2026-11-20T21:10:31Z"),
            ("Nov 20, 2026 9:10:31 PM a.b.Lock held", "2026-11-20T21:10:31Z"),
            ("Nov 20 2026 09:10:31 host lock", "2026-11-20T09:10:31Z"),
            ("9:10:31.123 PM [main] lock", "2026-11-20T21:10:31.123Z"),
            ("Nov 20, 2026 @ 09:10:40.000\t2026-11-20 09:10:31 lock", "2026-11-20T09:10:31Z"),
            ("2026-11-20 @ 09:10:31.123\tlock", "2026-11-20T09:10:31.123Z"),
            ("November 20th 2026, 09:10:31.123\tlock", "2026-11-20T09:10:31.123Z"),
            ("November 2nd 2026, 09:10:31.123 lock", "2026-11-02T09:10:31.123Z"),
            ("20th November 2026, 09:10:31.123 lock", "2026-11-20T09:10:31.123Z"),
            ("Nov 20, 2026 at 9:10:31.123 pm lock", "2026-11-20T21:10:31.123Z"),
            ("11/20/26 9:10:31.123 AM lock", "2026-11-20T09:10:31.123Z"),
            ("November 20th 2026, 11:10:40.000\t2026-11-20 09:10:31 lock", "2026-11-20T09:10:31Z"),
            ("11/20/26 9:10:40.000 AM\t2026-11-20 09:10:31 lock", "2026-11-20T09:10:31Z"),
            (r#"{"__REALTIME_TIMESTAMP":"1795165831123000","a":1}"#, "2026-11-20T09:10:31.123Z"),
        ] {
            assert_eq!(resolved(line, near), time::parse(expected), "{line}");
        }
    }

    #[test]
    fn the_year_and_the_day_are_the_nearest() {
        let near = time::parse("2027-01-01T00:00:10Z").unwrap();
        let last_day = time::parse("2026-12-31T23:59:50Z");
        assert_eq!(resolved("Dec 31 23:59:50 host a:", near), last_day);
        assert_eq!(resolved("23:59:50 a", near), last_day);
        assert_eq!(resolved("00:00:12 a", near), time::parse("2027-01-01T00:00:12Z"));
    }

    #[test]
    fn a_date_of_two_small_numbers_has_the_order_that_is_known_or_the_nearest_day() {
        let near = time::parse("2026-07-08T12:00:00Z").unwrap();
        let time = time_of("07/08/2026 09:10:31 lock").unwrap();
        assert!(time.needs_order() && time.order().is_none());
        let (july, august) = ("2026-07-08T09:10:31Z", "2026-08-07T09:10:31Z");
        assert_eq!(time.resolve(near, None), time::parse(july));
        assert_eq!(time.resolve(near, Some(DateOrder::MonthFirst)), time::parse(july));
        assert_eq!(time.resolve(near, Some(DateOrder::DayFirst)), time::parse(august));
        for (line, order) in [
            ("07/24/2026 09:10:31 lock", Some(DateOrder::MonthFirst)),
            ("24-07-2026 09:10:31 lock", Some(DateOrder::DayFirst)),
            ("07/07/2026 09:10:31 lock", None),
        ] {
            let time = time_of(line).unwrap();
            assert_eq!((time.order(), time.needs_order()), (order, false), "{line}");
        }
    }

    #[test]
    fn lines_without_a_time_have_none() {
        for line in [
            "",
            "\tat java.base/java.lang.Thread.run(Thread.java:1583)",
            "127.0.0.1 - - \"GET / HTTP/1.1\" 200",
            "order 1795165831123 acquired a lock",
            "é",
            "May the lock be with you",
            "at 09:10:31",
            "Z9999 09:10:31 x",
            "Feb 31 09:10:31 host",
            "13/13/2026 09:10:31 lock",
            "1/2/2026 9:10:31 lock",
            "07/24/26 09:10:31 lock",
            "Marching 20th 2026, 09:10:31",
            "Novem 20 09:10:31 host",
        ] {
            assert!(find(line).is_none(), "{line}");
        }
    }
}
