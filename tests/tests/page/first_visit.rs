//! Tests the first minute on the page: the question of a first visit, the other ways to begin, and
//! the keys that answer the question.

use thirtyfour::prelude::*;

use super::lessons::SCENARIOS;
use super::sandbox::{REFERENCE, with_first_visit, with_page};

#[tokio::test]
async fn a_first_visit_opens_at_a_question_with_other_ways_to_begin() -> WebDriverResult<()> {
    with_first_visit(REFERENCE, |page| async move {
        page.shows("about", "who only believes so").await?;
        page.shows("story-origin", &format!("Question 1 of {SCENARIOS}")).await?;
        page.find("choice-1").await?;
        for choice in ["visit-guide", "visit-incident", "visit-sandbox", "visit-all"] {
            page.find(choice).await?;
        }
        page.audit().await?;
        page.driver.refresh().await?;
        page.shows("about", "who only believes so").await?;
        page.find("visit-guide").await?;
        page.click("visit-all").await?;
        page.find("story-21").await?;
        page.click("home-close").await?;
        page.click("visit-sandbox").await?;
        page.shows("status-web-3", "no session").await?;
        page.until("!document.querySelector('.visit-choices')").await?;
        page.driver.refresh().await?;
        page.shows("status-web-3", "no session").await?;
        page.until("!document.querySelector('.visit-choices')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn after_an_answer_the_list_of_questions_continues_with_the_next_one() -> WebDriverResult<()>
{
    with_first_visit(REFERENCE, |page| async move {
        page.click("choice-1").await?;
        page.click("story-guess").await?;
        page.find("story-verdict").await?;
        page.click("home-button").await?;
        page.shows("go-on", "2").await?;
        page.click("go-on").await?;
        page.shows("story-origin", &format!("Question 2 of {SCENARIOS}")).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_question_that_is_opened_beside_a_guide_closes_the_guide() -> WebDriverResult<()> {
    with_first_visit(REFERENCE, |page| async move {
        page.click("visit-guide").await?;
        page.has_focus("guide-text").await?;
        page.click("home-button").await?;
        page.click("go-on").await?;
        page.has_focus("story").await?;
        page.until("!document.querySelector('#guide').matches(':popover-open')").await?;
        page.shows("story-origin", &format!("Question 1 of {SCENARIOS}")).await?;
        page.click("guide-button").await?;
        page.has_focus("guide-text").await?;
        page.until("!document.querySelector('[data-testid=story]')").await?;
        page.click("tab-sandbox").await?;
        page.until("!document.querySelector('#guide').matches(':popover-open')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_choice_is_three_tabs_behind_the_beginning_of_a_story_and_enter_guesses()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-1").await?;
        page.has_focus("story").await?;
        for _ in 0..3 {
            page.press(Key::Tab + "").await?;
        }
        page.has_focus("choice-1").await?;
        page.press(" ").await?;
        page.press(Key::Enter + "").await?;
        page.shows("story-verdict", "You said 20 s. It was 40 s").await?;
        page.has_focus("story-verdict").await?;
        Ok(page)
    })
    .await
}
