//! The page object of the tests: it finds and uses buttons, fields and texts by their test ids, and
//! checks after each click and key that some element has the focus and that no two displays
//! contradict each other.

use std::cell::Cell;
use std::future::Future;
use std::panic::resume_unwind;
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::prelude::*;
use tokio::task::LocalSet;

use super::drivers::Browser;
use super::environment::{own_host, page_port};

/// The longest wait for a condition. A wait ends as soon as its condition is met, so only a failing
/// test takes this long; a machine that builds beside the tests is several times slower.
const WAIT_MAX: Duration = Duration::from_secs(120);

/// More tab stops than the page has.
const TABS_MAX: usize = 200;

/// Whether a visible and enabled element has the focus. An element that is hidden has it until the
/// next frame, and does not count.
const HAS_FOCUS: &str = "(() => {
    const it = document.activeElement;
    return !!it && it != document.body && it.checkVisibility({ visibilityProperty: true })
        && !it.matches(':disabled');
})()";

/// Whether a lesson shows a page after its first one.
const IS_LATER_PAGE: &str =
    "!document.querySelector('[data-testid=story-back]').hasAttribute('aria-disabled')";

/// The id of the closed panel that contains an element; empty if there is none.
const CLOSED_PANEL: &str = "(() => {
    const it = document.querySelector('[data-testid=\"ID\"]');
    return it && !it.checkVisibility() && it.closest('[popover]:not(:popover-open)')?.id || '';
})()";

/// Whether an open panel of the clients' buttons covers an element, which it does not contain.
const IS_COVERED: &str = "!!document.querySelector('.pad-panel:popover-open')
    && !document.querySelector('.pad-panel:popover-open [data-testid=\"ID\"]')";

/// Opens the panels beside and below the picture. The focus stays where it is.
const OPEN_PANELS: &str = "(document.querySelectorAll('[data-testid^=open-][aria-pressed=false]')
    .forEach((it) => it.click()), true)";

/// Closes the menu of time after a click in it, as it covers the lanes.
const CLOSE_MENU: &str = "((menu) => menu?.contains(document.activeElement)
    && menu.hidePopover())(document.querySelector('.time-menu:popover-open'))";

/// The direction from the focused element to another one in the tab order: `here`, `back` or `on`.
const DIRECTION: &str = "(() => {
    const [from, to] = [document.activeElement, document.querySelector('[data-testid=\"ID\"]')];
    if (from == to) return 'here';
    const lies = to ? from.compareDocumentPosition(to) : 0;
    return lies & Node.DOCUMENT_POSITION_PRECEDING ? 'back' : 'on';
})()";

/// An open page.
pub(crate) struct Sandbox {
    pub(crate) driver: WebDriver,
    browser: Browser,
    /// The host of the page's address.
    pub(crate) host: String,
    /// The present size and colours.
    pub(crate) view: Cell<View>,
}

/// A window size and colours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) theme: &'static str,
}

/// The size at which the page needs no scrolling.
pub(crate) const REFERENCE: View = View { width: 1280, height: 800, theme: "light" };

/// The row of the event with a number, if it is in the document.
pub(crate) fn event_row(number: usize) -> String {
    format!(
        "[...document.querySelectorAll('[data-testid=event-row]')]
            .find(it => it.querySelector('.c-no').innerText == '{number}')"
    )
}

/// Opens the sandbox and runs a test on it. Afterwards the browser's console must have no warning
/// or error, and axe-core must find no violation in the final state.
pub(crate) async fn with_page<F, Fut>(view: View, test: F) -> WebDriverResult<()>
where
    F: FnOnce(Sandbox) -> Fut + 'static,
    Fut: Future<Output = WebDriverResult<Sandbox>> + 'static,
{
    with_page_in(Browser::Chromium, view, test).await
}

/// Does the same in any browser. The console is checked in Chromium only.
pub(crate) async fn with_page_in<F, Fut>(
    browser: Browser,
    view: View,
    test: F,
) -> WebDriverResult<()>
where
    F: FnOnce(Sandbox) -> Fut + 'static,
    Fut: Future<Output = WebDriverResult<Sandbox>> + 'static,
{
    let enter = |page: Sandbox| async move {
        page.click("visit-sandbox").await?;
        page.open_panels().await?;
        test(page).await
    };
    with_visit_in(browser, view, enter).await
}

