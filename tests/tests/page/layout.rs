//! The layout of the page in several sizes and themes: long texts do not overflow, controls do not
//! cover each other, keep their places, and are in view; and a button that cannot act has the
//! reason.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, View, with_page};

const VIEWS: [View; 6] = [
    REFERENCE,
    View { theme: "dark", ..REFERENCE },
    View { width: 1024, height: 768, ..REFERENCE },
    View { width: 1440, height: 900, ..REFERENCE },
    View { width: 360, height: 800, ..REFERENCE },
    View { width: 360, height: 800, theme: "dark" },
];

#[tokio::test]
async fn the_page_overflows_in_no_size() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        fill_with_life(&page).await?;
        for view in VIEWS {
            page.set_view(view).await?;
            let spill = "document.documentElement.scrollWidth - innerWidth";
            let spill = page.eval(spill).await?;
            assert!(spill.as_i64() <= Some(0), "{view:?} spills over by {spill} px");
        }
        Ok(page)
    })
    .await
}

/// A row with another height than the list computes with would leave the end of the list out of
/// view.
#[tokio::test]
async fn the_event_list_shows_whole_rows_and_follows_its_end() -> WebDriverResult<()> {
    const CUT: &str = "(rows => (rows.scrollTop + rows.clientHeight - rows.scrollHeight)
        + [...rows.querySelectorAll('[data-testid=event-row]')]
            .filter(row => row.getBoundingClientRect().height != 24).length
        + rows.clientHeight % 24 + rows.scrollTop % 24)(document.querySelector('.events .rows'))";
    with_page(REFERENCE, |page| async move {
        for key in 0..30 {
            page.paste(&format!("PUT /v1/kv/k{key} 1")).await?;
        }
        page.until("document.querySelector('.events .rows').scrollTop > 400").await?;
        page.until(&format!("{CUT} == 0")).await?;
        Ok(page)
    })
    .await
}

