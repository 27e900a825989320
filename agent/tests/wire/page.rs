//! `lictor-agent incident --live --page`: the files that are served beside a cluster that is
//! followed, what its path `live` answers, and which requests are refused. The cluster is an
//! agent, or the Consul that `LICTOR_CONSUL` names.

use std::fs;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use lictor_incident::{AnswerKind, Incident, NamedText};
use serde_json::{Value, json};

use crate::answer::WireAnswer;
use crate::follow::Follower;
use crate::live::{KEY, NewFolder, REPEATED, TOKEN, repeating};
use crate::raw::{LONG, Raw};
use crate::server::AgentProcess;

/// What no answer may have.
const OUTSIDE: &str = "this is outside of the folder";

/// The command with a page, and where that is served.
pub(crate) struct LivePage {
    pub(crate) follower: Follower,
    /// Host and port.
    host: String,
    /// The beginning of all paths.
    root: String,
    folder: NewFolder,
}

impl LivePage {
    pub(crate) fn start(cluster: &str, arguments: &[&str]) -> Self {
        let folder = NewFolder::new(&format!("page-{}", cluster.replace(':', "-")));
        let page = folder.0.join("page");
        fs::create_dir_all(page.join("docs/en")).expect("it is new");
        for (name, content) in [
            ("page/index.html", "<!doctype html><title>Lictor</title>"),
            ("page/app.js", "start();"),
            ("page/app_bg.wasm", "\0asm"),
            ("page/style.css", "p {}"),
            ("page/icon.svg", "<svg/>"),
            ("page/docs/en/index.html", "<title>Docs</title>"),
            ("page/.env", OUTSIDE),
            ("secret.txt", OUTSIDE),
        ] {
            fs::write(folder.0.join(name), content).expect("a file");
        }
        std::os::unix::fs::symlink(folder.0.join("secret.txt"), page.join("link.txt"))
            .and_then(|()| std::os::unix::fs::symlink(&folder.0, page.join("up")))
            .expect("a link");
        let page = page.to_str().expect("text").to_owned();
        let arguments = [&["--page", "--page-dir", &page], arguments].concat();
        let mut follower = Follower::start(cluster, &arguments);
        let line = follower.line("page");
        let address = line["text"].as_str().expect("an address");
        let rest = address.strip_prefix("http://").expect("an address of HTTP");
        let (host, path) = rest.split_once('/').expect("a path");
        let root = format!("/{}", path.strip_suffix("#/live").expect("the part of the page"));
        assert!(root.len() == 34 && root.ends_with('/'), "{root}");
        assert!(host.starts_with("127.0.0.1:"), "{host}");
        Self { follower, host: host.into(), root, folder }
    }

    fn connect(&self) -> Raw {
        Raw::new(TcpStream::connect(&self.host).expect("the page is served"))
    }

    /// Sends a line of a request and its headers.
    fn ask(&self, request: &str) -> Raw {
        let mut connection = self.connect();
        connection.send(format!("{request}\r\n\r\n"));
        connection
    }

    /// The status of a request with a path after the random name, by a host, with more headers.
    fn status(&self, method: &str, path: &str, host: &str, headers: &str) -> u16 {
        let path = format!("{}{path}", self.root);
        let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}{headers}");
        self.ask(&request).answer().status
    }

    pub(crate) fn get(&self, path: &str) -> WireAnswer {
        let path = format!("{}{path}", self.root);
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}", self.host)).answer()
    }

    /// The answer of `live` after a version.
    pub(crate) fn live(&self, after: u64) -> Value {
        let answer = self.get(&format!("live?after={after}"));
        assert_eq!((answer.status, answer.header("cache-control")), (200, Some("no-store")));
        serde_json::from_str(&answer.body).expect("JSON")
    }

    /// The first answer of `live` for which `is_expected` is true.
    fn shown(&self, is_expected: impl Fn(&Value) -> bool) -> Value {
        self.shown_within(LONG, is_expected)
    }

    fn shown_within(&self, limit: Duration, is_expected: impl Fn(&Value) -> bool) -> Value {
        let until = Instant::now() + limit;
        let mut shown = self.live(0);
        while !is_expected(&shown) {
            assert!(Instant::now() < until, "{shown:#}");
            shown = self.live(version(&shown));
        }
        shown
    }
}

