//! The incident panel with recorded incidents, whose end is known: pasted, or chosen as files.

use std::fs;

use serde_json::json;
use thirtyfour::prelude::*;

use super::environment::{answer, dist, response, serve};
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// Three lists and a log, as they are copied from a terminal while no session holds a key.
const NOBODY_HOLDS_IT: &str = concat!(
    "$ curl -s 127.0.0.1:8500/v1/session/list\n",
    include_str!("../../../incident/tests/incidents/nobody-holds-it/sessions.json"),
    "\n$ curl -s '127.0.0.1:8500/v1/kv/?recurse'\n",
    include_str!("../../../incident/tests/incidents/nobody-holds-it/keys.json"),
    "\n$ curl -s 127.0.0.1:8500/v1/catalog/nodes\n",
    include_str!("../../../incident/tests/incidents/nobody-holds-it/nodes.json"),
    "\nand this is the log of the leader:\n",
    include_str!("../../../incident/tests/incidents/nobody-holds-it/consul.log"),
);
const SENTENCE: &str =
    "Nobody holds jobs/nightly/leader, and every acquire is false until 09:12:05.689";
/// A key with a value.
const SECRET: &str = r#"[{"Key": "k", "LockIndex": 1, "Flags": 0, "Value": "c2VjcmV0",
    "CreateIndex": 9, "ModifyIndex": 9, "Session": "4154283e-a8f4-f7f1-22ce-3de43166da77"}]"#;
const INCIDENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../incident/tests/incidents");

