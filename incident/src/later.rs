//! What the log shows of a key after the list that has it.

use alloc::vec::Vec;

use jiff::Timestamp;

use crate::answer::Bounds;
use crate::ends::Ended;
use crate::incident::{Incident, Observation};
use crate::log::{LogEvent, Request};
use crate::merge::SeenKey;
use crate::time::after;

/// How a key lost its holder after the list.
#[derive(Clone, Debug)]
pub(crate) enum Change<'a> {
    Released(&'a Observation),
    Deleted(&'a Observation),
    /// It may have changed the key: a transaction, a delete by check-and-set, or a request of which
    /// nothing says whether it is about the datacenter of the lists.
    Possible(&'a Observation),
    /// The server refused an acquire, and named the end of the lock-delay.
    Refused {
        until: Timestamp,
        line: &'a Observation,
    },
    Ended(Ended<'a>),
}

/// What happened to a key after the list that has it, as far as the log says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Later<'a> {
    /// The last change after which nobody held the key.
    pub(crate) change: Option<Change<'a>>,
    /// The last acquire that may have been answered with `true`: its session, and its line.
    pub(crate) likely: Option<(&'a str, &'a Observation)>,
}

impl Change<'_> {
    pub(crate) fn time(&self) -> Timestamp {
        match self {
            Self::Released(line)
            | Self::Deleted(line)
            | Self::Possible(line)
            | Self::Refused { line, .. } => line.time,
            Self::Ended(ended) => ended.bounds.latest,
        }
    }
}

impl Later<'_> {
    /// Whether the holder of the list may hold the key so far: nothing has changed it, or the
    /// holder has asked for it again. The end of a session that has released a key delays nobody.
    fn may_be_held_by(&self, holder: Option<&str>) -> bool {
        match self.likely {
            Some((session, _)) => {
                holder == Some(session) && !matches!(self.change, Some(Change::Possible(_)))
            }
            None => self.change.is_none(),
        }
    }

    pub(crate) fn time(&self) -> Option<Timestamp> {
        let asked = self.likely.map(|(_, line)| line.time);
        self.change.as_ref().map(Change::time).max(asked)
    }
}

impl Incident {
    /// What happened to a key after the list that has it.
    pub(crate) fn later<'a>(&'a self, key: &str, seen: &'a SeenKey) -> Later<'a> {
        let holder = seen.entry.as_ref().and_then(|entry| entry.session.as_deref());
        let listing = self.list_of(seen);
        let is_by = |line: &&Observation, id: &str| line.event.session() == Some(id);
        // A list without a moment is not older than the holder's last acquire.
        let since = listing.moment.earliest.or_else(|| {
            let mut asked = self.acquires(key).map(|(_, line)| line);
            asked.rfind(|line| holder.is_some_and(|id| is_by(line, id))).map(|line| line.time)
        });
        let since = since.or(holder.is_none().then_some(listing.moment.latest));
        let is_after = |line: &&Observation| since.is_none_or(|since| line.time >= since);
        let broad = self.broad_lines().filter(is_after);
        let mut lines: Vec<&Observation> = self.lines_of_key(key).filter(is_after).collect();
        lines.extend(broad.filter(|line| touches(&line.event, key)));
        lines.extend(holder.and_then(|holder| self.unplaced_destroy(holder)));
        lines.sort_by_key(|line| line.time);
        let ended = holder.and_then(|holder| self.end_of(holder));
        let mut later = Later::default();
        let mut ended = ended;
        for line in lines {
            if let Some(end) = ended.take_if(|ended| ended.bounds.latest <= line.time)
                && later.may_be_held_by(holder)
            {
                later = Later { change: Some(Change::Ended(end)), likely: None };
            }
            self.follow(&mut later, holder, line);
        }
        if let Some(end) = ended
            && later.may_be_held_by(holder)
        {
            later = Later { change: Some(Change::Ended(end)), likely: None };
        }
        later
    }

    fn follow<'a>(&self, later: &mut Later<'a>, holder: Option<&str>, line: &'a Observation) {
        let is_free = holder.is_none() || later.change.is_some();
        let owner = later.likely.map(|(session, _)| session);
        let owner = owner.or(holder.filter(|_| !is_free));
        match &line.event {
            LogEvent::Request(Request::Release { session, .. })
                if owner == Some(session.as_str()) =>
            {
                *later = Later { change: Some(Change::Released(line)), likely: None };
            }
            // A lock-delay is of the name of a key, so that it outlives the key.
            LogEvent::Request(Request::Delete(_) | Request::DeleteTree(_))
                if later
                    .change
                    .as_ref()
                    .and_then(|change| self.delay_after(change))
                    .is_none_or(|delay| delay.latest <= line.time)
                    || later.likely.is_some() =>
            {
                *later = Later { change: Some(Change::Deleted(line)), likely: None };
            }
            LogEvent::Transaction
            | LogEvent::Request(Request::DeleteCas(_))
            | LogEvent::Unplaced(
                Request::Acquire { .. }
                | Request::Release { .. }
                | Request::Delete(_)
                | Request::DeleteCas(_)
                | Request::DeleteTree(_)
                | Request::Destroy(_),
            ) => {
                *later = Later { change: Some(Change::Possible(line)), likely: None };
            }
            LogEvent::LockDelay { until, .. } => {
                let change = Change::Refused { until: *until, line };
                *later = Later { change: Some(change), likely: None };
            }
            LogEvent::Request(Request::Acquire { session, .. }) => {
                let delayed = later.change.as_ref().and_then(|change| self.delay_after(change));
                let is_refused = delayed.is_some_and(|delay| line.time < delay.earliest);
                if is_free && owner.is_none() && !is_refused {
                    later.likely = Some((session, line));
                }
            }
            _ => {}
        }
    }

    /// When the lock-delay after a change ends; `None` if there is none.
    pub(crate) fn delay_after(&self, change: &Change<'_>) -> Option<Bounds> {
        match change {
            Change::Released(_) | Change::Deleted(_) | Change::Possible(_) => None,
            Change::Refused { until, .. } => Some(Bounds { earliest: *until, latest: *until }),
            Change::Ended(ended) => {
                let (shortest, longest) = self.delay_of(ended.session);
                Some(Bounds {
                    earliest: after(ended.bounds.earliest, shortest),
                    latest: after(ended.bounds.latest, longest),
                })
            }
        }
    }
}

/// Whether a line that names no key may be about this one.
pub(crate) fn touches(event: &LogEvent, key: &str) -> bool {
    match event {
        LogEvent::Transaction => true,
        LogEvent::Request(Request::DeleteTree(prefix))
        | LogEvent::Unplaced(Request::DeleteTree(prefix)) => key.starts_with(prefix.as_str()),
        _ => false,
    }
}
