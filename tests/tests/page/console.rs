//! Tests the console by keyboard and mouse: names without a value, keys, completion, pasted and
//! dropped texts, answers, and the transcript of each world and time.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, with_page};

const INPUT: &str = "document.querySelector('[data-testid=console-input]').value";

#[tokio::test]
async fn a_name_without_a_value_is_marked_and_one_click_fills_it() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("PUT /v1/session/create\nPUT /v1/kv/a?acquire=<holder> x\nGET /v1/kv/a").await?;
        page.shows("console-mark", "<holder>").await?;
        page.until(&format!(
            "{INPUT}.startsWith('PUT /v1/kv/a') && {INPUT}.endsWith('GET /v1/kv/a')"
        ))
        .await?;
        page.click("console-fill").await?;
        page.until(&format!("!{INPUT}.includes('holder')")).await?;
        page.click("console-send").await?;
        page.shows("lock", "web-1").await?;
        page.until(&format!("{INPUT} == ''")).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_session_is_created_once_and_filled_in_when_its_answer_arrives() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.eval("(lictor.act('web-1', 'links latency=2s'), true)").await?;
        page.paste("PUT /v1/kv/a?acquire=<holder> x").await?;
        page.click("console-fill").await?;
        let is_off = "document.querySelector('[data-testid=console-fill]')
            .getAttribute('aria-disabled') == 'true'";
        page.until(is_off).await?;
        // A round trip takes 4 s: the first opens the connection, the second is the request.
        page.eval("(lictor.advance(10_000), true)").await?;
        page.until(&format!("!{INPUT}.includes('holder')")).await?;
        let sessions = page.eval("lictor.read('/v1/session/list').Body.length").await?;
        assert_eq!(sessions, 1);
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_command_is_copied_without_a_secure_context() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("GET /v1/kv/a").await?;
        page.eval(
            "(Object.defineProperty(window, 'isSecureContext', { value: false }),
             addEventListener('copy', () => window.copied = document.activeElement.value), true)",
        )
        .await?;
        page.click("console-copy").await?;
        page.until("window.copied?.includes('curl')").await?;
        page.until("!document.querySelector('body > textarea, html > textarea')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn enter_adds_a_line_while_a_quote_is_open_and_sends_otherwise() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        write(&page, "curl -X PUT -d 'one").await?;
        page.press(Key::Enter + "").await?;
        write(&page, "two' /v1/kv/a").await?;
        page.press(Key::Enter + "").await?;
        page.paste("curl /v1/kv/a?raw").await?;
        page.shows("console-answer", "one\ntwo").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_reload_shows_commands_as_they_were_typed() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("consul kv put db/a one").await?;
        page.paste("id=$(curl -s -X PUT localhost:8500/v1/session/create | jq -r .ID)").await?;
        page.shows("console-command", "jq -r .ID").await?;
        page.driver.refresh().await?;
        page.find("now").await?;
        page.shows("console-command", "consul kv put db/a one").await?;
        page.shows("console-answer", "Success! Data written to: db/a").await?;
        page.shows("console-command", "jq -r .ID").await?;
        page.paste("curl -X PUT -d x localhost:8500/v1/kv/db/a?acquire=$id").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn arrow_keys_recall_sent_commands() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("GET /v1/kv/first").await?;
        page.paste("GET /v1/kv/second").await?;
        write(&page, "draft").await?;
        for (key, command) in [
            (Key::Up, "GET /v1/kv/second"),
            (Key::Up, "GET /v1/kv/first"),
            (Key::Down, "GET /v1/kv/second"),
            (Key::Down, "draft"),
        ] {
            page.press(key + "").await?;
            page.until(&format!("{INPUT} == '{command}'")).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_blocking_query_can_be_cancelled() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("GET /v1/kv/a?index=1000&wait=60s\nPUT /v1/kv/b after").await?;
        page.shows("console-answer", "true").await?;
        page.click("plus-1").await?;
        page.shows("console-pending", "1.0 s").await?;
        page.click("console-cancel").await?;
        page.until("!document.querySelector('[data-testid=console-pending]')").await?;
        page.shows("status-web-1", "no session").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_refused_acquire_links_to_the_end_of_the_lock_delay() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste(
            "s1 <- PUT /v1/session/create\ns2 <- PUT /v1/session/create\n\
             PUT /v1/kv/a?acquire=$s1\nPUT /v1/session/destroy/$s1\nPUT /v1/kv/a?acquire=$s2",
        )
        .await?;
        page.shows("console-reason", "lock-delay").await?;
        page.click("console-run-to").await?;
        page.shows("now", "15.0 s").await?;
        page.until("!document.querySelector('[data-testid=console-run-to]')").await?;
        page.paste("PUT /v1/kv/a?acquire=$s2").await?;
        page.shows("lock", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_command_is_completed_by_keys() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("PUT /v1/session/create").await?;
        page.shows("status-web-1", "session").await?;
        for (typed, offered, keys, taken) in [
            ("PU", "PUT /v1/", Key::Tab + "", "PUT /v1/"),
            ("kv/db/leader?a", "acquire=", Key::Tab + "", "PUT /v1/kv/db/leader?acquire="),
            ("$", "session", Key::Down + Key::Enter, "PUT /v1/kv/db/leader?acquire=$session"),
        ] {
            write(&page, typed).await?;
            page.shows("completions", offered).await?;
            page.press(keys).await?;
            page.until(&format!("{INPUT} == '{taken}'")).await?;
        }
        page.press(Key::Enter + "").await?;
        page.shows("lock", "web-1").await?;
        write(&page, "GET /v1/kv/d").await?;
        page.shows("completions", "db/leader").await?;
        page.audit().await?;
        page.press(Key::Escape + "").await?;
        page.until("!document.querySelector('[data-testid=completions]')").await?;
        page.until(&format!("{INPUT} == 'GET /v1/kv/d'")).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_completion_shows_the_owner_of_a_session_and_can_be_clicked() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("PUT /v1/session/create").await?;
        page.shows("status-web-1", "session").await?;
        write(&page, "PUT /v1/session/renew/").await?;
        page.shows("completions", "A").await?;
        page.eval(
            "document.querySelector('[role=option]')\
             .dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true }))",
        )
        .await?;
        page.until(&format!("{INPUT}.length == 'PUT /v1/session/renew/'.length + 36")).await?;
        page.until("!document.querySelector('[data-testid=completions]')").await?;
        page.press(Key::Enter + "").await?;
        page.shows("console-answer", "TTL").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_transcript_belongs_to_the_visible_world() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("PUT /v1/kv/ours/a x\nGET /v1/kv/ours/a?index=1000&wait=60s").await?;
        page.find("console-pending").await?;
        page.driver.refresh().await?;
        page.shows("console-command", "/v1/kv/ours/a").await?;
        page.shows("console-answer", "true").await?;
        page.find("console-pending").await?;
        page.click("home-button").await?;
        page.click("story-6").await?;
        page.shows("story-origin", "Question 6 of").await?;
        page.until("!document.querySelector('[data-testid=console-pending]')").await?;
        page.to_last_page().await?;
        page.shows("console-command", "/v1/kv/").await?;
        page.until("!document.querySelector('.console').innerText.includes('ours/a')").await?;
        page.click("tab-sandbox").await?;
        page.shows("console-command", "/v1/kv/ours/a").await?;
        page.click("console-cancel").await?;
        page.until("!document.querySelector('[data-testid=console-pending]')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_transcript_is_that_of_the_cursor_on_the_branch() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste("S=$(curl -X PUT /v1/session/create)").await?;
        page.click("plus-1").await?;
        page.paste("PUT /v1/kv/a?acquire=$S").await?;
        let count = "document.querySelectorAll('.entry').length";
        page.until(&format!("{count} === 2")).await?;
        page.shows("console-answer", "true").await?;
        page.click("undo").await?;
        page.until(&format!("{count} === 1")).await?;
        page.click("redo").await?;
        // The command is shown as it was typed.
        page.shows("console-command", "PUT /v1/kv/a?acquire=$S").await?;
        page.eval("lictor.seek(500)").await?;
        page.until(&format!("{count} === 1")).await?;
        page.click("undo").await?;
        page.until(&format!("{count} === 0")).await?;
        Ok(page)
    })
    .await
}

/// The largest value that Consul accepts.
const LARGEST: usize = 512 << 10;

#[tokio::test]
async fn the_largest_value_can_be_pasted() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.paste(&format!("curl -X PUT -d '{}' /v1/kv/big", "x".repeat(LARGEST))).await?;
        page.shows("console-answer", "true").await?;
        page.paste("consul kv get -detailed big").await?;
        page.shows("console-answer", "ModifyIndex      10").await?;
        page.click("tab-keys").await?;
        page.shows("keys", "big").await?;
        Ok(page)
    })
    .await
}

