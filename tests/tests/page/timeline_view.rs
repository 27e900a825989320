//! The visible part of the timeline follows zooming and panning by mouse, touch and keyboard, and
//! the axis shortens idle times or shows the order of events.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::drawings::{PIXELS, drawing_of, draws};
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

const NARROW: View = View { width: 360, height: 800, ..REFERENCE };

/// The text of the overview about the visible part. Without an overview all is visible: 90 s in
/// these tests.
const PART: &str =
    "(document.querySelector('[data-testid=overview]')?.ariaValueText ?? '0.0 to 90.0 of all')";

/// The place of the axis in the window, in pixels: its left end, its width, and a y inside of the
/// lanes.
async fn place(page: &Sandbox) -> WebDriverResult<(f64, f64, f64)> {
    let place = page
        .eval(
            "(() => {
                const box = document.querySelector('.lane-canvas').getBoundingClientRect();
                // A canvas has room around the drawing.
                return [box.left + 32, box.width - 48, box.top + 44];
            })()",
        )
        .await?;
    let number = |index: usize| place[index].as_f64().unwrap_or_default();
    Ok((number(0), number(1), number(2)))
}

/// Waits until the lanes show the part between two times in seconds.
async fn part(page: &Sandbox, from: &str, to: &str) -> WebDriverResult<()> {
    page.until(&format!("{PART}.startsWith('{from} to {to} of ')")).await
}

async fn send(page: &Sandbox, command: &str, event: Value) -> WebDriverResult<()> {
    page.driver.cdp().send_raw(command, event).await.map(drop)
}

/// Turns the wheel at a share of the axis.
async fn wheel(page: &Sandbox, share: f64, turn: (f64, f64), keys: u8) -> WebDriverResult<()> {
    let (left, width, y) = place(page).await?;
    let event = json!({
        "type": "mouseWheel", "x": left + width * share, "y": y,
        "deltaX": turn.0, "deltaY": turn.1, "modifiers": keys
    });
    send(page, "Input.dispatchMouseEvent", event).await
}

/// Presses the mouse button at one share of the axis, and releases it at another.
async fn drag(page: &Sandbox, from: f64, to: f64) -> WebDriverResult<()> {
    let (left, width, y) = place(page).await?;
    for (kind, share, buttons) in [
        ("mousePressed", from, 1),
        ("mouseMoved", from.midpoint(to), 1),
        ("mouseMoved", to, 1),
        ("mouseReleased", to, 0),
    ] {
        let event = json!({
            "type": kind, "x": left + width * share, "y": y,
            "button": "left", "buttons": buttons, "clickCount": 1
        });
        send(page, "Input.dispatchMouseEvent", event).await?;
    }
    Ok(())
}

/// Puts fingers down, moves them, and lifts them. Each finger has a first and a last point in the
/// window.
async fn touch(page: &Sandbox, fingers: &[[(f64, f64); 2]]) -> WebDriverResult<()> {
    let points = |share: f64| -> Value {
        let between = |from: f64, to: f64| from + (to - from) * share;
        let place = |[from, to]: &[(f64, f64); 2]| -> Value {
            json!({ "x": between(from.0, to.0), "y": between(from.1, to.1) })
        };
        fingers.iter().map(place).collect()
    };
    for (kind, touched) in [
        ("touchStart", points(0.0)),
        ("touchMove", points(0.2)),
        ("touchMove", points(0.6)),
        ("touchMove", points(1.0)),
        ("touchEnd", json!([])),
    ] {
        let event = json!({ "type": kind, "touchPoints": touched });
        send(page, "Input.dispatchTouchEvent", event).await?;
    }
    Ok(())
}

/// Advances by sixty seconds with some events. The axis then shows ninety seconds.
async fn a_minute(page: &Sandbox) -> WebDriverResult<()> {
    page.click("create-session-web-1").await?;
    page.click("acquire-web-1").await?;
    for _ in 0..6 {
        page.click("plus-10").await?;
    }
    page.shows("now", "60.0 s").await?;
    part(page, "0.0", "90.0").await
}

