//! The rows of the benchmark: each prepares an engine and returns the work to time. Preparation is
//! not timed.

use std::sync::Arc;

use lictor_core::engine::{Config, Engine, Input, Snapshot, TTL_GRACE};
use lictor_core::http::{self, Agent, HttpRequest};
use lictor_core::id::{Key, RequestId, SessionRef};
use lictor_core::message::{Consistency, Operation};
use lictor_core::store::txn::{TxnOp, TxnVerb};
use lictor_core::store::{KvVerb, Query, Write};
use lictor_core::time::Instant;

use super::prepared_engine::{
    NOW, PreparedEngine, acquire, create_session, key, put, release, step, write,
};
use super::{BenchRow, BenchWork, SIZES, timeline};

/// The number of operations in one measurement, unless the store is smaller or a row is slow.
const BATCH: usize = 2_000;
const LARGE: &[usize] = &[100_000];
const EVENTS: &[usize] = &[10_000, 100_000];

/// All rows, in the order of the printed table.
pub const ROWS: &[BenchRow] = &[
    BenchRow { name: "insert", sizes: &SIZES, prepare: insert },
    BenchRow { name: "update", sizes: &SIZES, prepare: update },
    BenchRow { name: "get", sizes: &SIZES, prepare: get },
    BenchRow { name: "list 1 % of the keys", sizes: &SIZES, prepare: |n| list(n, 100) },
    BenchRow {
        name: "list 0.1 % of the keys",
        sizes: &[100_000, 1_000_000],
        prepare: |n| list(n, 1_000),
    },
    BenchRow { name: "keys with separator, 100 folders", sizes: &SIZES, prepare: separator },
    BenchRow { name: "session create", sizes: &SIZES, prepare: session_create },
    BenchRow { name: "acquire", sizes: &SIZES, prepare: acquire_free },
    BenchRow { name: "acquire, refused", sizes: &SIZES, prepare: acquire_held },
    BenchRow { name: "release", sizes: &SIZES, prepare: release_held },
    BenchRow { name: "renew", sizes: &SIZES, prepare: renew },
    BenchRow { name: "destroy, holding nothing", sizes: &SIZES, prepare: |n| destroy(n, 0) },
    BenchRow {
        name: "destroy, for each of 1,000 held",
        sizes: LARGE,
        prepare: |n| destroy(n, 1_000),
    },
    BenchRow {
        name: "destroy, for each of 10,000 held",
        sizes: LARGE,
        prepare: |n| destroy(n, 10_000),
    },
    BenchRow { name: "expiry, for each of 100,000 sessions", sizes: LARGE, prepare: expiry },
    BenchRow { name: "txn of 10 sets", sizes: &SIZES, prepare: txn },
    BenchRow { name: "delete", sizes: &SIZES, prepare: delete },
    BenchRow {
        name: "update, 100 queries parked elsewhere",
        sizes: &SIZES,
        prepare: |n| parked(n, 100),
    },
    BenchRow {
        name: "update, 10,000 parked elsewhere",
        sizes: &SIZES,
        prepare: |n| parked(n, 10_000),
    },
    BenchRow { name: "update that wakes 1,000, for each", sizes: LARGE, prepare: wakes },
    BenchRow { name: "snapshot, for each key", sizes: &SIZES, prepare: snapshot },
    BenchRow { name: "restore, for each key", sizes: &SIZES, prepare: restore },
    BenchRow { name: "PUT over HTTP values", sizes: &SIZES, prepare: http_put },
    BenchRow { name: "GET over HTTP values", sizes: &SIZES, prepare: http_get },
    BenchRow {
        name: "timeline: seek, 1,000 keys, by events",
        sizes: EVENTS,
        prepare: timeline::seek,
    },
    BenchRow {
        name: "timeline: seek, the slowest of 400",
        sizes: EVENTS,
        prepare: timeline::seek_worst,
    },
    BenchRow { name: "timeline: four events back", sizes: EVENTS, prepare: timeline::step_back },
    BenchRow {
        name: "timeline: record, for each request",
        sizes: EVENTS,
        prepare: timeline::record,
    },
    BenchRow {
        name: "timeline: link and back, for each act",
        sizes: EVENTS,
        prepare: timeline::link,
    },
];

