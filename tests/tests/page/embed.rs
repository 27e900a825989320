//! Tests the page embedded in another page, as docs/en/use/embedding.md describes it.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::drawings::draws;
use super::embedding_host::{guide, host_of};
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// The view of a frame in a page of the documentation.
pub(crate) const FRAME: View = View { width: 688, height: 420, theme: "light" };

const ELEMENT: &str = "document.querySelector('lictor-sandbox')";

/// The content of both storages of the page's origin.
const STORED: &str = "JSON.stringify([sessionStorage, localStorage])";

/// Opens a page of another origin with this body.
pub(crate) async fn visit(page: &Sandbox, body: &str) -> WebDriverResult<()> {
    page.driver.goto(host_of(page, body)).await?;
    page.until(&format!("{ELEMENT}.matches(':defined')")).await
}

/// The results of calls of the element, in order, or the error of the first one that fails.
pub(crate) async fn calls(page: &Sandbox, calls: &str) -> WebDriverResult<Value> {
    let script = format!(
        "const done = arguments[arguments.length - 1];
         const it = {ELEMENT};
         (async () => [{calls}])().then(done, error => done(`${{error}}`));"
    );
    Ok(page.driver.execute_async(script, Vec::new()).await?.json().clone())
}

/// Switches the driver to the frame: later commands find elements there.
pub(crate) async fn enter(page: &Sandbox) -> WebDriverResult<()> {
    let frame = page
        .driver
        .execute(format!("return {ELEMENT}.shadowRoot.querySelector('iframe')"), Vec::new());
    frame.await?.element()?.enter_frame().await
}

/// Opens the page itself instead of the embedding one: axe-core, which audits the page at the end
/// of a test, cannot read a frame of another origin.
pub(crate) async fn leave(page: &Sandbox) -> WebDriverResult<()> {
    page.driver.enter_default_frame().await?;
    page.driver.goto(page.address()).await?;
    page.find("now").await.map(drop)
}

/// Opens the embedded form of the page directly, as the element would load it into its frame.
pub(crate) async fn open(page: &Sandbox, options: &str, view: View) -> WebDriverResult<()> {
    page.set_view(view).await?;
    page.driver.goto("about:blank").await?;
    page.driver.goto(&format!("{}?embed&{options}", page.address())).await?;
    page.until("window.lictor").await
}

