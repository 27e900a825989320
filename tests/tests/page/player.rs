//! Tests the player of the demos in the built documentation: it plays, seeks and steps without the
//! engine, and hands its time over to the sandbox when a reader acts.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::docs::{act_here, choose, learn, visit};
use super::embed::leave;
use super::environment::dist;
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// The most that the first demo of a page may add to what a reader downloads, after gzip.
const FIRST_DEMO_MAX: usize = 60_000;

/// The addresses of the engine's files that the page has loaded.
const ENGINE: &str = "performance.getEntriesByType('resource')
    .map(it => it.name).filter(it => /embed|lictor-web|wasm/.test(it))";
/// The number of visible pictures.
const PICTURES: &str = "[...document.querySelectorAll('.demo-picture > svg')]
    .filter(it => it.getBoundingClientRect().height > 0).length";
/// The player of the first demo: its time in milliseconds, the time on the plate of its picture,
/// its facts, and the time and text of its event.
const PLAYER: &str = "(world => [
    Number(world.querySelector('input').value),
    world.querySelector('.demo-picture > svg:not(.is-narrow) .now-text').textContent,
    [...world.querySelectorAll('.fact > span')].map(it => it.textContent),
    world.querySelector('.player-at').textContent,
    world.querySelector('.player-event p').textContent.trim(),
])(document.querySelector('.demo-world:not([hidden])'))";

/// The time of the player of the first demo.
async fn time(page: &Sandbox) -> WebDriverResult<Value> {
    Ok(page.eval(PLAYER).await?[0].clone())
}

/// Presses keys while the scrubber of the first demo has the focus.
async fn press(page: &Sandbox, keys: impl Into<TypingData>) -> WebDriverResult<()> {
    page.eval("(document.querySelector('.demo-world:not([hidden]) input').focus(), true)").await?;
    page.driver.action_chain().send_keys(keys.into()).perform().await
}

/// The time of the sandbox that has taken the place of a picture, after a script has run.
async fn time_of_engine(page: &Sandbox, first: &str) -> WebDriverResult<Value> {
    let now = format!(
        "const done = arguments[arguments.length - 1];
        const sandbox = document.querySelector('lictor-sandbox');
        (async () => {{ {first}; return sandbox.now(); }})()
            .then(done, error => done(`${{error}}`))"
    );
    Ok(page.driver.execute_async(now, Vec::new()).await?.json().clone())
}

