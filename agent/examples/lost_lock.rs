//! A lost lock without sleeping: the manual clock passes the holder's TTL and the lock-delay in
//! microseconds, and a client that waits for the key learns of it.

use std::error::Error;
use std::thread;
use std::time::Duration;

use lictor_agent::Server;
use serde_json::Value;

const KEY: &str = "kv/service/db/leader";

fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: lost
    let server = Server::builder().manual_clock().start()?;
    let url = format!("http://{}/v1", server.addr());
    let session = |body: &str| -> Result<String, Box<dyn Error>> {
        let created: Value =
            ureq::put(format!("{url}/session/create")).send(body)?.body_mut().read_json()?;
        Ok(created["ID"].as_str().ok_or("no id")?.to_owned())
    };
    let acquire = |id: &str| {
        ureq::put(format!("{url}/{KEY}?acquire={id}")).send("")?.body_mut().read_to_string()
    };

    let holder = session(r#"{"TTL": "10s", "LockDelay": "15s"}"#)?;
    assert_eq!(acquire(&holder)?, "true");

    // Another client waits until the key changes.
    let index = server.state()?.index();
    let watch = format!("{url}/{KEY}?index={index}");
    let watcher = thread::spawn(move || ureq::get(watch).call()?.body_mut().read_json::<Value>());
    while server.clock()?.waiting == 0 {
        thread::yield_now();
    }

    // The holder does not renew its session, which ends after twice its TTL.
    server.advance(Duration::from_secs(20))?;
    let keys = watcher.join().map_err(|_| "the watcher panicked")??;
    assert!(keys[0].get("Session").is_none());

    // The lock-delay keeps the key closed for the next client.
    let next = session("")?;
    assert_eq!(acquire(&next)?, "false");
    server.advance_to_next()?;
    assert_eq!(acquire(&next)?, "true");
    // ANCHOR_END: lost
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
