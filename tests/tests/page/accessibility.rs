//! Accessibility of the page: axe-core finds no violation in any panel, the focus is never lost,
//! and the live region announces results and countdowns one at a time.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// The text of the live region.
const SAID: &str = "document.querySelector('[data-testid=said]').textContent";
const NARROW: View = View { width: 360, height: 800, ..REFERENCE };

/// Opens a panel over the page, audits it, and closes it.
async fn audit_panel(page: &Sandbox, name: &str) -> WebDriverResult<()> {
    page.click(&format!("{name}-button")).await?;
    page.until(&format!("document.querySelector('[data-testid={name}]:popover-open')")).await?;
    page.audit().await?;
    page.click(&format!("{name}-close")).await
}

/// Fills the world: a lock that was held, lost and refused, a semaphore, a program, and a blocking
/// query.
async fn fill_with_life(page: &Sandbox) -> WebDriverResult<()> {
    page.paste(
        "s1 <- PUT /v1/session/create {\"TTL\": \"10s\"}\nPUT /v1/kv/a?acquire=$s1 x\n\
         s2 <- PUT /v1/session/create\nPUT /v1/session/destroy/$s1\nPUT /v1/kv/a?acquire=$s2\n\
         PUT /v1/kv/jobs/$s2?acquire=$s2\n\
         PUT /v1/kv/jobs/.lock {\"Limit\": 2, \"Holders\": [\"$s2\", \"gone\"]}\n\
         GET /v1/kv/a?index=1000&wait=60s",
    )
    .await?;
    page.find("console-pending").await?;
    page.select("web-2").await?;
    page.click("program-start").await?;
    page.find("program-lock-1").await?;
    page.click("crash-web-2").await?;
    page.select("web-1").await
}

#[tokio::test]
async fn each_panel_is_accessible() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.audit().await?;
        fill_with_life(&page).await?;
        page.audit().await?;
        for name in ["home", "help", "share", "export", "checks", "version"] {
            audit_panel(&page, name).await?;
        }
        for name in ["options", "programs", "add-check"] {
            audit_panel(&page, name).await?;
        }
        page.click("previous-event").await?;
        page.click("create-session-web-3").await?;
        audit_panel(&page, "compare").await?;
        page.click("tab-keys").await?;
        page.audit().await?;
        page.click("tab-events").await?;
        page.fill("events-filter", "session").await?;
        page.audit().await?;
        page.fill("events-filter", "nothing is like this").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn each_panel_is_accessible_on_a_narrow_page_in_chinese() -> WebDriverResult<()> {
    with_page(NARROW, |page| async move {
        page.click("language").await?;
        page.audit().await?;
        page.paste("help\nGET /v1/kv/<nobody>").await?;
        page.find("console-error").await?;
        page.audit().await?;
        for name in ["home", "help", "share", "export"] {
            audit_panel(&page, name).await?;
        }
        page.click("actors-button").await?;
        for name in ["options", "programs", "add-check"] {
            audit_panel(&page, name).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_lesson_is_accessible_on_each_kind_of_page() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.open_lesson(2).await?;
        page.audit().await?;
        page.click("story-next").await?;
        page.click("story-next").await?;
        page.find("choice-1").await?;
        page.audit().await?;
        page.guess().await?;
        page.audit().await?;
        page.to_last_page().await?;
        page.audit().await?;
        page.click("story-fix").await?;
        page.find("story-fixed").await?;
        page.set_view(NARROW).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn removed_elements_pass_focus_to_a_neighbour() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("start").await?;
        page.has_focus("run").await?;
        page.paste("GET /v1/kv/a?index=1000&wait=60s").await?;
        page.click("console-cancel").await?;
        page.has_focus("console-input").await?;
        page.click("help-button").await?;
        page.click("help-close").await?;
        // The button of the help is in the closed menu.
        page.has_focus("more-button").await?;
        page.click("destroy-web-1").await?;
        page.has_focus("destroy-web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn each_page_of_a_lesson_is_announced() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        // A page of a lesson has a text, a question, or both.
        const SAYS: &str = "[...document.querySelectorAll(`[data-testid=story-says],
            [data-testid=story-question]`)].map(it => it.innerText).join(' ')";
        page.open_lesson(2).await?;
        for _ in 0..2 {
            page.click("story-next").await?;
            page.until(&format!("{SAYS} && {SAID} == {SAYS}")).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn results_are_announced_one_at_a_time() -> WebDriverResult<()> {
    // The announcements, each with its time in milliseconds.
    const LISTEN: &str = "(() => {
        const said = document.querySelector('[data-testid=said]');
        window.heard = [];
        const hear = () => heard.push([performance.now(), said.textContent]);
        const all = { childList: true, characterData: true, subtree: true };
        new MutationObserver(hear).observe(said, all);
    })()";
    // The pause is 2 s; a message may be rendered a little late, so the limit is 1.5 s.
    const TOO_SOON: &str = "heard.filter(([at], n) => n && at - heard[n - 1][0] < 1500).length";
    with_page(REFERENCE, |page| async move {
        page.eval(LISTEN).await?;
        for from in [0, 8] {
            let ask = |it| format!("PUT /v1/kv/key-{it} x\n");
            page.paste(&(from..from + 8).map(ask).collect::<String>()).await?;
        }
        page.paste("GET /v1/kv/missing").await?;
        // The last message is announced.
        page.until("heard.at(-1)[1].includes('not found')").await?;
        assert_eq!(page.eval(TOO_SOON).await?, 0);
        assert_eq!(page.eval("heard.length < 17").await?, true);
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn countdowns_are_announced_at_intervals() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("PUT /v1/session/create {\"TTL\": \"10s\"}").await?;
        for text in ["A expires in 10.0 s", "session A ended"] {
            page.click("plus-10").await?;
            page.until(&format!("{SAID}.includes('{text}')")).await?;
        }
        page.click("previous-event").await?;
        page.until(&format!("{SAID}.includes('PUT session/create, ok')")).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn announcements_can_be_switched_off() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("help-button").await?;
        page.click("voice").await?;
        page.click("help-close").await?;
        page.paste("PUT /v1/kv/a x").await?;
        page.shows("console-answer", "true").await?;
        page.driver.refresh().await?;
        page.click("help-button").await?;
        page.until("!document.querySelector('[data-testid=voice]').checked").await?;
        assert_eq!(page.eval(SAID).await?, "");
        page.click("voice").await?;
        page.until(&format!("{SAID}.includes('web-1: PUT kv/a, true')")).await?;
        Ok(page)
    })
    .await
}
