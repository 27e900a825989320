//! `lictor-agent incident --live`: what it says about a running cluster, and about one that fails.
//! The cluster is an agent, or the Consul that `LICTOR_CONSUL` names; what neither does at will is
//! a server of the test.

use std::fs;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Output;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::server::{AgentProcess, command};

pub(crate) const KEY: &str = "jobs/nightly/leader";
pub(crate) const SESSION: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";
pub(crate) const TOKEN: &str = "b1gs33cr-3t00-4000-8000-000000000042";

/// The status, the output and the errors.
type Ended = (Option<i32>, String, String);

fn live(arguments: &[&str]) -> Ended {
    live_with(arguments, &[])
}

/// Runs the command with these variables of Consul only.
fn live_with(arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
    let mut command = command(&[&["incident"], arguments].concat());
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CONSUL_") {
            command.env_remove(name);
        }
    }
    let Output { status, stdout, stderr } =
        command.envs(variables.iter().copied()).output().expect("it was built");
    let [output, errors] = [stdout, stderr].map(|it| String::from_utf8(it).expect("text"));
    (status.code(), output, errors)
}

/// A folder that does not exist yet, and is removed at the end.
pub(crate) struct NewFolder(pub(crate) PathBuf);

impl NewFolder {
    pub(crate) fn new(name: &str) -> Self {
        Self(std::env::temp_dir().join(format!("lictor-live-{name}-{}", std::process::id())))
    }

    pub(crate) fn path(&self) -> &str {
        self.0.to_str().expect("text")
    }

