//! Tests that input of users is shown as text, never as markup.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, with_page};

const MARKUP: &str = "<img src=x onerror=\"document.title='broken'\">";

#[tokio::test]
async fn markup_in_names_keys_and_values_stays_text() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste(&format!(
            "s <- PUT /v1/session/create {{\"Name\": {}}}\n\
             curl -X PUT -d {MARKUP:?} \
             \"http://localhost:8500/v1/kv/%3Cimg%20src=x%3E?acquire=$s\"\n\
             curl http://localhost:8500/v1/kv/?recurse\n",
            serde_json::json!(MARKUP)
        ))
        .await?;
        page.until("document.querySelectorAll('[data-testid=console-answer]').length >= 3").await?;
        page.shows("events", "<img").await?;
        assert_eq!(page.eval("document.images.length").await?, 0, "markup became an element");
        assert_ne!(page.driver.title().await?, "broken");
        Ok(page)
    })
    .await
}
