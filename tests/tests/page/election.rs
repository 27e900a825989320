//! The steps of Consul's guide to leader election can be carried out with buttons alone, and with
//! the keyboard alone.

use thirtyfour::prelude::*;

use super::drawings::draws;
use super::sandbox::{REFERENCE, Sandbox, with_page};

#[tokio::test]
async fn a_leader_is_elected_by_buttons_alone() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        elect(&page).await?;
        hand_over(&page).await?;
        fail(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_leader_is_elected_by_keyboard_alone() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for actor in ["web-1", "web-2"] {
            page.tab_to(&format!("select-{actor}")).await?;
            page.press(" ").await?;
            page.tab_to(&format!("create-session-{actor}")).await?;
            page.press(" ").await?;
        }
        page.press("1").await?;
        page.tab_to("acquire-web-1").await?;
        page.press(" ").await?;
        page.shows("lock", "web-1").await?;
        // The button keeps the focus, and acts for the actor that is selected then.
        page.press("2").await?;
        page.has_focus("acquire-web-2").await?;
        page.press(" ").await?;
        page.shows("events", "false").await?;
        page.press("1").await?;
        page.press("d").await?;
        page.shows("state-word", "DELAYED").await?;
        page.tab_to("next-event").await?;
        page.press(" ").await?;
        page.shows("state-word", "FREE").await?;
        page.press("2").await?;
        page.press("a").await?;
        page.shows("lock", "web-2").await?;
        Ok(page)
    })
    .await
}

/// The first client acquires the lock; the second one is refused.
async fn elect(page: &Sandbox) -> WebDriverResult<()> {
    for actor in ["web-1", "web-2"] {
        page.select(actor).await?;
        page.click(&format!("create-session-{actor}")).await?;
    }
    page.select("web-1").await?;
    page.click("acquire-web-1").await?;
    page.shows("lock", "web-1").await?;
    page.select("web-2").await?;
    page.click("acquire-web-2").await?;
    page.shows("events", "false").await?;
    page.shows("lock", "web-1").await
}

/// After a release the other client acquires the lock at once: there is no lock-delay.
async fn hand_over(page: &Sandbox) -> WebDriverResult<()> {
    page.select("web-1").await?;
    page.click("release-web-1").await?;
    page.select("web-2").await?;
    page.click("acquire-web-2").await?;
    page.shows("lock", "web-2").await
}

/// The end of the holder's session begins a lock-delay. While it lasts every acquire is refused.
async fn fail(page: &Sandbox) -> WebDriverResult<()> {
    page.click("destroy-web-2").await?;
    page.shows("state-word", "DELAYED").await?;
    page.select("web-1").await?;
    page.click("acquire-web-1").await?;
    page.shows("events", "lock-delay").await?;
    page.click("next-event").await?;
    page.shows("state-word", "FREE").await?;
    page.click("acquire-web-1").await?;
    page.shows("lock", "web-1").await
}

#[tokio::test]
async fn a_leader_that_hears_nothing_still_thinks_it_leads() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.click("next-event").await?;
        draws(&page, "wrong-belief").await?;
        page.shows("status-web-1", "believes it holds").await?;

        page.select("web-2").await?;
        page.click("create-session-web-2").await?;
        page.click("next-event").await?;
        page.click("acquire-web-2").await?;
        page.click("plus-1").await?;
        draws(&page, "two-believers").await?;

        page.select("web-1").await?;
        page.click("read-web-1").await?;
        page.until("!document.querySelector('[data-testid=status-web-1] .is-danger')").await?;
        Ok(page)
    })
    .await
}