    /// The contents of all files.
    fn texts(&self) -> String {
        let files = fs::read_dir(&self.0).expect("it was written");
        let text = |file: fs::DirEntry| fs::read_to_string(file.path()).expect("text");
        files.map(|file| text(file.expect("a file"))).collect()
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // A test that has failed before may have written nothing.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_held_key_has_the_answer_that_what_was_saved_has_later() {
    let cluster = AgentProcess::cluster();
    let holder = cluster.session(r#"{"Name": "worker-a", "TTL": "15s", "LockDelay": "5s"}"#);
    let acquired = cluster.ok("PUT", &format!("/v1/kv/{KEY}?acquire={holder}"), "hidden-value");
    assert_eq!(acquired.trim(), "true");
    let folder = NewFolder::new("held");
    let (status, text, errors) =
        live(&["--live", &cluster.address, "--key", KEY, "--save", folder.path()]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{text}");
    let head = format!("HELD {KEY} by session {} (worker-a)", &holder[..8]);
    assert!(text.starts_with(&head), "{text}");
    assert!(text.contains("TTL 15 s") && text.contains("lock-delay 5 s"), "{text}");
    assert!(!text.contains("Note: ") && !text.contains("not used: "), "{text}");
    let (_, later, _) = live(&[folder.path(), "--key", KEY]);
    assert_eq!(later, text);
    let saved = folder.texts();
    let has_value = ["hidden-value", "aGlkZGVuLXZhbHVl"].iter().any(|it| saved.contains(it));
    assert!(saved.contains(&holder) && !has_value, "{saved}");
    let (status, json, _) = live(&["--live", &cluster.address, "--prefix", "jobs/", "--json"]);
    let report: Value = serde_json::from_str(&json).expect("JSON");
    let [answer] = &report["answers"].as_array().expect("a list")[..] else { panic!("{json}") };
    assert_eq!((status, &answer["kind"]), (Some(0), &"held".into()));
    assert_eq!((&answer["holder"], &answer["assumed"]), (&holder.into(), &false.into()));
    assert_eq!(report["notes"], Value::Array(Vec::new()));
    let (status, _, errors) =
        live(&["--live", &cluster.address, "--key", KEY, "--save", folder.path()]);
    assert_eq!((status, errors.contains(folder.path())), (Some(2), true), "{errors}");
}

#[test]
fn a_destroyed_holder_a_missing_key_and_no_key_at_all_have_their_answers() {
    let cluster = AgentProcess::cluster();
    let holder = cluster.session(r#"{"LockDelay": "60s"}"#);
    cluster.ok("PUT", &format!("/v1/kv/{KEY}?acquire={holder}"), "");
    cluster.ok("PUT", &format!("/v1/session/destroy/{holder}"), "");
    let http = format!("-http-addr=http://{}", cluster.address);
    let (status, text, errors) = live(&["--live", &http, "--key", KEY]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{text}");
    assert!(text.contains("lock-delay"), "{text}");
    let address = [("CONSUL_HTTP_ADDR", cluster.address.as_str())];
    let (status, text, errors) = live_with(&["--live", "--key", "other"], &address);
    assert_eq!((status, text.as_str()), (Some(1), ""));
    assert!(errors.contains("there is no key \"other\""), "{errors}");
    let (status, text, _) = live_with(&["--live"], &address);
    assert_eq!(status, Some(3));
    assert!(text.contains("no list of keys was shown"), "{text}");
}

#[test]
fn of_a_log_beside_a_prefix_only_the_keys_of_the_prefix_have_an_answer() {
    let cluster = AgentProcess::cluster();
    let holder = cluster.session(r#"{"Name": "worker-a"}"#);
    let other = cluster.session(r#"{"Name": "worker-b"}"#);
    cluster.ok("PUT", &format!("/v1/kv/{KEY}?acquire={holder}"), "");
    let folder = NewFolder::new("prefix");
    fs::create_dir(&folder.0).expect("it is new");
    let log = folder.0.join("consul.log");
    let line = "2026-11-26T09:10:20.000Z [DEBUG] agent.http: Request finished: method=PUT url=";
    let line = format!("{line}/v1/kv/other/leader?acquire={other} from=127.0.0.1:1 latency=1ms\n");
    fs::write(&log, line).expect("a file");
    let log = log.to_str().expect("text");
    let asked = ["--live", &cluster.address, "--prefix", "jobs/", log];
    let (status, text, errors) = live(&[&asked[..], &["--events", "0"]].concat());
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{text}");
    assert!(text.starts_with(&format!("HELD {KEY}")), "{text}");
    assert!(!text.contains("other/leader") && !text.contains("worker-b"), "{text}");
    let (_, json, _) = live(&[&asked[..], &["--json"]].concat());
    let report: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["answers"].as_array().map(Vec::len), Some(1), "{json}");
    assert!(!report["missing"].to_string().contains("other"), "{json}");
}

#[test]
fn the_document_of_a_semaphore_is_kept_and_its_contenders_are_asked_for() {
    let cluster = AgentProcess::cluster();
    let holder = cluster.session(r#"{"Name": "slot-1", "TTL": "15s"}"#);
    cluster.ok("PUT", &format!("/v1/kv/pool/{holder}?acquire={holder}"), "hidden-value");
    let document = format!(r#"{{"Limit": 1, "Holders": {{"{holder}": true}}}}"#);
    cluster.ok("PUT", "/v1/kv/pool/.lock?flags=16210313421097356768", &document);
    let folder = NewFolder::new("slots");
    let (status, text, errors) =
        live(&["--live", &cluster.address, "--key", "pool/.lock", "--save", folder.path()]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{text}");
    assert!(text.contains("CONTENDED pool/.lock") && text.contains("slot-1"), "{text}");
    let saved = folder.texts();
    assert!(saved.contains("/v1/kv/pool/?recurse&consistent"), "{saved}");
    assert!(!saved.contains("aGlkZGVuLXZhbHVl"), "{saved}");
}

/// Answers each request by its path; counts, and keeps what was asked.
pub(crate) struct FakeServer {
    pub(crate) address: String,
    pub(crate) asked: Arc<Mutex<Vec<String>>>,
}

/// What a server answers to the line and the headers of the number of requests before.
type Answerer = dyn Fn(&str, usize) -> Vec<u8> + Send + Sync;

impl FakeServer {
    pub(crate) fn start(answer: impl Fn(&str, usize) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address").to_string();
        let (asked, answer) = (Arc::default(), Arc::new(answer));
        let server = Self { address, asked };
        let asked = server.asked.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (asked, answer) = (asked.clone(), answer.clone());
                thread::spawn(move || serve(stream, &asked, &*answer));
            }
        });
        server
    }
}

fn serve(stream: impl Read + Write, asked: &Mutex<Vec<String>>, answer: &Answerer) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut request = String::new();
        while !request.ends_with("\r\n\r\n") {
            if stream.read_line(&mut request).unwrap_or(0) == 0 {
                return;
            }
        }
        let mut all = asked.lock().expect("no test has failed");
        let before = all.len();
        all.push(request.clone());
        drop(all);
        // A client that has had enough closes the connection.
        if stream.get_mut().write_all(&answer(&request, before)).is_err() {
            return;
        }
    }
}

pub(crate) fn http(status: &str, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nDate: Thu, 26 Nov 2026 09:10:41 GMT\r\nContent-Length: {length}\r\n\
         {headers}\r\n{body}"
    )
    .into_bytes()
}

/// What a cluster answers in which a session without a TTL holds the key.
pub(crate) fn healthy(request: &str) -> Vec<u8> {
    let path = request.split(['?', ' ']).nth(1).unwrap_or_default();
    let index = "X-Consul-Index: 9\r\nX-Consul-Knownleader: true\r\nX-Consul-Lastcontact: 0\r\n";
    let body = match path {
        "/v1/agent/self" => {
            r#"{"Config": {"Datacenter": "dc1", "NodeName": "n1"}, "DebugConfig": {"Key": "x"}}"#
                .into()
        }
        "/v1/session/list" => format!(
            r#"[{{"ID": "{SESSION}", "Name": "worker-a", "Node": "n1", "LockDelay": 15000000000,
                "Behavior": "release", "TTL": "", "NodeChecks": ["serfHealth"],
                "ServiceChecks": null, "CreateIndex": 8, "ModifyIndex": 8}}]"#
        ),
        "/v1/catalog/nodes" => {
            r#"[{"ID": "", "Node": "n1", "Address": "127.0.0.1", "Datacenter": "dc1"}]"#.into()
        }
        "/v1/health/node/n1" => {
            r#"[{"Node": "n1", "CheckID": "serfHealth", "Status": "passing"}]"#.into()
        }
        path if path.ends_with(KEY) => key_at(9),
        _ => return http("404 Not Found", index, ""),
    };
    http("200 OK", index, &body)
}

