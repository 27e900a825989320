//! Runs the program for a test, on a free port, and kills it when the test ends.

use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ureq::http::{Method, Request};

use crate::answer::WireAnswer;
use crate::raw::{LONG, Raw};

pub(crate) struct AgentProcess {
    process: Child,
    /// Reads the log all the time: an agent that writes to a full pipe would wait.
    log: Option<JoinHandle<String>>,
    /// Host and port.
    pub(crate) address: String,
    client: ureq::Agent,
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lictor-agent"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn client() -> ureq::Agent {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .timeout_global(Some(LONG));
    config.build().into()
}

impl AgentProcess {
    /// Starts an agent on a free port and waits until it is ready.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, |_| {})
    }

    /// The same, after a change of the command.
    pub(crate) fn start_with(arguments: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        let mut command = command(&["--addr", "127.0.0.1:0"]);
        change(command.args(arguments));
        let mut process = command.spawn().expect("it was built");
        let mut errors = process.stderr.take().expect("its errors are piped");
        let log = thread::spawn(move || {
            let mut text = String::new();
            errors.read_to_string(&mut text).expect("text");
            text
        });
        let mut line = String::new();
        let output = process.stdout.take().expect("its output is piped");
        BufReader::new(output).read_line(&mut line).expect("its output is text");
        let Some((_, address)) = line.trim().split_once("http://") else {
            panic!("the agent did not start: {line}{}", log.join().expect("text"));
        };
        Self { address: address.into(), process, log: Some(log), client: client() }
    }

    /// Starts a cluster of one server: an agent, or the Consul that `LICTOR_CONSUL` names.
    pub(crate) fn cluster() -> Self {
        let Some(consul) = std::env::var_os("LICTOR_CONSUL") else { return Self::start(&[]) };
        let port = || {
            let free = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr());
            free.expect("a free port").port().to_string()
        };
        let http = port();
        let mut command = Command::new(consul);
        command.args(["agent", "-dev", "-bind=127.0.0.1", "-client=127.0.0.1", "-node=n1"]);
        command.args(["-dns-port=-1", "-grpc-port=-1", "-http-port", &http]);
        for flag in ["-serf-lan-port", "-serf-wan-port", "-server-port"] {
            command.args([flag, &port()]);
        }
        // The router of the releases of Go with which Consul 1.13 was built.
        command.env("GODEBUG", "httpmuxgo121=1").stdout(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().expect("LICTOR_CONSUL names a program");
        let address = format!("127.0.0.1:{http}");
        let cluster = Self { address, process, log: None, client: client() };
        let is_ready = || {
            let checks = Request::get(format!("http://{}/v1/health/node/n1", cluster.address));
            let answer = cluster.client.run(checks.body(()).expect("a request"));
            let body = answer.ok().and_then(|mut it| it.body_mut().read_to_string().ok());
            body.is_some_and(|body| body.contains("passing"))
        };
        let until = Instant::now() + LONG;
        while !is_ready() {
            assert!(Instant::now() < until, "the Consul is not ready");
            thread::sleep(Duration::from_millis(50));
        }
        cluster
    }

    /// Starts an agent, calls it, stops it, and returns its log.
    pub(crate) fn log_of(arguments: &[&str], call: impl FnOnce(&Self)) -> String {
        let mut server = Self::start(arguments);
        call(&server);
        server.signal("TERM");
        assert!(server.wait().success());
        server.log.take().expect("it is taken once").join().expect("text")
    }

    pub(crate) fn get(&self, path: &str) -> WireAnswer {
        self.call("GET", path, b"")
    }

    pub(crate) fn put(&self, path: &str, body: &[u8]) -> WireAnswer {
        self.call("PUT", path, body)
    }

    /// Sends a request that must be answered with 200, and gives the body of its answer.
    pub(crate) fn ok(&self, method: &str, path: &str, body: &str) -> String {
        let answer = self.call(method, path, body.as_bytes());
        assert_eq!(answer.status, 200, "{method} {path}: {answer:?}");
        answer.body
    }

    /// Creates a session and gives its id.
    pub(crate) fn session(&self, body: &str) -> String {
        let created = self.ok("PUT", "/v1/session/create", body);
        let created: serde_json::Value = serde_json::from_str(&created).expect("JSON");
        created["ID"].as_str().expect("an id").into()
    }

    pub(crate) fn call(&self, method: &str, path: &str, body: &[u8]) -> WireAnswer {
        let request = Request::builder()
            .method(Method::from_bytes(method.as_bytes()).expect("a method"))
            .uri(format!("http://{}{path}", self.address))
            .body(body)
            .expect("a request");
        let mut answer = self.client.run(request).expect("an answer");
        let text = |(name, value): (&ureq::http::HeaderName, &ureq::http::HeaderValue)| {
            (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        WireAnswer {
            status: answer.status().as_u16(),
            headers: answer.headers().iter().map(text).collect(),
            body: answer.body_mut().read_to_string().expect("a body of text"),
        }
    }

    /// A plain connection, on which a test can send any bytes.
    pub(crate) fn connect(&self) -> Raw {
        Raw::new(TcpStream::connect(&self.address).expect("the agent listens"))
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    pub(crate) fn is_alive(&mut self) -> bool {
        self.process.try_wait().expect("it is a child").is_none()
    }

    /// Sends a signal by name: `TERM`, `INT` or `KILL`.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &id]).status();
        assert!(sent.expect("there is a kill").success());
    }

    pub(crate) fn wait(&mut self) -> ExitStatus {
        self.process.wait().expect("it is a child")
    }
}

impl Drop for AgentProcess {
    fn drop(&mut self) {
        // An agent that has ended already needs no killing.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
