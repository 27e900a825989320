//! What tests do to a server: an alphabet of steps over a few keys and two sessions, in which every
//! verb occurs, and a little generator that chooses among them.

use std::sync::Arc;
use std::time::Duration;

use lictor_core::engine::Engine;
use lictor_core::id::{Index, Key, SessionRef};
use lictor_core::message::{Operation, SessionDraft};
use lictor_core::store::txn::{TxnOp, TxnVerb};
use lictor_core::store::{KvVerb, Write};

/// The first is a prefix of the second.
pub const KEYS: [&str; 3] = ["a", "ab", "b"];

/// One step; keys and sessions are places in their lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Key(usize, OnKey),
    Lock(usize, usize, OnLock),
    /// Deletes everything, which leaves no mark (KV-18).
    DeleteAll,
    /// Locks the first two keys in one transaction.
    LockBoth(usize),
    Create(usize, Kind),
    Destroy(usize),
    Renew(usize),
    Wait(Duration),
    Failover,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnKey {
    Set(&'static str),
    /// Only if the key is not there.
    CasNew,
    /// Only if it was not changed since the last step.
    CasNow,
    Delete,
    DeleteCasOld,
    DeleteCasNow,
    DeleteTree,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnLock {
    Acquire(&'static str),
    Release,
    TxnLock,
    TxnUnlock,
    /// Writes the key and the next one, on condition that the session holds the key.
    Fenced,
}

/// What a session is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A TTL of 10 s, a lock-delay of 5 s; its keys are released.
    Short,
    /// No TTL, a lock-delay of 15 s; its keys are deleted.
    Deleting,
    /// A TTL of 16 s, no lock-delay.
    WithoutDelay,
    /// No TTL, a lock-delay of 90 s, of which 60 count.
    Patient,
}

impl Step {
    /// Everything that can be done to two keys and two sessions.
    pub fn alphabet() -> Vec<Self> {
        let mut steps = vec![Self::Wait(Duration::from_secs(12)), Self::Create(0, Kind::Short)];
        for session in 0..2 {
            steps.extend([Self::Destroy(session), Self::Renew(session), Self::LockBoth(session)]);
        }
        for key in 0..2 {
            steps.extend(OnKey::all("x").map(|verb| Self::Key(key, verb)));
            for session in 0..2 {
                steps.extend(OnLock::all("x").map(|verb| Self::Lock(key, session, verb)));
            }
        }
        steps
    }

    /// Any step over all keys and this number of sessions.
    pub fn any(dice: &mut Dice, sessions: usize) -> Self {
        let (key, session) = (dice.below(KEYS.len()), dice.below(sessions));
        let value = ["x", "y", ""][dice.below(3)];
        match dice.below(20) {
            0..6 => Self::Key(key, OnKey::all(value)[dice.below(7)]),
            6..12 => Self::Lock(key, session, OnLock::all(value)[dice.below(5)]),
            12 => Self::LockBoth(session),
            13 | 14 => Self::Create(session, Kind::ALL[dice.below(4)]),
            15 => Self::Destroy(session),
            16 => Self::Renew(session),
            17 if dice.below(8) == 0 => Self::Failover,
            19 if dice.below(4) == 0 => Self::DeleteAll,
            18 if dice.below(8) == 0 => Self::Wait(Duration::from_secs(400)),
            _ => Self::Wait(Duration::from_millis(dice.below(9_000) as u64)),
        }
    }

    /// What is asked of the server; none if time passes or the leader changes.
    pub fn operation(self, engine: &Engine, sessions: &[SessionRef]) -> Option<Operation> {
        Some(match self {
            Self::Key(key, verb) => on_key(engine, key, verb),
            Self::Lock(key, session, verb) => on_lock(key, &sessions[session], verb),
            Self::DeleteAll => Operation::Kv { key: Key::from(""), verb: KvVerb::DeleteTree },
            Self::LockBoth(session) => {
                let lock = |key| kv_op(key, TxnVerb::Write(acquire("x", &sessions[session])));
                Operation::Txn(vec![lock(0), lock(1)])
            }
            Self::Create(_, kind) => Operation::CreateSession(Box::new(kind.draft())),
            Self::Destroy(session) => Operation::DestroySession(sessions[session].clone()),
            Self::Renew(session) => Operation::RenewSession(sessions[session].clone()),
            Self::Wait(_) | Self::Failover => return None,
        })
    }
}

impl OnKey {
    fn all(value: &'static str) -> [Self; 7] {
        [
            Self::Set(value),
            Self::CasNew,
            Self::CasNow,
            Self::Delete,
            Self::DeleteCasOld,
            Self::DeleteCasNow,
            Self::DeleteTree,
        ]
    }
}

impl OnLock {
    fn all(value: &'static str) -> [Self; 5] {
        [Self::Acquire(value), Self::Release, Self::TxnLock, Self::TxnUnlock, Self::Fenced]
    }
}

impl Kind {
    pub const ALL: [Self; 4] = [Self::Short, Self::Deleting, Self::WithoutDelay, Self::Patient];

    fn draft(self) -> SessionDraft {
        let (ttl, lock_delay, behavior) = match self {
            Self::Short => ("10s", 5, "release"),
            Self::Deleting => ("", 15, "delete"),
            Self::WithoutDelay => ("16s", 0, "release"),
            Self::Patient => ("0s", 90, "release"),
        };
        SessionDraft {
            node: None,
            name: Arc::default(),
            lock_delay: lock_delay * 1_000_000_000,
            behavior: Arc::from(behavior),
            ttl: Arc::from(ttl),
            node_checks: Some(Vec::new()),
            service_checks: None,
            checks: None,
        }
    }
}

/// A generator of choices: the same for the same seed.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`.
    pub fn below(&mut self, sides: usize) -> usize {
        let next = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.0 = next;
        (next >> 33) as usize % sides.max(1)
    }

    pub fn one_of<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}

fn on_key(engine: &Engine, key: usize, verb: OnKey) -> Operation {
    let entry = engine.store().kv().get(KEYS[key]);
    let now = entry.map_or(Index::ZERO, |entry| entry.modify_index);
    let verb = match verb {
        OnKey::Set(value) => KvVerb::Set(write(value)),
        OnKey::CasNew => KvVerb::Cas { write: write("x"), expected: Index::ZERO },
        OnKey::CasNow => KvVerb::Cas { write: write("z"), expected: now },
        OnKey::Delete => KvVerb::Delete,
        OnKey::DeleteCasOld => KvVerb::DeleteCas { expected: Index(1) },
        OnKey::DeleteCasNow => KvVerb::DeleteCas { expected: now },
        OnKey::DeleteTree => KvVerb::DeleteTree,
    };
    Operation::Kv { key: Key::from(KEYS[key]), verb }
}

fn on_lock(key: usize, session: &SessionRef, verb: OnLock) -> Operation {
    let release = || KvVerb::Release { write: write("x"), session: session.clone() };
    let single = |verb| Operation::Kv { key: Key::from(KEYS[key]), verb };
    let txn = |verb| Operation::Txn(vec![kv_op(key, verb)]);
    match verb {
        OnLock::Acquire(value) => single(acquire(value, session)),
        OnLock::Release => single(release()),
        OnLock::TxnLock => txn(TxnVerb::Write(acquire("x", session))),
        OnLock::TxnUnlock => txn(TxnVerb::Write(release())),
        OnLock::Fenced => {
            let next = (key + 1) % KEYS.len();
            let set = |key, value| kv_op(key, TxnVerb::Write(KvVerb::Set(write(value))));
            let check = kv_op(key, TxnVerb::CheckSession(session.clone()));
            Operation::Txn(vec![set(next, "fenced"), check, set(key, "x")])
        }
    }
}

fn acquire(value: &str, session: &SessionRef) -> KvVerb {
    KvVerb::Acquire { write: write(value), session: session.clone() }
}

fn write(value: &str) -> Write {
    Write { value: Arc::from(value.as_bytes()), flags: value.len() as u64 }
}

fn kv_op(key: usize, verb: TxnVerb) -> TxnOp {
    TxnOp::Kv { key: Key::from(KEYS[key]), verb }
}