/// Drops a file with a text onto the element with a test id.
async fn drop_file(page: &Sandbox, id: &str, text: &str) -> WebDriverResult<()> {
    let script = "
        const data = new DataTransfer();
        data.items.add(new File([arguments[1]], 'value.txt'));
        const options = { dataTransfer: data, bubbles: true, cancelable: true };
        const event = new DragEvent('drop', options);
        document.querySelector(`[data-testid=${arguments[0]}]`).dispatchEvent(event);";
    let arguments = vec![serde_json::json!(id), serde_json::json!(text)];
    page.driver.execute(script, arguments).await.map(drop)
}

#[tokio::test]
async fn a_file_that_is_dropped_on_the_console_is_the_value_or_the_command() -> WebDriverResult<()>
{
    with_page(REFERENCE, |page| async move {
        write(&page, "PUT /v1/kv/big").await?;
        drop_file(&page, "console-input", &"x".repeat(LARGEST)).await?;
        page.until(&format!("{INPUT}.length > {LARGEST}")).await?;
        page.click("console-send").await?;
        page.shows("console-answer", "true").await?;
        write(&page, "curl -X PUT /v1/kv/a -d").await?;
        drop_file(&page, "console-input", "it's <session> for $5").await?;
        page.until(&format!("{INPUT}.includes('for')")).await?;
        page.click("console-send").await?;
        page.paste("curl /v1/kv/a?raw").await?;
        page.shows("console-answer", "it's <session> for $5").await?;
        drop_file(&page, "console-transcript", "GET /v1/kv/?keys").await?;
        page.until(&format!("{INPUT} == 'GET /v1/kv/?keys'")).await?;
        Ok(page)
    })
    .await
}

