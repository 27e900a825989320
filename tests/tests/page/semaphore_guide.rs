//! The commands of Consul's published semaphore guide work when they are pasted into the console,
//! with three contenders and two slots.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, with_page};

const CREATE: &str = r#"curl  -X PUT -d '{"Name": "db-semaphore"}' \
  http://localhost:8500/v1/session/create
"#;
const CONTEND: &str =
    "curl -X PUT -d web-1 http://localhost:8500/v1/kv/service/db/<session>?acquire=<session>";
const FIRST_HOLDER: &str = r#"curl -X PUT -d '{"Limit": 2, "Holders": ["<session>"]}' \
  http://localhost:8500/v1/kv/service/db/.lock?cas=0"#;
const LIST: &str = "curl http://localhost:8500/v1/kv/service/db?recurse";
const BOTH_HOLD: &str = r#"curl -X PUT -d '{"Limit": 2, "Holders": ["<other>", "<session>"]}' \
  http://localhost:8500/v1/kv/service/db/.lock?cas=<lock-modify-index>"#;
const WAIT: &str =
    r#"curl "http://localhost:8500/v1/kv/service/db?recurse&index=<index>&wait=60s""#;

#[tokio::test]
async fn the_semaphore_guide_runs_by_paste() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        contend(&page).await?;
        take_both_slots(&page).await?;
        the_third_waits(&page).await?;
        the_first_dies_and_is_pruned(&page).await?;
        a_holder_leaves_by_itself(&page).await?;
        Ok(page)
    })
    .await
}

/// Creates a session and a contender key for each of three clients.
async fn contend(page: &Sandbox) -> WebDriverResult<()> {
    for actor in ["web-1", "web-2", "web-3"] {
        page.select(actor).await?;
        page.paste(CREATE).await?;
        page.shows("console-answer", "\"ID\"").await?;
        page.paste(CONTEND).await?;
    }
    page.until("document.querySelectorAll('[data-testid=console-answer]').length >= 6").await
}

/// web-1 creates the document with itself as a holder, and web-2 adds itself.
async fn take_both_slots(page: &Sandbox) -> WebDriverResult<()> {
    page.select("web-1").await?;
    page.paste(FIRST_HOLDER).await?;
    page.shows("semaphore", "service/db").await?;
    page.select("web-2").await?;
    page.paste("first=$(curl http://localhost:8500/v1/kv/service/db/.lock?raw)").await?;
    page.paste(LIST).await?;
    page.paste(BOTH_HOLD).await?;
    page.until("document.querySelectorAll('[data-testid=semaphore-holder]').length == 2").await
}

async fn the_third_waits(page: &Sandbox) -> WebDriverResult<()> {
    page.select("web-3").await?;
    page.paste(LIST).await?;
    page.paste(WAIT).await?;
    page.find("console-pending").await?;
    page.shows("status-web-3", "wait").await
}

async fn the_first_dies_and_is_pruned(page: &Sandbox) -> WebDriverResult<()> {
    page.select("web-1").await?;
    page.click("destroy-web-1").await?;
    page.until("!document.querySelector('[data-testid=console-pending]')").await?;
    page.until("document.querySelector('[data-testid=semaphore-holder][data-alive=false]')")
        .await?;
    page.select("web-3").await?;
    page.paste(LIST).await?;
    page.paste(BOTH_HOLD).await?;
    page.until(
        "document.querySelectorAll('[data-testid=semaphore-holder][data-alive=true]').length == 2",
    )
    .await
}

/// web-2 removes itself from the document, deletes its contender key, and destroys its session.
async fn a_holder_leaves_by_itself(page: &Sandbox) -> WebDriverResult<()> {
    page.select("web-2").await?;
    page.paste(LIST).await?;
    page.paste(
        "curl -X PUT -d '{\"Limit\": 2, \"Holders\": [\"<other>\"]}' \
         http://localhost:8500/v1/kv/service/db/.lock?cas=<lock-modify-index>\n\
         curl -X DELETE http://localhost:8500/v1/kv/service/db/<session>\n\
         curl -X PUT http://localhost:8500/v1/session/destroy/<session>",
    )
    .await?;
    page.until("document.querySelectorAll('[data-testid=semaphore-holder]').length == 1").await?;
    page.until(
        "document.querySelectorAll('[data-testid=semaphore-holder][data-alive=false]').length == 0",
    )
    .await
}
