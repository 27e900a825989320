//! Tests time travel: the cursor moves to earlier events and back, an act in the past begins a
//! branch, branches are compared, and acts are undone, edited, moved and removed.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::drawings::draws;
use super::sandbox::{REFERENCE, Sandbox, event_row, with_page};

/// Lets web-1 hold a lock until its session expires, refuses web-2 in the lock-delay, and then
/// gives it the lock.
async fn change_of_hands(page: &Sandbox) -> WebDriverResult<()> {
    page.click("create-session-web-1").await?;
    page.click("acquire-web-1").await?;
    page.click("next-event").await?;
    page.select("web-2").await?;
    page.click("create-session-web-2").await?;
    page.click("acquire-web-2").await?;
    page.shows("why-sentence", "lock-delay").await?;
    page.click("next-event").await?;
    page.click("acquire-web-2").await?;
    page.shows("holder", "web-2").await
}

#[tokio::test]
async fn every_event_can_be_visited_in_both_directions() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        change_of_hands(&page).await?;
        page.click("previous-event").await?;
        page.shows("holder", "nobody").await?;
        page.shows("events-reached", "/10").await?;
        page.click("first-event").await?;
        page.until("!document.querySelector('[data-testid=lock]')").await?;
        page.shows("now", "0.0 s").await?;
        page.shows("beginning", "This is the beginning; 7 events follow.").await?;
        page.click("last-event").await?;
        page.shows("holder", "web-2").await?;
        page.shows("now", "45.0 s").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_event_list_has_its_rows_after_undo_and_on_another_branch() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for (client, program) in [("web-1", "one"), ("web-2", "two")] {
            let spawn = format!("lictor.act('{client}', 'spawns {program} lock db/leader')");
            let start = format!("lictor.act('server', 'orders {program} start')");
            page.eval(&format!("({spawn}, {start}, true)")).await?;
        }
        page.eval("(lictor.advance(250_000), true)").await?;
        page.agrees("a run").await?;
        for _ in 0..10 {
            page.click("previous-event").await?;
        }
        page.select("web-2").await?;
        page.click("crash-web-2").await?;
        page.shows("event-row", "process crashed").await?;
        page.click("undo").await?;
        page.until("document.querySelectorAll('[data-testid=event-row]').length > 5").await?;
        page.agrees("undo").await?;
        page.click("redo").await?;
        page.shows("event-row", "process crashed").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_event_list_follows_its_end_after_a_visit_to_the_beginning() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        change_of_hands(&page).await?;
        // More events than the list has room for.
        for _ in 0..8 {
            page.click("create-session-web-3").await?;
        }
        page.click("first-event").await?;
        page.until_frame("document.querySelector('#events .rows').scrollTop == 0").await?;
        for _ in 0..8 {
            page.click("create-session-web-3").await?;
        }
        let is_seen = "(() => {
            const list = document.querySelector('#events .rows').getBoundingClientRect();
            const row = ROW;
            return row && row.getBoundingClientRect().bottom <= list.bottom + 1;
        })()";
        page.until(&is_seen.replace("ROW", &event_row(11))).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn time_travel_works_by_keyboard() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        change_of_hands(&page).await?;
        page.tab_to("scrubber").await?;
        page.press(Key::Left + "").await?;
        page.shows("holder", "nobody").await?;
        page.press(Key::Right + "").await?;
        page.shows("holder", "web-2").await?;
        page.press(Key::Home + "").await?;
        page.shows("now", "0.0 s").await?;
        page.press(Key::End + "").await?;
        page.shows("now", "45.0 s").await?;
        page.press("p").await?;
        page.shows("why-sentence", "lock-delay").await?;
        page.shows("now", "30.0 s").await?;
        page.until("document.activeElement.getAttribute('aria-valuetext').includes('30.0')")
            .await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn acting_in_the_past_begins_a_branch_and_keeps_the_old_future() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        change_of_hands(&page).await?;
        page.click("first-event").await?;
        page.click("next-event").await?;
        page.select("web-3").await?;
        page.click("create-session-web-3").await?;
        page.click("acquire-web-3").await?;
        page.shows("holder", "web-3").await?;
        page.find("branch").await?;
        let options = "document.querySelectorAll('[data-testid=branch] option').length";
        page.until(&format!("{options} == 2")).await?;
        page.pick("branch", "0").await?;
        page.click("last-event").await?;
        page.shows("holder", "web-2").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_forecast_is_drawn() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.shows("now", "0.0 s").await?;
        draws(&page, "wrong-belief").await?;
        page.shows("status-web-1", "holds db/leader").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_row_of_the_event_list_moves_the_cursor() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        change_of_hands(&page).await?;
        // Only the rows in view are in the document.
        page.eval("document.querySelector('#events .rows').scrollTop = 0").await?;
        let fifth = event_row(5);
        page.until(&fifth).await?;
        page.eval(&format!("{fifth}.click()")).await?;
        page.shows("holder", "web-1").await?;
        page.until("document.querySelectorAll('[data-testid=event-row].later').length > 0").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn routine_is_one_row_of_the_event_list_that_a_key_unfolds_and_a_search_finds()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        for _ in 0..30 {
            page.click("renew-web-1").await?;
        }
        let events = "[...document.querySelectorAll('[data-testid=event-row]')]";
        let renewals = format!("{events}.filter(it => it.innerText.includes('renew')).length");
        let fold = "[...document.querySelectorAll('[data-testid=fold-row]')].at(-1)";
        page.until(&format!("{fold}?.innerText.includes('30 renewals')")).await?;
        page.until(&format!("{renewals} == 0")).await?;
        page.eval(&format!("({fold}.querySelector('.unfold').focus(), true)")).await?;
        page.press(Key::Enter + "").await?;
        // The list has no room for all of them, and stays at the first one with the focus.
        page.until(&format!("{renewals} > 2 && {}", event_row(5))).await?;
        page.until_frame("document.activeElement.ariaExpanded == 'true'").await?;
        page.press(Key::Enter + "").await?;
        page.until(&format!("{renewals} == 0")).await?;
        // An event at the cursor has its own row.
        page.click("previous-event").await?;
        page.until(&format!("{}?.classList.contains('here')", event_row(33))).await?;
        page.until(&format!("!{fold}?.classList.contains('here')")).await?;
        page.click("last-event").await?;
        page.until(&format!("{renewals} == 0")).await?;
        page.fill("events-filter", "renew").await?;
        page.until(&format!("{renewals} > 2 && !{fold}")).await?;
        page.shows("events-count", "30 of 34").await?;
        Ok(page)
    })
    .await
}

