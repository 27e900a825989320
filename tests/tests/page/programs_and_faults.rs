//! Client programs are started, and faults of their hosts are injected and repaired, with the
//! buttons and forms of the page.

use thirtyfour::prelude::*;

use super::drawings::draws;
use super::sandbox::{REFERENCE, Sandbox, View, event_row, with_page};

/// Starts a lock program on web-1, which then holds the lock, and one on web-2, which waits for it.
async fn two_locks(page: &Sandbox) -> WebDriverResult<()> {
    page.click("program-start").await?;
    page.shows("program-lock-1", "Holding").await?;
    page.select("web-2").await?;
    page.click("program-start").await?;
    page.shows("program-lock-2", "Watching").await
}

#[tokio::test]
async fn a_crashed_holder_loses_the_lock_at_the_predicted_time() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        two_locks(&page).await?;
        page.click("plus-10").await?;
        page.select("web-1").await?;
        page.click("crash-web-1").await?;
        page.shows("status-web-1", "crashed").await?;
        page.shows("state-sentence", "web-2 can take it").await?;
        let sentence = "document.querySelector('[data-testid=state-sentence]').innerText";
        let at = format!("{sentence}.match(/at ([0-9.]+ s)[.]$/)[1]");
        let at = page.eval(&at).await?.as_str().unwrap_or_default().to_owned();
        let follows = "document.querySelector('[data-testid=holder]').innerText.includes('web-2')";
        for _ in 0..40 {
            if page.eval(follows).await? == true {
                break;
            }
            page.click("next-event").await?;
        }
        page.shows("holder", "web-2").await?;
        page.shows("now", &at).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_pad_names_its_options_and_a_fresh_sandbox_has_the_usual_ones() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let label = "document.querySelector('.pad-options').innerText";
        page.pick("option-lock-delay", "1").await?;
        page.pick("option-behavior", "2").await?;
        page.until(&format!("{label}.includes('TTL 15 s · LockDelay 0 s · delete')")).await?;
        page.click("worlds-button").await?;
        page.click("world-fresh").await?;
        page.until(&format!("!{label}.includes('LockDelay')")).await?;
        page.click("create-session-web-1").await?;
        let session = page.eval("lictor.read('/v1/session/list').Body[0].Behavior").await?;
        assert_eq!(session, "release");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_rejecting_cut_says_that_requests_fail_at_once() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.eval("(lictor.act('web-1', 'cut way=both mode=reject'), true)").await?;
        page.shows("event-row", "network cut (reject)").await?;
        page.shows("console-sender-fault", "its requests fail at once").await?;
        page.paste("GET /v1/kv/a").await?;
        page.shows("event-why", "Connection refused").await?;
        page.shows("console-entry", "curl: (7) Failed to connect to consul port 8500").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_row_of_the_server_names_its_index_and_kills_the_leader() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let note = "document.querySelector('.server-row .actor-note').innerText";
        let index = "Number(document.querySelector('.server-row .actor-note').innerText
            .match(/index (\\d+)/)[1])";
        page.until(&format!("{note}.startsWith('leads, index')")).await?;
        let before = page.eval(index).await?;
        page.click("create-session-web-1").await?;
        page.until(&format!("{index} == {before} + 1")).await?;
        page.click("acquire-web-1").await?;
        page.click("plus-10").await?;
        page.click("failover").await?;
        let last = "[...document.querySelectorAll('[data-testid=event-row]')].at(-1).innerText";
        page.until(&format!("{last}.includes('the leader is killed')")).await?;
        page.until(&format!("{last}.includes('server')")).await?;
        page.click("read-web-1").await?;
        page.shows("events", "the leader was lost at 10").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_failover_restarts_every_session_ttl() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("failover-options-button").await?;
        page.pick("failover-lasts", "4").await?;
        page.click("failover-options-close").await?;
        for button in ["plus-10", "failover", "plus-10", "plus-10"] {
            page.click(button).await?;
        }
        // The session would have ended at 30 s; its time starts again at 20 s.
        page.shows("status-web-1", "session A").await?;
        page.shows("events", "another server becomes leader").await?;
        page.click("plus-10").await?;
        page.shows("status-web-1", "session A").await?;
        page.click("plus-10").await?;
        page.shows("status-web-1", "no session").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn keys_pause_the_selected_client_and_cut_its_network() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for text in ["frozen", "no session"] {
            page.press("g").await?;
            page.shows("status-web-1", text).await?;
        }
        for (button, text) in [("cut-net-cut", "network cut"), ("cut-net-other", "no session")] {
            page.press("x").await?;
            page.click(button).await?;
            page.shows("status-web-1", text).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_client_without_network_still_thinks_it_holds_the_lock() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        two_locks(&page).await?;
        page.select("web-1").await?;
        page.click("cut-net-button").await?;
        page.click("cut-net-cut").await?;
        page.shows("status-web-1", "network cut").await?;
        for _ in 0..6 {
            page.click("plus-10").await?;
        }
        page.shows("holder", "web-2").await?;
        draws(&page, "two-believers").await?;
        page.until("document.querySelector('[data-testid=believers] .is-danger')").await?;
        page.click("crash-web-1").await?;
        page.until("!document.querySelector('[data-testid=believers] .is-danger')").await?;
        page.shows("events", "process crashed").await?;
        Ok(page)
    })
    .await
}

