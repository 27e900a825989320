//! How an agent starts and ends.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::server::{Server, command};

#[test]
fn it_starts_in_no_time() {
    let start = |_| {
        let began = Instant::now();
        drop(Server::start(&[]));
        began.elapsed()
    };
    let best = (0..10).map(start).min().expect("ten starts");
    assert!(best < Duration::from_millis(100), "{best:?}");
}

#[test]
fn signals_end_it_in_order_even_while_queries_wait() {
    for name in ["TERM", "INT"] {
        let mut server = Server::start(&[]);
        let mut waits = server.connect();
        waits.ask("GET", "/v1/kv/a?index=9");
        assert_eq!(server.get("/v1/kv/a").status, 404);
        server.signal(name);
        let ended = server.wait();
        assert!(ended.success(), "{name}: {ended}");
        assert!(waits.is_closed(), "{name}");
    }
}

#[test]
fn the_port_is_free_again_at_once() {
    let mut first = Server::start(&[]);
    assert_eq!(first.get("/v1/kv/a").status, 404);
    first.signal("TERM");
    first.wait();
    let address = first.address.clone();
    let second = Server::start(&["--addr", &address]);
    assert_eq!(second.address, address);
}

#[test]
fn it_runs_where_consul_was_meant_to_run() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("consul.d");
    fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        path.into_os_string().into_string().expect("a path of text")
    };
    let json = write("a.json", r#"{"node_name": "first", "ports": {"http": 1, "dns": -1}}"#);
    write("b.hcl", "node_name = \"second\"\nsession_ttl_min = \"1s\"\ndata_dir = \"/x\"");
    write("c.txt", "not a configuration");
    let one = Server::start(&["agent", "-dev", "-config-file", &json]);
    assert!(one.ok("GET", "/v1/agent/self", "").contains("\"NodeName\": \"first\""));
    let folder = folder.to_str().expect("a path of text");
    let all = Server::start(&["agent", &format!("-config-dir={folder}"), "-data-dir", "/x"]);
    assert!(all.ok("GET", "/v1/agent/self", "").contains("\"NodeName\":\"second\""));
    all.session(r#"{"TTL":"1s"}"#);
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let server = Server::start(&[]);
    for (arguments, status, said) in [
        (&["--addr", server.address.as_str()][..], 1, "cannot listen on"),
        (&["--addr", "nowhere"], 2, "--addr: \"nowhere\" is not an address"),
        (&["--prot", "1"], 2, "--prot"),
        (&["-hcl", "ports { http = x }"], 2, "-hcl: ports.http: "),
        (&["-config-file", "/nowhere"], 2, "cannot read /nowhere"),
        (&["--allow-origin", "a\nb", "--addr", "127.0.0.1:0"], 1, "--allow-origin"),
    ] {
        let mut process = command(arguments).spawn().expect("it was built");
        let ended = process.wait().expect("it is a child");
        let mut complaint = String::new();
        let errors = process.stderr.as_mut().expect("its errors are piped");
        errors.read_to_string(&mut complaint).expect("text");
        assert_eq!(ended.code(), Some(status), "{arguments:?}: {complaint}");
        assert!(complaint.contains(said), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
    }
}
