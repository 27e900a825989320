//! The page follows CSS media features: forced colours, reduced motion and print.

use thirtyfour::prelude::*;

use super::drawings::{PIXELS, add_elements_of_lanes, draws};
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// Elements with too little contrast: controls whose ink has less than 3:1 against their
/// background, and shapes of the drawings of which neither stroke nor fill has 3:1.
const FAINT: &str = "(() => {
    const parts = colour => colour.match(/[\\d.]+/g)?.map(Number) ?? [];
    const light = colour => {
        const [r, g, b] = parts(colour).map(it => it / 255)
            .map(it => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const isSeen = colour => /^rgb/.test(colour) && (parts(colour)[3] ?? 1) > 0;
    const ground = element => {
        const colour = getComputedStyle(element).backgroundColor;
        return isSeen(colour) || !element.parentElement ? colour : ground(element.parentElement);
    };
    const differs = (ink, element) => {
        if (!isSeen(ink)) return false;
        const [one, other] = [light(ink), light(ground(element))];
        return Math.max(one, other) / Math.min(one, other) >= 3;
    };
    const shown = selector =>
        [...document.querySelectorAll(selector)].filter(it => it.checkVisibility());
    const named = it => it.dataset.testid || it.getAttribute('class') || it.tagName;
    const controls = shown('button, select, input, textarea')
        .filter(it => !differs(getComputedStyle(it).color, it));
    const shapes = shown('.bar, .delay, .wrong, .both, .both-plate, .z-safe, .z-grace, .renew, \
        .ended, .notch, .try, .now-line, .clock-safe, .clock-grace, .needle, .log-line, .log-dot, \
        .res-ring, .res-full')
        .filter(it => {
            const { fill, stroke } = getComputedStyle(it);
            return !differs(fill, it) && !differs(stroke, it);
        });
    return [...controls, ...shapes].map(named);
})()";

/// Elements that are cut off: boxes whose content overflows, and elements right of the page.
const CUT: &str = "[...document.querySelectorAll('body *')].filter(it => {
    // A canvas is wider than what it shows.
    if (it.closest('svg, canvas, .visually-hidden') || !it.checkVisibility()) return false;
    if (it.matches('.lanes')) return false;
    const isCut = getComputedStyle(it).overflow != 'visible'
        && (it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 1);
    return isCut || it.getBoundingClientRect().right > innerWidth + 1;
}).map(it => it.className || it.tagName)";

/// Opens a lesson and goes to its end, where there are two believers, a lock-delay, sessions and
/// refusals.
async fn open_a_lesson(page: &Sandbox) -> WebDriverResult<()> {
    page.click("home-button").await?;
    page.click("story-15").await?;
    page.find("story").await?;
    page.to_last_page().await?;
    draws(page, "two-believers").await
}

#[tokio::test]
async fn controls_and_bars_are_visible_in_forced_colours() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_a_lesson(&page).await?;
        add_elements_of_lanes(&page).await?;
        for theme in ["light", "dark"] {
            let features = [("prefers-color-scheme", theme), ("forced-colors", "active")];
            page.show_on("screen", features).await?;
            let faint = page.eval(FAINT).await?;
            assert_eq!(faint, serde_json::json!([]), "hard to see in forced colours ({theme})");
        }
        page.set_view(REFERENCE).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn reduced_motion_stops_animations() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_a_lesson(&page).await?;
        page.click("previous-event").await?;
        assert_eq!(page.eval("document.getAnimations().length").await?, 0);
        let moving = "[...document.querySelectorAll('*')].filter(it => {
            const style = getComputedStyle(it);
            return style.transitionDuration != '0s' || style.animationName != 'none';
        }).length";
        assert_eq!(page.eval(moving).await?, 0);
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn print_shows_everything_but_the_controls() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        open_a_lesson(&page).await?;
        page.until("!document.querySelector('[data-testid=lane-server]')").await?;
        // Portrait and landscape, in CSS pixels between the margins of A4.
        for width in [718, 1047] {
            page.set_view(View { width, height: 1000, ..REFERENCE }).await?;
            page.show_on("print", [("prefers-color-scheme", "dark"), ("forced-colors", "none")])
                .await?;
            page.eval("dispatchEvent(new Event('beforeprint'))").await?;
            let rows = "document.querySelectorAll('[data-testid=event-row]').length";
            let count = "document.querySelector('[data-testid=events-count]').innerText";
            page.until(&format!("{rows} > 40 && {rows} == {count}")).await?;
            // The lane of the server is folded on the screen.
            for part in ["lanes", "lane-server", "lock", "events", "story"] {
                let seen = format!("document.querySelector('[data-testid={part}]')");
                page.until(&format!("{seen}.checkVisibility()")).await?;
            }
            assert_eq!(page.eval(CUT).await?, serde_json::json!([]), "cut off at {width}");
            let controls = "[...document.querySelectorAll('button, select, input, textarea')]\
                .filter(it => it.checkVisibility()).map(it => it.dataset.testid)";
            assert_eq!(page.eval(controls).await?, serde_json::json!([]));
            let ground = page.eval("getComputedStyle(document.body).backgroundColor").await?;
            assert_eq!(ground, "rgb(238, 240, 243)", "paper is light");
            // The plate at now has the accent of the light theme.
            let plate = format!(
                "(({{ data }}) => data.some((_, it) => it % 4 == 0 && data[it] == 29
                    && data[it + 1] == 91 && data[it + 2] == 200))
                ({PIXELS}(document.querySelector('.lane-axis > canvas')))"
            );
            page.until_frame(&plate).await?;
        }
        page.set_view(REFERENCE).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn print_says_when_events_are_left_out() -> WebDriverResult<()> {
    with_page(View { width: 718, height: 1000, ..REFERENCE }, |page| async move {
        page.paste(&"PUT /v1/kv/a x\n".repeat(450)).await?;
        page.shows("events-count", "453").await?;
        let note = "document.querySelector('[data-testid=on-paper]')";
        assert_eq!(page.eval(&format!("{note}.checkVisibility()")).await?, false);
        page.show_on("print", [("prefers-color-scheme", "light"), ("forced-colors", "none")])
            .await?;
        page.eval("dispatchEvent(new Event('beforeprint'))").await?;
        page.until(&format!("{note}.innerText.startsWith('The first 375 of 453 rows.')")).await?;
        let rows = "document.querySelectorAll('[data-testid=event-row]').length";
        page.until(&format!("{rows} == 375 && {note}.checkVisibility()")).await?;
        page.set_view(REFERENCE).await?;
        page.eval("dispatchEvent(new Event('afterprint'))").await?;
        page.until(&format!("{note}.innerText == '' && !{note}.checkVisibility()")).await?;
        Ok(page)
    })
    .await
}