/// Work that makes one request after the other.
fn requests(prepared: PreparedEngine, operations: Vec<Operation>) -> BenchWork {
    BenchWork {
        engine: prepared.engine,
        operations: operations.len(),
        places: None,
        run: Box::new(move |engine| {
            for (id, operation) in operations.iter().enumerate() {
                drop(step(engine, id as u64, operation.clone()));
            }
        }),
    }
}

/// The numbers of keys that are spread over the whole store.
fn places(count: usize) -> impl Iterator<Item = usize> {
    let batch = BATCH.min(count);
    (0..batch).map(move |number| (number * 7_919) % count)
}

fn insert(count: usize) -> BenchWork {
    let new = places(count).map(|place| put(&Key::from(format!("{}-new", key(place)))));
    requests(PreparedEngine::with_keys(count), new.collect())
}

fn update(count: usize) -> BenchWork {
    requests(
        PreparedEngine::with_keys(count),
        places(count).map(|place| put_other(&key(place))).collect(),
    )
}

/// A write with a new value, because an unchanged one would be skipped.
fn put_other(key: &Key) -> Operation {
    let other = Write { value: Arc::from(key.as_str().as_bytes()), flags: 1 };
    Operation::Kv { key: key.clone(), verb: KvVerb::Set(other) }
}

fn get(count: usize) -> BenchWork {
    let reads = places(count).map(|place| Operation::Read {
        query: Query::Key(key(place)),
        wait: None,
        consistency: Consistency::Default,
    });
    requests(PreparedEngine::with_keys(count), reads.collect())
}

fn list(count: usize, part: usize) -> BenchWork {
    // Folders hold a hundred keys; a prefix with fewer digits takes ten, a hundred, ... of them.
    let digits = 4 - (count / part / 100).max(1).ilog10() as usize;
    let prefix = Key::from(&format!("service/app-{:04}/", 0)[.."service/app-".len() + digits]);
    let reads = (0..20).map(|_| Operation::Read {
        query: Query::Tree(prefix.clone()),
        wait: None,
        consistency: Consistency::Default,
    });
    requests(PreparedEngine::with_keys(count), reads.collect())
}

fn separator(count: usize) -> BenchWork {
    let query = Query::Keys { prefix: Key::from("service/app-00"), separator: Some("/".into()) };
    let reads = (0..20).map(|_| Operation::Read {
        query: query.clone(),
        wait: None,
        consistency: Consistency::Default,
    });
    requests(PreparedEngine::with_keys(count), reads.collect())
}

fn session_create(count: usize) -> BenchWork {
    requests(PreparedEngine::with_keys(count), (0..BATCH).map(|_| create_session("30s")).collect())
}

fn acquire_free(count: usize) -> BenchWork {
    let mut prepared = PreparedEngine::with_keys(count);
    let session = SessionRef::from(prepared.session(""));
    requests(prepared, places(count).map(|place| acquire(&key(place), &session)).collect())
}

/// An engine in which one session holds many keys.
fn holding(count: usize) -> (PreparedEngine, SessionRef) {
    let mut prepared = PreparedEngine::with_keys(count);
    let session = SessionRef::from(prepared.session(""));
    for place in places(count) {
        prepared.run(acquire(&key(place), &session));
    }
    (prepared, session)
}

fn acquire_held(count: usize) -> BenchWork {
    let (mut prepared, _) = holding(count);
    let other = SessionRef::from(prepared.session(""));
    requests(prepared, places(count).map(|place| acquire(&key(place), &other)).collect())
}

fn release_held(count: usize) -> BenchWork {
    let (prepared, session) = holding(count);
    requests(prepared, places(count).map(|place| release(&key(place), &session)).collect())
}

fn renew(count: usize) -> BenchWork {
    let mut prepared = PreparedEngine::with_keys(count);
    let sessions: Vec<_> = (0..BATCH).map(|_| SessionRef::from(prepared.session("30s"))).collect();
    requests(prepared, sessions.into_iter().map(Operation::RenewSession).collect())
}

fn destroy(count: usize, held: usize) -> BenchWork {
    let mut prepared = PreparedEngine::with_keys(count);
    let sessions = if held == 0 { BATCH } else { 1 };
    let sessions: Vec<_> = (0..sessions).map(|_| SessionRef::from(prepared.session(""))).collect();
    for place in 0..held {
        prepared.run(acquire(&key(place), &sessions[0]));
    }
    let work = requests(prepared, sessions.into_iter().map(Operation::DestroySession).collect());
    BenchWork { operations: work.operations.max(held), ..work }
}