fn key_at(index: usize) -> String {
    format!(
        r#"[{{"LockIndex": 1, "Key": "{KEY}", "Flags": 0, "Value": "c2VjcmV0", "CreateIndex": 9,
            "ModifyIndex": {index}, "Session": "{SESSION}"}}]"#
    )
}

/// What the command says about the key if one list has another answer.
fn with_failing(list: &'static str, answer: Vec<u8>) -> Ended {
    let server =
        FakeServer::start(
            move |request, _| {
                if request.contains(list) { answer.clone() } else { healthy(request) }
            },
        );
    live(&["--live", &server.address, "--key", KEY, "--timeout", "60"])
}

#[test]
fn each_refusal_has_a_sentence_and_the_known_part_of_the_answer() {
    let denied = "Permission denied: token with AccessorID 'a' lacks permission 'session:read'";
    let page = "<!DOCTYPE html>\n<h1>502 Bad Gateway</h1>\n";
    let html = "Content-Type: text/html\r\n";
    let elsewhere = "Location: http://elsewhere:8500/v1/session/list?token=x\r\n";
    for (answer, sentence) in [
        (http("403 Forbidden", "", denied), "an answer that the ACLs refuse"),
        (http("500 Internal Server Error", "", "rpc error: EOF"), "HTTP 500: rpc error: EOF"),
        (http("502 Bad Gateway", html, page), "HTTP 502 with HTML, such as the page of a proxy"),
        (http("200 OK", html, page), "HTML, such as the page of a proxy"),
        (
            http("302 Found", elsewhere, ""),
            "a redirect in place of a list: HTTP 302 to http://elsewhere:8500/v1/session/list. It",
        ),
        (http("429 Too Many Requests", "", "slow down"), "HTTP 429 in place of a list: the server"),
        (http("200 OK", "", &" ".repeat(10_000_001)), "the list is longer than 10 MB, and was not"),
        (b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(), "failed"),
    ] {
        let (status, text, errors) = with_failing("/v1/session/list", answer);
        let all = format!("{text}{errors}");
        assert!(all.contains(sentence), "{sentence}: {all}");
        if text.contains("HELD") {
            assert!(text.contains("TTL") && status == Some(0), "{text}");
        }
    }
    let (status, text, _) =
        with_failing("/v1/session/list", http("403 Forbidden", "", "Permission denied"));
    let known = format!("HELD {KEY} by session {}", &SESSION[..8]);
    assert!(text.starts_with(&known) && status == Some(0), "{text}");
    assert!(text.contains("/v1/session/info/"), "{text}");
}