#[tokio::test]
async fn the_wheel_zooms_at_the_pointer_and_pans() -> WebDriverResult<()> {
    const CONTROL: u8 = 2;
    const SHIFT: u8 = 8;
    with_page(REFERENCE, |page| async move {
        a_minute(&page).await?;
        let all = "document.querySelector('[data-testid=axis-whole]').ariaPressed";
        page.until(&format!("{all} == 'true'")).await?;
        wheel(&page, 0.5, (0.0, -240.0), CONTROL).await?;
        part(&page, "22.5", "67.5").await?;
        page.until(&format!("{all} == 'false'")).await?;
        let (_, width, _) = place(&page).await?;
        wheel(&page, 0.5, (width / 3.0, 0.0), 0).await?;
        page.until(&format!("parseFloat({PART}) > 37")).await?;
        wheel(&page, 0.5, (0.0, -width / 3.0), SHIFT).await?;
        page.until(&format!("parseFloat({PART}) < 23")).await?;
        wheel(&page, 0.0, (0.0, 240.0), CONTROL).await?;
        page.until(&format!("{PART}.startsWith('0.0 to 90.0')")).await?;
        page.click("axis-recent").await?;
        wheel(&page, 0.5, (0.0, -240.0), CONTROL).await?;
        page.click("axis-whole").await?;
        part(&page, "0.0", "90.0").await?;
        page.until(&format!("{all} == 'true'")).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_drag_pans_and_a_click_moves_the_cursor() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        a_minute(&page).await?;
        page.click("zoom-in").await?;
        part(&page, "30.0", "75.0").await?;
        drag(&page, 0.25, 0.5).await?;
        page.until(&format!("Math.abs(parseFloat({PART}) - 18.75) < 0.2")).await?;
        page.shows("now", "60.0 s").await?;
        drag(&page, 0.0, 1.0).await?;
        part(&page, "0.0", "45.0").await?;
        drag(&page, 0.5, 0.5).await?;
        page.until("/^22\\.[3-7] s/.test(document.querySelector('[data-testid=now]').innerText)")
            .await?;
        // The session ended at 30 s: a click near its mark goes to it.
        drag(&page, 0.66, 0.66).await?;
        page.shows("now", "30.0 s").await?;
        page.shows("events-reached", "event 6/7").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_cursor_stays_in_view() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        a_minute(&page).await?;
        page.tab_to("scrubber").await?;
        page.press("+").await?;
        page.press("=").await?;
        part(&page, "45.0", "67.5").await?;
        page.press(Key::Home + "").await?;
        part(&page, "0.0", "22.5").await?;
        page.press(Key::End + "").await?;
        part(&page, "48.8", "71.3").await?;
        page.press("-").await?;
        part(&page, "37.5", "82.5").await?;
        page.press("0").await?;
        part(&page, "0.0", "90.0").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_overview_pans_by_keys_and_mouse() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        a_minute(&page).await?;
        page.enter("time-menu-button").await?;
        page.enter("zoom-in").await?;
        page.press(Key::Escape + "").await?;
        page.tab_to("overview").await?;
        page.press(Key::Home + "").await?;
        part(&page, "0.0", "45.0").await?;
        page.press(Key::Right + "").await?;
        part(&page, "4.5", "49.5").await?;
        page.press(Key::End + "").await?;
        part(&page, "45.0", "90.0").await?;
        page.press(Key::PageUp + "").await?;
        part(&page, "4.5", "49.5").await?;
        page.shows("now", "60.0 s").await?;
        let strip = page.find("overview").await?;
        strip.click().await?;
        part(&page, "22.5", "67.5").await?;
        let is_painted = format!(
            "[...{PIXELS}(document.querySelector('.strip > canvas')).data].some(it => it > 0)"
        );
        page.until_frame(&is_painted).await?;
        page.shows("now", "60.0 s").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn one_finger_pans_and_two_zoom() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        a_minute(&page).await?;
        send(&page, "Emulation.setTouchEmulationEnabled", json!({ "enabled": true })).await?;
        page.set_view(NARROW).await?;
        page.eval("document.querySelector('.lanes').scrollIntoView({ block: 'center' })").await?;
        let spill =
            "(it => it.scrollWidth - it.clientWidth)(document.querySelector('.lanes-scroll'))";
        assert_eq!(page.eval(spill).await?, 0, "the lanes fit the page");
        let (_, _, y) = place(&page).await?;
        // The whole timeline is in view, so that it cannot be panned.
        touch(&page, &[[(150.0, y), (350.0, y)]]).await?;
        part(&page, "0.0", "90.0").await?;
        touch(&page, &[[(126.0, y), (126.0, y)], [(186.0, y), (246.0, y)]]).await?;
        // The time under the finger that did not move stays there.
        page.until(&format!(
            "(part => Math.abs(part[2] - part[1] - 45) < 0.2 && part[1] > 3 && part[1] < 6)
                ({PART}.match(/([0-9.]+) to ([0-9.]+)/))"
        ))
        .await?;
        touch(&page, &[[(340.0, y), (120.0, y)]]).await?;
        page.until(&format!("parseFloat({PART}) > 10")).await?;
        let before = page.eval(PART).await?;
        // A vertical swipe scrolls the page and does not pan the lanes.
        page.eval("scrollTo(0, 0)").await?;
        page.eval("document.querySelector('.lanes').scrollIntoView({ block: 'center' })").await?;
        let was = page.eval("scrollY").await?;
        touch(&page, &[[(200.0, y), (202.0, y - 200.0)]]).await?;
        page.until(&format!("scrollY > {was}")).await?;
        assert_eq!(page.eval(PART).await?, before);
        page.shows("now", "60.0 s").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_long_idle_time_is_shortened_and_labelled() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        a_minute(&page).await?;
        assert_eq!(page.eval(&format!("!{}", drawing_of("fold"))).await?, true);
        for _ in 0..5 {
            page.click("plus-10").await?;
        }
        // The lock-delay was over at 45 s; since then nothing happens.
        draws(&page, "fold").await?;
        draws(&page, "fold-length").await?;
        // The plate at now is in the middle of the axis, beside the fold.
        drag(&page, 0.44, 0.44).await?;
        page.until("parseFloat(document.querySelector('[data-testid=now]').innerText) > 60")
            .await?;
        page.press(Key::End + "").await?;
        page.click("zoom-in").await?;
        page.find("overview").await?;
        draws(&page, "fold").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn event_order_gives_all_steps_the_same_width() -> WebDriverResult<()> {
    const LANES: &str = "[...document.querySelectorAll('.lanes canvas')]
        .map(it => it.toDataURL()).join()";
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        for wait in ["plus-1", "plus-10", "plus-1"] {
            page.click(wait).await?;
            page.click("acquire-web-1").await?;
        }
        page.tab_to("scrubber").await?;
        draws(&page, "try-true").await?;
        let was = page.eval(LANES).await?;
        page.press("t").await?;
        let pressed = "document.querySelector('[data-testid=axis-order]').ariaPressed == 'true'";
        page.until(pressed).await?;
        // A click near an event goes to it. The axis has eight steps.
        for (share, now) in [(0.131, "1.0 s"), (0.256, "11.0 s"), (0.381, "12.0 s")] {
            drag(&page, share, share).await?;
            page.shows("now", now).await?;
        }
        // Half of it has four.
        page.click("zoom-in").await?;
        drag(&page, 0.506, 0.506).await?;
        page.shows("now", "12.0 s").await?;
        page.click("axis-whole").await?;
        drag(&page, 0.256, 0.256).await?;
        page.shows("now", "11.0 s").await?;
        page.press(Key::End + "").await?;
        page.shows("now", "12.0 s").await?;
        // A tenth of the axis, which has eight steps.
        page.press(Key::PageUp + "").await?;
        page.shows("now", "11.2 s").await?;
        page.press(Key::End + "").await?;
        page.shows("now", "12.0 s").await?;
        page.driver.refresh().await?;
        page.until(pressed).await?;
        page.press("t").await?;
        page.until("document.querySelector('[data-testid=axis-time]').ariaPressed == 'true'")
            .await?;
        let was = serde_json::to_string(&was)?;
        page.until_frame(&format!("{LANES} == {was}")).await?;
        Ok(page)
    })
    .await
}
