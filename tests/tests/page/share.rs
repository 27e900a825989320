//! Sharing: a world that is saved as a link, a file or a page is the same when it is opened.
//! Pictures and tables are complete, and texts that are no world change nothing.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, View, with_page};

const LINK: &str = "document.querySelector('[data-testid=share-link]').value";

async fn open(page: &Sandbox, text: &str) -> WebDriverResult<()> {
    page.fill("open-text", text).await?;
    page.click("open-button").await
}

#[tokio::test]
async fn a_link_opens_the_world_with_its_history() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.click("plus-10").await?;
        page.click("share-button").await?;
        page.shows("share-length", "characters").await?;
        let link = page.eval(LINK).await?;
        let link = link.as_str().unwrap_or_default().to_owned();
        page.driver.goto("about:blank").await?;
        page.driver.goto(&link).await?;
        page.shows("holder", "web-1").await?;
        page.shows("now", "10.0 s").await?;
        page.click("previous-event").await?;
        page.shows("now", "0.0 s").await?;
        page.click("share-button").await?;
        page.until(&format!("{LINK}.endsWith('&t=0')")).await?;
        let link = page.eval(LINK).await?;
        page.driver.goto("about:blank").await?;
        page.driver.goto(link.as_str().unwrap_or_default()).await?;
        page.shows("now", "0.0 s").await?;
        page.click("last-event").await?;
        page.shows("now", "10.0 s").await?;
        page.click("axis-order").await?;
        page.click("share-button").await?;
        page.until(&format!("{LINK}.endsWith('&v=order')")).await?;
        let link = page.eval(LINK).await?;
        page.click("share-close").await?;
        page.click("axis-time").await?;
        page.driver.goto("about:blank").await?;
        page.driver.goto(link.as_str().unwrap_or_default()).await?;
        page.until("document.querySelector('[data-testid=axis-order]').ariaPressed == 'true'")
            .await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_link_opens_a_page_of_a_lesson() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("share-button").await?;
        assert_eq!(page.driver.find_all(By::Testid("share-story")).await?.len(), 0);
        page.click("share-close").await?;
        page.open_lesson(15).await?;
        page.click("story-next").await?;
        let chapter = page.find("story-chapter").await?.text().await?;
        page.click("share-button").await?;
        let link = page.find("share-story").await?.value().await?.unwrap_or_default();
        assert!(link.ends_with("/#story=two-believers.2"), "{link}");
        let tag = page.find("share-tag").await?.value().await?.unwrap_or_default();
        let element = "<lictor-sandbox opens=\"two-believers.2\"></lictor-sandbox>";
        let script = format!("<script src=\"{}embed.js\" defer></script>", page.address());
        assert_eq!(tag, format!("{script} {element}"));
        page.click("share-close").await?;
        page.click("story-next").await?;
        page.driver.goto("about:blank").await?;
        page.driver.goto(&link).await?;
        page.shows("story-chapter", &chapter).await?;
        page.shows("story-page", "2 of").await?;
        // Acts after the link was opened survive a reload.
        page.click("story-back").await?;
        page.shows("story-page", "1 of").await?;
        page.driver.refresh().await?;
        page.shows("story-page", "1 of").await?;
        for (link, error) in [("#story=nothing", "no story"), ("#story=failover.99", "no page")] {
            page.driver.goto(&format!("{}{link}", page.address())).await?;
            page.shows("open-trouble", error).await?;
            page.shows("story-page", "1 of").await?;
        }
        page.click("share-close").await?;
        Ok(page)
    })
    .await
}