#[tokio::test]
async fn a_pasted_incident_says_until_when_every_acquire_is_false_and_runs_on()
-> WebDriverResult<()> {
    for width in [1280, 360] {
        with_page(View { width, ..REFERENCE }, |page| async move {
            open_with(&page, NOBODY_HOLDS_IT).await?;
            page.shows("incident-answer-1", SENTENCE).await?;
            page.has_focus("incident-answer-1").await?;
            page.shows("incident-found", "1 key, as of 2026-11-26T09:11:49").await?;
            page.shows("incident-effects", "worker-b").await?;
            page.audit().await?;
            page.click("incident-run-on").await?;
            page.until("!document.querySelector('.guide:popover-open')").await?;
            page.shows("lock", "jobs/nightly/leader").await?;
            page.shows("state-word", "DELAYED").await?;
            page.shows("lock", "acquired once").await?;
            page.shows("session-clock", "guaranteed for 24.0 s").await?;
            page.has_focus("run").await?;
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_was_observed_is_above_the_events_and_stays_when_the_world_goes_on()
-> WebDriverResult<()> {
    for width in [1280, 360] {
        with_page(View { width, ..REFERENCE }, move |page| async move {
            open_with(&page, NOBODY_HOLDS_IT).await?;
            page.click("incident-run-on").await?;
            let refused = "lock-delay until 15.959 s";
            observed(&page, "−1.04", "observed", refused).await?;
            page.audit().await?;
            page.click("add-actor").await?;
            page.until_frame(
                "document.querySelector('#events .rows').scrollTo(0, 10000), \
                 document.querySelector('[data-testid=event-row], [data-testid=fold-row]')",
            )
            .await?;
            page.until(
                "[...document.querySelectorAll('.log tr[aria-rowindex]')].every((row, at, rows) => \
                 at == 0 || row.ariaRowIndex - rows[at - 1].ariaRowIndex == 1)",
            )
            .await?;
            page.press(Key::Home + "").await?;
            observed(&page, "−1.04", "observed", refused).await?;
            page.driver.refresh().await?;
            observed(&page, "−1.04", "observed", refused).await?;
            // On a phone the bar at the lower edge may cover the filter.
            if width > 360 {
                page.fill("events-filter", "nothing before").await?;
                page.until("!document.querySelector('[data-testid=observed-row]')").await?;
                page.fill("events-filter", "before is unknown").await?;
                observed(&page, "−", "unknown", "what happened before is unknown").await?;
            }
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn files_of_an_incident_are_read_together_and_a_dead_slot_has_its_command()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("incident-button").await?;
        // ChromeDriver takes no path with `..` in it.
        let folder = fs::canonicalize(INCIDENTS)?.join("dead-slot");
        let path = |file| folder.join(file).display().to_string();
        let files = ["sessions.json", "keys.json", "nodes.json", "consul.log"].map(path);
        page.find("incident-files").await?.send_keys(files.join("\n")).await?;
        page.shows("incident-sources", "nodes.json").await?;
        page.shows("incident", "cas=").await?;
        page.click("incident-command-1-1").await?;
        page.shows("incident-command-1-1", "Copied").await?;
        page.click("incident-remove-4").await?;
        page.until(
            "!document.querySelector('[data-testid=incident-sources]').innerText.includes('log')",
        )
        .await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_text_without_an_incident_is_named_and_the_one_before_is_kept() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_with(&page, "<!doctype html><p>502 Bad Gateway").await?;
        page.shows("incident-error", "HTML").await?;
        page.fill("incident-text", NOBODY_HOLDS_IT.split("\nand this").next().unwrap_or_default())
            .await?;
        page.find("incident-text").await?.send_keys(Key::Control + Key::Enter).await?;
        page.shows("incident-answer-1", "jobs/nightly/leader").await?;
        page.click("incident-text").await?;
        insert(&page, "<!doctype html><p>502 Bad Gateway").await?;
        page.click("incident-read").await?;
        page.shows("incident-unused", "not used").await?;
        page.shows("incident-answer-1", "jobs/nightly/leader").await?;
        page.press(Key::Escape + "").await?;
        page.has_focus("incident-button").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_incident_that_is_pasted_as_a_guide_is_read_as_one() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("guide-button").await?;
        let lists = NOBODY_HOLDS_IT.lines().filter(|line| !line.starts_with('$'));
        insert(&page, &lists.collect::<Vec<_>>().join("\n")).await?;
        page.click("guide-read").await?;
        page.click("guide-as-incident").await?;
        page.shows("incident-answer-1", SENTENCE).await?;
        page.until("document.querySelectorAll('.guide:popover-open').length == 1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_clock_of_a_log_is_corrected_by_events_of_another_log() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_with(&page, NOBODY_HOLDS_IT).await?;
        page.shows("incident-sources", "1 session").await?;
        // The end of a session, as a process wrote it whose clock is 2.5 s behind.
        let behind = "2026-11-26T09:11:43.189Z [DEBUG] agent.http: Request finished: method=PUT \
                      url=/v1/session/destroy/a2c75e79-a57f-48e7-bba7-39588f7b9858 \
                      from=127.0.0.1:1 latency=1ms";
        page.click("incident-text").await?;
        insert(&page, behind).await?;
        page.click("incident-read").await?;
        page.shows("incident-sources", "2.5 s behind that of text 1, by 1 event").await?;
        page.audit().await?;
        page.click("incident-use-offset-2").await?;
        page.until("!document.querySelector('[data-testid=incident-use-offset-2]')").await?;
        page.until("document.querySelector('[data-testid=incident-clock-2]').value == '2.5'")
            .await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_redacted_incident_has_neither_values_nor_addresses() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_with(&page, SECRET).await?;
        page.shows("incident-answer-1", "4154283e").await?;
        page.click("incident-redact").await?;
        page.until("!document.querySelector('[data-testid=incident-stop]')").await?;
        page.click("incident-run-on").await?;
        page.click("tab-keys").await?;
        page.until("document.querySelector('.events').innerText.includes('redacted')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_lines_of_an_application_have_patterns_that_can_be_changed_or_turned_off()
-> WebDriverResult<()> {
    with_page(View { width: 360, ..REFERENCE }, |page| async move {
        let line = "2026-11-26T09:11:00Z INFO w acquired lock jobs/nightly/leader";
        open_with(&page, &format!("{NOBODY_HOLDS_IT}\n{line}\n")).await?;
        page.shows("incident-sources", "1 line of an application: acquired 1").await?;
        page.shows("incident", "neither \"lost\" nor \"released\" after it").await?;
        page.click("incident-application-1").await?;
        let pattern = "acquired={time} {*} acquired lock {key}";
        let value = "document.querySelector('[data-testid=incident-patterns-1]').value";
        page.until(&format!("{value} == '{pattern}'")).await?;
        page.audit().await?;
        page.fill("incident-patterns-1", "acquired={tim} x").await?;
        page.press(Key::Tab + "").await?;
        page.shows("incident-error", "{tim} is no placeholder").await?;
        page.shows("incident-sources", "acquired 1").await?;
        page.fill("incident-patterns-1", " ").await?;
        page.press(Key::Tab + "").await?;
        page.shows("incident-sources", "1 line of an application: none used").await?;
        let details =
            "document.querySelector('[data-testid=incident-application-1]').closest('details')";
        page.until(&format!("({details}.open = true)")).await?;
        page.audit().await?;
        page.click("incident-propose-1").await?;
        page.shows("incident-sources", "1 line of an application: acquired 1").await?;
        page.until(&format!("{value} == '{pattern}'")).await?;
        page.until("!document.querySelector('[data-testid=incident-propose-1]')").await?;
        page.click("incident-observed").await?;
        page.shows("incident-observed", "lock-delay until").await?;
        Ok(page)
    })
    .await
}

/// What is put before the worker's script: for a second text, the reader gets an address outside of
/// its memory, so that it traps as it does after a panic.
const TRAP: &str = "
let count = 0;
addEventListener('message', ({ data }) => { count = data.request.sources.length; });
const real = WebAssembly.instantiate;
WebAssembly.instantiate = async (...given) => {
    const { exports } = await real.apply(WebAssembly, given);
    const readIncident = (texts, now, length, ...others) =>
        exports.readIncident(texts, count > 1 ? -16 : now, count > 1 ? 8 : length, ...others);
    const made = Object.create(WebAssembly.Instance.prototype);
    return Object.defineProperty(made, 'exports', { value: { ...exports, readIncident } });
};
";

#[tokio::test]
async fn a_reader_that_panics_is_an_error_and_what_was_read_before_stays() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_page_with(&page, TRAP).await?;
        open_with(&page, NOBODY_HOLDS_IT).await?;
        page.shows("incident-answer-1", SENTENCE).await?;
        page.click("incident-text").await?;
        insert(&page, "2026-11-26T09:11:00Z INFO w acquired lock jobs/nightly/leader").await?;
        page.click("incident-read").await?;
        page.shows("incident-error", "Reading has failed, by a fault of Lictor").await?;
        page.shows("incident-answer-1", SENTENCE).await?;
        let text = "document.querySelector('[data-testid=incident-text]').value";
        page.until(&format!("{text}.includes('acquired lock')")).await?;
        page.until("!document.querySelector('[data-testid=incident-remove-2]')").await?;
        // The worker says why in the console.
        let complaints = page.complaints().await?;
        assert!(complaints.iter().all(|it| it.contains("out of bounds")), "{complaints:#?}");
        // The next one is read by a new worker.
        page.click("incident-remove-1").await?;
        page.click("incident-read").await?;
        page.shows("incident-sources", "1 line of an application").await?;
        Ok(page)
    })
    .await
}

/// What is put after the worker's script: the reading of a single text does not end, unless it is
/// redacted.
const HOLD: &str = "
const read = onmessage;
onmessage = (event) => {
    const { sources, redact } = event.data.request ?? event.data;
    if (sources.length > 1 || redact) read(event);
};
";

#[tokio::test]
async fn what_is_chosen_during_a_reading_counts_and_a_draft_stays() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_page_with(&page, HOLD).await?;
        open_with(&page, NOBODY_HOLDS_IT).await?;
        page.find("incident-stop").await?;
        let nodes = fs::canonicalize(INCIDENTS)?.join("nobody-holds-it/nodes.json");
        let files = page.find("incident-files").await?;
        files.send_keys(nodes.display().to_string()).await?;
        for name in ["text 1", "nodes.json"] {
            page.shows("incident-sources", name).await?;
        }
        let field = "document.querySelector('[data-testid=incident-text]').value";
        page.until(&format!("{field} == ''")).await?;
        page.click("incident-text").await?;
        insert(&page, "a draft").await?;
        files.send_keys(nodes.display().to_string()).await?;
        page.shows("incident-sources", "nodes.json (2)").await?;
        page.until(&format!("{field} == 'a draft'")).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_first_reading_is_redacted_if_that_is_chosen_while_it_goes_on() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_page_with(&page, HOLD).await?;
        open_with(&page, SECRET).await?;
        page.find("incident-stop").await?;
        page.click("incident-redact").await?;
        page.shows("incident-answer-1", "4154283e").await?;
        page.click("incident-run-on").await?;
        page.click("tab-keys").await?;
        page.until("document.querySelector('.events').innerText.includes('redacted')").await?;
        Ok(page)
    })
    .await
}

/// Opens a page whose worker for incidents begins with this script.
async fn open_page_with(page: &Sandbox, script: &'static str) -> WebDriverResult<()> {
    let folder = dist();
    let port = serve(move |request| match request.uri().path() {
        "/incident-worker.js" => {
            let worker = fs::read_to_string(folder.join("incident-worker.js"));
            response(".js", worker.unwrap_or_default() + script)
        }
        _ => answer(&folder, request),
    });
    page.driver.goto(&format!("http://{}:{port}/", page.host)).await?;
    page.click("visit-sandbox").await
}

/// Scrolls through the list to a row that was observed: its time, its source and a part of its
/// text.
async fn observed(page: &Sandbox, time: &str, source: &str, text: &str) -> WebDriverResult<()> {
    page.until_frame(&format!(
        "document.querySelector('#events .rows')\
         ?.scrollTo(0, window.place = ((window.place ?? 0) + 24) % 1000), \
         [...document.querySelectorAll('[data-testid=observed-row]')].some(row => \
         row.cells[1].textContent.startsWith('{time}') && row.cells[3].textContent == '{source}' \
         && row.cells[4].textContent.includes('{text}') && !row.querySelector('button'))"
    ))
    .await
}

/// Opens the panel, pastes a text and reads it.
async fn open_with(page: &Sandbox, text: &str) -> WebDriverResult<()> {
    page.click("incident-button").await?;
    page.has_focus("incident-text").await?;
    insert(page, text).await?;
    page.click("incident-read").await
}

async fn insert(page: &Sandbox, text: &str) -> WebDriverResult<()> {
    page.driver.cdp().send_raw("Input.insertText", json!({ "text": text })).await.map(drop)
}
