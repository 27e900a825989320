//! A smoke test of the built page in each browser: it opens the page, acts, lets time run, goes
//! back, branches, reloads, embeds the page, and reads a page of the documentation.
//!
//! `./dev test` also runs the tests that are ignored here, where their browser is installed.

use thirtyfour::prelude::*;

use super::docs::read_a_page;
use super::drivers::Browser;
use super::embed::{calls, enter, leave, visit};
use super::sandbox::{REFERENCE, Sandbox, with_page_in};

#[tokio::test]
async fn the_page_works_in_chromium() -> WebDriverResult<()> {
    with_page_in(Browser::Chromium, REFERENCE, first_visit).await
}

#[tokio::test]
#[ignore = "needs Firefox and geckodriver"]
async fn the_page_works_in_firefox() -> WebDriverResult<()> {
    with_page_in(Browser::Firefox, REFERENCE, first_visit).await
}

#[tokio::test]
#[ignore = "needs WebKitWebDriver and Xvfb"]
async fn the_page_works_in_webkit() -> WebDriverResult<()> {
    with_page_in(Browser::WebKit, REFERENCE, first_visit).await
}

async fn first_visit(page: Sandbox) -> WebDriverResult<Sandbox> {
    run_and_pause(&page).await?;
    page.click("create-session-web-1").await?;
    page.click("acquire-web-1").await?;
    page.shows("holder", "web-1").await?;
    page.click("plus-10").await?;
    act_in_the_past(&page).await?;
    page.driver.refresh().await?;
    shows_both_branches(&page).await?;
    use_the_embedded_page(&page).await?;
    shows_both_branches(&page).await?;
    read_a_page(&page).await?;
    Ok(page)
}

/// Starts the clock, waits until it advances by itself, and pauses it.
async fn run_and_pause(page: &Sandbox) -> WebDriverResult<()> {
    page.click("mode-play").await?;
    page.click("run").await?;
    page.until("parseFloat(document.querySelector('[data-testid=now]').innerText) > 0").await?;
    page.shows("run", "Pause").await?;
    page.click("run").await?;
    page.shows("run", "Run").await
}

async fn act_in_the_past(page: &Sandbox) -> WebDriverResult<()> {
    page.click("first-event").await?;
    page.until("!document.querySelector('[data-testid=lock]')").await?;
    page.shows("now", "0.0 s").await?;
    page.click("create-session-web-2").await?;
    page.find("branch").await.map(drop)
}

/// Checks that the branch that began in the past is selected, and that the old future is kept.
async fn shows_both_branches(page: &Sandbox) -> WebDriverResult<()> {
    page.shows("status-web-2", "session B").await?;
    page.until("document.querySelectorAll('[data-testid=branch] option').length == 2").await?;
    page.pick("branch", "0").await?;
    page.click("last-event").await?;
    page.shows("holder", "web-1").await?;
    page.pick("branch", "1").await?;
    page.shows("status-web-2", "session B").await
}

/// Opens a lesson that a page of another origin embeds, and answers its question.
async fn use_the_embedded_page(page: &Sandbox) -> WebDriverResult<()> {
    visit(page, "<lictor-sandbox opens=two-believers.3></lictor-sandbox>").await?;
    let element = "document.querySelector('lictor-sandbox')";
    page.eval(&format!("({element}.shadowRoot.querySelector('button').click(), true)")).await?;
    assert_eq!(calls(page, "(await it.start()) == it").await?[0], true);
    enter(page).await?;
    page.shows("story-page", "3 of 4").await?;
    page.click("choice-2").await?;
    page.click("story-guess").await?;
    page.find("story-verdict").await?;
    leave(page).await
}
