//! The state of a lock or a semaphore at the cursor: a word, which is one of those of the reader of
//! incidents, and what a sentence says with it. Each fact is one of the world at the cursor; a time
//! that is ahead is of the forecast or has its condition, and is absent while a question is open.

use lictor_core::id::{ActorName, Key};
use lictor_core::time::Instant;
use lictor_sim::record::{DocumentFormat, Record, SessionTag};
use lictor_sim::{Condition, Takeover};

use super::takeover::TakeoverRow;
use super::{ForecastVisibility, HolderRow, RunningLockDelay, WorldView};

/// The state of a lock or a semaphore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Headline {
    Lock(LockHeadline),
    Semaphore(SemaphoreHeadline),
}

/// The state of a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockHeadline {
    /// The key as the page names it.
    pub key: String,
    pub state: LockState,
    /// When another client can get the lock; `None` while that is hidden.
    pub takeover: Option<TakeoverRow>,
    /// The clients that believe that they hold the lock, if there are more than may hold it, and
    /// since when.
    pub overlap: Option<(Vec<SessionTag>, Instant)>,
    /// A client that believes that it holds the lock, and does not.
    pub wrong: Option<SessionTag>,
}

/// Who holds a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockState {
    Held {
        holder: SessionTag,
        trouble: Option<Trouble>,
    },
    Delayed(RunningLockDelay),
    Free,
    /// No session holds it, and whether a lock-delay runs is hidden.
    NotHeld,
}

/// Why a client cannot send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    Crashed,
    Paused,
    CutOff,
}

/// The state of a semaphore.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SemaphoreHeadline {
    /// The prefix as the page names it.
    pub prefix: String,
    pub shape: DocumentFormat,
    pub limit: Option<u64>,
    /// The holders that its document lists.
    pub listed: Vec<SessionTag>,
    /// Those of them whose contender key is missing or not locked by their session.
    pub dead: Vec<SessionTag>,
    /// The other contenders that have a locked contender key.
    pub contenders: Vec<SessionTag>,
}

impl Headline {
    /// The state of a lock. `ahead` is the record at the end of the forecast, and `found` the
    /// takeover that a search has found.
    pub fn of_lock(
        view: WorldView<'_>,
        (ahead, visibility): (&Record, ForecastVisibility),
        key: &Key,
        found: Option<&Takeover>,
    ) -> Self {
        let row = view.lock(key);
        let (holder, delay) =
            row.as_ref().map_or((None, None), |row| (row.holder.clone(), row.delay.clone()));
        let takeover =
            (!visibility.is_hidden()).then(|| TakeoverRow::new(view.world, ahead, key, found));
        let believers = row.map(|row| row.believers).unwrap_or_default();
        let is_wrong = |tag: &&SessionTag| holder.as_ref().is_none_or(|holder| holder.tag != **tag);
        let wrong = believers.iter().find(is_wrong).cloned();
        let since = view.record.beliefs(key).and_then(|track| track.overlaps.last());
        let since = since.filter(|overlap| overlap.to.is_none()).map(|overlap| overlap.from);
        let overlap = since.map(|since| (believers, since));
        let state = match (holder, delay) {
            (Some(holder), _) => {
                let owner = holder.tag.owner.as_ref();
                let trouble = owner.and_then(|owner| trouble(view, &owner.name));
                LockState::Held { holder: holder.tag, trouble }
            }
            (None, _) if visibility.is_hidden() => LockState::NotHeld,
            (None, Some(delay)) => LockState::Delayed(delay),
            (None, None) => LockState::Free,
        };
        let key = view.record.key_name(key);
        Self::Lock(LockHeadline { key, state, takeover, overlap, wrong })
    }

    /// The state of a semaphore; `None` if there is none under this prefix.
    pub fn of_semaphore(view: WorldView<'_>, prefix: &Key) -> Option<Self> {
        let row = view.semaphore(prefix)?;
        let names = |is_meant: fn(&HolderRow) -> bool| {
            row.holders.iter().filter(|row| is_meant(row)).map(|row| row.tag.clone()).collect()
        };
        Some(Self::Semaphore(SemaphoreHeadline {
            prefix: if prefix.is_empty() { "/".to_owned() } else { prefix.to_string() },
            shape: row.shape,
            limit: row.limit,
            listed: names(|row| row.is_listed),
            dead: names(HolderRow::is_dead_and_listed),
            contenders: names(|row| !row.is_listed && row.is_live()),
        }))
    }

    /// The state in a word, which is the same in every language, with the number of slots that are
    /// taken. `None` while it is hidden.
    pub fn word(&self) -> Option<String> {
        let word = match self {
            Self::Lock(lock) => match lock.state {
                LockState::Held { .. } => "HELD",
                LockState::Delayed(_) => "DELAYED",
                LockState::Free => "FREE",
                LockState::NotHeld => return None,
            },
            Self::Semaphore(semaphore) => match (semaphore.shape, semaphore.listed.len()) {
                (DocumentFormat::Unreadable | DocumentFormat::Missing, _) => "CONTENDED",
                (_, 0) => "FREE",
                (_, taken) => {
                    let limit = semaphore.limit.map(|limit| format!("HELD {taken} of {limit}"));
                    return Some(limit.unwrap_or_else(|| "HELD".to_owned()));
                }
            },
        };
        Some(word.to_owned())
    }

    /// The key or the prefix, as the page names it.
    pub fn key(&self) -> &str {
        match self {
            Self::Lock(lock) => &lock.key,
            Self::Semaphore(semaphore) => &semaphore.prefix,
        }
    }

    /// Whether more clients believe that they hold the lock than may hold it.
    pub fn has_overlap(&self) -> bool {
        matches!(self, Self::Lock(lock) if lock.overlap.is_some())
    }
}

impl SemaphoreHeadline {
    /// Whether all slots are taken.
    pub fn is_full(&self) -> bool {
        self.limit.is_some_and(|limit| self.listed.len() as u64 >= limit)
    }
}

fn trouble(view: WorldView<'_>, actor: &ActorName) -> Option<Trouble> {
    let actor = view.world.actor(actor.as_str())?;
    match actor.condition {
        Condition::Down => Some(Trouble::Crashed),
        Condition::Paused => Some(Trouble::Paused),
        Condition::Up => actor.cut.map(|_| Trouble::CutOff),
    }
}