/// The form cuts, says what is wrong with an end, changes the cut, and ends it; each is an act.
#[tokio::test]
async fn a_form_cuts_the_network_until_a_time_and_changes_the_cut() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("cut-net-button").await?;
        page.until("document.activeElement.dataset.testid === 'cut-drop'").await?;
        page.fill("cut-until", "soon").await?;
        page.click("cut-net-cut").await?;
        page.shows("cut-error", "write a number of seconds").await?;
        page.fill("cut-until", "20").await?;
        page.click("cut-reset").await?;
        page.click("cut-from-server").await?;
        page.audit().await?;
        page.click("cut-net-cut").await?;
        page.shows("status-web-1", "cut until 20.0 s").await?;
        page.shows("events", "network cut from the server (reset)").await?;
        page.shows("next-up", "net restored").await?;

        page.click("plus-10").await?;
        page.click("cut-net-button").await?;
        page.until("document.querySelector('[data-testid=cut-until]').value === '20'").await?;
        page.shows("cut-net-cut", "Change the cut").await?;
        page.click("cut-drop").await?;
        page.fill("cut-until", "30").await?;
        page.click("cut-net-cut").await?;
        page.shows("status-web-1", "cut until 30.0 s").await?;
        page.click("undo").await?;
        page.shows("status-web-1", "cut until 20.0 s").await?;
        page.click("cut-net-button").await?;
        page.shows("cut-net-other", "Heal now").await?;
        page.click("cut-net-other").await?;
        page.shows("status-web-1", "no session").await?;
        page.shows("events", "network restored").await?;
        Ok(page)
    })
    .await
}