#[test]
fn a_page_of_a_proxy_is_no_proof_that_there_is_no_key() {
    let (status, text, errors) =
        with_failing("/v1/kv/", http("404 Not Found", "", "404 page not found\n"));
    assert_eq!((status, errors.as_str()), (Some(3), ""), "{text}");
    assert!(text.contains("UNKNOWN") && text.contains("a proxy has answered"), "{text}");
    let (status, _, errors) = with_failing("/v1/kv/", http("404 Not Found", "", ""));
    assert_eq!((status, errors.contains("there is no key")), (Some(1), true), "{errors}");
}

#[test]
fn without_a_leader_the_state_of_the_server_is_said_to_be_old() {
    let refused = "rpc error getting client: failed to get conn: dial tcp: connection refused";
    for (error, sentence) in [
        ("No cluster leader", "the cluster has no leader: no lock can be acquired"),
        (refused, "HTTP 500: rpc error getting client"),
    ] {
        let server = FakeServer::start(move |request, _| {
            if request.contains("consistent") {
                return http("500 Internal Server Error", "", error);
            }
            let answer = String::from_utf8(healthy(request)).expect("text");
            let answer = answer.replace("Knownleader: true", "Knownleader: false");
            answer.replace("Lastcontact: 0", "Lastcontact: 12000").into_bytes()
        });
        let (status, text, _) = live(&["--live", &server.address, "--key", KEY]);
        assert_eq!(status, Some(3), "{text}");
        assert!(text.contains(sentence) && text.contains("may be 12 s old"), "{text}");
        assert!(text.contains("(held by session") && text.contains("had no leader"), "{text}");
    }
}

#[test]
fn who_does_not_answer_is_named_and_nothing_more_is_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let silent = listener.local_addr().expect("an address").to_string();
    let (status, _, errors) = live(&["--live", &silent, "--key", KEY, "--timeout", "1"]);
    assert_eq!(status, Some(2));
    assert!(errors.contains(&format!("no whole answer of http://{silent} within 1 s")), "{errors}");
    drop(listener);
    let (status, _, errors) = live(&["--live", &silent, "--key", KEY]);
    assert_eq!((status, errors.contains("refuses connections")), (Some(2), true), "{errors}");
    let hangs = FakeServer::start(|request, _| {
        if request.contains("/v1/kv/") {
            thread::sleep(std::time::Duration::from_secs(60));
        }
        healthy(request)
    });
    let (status, text, _) = live(&["--live", &hangs.address, "--key", KEY, "--timeout", "4"]);
    assert_eq!((status, text.contains("Note: no whole answer of")), (Some(3), true), "{text}");
    let asked = hangs.asked.lock().expect("no test has failed").len();
    assert_eq!(asked, 3, "self, sessions and the key");
}