/// The texts of a column in the rows of this kind.
async fn column(page: &Sandbox, row: &str, column: &str) -> WebDriverResult<Value> {
    let cells = format!("document.querySelectorAll('[data-testid={row}] {column}')");
    page.eval(&format!("[...{cells}].map(it => it.textContent.trim())")).await
}

#[tokio::test]
async fn what_follows_if_nobody_acts_is_below_a_line_while_time_is_paused() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.shows("from-here-on", "0.0 s, and from here on if nobody acts").await?;
        assert_eq!(column(&page, "event-row", ".c-no").await?, json!(["4", "5"]));
        assert_eq!(column(&page, "ahead-row", ".c-t").await?, json!(["30.00", "45.00"]));
        assert_eq!(column(&page, "ahead-row", ".c-call").await?[0], json!("session A ended"));
        page.fill("events-filter", "session").await?;
        page.until("!document.querySelector('[data-testid=from-here-on]')").await?;
        page.shows("events-count", "1 of 5").await?;
        page.fill("events-filter", "").await?;
        page.shows("from-here-on", "0.0 s").await?;
        page.eval("(document.querySelector('[data-testid=ahead-row]').click(), true)").await?;
        page.shows("now", "30.0 s").await?;
        page.until("document.querySelectorAll('[data-testid=ahead-row]').length == 1").await?;
        assert_eq!(column(&page, "event-row", ".c-no").await?, json!(["4", "5", "6"]));
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn two_branches_are_compared_from_their_fork() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.click("plus-10").await?;
        page.click("previous-event").await?;
        page.click("previous-event").await?;
        page.click("create-session-web-2").await?;
        page.find("branch").await?;
        page.press("c").await?;
        page.shows("compare-says", "The same until 0.0 s").await?;
        page.shows("compare-lanes", "session B").await?;
        page.shows("compare-table", "web-2 PUT session/create").await?;
        page.shows("compare-table", "db/leader: nobody").await?;
        page.pick("compare-with", "0").await?;
        page.click("compare-go").await?;
        page.shows("now", "0.0 s").await?;
        page.click("compare-close").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_last_act_is_undone_and_done_again_by_button_and_key() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.shows("holder", "web-1").await?;
        page.click("undo").await?;
        page.until("!document.querySelector('[data-testid=holder]')").await?;
        page.shows("status-web-1", "session A").await?;
        page.click("redo").await?;
        page.shows("holder", "web-1").await?;
        press_with_control(&page, "z").await?;
        page.until("!document.querySelector('[data-testid=holder]')").await?;
        Ok(page)
    })
    .await
}

