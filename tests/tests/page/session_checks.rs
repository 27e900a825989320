//! Tests checks that follow sessions: a client adds one with a form, and the lane, the card and the
//! chains of causes show which session changed it.

use serde_json::json;
use thirtyfour::prelude::*;

use super::drawings::draws;
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// The texts of all steps of the chain of causes.
const CHAIN: &str = "[...document.querySelectorAll('[data-testid=chain] li > span:last-child')]
    .map(it => it.innerText)";

/// Adds a check for the sessions named after the client.
async fn add_check(page: &Sandbox) -> WebDriverResult<()> {
    page.click("add-check-button").await?;
    page.click("check-add").await?;
    page.click("add-check-close").await
}

#[tokio::test]
async fn a_check_that_a_client_adds_follows_the_sessions_of_its_name() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        add_check(&page).await?;
        page.shows("event-row", "PUT catalog/register").await?;
        page.shows("console-command", r#""SessionName": "web-1""#).await?;
        page.shows("health-checks", "follows sessions named web-1").await?;
        page.shows("health-check-status", "critical since 0.0 s").await?;
        page.click("plus-10").await?;
        page.click("create-session-web-1").await?;
        page.shows("health-check-status", "passing since 10.0 s: session A began").await?;
        page.shows("event-row", "passing").await?;
        page.click("plus-10").await?;
        page.click("destroy-web-1").await?;
        page.shows("health-check-status", "critical since 20.0 s: session A ended").await?;
        page.find("lane-check-session:web-1").await?;
        draws(&page, "check-critical").await?;
        draws(&page, "check-passing").await?;
        // A critical check of a session says nothing about the node.
        page.shows("status-web-1", "no session").await?;
        page.click("add-check-button").await?;
        page.click("remove-check-session:web-1").await?;
        page.has_focus("check-session").await?;
        page.click("add-check-close").await?;
        page.until("!document.querySelector('[data-testid=health-checks]')").await?;
        page.shows("event-row", "PUT catalog/deregister").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_check_is_added_by_keyboard_in_every_width() -> WebDriverResult<()> {
    for width in [1280, 360] {
        with_page(View { width, ..REFERENCE }, move |page| async move {
            page.click("create-session-web-1").await?;
            if width == 360 {
                page.click("close-actors").await?;
                page.enter("actors-button").await?;
                // Tab leads into the sheet, which is before its button in the document.
                page.press(Key::Tab + "").await?;
            }
            page.enter("add-check-button").await?;
            page.tab_to("check-session").await?;
            page.audit().await?;
            let field = page.find("check-session").await?;
            field.send_keys(Key::Control + "a").await?;
            field.send_keys("nightly" + Key::Enter).await?;
            page.find("remove-check-session:nightly").await?;
            // Without a change the name is that of the client, whose session lives.
            page.press(Key::Enter + "").await?;
            page.find("remove-check-session:web-1").await?;
            page.enter("add-check-close").await?;
            page.has_focus("add-check-button").await?;
            let checks = page.eval("lictor.read('/v1/health/node/web-1').Body").await?;
            let checks = checks.as_array().expect("a list").iter();
            let rows = checks.map(|it| json!([it["CheckID"], it["Status"], it["Type"]]));
            let rows = rows.collect::<Vec<_>>();
            assert!(rows.contains(&json!(["session:nightly", "critical", "session"])), "{rows:?}");
            assert!(rows.contains(&json!(["session:web-1", "passing", "session"])), "{rows:?}");
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_world_of_1_13_has_no_such_checks_and_says_so() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("version-button").await?;
        page.click("version-1.13").await?;
        page.click("add-check-button").await?;
        page.shows("check-obstacle", "Consul 1.13 has no checks that follow sessions").await?;
        page.shows("check-obstacle", "Consul 1.22 has them").await?;
        let is_disabled = "document.querySelector('[data-testid=check-add]').ariaDisabled";
        assert_eq!(page.eval(is_disabled).await?, "true");
        page.click("check-add").await?;
        page.tab_to("check-session").await?;
        page.press(Key::Enter + "").await?;
        page.click("add-check-close").await?;
        page.shows("events-count", "3").await?;
        page.until("!document.querySelector('[data-testid=health-checks]')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_end_of_a_session_leads_through_a_check_to_that_of_another_one() -> WebDriverResult<()>
{
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        add_check(&page).await?;
        page.paste(
            "s <- PUT /v1/session/create \
             {\"Name\": \"second\", \"NodeChecks\": [\"session:web-1\"]}\n\
             PUT /v1/kv/db/leader?acquire=$s",
        )
        .await?;
        page.shows("holder", "web-1").await?;
        page.click("plus-10").await?;
        page.eval("(lictor.act('web-1', 'destroy S1'), true)").await?;
        let cause = "ended (check session:web-1 critical, as session A ended)";
        page.shows("session-end", cause).await?;
        page.shows("state-sentence", cause).await?;
        page.shows("event-why", &format!("{cause}; released db/leader")).await?;
        page.click("create-session-web-2").await?;
        page.click("acquire-web-2").await?;
        page.until(&format!("({CHAIN}).length == 5")).await?;
        let chain = page.eval(CHAIN).await?;
        assert_eq!(
            chain,
            json!([
                "A2 acquired it",
                "A destroyed",
                "check session:web-1 critical, so A2 ended",
                "lock-delay of 15.0 s, until 25.0 s",
                "web-2: PUT kv/db/leader?acquire=B got false"
            ])
        );
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn two_sessions_of_a_name_share_a_check_that_the_first_end_makes_critical()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.open_lesson(21).await?;
        page.click("story-next").await?;
        page.click("story-next").await?;
        page.find("choice-3").await?;
        page.shows("health-check-status", "passing").await?;
        page.click("choice-3").await?;
        page.click("story-guess").await?;
        page.shows("story-verdict", "You said critical, and it was critical").await?;
        page.shows("health-check-status", "critical since 5.0 s: session A ended").await?;
        page.shows("session-clock", "no TTL").await?;
        page.click("story-fix").await?;
        page.find("lane-check-job-2").await?;
        page.shows("health-check-status", "passing since 2.0 s: session A2 began").await?;
        Ok(page)
    })
    .await
}
