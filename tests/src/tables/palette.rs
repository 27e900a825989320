//! The results of a call of a program in the tables, by operation: one of each kind.

use std::sync::Arc;

use lictor_core::id::{CheckId, Index, Key, NodeName, SessionId, SessionRef};
use lictor_core::message::{Answer, Failure, Operation, Response};
use lictor_core::store::{Behavior, Entry, Found, Hold, KvVerb, Query, Session, SessionTtl};
use lictor_recipes::{LOCK_FLAG, SEMAPHORE_FLAG};

pub(super) const KEY: &str = "k";
pub(super) const LIMIT: i64 = 1;

/// A session of another client.
const OTHER: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";

type CallOutcome = Result<Response, Failure>;

/// The possible results of an operation, each with its meaning in the words of the tables. `own` is
/// the session of the program, if it has one.
pub(super) fn answers(
    operation: &Operation,
    own: Option<&SessionRef>,
) -> Vec<(&'static str, CallOutcome)> {
    let mut answers = match operation {
        Operation::CreateSession(_) => {
            vec![("a session", Answer::Created(SessionId::from_bytes([1; 16])))]
        }
        Operation::RenewSession(_) => vec![
            ("renewed", Answer::Renewed(session("15s"))),
            ("renewed, without a TTL", Answer::Renewed(session(""))),
        ],
        Operation::Kv { verb: KvVerb::Delete | KvVerb::DeleteTree, .. } => {
            vec![("`true`", Answer::Flag(true))]
        }
        Operation::Kv { .. } => {
            vec![("`true`", Answer::Flag(true)), ("`false`", Answer::Flag(false))]
        }
        Operation::Read { query: Query::Tree(_), .. } => trees(own),
        Operation::Read { query: Query::Key(key), .. } if key.as_str() == KEY => entries(own),
        Operation::Read { .. } => documents(own),
        _ => vec![("an answer", Answer::Flag(true))],
    }
    .into_iter()
    .map(|(meaning, answer)| (meaning, Ok(Response { index: Index(9), answer, reason: None })))
    .collect::<Vec<_>>();
    if matches!(operation, Operation::RenewSession(_)) {
        answers.push(("404", status(404)));
    }
    answers.push(("a failure", status(500)));
    answers
}

fn status(code: u16) -> CallOutcome {
    Err(Failure::Status { code, text: "no".into() })
}

/// The possible entries at the key of a lock.
fn entries(own: Option<&SessionRef>) -> Vec<(&'static str, Answer)> {
    let found = |entry| Answer::Found(Found::Entry(entry));
    let mut entries = vec![
        ("no key", found(None)),
        ("nobody holds the key", found(Some(entry(KEY, LOCK_FLAG, None)))),
        ("another holds the key", found(Some(entry(KEY, LOCK_FLAG, Some(&OTHER.into()))))),
        ("other flags", found(Some(entry(KEY, 0, None)))),
    ];
    if let Some(own) = own {
        let held = entry(KEY, LOCK_FLAG, Some(own));
        entries.push(("its session holds the key", found(Some(held))));
    }
    entries
}

/// The possible entries under the prefix of a semaphore.
fn trees(own: Option<&SessionRef>) -> Vec<(&'static str, Answer)> {
    let other = SessionRef::from(OTHER);
    let held_by = |flags, text: String| {
        let contender = entry("k/other", SEMAPHORE_FLAG, Some(&other));
        Answer::Found(Found::Entries(vec![contender, document(flags, &text)]))
    };
    let full = format!("{{\"Limit\":{LIMIT},\"Holders\":{{\"{OTHER}\":true}}}}");
    let dead = format!("{{\"Limit\":{LIMIT},\"Holders\":{{\"dead\":true}}}}");
    let mut trees = vec![
        ("no document", Answer::Found(Found::Entries(Vec::new()))),
        ("all slots are held", held_by(SEMAPHORE_FLAG, full)),
        ("a dead holder", held_by(SEMAPHORE_FLAG, dead)),
        ("another limit", held_by(SEMAPHORE_FLAG, "{\"Limit\":7}".into())),
        ("other flags", held_by(0, String::new())),
        ("no document of this kind", held_by(SEMAPHORE_FLAG, "x".into())),
    ];
    if let Some(own) = own {
        let text = format!("{{\"Limit\":{LIMIT},\"Holders\":{{\"{own}\":true}}}}");
        let mine = entry("k/mine", SEMAPHORE_FLAG, Some(own));
        let listed = vec![mine, document(SEMAPHORE_FLAG, &text)];
        trees.push(("it is a holder", Answer::Found(Found::Entries(listed))));
    }
    trees
}

/// The document of a semaphore alone.
fn documents(own: Option<&SessionRef>) -> Vec<(&'static str, Answer)> {
    let found = |entry| Answer::Found(Found::Entry(entry));
    let mut documents = vec![
        ("it is not listed", found(None)),
        ("no document of this kind", found(Some(document(SEMAPHORE_FLAG, "x")))),
    ];
    if let Some(own) = own {
        let text = format!("{{\"Limit\":{LIMIT},\"Holders\":{{\"{own}\":true}}}}");
        documents.push(("it is listed", found(Some(document(SEMAPHORE_FLAG, &text)))));
    }
    documents
}

fn document(flags: u64, text: &str) -> Arc<Entry> {
    let mut document = Entry::clone(&entry("k/.lock", flags, None));
    document.value = text.as_bytes().into();
    Arc::new(document)
}

fn entry(key: &str, flags: u64, holder: Option<&SessionRef>) -> Arc<Entry> {
    Arc::new(Entry {
        key: Key::from(key),
        value: Arc::default(),
        flags,
        lock_index: 1,
        hold: holder.map(|session| Hold { session: session.clone(), since: Index(9) }),
        create_index: Index(5),
        modify_index: Index(9),
    })
}

fn session(ttl: &str) -> Arc<Session> {
    Arc::new(Session {
        id: SessionId::from_bytes([1; 16]),
        name: Arc::default(),
        node: NodeName::from("n1"),
        lock_delay: 0,
        behavior: Behavior::Release,
        ttl: SessionTtl::parse(ttl.into()).expect("a duration"),
        node_checks: Some(vec![CheckId::from("serfHealth")]),
        service_checks: None,
        checks: None,
        create_index: Index(5),
    })
}
