//! Tests the guide panel: published guides are pasted whole and run by its buttons and by keyboard
//! alone, and what a step changes is in view.

use serde_json::json;
use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// The texts of the guides on their publishers' sites.
const GUIDES: [&str; 2] = [
    include_str!("../../../desk/tests/guides/consul-semaphore-guide-2019.txt"),
    include_str!("../../../desk/tests/guides/consul-semaphore-tutorial-2020.txt"),
];

/// The steps up to the sender's slot: session, contender key, document, read, slot.
const STEPS_TO_SLOT: usize = 5;

const TWO_HOLDERS: &str =
    "document.querySelectorAll('[data-testid=semaphore-holder][data-alive=true]').length == 2";

#[tokio::test]
async fn both_published_guides_run_to_two_holders_by_buttons() -> WebDriverResult<()> {
    for text in GUIDES {
        with_page(REFERENCE, move |page| async move {
            open(&page, text).await?;
            page.shows("guide-found", "9 commands found in").await?;
            page.shows("guide-found", "3 JSON samples left out").await?;
            take_slot_as(&page, "web-1").await?;
            take_slot_as(&page, "web-2").await?;
            page.shows("guide-answer-3", "Continue with step 4").await?;
            page.shows("guide-answer-5", "true").await?;
            page.until(TWO_HOLDERS).await?;
            page.shows("now", "10.0 s").await?;
            page.audit().await?;
            page.click("guide-close").await?;
            page.has_focus("guide-button").await?;
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_answer_is_scrolled_into_view_and_the_panel_itself_does_not_scroll()
-> WebDriverResult<()> {
    for width in [1280, 360] {
        with_page(View { width, ..REFERENCE }, |page| async move {
            open(&page, GUIDES[0]).await?;
            for step in 1..=8 {
                page.shows("guide-send-next", &format!("Send step {step}")).await?;
                page.click("guide-send-next").await?;
                let is_seen = format!(
                    "(() => {{
                        const box = document.querySelector('.guide-steps').getBoundingClientRect();
                        const answer = document.querySelector(
                            '[data-testid=guide-answer-{step}]').getBoundingClientRect();
                        return answer.height > 0 && answer.top >= box.top
                            && answer.bottom <= box.bottom;
                    }})()"
                );
                page.until_frame(&is_seen).await?;
            }
            let spill = "(guide => guide.scrollHeight - guide.clientHeight)\
                         (document.querySelector('#guide'))";
            assert_eq!(page.eval(spill).await?, 0);
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_missing_value_names_its_step_and_offers_it() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open(&page, GUIDES[0]).await?;
        page.shows("guide-step-5", "lock-modify-index: from step 4").await?;
        page.click("guide-send-2").await?;
        page.shows("guide-missing-2", "session: from step 1").await?;
        page.click("guide-prompt").await?;
        page.shows("guide-answer-1", "session A").await?;
        page.until("!document.querySelector('[data-testid=guide-prompt]')").await?;
        page.click("guide-send-2").await?;
        page.shows("guide-answer-2", "true").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn all_steps_are_sent_as_the_guide_says_and_a_third_contender_waits() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open(&page, GUIDES[0]).await?;
        page.shows("guide-send-all", "Send steps 1 to 6").await?;
        page.click("guide-send-all").await?;
        page.shows("guide-send-next", "Send step 7").await?;
        page.shows("guide-answer-6", "waits for a change").await?;
        let mark =
            |step| format!("document.querySelector('[data-testid=guide-step-{step}] .step-mark')");
        page.until(&format!("{} != null && {} == null", mark(5), mark(6))).await?;
        page.click("guide-as-web-2").await?;
        page.click("guide-send-all").await?;
        page.shows("guide-answer-3", "false").await?;
        page.until(TWO_HOLDERS).await?;
        page.click("guide-as-web-3").await?;
        page.click("guide-send-all").await?;
        page.shows("guide-missing-5", "No free slot: live sessions hold 2 slots.").await?;
        page.shows("guide-answer-4", "limit 2, held by A, B").await?;
        page.click("guide-send-5").await?;
        page.until(TWO_HOLDERS).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_answered_step_shows_what_was_sent_and_undo_takes_it_back() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open(&page, GUIDES[0]).await?;
        page.click("guide-send-1").await?;
        page.shows("guide-answer-1", "session A").await?;
        page.click("guide-send-2").await?;
        page.enter("guide-prefix").await?;
        page.press(Key::Control + "a").await?;
        page.press("jobs").await?;
        page.shows("guide-command-2", "service/db").await?;
        page.click("undo").await?;
        page.click("undo").await?;
        page.until("!document.querySelector('[data-testid=guide-answer-1] li')").await?;
        page.click("guide-send-2").await?;
        page.shows("guide-missing-2", "session: from step 1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_crashed_sender_is_named_and_can_be_restarted() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open(&page, GUIDES[0]).await?;
        page.eval("lictor.act('web-1', 'crashes')").await?;
        page.shows("guide-sender-fault", "web-1 has crashed and sends nothing.").await?;
        page.click("guide-end-fault").await?;
        page.until("!document.querySelector('[data-testid=guide-sender-fault]')").await?;
        page.click("guide-send-1").await?;
        page.shows("guide-answer-1", "session A").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_reload_keeps_the_guide_with_its_answers() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open(&page, GUIDES[0]).await?;
        page.click("guide-send-1").await?;
        page.click("guide-send-2").await?;
        page.shows("guide-answer-2", "true").await?;
        page.click("guide-as-web-2").await?;
        page.click("guide-send-1").await?;
        page.shows("guide-send-next", "Send step 2").await?;
        page.driver.refresh().await?;
        page.find("now").await?;
        // The panel is open, and web-2 still sends.
        page.shows("guide-send-next", "Send step 2").await?;
        page.click("guide-as-web-1").await?;
        page.shows("guide-answer-2", "true").await?;
        page.shows("guide-send-next", "Send step 3").await?;
        page.click("guide-send-next").await?;
        page.shows("guide-answer-3", "true").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn commands_that_are_left_out_are_listed_with_their_reasons() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let text = "Read it:\n\ncurl /v1/kv/a\nwget http://localhost:8500/v1/kv/a\n\
                    consul watch -type=key -key=a cat\n";
        open(&page, text).await?;
        page.shows("guide-found", "1 command found in 5 lines").await?;
        page.shows("guide-found", "2 commands left out").await?;
        page.shows("guide-left-out", "line 4 wget").await?;
        page.shows("guide-left-out", "Lictor reads curl, consul and HTTP").await?;
        page.audit().await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn markup_in_a_guide_stays_text() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let text = "Write <i>this</i>:\n\ncurl -X PUT -d '<b>bold</b>' /v1/kv/a\n\n\
                    curl /v1/kv/a?raw\n";
        open(&page, text).await?;
        page.shows("guide-step-1", "'<b>bold</b>'").await?;
        page.click("guide-send-all").await?;
        page.shows("guide-answer-2", "<b>bold</b>").await?;
        page.until("document.querySelector('[data-testid=guide] i') == null").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_text_without_commands_says_what_is_read_and_stays() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open(&page, "A distributed semaphore can be useful.").await?;
        page.shows("guide-none", "No command found").await?;
        page.until("document.querySelector('[data-testid=guide-text]').value.startsWith('A dis')")
            .await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_guide_runs_by_keyboard_alone_on_a_narrow_page() -> WebDriverResult<()> {
    with_page(View { width: 360, ..REFERENCE }, |page| async move {
        page.enter("guide-button").await?;
        page.has_focus("guide-text").await?;
        insert(&page, GUIDES[1]).await?;
        page.enter("guide-read").await?;
        page.has_focus("guide-send-next").await?;
        page.tab_to("guide-prefix").await?;
        page.press(Key::Control + "a").await?;
        page.press("jobs/one").await?;
        page.tab_to("guide-send-next").await?;
        for _ in 0..STEPS_TO_SLOT {
            page.press(Key::Enter + "").await?;
        }
        page.shows("guide-answer-5", "true").await?;
        page.enter("guide-as-web-2").await?;
        page.enter("guide-send-1").await?;
        page.shows("guide-step-2", "jobs/one").await?;
        let spill = page.eval("document.documentElement.scrollWidth - innerWidth").await?;
        assert!(spill.as_i64() <= Some(0), "the page spills over by {spill} px");
        page.audit().await?;
        page.press(Key::Escape + "").await?;
        page.has_focus("guide-button").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_console_offers_to_open_a_pasted_guide() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("console-input").await?;
        insert(&page, GUIDES[0]).await?;
        page.click("console-guide").await?;
        page.has_focus("guide-send-next").await?;
        page.shows("guide-found", "9 commands").await?;
        Ok(page)
    })
    .await
}

/// Sizes of the page; at some of them the guide is beside the page, at the others below it.
const SIZES: [(u32, u32); 4] = [(1280, 800), (1400, 900), (768, 1024), (360, 800)];

/// A guide about three locks.
const LOCKS: &str = "curl -X PUT -d '{}' /v1/session/create
curl -X PUT -d 1 /v1/kv/a?acquire=<session>
curl -X PUT -d 1 /v1/kv/b?acquire=<session>
curl -X PUT -d 1 /v1/kv/c?acquire=<session>
";

/// Whether the lane of a key cannot be seen.
const IS_OUT_OF_SIGHT: &str = "(() => {
    const it = document.querySelector('[data-testid=\"LANE\"]');
    if (!it) return true;
    const { left, top, width, height } = it.getBoundingClientRect();
    return !it.contains(document.elementFromPoint(left + width / 2, top + height / 2));
})()";

/// Waits until the lane of what a step has changed is in view.
async fn shows_the_change(page: &Sandbox, lane: &str) -> WebDriverResult<()> {
    page.until_frame(&format!("!{}", IS_OUT_OF_SIGHT.replace("LANE", lane))).await
}

#[tokio::test]
async fn what_a_step_changes_is_in_sight_at_every_size() -> WebDriverResult<()> {
    const SLOTS: &str = "lane-slots-service/db/";
    for (width, height) in SIZES {
        with_page(View { width, height, ..REFERENCE }, |page| async move {
            open(&page, GUIDES[0]).await?;
            // The lane of a semaphore begins with its document.
            for step in 1..=3 {
                page.click(&format!("guide-send-{step}")).await?;
            }
            shows_the_change(&page, SLOTS).await?;
            for actor in ["web-2", "web-3"] {
                page.click(&format!("guide-as-{actor}")).await?;
                page.click("guide-send-1").await?;
                page.click("guide-send-2").await?;
                shows_the_change(&page, SLOTS).await?;
            }
            page.click("guide-another").await?;
            page.has_focus("guide-text").await?;
            page.eval("document.activeElement.select()").await?;
            insert(&page, LOCKS).await?;
            page.click("guide-read").await?;
            page.click("guide-send-1").await?;
            for (step, key) in [(2, "a"), (3, "b"), (4, "c"), (2, "a")] {
                page.click(&format!("guide-send-{step}")).await?;
                shows_the_change(&page, &format!("lane-{key}")).await?;
            }
            // The page beside the guide can be used.
            page.click("previous-event").await?;
            page.click("next-event").await?;
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn one_tab_is_marked_when_the_questions_cover_a_guide() -> WebDriverResult<()> {
    let marked = |test_id: &str| {
        format!(
            "[...document.querySelectorAll('.tab[aria-current]')]
                .map(it => it.dataset.testid).join() == '{test_id}'"
        )
    };
    with_page(REFERENCE, move |page| async move {
        page.until(&marked("tab-sandbox")).await?;
        page.click("guide-button").await?;
        page.until(&marked("guide-button")).await?;
        page.click("home-button").await?;
        page.until(&marked("home-button")).await?;
        page.press(Key::Escape + "").await?;
        page.until(&marked("guide-button")).await?;
        page.click("tab-sandbox").await?;
        page.until(&marked("tab-sandbox")).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_row_of_the_cursor_is_in_view_after_a_switch_to_the_guide() -> WebDriverResult<()> {
    const IS_SEEN: &str = "(() => {
        const row = document.querySelector('.log tr.here')?.getBoundingClientRect();
        const list = document.querySelector('.rows').getBoundingClientRect();
        return !!row && row.top >= list.top && row.bottom <= list.bottom;
    })()";
    for (width, height) in SIZES.into_iter().take(2) {
        with_page(View { width, height, ..REFERENCE }, |page| async move {
            // Beside a guide is the world that its steps have changed.
            open(&page, GUIDES[0]).await?;
            page.click("guide-send-1").await?;
            page.click("tab-sandbox").await?;
            for _ in 0..20 {
                page.eval("lictor.act('web-1', 'session')").await?;
            }
            for _ in 0..12 {
                page.click("previous-event").await?;
            }
            page.until_frame(IS_SEEN).await?;
            page.click("guide-button").await?;
            page.until_frame(IS_SEEN).await?;
            page.click("tab-sandbox").await?;
            page.until_frame(IS_SEEN).await?;
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

/// Pastes a text into the panel and presses the button that finds its commands.
async fn open(page: &Sandbox, text: &str) -> WebDriverResult<()> {
    page.click("guide-button").await?;
    page.has_focus("guide-text").await?;
    insert(page, text).await?;
    page.click("guide-read").await
}

/// Inserts a text where the focus is.
async fn insert(page: &Sandbox, text: &str) -> WebDriverResult<()> {
    page.driver.cdp().send_raw("Input.insertText", json!({ "text": text })).await.map(drop)
}

async fn take_slot_as(page: &Sandbox, actor: &str) -> WebDriverResult<()> {
    page.click(&format!("guide-as-{actor}")).await?;
    for step in 1..=STEPS_TO_SLOT {
        page.shows("guide-send-next", &format!("Send step {step}")).await?;
        page.click("guide-send-next").await?;
    }
    Ok(())
}