/// Does the same for the page of a first visit, which begins with a question.
pub(crate) async fn with_first_visit<F, Fut>(view: View, test: F) -> WebDriverResult<()>
where
    F: FnOnce(Sandbox) -> Fut + 'static,
    Fut: Future<Output = WebDriverResult<Sandbox>> + 'static,
{
    with_visit_in(Browser::Chromium, view, test).await
}

async fn with_visit_in<F, Fut>(browser: Browser, view: View, test: F) -> WebDriverResult<()>
where
    F: FnOnce(Sandbox) -> Fut + 'static,
    Fut: Future<Output = WebDriverResult<Sandbox>> + 'static,
{
    let driver = browser.acquire().await?;
    // A separate task, so that the browser is released even if the test panics.
    let task = LocalSet::new();
    let used = task.spawn_local(use_page(browser, driver.clone(), view, test));
    task.await;
    let used = used.await;
    browser.release(driver).await?;
    used.unwrap_or_else(|failure| resume_unwind(failure.into_panic()))
}

async fn use_page<F, Fut>(
    browser: Browser,
    driver: WebDriver,
    view: View,
    test: F,
) -> WebDriverResult<()>
where
    F: FnOnce(Sandbox) -> Fut,
    Fut: Future<Output = WebDriverResult<Sandbox>>,
{
    let page = Sandbox::open(browser, driver, view).await?;
    let page = test(page).await?;
    page.audit().await?;
    let complaints = page.complaints().await?;
    assert!(complaints.is_empty(), "the page complained: {complaints:#?}");
    Ok(())
}

impl Sandbox {
    pub(crate) async fn open(
        browser: Browser,
        driver: WebDriver,
        view: View,
    ) -> WebDriverResult<Self> {
        driver.update_timeouts(TimeoutConfiguration::new(Some(WAIT_MAX), None, None)).await?;
        // Only Chromium is used again, and WebKit does not resolve such names.
        let host = if browser == Browser::Chromium { own_host() } else { "127.0.0.1".into() };
        let page = Self { driver, browser, host, view: Cell::new(view) };
        page.set_view(view).await?;
        page.driver.goto(page.address()).await?;
        page.until("document.querySelector('[data-testid=now]')").await?;
        // A first visit begins with a question.
        page.find("visit-sandbox").await?;
        Ok(page)
    }

    /// The page's address, which no other test has.
    pub(crate) fn address(&self) -> String {
        format!("http://{}:{}/", self.host, page_port())
    }

    /// Opens a lesson, which begins at its question, and goes back to its first page.
    pub(crate) async fn open_lesson(&self, number: u32) -> WebDriverResult<()> {
        self.click("home-button").await?;
        self.click(&format!("story-{number}")).await?;
        self.shows("story-origin", &format!("Question {number} of")).await?;
        self.open_panels().await?;
        self.to_first_page().await
    }

    /// Opens the clients, the details, the events and the console.
    pub(crate) async fn open_panels(&self) -> WebDriverResult<()> {
        self.eval(OPEN_PANELS).await.map(drop)
    }

    /// Turns the pages of a lesson back to its first.
    pub(crate) async fn to_first_page(&self) -> WebDriverResult<()> {
        while self.eval(IS_LATER_PAGE).await? == true {
            self.click("story-back").await?;
        }
        Ok(())
    }

    /// Takes the first choice of the question.
    pub(crate) async fn guess(&self) -> WebDriverResult<()> {
        self.click("choice-1").await?;
        self.click("story-guess").await?;
        self.find("story-verdict").await.map(drop)
    }

