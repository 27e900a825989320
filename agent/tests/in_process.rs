//! A server in the process of its caller, from blocking and from async code.

use std::net::TcpStream;
use std::time::Duration;

use lictor_agent::{ControlError, Server, ServerError};

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
        matches!(refused, Err(ServerError::Listen { address, .. }) if address == server.addr())
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