fn version(shown: &Value) -> u64 {
    shown["version"].as_u64().expect("a number")
}

/// Reads what the page was told as the page does.
fn read(shown: &Value) -> Option<Incident> {
    let texts: Vec<NamedText> = serde_json::from_value(shown["texts"].clone()).expect("texts");
    let read = Incident::read_texts(texts, None, Timestamp::now(), false, &mut |_| {});
    read.ok()
}

/// The kind of the answer about a key, and who holds it.
fn answer_of(shown: &Value, key: &str) -> Option<(AnswerKind, Option<String>)> {
    let answer = read(shown)?.answer_for(key)?;
    Some((answer.kind, answer.holder))
}

#[test]
fn the_files_of_the_folder_are_served_and_no_other() {
    let cluster = AgentProcess::cluster();
    let page = LivePage::start(&cluster.address, &["--key", KEY]);
    for (path, media_type, content) in [
        ("", "text/html; charset=utf-8", "<title>Lictor</title>"),
        ("index.html", "text/html; charset=utf-8", "<title>Lictor</title>"),
        ("app.js", "text/javascript; charset=utf-8", "start();"),
        ("app_bg.wasm", "application/wasm", "\0asm"),
        ("style.css?1", "text/css; charset=utf-8", "p {}"),
        ("%69con.svg", "image/svg+xml", "<svg/>"),
        ("docs/en/", "text/html; charset=utf-8", "<title>Docs</title>"),
    ] {
        let answer = page.get(path);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some(media_type)));
        assert!(answer.body.ends_with(content), "{path}: {answer:?}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{path}: {answer:?}");
        }
    }
    for path in [
        "secret.txt",
        "../secret.txt",
        "docs/../../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "docs/%2e%2e/%2e%2e/secret.txt",
        "..\\secret.txt",
        "link.txt",
        "up/secret.txt",
        "up/page/app.js",
        ".env",
        "/app.js",
        "./app.js",
        "docs",
        "docs/",
        "docs/en",
        "app.js/",
        "app.js%00",
        "%ff",
        "live/",
        "v1/kv/a",
    ] {
        let answer = page.get(path);
        assert_eq!((answer.status, answer.body.as_str()), (404, "not found\n"), "{path}");
    }
    let head = format!("HEAD {}app.js HTTP/1.1\r\nHost: {}", page.root, page.host);
    let answer = page.ask(&head).answer_without_body();
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("8")));
    let icon = page.folder.0.join("page/icon.svg");
    fs::remove_file(&icon).expect("it was written");
    assert_eq!(page.get("icon.svg").status, 404);
    std::os::unix::fs::symlink(page.folder.0.join("secret.txt"), icon).expect("a link");
    assert_eq!(page.get("icon.svg").status, 404);
}

#[test]
fn a_connection_ends_after_one_request() {
    let cluster = AgentProcess::cluster();
    let page = LivePage::start(&cluster.address, &["--key", KEY]);
    let request = format!("GET {}app.js HTTP/1.1\r\nHost: {}", page.root, page.host);
    let mut connection = page.ask(&request);
    let answer = connection.answer();
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert!(connection.is_closed());
}