#[test]
fn lists_that_change_while_they_are_read_are_read_five_times_and_then_named() {
    let server = FakeServer::start(|request, before| {
        if request.contains("/v1/kv/") {
            return http("200 OK", "X-Consul-Index: 9\r\n", &key_at(9 + before));
        }
        healthy(request)
    });
    let (status, text, _) = live(&["--live", &server.address, "--key", KEY]);
    assert_eq!(status, Some(0), "{text}");
    assert!(
        text.contains("Note: the keys, their holders or the checks of these changed"),
        "{text}"
    );
    let asked = server.asked.lock().expect("no test has failed");
    assert_eq!(asked.iter().filter(|request| request.contains("/v1/kv/")).count(), 5);
    assert!(asked.iter().all(|request| request.starts_with("GET ")), "{asked:?}");
}

/// Each way in which a server repeats what it was sent.
pub(crate) const REPEATED: [&str; 4] =
    ["200 OK", "302 Found", "403 Forbidden", "500 Internal Server Error"];

/// A server that repeats in each second answer all that it was sent, with this status.
pub(crate) fn repeating(status: &'static str) -> FakeServer {
    FakeServer::start(move |request, before| {
        if before % 2 == 0 {
            return healthy(request);
        }
        let headers =
            format!("Location: http://h/{TOKEN}\r\nX-Consul-Token: {TOKEN}\r\nVia: {TOKEN}\r\n");
        http(status, &headers, &format!("Permission denied: {request} {TOKEN}"))
    })
}

#[test]
fn no_byte_of_what_is_written_has_the_token() {
    for status in REPEATED {
        let server = repeating(status);
        for redacts in [false, true] {
            let folder = NewFolder::new(&format!("token-{}-{redacts}", &status[..3]));
            let mut arguments = vec!["--live", &server.address, "--key", KEY];
            arguments.extend(["--save", folder.path()]);
            arguments.extend(redacts.then_some("--redact"));
            let by_variable = live_with(&arguments, &[("CONSUL_HTTP_TOKEN", TOKEN)]);
            let saved = folder.texts();
            fs::remove_dir_all(folder.path()).expect("it was written");
            let by_flag = live(&[&arguments[..], &["-token", TOKEN]].concat());
            let written = format!("{by_variable:?}{saved}{by_flag:?}{}", folder.texts());
            assert!(!written.contains(TOKEN) && written.contains(KEY), "{written}");
        }
        let asked = server.asked.lock().expect("no test has failed");
        assert!(
            asked.iter().all(|it| it.contains(&format!("x-consul-token: {TOKEN}"))),
            "{asked:?}"
        );
    }
    let bad = format!("{TOKEN}\n{TOKEN}");
    let (status, output, errors) = live(&["--live", "--key", KEY, "-token", &bad]);
    assert_eq!((status, output.as_str()), (Some(2), ""));
    assert!(errors.contains("no header can have") && !errors.contains(TOKEN), "{errors}");
}

#[test]
fn a_socket_of_the_file_system_is_asked_as_an_address() {
    let folder = NewFolder::new("socket");
    fs::create_dir(&folder.0).expect("it is new");
    let path = folder.0.join("consul.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            serve(stream, &Mutex::default(), &|request, _| healthy(request));
        }
    });
    let address = format!("unix://{}", path.display());
    let (status, text, errors) = live(&["--live", &address, "--key", KEY]);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{text}");
    assert!(text.starts_with(&format!("HELD {KEY} by ")), "{text}");
}

/// A server that needs a certificate of its clients, by files in `tls`.
fn secure_server() -> String {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};
    let certificate = |name| CertificateDer::from_pem_file(tls_file(name)).expect("a certificate");
    let mut authorities = rustls::RootCertStore::empty();
    authorities.add(certificate("ca.pem")).expect("an authority");
    let clients = rustls::server::WebPkiClientVerifier::builder(Arc::new(authorities));
    let config = rustls::ServerConfig::builder()
        .with_client_cert_verifier(clients.build().expect("an authority"))
        .with_single_cert(
            vec![certificate("server.pem")],
            PrivateKeyDer::from_pem_file(tls_file("server.key")).expect("a key"),
        );
    let config = Arc::new(config.expect("a key of the certificate"));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let session = rustls::ServerConnection::new(config.clone()).expect("a session");
            let stream = rustls::StreamOwned::new(session, stream);
            serve(stream, &Mutex::default(), &|request, _| healthy(request));
        }
    });
    format!("https://{address}")
}