#[tokio::test]
async fn a_demo_is_at_its_end_and_is_moved_by_keys_without_the_engine() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        visit(&page, "learn/ttl.html").await?;
        assert_eq!(page.eval(PICTURES).await?, 2);
        let address = page.eval("location.href").await?;
        let end = json!([
            80_000,
            "80.0 s",
            ["web-2 believes it holds", "the server: session B until 115.0 s"],
            "at 76.0",
            "web-2: PUT kv/db/leader?acquire=B, true. LockIndex 2"
        ]);
        assert_eq!(page.eval(PLAYER).await?, end);
        press(&page, Key::Home + "").await?;
        assert_eq!(page.eval(PLAYER).await?[0], 0);
        press(&page, Key::Right + "").await?;
        let acquired = json!([
            1_000,
            "1.0 s",
            ["web-1 believes it holds", "the server: session A until 40.0 s"],
            "1.0 s",
            "web-1: PUT kv/db/leader?acquire=A, true. LockIndex 1"
        ]);
        assert_eq!(page.eval(PLAYER).await?, acquired);
        page.until("/^1.0 s: web-1: PUT/.test(document.querySelector('.player-said').textContent)")
            .await?;
        let chain = page.driver.action_chain().key_down(Key::Shift).send_keys(Key::Right + "");
        chain.key_up(Key::Shift).perform().await?;
        assert_eq!(time(&page).await?, 2_000, "a second later");
        press(&page, Key::Right + "").await?;
        assert_eq!(time(&page).await?, 10_000, "the next event");
        press(&page, Key::Left + "").await?;
        assert_eq!(page.eval(PLAYER).await?, acquired);
        let value_text = "document.querySelector('.demo input').getAttribute('aria-valuetext')";
        assert_eq!(page.eval(value_text).await?, "1.0 s");
        press(&page, Key::End + "").await?;
        assert_eq!(page.eval(PLAYER).await?, end);
        assert_eq!(page.eval("location.href").await?, address, "the book has not turned its page");
        assert_eq!(page.eval(ENGINE).await?, json!([]));
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_demo_plays_until_its_reader_stops_it() -> WebDriverResult<()> {
    with_page(View { width: 360, ..REFERENCE }, |page| async move {
        let motion = json!({ "features": [] });
        page.driver.cdp().send_raw("Emulation.setEmulatedMedia", motion).await?;
        visit(&page, "zh/learn/ttl.html").await?;
        // The browser may load the icon of the page at any time.
        let requests = "performance.getEntriesByType('resource')
            .filter(it => !it.name.includes('favicon')).length";
        let before = page.eval(requests).await?;
        press(&page, " ").await?;
        page.until_frame("document.querySelector('.demo input').value > 1_000").await?;
        let name = "document.querySelector('[data-does=play]').getAttribute('aria-label')";
        assert_eq!(page.eval(name).await?, "暂停");
        assert!(time(&page).await?.as_u64() < Some(80_000), "it began at its beginning");
        press(&page, " ").await?;
        assert_eq!(page.eval(name).await?, "播放");
        let stopped = time(&page).await?;
        page.until_frame("true").await?;
        assert_eq!(time(&page).await?, stopped);
        assert_eq!(page.eval(requests).await?, before, "it has loaded nothing");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_reader_acts_at_the_time_of_the_player() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        visit(&page, "learn/ttl.html").await?;
        choose(&page, 1).await?;
        page.eval(
            "(it => (it.value = 28_000, it.dispatchEvent(new Event('input')), true))
                (document.querySelector('.demo-world:not([hidden]) input'))",
        )
        .await?;
        let link = "document.querySelector('.demo-world:not([hidden]) .demo-foot a').href";
        let link = page.eval(link).await?;
        assert!(link.as_str().is_some_and(|link| link.ends_with("&t=28000")), "{link}");
        assert_eq!(page.eval(ENGINE).await?, json!([]), "nothing of the page is loaded before");
        act_here(&page).await?;
        page.until("document.activeElement == document.querySelector('lictor-sandbox')").await?;
        assert_eq!(time_of_engine(&page, "").await?, 28_000);
        assert_eq!(page.eval(PICTURES).await?, 1, "it has taken the place of its picture");
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_value_that_a_reader_changes_has_a_player_of_its_own_at_the_same_time()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        visit(&page, "learn/ttl.html").await?;
        press(&page, Key::Home + Key::Right).await?;
        press(&page, Key::Right + "").await?;
        assert_eq!(page.eval(PLAYER).await?[2][1], "the server: session A until 50.0 s");
        choose(&page, 1).await?;
        let player = page.eval(PLAYER).await?;
        assert_eq!((&player[0], &player[1]), (&json!(10_000), &json!("10.0 s")));
        assert_eq!(player[2][1], "the server: session A until 30.0 s");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_number_in_a_sentence_lights_its_place_and_moves_its_demo() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        visit(&page, "learn/ttl.html").await?;
        let place = |time: &str| {
            format!(
                "[...document.querySelectorAll('a.place')].find(it => it.innerText == '{time}')"
            )
        };
        let lit = "[...document.querySelectorAll('.band.is-lit')]
            .filter(it => it.getBoundingClientRect().width > 0)
            .map(it => it.closest('figure').id)";
        assert_eq!(page.eval(lit).await?, json!([]));
        page.eval(&format!("({}.focus({{ focusVisible: true }}), true)", place("60 s"))).await?;
        assert_eq!(page.eval(lit).await?, json!(["demo-ttl-twice"]));
        page.eval(&format!("({}.blur(), true)", place("60 s"))).await?;
        assert_eq!(page.eval(lit).await?, json!([]));
        assert_eq!(time(&page).await?, 80_000);
        page.eval(&format!("({}.click(), true)", place("60 s"))).await?;
        assert_eq!(page.eval(lit).await?, json!(["demo-ttl-twice"]), "it stays lit");
        let player = page.eval(PLAYER).await?;
        assert_eq!((&player[0], &player[3]), (&json!(60_000), &json!("60.0 s")));
        assert_eq!(player[2][1], "the server: nobody; lock-delay until 75.0 s");
        press(&page, Key::Left + "").await?;
        let current = "document.querySelector('a.place[aria-current]')?.innerText";
        assert_eq!(page.eval(current).await?, Value::Null, "the demo is at another time");
        assert_eq!(page.eval(lit).await?, json!([]));
        act_here(&page).await?;
        let seek = format!("await sandbox.now(); {}.click()", place("66 s"));
        assert_eq!(time_of_engine(&page, &seek).await?, 66_000);
        assert_eq!(page.eval(current).await?, "66 s");
        page.eval("(document.querySelector('lictor-sandbox').seek(20_000), true)").await?;
        page.until("!document.querySelector('a.place[aria-current], .band.is-lit')").await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_engine_that_is_not_there_leaves_the_player_as_it_was() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        visit(&page, "learn/ttl.html").await?;
        let block = json!({ "urls": ["*embed.js"] });
        page.driver.cdp().send_raw("Network.enable", json!({})).await?;
        page.driver.cdp().send_raw("Network.setBlockedURLs", block).await?;
        page.eval("(document.querySelector('.act').click(), true)").await?;
        page.until("document.querySelector('.demo-foot [role=status]')").await?;
        let button = "(it => [it.textContent, it.disabled])(document.querySelector('.act'))";
        assert_eq!(page.eval(button).await?, json!(["Act here", false]));
        press(&page, Key::Home + "").await?;
        assert_eq!(time(&page).await?, 0);
        page.driver.cdp().send_raw("Network.setBlockedURLs", json!({ "urls": [] })).await?;
        act_here(&page).await?;
        let complaints = page.complaints().await?;
        assert!(complaints.iter().all(|it| it.contains("embed.js")), "{complaints:?}");
        leave(&page).await?;
        Ok(page)
    })
    .await
}

