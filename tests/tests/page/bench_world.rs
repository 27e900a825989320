//! The worlds of the page's benchmark: clients that contend for locks and semaphores, ten sessions
//! for each client, and any number of keys.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use lictor_core::engine::Config;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, Key, ProgramName};
use lictor_core::time::Instant;
use lictor_recipes::{
    Lock, LockOptions, Naive, Order, Program, Recipe, Semaphore, SemaphoreOptions, UserPolicy,
};
use lictor_sim::journal::{Journal, Start};
use lictor_sim::{Act, HttpClient, JournalEntry, Network, ObservedPast};
use serde_json::json;

/// Sessions of each client, besides the one that its program creates.
const SESSIONS: usize = 9;
/// How many clients contend for each lock and each semaphore.
const RIVALS: usize = 5;
/// The number of writes in one transaction; Consul 1.13 accepts no more.
const TXN: usize = 64;

/// The size of a world.
#[derive(Clone, Copy)]
pub(crate) struct WorldSize {
    pub(crate) clients: usize,
    pub(crate) keys: u64,
}

/// The acts that build a world before it is measured.
pub(crate) fn journal(size: WorldSize) -> Journal {
    let WorldSize { clients, keys } = size;
    let mut acts: Vec<Act> = (0..clients).map(|it| Act::Join { actor: client(it) }).collect();
    let places: Vec<u64> = (0..keys).collect();
    acts.extend(places.chunks(TXN).map(|some| request(0, "/v1/txn", &sets(some))));
    let draft = json!({ "TTL": "24h", "NodeChecks": [] }).to_string();
    let sessions = (0..clients * SESSIONS).map(|it| it % clients);
    acts.extend(sessions.map(|it| request(it, "/v1/session/create", &draft)));
    for number in 0..clients {
        let (actor, program) = (client(number), ProgramName::from(format!("p{number}")));
        let initial = Arc::new(program_of(number));
        acts.push(Act::Spawn {
            actor,
            program: program.clone(),
            initial,
            resource: None,
            http: HttpClient::Go,
        });
        acts.push(Act::Order { program, order: Order::Start });
    }
    let entries = acts.into_iter().map(|act| JournalEntry { at: Instant::EPOCH, act }).collect();
    let start = Start::Fresh { seed: 42, config: Config::default(), network: Network::Tcp };
    let (observed, end) = (ObservedPast::default(), Instant::from_millis(60_000));
    Journal { start, observed, entries, end }
}

fn client(number: usize) -> ActorName {
    ActorName::from(format!("web-{}", number + 1))
}

fn request(number: usize, target: &str, body: &str) -> Act {
    let request = HttpRequest::new("PUT", target, body.as_bytes());
    Act::Request { actor: client(number), request }
}

/// The body of a transaction that writes the keys with these numbers.
fn sets(places: &[u64]) -> String {
    let set = |place: &u64| {
        let key = format!("service/app-{:04}/{:06}", place / 100, place);
        json!({ "KV": { "Verb": "set", "Key": key, "Value": STANDARD.encode("a value") } })
    };
    json!(places.iter().map(set).collect::<Vec<_>>()).to_string()
}

/// The program of a client. A third of the clients contend for locks of the Go client, a third for
/// slots of semaphores, and a third for locks of shell scripts. All hold for some seconds and start
/// again.
fn program_of(number: usize) -> Program {
    let place = number / 3 / RIVALS;
    let span = |least: u64| Duration::from_millis(least + number as u64 * 37);
    let policy = UserPolicy::default().with_hold(span(4_000)).with_again(span(1_000));
    let recipe = match number % 3 {
        0 => {
            let lock = Lock::new(LockOptions::new(&format!("locks/{place}"), b"mine"));
            Recipe::Lock(Box::new(lock.expect("it has a key")))
        }
        1 => {
            let semaphore = Semaphore::new(SemaphoreOptions::new(&format!("jobs/{place}/"), 2));
            Recipe::Semaphore(Box::new(semaphore.expect("it has a prefix and a limit")))
        }
        _ => Recipe::Naive(Naive::new(Key::from(format!("scripts/{place}")), b"mine")),
    };
    Program::new(recipe).with_request_timeout(Duration::from_secs(30)).with_policy(policy)
}
