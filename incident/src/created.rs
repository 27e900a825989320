//! When a session was created. The log line of a `PUT /v1/session/create` does not contain the id
//! of the session; the indexes of the list and the first line with each session limit which it can
//! be.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use jiff::Timestamp;

use crate::incident::{Incident, Observation};
use crate::log::{LogEvent, Request};

/// More sessions or lines than this are not compared: the effort grows with the third power.
const MOST: usize = 100;

/// The lines of the log that can have created a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Created<'a> {
    /// `None` if it can have been created before the log begins.
    pub(crate) earliest: Option<&'a Observation>,
    pub(crate) latest: &'a Observation,
}

/// A session that needs a line: any from `release` to `deadline`.
#[derive(Clone, Copy)]
struct Place {
    release: usize,
    deadline: usize,
}

impl Incident {
    /// The lines that can have created a session of the list. `None` if no line can, if the log
    /// does not have every request, or if there are more than `MOST` sessions or lines.
    pub(crate) fn created(&self, id: &str) -> Option<Created<'_>> {
        let coverage = self.coverage?;
        let is_create = |line: &&Observation| {
            line.event == LogEvent::Request(Request::Create) && line.time <= self.taken
        };
        let lines: Vec<&Observation> = self.log.iter().filter(is_create).collect();
        // A session existed when the log names it for the first time.
        let mentions: BTreeMap<&str, Timestamp> =
            self.first_lines().map(|(session, line)| (session, line.time)).collect();
        let mut known: Vec<_> = self.sessions.values().collect();
        // A list through a program may lack the indexes.
        if known.iter().any(|session| session.create_index == 0) {
            return None;
        }
        known.sort_by_key(|session| session.create_index);
        let other = mentions.iter().filter(|(session, _)| self.session(session).is_none());
        let other: Vec<Timestamp> = other.map(|(_, time)| *time).collect();
        if lines.is_empty() || lines.len() > MOST || known.len() + other.len() > MOST {
            return None;
        }
        // The number of lines up to a time: a session needs one of them.
        let lines_until = |time: Timestamp| lines.partition_point(|line| line.time <= time);
        let deadline = |id: &str| mentions.get(id).map_or(lines.len(), |time| lines_until(*time));
        let deadlines: Vec<usize> = known.iter().map(|session| deadline(&session.id)).collect();
        let other: Vec<usize> = other.into_iter().map(lines_until).collect();
        let number = known.iter().position(|session| session.id == id)?;
        let mut possible = (0..lines.len()).filter(|line| {
            let (earlier, later) = (&deadlines[..number], &deadlines[number + 1..]);
            let is_before_mention = *line < deadlines[number];
            // Those before, and those that have ended, may be older than the log.
            let (earlier, other) =
                if coverage.from_birth { (earlier, &other[..]) } else { (&[][..], &[][..]) };
            is_before_mention && has_room(earlier, *line, later, other, lines.len())
        });
        let first = possible.next()?;
        let last = possible.next_back().unwrap_or(first);
        let earliest = coverage.from_birth.then(|| lines[first]);
        Some(Created { earliest, latest: lines[last] })
    }
}

/// Whether all other sessions find a line of their own: earlier ones of the list before `line`,
/// later ones after it, both in their order, and those that are not in the list anywhere. Each
/// session needs one of the lines before its deadline, which is a number of lines.
fn has_room(
    earlier: &[usize],
    line: usize,
    later: &[usize],
    other: &[usize],
    lines: usize,
) -> bool {
    let mut places: Vec<Place> = Vec::new();
    let mut bound = line;
    for deadline in earlier.iter().rev() {
        bound = bound.min(*deadline);
        places.push(Place { release: 0, deadline: bound });
        bound = bound.saturating_sub(1);
    }
    let mut bound = lines;
    for deadline in later.iter().rev() {
        bound = bound.min(*deadline);
        places.push(Place { release: line + 1, deadline: bound });
        bound = bound.saturating_sub(1);
    }
    places.extend(other.iter().map(|deadline| Place { release: 0, deadline: *deadline }));
    // With tasks of one slot each, the earliest deadline first is best.
    for slot in (0..lines).filter(|slot| *slot != line) {
        let waiting = places.iter().enumerate().filter(|(_, place)| place.release <= slot);
        let Some((next, place)) = waiting.min_by_key(|(_, place)| place.deadline) else { continue };
        if place.deadline <= slot {
            return false;
        }
        places.swap_remove(next);
    }
    places.is_empty()
}
