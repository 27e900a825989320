//! The panels for programs and faults: starting client programs, and injecting and repairing faults
//! of their hosts.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, with_page};

/// Two locks of the Go client; the first holds.
async fn two_locks(page: &Sandbox) -> WebDriverResult<()> {
    page.click("program-start").await?;
    page.shows("program-lock-1", "Holding").await?;
    page.select("web-2").await?;
    page.click("program-start").await?;
    page.shows("program-lock-2", "Watching").await
}

#[tokio::test]
async fn a_crashed_holder_loses_the_lock_at_the_predicted_time() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        two_locks(&page).await?;
        page.click("plus-10").await?;
        page.select("web-1").await?;
        page.click("crash-web-1").await?;
        page.shows("status-web-1", "crashed").await?;
        page.find("takeover").await?;
        let at = page.eval("document.querySelector('[data-testid=takeover-at]').innerText").await?;
        let at = at.as_str().unwrap_or_default().trim_start_matches("at ").to_owned();
        page.until("document.querySelector('[data-testid=takeover-terms]')").await?;
        let follows = "document.querySelector('[data-testid=holder]').innerText.includes('web-2')";
        for _ in 0..40 {
            if page.eval(follows).await? == true {
                break;
            }
            page.click("next-event").await?;
        }
        page.shows("holder", "web-2").await?;
        page.shows("now", &at).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_failover_restarts_every_session_ttl() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        for button in ["plus-10", "plus-10", "failover", "plus-10", "plus-10"] {
            page.click(button).await?;
        }
        page.shows("status-web-1", "session A").await?;
        page.click("plus-10").await?;
        page.shows("status-web-1", "no session").await?;
        page.shows("events", "another server becomes leader").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn keys_pause_the_selected_client_and_cut_its_network() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for (key, says) in [("g", "paused"), ("x", "network cut")] {
            page.press(key).await?;
            page.shows("status-web-1", says).await?;
            page.press(key).await?;
            page.shows("status-web-1", "no session").await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_client_without_network_still_thinks_it_holds_the_lock() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        two_locks(&page).await?;
        page.select("web-1").await?;
        page.click("cut-web-1").await?;
        page.shows("status-web-1", "network cut").await?;
        for _ in 0..6 {
            page.click("plus-10").await?;
        }
        page.shows("holder", "web-2").await?;
        let band = "document.querySelector('[data-testid=two-believers]')";
        page.until(&format!("{band}.textContent.includes(' s')")).await?;
        page.until("document.querySelector('[data-testid=believers] .is-danger')").await?;
        page.click("crash-web-1").await?;
        page.until("!document.querySelector('[data-testid=believers] .is-danger')").await?;
        page.shows("events", "process crashed").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn invalid_program_options_are_reported_and_change_nothing() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.fill("program-words", "db/leader ttl=soon").await?;
        page.click("program-start").await?;
        page.find("program-trouble").await?;
        page.fill("program-words", "db/leader value=<b>bold</b>").await?;
        page.click("program-start").await?;
        page.shows("program-lock-1", "Holding").await?;
        page.until("!document.querySelector('[data-testid=program-trouble]')").await?;
        Ok(page)
    })
    .await
}
