//! Serves the page beside a cluster that is followed, on loopback: the files of its folder, and
//! what the follower has published. No request to it causes one to the cluster. All paths begin
//! with a random name that the printed address has, and other hosts and origins are refused.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, TcpListener as StdListener};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{
    ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::http::uri::Authority;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use percent_encoding::percent_decode_str;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use super::client::Client;
use super::page_files::{PageFiles, PageFolderError};
use super::passes::Wanted;
use super::published::{Publisher, Snapshot};

/// How long the answer to `live?after=` waits for a newer version.
const WAIT: Duration = Duration::from_secs(25);
/// How many pages may wait at once.
const WAITING_MAX: usize = 16;
/// A browser opens up to six connections for a page.
const CONNECTIONS_MAX: usize = 64;
/// How long a client may take to send its request.
const REQUEST_MAX: Duration = Duration::from_secs(10);
/// How long a connection may last, which has one request. A client that never reads its answer
/// would otherwise keep its place for ever.
const CONNECTION_MAX: Duration = Duration::from_secs(120);
/// The pause after the system had no connection to give.
const ACCEPT_AGAIN: Duration = Duration::from_millis(100);

const TEXT: &str = "text/plain; charset=utf-8";

/// The headers of each answer. Nothing is stored: another run has other paths.
const HEADERS: [(HeaderName, &str); 5] = [
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (X_FRAME_OPTIONS, "DENY"),
];

/// Why the page cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PageError {
    #[error(transparent)]
    Folder(#[from] PageFolderError),
    #[error("cannot listen on 127.0.0.1:{0}: {1}")]
    Listen(u16, io::Error),
    #[error("the system gives no random bytes: {0}")]
    Random(#[from] getrandom::Error),
    #[error("cannot serve the page: {0}")]
    System(#[from] io::Error),
}

/// A page that is served until the program ends.
#[derive(Debug)]
pub(crate) struct Page {
    /// What a browser opens.
    pub(super) address: String,
    pub(super) publisher: Publisher,
}

impl Page {
    /// Serves the page of a folder, by default of `page` beside the program, on a port of
    /// 127.0.0.1; on any free one if that is 0.
    pub(crate) fn serve(
        port: u16,
        folder: Option<&Path>,
        client: &Client,
        wanted: Wanted<'_>,
    ) -> Result<Self, PageError> {
        let folder = match folder {
            Some(folder) => folder.to_owned(),
            None => std::env::current_exe()?.with_file_name("page"),
        };
        let files = PageFiles::of(folder)?;
        let listen = |port| {
            let listener = StdListener::bind((Ipv4Addr::LOCALHOST, port))?;
            listener.set_nonblocking(true)?;
            Ok((listener.local_addr()?.port(), listener))
        };
        let (port, listener) = listen(port).map_err(|error| PageError::Listen(port, error))?;
        let mut random = [0; 16];
        getrandom::fill(&mut random)?;
        let root = format!("/{:032x}/", u128::from_be_bytes(random));
        let address = format!("http://127.0.0.1:{port}{root}#/live");
        let publisher = Publisher::new(wanted, client.place());
        let site = Site {
            hosts: hosts(port),
            root,
            files,
            snapshots: publisher.snapshots(),
            newest: Mutex::default(),
            waiting: Semaphore::new(WAITING_MAX),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let entered = runtime.enter();
        let listener = TcpListener::from_std(listener)?;
        drop(entered);
        let thread = thread::Builder::new().name("page".into());
        thread.spawn(move || runtime.block_on(run(Arc::new(site), listener)))?;
        Ok(Self { address, publisher })
    }
}

/// The values of `Host` that name this server.
fn hosts(port: u16) -> Vec<String> {
    let names = ["127.0.0.1", "localhost", "[::1]"];
    let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
    // A browser leaves out the port of the scheme.
    hosts.extend(names.iter().filter(|_| port == 80).map(ToString::to_string));
    hosts
}

async fn run(site: Arc<Site>, listener: TcpListener) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    while let Ok(slot) = slots.clone().acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(ACCEPT_AGAIN).await;
            continue;
        };
        let site = site.clone();
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let site = site.clone();
                async move { Ok::<_, Infallible>(site.answer(&request).await) }
            });
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(REQUEST_MAX).keep_alive(false);
            let connection = http.serve_connection(TokioIo::new(stream), service);
            // A browser that has gone away, or is too slow, is no fault of the server.
            let _ = timeout(CONNECTION_MAX, connection).await;
            drop(slot);
        });
    }
}