#[tokio::test]
async fn the_embedded_page_loads_on_click_and_runs_its_lesson() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        visit(&page, "<lictor-sandbox opens=two-believers.3><p>A picture</lictor-sandbox>").await?;
        assert_eq!(page.eval("frames.length").await?, 0);
        let (poster, button) =
            (format!("{ELEMENT}.innerText"), "shadowRoot.querySelector('button')");
        assert_eq!(page.eval(&poster).await?, "A picture");
        assert_eq!(page.eval(&format!("{ELEMENT}.{button}.innerText")).await?, "Run this");
        page.eval(&format!("({ELEMENT}.{button}.focus(), {ELEMENT}.{button}.click(), true)"))
            .await?;
        assert_eq!(page.eval(&poster).await?, "A picture", "it stays until the frame is loaded");
        let started = calls(&page, "(await it.start()) == it, await it.now()").await?;
        assert_eq!(started, json!([true, 5000]));
        let focus = page.eval(&format!("{ELEMENT}.shadowRoot.activeElement.tagName")).await?;
        assert_eq!(focus, "IFRAME");
        enter(&page).await?;
        page.shows("world-name", "for how long do two believe").await?;
        page.shows("story-page", "3 of 4").await?;
        page.click("choice-2").await?;
        page.click("story-guess").await?;
        page.click("story-next").await?;
        page.shows("story-close", "Play again").await?;
        page.click("story-close").await?;
        page.shows("story-page", "1 of 4").await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_embedding_page_controls_the_frame_and_gets_change_events() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        visit(&page, "<lictor-sandbox show='lanes facts console'></lictor-sandbox>").await?;
        let heard = format!(
            "(window.heard = new Set(), ['ready', 'change'].forEach(name =>
                {ELEMENT}.addEventListener(name, () => heard.add(name))), true)"
        );
        page.eval(&heard).await?;
        let results = calls(
            &page,
            "await it.act('web-1', 'session ttl=10s'),
             await it.act('web-1', 'put db/leader value=x acquire=S1'),
             await it.advance(21_000),
             await it.paste('curl -X PUT -d b http://localhost:8500/v1/kv/a', 'web-2'),
             (await it.read('/v1/kv/a')).Body[0].LockIndex,
             await it.now(),
             (await it.toLink()).startsWith('#v1.')",
        );
        let results = results.await?;
        assert_eq!(results[0][0]["Outcome"], "S1", "{results}");
        assert_eq!(results[1][0]["Outcome"], "true lock=1", "{results}");
        assert!(results[2].to_string().contains("S1 ends: not renewed"), "{results}");
        assert_eq!(results[3][0]["What"], "put a value=b", "{results}");
        let rest = results.as_array().and_then(|results| results.get(4..));
        assert_eq!(rest, Some(&[json!(0), json!(21_000), json!(true)][..]));
        assert_eq!(page.eval("[...heard]").await?, json!(["ready", "change"]));
        enter(&page).await?;
        page.shows("console-command", "http://localhost:8500/v1/kv/a").await?;
        page.shows("state-sentence", "can take it in 14").await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_lesson_is_shown_with_its_answer_and_room_for_its_lanes() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        let body = "<lictor-sandbox opens=two-believers open-answer eager></lictor-sandbox>";
        visit(&page, body).await?;
        page.eval(&format!("({ELEMENT}.start(), true)")).await?;
        enter(&page).await?;
        draws(&page, "two-believers").await?;
        page.until("!document.querySelector('[data-testid=story]')").await?;
        page.until("!document.querySelector('[data-forecast=closed]')").await?;
        let height = "document.querySelector('.lanes-scroll').clientHeight";
        let height = page.eval(height).await?.as_f64().unwrap_or_default();
        assert!(height > 150.0, "the lanes have {height} px");
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn wrong_calls_of_the_embedding_page_fail_and_change_nothing() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        visit(&page, "<lictor-sandbox></lictor-sandbox>").await?;
        page.eval(
            "(window.failure = call => call.then(() => 'nothing',
                error => error.code ? error.message : 'an error without a code'), true)",
        )
        .await?;
        for (call, message) in [
            ("it.act('nobody', 'put a')", "there is no client called nobody"),
            ("it.paste('curl http://x/v1/kv/a |')", "pipe"),
            ("it.paste('curl -X PUT http://x/v1/kv/a?acquire=$s', 'web-1')", "s has no value"),
            ("it.paste('curl http://x/v1/kv/a', 'nobody')", "no client called nobody"),
            ("it.seek('x')", "no whole number"),
            ("it.load('hello')", "neither a link nor a log"),
            ("it.call('constructor')", "no function constructor"),
            ("it.call('__proto__', 1)", "no function __proto__"),
        ] {
            let failure = calls(&page, &format!("await failure({call})")).await?;
            let failure = failure[0].as_str().unwrap_or_default().to_lowercase();
            assert!(failure.contains(message), "{call}: {failure}");
        }
        // Messages that are no calls are ignored.
        let stray = format!("{ELEMENT}.shadowRoot.querySelector('iframe').contentWindow");
        page.eval(&format!(
            "({stray}.postMessage({{ lictor: 'x' }}, '*'), {stray}.postMessage(null, '*'),
            {stray}.postMessage({{ lictor: 9, verb: 'act' }}, '*'), true)"
        ))
        .await?;
        assert_eq!(calls(&page, "(await it.trace()).includes('put')").await?, json!([false]));
        let gone = json!("the sandbox is not in the page");
        let calls_of_gone =
            "await failure((() => { const call = it.now(); it.remove(); return call })()),
             await failure(it.now())";
        assert_eq!(calls(&page, calls_of_gone).await?, json!([gone, gone]));
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn commands_of_a_guide_run_in_place() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.driver.goto(guide(&page)).await?;
        page.until("document.querySelector('output')").await?;
        let steps = page.eval("document.querySelectorAll('output').length").await?;
        assert_eq!(steps, 8);
        for step in 0..8 {
            let run = format!("document.querySelectorAll('article button')[{step}]");
            page.eval(&format!("({run}.click(), true)")).await?;
            let output = format!("document.querySelectorAll('output')[{step}].textContent");
            page.until(&output).await?;
            assert_eq!(page.eval(&output).await?, "done", "step {step}");
        }
        enter(&page).await?;
        let live = "document.querySelectorAll('[data-testid=semaphore-holder][data-alive=true]')";
        page.until(&format!("{live}.length == 2")).await?;
        page.shows("semaphore", "removed by web-3").await?;
        page.shows("now", "8.0 s").await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn time_pauses_in_a_frame_out_of_view() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        visit(&page, &format!("<lictor-sandbox></lictor-sandbox>{}", "<p>More".repeat(99))).await?;
        calls(&page, "await it.run()").await?;
        enter(&page).await?;
        page.shows("run", "Pause").await?;
        page.driver.enter_default_frame().await?;
        page.eval("(scrollTo(0, 9999), true)").await?;
        enter(&page).await?;
        page.until("document.querySelector('[data-testid=run]').innerText == 'Run'").await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_frame_that_fails_shows_its_fallback() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        visit(&page, "<lictor-sandbox>A picture</lictor-sandbox>").await?;
        calls(&page, "await it.start()").await?;
        let failed = format!(
            "(() => {{
                const source = {ELEMENT}.shadowRoot.querySelector('iframe').contentWindow;
                const data = {{ lictor: 'failed', error: 'no such file' }};
                const origin = new URL('{}').origin;
                return dispatchEvent(new MessageEvent('message', {{ source, origin, data }}));
            }})()",
            page.address()
        );
        page.eval(&failed).await?;
        let shadow = format!("{ELEMENT}.shadowRoot");
        assert_eq!(
            page.eval(&format!("{shadow}.querySelector('p').innerText")).await?,
            "no such file"
        );
        assert_eq!(
            page.eval(&format!("{shadow}.querySelector('button').innerText")).await?,
            "Run this"
        );
        assert_eq!(calls(&page, "await it.now()").await?, json!([0]));
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn preset_commands_do_not_take_focus_and_report_when_they_block() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.fill("console-input", "curl mine").await?;
        page.eval("lictor.paste('curl -X PUT http://x/v1/kv/a', 'web-2')").await?;
        let input = "document.querySelector('[data-testid=console-input]').value";
        assert_eq!(page.eval(input).await?, "curl mine");
        page.eval("lictor.act('web-1', 'cut way=both mode=drop')").await?;
        page.eval("lictor.paste('curl -X PUT http://x/v1/kv/b', 'web-1')").await?;
        let paste = "lictor.paste('curl -X PUT http://x/v1/kv/c', 'web-2')";
        let caught =
            format!("(() => {{ try {{ return {paste} }} catch (it) {{ return it.message }} }})()");
        let error = page.eval(&caught).await?;
        assert_eq!(error, "the rest was not sent: a command before it has no answer yet");
        assert_eq!(page.eval("lictor.trace().includes('put c')").await?, false);
        page.fill("console-input", "").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn in_a_frame_only_time_keys_are_handled() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        page.eval("(localStorage.setItem('lictor.language', 'zh'), true)").await?;
        open(&page, "show=lanes+time", FRAME).await?;
        page.eval("(localStorage.removeItem('lictor.language'), true)").await?;
        let before = page.eval(STORED).await?;
        page.shows("world-name", "Sandbox").await?;
        page.eval("lictor.act('web-1', 'session ttl=10s')").await?;
        page.press("1adthgx").await?;
        assert_eq!(page.eval("lictor.trace().split('\\n').length").await?, 5, "nothing was done");
        assert_eq!(page.eval(STORED).await?, before);
        page.press(Key::Right + "").await?;
        page.shows("now", "20.0 s").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_wrong_attribute_is_reported_and_the_rest_is_shown() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        visit(
            &page,
            "<lictor-sandbox eager opens='#v1.AAAA' show='lanes <img/src=x/onerror=alert(1)>' \
             lang=zh></lictor-sandbox>",
        )
        .await?;
        calls(&page, "await it.start(), 1").await?;
        enter(&page).await?;
        page.shows("open-trouble", "未作任何更改").await?;
        page.shows("open-trouble", "<img/src=x/onerror=alert(1)>").await?;
        page.find("lanes").await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_embedded_page_does_not_touch_saved_worlds() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        // The page stores its last lines when it is left, so the storage is read afterwards.
        open(&page, "show=time", FRAME).await?;
        let before = page.eval(STORED).await?;
        open(&page, "show=time+console&theme=dark&lang=zh#story=two-believers", FRAME).await?;
        page.click("story-next").await?;
        page.eval("lictor.act('web-2', 'put b')").await?;
        assert_eq!(page.eval(STORED).await?, before);
        page.driver.goto("about:blank").await?;
        page.driver.goto(page.address()).await?;
        page.set_view(REFERENCE).await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_full_page_opens_with_the_embedded_world() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        open(&page, "show=time#story=failover.2", FRAME).await?;
        let whole = "document.querySelector('[data-testid=open-whole]').href";
        assert_eq!(page.eval(whole).await?, format!("{}#story=failover.2", page.address()));
        open(&page, "show=time", FRAME).await?;
        page.eval("lictor.act('web-1', 'put a value=seen')").await?;
        // The link is computed when it is clicked.
        page.eval("(document.querySelector('[data-testid=open-whole]').target = '_self', true)")
            .await?;
        page.find("open-whole").await?.click().await?;
        page.set_view(REFERENCE).await?;
        page.shows("events", "PUT kv/a").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn each_panel_fits_and_is_accessible_in_every_width() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        for (width, height) in [(320, 560), (560, 420), (688, 420), (1280, 600)] {
            for options in [
                "#story=two-believers.3",
                "lang=zh#story=semaphore.3",
                "show=lanes+why+facts+time+clients+console&lanes=locks",
            ] {
                open(&page, options, View { width, height, ..FRAME }).await?;
                if !options.contains('#') {
                    for (client, words) in [
                        ("web-1", "session"),
                        ("web-1", "put a acquire=S1"),
                        ("web-2", "session"),
                        ("web-2", "put a acquire=S2"),
                    ] {
                        page.eval(&format!("lictor.act('{client}', '{words}')")).await?;
                    }
                }
                // Parts that are too large scroll inside the frame; the buttons stay in view.
                let fits = "document.documentElement.scrollWidth <= innerWidth && \
                    document.documentElement.scrollHeight <= innerHeight && \
                    document.querySelector('main').scrollWidth <= innerWidth && \
                    document.querySelector('.embed-time').getBoundingClientRect().bottom \
                        <= innerHeight";
                assert_eq!(page.eval(fits).await?, true, "{options} at {width}");
                page.audit().await?;
            }
        }
        page.click("actors-button").await?;
        page.click("acquire-web-2").await?;
        page.click("close-actors").await?;
        page.enter("run").await?;
        Ok(page)
    })
    .await
}
