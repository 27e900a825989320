//! Tests that the page does what the documentation's tour says, step by step. The commands and the
//! names of the buttons are read out of docs/en/use/page.md.

use thirtyfour::prelude::*;

use super::drawings::draws;
use super::sandbox::{REFERENCE, Sandbox, with_page};

const TOUR: &str = include_str!("../../../docs/en/use/page.md");

/// The names of buttons, which the tour writes in bold.
fn button_names() -> Vec<&'static str> {
    TOUR.split("**").skip(1).step_by(2).collect()
}

/// The commands of the guide in the tour, one a line.
fn commands() -> Vec<&'static str> {
    let (_, block) = TOUR.split_once("```sh\n").expect("the tour has commands");
    let (block, _) = block.split_once("```").expect("the block ends");
    block.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
}

#[tokio::test]
async fn every_button_that_the_tour_names_is_on_the_page() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        // "Open the sandbox" is on the first page that a visitor sees; `with_page` has pressed it.
        let mut names = button_names();
        names.retain(|name| *name != "Open the sandbox");
        let in_lesson = missing(&page, names).await?;
        page.click("home-button").await?;
        page.find("story-1").await?;
        // The fix of a lesson is offered once its question is answered.
        page.click("story-1").await?;
        page.guess().await?;
        assert_eq!(missing(&page, in_lesson).await?, Vec::<&str>::new());
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_last_false_is_shown_once_and_until_the_next_session_holds_the_key()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_and_expire(&page).await?;
        page.select("web-2").await?;
        page.click("create-session-web-2").await?;
        page.click("acquire-web-2").await?;
        page.shows("why", "Last false, at 0.0 s").await?;
        page.shows("why", "web-1 has held it since index").await?;
        page.click("undo").await?;
        page.click("undo").await?;
        refused_and_two_believers(&page).await?;
        page.until("!document.querySelector('[data-testid=why]')").await?;
        Ok(page)
    })
    .await
}

/// The names that no button has.
async fn missing(page: &Sandbox, names: Vec<&'static str>) -> WebDriverResult<Vec<&'static str>> {
    let mut missing = Vec::new();
    for name in names {
        let has_name = format!(
            "[...document.querySelectorAll('button, summary')].some(it => \
             (it.textContent.trim() || it.ariaLabel) == {0} || it.ariaLabel == {0})",
            serde_json::json!(name)
        );
        if page.eval(&has_name).await? != true {
            missing.push(name);
        }
    }
    Ok(missing)
}

#[tokio::test]
async fn the_page_does_what_the_tour_says() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        hold_and_expire(&page).await?;
        refused_and_two_believers(&page).await?;
        back_in_time(&page).await?;
        programs_predict_the_takeover(&page).await?;
        the_guide_runs(&page).await?;
        Ok(page)
    })
    .await
}

/// Steps 1 and 2.
async fn hold_and_expire(page: &Sandbox) -> WebDriverResult<()> {
    page.shows("now", "0.0 s").await?;
    for actor in ["web-1", "web-2", "web-3"] {
        page.find(&format!("select-{actor}")).await?;
    }
    page.click("create-session-web-1").await?;
    page.click("acquire-web-1").await?;
    draws(page, "wrong-belief").await
}

/// Step 3.
async fn refused_and_two_believers(page: &Sandbox) -> WebDriverResult<()> {
    page.click("run").await?;
    page.shows("now", "30.0 s").await?;
    page.click("create-session-web-2").await?;
    page.click("acquire-web-2").await?;
    page.shows("holder", "nobody").await?;
    page.shows("why-sentence", "lock-delay, 15.0 s were left").await?;
    page.click("run").await?;
    page.click("acquire-web-2").await?;
    page.shows("holder", "web-2").await?;
    draws(page, "two-believers").await
}

/// Step 4.
async fn back_in_time(page: &Sandbox) -> WebDriverResult<()> {
    page.click("previous-event").await?;
    page.shows("holder", "nobody").await?;
    page.click("create-session-web-3").await?;
    page.find("branch").await?;
    page.find("compare-button").await?;
    page.click("undo").await?;
    page.shows("status-web-3", "no session").await
}

/// Step 5.
async fn programs_predict_the_takeover(page: &Sandbox) -> WebDriverResult<()> {
    page.press(Key::Home + "").await?;
    for actor in ["web-1", "web-2"] {
        page.select(actor).await?;
        page.click("program-start").await?;
    }
    page.shows("program-lock-2", "Watching").await?;
    page.select("web-1").await?;
    page.click("crash-web-1").await?;
    page.shows("state-word", "HELD").await?;
    page.shows("state-sentence", "web-1, which has crashed. web-2 can take it in").await?;
    page.shows("state-sum", "session").await?;
    page.shows("state-sum", "lock-delay").await
}

/// Step 6, with the commands as the tour has them.
async fn the_guide_runs(page: &Sandbox) -> WebDriverResult<()> {
    page.click("create-session-web-3").await?;
    page.paste(&commands().join("\n")).await?;
    page.shows("semaphore", "Limit 2, 1 live").await?;
    page.find("console-pending").await?;
    page.click("destroy-web-3").await?;
    page.until("!document.querySelector('[data-testid=console-pending]')").await?;
    page.find("semaphore-holder").await?;
    page.until("document.querySelector('[data-testid=semaphore-holder][data-alive=false]')").await
}