fn gzipped(text: &[u8]) -> usize {
    let mut gzip = Command::new("gzip");
    gzip.args(["-9", "-n"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut gzip = gzip.spawn().expect("gzip is on PATH");
    gzip.stdin.take().expect("its input is piped").write_all(text).expect("it reads");
    gzip.wait_with_output().expect("it ends").stdout.len()
}

/// Measures all that a page adds for its demos, which is more than its first demo adds: the
/// player's script and style sheet, and all figures.
#[test]
fn the_demos_of_a_page_are_small() {
    let theme = fs::read_dir(dist().join("docs/theme")).expect("the theme of the documentation");
    let paths = theme.map(|entry| entry.expect("a file of the theme").path());
    let is_player = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("player-"))
    };
    let player: Vec<_> = paths.filter(|path| is_player(path)).collect();
    assert_eq!(player.len(), 2, "a script and a style sheet: {player:?}");
    let player = player.iter().map(|path| gzipped(&fs::read(path).expect("a file")));
    let player: usize = player.sum();
    for path in learn() {
        let page = fs::read_to_string(dist().join("docs").join(&path)).expect("a page of text");
        let figures = page.split("<figure").skip(1).filter_map(|it| it.split("</figure>").next());
        let size = player + gzipped(figures.collect::<String>().as_bytes());
        assert!(size <= FIRST_DEMO_MAX, "{path}: {size} bytes after gzip");
    }
}