    /// Changes size and colours, without animations, so that every element is in its final state.
    /// Browsers other than Chromium keep their colours and animations.
    pub(crate) async fn set_view(&self, view: View) -> WebDriverResult<()> {
        self.view.set(view);
        let View { width, height, theme } = view;
        if self.browser != Browser::Chromium {
            return self.driver.set_window_rect(0, 0, width, height).await;
        }
        let metrics = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false
        });
        self.driver.cdp().send_raw("Emulation.setDeviceMetricsOverride", metrics).await?;
        self.show_on("screen", [("prefers-color-scheme", theme), ("forced-colors", "none")]).await
    }

    /// Changes the CSS medium and the media features. Motion is always reduced.
    pub(crate) async fn show_on(
        &self,
        media: &str,
        features: [(&str, &str); 2],
    ) -> WebDriverResult<()> {
        let still = ("prefers-reduced-motion", "reduce");
        let features = features.into_iter().chain([still]);
        let features: Value =
            features.map(|(name, value)| json!({ "name": name, "value": value })).collect();
        let media = json!({ "media": media, "features": features });
        self.driver.cdp().send_raw("Emulation.setEmulatedMedia", media).await?;
        Ok(())
    }

    /// Waits until an element exists, and returns it.
    pub(crate) async fn find(&self, id: &str) -> WebDriverResult<WebElement> {
        self.until(&format!("document.querySelector('[data-testid=\"{id}\"]')")).await?;
        self.driver.find(By::Testid(id)).await
    }

    /// Clicks on an element. A panel that contains it is opened before.
    pub(crate) async fn click(&self, id: &str) -> WebDriverResult<()> {
        let element = self.reach(id).await?;
        element.scroll_into_view().await?;
        element.click().await?;
        self.eval(CLOSE_MENU).await?;
        self.keeps_the_focus(&format!("a click on {id}")).await?;
        self.agrees(&format!("a click on {id}")).await
    }

    /// An element, after the steps that a person needs to reach it. Closed panels are opened. Only
    /// the selected client has buttons, so another one is selected first. Programs and options are
    /// in panels, which are opened by a button and closed before anything else is used.
    async fn reach(&self, id: &str) -> WebDriverResult<WebElement> {
        if self.eval(&IS_COVERED.replace("ID", id)).await? == true {
            self.press(Key::Escape + "").await?;
        }
        let exists = exists(id);
        if self.eval(&exists).await? == false {
            self.open_panels().await?;
        }
        if let Some((_, number)) = id.rsplit_once("-web-")
            && self.eval(&exists).await? == false
        {
            self.find(&format!("select-web-{number}")).await?.click().await?;
        }
        let element = self.find(id).await?;
        let panel = self.eval(&CLOSED_PANEL.replace("ID", id)).await?;
        if let Some(panel) = panel.as_str().filter(|panel| !panel.is_empty()) {
            self.find(&format!("{panel}-button")).await?.click().await?;
        }
        Ok(element)
    }

    /// Waits until an element shows a text. Closed panels are opened for it.
    pub(crate) async fn shows(&self, id: &str, text: &str) -> WebDriverResult<()> {
        if self.eval(&exists(id)).await? == false {
            self.open_panels().await?;
        }
        let condition = format!(
            "[...document.querySelectorAll('[data-testid=\"{id}\"]')]\
             .some(e => e.innerText.includes({}))",
            json!(text)
        );
        self.until(&condition).await
    }

    /// Replaces the text of a field by typing.
    pub(crate) async fn fill(&self, id: &str, text: &str) -> WebDriverResult<()> {
        let field = self.reach(id).await?;
        field.click().await?;
        field.send_keys(Key::Control + "a").await?;
        field.send_keys(Key::Backspace + text).await
    }

    /// Pastes commands into the console and sends them.
    pub(crate) async fn paste(&self, commands: &str) -> WebDriverResult<()> {
        self.click("console-input").await?;
        let cdp = self.driver.cdp();
        cdp.send_raw("Input.insertText", json!({ "text": commands })).await?;
        self.click("console-send").await
    }

    /// Selects an option of a list by its value, with the event that the browser's own list sends.
    pub(crate) async fn pick(&self, id: &str, value: &str) -> WebDriverResult<()> {
        let list = self.find(id).await?;
        let picked = "arguments[0].value = arguments[1];
            arguments[0].dispatchEvent(new Event('change', { bubbles: true }));";
        self.driver.execute(picked, vec![list.to_json()?, json!(value)]).await.map(drop)
    }

    /// Turns the pages of a lesson until its last.
    pub(crate) async fn to_last_page(&self) -> WebDriverResult<()> {
        while self.eval("!document.querySelector('[data-testid=story-close]')").await? == true {
            if self.eval("!!document.querySelector('[data-testid=story-skip]')").await? == true {
                self.click("story-skip").await?;
            }
            self.click("story-next").await?;
        }
        Ok(())
    }

    /// Selects the acting client.
    pub(crate) async fn select(&self, actor: &str) -> WebDriverResult<()> {
        self.click(&format!("select-{actor}")).await
    }

    /// Waits until an element has the focus.
    pub(crate) async fn has_focus(&self, id: &str) -> WebDriverResult<()> {
        self.until(&format!("document.activeElement.dataset.testid == '{id}'")).await
    }

    /// Presses keys; the element with the focus receives them.
    pub(crate) async fn press(&self, keys: impl Into<TypingData>) -> WebDriverResult<()> {
        let had_focus = self.eval(HAS_FOCUS).await? == true;
        self.driver.action_chain().send_keys(keys.into()).perform().await?;
        if had_focus {
            self.keeps_the_focus("a key").await?;
        }
        self.agrees("a key").await
    }

    /// Checks that some element has the focus after an action, so that users of keyboards and
    /// screen readers keep their place.
    async fn keeps_the_focus(&self, by: &str) -> WebDriverResult<()> {
        let kept = self.eval(HAS_FOCUS).await?;
        assert!(kept == true, "the focus is lost by {by}");
        Ok(())
    }

    /// Goes to an element with Tab or, if it is before the focused element, with Shift+Tab. Panics
    /// if it cannot be reached.
    pub(crate) async fn tab_to(&self, id: &str) -> WebDriverResult<()> {
        let direction = DIRECTION.replace("ID", id);
        for _ in 0..TABS_MAX {
            let keys = self.driver.action_chain();
            // After the last element the browser has a tab stop of its own, without a focused
            // element.
            let keys = match self.eval(&direction).await?.as_str() {
                Some("here") => return Ok(()),
                Some("back") => keys.key_down(Key::Shift).send_keys(Key::Tab).key_up(Key::Shift),
                _ => keys.send_keys(Key::Tab),
            };
            keys.perform().await?;
        }
        panic!("Tab does not lead to {id}");
    }

    /// Uses a button by keyboard alone.
    pub(crate) async fn enter(&self, id: &str) -> WebDriverResult<()> {
        self.tab_to(id).await?;
        self.press(Key::Enter + "").await
    }

    /// The value of a JavaScript expression in the page.
    pub(crate) async fn eval(&self, expression: &str) -> WebDriverResult<Value> {
        let returned = self.driver.execute(format!("return {expression}"), Vec::new()).await?;
        Ok(returned.json().clone())
    }

    /// Waits until a condition of the page holds: tested now, and after each change of the page.
    pub(crate) async fn until(&self, condition: &str) -> WebDriverResult<()> {
        let script = "
            const holds = () => { try { return !!eval(arguments[0]) } catch { return false } };
            const done = arguments[arguments.length - 1];
            if (holds()) return done(true);
            const end = new AbortController();
            const check = () => {
                if (!holds()) return;
                observer.disconnect();
                end.abort();
                done(true);
            };
            const observer = new MutationObserver(check);
            const all = { subtree: true, childList: true, attributes: true, characterData: true };
            observer.observe(document, all);
            document.addEventListener('focusin', check, { signal: end.signal });
        "
        .replace("eval(arguments[0])", &format!("({condition})"));
        match self.driver.execute_async(script, Vec::new()).await {
            Ok(_) => Ok(()),
            Err(error) => {
                let body = self.driver.find(By::Tag("body")).await?.text().await?;
                panic!("never came true: {condition}\n{error}\nthe page says:\n{body}");
            }
        }
    }

    /// Waits until a condition holds that may change without a change of the document, such as the
    /// scroll position: tested in each frame.
    pub(crate) async fn until_frame(&self, condition: &str) -> WebDriverResult<()> {
        let script = format!(
            "const done = arguments[arguments.length - 1];
            const test = () => ({condition}) ? done(true) : requestAnimationFrame(test);
            test();"
        );
        match self.driver.execute_async(script, Vec::new()).await {
            Ok(_) => Ok(()),
            Err(error) => panic!("never came true: {condition}\n{error}"),
        }
    }

    /// The warnings and errors of the browser's console since the last call; only Chromium's driver
    /// returns them.
    pub(crate) async fn complaints(&self) -> WebDriverResult<Vec<String>> {
        if self.browser != Browser::Chromium {
            return Ok(Vec::new());
        }
        let log = self.driver.browser_log().await?;
        let is_bad = |level: &str| matches!(level, "SEVERE" | "WARNING");
        // A slow start of the page depends on the machine, so this warning does not count.
        let is_slow = |message: &str| message.contains("was preloaded using link preload");
        let bad = log.iter().filter(|entry| is_bad(&entry.level.to_string()));
        let bad = bad.filter(|entry| !is_slow(&entry.message));
        Ok(bad.map(|entry| entry.message.clone()).collect())
    }
}

/// Whether an element is in the document.
fn exists(id: &str) -> String {
    format!("!!document.querySelector('[data-testid=\"{id}\"]')")
}
