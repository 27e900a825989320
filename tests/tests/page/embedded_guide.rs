//! `<lictor-guide>` runs the commands of a text in its own page, which another author has written
//! (docs/en/use/embedding.md). The text is not changed, and a strict content security policy is
//! kept.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::embed::leave;
use super::embedding_host::host_of;
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// Consul's published semaphore guide, as it was in 2019 and in 2020.
const PUBLISHED: [&str; 2] = [
    include_str!("../../../desk/tests/guides/consul-semaphore-guide-2019.txt"),
    include_str!("../../../desk/tests/guides/consul-semaphore-tutorial-2020.txt"),
];

/// All rows, each with a button, that the element has added, in the order of the text.
const ROWS: &str = "[...document.querySelectorAll('lictor-steps')]
    .flatMap(it => [...it.shadowRoot.querySelectorAll('div')])";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Opens a page of another origin with this text.
async fn visit(page: &Sandbox, body: &str) -> WebDriverResult<()> {
    page.driver.goto(host_of(page, body)).await?;
    page.until("document.querySelector('lictor-guide').matches(':defined')").await
}

/// The labels of all buttons, which name their commands.
async fn buttons(page: &Sandbox) -> WebDriverResult<Value> {
    let labels = "map(it => it.querySelector('button').ariaLabel)";
    page.eval(&format!("{ROWS}.{labels}")).await
}

/// Presses the button of a row, waits for its answer, and returns it.
async fn run(page: &Sandbox, row: usize) -> WebDriverResult<String> {
    // The rows are in shadow roots, whose changes cannot be observed from outside.
    let script = format!(
        "const done = arguments[arguments.length - 1];
         const row = {ROWS}[{row}];
         const [button, output] = ['button', 'output'].map(it => row.querySelector(it));
         output.replaceChildren();
         button.click();
         const look = () => output.textContent && !button.disabled
             ? done(output.textContent) : setTimeout(look, 20);
         look();"
    );
    let answer = page.driver.execute_async(script, Vec::new()).await?;
    Ok(answer.json().as_str().unwrap_or_default().to_owned())
}

async fn send_as(page: &Sandbox, client: &str) -> WebDriverResult<()> {
    let select = "document.querySelector('lictor-guide').shadowRoot.querySelector('select')";
    page.eval(&format!("({select}.value = '{client}', true)")).await.map(drop)
}

