//! The script that collects an incident, run by a shell against a server that has recorded lists:
//! what it prints is read, and the token is in the requests alone.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use lictor_incident::{AnswerKind, Incident, Source, collect_commands};

const TOKEN: &str = "b1gs-0f6a";
const KEY: &str = "api/leader";

/// The path of each request, and its token.
type Requests = Arc<Mutex<Vec<(String, String)>>>;

fn recorded(file: &str) -> String {
    let folder = "tests/incidents/two-keys-two-ends";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(file);
    fs::read_to_string(path).unwrap()
}

/// Answers a request with the recorded list that it asks for.
fn answer(mut stream: TcpStream, requests: &Requests) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let token = head.iter().find_map(|line| line.strip_prefix("X-Consul-Token: "));
    requests.lock().unwrap().push((path.clone(), token.unwrap_or_default().to_owned()));
    let body = match path.split(['/', '?']).nth(2) {
        Some("session") => recorded("sessions.json"),
        Some("kv") => recorded("keys.json"),
        Some("catalog") => recorded("nodes.json"),
        Some("health") => recorded("checks.json"),
        _ => String::new(),
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nDate: Thu, 26 Nov 2026 09:13:30 GMT\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all((head + &body).as_bytes());
}

/// A server of recorded lists, and what it was asked for.
fn server() -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let requests = Requests::default();
    let of_server = requests.clone();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            answer(stream, &of_server);
        }
    });
    (address, requests)
}

#[test]
fn the_output_of_the_script_is_read_and_has_no_token() {
    if Command::new("curl").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "curl is missing");
        println!("left out: curl is missing");
        return;
    }
    let (address, requests) = server();
    // A file with a token comes before a token, as for the `consul` command.
    let file = std::env::temp_dir().join(format!("lictor-collect-{}", std::process::id()));
    fs::write(&file, TOKEN).unwrap();
    let mut shell = Command::new("sh")
        .env("CONSUL_HTTP_ADDR", &address)
        .env("CONSUL_HTTP_TOKEN_FILE", &file)
        .env("CONSUL_HTTP_TOKEN", "another token")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let script = collect_commands(Some(KEY));
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let output = shell.wait_with_output().unwrap();
    fs::remove_file(file).unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains(TOKEN) && !script.contains(TOKEN), "{text}");
    let requests = requests.lock().unwrap();
    assert!(requests.iter().all(|(_, token)| token == TOKEN), "{requests:?}");
    let is_asked = |path: &str| requests.iter().any(|(asked, _)| asked == path);
    assert!(is_asked("/v1/kv/api/?recurse") && is_asked("/v1/catalog/nodes"), "{requests:?}");
    let incident = Incident::read(&[Source::new("-", text.as_bytes())], None).unwrap();
    let answer = incident.answer_for(KEY).unwrap();
    assert_eq!((answer.kind, answer.is_assumed), (AnswerKind::Held, false));
    let headline = incident.headline(&answer);
    assert!(headline.starts_with("HELD api/leader by session 17fe9fc5 (api) on node consul-1; "));
    // What the script asked for covers these keys, and no other.
    assert!(incident.answer_for("api/other").is_none());
    assert_eq!(incident.answer_for("other").unwrap().kind, AnswerKind::Unknown);
}
