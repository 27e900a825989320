//! The picture of an incident as values: what the sources show of locks, sessions and clients, in
//! lanes of real time. Each begin and each end has bounds, and what is not known is left out.

use alloc::string::String;
use alloc::vec::Vec;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What the sources show, as lanes of bars and marks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Picture {
    /// The moment for which the answers hold.
    #[serde(with = "written")]
    pub moment: Timestamp,
    /// For each key its lock, then the sessions and the clients that are about it.
    pub lanes: Vec<PictureLane>,
    /// How many keys have no lane, as there are too many.
    pub left_out_keys: usize,
    /// How many sessions and clients of the keys that have a lane have none.
    pub left_out_others: usize,
}

/// A lane of a [`Picture`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PictureLane {
    /// What the lane is about.
    pub kind: LaneKind,
    /// The key. A session that is about several keys has one lane, with the first.
    pub key: String,
    /// The key, the session as people name it, or the client.
    pub name: String,
    /// The id of the session, if the lane is about one.
    pub session: Option<String>,
    /// What lasts, in the order of time. The bars with `if_nobody_acts` follow the others.
    pub bars: Vec<PictureBar>,
    /// What happens at a moment, in the order of time.
    pub marks: Vec<PictureMark>,
    /// How many marks before these were left out, as there are too many.
    pub earlier_marks: usize,
    /// When another client can take the lock, or a slot of the semaphore, if nobody acts and the
    /// leader stays. `None` for other lanes, if it is not known who holds the key, and if this has
    /// no known bound, as of a holder without a TTL.
    pub open_from: Option<TimeBounds>,
}

/// What a [`PictureLane`] is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum LaneKind {
    /// Who holds a key, as the server has it.
    Lock,
    /// The document of a semaphore. Its lane has only the moment at which a slot is open; the
    /// sessions in its slots follow.
    Semaphore,
    /// The life of a session.
    Session,
    /// When a client believed that it holds a key, by its own log and its own clock.
    Client,
}

/// Something that lasts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PictureBar {
    /// What lasts.
    pub kind: BarKind,
    /// The id of the session that holds the key, or of which a client believes so.
    pub session: Option<String>,
    /// This session as people name it.
    pub name: Option<String>,
    /// When it begins. If the latest begin is after the earliest end, it is only known that it
    /// lasted at some moment between the two.
    pub begin: TimeBounds,
    /// When it ends. `None` if it lasts at the moment of the answer, or, with `if_nobody_acts`, as
    /// long as nobody acts.
    pub end: Option<TimeBounds>,
    /// Why it ends, if that is known.
    pub end_reason: Option<EndReason>,
    /// Whether this is what follows if nobody acts and the leader stays.
    pub if_nobody_acts: bool,
    /// Whether it rests on a list of which nothing says when it was taken.
    pub is_assumed: bool,
}

/// What a [`PictureBar`] shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum BarKind {
    /// A session holds the key.
    Held,
    /// No session holds the key. Perhaps a lock-delay refuses each acquire.
    Unheld,
    /// A lock-delay refuses each acquire.
    Delayed,
    /// The session lives.
    Lives,
    /// The client believes that it holds the key.
    Believes,
}

/// Why a [`PictureBar`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum EndReason {
    /// The session was not renewed for 2 x TTL.
    Expired,
    /// The session was destroyed.
    Destroyed,
    /// The node of the session failed.
    NodeFailed,
    /// The node of the session was removed.
    NodeRemoved,
    /// The client logged that it has lost the lock.
    Lost,
    /// The client logged that it has released the lock.
    Released,
}

/// The bounds of a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TimeBounds {
    /// It is not earlier; `None` if that is not known.
    #[serde(with = "written_or_null")]
    pub earliest: Option<Timestamp>,
    /// It is not later; `None` if that is not known.
    #[serde(with = "written_or_null")]
    pub latest: Option<Timestamp>,
}

/// Something that happens at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PictureMark {
    /// What happens.
    pub kind: MarkKind,
    /// When a log has it.
    #[serde(with = "written")]
    pub time: Timestamp,
    /// The id of the session that asks for the key.
    pub session: Option<String>,
    /// This session as people name it.
    pub name: Option<String>,
}

/// What a [`PictureMark`] shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum MarkKind {
    /// A session asks for the key; the log does not have the answer.
    Asked,
    /// The server refuses an acquire because of a lock-delay.
    Refused,
    /// The session is renewed, by the log of a server.
    Renewed,
    /// The session is renewed, by the log and the clock of a client.
    RenewedByClient,
    /// A leader is elected, and the TTL begins anew.
    Elected,
    /// The client logs that it holds the lock.
    Acquired,
    /// The client logs that it has lost the lock.
    Lost,
    /// The client logs that it has released the lock.
    Released,
}

impl TimeBounds {
    /// The bounds of a moment that is known.
    pub const fn exact(time: Timestamp) -> Self {
        Self { earliest: Some(time), latest: Some(time) }
    }

    /// These bounds. If they contradict each other, the earliest is not known.
    pub(crate) fn new(earliest: Option<Timestamp>, latest: Option<Timestamp>) -> Self {
        let is_possible = |earliest: &Timestamp| latest.is_none_or(|latest| *earliest <= latest);
        Self { earliest: earliest.filter(is_possible), latest }
    }

    /// Whether the moment is known exactly.
    pub fn is_exact(&self) -> bool {
        self.earliest.is_some() && self.earliest == self.latest
    }
}

impl PictureBar {
    /// A bar that ends after it begins, which narrows the bounds.
    pub(crate) fn new(kind: BarKind, begin: TimeBounds, end: Option<TimeBounds>) -> Self {
        let last = end.and_then(|end| end.latest);
        let latest = begin.latest.into_iter().chain(last).min();
        let begin = TimeBounds::new(begin.earliest, latest);
        let end = end.map(|end| TimeBounds::new(end.earliest.max(begin.earliest), end.latest));
        Self {
            kind,
            session: None,
            name: None,
            begin,
            end,
            end_reason: None,
            if_nobody_acts: false,
            is_assumed: false,
        }
    }

    /// A bar that begins at the moment of an answer, and is what follows if nobody acts.
    pub(crate) fn ahead(kind: BarKind, begin: TimeBounds, end: Option<TimeBounds>) -> Self {
        Self { if_nobody_acts: true, ..Self::new(kind, begin, end) }
    }

    pub(crate) fn of_session(self, id: &str, name: String) -> Self {
        Self { session: Some(id.into()), name: Some(name), ..self }
    }
}

/// A time as RFC 3339 has it, to the millisecond.
mod written {
    use alloc::string::String;

    use jiff::Timestamp;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::time::{parse, rfc3339};

    pub(super) fn serialize<S: Serializer>(
        time: &Timestamp,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&rfc3339(*time))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse(&text).ok_or_else(|| D::Error::custom("a time in RFC 3339 is expected"))
    }
}

/// The same, or null.
mod written_or_null {
    use alloc::string::String;

    use jiff::Timestamp;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::time::{parse, rfc3339};

    pub(super) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        time.map(rfc3339).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let parsed = text.map(|text| parse(&text).ok_or(D::Error::custom("no time in RFC 3339")));
        parsed.transpose()
    }
}
