//! A client library from crates.io, `rs-consul`, against a server in the same process: it takes a
//! lock, another client is refused, and the lock is lost when its session is not renewed.

use std::error::Error;
use std::time::Duration;

use lictor_agent::Server;
use rs_consul::types::{LockRequest, ReadKeyRequest};
use rs_consul::{Config, Consul, ConsulError};

const KEY: &str = "service/db/leader";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder().manual_clock().start()?;
    let address = format!("http://{}", server.addr());
    let client = || Consul::new(Config { address: address.clone(), ..Config::default() });
    let (one, two) = (client(), client());

    let timeout = Duration::from_secs(10);
    let request = LockRequest { key: KEY, timeout, ..LockRequest::default() };
    let lock = one.get_lock(request, b"web-1").await?;
    let refused = two.get_lock(request, b"web-2").await;
    assert!(matches!(refused, Err(ConsulError::LockAcquisitionFailure(_))));

    // The session ends after twice its TTL, and the lock-delay one second later.
    server.advance(Duration::from_secs(21))?;
    let read = ReadKeyRequest { key: KEY, ..ReadKeyRequest::default() };
    assert!(two.read_key(read).await?.response[0].session.is_none());
    let second = two.get_lock(request, b"web-2").await?;
    assert_ne!(second.session_id, lock.session_id);
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
