//! Computes by how much the clock of a client differs from that of a server's log, from the
//! renewals of sessions in both logs. As renewals repeat, the difference is known only if exactly
//! one is possible: neither log may lack a renewal of the other at a time of which it has lines.

use alloc::vec::Vec;

use jiff::{SignedDuration, Timestamp};

/// The renewals that a log has.
#[derive(Debug)]
pub(crate) struct Renewals<'a> {
    /// The session and the time of each, in the order of time.
    renewals: Vec<(&'a str, Timestamp)>,
    /// The times between which the list has all renewals of the log.
    span: (Timestamp, Timestamp),
}

/// A renewal of both logs may differ by this from the difference of the clocks.
const TOLERANCE: SignedDuration = SignedDuration::from_millis(500);
/// Fewer common renewals show no difference.
const LEAST: usize = 3;
/// Only the last renewals are compared.
const RENEWALS_MAX: usize = 50;

impl<'a> Renewals<'a> {
    /// The last renewals of a log. The given ones are in the order of time, and `span` is the first
    /// and the last time of the log.
    pub(crate) fn new(
        renewals: impl DoubleEndedIterator<Item = (&'a str, Timestamp)>,
        span: (Timestamp, Timestamp),
    ) -> Self {
        let mut renewals: Vec<_> = renewals.rev().take(RENEWALS_MAX + 1).collect();
        let is_cut = renewals.len() > RENEWALS_MAX;
        renewals.truncate(RENEWALS_MAX);
        renewals.reverse();
        let first = renewals.first().filter(|_| is_cut).map(|(_, time)| *time);
        Self { renewals, span: (first.unwrap_or(span.0), span.1) }
    }

    /// What is to be added to the times of these renewals so that they agree with those of another
    /// log, and the number of renewals that show it. `None` if no or several offsets are possible.
    pub(crate) fn offset_to(&self, other: &Renewals<'_>) -> Option<(SignedDuration, usize)> {
        let candidates = self.renewals.iter().flat_map(|(session, time)| {
            let of_session = other.renewals.iter().filter(move |(one, _)| one == session);
            of_session.map(|(_, theirs)| theirs.duration_since(*time))
        });
        let mut possible = candidates.filter_map(|offset| {
            let differences = self.differences(other, offset)?;
            // Each that is in only one log must be where the other has no lines.
            other.differences(self, -offset)?;
            let median = differences.get(differences.len() / 2).copied()?;
            (differences.len() >= LEAST).then_some((median, differences.len()))
        });
        let (offset, count) = possible.next()?;
        possible
            .all(|(other, _)| other.saturating_sub(offset).abs() <= TOLERANCE)
            .then_some((offset, count))
    }

    /// The exact differences of the renewals that another log has at this offset. `None` if it
    /// lacks one although it has lines of that time.
    fn differences(
        &self,
        other: &Renewals<'_>,
        offset: SignedDuration,
    ) -> Option<Vec<SignedDuration>> {
        let mut differences = Vec::new();
        for (session, time) in &self.renewals {
            let time = time.saturating_add(offset).ok()?;
            let of_session = other.renewals.iter().filter(|(one, _)| one == session);
            let nearest = of_session
                .map(|(_, theirs)| theirs.duration_since(time))
                .min_by_key(|difference| difference.abs());
            match nearest.filter(|nearest| nearest.abs() <= TOLERANCE) {
                Some(nearest) => differences.push(nearest.saturating_add(offset)),
                None if other.has_lines_at(time) => return None,
                None => {}
            }
        }
        differences.sort_unstable();
        Some(differences)
    }

    fn has_lines_at(&self, time: Timestamp) -> bool {
        let (first, last) = self.span;
        time.duration_since(first) > TOLERANCE && last.duration_since(time) > TOLERANCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renewals of the session `s` at these milliseconds.
    fn renewals(span: (i64, i64), times: &[i64]) -> Renewals<'static> {
        let time = |time: i64| Timestamp::from_millisecond(time).unwrap();
        let renewals = times.iter().map(|at| ("s", time(*at)));
        Renewals::new(renewals, (time(span.0), time(span.1)))
    }

    fn offset(client: &Renewals<'_>, server: &Renewals<'_>) -> Option<(i64, usize)> {
        let (offset, count) = client.offset_to(server)?;
        Some((i64::try_from(offset.as_millis()).unwrap(), count))
    }

    #[test]
    fn renewals_that_both_have_from_the_first_on_show_the_difference() {
        let server = renewals((0, 60_000), &[10_000, 15_010, 20_020, 25_005]);
        let client = renewals((1_000, 26_500), &[11_500, 16_515, 21_510, 26_500]);
        assert_eq!(offset(&client, &server), Some((-1_495, 4)));
        assert_eq!(offset(&server, &client), Some((1_500, 4)));
        let in_another_zone = renewals((3_600_000, 3_640_000), &[3_610_000, 3_615_010, 3_620_020]);
        let server = renewals((0, 60_000), &[10_000, 15_010, 20_020]);
        assert_eq!(offset(&in_another_zone, &server), Some((-3_600_000, 3)));
    }

    #[test]
    fn a_part_of_a_series_without_its_ends_shows_nothing_unless_its_intervals_differ() {
        let server = renewals((10_000, 30_000), &[10_000, 15_000, 20_000, 25_000, 30_000]);
        let client = renewals((11_000, 26_000), &[11_000, 16_000, 21_000, 26_000]);
        assert_eq!(offset(&client, &server), None);
        let server = renewals((10_000, 32_000), &[10_000, 15_000, 22_000, 27_000, 32_000]);
        let client = renewals((11_000, 28_000), &[11_000, 16_000, 23_000, 28_000]);
        assert_eq!(offset(&client, &server), Some((-1_000, 4)));
    }

    #[test]
    fn differences_that_are_not_steady_and_few_renewals_show_nothing() {
        let server = renewals((0, 60_000), &[10_000, 15_000, 20_000, 25_000]);
        let drifts = renewals((0, 60_000), &[11_000, 17_000, 23_000, 29_000]);
        assert_eq!(offset(&drifts, &server), None);
        let lacks_one = renewals((0, 60_000), &[11_000, 16_000, 26_000]);
        assert_eq!(offset(&lacks_one, &server), None);
        let two = renewals((0, 60_000), &[10_000, 15_000]);
        assert_eq!(offset(&two, &two), None);
        assert_eq!(offset(&renewals((0, 0), &[]), &server), None);
    }

    #[test]
    fn of_a_long_log_the_last_renewals_are_compared() {
        let times: Vec<i64> = (0..200).map(|number| number * 5_000 + number % 7 * 90).collect();
        let server = renewals((0, 1_100_000), &times);
        let later: Vec<i64> = times.iter().map(|time| time + 2_000).collect();
        let client = renewals((0, 1_100_000), &later);
        assert_eq!(offset(&client, &server), Some((-2_000, 50)));
    }
}