/// Destroys the session with which web-1 holds the lock, so that web-2 is refused in the
/// lock-delay.
async fn refused_in_a_lock_delay(page: &Sandbox) -> WebDriverResult<()> {
    for button in ["create-session-web-1", "acquire-web-1", "plus-10", "destroy-web-1"] {
        page.click(button).await?;
    }
    page.click("create-session-web-2").await?;
    page.click("acquire-web-2").await?;
    page.shows("holder", "nobody").await
}

/// Presses the button on a row of the event list that edits its act.
async fn edit_row(page: &Sandbox, row: usize) -> WebDriverResult<()> {
    page.eval("document.querySelector('#events .rows').scrollTop = 0").await?;
    let button = format!("{}?.querySelector('.edit-act')", event_row(row));
    page.until(&button).await?;
    page.eval(&format!("{button}.click()")).await?;
    page.has_focus("act-replay").await
}

#[tokio::test]
async fn an_act_is_edited_from_its_row_and_the_edit_is_undone() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        refused_in_a_lock_delay(&page).await?;
        edit_row(&page, 4).await?;
        page.shows("act-of", "0.0 s web-1: PUT session/create").await?;
        page.fill("act-lockdelay", "soon").await?;
        page.click("act-replay").await?;
        page.shows("act-error", "LockDelay: time: invalid duration \"soon\"").await?;
        page.audit().await?;
        page.fill("act-lockdelay", "0s").await?;
        page.click("act-replay").await?;
        page.until("!document.querySelector('#act:popover-open')").await?;
        page.shows("holder", "web-2").await?;
        page.shows("now", "10.0 s").await?;
        page.shows("branch", "0.0 s web-1: PUT session/create with LockDelay 0s").await?;
        press_with_control(&page, "z").await?;
        page.shows("holder", "nobody").await?;
        page.click("redo").await?;
        page.shows("holder", "web-2").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_form_shows_the_act_that_was_chosen_last() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        refused_in_a_lock_delay(&page).await?;
        edit_row(&page, 4).await?;
        page.fill("act-lockdelay", "1s").await?;
        // Another act is chosen while the form is open, and again after it was left.
        edit_row(&page, 6).await?;
        page.shows("act-of", "10.0 s web-1: PUT session/destroy/A").await?;
        page.until("!document.querySelector('[data-testid=act-lockdelay]')").await?;
        page.press(Key::Escape + "").await?;
        page.until("!document.querySelector('#act:popover-open')").await?;
        edit_row(&page, 4).await?;
        page.until("document.querySelector('[data-testid=act-lockdelay]').value == ''").await?;
        page.press(Key::Escape + "").await?;
        page.shows("holder", "nobody").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_act_is_removed_by_keyboard_and_later_acts_follow() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        refused_in_a_lock_delay(&page).await?;
        page.tab_to("scrubber").await?;
        // The cursor goes to the event before the session of web-2: the end of the other session.
        page.press(Key::Left + "").await?;
        page.press(Key::Left + "").await?;
        page.press("e").await?;
        page.shows("act-of", "PUT session/destroy/A").await?;
        page.enter("act-remove").await?;
        page.until("!document.querySelector('#act:popover-open')").await?;
        page.press(Key::End + "").await?;
        page.shows("holder", "web-1").await?;
        page.shows("branch", "without 10.0 s web-1: PUT session/destroy/A").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_act_is_moved_in_time_by_mouse_and_by_keyboard() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        refused_in_a_lock_delay(&page).await?;
        edit_row(&page, 6).await?;
        page.shows("act-of", "10.0 s web-1: PUT session/destroy/A").await?;
        page.fill("act-time", "99").await?;
        page.click("act-replay").await?;
        page.shows("act-error", "Time in seconds: from 0.0 to 10.0").await?;
        page.audit().await?;
        page.fill("act-time", "2").await?;
        page.click("act-replay").await?;
        page.until("!document.querySelector('#act:popover-open')").await?;
        page.shows("branch", "2.0 s web-1: PUT session/destroy/A, moved from 10.0 s").await?;
        page.shows("state-sentence", "can take it in 7.0 s").await?;
        page.tab_to("scrubber").await?;
        page.press(Key::Home + "").await?;
        while page.eval("document.querySelector('[data-testid=now]').innerText").await? != "2.0 s" {
            page.press(Key::Right + "").await?;
        }
        page.press("e").await?;
        page.shows("act-of", "2.0 s web-1: PUT session/destroy/A").await?;
        page.tab_to("act-time").await?;
        page.press(Key::End + "").await?;
        page.press(".1").await?;
        page.press(Key::Enter + "").await?;
        page.shows("branch", "2.1 s web-1: PUT session/destroy/A, moved from 2.0 s").await?;
        press_with_control(&page, "z").await?;
        press_with_control(&page, "z").await?;
        page.shows("now", "10.0 s").await?;
        page.shows("branch", "main").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_edit_says_how_many_later_acts_were_left_out() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("pause-web-1").await?;
        page.click("plus-1").await?;
        page.click("pause-web-1").await?;
        page.click("plus-1").await?;
        edit_row(&page, 4).await?;
        page.click("act-remove").await?;
        page.shows("act-left-out", "1 later action was not possible any more").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn only_acts_of_the_reader_can_be_edited() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let edit = "document.querySelectorAll('.edit-act:not([hidden])').length";
        assert_eq!(page.eval(edit).await?, 0, "clients that joined are no acts");
        let is_off = "document.querySelector('[data-testid=events-edit]').ariaDisabled";
        assert_eq!(page.eval(is_off).await?, "true");
        page.click("create-session-web-1").await?;
        page.until(&format!("{edit} == 1")).await?;
        page.click("next-event").await?;
        page.shows("events", "expired").await?;
        page.until(&format!("{edit} == 1")).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_request_without_an_answer_is_edited_and_undone_at_the_cursor() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.eval("(lictor.act('web-1', 'links latency=2s'), true)").await?;
        page.paste("PUT /v1/kv/a x").await?;
        page.click("events-edit").await?;
        page.shows("act-of", "0.0 s web-1: PUT kv/a").await?;
        page.fill("act-key", "b").await?;
        page.click("act-replay").await?;
        page.shows("branch", "PUT kv/b").await?;
        page.click("undo").await?;
        page.shows("branch", "main").await?;
        Ok(page)
    })
    .await
}

async fn press_with_control(page: &Sandbox, key: &str) -> WebDriverResult<()> {
    let keys = page.driver.action_chain().key_down(Key::Control);
    keys.send_keys(key).key_up(Key::Control).perform().await
}
