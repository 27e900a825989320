//! The environment of the page tests: a static server for the built page, and a host name for each
//! test, so that no test finds what another one stored.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use tiny_http::{Header, Request, Response, Server};

/// The variable that names the folder of the built page.
const DIST: &str = "LICTOR_DIST";

/// The port of the page's server, which all tests share and which ends with the test program.
pub(crate) fn page_port() -> u16 {
    static PORT: OnceLock<u16> = OnceLock::new();
    *PORT.get_or_init(|| {
        let dist = dist();
        serve(move |request| answer(&dist, request))
    })
}

/// A name of this machine that no other test uses. A browser keeps what a page stores by the name
/// and the port of its server.
pub(crate) fn own_host() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    format!("test-{}.localhost", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Whether the tests run in continuous integration, where no check may be skipped.
pub(crate) fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// The folder of the built page.
pub(crate) fn dist() -> PathBuf {
    let folder = std::env::var_os(DIST).map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| panic!("{DIST} names the folder of the built page"));
    assert!(folder.join("index.html").is_file(), "{} holds no built page", folder.display());
    folder
}

/// Answers on a free port, which is returned. Each request has a thread: a browser may leave an
/// answer unread, for example that of a frame which it removed, and the others do not wait for it.
pub(crate) fn serve(answer: impl Fn(Request) + Send + Sync + 'static) -> u16 {
    let server = Server::http("127.0.0.1:0").expect("a free port on loopback");
    let address = server.server_addr().to_ip().expect("an address on loopback");
    thread::spawn(move || {
        thread::scope(|scope| {
            for request in server.incoming_requests() {
                scope.spawn(|| answer(request));
            }
        });
    });
    address.port()
}

/// Answers with a file of a folder, as any static host does.
fn answer(folder: &Path, request: Request) {
    let url = request.url().to_owned();
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let index = if path.ends_with('/') { "index.html" } else { "" };
    let name = format!("{}{index}", path.trim_start_matches('/'));
    let file = (!name.contains("..")).then(|| folder.join(&name));
    let body = file.and_then(|file| fs::read(file).ok());
    let sent = match body {
        Some(body) => request.respond(Response::from_data(body).with_header(kind(&name))),
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
