//! Tests worlds in the browser's storage: a reload, a second tab, another world and a panic of the
//! page lose nothing, and worlds can be saved under names.

use serde_json::json;
use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, with_page};
use super::share::saved_by;

async fn hold_a_lock(page: &Sandbox) -> WebDriverResult<()> {
    page.click("create-session-web-1").await?;
    page.click("acquire-web-1").await?;
    page.click("plus-10").await?;
    page.shows("holder", "web-1").await
}

async fn reload(page: &Sandbox) -> WebDriverResult<()> {
    page.driver.refresh().await?;
    page.find("now").await.map(drop)
}

#[tokio::test]
async fn a_reload_keeps_the_world_its_branches_and_the_cursor() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        page.click("first-event").await?;
        page.click("create-session-web-2").await?;
        page.find("branch").await?;
        reload(&page).await?;
        page.shows("status-web-2", "session B").await?;
        page.until("document.querySelectorAll('[data-testid=branch] option').length == 2").await?;
        page.pick("branch", "0").await?;
        page.click("last-event").await?;
        page.shows("holder", "web-1").await?;
        page.click("previous-event").await?;
        reload(&page).await?;
        page.shows("now", "0.0 s").await?;
        page.click("last-event").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

/// Clicks and leaves the page at once. IndexedDB drops what the page writes from now on, as WebKit
/// does with the last writes of a page.
async fn click_and_leave(page: &Sandbox, test_id: &str) -> WebDriverResult<()> {
    let script = format!(
        "(document.body.dataset.left = true,
          IDBTransaction.prototype.commit = IDBTransaction.prototype.abort,
          document.querySelector('[data-testid={test_id}]').click(),
          location.reload(), true)"
    );
    page.eval(&script).await?;
    page.until("document.body && !document.body.dataset.left").await?;
    page.find("now").await.map(drop)
}

#[tokio::test]
async fn what_was_done_right_before_a_page_was_left_is_kept() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        click_and_leave(&page, "create-session-web-1").await?;
        page.shows("status-web-1", "session A").await?;
        click_and_leave(&page, "acquire-web-1").await?;
        page.shows("holder", "web-1").await?;
        page.click("plus-10").await?;
        click_and_leave(&page, "first-event").await?;
        page.shows("now", "0.0 s").await?;
        page.click("last-event").await?;
        page.shows("holder", "web-1").await?;
        page.click("destroy-web-1").await?;
        reload(&page).await?;
        page.shows("status-web-1", "no session").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_reload_keeps_the_page_of_a_lesson() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.open_lesson(2).await?;
        page.click("story-next").await?;
        page.click("story-next").await?;
        page.guess().await?;
        reload(&page).await?;
        page.shows("story-origin", "Question 2 of").await?;
        page.find("story-verdict").await?;
        page.click("story-next").await?;
        page.shows("holder", "web-2").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn each_tab_has_its_own_world_and_a_new_tab_opens_the_last_closed_one_or_a_copy()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        let address = page.eval("location.href").await?;
        let address = address.as_str().unwrap_or_default().to_owned();
        let first = page.driver.window().await?;
        let second = page.driver.new_tab().await?;
        page.driver.switch_to_window(second).await?;
        page.set_view(REFERENCE).await?;
        page.driver.goto(&address).await?;
        page.shows("holder", "web-1").await?;
        page.click("create-session-web-2").await?;
        page.shows("status-web-2", "session B").await?;
        page.driver.switch_to_window(first.clone()).await?;
        reload(&page).await?;
        page.shows("holder", "web-1").await?;
        page.shows("status-web-2", "no session").await?;
        let third = page.driver.new_tab().await?;
        page.driver.switch_to_window(first).await?;
        page.driver.close_window().await?;
        page.driver.switch_to_window(third).await?;
        page.driver.goto(&address).await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

/// Saves the open world under a name.
async fn save_as(page: &Sandbox, name: &str) -> WebDriverResult<()> {
    page.click("worlds-button").await?;
    page.fill("world-name", name).await?;
    page.press(Key::Enter).await?;
    page.until(&format!(
        "[...document.querySelectorAll('[data-testid=saved-world]')]
            .some(row => row.innerText.includes('{name}'))"
    ))
    .await?;
    page.press(Key::Escape).await
}

