//! Tests that input of users is shown as text, never as markup, and that wrong commands and refused
//! requests are reported.

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

#[tokio::test]
async fn the_console_reports_unsupported_commands() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for (typed, error) in [
            ("curl http://localhost:8500/v1/kv/a | grep x", "A pipe can only lead to"),
            ("curl -X PUT -d 'open http://localhost:8500/v1/kv/a", "never closed"),
            ("curl --frobnicate http://localhost:8500/v1/kv/a", "--frobnicate"),
            ("curl http://localhost:8500/v1/kv/<nobody>", "nobody"),
        ] {
            page.fill("console-input", "").await?;
            page.paste(typed).await?;
            page.shows("console-error", error).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn refused_requests_get_the_answers_of_consul() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste(
            "GET /v1/session/create\nGET /nope\nPUT /v1/kv/a?cas=x\nPUT /v1/session/create {\n",
        )
        .await?;
        for answer in [
            "method GET not allowed",
            "Invalid URL path",
            "strconv.ParseUint: parsing \"x\": invalid syntax",
            "Request decode failed: unexpected EOF",
        ] {
            page.shows("console-answer", answer).await?;
        }
        Ok(page)
    })
    .await
}
