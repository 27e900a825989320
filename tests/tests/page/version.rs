//! The version of Consul on the page: the header shows that of the open world, the reader chooses
//! that of new worlds, links, files, frames and scripts keep it, and unknown ones are refused.

use serde_json::json;
use thirtyfour::prelude::*;

use super::embed::{FRAME, calls, enter, leave, open as open_frame, visit};
use super::sandbox::{REFERENCE, Sandbox, View, with_page};
use super::share::saved_by;

/// A link without a version, which means 1.13.
const OLD_LINK: &str = "#v1.AAcCAQAABXdlYi0xBJADDgAGcGF1c2VzAAB-Pj-Q";
/// A link with a version that does not exist.
const UNKNOWN_LINK: &str = "#v1.CQcCAQAABXdlYi0xBJADDgAGcGF1c2VzAABVtQsi";
const LINK: &str = "document.querySelector('[data-testid=share-link]').value";

/// Opens an address of the page in its tab.
async fn go(page: &Sandbox, address: &str) -> WebDriverResult<()> {
    page.driver.goto("about:blank").await?;
    page.driver.goto(address).await?;
    page.find("now").await.map(drop)
}

async fn choose(page: &Sandbox, version: &str) -> WebDriverResult<()> {
    page.click("version-button").await?;
    page.click(&format!("version-{version}")).await?;
    page.shows("version-button", &format!("Consul {version}")).await
}

/// Waits until the panel marks a version as that of the open world or of new worlds.
async fn is_marked(page: &Sandbox, version: &str, mark: &str) -> WebDriverResult<()> {
    page.shows(&format!("version-{version}"), mark).await
}