#[tokio::test]
async fn worlds_are_saved_under_names_and_opened_renamed_and_deleted_in_another_tab()
-> WebDriverResult<()> {
    const ROWS: &str = "document.querySelectorAll('[data-testid=saved-world]').length";
    with_page(REFERENCE, |page| async move {
        page.click("worlds-button").await?;
        page.find("nothing-saved").await?;
        page.audit().await?;
        page.press(Key::Escape).await?;
        hold_a_lock(&page).await?;
        save_as(&page, "web-1 holds it").await?;
        let count = page.eval("document.querySelector('[data-testid=events-count]').innerText");
        let events = count.await?.as_str().unwrap_or_default().to_owned();
        page.click("home-button").await?;
        page.click("story-none").await?;
        page.shows("status-web-1", "no session").await?;
        save_as(&page, "<i>fresh</i>").await?;
        let tab = page.driver.new_tab().await?;
        page.driver.switch_to_window(tab).await?;
        page.set_view(REFERENCE).await?;
        page.driver.goto(page.address()).await?;
        page.click("visit-sandbox").await?;
        page.click("worlds-button").await?;
        page.until(&format!("{ROWS} == 2")).await?;
        page.shows("saved-world", "<i>fresh</i>").await?;
        page.shows("saved-world", "db/leader").await?;
        page.shows("saved-world", &format!("{events} events, 10.0 s")).await?;
        page.shows("saved-world", " kB").await?;
        page.audit().await?;
        // The list begins with the latest world.
        page.click("saved-rename").await?;
        page.has_focus("saved-name").await?;
        page.press("nothing yet").await?;
        page.press(Key::Enter).await?;
        page.shows("saved-world", "nothing yet").await?;
        page.click("saved-delete").await?;
        page.shows("saved-world", "“nothing yet” is deleted.").await?;
        page.click("saved-undo").await?;
        page.until("document.querySelectorAll('[data-testid=saved-open]').length == 2").await?;
        page.click("saved-delete").await?;
        page.press(Key::Escape).await?;
        page.click("worlds-button").await?;
        page.until(&format!("{ROWS} == 1")).await?;
        page.click("saved-open").await?;
        page.has_focus("more-button").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_saved_world_in_which_only_the_cursor_was_moved_after_a_reload_is_opened_in_a_new_tab()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        save_as(&page, "held").await?;
        page.click("worlds-button").await?;
        page.click("saved-open").await?;
        page.has_focus("more-button").await?;
        reload(&page).await?;
        page.click("previous-event").await?;
        page.shows("now", "0.0 s").await?;
        let address = page.eval("location.href").await?;
        let tab = page.driver.new_tab().await?;
        page.driver.switch_to_window(tab).await?;
        page.driver.goto(address.as_str().unwrap_or_default()).await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

/// The number of rows that are not hidden.
const VISIBLE: &str =
    "[...document.querySelectorAll('[data-testid=saved-world]')].filter(it => !it.hidden).length";

#[tokio::test]
async fn equal_names_get_numbers_and_a_long_list_can_be_searched() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("worlds-button").await?;
        for saved in 1..=9 {
            page.until("!document.querySelector('[data-testid=worlds-find]')").await?;
            page.fill("world-name", "copy").await?;
            page.press(Key::Enter).await?;
            page.until(&format!("{VISIBLE} == {saved}")).await?;
        }
        page.shows("saved-world", "copy 9").await?;
        page.fill("worlds-find", "COPY 4").await?;
        page.until(&format!("{VISIBLE} == 1")).await?;
        page.audit().await?;
        page.fill("worlds-find", "nothing").await?;
        page.shows("no-world-found", "No world matches.").await?;
        page.fill("worlds-find", " ").await?;
        page.until(&format!("{VISIBLE} == 9")).await?;
        page.click("saved-rename").await?;
        page.has_focus("saved-name").await?;
        page.press("copy 4").await?;
        page.press(Key::Enter).await?;
        page.shows("saved-world", "copy 4 2").await?;
        page.press(Key::Escape).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_open_list_follows_the_changes_of_other_tabs() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let first = page.driver.window().await?;
        let second = page.driver.new_tab().await?;
        page.driver.switch_to_window(second.clone()).await?;
        page.set_view(REFERENCE).await?;
        page.driver.goto(page.address()).await?;
        page.click("visit-sandbox").await?;
        page.click("worlds-button").await?;
        page.find("nothing-saved").await?;
        page.driver.switch_to_window(first).await?;
        save_as(&page, "of the first tab").await?;
        page.driver.switch_to_window(second).await?;
        page.shows("saved-world", "of the first tab").await?;
        Ok(page)
    })
    .await
}