/// The content that a button saves; it is read in the page, as the test cannot see the browser's
/// download folder.
pub(crate) async fn saved_by(page: &Sandbox, button: &str) -> WebDriverResult<String> {
    page.eval(
        "window.saving = new Promise((done) => {
            URL.createObjectURL = (blob) => { blob.text().then(done); return '#'; };
        }), true",
    )
    .await?;
    page.click(button).await?;
    let taken = "const done = arguments[arguments.length - 1]; window.saving.then(done);";
    let saved = page.driver.execute_async(taken, Vec::new()).await?;
    Ok(saved.json().as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn the_event_list_is_saved_as_csv() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.fill("events-filter", "db/leader").await?;
        page.shows("events-count", "1 of 5").await?;
        let table = saved_by(&page, "events-save").await?;
        let lines: Vec<&str> = table.trim_start_matches('\u{feff}').split("\r\n").collect();
        assert_eq!(lines[0], r##""#","t, s","index","actor","call","result","why""##);
        assert!(lines[1].starts_with(r#""5","0.00","11","web-1","PUT kv/db/leader"#), "{table}");
        assert_eq!(lines.len(), 3, "{table}");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_single_file_page_opens_from_disk_and_saves_its_world() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.click("share-button").await?;
        let whole = saved_by(&page, "share-page").await?;
        let name = format!("lictor-{}.html", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, whole)?;
        page.driver.goto(&format!("file://{}", file.display())).await?;
        page.shows("holder", "web-1").await?;
        page.click("plus-10").await?;
        page.driver.refresh().await?;
        page.shows("now", "10.0 s").await?;
        std::fs::remove_file(&file)?;
        Ok(page)
    })
    .await
}

/// How a browser renders a saved picture: whether it is well-formed SVG, and the colours of a bar
/// and of a pattern.
const SEEN: &str = "[
    document.documentElement.tagName, !document.querySelector('parsererror'),
    getComputedStyle(document.querySelector('.bar.a1')).fill,
    getComputedStyle(document.querySelector('#hatch-delay path')).stroke,
]";

#[tokio::test]
async fn the_timeline_is_saved_as_a_complete_svg() -> WebDriverResult<()> {
    with_page(View { theme: "dark", ..REFERENCE }, |page| async move {
        page.fill("option-key", "<img src=x onerror=alert(1)>&\"'").await?;
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.click("plus-10").await?;
        page.click("share-button").await?;
        let saved = saved_by(&page, "share-picture").await?;
        // A long name has two lines.
        assert!(saved.contains(">&lt;img src=x onerror=</text>"));
        assert!(saved.contains(">alert(1)&gt;&amp;&quot;'</text>"));
        assert!(!saved.contains("<img"));
        assert!(saved.contains(">10.0 s</text>") && saved.contains("hatch-both"));
        let name = format!("lictor-{}.svg", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, saved)?;
        page.driver.goto(&format!("file://{}", file.display())).await?;
        let teal = "rgb(13, 127, 118)";
        let seen = serde_json::json!(["svg", true, teal, "rgb(98, 108, 122)"]);
        assert_eq!(page.eval(SEEN).await?, seen);
        std::fs::remove_file(&file)?;
        page.driver.back().await?;
        page.shows("now", "10.0 s").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_saved_picture_does_not_answer_an_open_question() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-1").await?;
        page.find("choice-1").await?;
        page.click("share-button").await?;
        let saved = saved_by(&page, "share-picture").await?;
        assert!(saved.contains("class=\"hiding\"") && saved.contains("Hidden until you guess"));
        assert!(saved.contains(">28.0 s</text>") && !saved.contains("60.0 s"));
        assert!(!saved.contains("class=\"delay\"") && !saved.contains("expired"));
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_file_opens_with_all_branches() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.click("first-event").await?;
        page.click("create-session-web-2").await?;
        page.find("branch").await?;
        page.click("share-button").await?;
        let saved = saved_by(&page, "share-file").await?;
        page.click("share-close").await?;
        page.click("home-button").await?;
        page.click("story-none").await?;
        page.until("!document.querySelector('[data-testid=branch]')").await?;
        page.click("share-button").await?;
        page.click("open-text").await?;
        let typed = serde_json::json!({ "text": saved });
        page.driver.cdp().send_raw("Input.insertText", typed).await?;
        page.click("open-button").await?;
        page.find("branch").await?;
        page.shows("status-web-2", "session B").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn files_that_are_no_world_are_refused_and_nothing_is_lost() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("share-button").await?;
        for text in ["hello", "#v1.AAAA", "{\"lictor\": 1}", "<img src=x onerror=alert(1)>"] {
            open(&page, text).await?;
            page.shows("open-trouble", "nothing was changed").await?;
        }
        page.until("!document.querySelector('img')").await?;
        page.click("share-close").await?;
        page.shows("status-web-1", "session A").await?;
        Ok(page)
    })
    .await
}

/// Three acts have the same time, so that the time alone does not determine the cursor.
#[tokio::test]
async fn a_link_opens_at_exactly_the_event_at_which_it_was_made() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.click("release-web-1").await?;
        page.tab_to("scrubber").await?;
        page.press(Key::Left + "").await?;
        page.shows("events-reached", "event 5/6").await?;
        page.click("share-button").await?;
        let link = page.find("share-link").await?.value().await?.unwrap_or_default();
        page.click("share-close").await?;
        page.driver.goto("about:blank").await?;
        page.driver.goto(&link).await?;
        page.shows("events-reached", "event 5/6").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}
