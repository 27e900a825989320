//! A page that follows a cluster. What the program beside the page publishes is scripted here; the
//! tests of the agent hold the program to it.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// Takes the place of the program: answers with the first snapshot after the version that was asked
/// for, as soon as there is one.
const PROGRAM: &str = "(() => {
    window.published = [];
    window.fetch = address => new Promise((done, failed) => {
        const after = Number(new URL(address, location).searchParams.get('after') ?? -1);
        const answer = () => {
            const newer = published.find(it => it.version > after);
            if (window.hasEnded) failed(new TypeError('connection refused'));
            else if (newer) done(new Response(JSON.stringify(newer)));
            else setTimeout(answer, 20);
        };
        answer();
    });
    location.hash = '#/live';
    return true;
})()";
const NOW: &str = "2026-11-26T09:10:41.000Z";

/// What the program publishes of a key: its texts are the lists of sessions and keys.
fn snapshot(version: u64, holder: Option<&str>, others: Value) -> Value {
    let id = "4154283e-a8f4-f7f1-22ce-3de43166da77";
    let sessions = json!([{
        "ID": id, "Name": "worker-a", "Node": "n1", "LockDelay": 15_000_000_000_u64,
        "Behavior": "release", "TTL": "15s", "NodeChecks": ["serfHealth"],
        "CreateIndex": 8, "ModifyIndex": 8
    }]);
    let mut key = json!({
        "Key": "jobs/leader", "Value": null, "Flags": 0, "LockIndex": 1, "CreateIndex": 9,
        "ModifyIndex": 9
    });
    if let Some(holder) = holder {
        key["Session"] = json!(holder);
    }
    let text = |body: Value| format!("Date: Thu, 26 Nov 2026 09:10:41 GMT\n\n{body}\n");
    let mut snapshot = json!({
        "version": version,
        "wanted": { "key": "jobs/leader" },
        "address": "http://10.0.0.1:8500",
        "stale": null,
        "answeredAt": NOW,
        "hasLog": true,
        "texts": [
            { "name": "sessions.txt", "text": format!("HTTP/1.1 200 OK\n{}", text(sessions)) },
            { "name": "keys.txt", "text": format!("HTTP/1.1 200 OK\n{}", text(json!([key]))) },
        ],
        "lines": [{
            "time": NOW, "change": "acquired", "key": "jobs/leader",
            "text": format!("change {version}"), "between": null, "answer": null
        }],
    });
    for (name, value) in others.as_object().into_iter().flatten() {
        snapshot[name] = value.clone();
    }
    snapshot
}

async fn publish(page: &Sandbox, snapshot: &Value) -> WebDriverResult<()> {
    page.eval(&format!("published.push({snapshot})")).await.map(drop)
}