async fn no_earlier_world_is_listed(page: &Sandbox) -> WebDriverResult<()> {
    page.click("worlds-button").await?;
    page.find("world-fresh").await?;
    page.until("!document.querySelector('[data-testid=world-1]')").await?;
    page.press(Key::Escape).await
}

#[tokio::test]
async fn replaced_worlds_are_listed_and_can_be_opened_again() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        no_earlier_world_is_listed(&page).await?;
        hold_a_lock(&page).await?;
        page.click("home-button").await?;
        page.click("story-none").await?;
        page.shows("status-web-1", "no session").await?;
        page.click("create-session-web-1").await?;
        page.click("home-button").await?;
        page.click("story-3").await?;
        page.find("story").await?;
        reload(&page).await?;
        page.click("worlds-button").await?;
        page.shows("world-2", "web-1, web-2 +1: web-1 PUT kv/db/leader?acquire=A, 0.0 s").await?;
        page.audit().await?;
        page.click("world-2").await?;
        page.shows("holder", "web-1").await?;
        page.until("!document.querySelector('[data-testid=story]')").await?;
        page.click("worlds-button").await?;
        page.click("world-1").await?;
        page.shows("status-web-1", "session A").await?;
        page.until("!document.querySelector('[data-testid=holder]')").await?;
        page.click("worlds-button").await?;
        page.click("world-1").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_list_says_which_world_is_dropped_next() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let dropped = "[...document.querySelectorAll('[data-testid^=world-]')]
            .filter(it => it.innerText.includes('drops this one')).map(it => it.dataset.testid)";
        for count in 1..=6 {
            page.click("create-session-web-1").await?;
            page.click("worlds-button").await?;
            page.click("world-fresh").await?;
            page.shows("status-web-1", "no session").await?;
            page.click("worlds-button").await?;
            page.shows("world-1", "web-1, web-2 +1: web-1 PUT session/create, 0.0 s").await?;
            let proposed = page.eval("document.querySelector('#world-name').value").await?;
            assert_eq!(proposed, "web-1, web-2 +1: nothing done yet");
            let expected = if count < 5 { json!([]) } else { json!(["world-5"]) };
            assert_eq!(page.eval(dropped).await?, expected, "after {count}");
            page.press(Key::Escape).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_sandbox_is_the_same_after_a_story_and_an_unchanged_story_is_no_earlier_world()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        for story in 1..=6 {
            page.click("home-button").await?;
            page.click(&format!("story-{story}")).await?;
            page.shows("story-origin", &format!("Question {story} of")).await?;
        }
        page.click("tab-sandbox").await?;
        page.shows("holder", "web-1").await?;
        no_earlier_world_is_listed(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_world_that_cannot_be_opened_is_reported_and_kept_until_discarded() -> WebDriverResult<()>
{
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        reload(&page).await?;
        let damage = "
            const done = arguments[arguments.length - 1];
            const id = sessionStorage.getItem('lictor.world');
            const open = indexedDB.open('lictor');
            const damage = () => {
                // The page stores the world within 200 ms, with the acts before it was left.
                if (localStorage.getItem(`lictor.tail.${id}`)) return setTimeout(damage, 10);
                const change = open.result.transaction('lines', 'readwrite');
                const lines = change.objectStore('lines');
                lines.put('{\"at\": \"<img src=x onerror=alert(1)>\"}', [id, 999]);
                change.oncomplete = () => done(true);
            };
            open.onsuccess = damage;";
        page.driver.execute_async(damage, Vec::new()).await?;
        reload(&page).await?;
        page.shows("damaged", "cannot be opened").await?;
        page.shows("damaged", "trailing characters").await?;
        page.until("!document.querySelector('img')").await?;
        page.shows("status-web-1", "no session").await?;
        page.click("damaged-discard").await?;
        page.until("!document.querySelector('[data-testid=damaged]:popover-open')").await?;
        reload(&page).await?;
        page.until("!document.querySelector('[data-testid=damaged]:popover-open')").await?;
        Ok(page)
    })
    .await
}

