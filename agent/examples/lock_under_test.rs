//! A lock under test in ten lines: a server in the process of the test, and plain HTTP.

use std::error::Error;

use lictor_agent::Server;
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder().start()?;
    let put = |path: &str| ureq::put(format!("http://{}/v1/{path}", server.addr())).send_empty();
    let first: Value = put("session/create")?.body_mut().read_json()?;
    let second: Value = put("session/create")?.body_mut().read_json()?;
    let acquire = |session: &Value| {
        let id = session["ID"].as_str().unwrap_or_default();
        put(&format!("kv/db/leader?acquire={id}"))?.body_mut().read_to_string()
    };

    assert_eq!(acquire(&first)?, "true");
    assert_eq!(acquire(&second)?, "false");
    let state = server.state()?;
    let key = state.store().kv().get("db/leader").ok_or("the key exists")?;
    assert_eq!(key.holder().map(ToString::to_string).as_deref(), first["ID"].as_str());
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