#[test]
fn other_hosts_origins_methods_and_paths_are_refused() {
    let cluster = AgentProcess::cluster();
    let page = LivePage::start(&cluster.address, &["--key", KEY]);
    let own = page.host.as_str();
    let port = own.rsplit(':').next().expect("a port");
    for path in ["", "live"] {
        for host in [own, &format!("localhost:{port}"), &format!("[::1]:{port}")] {
            assert_eq!(page.status("GET", path, host, ""), 200, "{host}");
            let origin = format!("\r\nOrigin: http://{host}\r\nSec-Fetch-Site: same-origin");
            assert_eq!(page.status("GET", path, host, &origin), 200, "{host}");
        }
        for host in ["127.0.0.1", "127.0.0.1:1", "evil.example", &format!("evil.example:{port}")] {
            assert_eq!(page.status("GET", path, host, ""), 403, "{host}");
        }
        for header in [
            "Origin: null",
            "Origin: http://evil.example",
            "Origin: http://127.0.0.1:1",
            &format!("Origin: https://{own}"),
            &format!("Origin: http://localhost:{port}"),
            "Sec-Fetch-Site: cross-site",
            "Sec-Fetch-Site: same-site",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe",
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Dest: document",
            &format!("Host: {own}"),
        ] {
            assert_eq!(page.status("GET", path, own, &format!("\r\n{header}")), 403, "{header}");
        }
        for method in ["PUT", "POST", "DELETE", "OPTIONS", "PATCH", "CONSUL"] {
            assert_eq!(page.status(method, path, own, ""), 405, "{method}");
        }
    }
    // A person follows the address in a terminal that is itself a page.
    let followed =
        "\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document";
    assert_eq!(page.status("GET", "", own, followed), 200);
    assert_eq!(page.status("GET", "live", own, followed), 403);
    assert_eq!(page.status("GET", "app.js", own, "\r\nService-Worker: script"), 404);
    let guess = "/00000000000000000000000000000000/";
    for path in ["/", "/index.html", "/live", guess, &format!("{guess}live"), "/v1/kv/a", "*"] {
        let answer = page.ask(&format!("GET {path} HTTP/1.1\r\nHost: {own}")).answer();
        assert_eq!((answer.status, answer.body.as_str()), (404, "not found\n"), "{path}");
    }
    let whole = |host: &str| format!("GET http://{host}{}live HTTP/1.1\r\nHost: {own}", page.root);
    assert_eq!(page.ask(&whole("evil.example")).answer().status, 403);
    assert_eq!(page.ask(&whole(own)).answer().status, 200);
    for query in ["live?", "live?after=", "live?after=-1", "live?after=x", "live?before=1"] {
        assert_eq!(page.status("GET", query, own, ""), 400, "{query}");
    }
}