/// The script that sets the mark which a page leaves in the storage if it crashes while it opens a
/// world.
const ENDED_BY_OPENING: &str = "sessionStorage.setItem('lictor.starting', 'a world')";

#[tokio::test]
async fn a_world_that_crashed_the_page_is_not_opened_again() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        let script = json!({ "source": ENDED_BY_OPENING });
        let cdp = page.driver.cdp();
        let added = cdp.send_raw("Page.addScriptToEvaluateOnNewDocument", script).await?;
        reload(&page).await?;
        page.shows("damaged", "cannot be opened").await?;
        // The address is that of the sandbox.
        page.shows("status-web-3", "no session").await?;
        let damaged = saved_by(&page, "damaged-save").await?;
        assert!(damaged.contains("acquire="), "it is handed out");
        page.driver.cdp().send_raw("Page.removeScriptToEvaluateOnNewDocument", added).await?;
        page.click("damaged-close").await?;
        let origin = page.eval("location.origin").await?;
        let cleared = json!({ "origin": origin, "storageTypes": "indexeddb" });
        page.driver.cdp().send_raw("Storage.clearDataForOrigin", cleared).await?;
        page.shows("unkept", "This world is not saved").await?;
        assert_ne!(saved_by(&page, "unkept-save").await?, damaged);
        page.click("unkept-close").await?;
        reload(&page).await?;
        page.until("!document.querySelector('[data-testid=damaged]:popover-open')").await?;
        Ok(page)
    })
    .await
}

/// The script of a panic: it starts the page's code once more, in a document without a body.
const PANIC: &str = "
    const done = arguments[arguments.length - 1];
    const { js } = document.getElementById('boot').dataset;
    import(new URL(js, document.baseURI)).then((page) => setTimeout(() => {
        setTimeout(done);
        Object.defineProperty(document, 'body', { value: null, configurable: true });
        try {
            page.start({});
        } finally {
            delete document.body;
        }
    }));";

#[tokio::test]
async fn a_panic_is_reported_with_its_message_and_the_world_is_kept() -> WebDriverResult<()> {
    const MESSAGE: &str = "the script runs when there is a body";
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        page.driver.execute_async(PANIC, Vec::new()).await?;
        page.shows("stopped", "The page has stopped").await?;
        page.shows("stopped", MESSAGE).await?;
        let complaints = page.complaints().await?;
        assert!(complaints.iter().any(|line| line.contains(MESSAGE)), "{complaints:#?}");
        assert!(saved_by(&page, "stopped-save").await?.contains("acquire="), "it is handed out");
        page.until("document.querySelector('main').inert").await?;
        // `Sandbox::click` is not used: on a reloaded page nothing has the focus yet.
        page.find("stopped-reload").await?.click().await?;
        page.until("!document.querySelector('main').inert").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn storage_that_is_cleared_under_an_open_page_is_noticed() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        reload(&page).await?;
        let origin = page.eval("location.origin").await?;
        let cleared = json!({ "origin": origin, "storageTypes": "all" });
        page.driver.cdp().send_raw("Storage.clearDataForOrigin", cleared).await?;
        page.shows("unkept", "This world is not saved").await?;
        page.shows("unkept", "was cleared").await?;
        page.audit().await?;
        page.click("unkept-again").await?;
        page.until("!document.querySelector('[data-testid=unkept]:popover-open')").await?;
        page.click("release-web-1").await?;
        page.shows("holder", "nobody").await?;
        reload(&page).await?;
        page.shows("holder", "nobody").await?;
        page.click("previous-event").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_damaged_link_says_so_and_opens_the_kept_world() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_a_lock(&page).await?;
        page.click("share-button").await?;
        let link = page.find("share-link").await?.value().await?.unwrap_or_default();
        page.click("share-close").await?;
        page.driver.goto("about:blank").await?;
        page.driver.goto(&link[..link.len() - 9]).await?;
        page.shows("open-trouble", "This link is damaged or cut off").await?;
        page.shows("holder", "web-1").await?;
        page.click("share-close").await?;
        page.click("plus-10").await?;
        page.shows("now", "20.0 s").await?;
        Ok(page)
    })
    .await
}
