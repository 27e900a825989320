//! The twenty scenarios, told on the page.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, View, with_page};

const SCENARIOS: u32 = 20;
/// More pages than any story has.
const PAGES_MAX: usize = 30;

async fn open(page: &Sandbox, number: u32) -> WebDriverResult<()> {
    page.click("home-button").await?;
    page.click(&format!("story-{number}")).await?;
    page.shows("world-name", &format!("{number} ")).await
}

async fn has(page: &Sandbox, id: &str) -> WebDriverResult<bool> {
    let found = page.eval(&format!("!!document.querySelector('[data-testid={id}]')")).await?;
    Ok(found == true)
}

/// Reads a story to its end; the number of questions that it asked.
async fn read_on(page: &Sandbox) -> WebDriverResult<u32> {
    let mut questions = 0;
    for _ in 0..PAGES_MAX {
        if has(page, "story-close").await? {
            return Ok(questions);
        }
        if has(page, "choice-1").await? {
            questions += 1;
            page.click("choice-1").await?;
            page.find("story-verdict").await?;
        }
        let shown =
            page.eval("document.querySelector('[data-testid=story-page]').innerText").await?;
        page.click("story-next").await?;
        let shown = shown.as_str().unwrap_or_default().to_owned();
        page.until(&format!(
            "document.querySelector('[data-testid=story-page]').innerText != '{shown}'"
        ))
        .await?;
    }
    panic!("the story does not end")
}

#[tokio::test]
async fn all_scenarios_are_read_by_clicks_alone_with_and_without_their_fix() -> WebDriverResult<()>
{
    with_page(REFERENCE, |page| async move {
        for number in 1..=SCENARIOS {
            open(&page, number).await?;
            assert_eq!(read_on(&page).await?, 1, "scenario {number} asks one question");
            page.click("story-fix").await?;
            page.find("story-fixed").await?;
            assert_eq!(read_on(&page).await?, 0, "the fix of scenario {number} asks nothing");
        }
        page.click("story-close").await?;
        page.shows("status-web-3", "no session").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_scenario_is_read_by_keyboard_alone() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.tab_to("home-button").await?;
        page.press(Key::Enter + "").await?;
        page.tab_to("story-2").await?;
        page.press(Key::Enter + "").await?;
        page.find("story").await?;
        for _ in 0..2 {
            page.tab_to("story-next").await?;
            page.press(Key::Enter + "").await?;
        }
        page.tab_to("choice-3").await?;
        page.press(Key::Enter + "").await?;
        page.shows("story-verdict", "Right").await?;
        page.tab_to("story-next").await?;
        page.press(Key::Enter + "").await?;
        page.shows("holder", "web-2").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn before_a_question_is_answered_nothing_ahead_is_shown() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open(&page, 2).await?;
        page.click("story-next").await?;
        page.click("story-next").await?;
        page.find("choice-1").await?;
        page.until("document.querySelector('[data-foresight=closed]')").await?;
        page.until("!document.querySelector('[data-testid=lane-delay]')").await?;
        page.click("choice-1").await?;
        page.find("lane-delay").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_story_can_be_gone_back_in_and_goes_on_after_the_reader_has_acted() -> WebDriverResult<()>
{
    with_page(REFERENCE, |page| async move {
        open(&page, 2).await?;
        page.click("story-next").await?;
        page.click("destroy-web-1").await?;
        page.shows("holder", "nobody").await?;
        page.click("story-back").await?;
        page.click("story-next").await?;
        page.click("story-next").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_story_fits_every_size_and_language() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open(&page, 15).await?;
        page.click("language").await?;
        for width in [1280, 1024, 360] {
            page.look(View { width, height: 800, ..REFERENCE }).await?;
            let spill = page.eval("document.documentElement.scrollWidth - innerWidth").await?;
            assert!(spill.as_i64() <= Some(0), "{width} px spill over by {spill}");
        }
        Ok(page)
    })
    .await
}