#[test]
fn each_page_that_waits_is_told_of_a_change_with_what_its_reader_needs() {
    let cluster = AgentProcess::cluster();
    let page = LivePage::start(&cluster.address, &["--key", KEY]);
    let holder = cluster.session(r#"{"Name": "worker-a", "LockDelay": "1s"}"#);
    let empty = page.shown(|shown| shown["texts"] != json!([]));
    assert_eq!(empty["wanted"], json!({ "key": KEY }));
    assert_eq!(empty["address"], format!("http://{}", cluster.address));
    assert_eq!((&empty["stale"], empty.get("tooMany")), (&Value::Null, None));
    assert_eq!(read(&empty).map(|it| it.has_key_list()), Some(true), "{empty:#}");
    let settled = page.shown(|shown| shown["hasLog"] == true && shown["answeredAt"].is_string());
    let after = format!("{}live?after={}", page.root, version(&settled));
    let request = format!("GET {after} HTTP/1.1\r\nHost: {}", page.host);
    let mut waiting = [page.ask(&request), page.ask(&request)];
    cluster.ok("PUT", &format!("/v1/kv/{KEY}?acquire={holder}"), "hidden-value");
    for connection in &mut waiting {
        let told: Value = serde_json::from_str(&connection.answer().body).expect("JSON");
        assert!(version(&told) > version(&settled), "{told:#}");
    }
    let held = (AnswerKind::Held, Some(holder.clone()));
    let shown = page.shown(|shown| answer_of(shown, KEY).as_ref() == Some(&held));
    let lines = shown["lines"].as_array().expect("lines");
    let acquired = lines.iter().find(|line| line["change"] == "acquired").expect("a line");
    assert_eq!(acquired["answer"]["holder"], holder);
    cluster.ok("PUT", &format!("/v1/session/destroy/{holder}"), "");
    let ended = |shown: &Value| {
        answer_of(shown, KEY).is_some_and(|(kind, holder)| {
            holder.is_none() && matches!(kind, AnswerKind::Delayed | AnswerKind::Free)
        })
    };
    let shown = page.shown(ended);
    assert!(!shown.to_string().contains("hidden-value"), "{shown:#}");
    assert!(!shown.to_string().contains("aGlkZGVuLXZhbHVl"), "{shown:#}");
}

#[test]
fn no_byte_of_what_the_page_is_told_has_the_token() {
    for status in REPEATED {
        let server = repeating(status);
        let mut page = LivePage::start(&server.address, &["--key", KEY, "-token", TOKEN]);
        let shown = page.shown(|shown| version(shown) >= 5);
        let line = page.follower.line("note");
        let mut all = format!("{shown}{line}{:?}", page.follower.read);
        for path in ["", "live", "nothing", "live?after=x"] {
            all += &format!("{:?}", page.get(path));
        }
        assert!(!all.contains(TOKEN) && all.contains(KEY), "{all}");
    }
}

#[test]
fn a_page_is_told_since_when_nothing_was_answered_and_when_it_is_again() {
    let mut cluster = AgentProcess::start(&[]);
    let address = cluster.address.clone();
    let page = LivePage::start(&address, &["--key", KEY]);
    let before = page.shown(|shown| shown["texts"] != json!([]));
    cluster.signal("KILL");
    cluster.wait();
    let stale = page.shown(|shown| !shown["stale"].is_null());
    let reason = stale["stale"]["reason"].as_str().expect("a reason");
    assert!(!reason.is_empty() && stale["texts"] != json!([]), "{stale:#}");
    let since = stale["stale"]["since"].as_str().and_then(|time| time.parse::<Timestamp>().ok());
    assert!(since.is_some_and(|since| since <= Timestamp::now()), "{stale:#}");
    assert!(version(&stale) > version(&before));
    let again = AgentProcess::start(&["--addr", &address]);
    let holder = again.session("{}");
    again.ok("PUT", &format!("/v1/kv/{KEY}?acquire={holder}"), "");
    let held = (AnswerKind::Held, Some(holder));
    page.shown(|it| it["stale"].is_null() && answer_of(it, KEY).as_ref() == Some(&held));
}

#[test]
fn more_keys_than_the_page_shows_are_refused_with_prefixes_that_have_fewer() {
    let cluster = AgentProcess::cluster();
    let names: Vec<String> = (0..10_001).map(|it| format!("jobs/{}/{it:05}", it % 2)).collect();
    for names in names.chunks(64) {
        let set = |name: &String| json!({ "KV": { "Verb": "set", "Key": name, "Value": "" } });
        let operations: Vec<Value> = names.iter().map(set).collect();
        cluster.ok("PUT", "/v1/txn", &Value::from(operations).to_string());
    }
    let mut page = LivePage::start(&cluster.address, &["--prefix", "jobs/"]);
    // Without optimization, reading 10,001 keys takes seconds on a busy machine.
    let refused = page.shown_within(LONG * 10, |shown| shown.get("tooMany").is_some());
    let prefixes = json!([
        { "prefix": "jobs/0/", "keys": 5001, "sessions": 0 },
        { "prefix": "jobs/1/", "keys": 5000, "sessions": 0 },
    ]);
    let expected = json!({ "keys": 10_001, "sessions": 0, "prefixes": prefixes });
    assert_eq!((&refused["tooMany"], &refused["texts"]), (&expected, &json!([])));
    let is_of_page = |line: &Value| {
        let text = line["text"].as_str().expect("text");
        text.ends_with(
            "this prefix has 10001 keys and 0 such sessions. These have fewer: --prefix 'jobs/0/' \
             (5001 keys, 0 sessions), --prefix 'jobs/1/' (5000 keys, 0 sessions)",
        )
    };
    while !is_of_page(&page.follower.line("note")) {}
}

#[test]
fn a_page_too_many_that_waits_is_refused() {
    let cluster = AgentProcess::cluster();
    let page = LivePage::start(&cluster.address, &["--key", KEY]);
    let after = u64::MAX;
    let request = format!("GET {}live?after={after} HTTP/1.1\r\nHost: {}", page.root, page.host);
    let mut waiting: Vec<Raw> = (0..17).map(|_| page.ask(&request)).collect();
    let until = Instant::now() + LONG;
    let refused = loop {
        assert!(Instant::now() < until, "no page is refused");
        let answered = waiting.iter_mut().position(Raw::has_answer);
        if let Some(index) = answered {
            break waiting[index].answer();
        }
    };
    assert_eq!((refused.status, refused.body.as_str()), (503, "16 pages wait already\n"));
    assert_eq!(page.get("live").status, 200);
}
