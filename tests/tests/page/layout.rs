//! The layout of the page in several sizes and themes: nothing overflows, and every control can be
//! reached.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, View, with_page};

const VIEWS: [View; 6] = [
    REFERENCE,
    View { theme: "dark", ..REFERENCE },
    View { width: 1024, height: 768, ..REFERENCE },
    View { width: 1440, height: 900, ..REFERENCE },
    View { width: 360, height: 800, ..REFERENCE },
    View { width: 360, height: 800, theme: "dark" },
];

#[tokio::test]
async fn the_page_overflows_in_no_size() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        fill_with_life(&page).await?;
        for view in VIEWS {
            page.look(view).await?;
            let spill = "document.documentElement.scrollWidth - innerWidth";
            let spill = page.eval(spill).await?;
            assert!(spill.as_i64() <= Some(0), "{view:?} spills over by {spill} px");
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_reference_size_needs_no_scrolling() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let spill = page.eval("document.documentElement.scrollHeight - innerHeight").await?;
        assert!(spill.as_i64() <= Some(0), "the page is {spill} px too high");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_page_follows_light_and_dark() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let ground = "getComputedStyle(document.body).backgroundColor";
        let light = page.eval(ground).await?;
        page.look(View { theme: "dark", ..REFERENCE }).await?;
        assert_ne!(light, page.eval(ground).await?, "dark looks like light");
        Ok(page)
    })
    .await
}

/// A session, a lock, a delay and a list of events, with long names among them.
async fn fill_with_life(page: &Sandbox) -> WebDriverResult<()> {
    page.paste(&format!(
        "s <- PUT /v1/session/create {{\"Name\": \"{0}\", \"TTL\": \"10s\"}}\n\
         curl -X PUT -d '{0}' http://localhost:8500/v1/kv/{0}?acquire=$s\n\
         curl -X PUT http://localhost:8500/v1/session/destroy/$s\n",
        "long-name-without-any-break-".repeat(6)
    ))
    .await?;
    page.until("document.querySelectorAll('[data-testid=console-answer]').length >= 3").await
}