#[tokio::test]
async fn the_published_semaphore_guide_runs_unchanged() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for text in PUBLISHED {
            let body = format!("<lictor-guide><pre>{}</pre></lictor-guide>", escaped(text));
            visit(&page, &body).await?;
            assert_eq!(page.eval("frames.length").await?, 0, "nothing is loaded before");
            let same = "document.querySelector('pre').textContent";
            assert_eq!(page.eval(same).await?.as_str().map(str::trim), Some(text.trim()));
            let before = buttons(&page).await?.as_array().map_or(0, Vec::len);
            assert_eq!(before, 5, "one for each command");
            let created = run(&page, 0).await?;
            assert!(created.starts_with("web-1: {") && created.contains("ID"), "{created}");
            let acquired = run(&page, 1).await?;
            assert!(acquired.starts_with("web-1: true"), "{acquired}");
            let sent = format!("{ROWS}[1].querySelector('code').innerText");
            let sent = page.eval(&sent).await?;
            let sent = sent.as_str().unwrap_or_default();
            assert!(sent.contains("/v1/kv/service/db/") && !sent.contains("<session>"), "{sent}");
            let first = run(&page, 2).await?;
            assert!(first.starts_with("web-1: true"), "{first}");
            send_as(&page, "web-2").await?;
            let early = run(&page, 1).await?;
            assert!(early.contains("session"), "web-2 has no session yet: {early}");
            assert_eq!(page.eval(same).await?.as_str().map(str::trim), Some(text.trim()));
            leave(&page).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn commands_are_found_in_the_layouts_of_other_sites() -> WebDriverResult<()> {
    const CREATE: &str = "curl -X PUT http://localhost:8500/v1/session/create";
    const TAKE: &str = "curl -X PUT http://localhost:8500/v1/kv/a?acquire=&lt;session&gt;";
    with_page(REFERENCE, |page| async move {
        let numbered = |number: u32, line: &str| {
            format!("<tr><td class=hljs-ln-numbers>{number}<td class=hljs-ln-code>{line}")
        };
        let layouts = [
            format!("<ol><li>Create it:<pre>{CREATE}</pre><li>Take it:<pre>{TAKE}</pre></ol>"),
            format!(
                "<div role=tabpanel><pre>{CREATE}</pre></div>
                 <div role=tabpanel hidden><pre>{TAKE}</pre></div>"
            ),
            format!(
                "<pre><code><span class=nb>curl</span> <span class=nt>-X</span> PUT \\\n  \
                 <span>http://localhost:8500/v1/session/create</span>\n{TAKE}</code></pre>"
            ),
            format!(
                "<table>{}{}{}</table>",
                numbered(1, "curl -X PUT \\"),
                numbered(2, "http://localhost:8500/v1/session/create"),
                numbered(3, TAKE)
            ),
            format!("<p>Run these:</p><pre>$ {CREATE}\n{{\"ID\":\"x\"}}\n$ {TAKE}\ntrue</pre>"),
        ];
        for layout in layouts {
            visit(&page, &format!("<lictor-guide>{layout}</lictor-guide>")).await?;
            let found = buttons(&page).await?;
            assert_eq!(found.as_array().map(Vec::len), Some(2), "{layout}: {found}");
            let created = run(&page, 0).await?;
            assert!(created.starts_with("web-1: {"), "{layout}: {created}");
            let taken = run(&page, 1).await?;
            assert!(taken.starts_with("web-1: true"), "{layout}: {taken}");
        }
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn commands_are_found_after_any_prompt_and_end_with_their_block() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let text = "<lictor-guide values='prefix=jobs'>
            <pre># curl -X PUT http://localhost:8500/v1/session/create</pre>
            <pre>[root@vm ~]# consul kv put a it's</pre>
            <p>That isn't all.</p>
            <pre>\u{276f} curl -s http://localhost:8500/v1/kv/&lt;prefix&gt;?keys \\</pre>
            <p>This returns the keys.</p>
            <pre>PS C:\\&gt; consul members
cat &gt; a.sh &lt;&lt;END\ncurl -s http://x/v1/kv/a\nEND</pre>
            </lictor-guide>";
        visit(&page, text).await?;
        let before = buttons(&page).await?;
        assert_eq!(before.as_array().map(Vec::len), Some(6), "{before}");
        let read = run(&page, 2).await?;
        assert!(read.starts_with("web-1: 404"), "{read}");
        let sent = page.eval(&format!("{ROWS}[2].querySelector('code').textContent")).await?;
        assert!(sent.as_str().is_some_and(|it| it.contains("/v1/kv/jobs")), "{sent}");
        assert_eq!(buttons(&page).await?, before, "no button has disappeared");
        let closed = "map(it => it.querySelector('button').disabled)";
        // A file that is written is no step, and is there for the steps that read it.
        let expected = json!([false, true, false, true, true, true]);
        assert_eq!(page.eval(&format!("{ROWS}.{closed}")).await?, expected);
        let notes = "map(it => it.querySelector('output').textContent)";
        let notes = page.eval(&format!("{ROWS}.{notes}")).await?;
        assert!(notes[1].as_str().is_some_and(|it| it.contains("never closed")), "{notes}");
        assert!(notes[5].as_str().is_some_and(|it| it.contains("part of the command")), "{notes}");
        let created = run(&page, 0).await?;
        assert!(created.starts_with("web-1: {"), "{created}");
        leave(&page).await?;
        Ok(page)
    })
    .await
}

/// An expression for the list of answers in a row.
fn answers_of(row: usize) -> String {
    format!("[...{ROWS}[{row}].querySelectorAll('output')].map(it => it.textContent)")
}

#[tokio::test]
async fn a_row_shows_each_answer_stops_at_a_refusal_and_follows_a_wait() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        const KV: &str = "http://localhost:8500/v1/kv";
        let text = format!(
            "<lictor-guide><pre>curl -X PUT -d 1 {KV}/a &amp;&amp; \
             curl -X PUT -d 1 {KV}/b &amp;&amp; \
             curl -X PUT -d 1 {KV}/a?cas=0 &amp;&amp; curl {KV}/a\n\
             curl {KV}/a\n\
             curl '{KV}/a?index=&lt;index&gt;&amp;wait=5m'; curl {KV}/b?raw\n\
             curl -X PUT -d 2 {KV}/a</pre></lictor-guide>"
        );
        visit(&page, &text).await?;
        run(&page, 0).await?;
        let answers = page.eval(&answers_of(0)).await?;
        let answers = answers.as_array().into_iter().flatten();
        let answers: Vec<&str> = answers.filter_map(Value::as_str).collect();
        assert_eq!(answers.len(), 3, "nothing follows the refusal: {answers:?}");
        assert_eq!(answers[..2], ["web-1: true", "web-1: true"]);
        assert!(answers[2].starts_with("web-1: false"), "{answers:?}");
        run(&page, 1).await?;
        assert_eq!(run(&page, 2).await?, "web-1: waits for a change");
        run(&page, 3).await?;
        page.until(&format!("{}[1] == 'web-1: 1'", answers_of(2))).await?;
        let followed = page.eval(&answers_of(2)).await?;
        assert!(followed[0].as_str().is_some_and(|it| it.contains("1 key")), "{followed}");
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_failed_load_can_be_tried_again_and_an_id_becomes_a_session() -> WebDriverResult<()> {
    const ID: &str = "4ca8e74b-6350-7587-addf-a18084928f3c";
    with_page(REFERENCE, |page| async move {
        let text = format!(
            "<lictor-guide><pre>curl -X PUT http://localhost:8500/v1/session/create
curl -X PUT http://localhost:8500/v1/kv/a?acquire={ID}</pre></lictor-guide>"
        );
        visit(&page, &text).await?;
        let root = "document.querySelector('lictor-guide').shadowRoot";
        let sandbox = format!("{root}.querySelector('lictor-sandbox')");
        let fails = "{ value: () => Promise.reject(new Error('no sandbox')), configurable: true }";
        page.eval(&format!("(Object.defineProperty({sandbox}, 'guide', {fails}), true)")).await?;
        assert_eq!(run(&page, 0).await?, "no sandbox");
        page.eval(&format!("delete {sandbox}.guide")).await?;
        assert!(run(&page, 0).await?.starts_with("web-1: {"));
        let whose = format!("{root}.querySelector('form span select')");
        let choose = "it => (it.value = 'web-1', it.dispatchEvent(new Event('change')))";
        page.eval(&format!("({choose})({whose})")).await?;
        let label = page.eval(&format!("{whose}.parentElement.firstChild.data")).await?;
        assert_eq!(label, "4ca8e74b is the session of");
        assert!(run(&page, 1).await?.starts_with("web-1: true"));
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_guide_can_be_beside_its_text_and_in_chinese() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let text = "<article id=text lang=zh><h2>会话</h2><p>先创建会话：</p>
            <pre>curl -X PUT http://localhost:8500/v1/session/create</pre>
            <p>会话充当节点、健康检查和 KV 数据之间的绑定层。</p></article>
            <lictor-guide for=text lang=zh></lictor-guide>";
        visit(&page, text).await?;
        let expected = "运行: curl -X PUT http://localhost:8500/v1/session/create";
        assert_eq!(buttons(&page).await?, json!([expected]));
        let created = run(&page, 0).await?;
        assert!(created.contains("web-1: {"), "{created}");
        let prose =
            "<lictor-guide><p>Consul 的 Session 是一种契约，curl 可以查看它。</p></lictor-guide>";
        visit(&page, prose).await?;
        assert_eq!(buttons(&page).await?, json!([]), "prose has no buttons");
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_page_about_embedding_runs_its_own_example() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for book in ["", "zh/"] {
            let address = format!("{}docs/{book}use/embedding.html", page.address());
            page.driver.goto(&address).await?;
            page.until("document.querySelector('lictor-guide').matches(':defined')").await?;
            assert_eq!(buttons(&page).await?.as_array().map(Vec::len), Some(2));
            let created = run(&page, 0).await?;
            assert!(created.starts_with("web-1: {"), "{created}");
            let taken = run(&page, 1).await?;
            assert!(taken.starts_with("web-1: true"), "{taken}");
        }
        leave(&page).await?;
        Ok(page)
    })
    .await
}

/// Frameworks replace the elements of a page, with the same text or with another one.
#[tokio::test]
async fn the_rows_follow_a_text_that_is_rendered_again() -> WebDriverResult<()> {
    const CREATE: &str = "curl -X PUT http://localhost:8500/v1/session/create";
    const TAKE: &str = "curl -X PUT http://localhost:8500/v1/kv/a?acquire=&lt;session&gt;";
    with_page(REFERENCE, |page| async move {
        let text = format!("<p>First:</p><pre>{CREATE}</pre><pre>{TAKE}</pre>");
        let around = format!("<lictor-guide>{text}</lictor-guide>");
        let apart =
            format!("<article id=text>{text}</article><lictor-guide for=text></lictor-guide>");
        for (size, body, element) in [
            ((1280, 800), around.clone(), "lictor-guide"),
            ((900, 700), apart.clone(), "#text"),
            ((360, 800), around, "lictor-guide"),
            ((360, 800), apart.clone(), "#text"),
        ] {
            page.set_view(View { width: size.0, height: size.1, theme: "light" }).await?;
            visit(&page, &body).await?;
            let created = run(&page, 0).await?;
            assert!(created.starts_with("web-1: {"), "{created}");
            let before = buttons(&page).await?;
            let render = |html: &str| {
                let html = json!(html);
                format!("(document.querySelector('{element}').innerHTML = {html}, true)")
            };
            page.eval(&render(&text)).await?;
            page.until_frame(&format!("{ROWS}.length == 2")).await?;
            assert_eq!(buttons(&page).await?, before, "{element}");
            let kept = page.eval(&answers_of(0)).await?;
            assert_eq!(kept, json!([created]), "{element}: an answer stays");
            let taken = run(&page, 1).await?;
            assert!(taken.starts_with("web-1: true"), "{element}: {taken}");
            let other = format!("<pre>curl http://localhost:8500/v1/kv/a</pre>{text}");
            page.eval(&render(&other)).await?;
            page.until_frame(&format!("{ROWS}.length == 3")).await?;
            let read = run(&page, 0).await?;
            assert!(read.contains("1 key"), "{element}: the world stays: {read}");
            let place = format!("{element} at {} px", size.0);
            assert_in_view(panel_at_last_step(&page).await?, &place);
            leave(&page).await?;
        }
        visit(&page, &apart).await?;
        let other = format!("<div id=text><pre>{CREATE}</pre></div>");
        let replaced = format!("document.querySelector('#text').outerHTML = {}", json!(other));
        page.eval(&format!("({replaced}, true)")).await?;
        page.until_frame(&format!("{ROWS}.length == 1")).await?;
        Ok(page)
    })
    .await
}

/// Scrolls to the last step, and returns the panel's top and height, the width of the text, and the
/// height of the window.
async fn panel_at_last_step(page: &Sandbox) -> WebDriverResult<[f64; 4]> {
    let script = format!(
        "const done = arguments[arguments.length - 1];
         {ROWS}.at(-1).querySelector('button').scrollIntoView({{ block: 'center' }});
         const guide = document.querySelector('lictor-guide');
         const panel = guide.shadowRoot.querySelector('aside');
         const text = document.querySelector('lictor-guide pre, article pre');
         setTimeout(() => {{
             const {{ top, height }} = panel.getBoundingClientRect();
             done([top, height, text.getBoundingClientRect().width, innerHeight]);
         }}, 200);"
    );
    page.driver.execute_async(script, Vec::new()).await?.convert()
}

/// Checks that the panel is in view beside the last step and leaves room for the text. `place`
/// names the layout.
fn assert_in_view([top, height, text, window]: [f64; 4], place: &str) {
    let is_in_view = top >= -1.0 && top + height <= window + 1.0;
    assert!(is_in_view, "{place}: the panel is from {top} to {}, of {window}", top + height);
    let has_room = height <= window - 32.0 && text > 300.0;
    assert!(has_room, "{place}: {height} high, the text {text} wide");
}

#[tokio::test]
async fn the_panel_stays_beside_the_steps_in_other_layouts() -> WebDriverResult<()> {
    const STEP: &str = "<p>A session:</p>
        <pre>curl -X PUT http://localhost:8500/v1/session/create</pre>";
    let views = [(1280, 800), (900, 700), (360, 800)];
    for (width, height) in views {
        with_page(View { width, height, theme: "light" }, move |page| async move {
            let size = format!("at {width} px");
            page.driver.goto(format!("{}docs/use/embedding.html", page.address())).await?;
            page.until(&format!("{ROWS}.length > 0")).await?;
            assert_in_view(panel_at_last_step(&page).await?, &format!("mdBook, {size}"));
            let steps = STEP.repeat(20);
            let scrolls = format!("<div><lictor-guide>{steps}</lictor-guide></div>");
            let apart = format!(
                "<article id=text>{steps}</article><p>Below:</p>
                 <lictor-guide for=text></lictor-guide>"
            );
            for body in [scrolls, apart] {
                visit(&page, &body).await?;
                // A sticky element follows its nearest ancestor with `overflow`, and not the
                // window.
                page.eval("(document.querySelector('main').style.overflow = 'auto', true)").await?;
                assert_in_view(panel_at_last_step(&page).await?, &format!("{body:.30}, {size}"));
            }
            leave(&page).await?;
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn the_panel_has_the_language_of_its_text() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let text = "<div lang=zh><lictor-guide>
            <pre>curl http://localhost:8500/v1/session/list</pre></lictor-guide></div>";
        visit(&page, text).await?;
        let sandbox = "document.querySelector('lictor-guide').shadowRoot
            .querySelector('lictor-sandbox').getAttribute('lang')";
        assert_eq!(page.eval(sandbox).await?, json!("zh"));
        leave(&page).await?;
        Ok(page)
    })
    .await
}