fn expiry(count: usize) -> BenchWork {
    let mut prepared = PreparedEngine::with_keys(1_000);
    for _ in 0..count {
        prepared.session("30s");
    }
    let end = NOW.plus(std::time::Duration::from_secs(30) * TTL_GRACE);
    BenchWork {
        engine: prepared.engine,
        operations: count,
        places: None,
        run: Box::new(move |engine| drop(engine.step(end, Input::Tick))),
    }
}

fn txn(count: usize) -> BenchWork {
    let set = |place| TxnOp::Kv {
        key: key(place),
        verb: TxnVerb::Write(KvVerb::Set(Write { flags: 1, ..write() })),
    };
    let places: Vec<usize> = places(count).collect();
    let txns = places.chunks(10).map(|chunk| chunk.iter().map(|place| set(*place)).collect());
    requests(PreparedEngine::with_keys(count), txns.map(Operation::Txn).collect())
}

fn delete(count: usize) -> BenchWork {
    let deletes =
        places(count).map(|place| Operation::Kv { key: key(place), verb: KvVerb::Delete });
    requests(PreparedEngine::with_keys(count), deletes.collect())
}

fn parked(count: usize, queries: usize) -> BenchWork {
    let mut prepared = PreparedEngine::with_keys(count);
    for place in 0..queries / 2 {
        prepared.park(Query::Key(Key::from(format!("elsewhere/{place}"))));
        prepared.park(Query::Tree(Key::from(format!("other/{place}/"))));
    }
    requests(prepared, places(count).map(|place| put_other(&key(place))).collect())
}

/// Writes the state of a server as bytes.
fn snapshot(count: usize) -> BenchWork {
    let run = |engine: &mut Engine| drop(bytes_of(&engine.snapshot()));
    BenchWork {
        engine: PreparedEngine::with_keys(count).engine,
        operations: count,
        run: Box::new(run),
        places: None,
    }
}

fn restore(count: usize) -> BenchWork {
    let engine = PreparedEngine::with_keys(count).engine;
    let bytes = bytes_of(&engine.snapshot());
    let run = move |engine: &mut Engine| {
        let kept = postcard::from_bytes(&bytes).expect("what was written can be read");
        *engine = Engine::restart(Config::default(), 42, kept);
    };
    BenchWork {
        engine: Engine::new(Config::default(), 42),
        operations: count,
        run: Box::new(run),
        places: None,
    }
}

fn bytes_of(kept: &Snapshot) -> Vec<u8> {
    postcard::to_extend(kept, Vec::new()).expect("a Vec takes all bytes")
}

fn wakes(count: usize) -> BenchWork {
    let mut prepared = PreparedEngine::with_keys(count);
    let index = prepared.engine.index();
    for id in 0..1_000 {
        let wait = lictor_core::message::Wait {
            min_index: index,
            timeout: std::time::Duration::from_secs(600),
        };
        let query = Query::Key(key(1));
        step(
            &mut prepared.engine,
            1_000_000 + id,
            Operation::Read { query, wait: Some(wait), consistency: Consistency::Default },
        );
    }
    let work = requests(prepared, vec![put_other(&key(1))]);
    BenchWork { operations: 1_000, ..work }
}

fn http_put(count: usize) -> BenchWork {
    http_work(count, |place| {
        HttpRequest::new("PUT", &format!("/v1/kv/{}?flags=7", key(place)), b"forty bytes")
    })
}

fn http_get(count: usize) -> BenchWork {
    http_work(count, |place| HttpRequest::new("GET", &format!("/v1/kv/{}", key(place)), b""))
}

/// Decodes requests, steps the engine and encodes the answers.
fn http_work(count: usize, request: fn(usize) -> HttpRequest) -> BenchWork {
    let agent = Agent::of(&Config::default());
    let requests: Vec<_> = places(count).map(request).collect();
    let at = Instant::from_millis(1_000);
    BenchWork {
        engine: PreparedEngine::with_keys(count).engine,
        operations: requests.len(),
        places: None,
        run: Box::new(move |engine: &mut Engine| {
            for request in &requests {
                let call = http::decode(&agent, request).expect("a plain request");
                let input = Input::Request { id: RequestId(0), request: call.request };
                for effect in engine.step(at, input) {
                    if let lictor_core::engine::Effect::Reply { result, .. } = effect {
                        drop(http::encode(&agent, &call.format, &result));
                    }
                }
            }
        }),
    }
}