fn tls_file(name: &str) -> String {
    format!("{}/tests/wire/tls/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_secure_address_needs_the_authority_the_name_and_the_certificate_of_the_client() {
    let address = secure_server();
    let files = ["ca.pem", "client.pem", "client.key"].map(tls_file);
    let variables = [
        ("CONSUL_CACERT", files[0].as_str()),
        ("CONSUL_TLS_SERVER_NAME", "server.dc1.consul"),
        ("CONSUL_CLIENT_CERT", &files[1]),
        ("CONSUL_CLIENT_KEY", &files[2]),
    ];
    let arguments = ["--live", &address, "--key", KEY, "--timeout", "60"];
    let (status, text, errors) = live_with(&arguments, &variables);
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{text}");
    assert!(text.starts_with(&format!("HELD {KEY} by ")), "{text}");
    for lacking in [&variables[1..], &[&variables[..1], &variables[2..]].concat(), &variables[..2]]
    {
        let (status, text, errors) = live_with(&arguments, lacking);
        let sentence = format!("no secure connection to {address}: ");
        assert_eq!((status, text.as_str()), (Some(2), ""), "{lacking:?}");
        assert!(errors.contains(&sentence), "{lacking:?}: {errors}");
    }
    let unverified = [&variables[2..], &[("CONSUL_HTTP_SSL_VERIFY", "false")]].concat();
    assert_eq!(live_with(&arguments, &unverified).0, Some(0));
    let plain = address.replace("https", "http");
    let (status, _, errors) = live(&["--live", &plain, "--key", KEY]);
    assert_eq!((status, errors.contains(&plain)), (Some(2), true), "{errors}");
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_asked() {
    let file = format!("{}/Cargo.toml", env!("CARGO_MANIFEST_DIR"));
    for (arguments, expected) in [
        (&["--live", "--key", "k", "--prefix", "p"][..], "exclude each other"),
        (&["--prefix", "p", "file"], "--prefix has an effect only with --live"),
        (&["-token", TOKEN, "file"], "--token has an effect only with --live"),
        (&["--live", &file, "--key", "k"], "the address of the cluster comes first"),
        (&["--live", "ftp://h", "--key", "k"], "neither http://, https:// nor unix://"),
        (&["--live", "--timeout", "0"], "--timeout"),
        (&["--live", "--at", "2026-11-26T09:10:41Z"], "--live has it"),
        (&["--live", "-ca-file", "/nowhere"], "/nowhere: "),
        (&["--live", "--follow"], "--follow needs --key or --prefix"),
        (&["--live", "--follow", "--key", "k", "--save", "f"], "--follow excludes"),
        (&["--follow", "--key", "k"], "--follow has an effect only with --live"),
        (&["--page", "--key", "k"], "--page has an effect only with --live"),
        (&["--live", "--page"], "--page needs --key or --prefix"),
        (&["--live", "--page", "70000", "--key", "k"], "--page PORT"),
        (&["--live", "--page=x", "--key", "k"], "--page PORT"),
        (&["--live", "--page", "--key", "k", "--redact"], "--follow excludes"),
        (&["--live", "--key", "k", "--page-dir", "d"], "--page-dir has an effect only with --page"),
        (&["--live", "--page", "--key", "k"], "/page has no page, as it has no index.html: unpack"),
        (&["--live", "--page", "--key", "k", "--page-dir", "/nowhere"], "/nowhere has no page"),
    ] {
        let (status, output, errors) = live(arguments);
        assert_eq!((status, output.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(errors.contains(expected) && !errors.contains(TOKEN), "{arguments:?}: {errors}");
    }
}