#[tokio::test]
async fn a_page_beside_a_program_follows_the_cluster() -> WebDriverResult<()> {
    let holder = Some("4154283e-a8f4-f7f1-22ce-3de43166da77");
    for width in [1280, 360] {
        with_page(View { width, ..REFERENCE }, move |page| async move {
            page.eval(PROGRAM).await?;
            publish(&page, &snapshot(1, holder, json!({}))).await?;
            page.shows("incident-answer-1", "HELD jobs/leader").await?;
            page.shows("incident-button", "Live").await?;
            page.shows("live-status", "Follows jobs/leader at http://10.0.0.1:8500").await?;
            page.shows("live-lines", "acquired change 1").await?;
            page.has_focus("incident-answer-1").await?;
            page.until("!document.querySelector('[data-testid=incident-text]')").await?;
            page.audit().await?;
            // What the reader has opened or focused stays so when something changes.
            let list = "document.querySelector('[data-testid=incident-lists]')";
            page.eval(&format!("({list}.firstChild.click(), {list}.firstChild.focus(), true)"))
                .await?;
            publish(&page, &snapshot(2, None, json!({}))).await?;
            page.shows("live-lines", "acquired change 2").await?;
            page.shows("incident-answer-1", "jobs/leader").await?;
            page.until(&format!(
                "!document.querySelector('[data-testid=incident-answer-1]').innerText\
                 .includes('HELD') && {list}.open && document.activeElement.parentElement == {list}"
            ))
            .await?;
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_silent_cluster_and_a_program_that_has_ended_are_named_and_the_answer_stays()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.eval(PROGRAM).await?;
        publish(&page, &snapshot(1, None, json!({}))).await?;
        page.shows("incident-answer-1", "jobs/leader").await?;
        let stale = json!({ "stale": { "since": NOW, "reason": "connection refused" } });
        publish(&page, &snapshot(2, None, stale)).await?;
        page.shows("live-status", "No answer since 2026-11-26T09:10:41.000Z").await?;
        page.eval("window.hasEnded = true").await?;
        page.shows("live-status", "does not answer, so what is shown may be old").await?;
        page.shows("incident-answer-1", "jobs/leader").await?;
        page.eval("(window.hasEnded = false, true)").await?;
        publish(&page, &snapshot(3, None, json!({}))).await?;
        page.shows("live-status", "Follows jobs/leader").await?;
        let smaller = json!([{ "prefix": "jobs/a", "keys": 4_000, "sessions": 1 }]);
        let too_many = json!({ "keys": 20_000, "sessions": 1, "prefixes": smaller });
        let others = json!({ "texts": [], "tooMany": too_many });
        publish(&page, &snapshot(4, None, others)).await?;
        page.shows("live-too-many", "20000 keys and 1 session").await?;
        page.until("!document.querySelector('[data-testid=incident-answer-1]')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn what_is_followed_runs_on_in_the_sandbox_and_is_followed_meanwhile() -> WebDriverResult<()>
{
    let holder = Some("4154283e-a8f4-f7f1-22ce-3de43166da77");
    with_page(REFERENCE, move |page| async move {
        page.eval(PROGRAM).await?;
        publish(&page, &snapshot(1, holder, json!({}))).await?;
        page.click("incident-run-on").await?;
        page.shows("state-word", "HELD").await?;
        page.find("status-worker-a").await?;
        publish(&page, &snapshot(2, None, json!({}))).await?;
        page.click("incident-button").await?;
        page.shows("live-lines", "acquired change 2").await?;
        page.until("location.hash == '#/live'").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_page_without_a_program_names_the_command_that_follows_a_cluster() -> WebDriverResult<()>
{
    with_page(REFERENCE, |page| async move {
        page.eval(
            "(window.fetch = async () => new Response('', { status: 404 }),
            location.hash = '#/live', true)",
        )
        .await?;
        page.shows("live-status", "No cluster is followed here").await?;
        page.find("live-command").await?;
        // What a person pastes can be read as ever.
        page.shows("incident-button", "Incident").await?;
        page.find("incident-text").await?;
        page.audit().await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_answers_are_only_about_what_is_followed() -> WebDriverResult<()> {
    let log = "2026-11-26T09:10:30.000Z [DEBUG] agent.http: Request finished: method=PUT \
               url=/v1/kv/a/other?acquire=5154283e-a8f4-f7f1-22ce-3de43166da77 \
               from=127.0.0.1:5000 latency=1ms\n";
    with_page(REFERENCE, move |page| async move {
        page.eval(PROGRAM).await?;
        let mut first = snapshot(1, None, json!({}));
        let texts = first["texts"].as_array_mut().expect("it has texts");
        texts.push(json!({ "name": "monitor.txt", "text": log }));
        publish(&page, &first).await?;
        page.shows("incident-answer-1", "jobs/leader").await?;
        page.shows("incident-found", "1 key").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_text_that_cannot_be_read_is_named_beside_the_answer_before_it() -> WebDriverResult<()> {
    with_page(REFERENCE, move |page| async move {
        page.eval(PROGRAM).await?;
        publish(&page, &snapshot(1, None, json!({}))).await?;
        page.shows("incident-answer-1", "jobs/leader").await?;
        let texts = json!([{ "name": "keys.txt", "text": "nothing of Consul's" }]);
        publish(&page, &snapshot(2, None, json!({ "texts": texts }))).await?;
        page.until("document.querySelector('[data-testid=incident-error]').textContent").await?;
        page.shows("incident-answer-1", "jobs/leader").await?;
        publish(&page, &snapshot(3, None, json!({}))).await?;
        page.until("!document.querySelector('[data-testid=incident-error]').textContent").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn many_keys_are_shown_in_parts() -> WebDriverResult<()> {
    let id = |number: usize| format!("{number:08}-a8f4-f7f1-22ce-3de43166da77");
    let keys = (0..150).map(|number| {
        json!({
            "Key": format!("jobs/{number:04}"), "Value": null, "Flags": 0, "LockIndex": 1,
            "CreateIndex": 9, "ModifyIndex": 9, "Session": id(number)
        })
    });
    let keys: Vec<Value> = keys.collect();
    with_page(REFERENCE, move |page| async move {
        page.eval(PROGRAM).await?;
        let texts = json!([{ "name": "keys.txt", "text": json!(keys).to_string() }]);
        let wanted = json!({ "prefix": "jobs/" });
        publish(&page, &snapshot(1, None, json!({ "texts": texts, "wanted": wanted }))).await?;
        page.shows("incident-found", "150 keys").await?;
        page.until("document.querySelectorAll('.incident-answer').length == 20").await?;
        page.click("incident-answers-more").await?;
        page.until("document.querySelectorAll('.incident-answer').length == 120").await?;
        page.click("incident-answers-more").await?;
        page.until("document.querySelectorAll('.incident-answer').length == 150").await?;
        page.until("!document.querySelector('[data-testid=incident-answers-more]')").await?;
        Ok(page)
    })
    .await
}