/// The network is cut for 20 s, 6.5 s after a renewal.
#[tokio::test]
async fn the_card_says_when_the_renewal_is_repeated_and_whether_that_is_too_late()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("program-start").await?;
        page.eval("lictor.advance(14_000)").await?;
        page.click("cut-net-button").await?;
        page.fill("cut-until", "34").await?;
        page.click("cut-net-cut").await?;
        page.eval("lictor.advance(5_000)").await?;
        page.shows("renewal", "The renewal is repeated at 21.8 s; without it").await?;
        page.until("!document.querySelector('[data-testid=renewal].is-late')").await?;
        page.eval("lictor.advance(11_000)").await?;
        page.shows("renewal", "repeated at 41.8 s; the session ends at 37.5 s.").await?;
        page.until("document.querySelector('[data-testid=renewal].is-late')").await?;
        page.shows("next-up", "sent again").await?;
        page.audit().await?;
        let lane = "!!document.querySelector('[data-testid=lane-Renewals-web-1]')";
        page.until(lane).await?;
        page.click("open-details").await?;
        page.until(&format!("!{lane}")).await?;
        page.click("open-details").await?;
        page.until(lane).await?;
        page.eval("lictor.advance(15_000)").await?;
        page.until("!document.querySelector('[data-testid=renewal]')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_form_closes_once_its_program_is_started_and_the_row_below_can_be_selected()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let is_open = "!!document.querySelector('#programs:popover-open')";
        for actor in ["select-web-1", "select-web-2"] {
            page.find(actor).await?.click().await?;
            page.find("programs-button").await?.click().await?;
            page.find("program-start").await?.click().await?;
            page.until(&format!("!{is_open}")).await?;
            page.has_focus("programs-button").await?;
        }
        page.shows("status-web-2", "waiting").await?;
        // A form with a mistake stays open, says so and marks the field, until it is mended.
        page.find("programs-button").await?.click().await?;
        page.fill("program-delay", "soon").await?;
        page.find("program-start").await?.click().await?;
        page.find("program-trouble").await?;
        page.until("document.querySelector('[data-testid=program-delay]').ariaInvalid").await?;
        assert_eq!(page.eval(is_open).await?, true);
        page.audit().await?;
        page.fill("program-delay", "").await?;
        page.fill("program-value", "<b>bold</b>").await?;
        page.click("program-start").await?;
        page.until("!document.querySelector('[data-testid=program-trouble]')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_panel_inside_of_another_one_returns_the_focus_to_its_button() -> WebDriverResult<()> {
    with_page(View { width: 360, ..REFERENCE }, |page| async move {
        page.click("actors-button").await?;
        page.click("programs-button").await?;
        page.has_focus("program-kind").await?;
        page.press(Key::Escape + "").await?;
        page.has_focus("programs-button").await?;
        page.press(Key::Escape + "").await?;
        page.has_focus("actors-button").await?;
        page.press("?").await?;
        page.until("document.querySelector('#help:popover-open')").await?;
        page.press(Key::Escape + "").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_start_of_a_program_has_rows_that_can_be_edited_and_removed() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("program-start").await?;
        page.shows("events", "5 joins and starts").await?;
        page.shows("holder", "web-1").await?;
        page.eval("(document.querySelector('[data-testid=fold-row]').click(), true)").await?;
        page.shows("events", "started").await?;
        page.eval("document.querySelector('#events .rows').scrollTop = 0").await?;
        let edit = format!("{}.querySelector('.edit-act')", event_row(4));
        page.until(&event_row(4)).await?;
        page.eval(&format!("{edit}.click()")).await?;
        page.shows("act-of", "0.0 s web-1: lock-1 added").await?;
        page.fill("act-words", "spawns lock-1 lock other value=web-1").await?;
        page.click("act-replay").await?;
        page.until("document.querySelector('[data-testid=lock][data-key=other]')").await?;
        page.until("!document.querySelector('[data-testid=lock][data-key=\"db/leader\"]')").await?;
        page.shows("branch", "0.0 s web-1: lock-1 added with Key other").await?;
        page.click("undo").await?;
        page.click("undo").await?;
        page.until("!document.querySelector('[data-testid=lock]')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn states_of_programs_are_named_in_the_language_of_the_page() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("program-start").await?;
        page.shows("status-web-1", "lock-1: Holding").await?;
        page.shows("next-up", "renew").await?;
        page.click("language").await?;
        page.shows("status-web-1", "lock-1：持有中").await?;
        page.until("!document.body.innerText.includes('Holding')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_options_of_a_program_are_explained_and_used() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("programs-button").await?;
        page.pick("program-kind", "1").await?;
        page.shows("programs", "Number of slots").await?;
        page.fill("program-limit", "3").await?;
        page.click("program-more").await?;
        page.shows("programs", "as Consul's guide").await?;
        page.pick("program-style", "guide").await?;
        page.click("program-start").await?;
        page.shows("program-semaphore-1", "Holding").await?;
        page.shows("semaphore", "Limit 3, 1 live").await?;
        page.shows("semaphore", "list").await?;
        Ok(page)
    })
    .await
}
