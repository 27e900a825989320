//! The environment of the page tests: a static server for the built page, one ChromeDriver, and a
//! browser for each test. `sandbox` drives the page in it.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use thirtyfour::LoggingPrefsLogLevel;
use thirtyfour::prelude::*;
use tiny_http::{Header, Request, Response, Server};

/// The folder of the built page.
const DIST: &str = "LICTOR_DIST";

/// Runs ChromeDriver until the test program ends, which closes the pipe that `read` waits on.
const KEEPER: &str = "chromedriver --port=0 & driver=$!; read -r _; kill $driver";

/// The running servers; they end with the test program.
pub(crate) struct Environment {
    pub(crate) page: String,
    driver: String,
    _chromedriver: Child,
}

/// The environment that all tests share.
pub(crate) fn environment() -> &'static Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let (chromedriver, driver) = start_chromedriver();
        let dist = dist();
        let page = serve(move |request| answer(&dist, request));
        Environment { page, driver, _chromedriver: chromedriver }
    })
}

impl Environment {
    pub(crate) async fn browser(&self) -> WebDriverResult<WebDriver> {
        let mut wishes = DesiredCapabilities::chrome();
        for argument in [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-quic",
            "--disable-sync",
            "--no-first-run",
            "--lang=en-US",
            "--force-device-scale-factor=1",
        ] {
            wishes.add_arg(argument)?;
        }
        wishes.set_browser_log_level(LoggingPrefsLogLevel::All)?;
        WebDriver::new(&self.driver, wishes).await
    }
}

/// Whether the tests run in continuous integration, where no check may be skipped.
pub(crate) fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

fn dist() -> PathBuf {
    let folder = std::env::var_os(DIST).map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| panic!("{DIST} names the folder of the built page"));
    assert!(folder.join("index.html").is_file(), "{} holds no built page", folder.display());
    folder
}

/// Starts ChromeDriver on a port that it chooses and prints.
fn start_chromedriver() -> (Child, String) {
    let mut child = Command::new("sh")
        .args(["-c", KEEPER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("sh is on PATH");
    let output = child.stdout.take().expect("its output is piped");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let started = lines
        .find(|line| line.contains("started successfully on port"))
        .expect("chromedriver is on PATH and says when it is ready; ./dev setup installs it");
    let port: String = started.chars().filter(char::is_ascii_digit).collect();
    // It must not block on a full pipe.
    thread::spawn(move || lines.for_each(drop));
    (child, format!("http://127.0.0.1:{port}"))
}

/// Answers on a free port.
pub(crate) fn serve(answer: impl Fn(Request) + Send + 'static) -> String {
    let server = Server::http("127.0.0.1:0").expect("a free port on loopback");
    let address = server.server_addr().to_ip().expect("an address on loopback");
    thread::spawn(move || {
        for request in server.incoming_requests() {
            answer(request);
        }
    });
    format!("http://{address}/")
}

/// Answers with a file of a folder, as any static host does.
fn answer(folder: &Path, request: Request) {
    let url = request.url().to_owned();
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let name = if path == "/" { "index.html" } else { path.trim_start_matches('/') };
    // Built files lie side by side; anything with a slash or dots is not one of them.
    let file = (!name.contains('/') && !name.contains("..")).then(|| folder.join(name));
    let body = file.and_then(|file| fs::read(file).ok());
    let sent = match body {
        Some(body) => request.respond(Response::from_data(body).with_header(kind(name))),
        None => request.respond(Response::from_string("not found").with_status_code(404)),
    };
    // A browser that went away is no fault of the server.
    drop(sent);
}

pub(crate) fn kind(name: &str) -> Header {
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    Header::from_bytes("Content-Type", kind).expect("a header without line breaks")
}