/// Commands of the program `consul`, `jq` after a pipe, and command substitution.
#[tokio::test]
async fn commands_of_consul_and_jq_print_what_they_print_in_a_shell() -> WebDriverResult<()> {
    const COMMANDS: [(&str, &str); 8] = [
        ("consul version", "Consul v1.22.7"),
        ("consul kv put db/a one", "Success! Data written to: db/a"),
        ("consul kv get db/a", "one"),
        ("consul kv delete db/a", "Success! Deleted key: db/a"),
        ("consul kv get db/a", "Error! No key exists at: db/a"),
        ("id=$(curl -s -X PUT localhost:8500/v1/session/create | jq -r .ID)", "jq -r .ID"),
        ("curl -X PUT -d x localhost:8500/v1/kv/db/a?acquire=$id", "true"),
        ("consul lock db/job sleep 30", "consul-lock-1"),
    ];
    with_page(REFERENCE, |page| async move {
        for (command, printed) in COMMANDS {
            page.paste(command).await?;
            page.shows("console-transcript", printed).await?;
        }
        page.until("document.querySelector('[data-key=\"db/a\"]')").await?;
        page.paste("crul /v1/kv/a").await?;
        page.shows("console-error", "Did you mean curl?").await?;
        Ok(page)
    })
    .await
}

/// Focuses the console's input and types a text into it.
async fn write(page: &Sandbox, text: &str) -> WebDriverResult<()> {
    page.eval("document.querySelector('[data-testid=console-input]').focus()").await?;
    page.press(text).await
}