/// A branch, a warning and a fault need room in the toolbar.
#[tokio::test]
async fn nothing_in_the_toolbar_covers_anything_else() -> WebDriverResult<()> {
    const COVERED: &str = "(all => all.flatMap((one, at) => all.slice(at + 1).filter(other => {
        const [a, b] = [one, other].map(it => it.getBoundingClientRect());
        return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
            && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    }).map(other => one.textContent + ' / ' + other.textContent)))
        ([...document.querySelectorAll('.toolbar :is(button, select, .brand, .seed)')]
            .filter(it => it.checkVisibility()))";
    with_page(REFERENCE, |page| async move {
        fill_with_life(&page).await?;
        page.click("first-event").await?;
        page.select("web-2").await?;
        page.click("create-session-web-2").await?;
        page.find("branch").await?;
        for width in [1024, 1100, 1199, 1280, 1440, 1600] {
            page.set_view(View { width, ..REFERENCE }).await?;
            assert_eq!(page.eval(COVERED).await?, serde_json::json!([]), "{width} px");
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_long_text_in_the_console_leaves_its_input_in_view() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let text = "curl -X PUT http://localhost:8500/v1/kv/service/web/leader?acquire=A\\n";
        let text = text.repeat(8);
        let write = format!(
            "(it => (it.value = '{text}', it.dispatchEvent(new Event('input')), true))
             (document.querySelector('[data-testid=console-input]'))"
        );
        page.eval(&write).await?;
        page.find("console-guide").await?;
        let below =
            "document.querySelector('.prompt').getBoundingClientRect().bottom - innerHeight";
        page.until(&format!("{below} <= 0")).await?;
        page.until("document.documentElement.scrollHeight <= innerHeight").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_reference_size_needs_no_scrolling() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let spill = page.eval("document.documentElement.scrollHeight - innerHeight").await?;
        assert!(spill.as_i64() <= Some(0), "the page is {spill} px too high");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn four_clients_the_pad_and_the_failover_need_no_scrolling() -> WebDriverResult<()> {
    const IDS: [&str; 7] = [
        "select-web-1",
        "select-web-2",
        "select-web-3",
        "select-web-4",
        "failover",
        "create-session-web-1",
        "health-web-1",
    ];
    with_page(REFERENCE, |page| async move {
        for panel in ["open-details", "open-events", "open-console"] {
            page.click(panel).await?;
        }
        page.click("add-actor").await?;
        page.find("actor-web-4").await?;
        for id in IDS {
            // The element is what the pointer meets at each of its ends.
            let is_in_view = format!(
                "(it => {{ const {{ left, right, top, bottom }} = it.getBoundingClientRect();
                    return [[left + 6, top + 6], [right - 6, bottom - 6]]
                        .every(([x, y]) => it.contains(document.elementFromPoint(x, y)));
                }})(document.querySelector('[data-testid=\"{id}\"]'))"
            );
            assert_eq!(page.eval(&is_in_view).await?, true, "{id} is out of view");
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn buttons_of_clients_keep_their_places_and_their_words() -> WebDriverResult<()> {
    const BUTTONS: &str = "[...document.querySelectorAll('[data-testid=pad] .pad-keys .btn')]
        .map(it => { const { x, y } = it.getBoundingClientRect(); return [it.innerText, x, y]; })";
    with_page(REFERENCE, |page| async move {
        let before = page.eval(BUTTONS).await?;
        for id in ["create-session-web-1", "acquire-web-1", "cut-net-button", "crash-web-1"] {
            page.click(id).await?;
        }
        page.shows("status-web-1", "crashed").await?;
        assert_eq!(page.eval(BUTTONS).await?, before);
        let pressed = "document.querySelector('[data-testid=crash-web-1]').ariaPressed";
        assert_eq!(page.eval(pressed).await?, "true");
        page.select("web-2").await?;
        assert_eq!(page.eval(BUTTONS).await?, before);
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_button_that_cannot_act_says_why() -> WebDriverResult<()> {
    let why = |id: &str| {
        format!("(it => it.ariaDisabled && it.title)(document.querySelector('[data-testid={id}]'))")
    };
    with_page(REFERENCE, move |page| async move {
        assert_eq!(page.eval(&why("acquire-web-1")).await?, "Needs a session first");
        page.click("create-session-web-1").await?;
        page.until(&format!("{} === null", why("acquire-web-1"))).await?;
        page.click("crash-web-1").await?;
        page.until(&format!("{} == 'Its process is not running'", why("acquire-web-1"))).await?;
        page.until(&format!("{} == 'Its process is not running'", why("pause-web-1"))).await?;
        page.click("crash-web-1").await?;
        page.until(&format!("{} === null", why("pause-web-1"))).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_key_of_200_characters_breaks_no_row() -> WebDriverResult<()> {
    // Boxes that stick out of the page, and rows of tables that are higher than one line.
    const BROKEN: &str =
        "[...document.querySelectorAll('.card, .lane, .log tr, .story-strip, .head')]
        .filter(it => it.checkVisibility())
        .filter(it => it.getBoundingClientRect().right > innerWidth + 0.5
            || innerWidth >= 1024 && it.matches('.log tr') && it.offsetHeight > 30)
        .map(it => it.dataset.testid ?? it.className)";
    with_page(REFERENCE, |page| async move {
        page.fill("option-key", &"k".repeat(200)).await?;
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.click("create-session-web-2").await?;
        page.click("acquire-web-2").await?;
        for tab in ["tab-keys", "tab-events"] {
            page.set_view(REFERENCE).await?;
            page.click(tab).await?;
            for width in [1280, 360] {
                page.set_view(View { width, height: 800, ..REFERENCE }).await?;
                page.until(&format!("{BROKEN}.length == 0")).await?;
                let spill = page.eval("document.documentElement.scrollWidth - innerWidth").await?;
                assert!(spill.as_i64() <= Some(0), "{tab} at {width} spills over by {spill} px");
            }
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_page_follows_light_and_dark() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let ground = "getComputedStyle(document.body).backgroundColor";
        let light = page.eval(ground).await?;
        page.set_view(View { theme: "dark", ..REFERENCE }).await?;
        assert_ne!(light, page.eval(ground).await?, "dark looks like light");
        Ok(page)
    })
    .await
}

/// Makes a session, a lock, a lock-delay and events, with names that are long and have no spaces.
async fn fill_with_life(page: &Sandbox) -> WebDriverResult<()> {
    page.paste(&format!(
        "s <- PUT /v1/session/create {{\"Name\": \"{0}\", \"TTL\": \"10s\"}}\n\
         curl -X PUT -d '{0}' http://localhost:8500/v1/kv/{0}?acquire=$s\n\
         curl -X PUT http://localhost:8500/v1/session/destroy/$s\n",
        "long-name-without-any-break-".repeat(6)
    ))
    .await?;
    page.until("document.querySelectorAll('[data-testid=console-answer]').length >= 3").await
}