/// What is served.
struct Site {
    hosts: Vec<String>,
    /// The beginning of all paths: a random name between two slashes.
    root: String,
    files: PageFiles,
    snapshots: watch::Receiver<Arc<Snapshot>>,
    /// The last snapshot that a page has asked for, as JSON, with its version.
    newest: Mutex<(u64, Bytes)>,
    waiting: Semaphore,
}

/// Why a request is refused. The text gives no hint at the paths that exist.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("this host, or a page of this origin, is refused")]
    Forbidden,
    #[error("only GET and HEAD are served")]
    Method,
    #[error("not found")]
    NotFound,
    #[error("`after` is not the number of a version")]
    Version,
    #[error("{WAITING_MAX} pages wait already")]
    Busy,
    #[error("this cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl Refusal {
    const fn status(&self) -> StatusCode {
        match self {
            Self::Forbidden => StatusCode::FORBIDDEN,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::Version => StatusCode::BAD_REQUEST,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Json(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl Site {
    async fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        let answer = match self.admitted(request) {
            Ok("live") => self.live(request.uri().query()).await,
            Ok(path) => self.file(path),
            Err(refusal) => Err(refusal),
        };
        let (status, media_type, body) = match answer {
            Ok((media_type, body)) => (StatusCode::OK, media_type, body),
            Err(refusal) => (refusal.status(), TEXT, Bytes::from(format!("{refusal}\n"))),
        };
        let mut response = Response::new(Full::new(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let of_each = HEADERS.into_iter().chain([(CONTENT_TYPE, media_type)]);
        headers.extend(of_each.map(|(name, value)| (name, HeaderValue::from_static(value))));
        if status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
        }
        response
    }

    /// The path after the random name, of a request that is not refused.
    fn admitted<'a>(&self, request: &'a Request<Incoming>) -> Result<&'a str, Refusal> {
        let path = request.uri().path().strip_prefix(&self.root);
        if !self.is_from_here(request, path) {
            return Err(Refusal::Forbidden);
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return Err(Refusal::Method);
        }
        // A service worker would store the page for the paths of this run, which no other run has.
        if request.headers().contains_key("service-worker") {
            return Err(Refusal::NotFound);
        }
        path.ok_or(Refusal::NotFound)
    }

    /// Whether a request names this server, and no page of another origin has sent it.
    fn is_from_here(&self, request: &Request<Incoming>, path: Option<&str>) -> bool {
        let header = |name: &str| {
            let value = request.headers().get(name)?;
            Some(value.to_str().unwrap_or("?"))
        };
        let is_host = |host: &str| self.hosts.iter().any(|it| it.eq_ignore_ascii_case(host));
        let [host] = request.headers().get_all(HOST).iter().collect::<Vec<_>>()[..] else {
            return false;
        };
        let authority = request.uri().authority().map(Authority::as_str);
        let host = host.to_str().unwrap_or("?");
        if !is_host(host) || authority.is_some_and(|authority| authority != host) {
            return false;
        }
        let origin = header(ORIGIN.as_str());
        if origin.is_some_and(|origin| origin.strip_prefix("http://") != Some(host)) {
            return false;
        }
        // A person may follow the address on a page, such as a terminal in a browser. Only a whole
        // document can be opened so, which the other page cannot read.
        let opens_document = || {
            header("sec-fetch-mode") == Some("navigate")
                && header("sec-fetch-dest") == Some("document")
                && path != Some("live")
        };
        matches!(header("sec-fetch-site"), None | Some("none" | "same-origin")) || opens_document()
    }

    /// The newest snapshot: at once, or with `after=N` when there is one after that version, or
    /// after a time.
    async fn live(&self, query: Option<&str>) -> Result<(&'static str, Bytes), Refusal> {
        let mut snapshots = self.snapshots.clone();
        if let Some(query) = query {
            let after = query.strip_prefix("after=").and_then(|number| number.parse().ok());
            let after: u64 = after.ok_or(Refusal::Version)?;
            let _place = self.waiting.try_acquire().map_err(|_| Refusal::Busy)?;
            let newer = snapshots.wait_for(|snapshot| snapshot.version > after);
            // Without a newer one, the same one is the answer.
            let _ = timeout(WAIT, newer).await.map(drop);
        }
        let snapshot = snapshots.borrow().clone();
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.0 != snapshot.version || newest.1.is_empty() {
            *newest = (snapshot.version, serde_json::to_vec(&*snapshot)?.into());
        }
        Ok(("application/json", newest.1.clone()))
    }

    fn file(&self, path: &str) -> Result<(&'static str, Bytes), Refusal> {
        let name = percent_decode_str(path).decode_utf8().map_err(|_| Refusal::NotFound)?;
        let (media_type, body) = self.files.read(&name).ok_or(Refusal::NotFound)?;
        Ok((media_type, body.into()))
    }
}
