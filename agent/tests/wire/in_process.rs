//! A server in the process of its caller, from blocking and from async code.

use std::fmt::Debug;
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::mpsc::channel;
use std::time::{Duration, SystemTime};

use lictor_agent::lictor_core::id::SessionId;
use lictor_agent::{
    ControlError, FieldValue, ListenAddress, LogLevel, LogLine, Server, ServerError,
};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

type Result = std::result::Result<(), Box<dyn std::error::Error>>;

fn create_session(server: &Server, body: &str) -> std::result::Result<String, ureq::Error> {
    let url = format!("http://{}/v1/session/create", server.addr());
    ureq::put(url).send(body)?.body_mut().read_to_string()
}

#[test]
fn a_server_listens_while_its_value_lives() -> Result {
    let server = Server::builder().start()?;
    let addr = server.addr();
    assert!(addr.ip().is_loopback() && addr.port() != 0);
    TcpStream::connect(addr)?;
    drop(server);
    assert!(TcpStream::connect(addr).is_err(), "nobody listens any more");
    Ok(())
}

#[test]
fn time_advances_only_as_the_test_says() -> Result {
    let server = Server::builder().manual_clock().start()?;
    create_session(&server, r#"{"TTL": "10s"}"#)?;
    let before = server.advance(Duration::from_secs(19))?;
    assert_eq!(before.now.as_millis(), 19_000);
    assert_eq!(server.state()?.store().sessions().len(), 1);
    let after = server.advance_to_next()?;
    assert_eq!(after.now.as_millis(), 20_000);
    assert_eq!(server.state()?.store().sessions().len(), 0);
    Ok(())
}

#[test]
fn a_failover_restarts_the_ttl() -> Result {
    let server = Server::builder().manual_clock().start()?;
    create_session(&server, r#"{"TTL": "10s"}"#)?;
    server.advance(Duration::from_secs(19))?;
    let reading = server.failover()?;
    let (next, _) = reading.next.ok_or("the session has a TTL")?;
    assert_eq!(next.as_millis(), 39_000);
    Ok(())
}

#[test]
fn a_session_expires_at_once() -> Result {
    let server = Server::builder().start()?;
    let created: serde_json::Value =
        serde_json::from_str(&create_session(&server, r#"{"TTL": "10s"}"#)?)?;
    let id = created["ID"].as_str().and_then(SessionId::parse).ok_or("an id")?;
    server.expire(id)?;
    assert_eq!(server.state()?.store().sessions().len(), 0);
    assert!(matches!(server.expire(id), Err(ControlError::NoSession(_))));
    Ok(())
}

#[test]
fn a_server_in_real_time_cannot_be_advanced() -> Result {
    let server = Server::builder().start()?;
    let refused = server.advance(Duration::from_secs(1));
    assert!(matches!(refused, Err(ControlError::RealClock)));
    assert_eq!(server.clock()?.waiting, 0);
    Ok(())
}

#[test]
fn the_same_seed_gives_the_same_ids() -> Result {
    let created = |seed| -> std::result::Result<String, Box<dyn std::error::Error>> {
        Ok(create_session(&Server::builder().seed(seed).start()?, "")?)
    };
    assert_eq!(created(7)?, created(7)?);
    assert_ne!(created(7)?, created(8)?);
    Ok(())
}

#[test]
fn an_address_that_is_taken_is_an_error() -> Result {
    let server = Server::builder().start()?;
    let refused = Server::builder().listen(server.addr()).start();
    assert!(
        matches!(refused, Err(ServerError::Listen { address: ListenAddress::Tcp(address), .. })
            if address == server.addr())
    );
    server.stop()?;
    Ok(())
}

#[test]
fn the_longest_timeouts_and_spans_are_accepted() -> Result {
    let longest = Duration::MAX;
    let server = Server::builder().client_timeout(longest).body_timeout(longest).manual_clock();
    let server = server.start()?;
    create_session(&server, "{}")?;
    server.advance(longest)?;
    Ok(server.stop()?)
}

#[test]
fn lines_of_the_log_are_values() -> Result {
    let (lines, log) = channel();
    let sink = move |line: &LogLine| drop(lines.send(line.clone()));
    let server = Server::builder().manual_clock().log(LogLevel::Warn, sink).start()?;
    let id: serde_json::Value = serde_json::from_str(&create_session(&server, "")?)?;
    let id = id["ID"].as_str().ok_or("an id")?;
    let url = format!("http://{}/v1", server.addr());
    ureq::put(format!("{url}/kv/db/leader?acquire={id}")).send("")?;
    ureq::put(format!("{url}/session/destroy/{id}")).send("")?;
    assert_eq!(log.try_iter().count(), 0, "nothing above the level");
    server.advance(Duration::from_secs(5))?;
    ureq::put(format!("{url}/kv/db/leader?acquire={id}")).send("")?;
    let refused = log.try_recv()?;
    assert_eq!((refused.level(), refused.module()), (LogLevel::Warn, "agent.server.kvs"));
    assert_eq!(refused.message(), "Rejecting lock of key due to lock-delay");
    assert_eq!(refused.field("key"), Some(&FieldValue::Text("db/leader".into())));
    assert_eq!(refused.time(), SystemTime::UNIX_EPOCH + Duration::from_secs(5));
    Ok(())
}

/// A subscriber that keeps the messages of events.
struct Messages;

static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

impl Subscriber for Messages {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Message(event.metadata()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Message(&'static Metadata<'static>);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            let message = format!("{} {value:?}", self.0.level());
            MESSAGES.lock().expect("no panic").push(message);
        }
    }
}

#[test]
fn without_a_sink_the_log_goes_to_tracing() -> Result {
    tracing::subscriber::set_global_default(Messages)?;
    let server = Server::builder().manual_clock().start()?;
    create_session(&server, r#"{"TTL": "10s"}"#)?;
    server.advance(Duration::from_secs(20))?;
    let messages = MESSAGES.lock()?;
    let is_expiry = |it: &String| it.starts_with("DEBUG Session TTL expired: session=");
    assert!(messages.iter().any(is_expiry), "{messages:?}");
    Ok(())
}

#[tokio::test]
async fn async_code_uses_it_on_its_own_thread() -> Result {
    let server = Server::builder().manual_clock().start()?;
    let addr = server.addr();
    let create = move || ureq::put(format!("http://{addr}/v1/session/create")).send("").map(drop);
    tokio::task::spawn_blocking(create).await??;
    server.advance(Duration::from_secs(1))?;
    assert_eq!(server.state()?.store().sessions().len(), 1);
    Ok(())
}
