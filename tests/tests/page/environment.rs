//! A static server for the built page, and a host name for each test, so that no test finds what
//! another one stored in the browser.

use std::convert::Infallible;
use std::fs;
use std::future::{pending, ready};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::runtime::Builder;

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

/// A host name on loopback that no other test uses. A browser stores data by host name and port.
pub(crate) fn own_host() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(1);
    format!("test-{}.localhost", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Whether the tests run in continuous integration, where no check may be skipped.
pub(crate) fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

/// A response whose body is a file or a text.
pub(crate) type FileResponse = Response<Full<Bytes>>;

/// The folder of the built page.
pub(crate) fn dist() -> PathBuf {
    let folder = std::env::var_os(DIST).map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| panic!("{DIST} names the folder of the built page"));
    assert!(folder.join("index.html").is_file(), "{} holds no built page", folder.display());
    folder
}

/// Starts a server on a free port, which is returned. Connections do not wait for each other,
/// because a browser may leave an answer unread, for example that of a frame which it removed.
pub(crate) fn serve(
    answer: impl Fn(&Request<Incoming>) -> FileResponse + Send + Sync + 'static,
) -> u16 {
    serve_until(pending(), answer).0
}

/// Does the same until `end` is ready; then the thread closes all connections and ends.
pub(crate) fn serve_until(
    end: impl Future<Output = ()> + Send + 'static,
    answer: impl Fn(&Request<Incoming>) -> FileResponse + Send + Sync + 'static,
) -> (u16, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port on loopback");
    let address = listener.local_addr().expect("an address on loopback");
    listener.set_nonblocking(true).expect("a socket can be non-blocking");
    let runtime = Builder::new_current_thread().enable_io().build().expect("a runtime");
    let thread = thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                () = accept(listener, Arc::new(answer)) => {}
                () = end => {}
            }
        });
    });
    (address.port(), thread)
}

async fn accept(
    listener: TcpListener,
    answer: Arc<impl Fn(&Request<Incoming>) -> FileResponse + Send + Sync + 'static>,
) {
    let listener = tokio::net::TcpListener::from_std(listener).expect("a non-blocking socket");
    while let Ok((stream, _)) = listener.accept().await {
        let answer = answer.clone();
        let service = service_fn(move |request| ready(Ok::<_, Infallible>(answer(&request))));
        // A browser that went away is no fault of the server.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// Answers with a file of a folder, or with 404. A path with `..` is never served.
pub(crate) fn answer(folder: &Path, request: &Request<Incoming>) -> FileResponse {
    let path = request.uri().path();
    let index = if path.ends_with('/') { "index.html" } else { "" };
    let name = format!("{}{index}", path.trim_start_matches('/'));
    let file = (!name.contains("..")).then(|| folder.join(&name));
    match file.and_then(|file| fs::read(file).ok()) {
        Some(body) => response(&name, body),
        None => {
            let mut missing = response(".txt", "not found");
            *missing.status_mut() = StatusCode::NOT_FOUND;
            missing
        }
    }
}

/// A response with the media type of a file's name.
pub(crate) fn response(name: &str, body: impl Into<Bytes>) -> FileResponse {
    let kind = match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    };
    let mut response = Response::new(Full::new(body.into()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