#[tokio::test]
async fn the_header_shows_the_version_of_the_open_world_and_not_the_chosen_one()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.shows("version-button", "Consul 1.22").await?;
        go(&page, &format!("{}{OLD_LINK}", page.address())).await?;
        page.shows("version-button", "Consul 1.13").await?;
        page.shows("status-web-1", "frozen").await?;
        page.click("version-button").await?;
        is_marked(&page, "1.13", "this world").await?;
        is_marked(&page, "1.22", "new worlds").await?;
        page.click("version-close").await?;
        page.click("home-button").await?;
        page.click("story-none").await?;
        page.shows("version-button", "Consul 1.22").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn another_version_opens_a_fresh_world_and_the_present_one_can_be_restored()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.shows("status-web-1", "session A").await?;
        // The version that the world has already changes nothing.
        choose(&page, "1.22").await?;
        page.shows("status-web-1", "session A").await?;
        choose(&page, "1.13").await?;
        page.shows("status-web-1", "no session").await?;
        page.paste("consul version").await?;
        page.shows("console-transcript", "Consul v1.13.9").await?;
        // A reload keeps the world and the choice.
        page.driver.refresh().await?;
        page.shows("version-button", "Consul 1.13").await?;
        page.click("worlds-button").await?;
        page.click("world-1").await?;
        page.shows("version-button", "Consul 1.22").await?;
        page.shows("status-web-1", "session A").await?;
        page.click("home-button").await?;
        page.click("story-none").await?;
        page.shows("version-button", "Consul 1.13").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_version_is_chosen_by_keyboard_in_every_width() -> WebDriverResult<()> {
    for width in [1280, 360] {
        with_page(View { width, ..REFERENCE }, move |page| async move {
            page.enter("more-button").await?;
            page.enter("version-button").await?;
            page.tab_to("version-1.13").await?;
            page.audit().await?;
            page.press(Key::Enter + "").await?;
            page.has_focus("more-button").await?;
            page.shows("version-button", "Consul 1.13").await?;
            page.press(Key::Enter + "").await?;
            page.enter("version-button").await?;
            page.tab_to("version-1.22").await?;
            page.press(Key::Escape + "").await?;
            page.has_focus("more-button").await?;
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_link_a_log_and_a_saved_page_keep_the_version() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        choose(&page, "1.13").await?;
        page.click("create-session-web-1").await?;
        page.click("share-button").await?;
        page.shows("share-length", "characters").await?;
        let link = page.eval(LINK).await?;
        let log = saved_by(&page, "share-file").await?;
        let whole = saved_by(&page, "share-page").await?;
        page.click("share-close").await?;
        choose(&page, "1.22").await?;
        go(&page, link.as_str().unwrap_or_default()).await?;
        page.shows("version-button", "Consul 1.13").await?;
        page.shows("status-web-1", "session A").await?;
        choose(&page, "1.22").await?;
        assert!(log.contains(r#""consul":"1.13""#), "{log}");
        page.eval(&format!("(lictor.load({}), true)", json!(log))).await?;
        page.shows("version-button", "Consul 1.13").await?;
        let name = format!("lictor-version-{}.html", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, whole)?;
        page.driver.goto(&format!("file://{}", file.display())).await?;
        page.shows("version-button", "Consul 1.13").await?;
        page.shows("status-web-1", "session A").await?;
        std::fs::remove_file(&file)?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_unknown_version_is_refused_with_the_known_ones_and_changes_nothing()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("share-button").await?;
        let log = r#"{"lictor":"log","version":1,"seed":1,"consul":"9.9","acts":0,"end":0}"#;
        for (text, error) in [
            (UNKNOWN_LINK, "Lictor does not have; it has 1.13 and 1.22"),
            (log, "the known versions are 1.13, 1.22"),
        ] {
            page.fill("open-text", text).await?;
            page.click("open-button").await?;
            page.shows("open-trouble", error).await?;
        }
        page.click("share-close").await?;
        let thrown = "(() => { try { lictor.newWorld('9.9') }
            catch (it) { return `${it.code}: ${it.message}` } })()";
        let expected = "invalid-argument: unknown version of Consul \"9.9\"; the known versions \
                        are 1.13, 1.22";
        assert_eq!(page.eval(thrown).await?, expected);
        page.shows("version-button", "Consul 1.22").await?;
        page.shows("status-web-1", "session A").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_script_opens_worlds_of_both_versions_and_reads_the_version() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        assert_eq!(page.eval("lictor.version()").await?, "1.22");
        page.eval("(lictor.act('web-1', 'session'), lictor.newWorld('1.13'), true)").await?;
        assert_eq!(page.eval("lictor.version()").await?, "1.13");
        page.shows("version-button", "Consul 1.13").await?;
        page.shows("status-web-1", "no session").await?;
        // Only the reader chooses that of worlds without a version.
        page.eval("(lictor.newWorld(), true)").await?;
        assert_eq!(page.eval("lictor.version()").await?, "1.22");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_element_has_the_version_of_its_attribute() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        visit(&page, "<lictor-sandbox consul=1.13></lictor-sandbox>").await?;
        let returned = "await it.version(), (await it.act('web-1', 'session')).length > 0,
            await it.newWorld('1.22'), await it.version()";
        assert_eq!(calls(&page, returned).await?, json!(["1.13", true, null, "1.22"]));
        enter(&page).await?;
        page.shows("version", "Consul 1.22").await?;
        leave(&page).await?;
        // The element stores nothing.
        page.shows("version-button", "Consul 1.22").await?;
        page.click("version-button").await?;
        is_marked(&page, "1.22", "new worlds").await?;
        page.click("version-close").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_frame_reports_a_version_that_is_unknown_or_not_that_of_its_world() -> WebDriverResult<()>
{
    with_page(FRAME, |page| async move {
        open_frame(&page, "consul=9.9", FRAME).await?;
        page.shows("open-trouble", "no Consul “9.9”; it has 1.13 and 1.22").await?;
        page.shows("version", "Consul 1.22").await?;
        open_frame(&page, &format!("consul=1.22{OLD_LINK}"), FRAME).await?;
        page.shows("open-trouble", "made with Consul 1.13, which it keeps").await?;
        page.shows("version", "Consul 1.13").await?;
        open_frame(&page, &format!("consul=1.13{OLD_LINK}"), FRAME).await?;
        page.shows("version", "Consul 1.13").await?;
        page.until("!document.querySelector('[data-testid=open-trouble]')").await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}
