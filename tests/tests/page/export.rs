//! Exporting: the page writes what the exporter does, into a text to copy and a file.

use lictor_export::{Format, export};
use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, with_page};
use super::share::saved_by;

const WORLD: &str = include_str!("../../../export/tests/worlds/values.txt");
/// In the order of the page.
const FORMATS: [Format; 7] = [
    Format::Rust,
    Format::Go,
    Format::Python,
    Format::JavaScript,
    Format::Bash,
    Format::Mermaid,
    Format::Perfetto,
];
const TEXT: &str = "document.querySelector('[data-testid=export-text]').value";

/// Opens the panel, chooses a format, and waits for its text.
pub(crate) async fn exported(page: &Sandbox, format: Format) -> WebDriverResult<String> {
    if page.eval("!document.querySelector('[data-testid=export]:popover-open')").await? == true {
        page.click("export-button").await?;
    }
    let index = FORMATS.iter().position(|known| *known == format).expect("the page has all");
    page.pick("export-format", &index.to_string()).await?;
    page.shows("export-needs", format.needs()).await?;
    Ok(page.eval(TEXT).await?.as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn each_format_of_a_recorded_world_is_what_the_exporter_writes() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.driver.execute("lictor.load(arguments[0])", vec![WORLD.into()]).await?;
        for format in FORMATS.into_iter().rev() {
            let expected = export(WORLD, format).expect("it is possible");
            assert!(exported(&page, format).await? == expected, "{format}");
        }
        let saved = saved_by(&page, "export-save").await?;
        assert!(page.eval(TEXT).await? == *saved);
        page.click("export-copy").await?;
        page.shows("export-copy", "Copied").await?;
        page.click("export-close").await?;
        page.has_focus("more-button").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn what_a_format_cannot_express_has_the_sentence_of_the_exporter() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("export-button").await?;
        page.shows("export-needs", "Not possible: no request reached the server").await?;
        page.until("document.querySelector('[data-testid=export-copy]').ariaDisabled").await?;
        assert!(exported(&page, Format::Mermaid).await?.starts_with("sequenceDiagram"));
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_export_does_not_answer_an_open_question() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-1").await?;
        page.find("choice-1").await?;
        let diagram = exported(&page, Format::Mermaid).await?;
        assert!(!diagram.contains(" ends: "), "{diagram}");
        page.click("export-close").await?;
        page.guess().await?;
        let diagram = exported(&page, Format::Mermaid).await?;
        assert!(diagram.contains(" ends: "), "{diagram}");
        Ok(page)
    })
    .await
}

/// A page on a disk has no script beside it.
#[tokio::test]
async fn an_exporter_that_cannot_be_loaded_is_a_sentence() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("share-button").await?;
        let whole = saved_by(&page, "share-page").await?;
        let name = format!("lictor-export-{}.html", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, whole)?;
        page.driver.goto(&format!("file://{}", file.display())).await?;
        page.click("export-button").await?;
        page.shows("export-needs", "cannot be loaded").await?;
        std::fs::remove_file(&file)?;
        page.driver.goto(page.address()).await?;
        page.driver
            .execute("Worker = class { constructor() { throw Error(); } }", Vec::new())
            .await?;
        page.click("export-button").await?;
        page.shows("export-needs", "cannot be loaded").await?;
        Ok(page)
    })
    .await
}
