//! Each part of the page has an address, and the panels that a reader leaves open stay open.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, with_first_visit, with_page};

/// Waits until the address ends with a fragment.
async fn is_at(page: &Sandbox, fragment: &str) -> WebDriverResult<()> {
    page.until_frame(&format!("location.hash == '{fragment}'")).await
}

async fn goes_back(page: &Sandbox) -> WebDriverResult<()> {
    page.eval("(history.back(), true)").await.map(drop)
}

#[tokio::test]
async fn back_returns_to_the_part_before_and_a_reload_keeps_the_part() -> WebDriverResult<()> {
    with_first_visit(REFERENCE, |page| async move {
        is_at(&page, "#/question/1").await?;
        page.click("tab-sandbox").await?;
        is_at(&page, "#/sandbox").await?;
        page.click("guide-button").await?;
        is_at(&page, "#/guide").await?;
        page.click("home-button").await?;
        is_at(&page, "#/questions").await?;
        page.click("story-3").await?;
        is_at(&page, "#/question/3").await?;
        page.driver.refresh().await?;
        page.shows("story-origin", "Question 3 of").await?;
        goes_back(&page).await?;
        page.until("document.querySelector('[data-testid=home]:popover-open')").await?;
        goes_back(&page).await?;
        page.until("document.querySelector('.guide:popover-open')").await?;
        goes_back(&page).await?;
        page.until("!document.querySelector('.guide:popover-open')").await?;
        is_at(&page, "#/sandbox").await?;
        goes_back(&page).await?;
        page.shows("story-origin", "Question 1 of").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_panels_of_the_sandbox_stay_open_and_a_question_begins_without_any()
-> WebDriverResult<()> {
    const OPEN: &str = "[...document.querySelectorAll('[data-testid^=open-][aria-pressed=true]')]
        .map((it) => it.dataset.testid).join(' ')";
    const PANELS: &str = "document.querySelectorAll('.actors, .bottom > *').length";
    with_page(REFERENCE, |page| async move {
        for panel in ["open-act", "open-details", "open-console"] {
            page.click(panel).await?;
        }
        page.until(&format!("{OPEN} == 'open-events'")).await?;
        page.driver.refresh().await?;
        page.until(&format!("{OPEN} == 'open-events' && {PANELS} == 1")).await?;
        page.click("home-button").await?;
        page.click("story-2").await?;
        page.find("choice-1").await?;
        page.until(&format!("{OPEN} == '' && {PANELS} == 0")).await?;
        page.click("tab-sandbox").await?;
        page.until(&format!("{OPEN} == 'open-events' && {PANELS} == 1")).await?;
        Ok(page)
    })
    .await
}
