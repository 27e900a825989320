//! The page without its server: a service worker has stored the files of the page (www/offline.js),
//! and a page that the server has changed is stored in place of the earlier one.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use lictor_export::Format;
use thirtyfour::prelude::*;
use tokio::sync::oneshot;

use super::environment::{answer, dist, response, serve_until};
use super::export::exported;
use super::sandbox::{REFERENCE, Sandbox, with_page};

/// A server of the page that a test ends.
struct Server {
    address: String,
    /// Whether the page is a later build, with another description.
    is_changed: Arc<AtomicBool>,
    end: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Server {
    fn start(page: &Sandbox) -> Self {
        let folder = dist();
        let is_changed = Arc::new(AtomicBool::new(false));
        let changed = is_changed.clone();
        let (end, ended) = oneshot::channel();
        let (port, thread) = serve_until(async { drop(ended.await) }, move |request| {
            let (name, from, to) = match request.uri().path() {
                "/" => ("index.html", "A sandbox of", "A later sandbox of"),
                "/offline.js" => ("offline.js", "const BUILD = \"", "const BUILD = \"later "),
                _ => return answer(&folder, request),
            };
            let file = fs::read_to_string(folder.join(name)).unwrap_or_default();
            let is_changed = changed.load(Ordering::Relaxed);
            response(name, if is_changed { file.replace(from, to) } else { file })
        });
        Self { address: format!("http://{}:{port}/", page.host), is_changed, end, thread }
    }

    /// Ends the server and closes its connections.
    fn end(self) {
        drop(self.end);
        self.thread.join().expect("the server does not panic");
    }
}

/// Waits until the browser has stored the page.
async fn is_stored(page: &Sandbox) -> WebDriverResult<()> {
    let ready = "navigator.serviceWorker.ready.then(() => arguments[0]())";
    page.driver.execute_async(ready, Vec::new()).await.map(drop)
}

/// Waits until the browser has stored a later build, and nothing of the earlier one.
async fn later_build_is_stored(page: &Sandbox) -> WebDriverResult<()> {
    let script = "
        const done = arguments[0];
        const look = async () => {
            const stores = await caches.keys();
            if (stores.length == 1 && stores[0].includes(' later ')) done();
            else setTimeout(look, 20);
        };
        look();";
    page.driver.execute_async(script, Vec::new()).await.map(drop)
}

async fn is_described_as(page: &Sandbox, start: &str) -> WebDriverResult<()> {
    page.find("now").await?;
    page.until(&format!(
        "document.querySelector('meta[name=description]').content.startsWith('{start}')"
    ))
    .await
}

/// Uses a page whose server has ended: a reload, the buttons, a worker, and a new tab.
async fn use_it_without_its_server(page: Sandbox) -> WebDriverResult<Sandbox> {
    let server = Server::start(&page);
    let address = server.address.clone();
    page.driver.goto(format!("{address}#/sandbox")).await?;
    is_stored(&page).await?;
    server.end();
    page.driver.refresh().await?;
    page.open_panels().await?;
    page.click("create-session-web-1").await?;
    page.click("acquire-web-1").await?;
    page.shows("holder", "web-1").await?;
    assert!(exported(&page, Format::Mermaid).await?.starts_with("sequenceDiagram"));
    let tab = page.driver.new_tab().await?;
    page.driver.switch_to_window(tab).await?;
    page.driver.goto(format!("{address}index.html?theme=dark#/question/3")).await?;
    page.shows("story-origin", "Question 3 of").await?;
    page.guess().await?;
    Ok(page)
}

#[tokio::test]
async fn a_stored_page_works_when_its_server_has_ended() -> WebDriverResult<()> {
    with_page(REFERENCE, use_it_without_its_server).await
}

#[tokio::test]
async fn a_page_that_the_server_has_changed_is_shown_at_once_and_replaces_the_stored_one()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let server = Server::start(&page);
        page.driver.goto(&server.address).await?;
        is_stored(&page).await?;
        is_described_as(&page, "A sandbox of").await?;
        server.is_changed.store(true, Ordering::Relaxed);
        page.driver.refresh().await?;
        is_described_as(&page, "A later sandbox of").await?;
        later_build_is_stored(&page).await?;
        server.end();
        page.driver.refresh().await?;
        is_described_as(&page, "A later sandbox of").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_embedded_page_is_not_stored() -> WebDriverResult<()> {
    const REGISTRATIONS: &str = "
        const done = arguments[0];
        navigator.serviceWorker.getRegistrations().then((all) => done(all.length));";
    with_page(REFERENCE, |page| async move {
        let (embedded, whole) = (Server::start(&page), Server::start(&page));
        let first = page.driver.window().await?;
        page.driver.goto(format!("{}?embed", embedded.address)).await?;
        page.until("window.lictor").await?;
        let second = page.driver.new_tab().await?;
        page.driver.switch_to_window(second).await?;
        page.driver.goto(&whole.address).await?;
        // It was opened later, so the other one would be stored by now.
        is_stored(&page).await?;
        page.driver.switch_to_window(first).await?;
        let registered = page.driver.execute_async(REGISTRATIONS, Vec::new()).await?;
        assert_eq!(registered.json(), 0);
        Ok(page)
    })
    .await
}
