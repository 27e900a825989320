//! When a list was taken: between which times, and what says so.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use core::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::source::Evidence;
use crate::time::{before, rfc3339, seconds};

/// The last moment within a second of a `Date` header.
pub(crate) const REST_OF_SECOND: Duration = Duration::from_millis(999);

/// How far the time that a person names, or a header, can be from the one in a log.
pub(crate) const ROUNDED: Duration = Duration::from_secs(2);

/// The moment of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moment {
    /// The list is not older; `None` if it can have any age.
    pub(crate) earliest: Option<Timestamp>,
    /// The list is not newer. It counts as the moment.
    pub(crate) latest: Timestamp,
    pub(crate) source: MomentSource,
    /// Why the state that the server answered from may not be the newest.
    pub(crate) stale: Option<Staleness>,
}

/// How old the state is that a server answered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Staleness {
    /// The server had contact with a leader so long before.
    LastContact(Duration),
    /// Any server may have answered, and no head says which state it had.
    Unknown,
}

/// What says when a list was taken, as `by` of a list in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TakenBy {
    /// Its `Date` header, in whole seconds.
    #[serde(rename = "header")]
    Header,
    /// Its `Date` header, and a request in a log.
    #[serde(rename = "header and log")]
    HeaderAndLog,
    /// Its request in a log.
    #[serde(rename = "log")]
    Log,
    /// The caller.
    #[serde(rename = "given")]
    Given,
    /// Nothing: it counts as of the same moment as another list.
    #[serde(rename = "assumed with others")]
    WithOthers,
    /// Nothing, but the log ends then.
    #[serde(rename = "assumed end of log")]
    EndOfLog,
    /// Nothing: it counts as taken now.
    #[serde(rename = "assumed now")]
    Now,
}

impl TakenBy {
    /// Whether nothing says it.
    pub const fn is_assumed(self) -> bool {
        matches!(self, Self::WithOthers | Self::EndOfLog | Self::Now)
    }
}

/// The same, with the line of the log.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MomentSource {
    /// Its `Date` header, in whole seconds.
    Header,
    /// Its `Date` header, and the first request in a log that can be the one for it.
    HeaderAndRequest(Arc<Evidence>),
    /// Its request in a log.
    Request(Arc<Evidence>),
    Caller,
    /// Nothing: it counts as of the same moment as another list.
    WithOthers,
    /// Nothing, but the log ends then.
    EndOfLog,
    /// Nothing: it counts as taken now.
    Now,
}

impl Moment {
    /// Whether nothing says when the list was taken.
    pub(crate) const fn is_assumed(&self) -> bool {
        self.taken_by().is_assumed()
    }

    /// The moment of a state that may be older than the answer.
    pub(crate) fn stale(mut self, staleness: Staleness) -> Self {
        self.earliest = match staleness {
            Staleness::LastContact(age) => self.earliest.map(|earliest| before(earliest, age)),
            Staleness::Unknown => None,
        };
        self.stale = Some(staleness);
        self
    }

    pub(crate) const fn taken_by(&self) -> TakenBy {
        match self.source {
            MomentSource::Header => TakenBy::Header,
            MomentSource::HeaderAndRequest(_) => TakenBy::HeaderAndLog,
            MomentSource::Request(_) => TakenBy::Log,
            MomentSource::Caller => TakenBy::Given,
            MomentSource::WithOthers => TakenBy::WithOthers,
            MomentSource::EndOfLog => TakenBy::EndOfLog,
            MomentSource::Now => TakenBy::Now,
        }
    }

    /// What says when a list was taken, in a sentence with its times as `clock` writes them, and
    /// the line that it rests on.
    pub(crate) fn reason(
        &self,
        list: &str,
        clock: &dyn Fn(Timestamp) -> String,
    ) -> (String, Option<&Arc<Evidence>>) {
        let time = clock(self.latest);
        let assumed = |how: &str| {
            format!(
                "nothing says when {list} was taken: assumed at {time}, {how}; if it is older, \
                 everything may be earlier"
            )
        };
        match &self.source {
            MomentSource::Header => {
                let date = clock(before(self.latest, REST_OF_SECOND));
                (format!("the Date header of {list} says {date}, to the second"), None)
            }
            MomentSource::HeaderAndRequest(line) => {
                let [date, first] = [Some(before(self.latest, REST_OF_SECOND)), self.earliest]
                    .map(|it| it.map(clock));
                let text = format!(
                    "the Date header of {list} says {}, to the second, and the logs have no \
                     request for it in this second before {}",
                    date.unwrap_or_default(),
                    first.unwrap_or_default()
                );
                (text, Some(line))
            }
            MomentSource::Request(line) => {
                (format!("{list} was taken at {time}, when the log has its request"), Some(line))
            }
            MomentSource::Caller => (format!("{list} was taken at {time}, as was given"), None),
            MomentSource::WithOthers => (assumed("as the others"), None),
            MomentSource::EndOfLog => (assumed("where the log ends"), None),
            MomentSource::Now => {
                let date = rfc3339(self.latest);
                let how = format!("which is now, {date} (--at TIME says when it was)");
                (assumed(&how), None)
            }
        }
    }
}

impl Staleness {
    /// How old the state may be, and why.
    pub(crate) fn text(self) -> String {
        match self {
            Self::LastContact(age) => format!(
                "may be {} old, as its server had its last contact with a leader so long before \
                 (X-Consul-Lastcontact, X-Consul-Knownleader)",
                seconds(age)
            ),
            Self::Unknown => {
                "may be stale: it was asked for with ?stale, and no head of the answer says how \
                 old its state is"
                    .into()
            }
        }
    }
}
