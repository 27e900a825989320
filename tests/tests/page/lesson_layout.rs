//! In every lesson, at the reference size, on a low page and on a narrow one, letters of the axis
//! have the room that their places assume, names of lanes are complete, and the evidence of each
//! answer is in view.

use serde_json::Value;
use thirtyfour::prelude::*;

use super::lessons::SCENARIOS;
use super::sandbox::{REFERENCE, Sandbox, View, with_page};
use super::screenshots::FONTS;

const VIEWS: [View; 3] = [
    REFERENCE,
    View { width: 1366, height: 768, ..REFERENCE },
    View { width: 360, height: 800, ..REFERENCE },
];

/// How many frames a list may take to scroll.
const FRAMES_MAX: u32 = 300;

/// The letters of the axis that are wider than the room that the places of its labels have for one;
/// a native test checks that no two labels with this room overlap.
const WIDE_LETTERS: &str = "(() => {
    const pen = document.createElement('canvas').getContext('2d');
    const name = document.querySelector('.lane-axis .lane-name');
    const { fontSize, fontFamily } = getComputedStyle(name);
    pen.font = `600 ${fontSize} ${fontFamily}`;
    return [...'0123456789'].filter(it => pen.measureText(it).width > 8.7 * 1.1);
})()";

/// The names of lanes that are cut.
const NAMES_CUT: &str = "[...document.querySelectorAll('.lane-name b, .lane-name > span')]
    .filter(it => it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight)
    .map(it => it.textContent)";

/// The parts of a lesson that are out of view: lanes, choices, or the event that answers the
/// question. A narrow page has a bar at its foot, which covers what is below it; other pages scroll
/// their panels.
const OUT_OF_VIEW: &str = "(() => {
    const isNarrow = innerWidth < 720;
    const within = (it, box) => it.top >= box.top - 0.5 && it.bottom <= box.bottom + 0.5;
    const place = (it) => it.getBoundingClientRect();
    const foot = isNarrow ? place(document.querySelector('.transport')).top : innerHeight;
    const page = { top: 0, bottom: foot };
    const panel = (it) => {
        const panel = it.closest('.lanes-scroll, .rows');
        return isNarrow || !panel ? page : place(panel);
    };
    const parts = isNarrow ? '.lane, .guess, .mark, .story-event' : 'PARTS';
    return [...document.querySelectorAll(parts)]
        .filter(it => it.checkVisibility() && !within(place(it), panel(it)))
        .map(it => it.dataset.testid ?? it.className);
})()";
/// The row of the event that shows the answer, or the row at the cursor if no event does.
const EVENT: &str = ".log tr.answer, .log:not(:has(tr.answer)) tr.here";

/// Opens a lesson at its question in the widest of the usual fonts.
async fn ask(page: &Sandbox, number: u32) -> WebDriverResult<()> {
    page.set_view(REFERENCE).await?;
    page.click("home-button").await?;
    page.click(&format!("story-{number}")).await?;
    page.find("choice-1").await?;
    page.eval(&format!("({FONTS}, true)")).await.map(drop)
}

/// Waits until a list is empty, frame by frame, because a list that scrolls changes no element.
/// Returns what is left after [`FRAMES_MAX`] frames.
async fn comes_to_nothing(page: &Sandbox, list: &str) -> WebDriverResult<Value> {
    let frames = format!(
        "new Promise(done => {{
            let frames = 0;
            const look = () => {{
                const left = {list};
                if (left.length == 0 || ++frames == {FRAMES_MAX}) done(left);
                else requestAnimationFrame(look);
            }};
            look();
        }})"
    );
    page.eval(&frames).await
}

#[tokio::test]
async fn letters_of_the_axis_have_room_and_lanes_have_their_whole_names() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for number in 1..=SCENARIOS {
            ask(&page, number).await?;
            for is_answered in [false, true] {
                if is_answered {
                    page.click("story-skip").await?;
                    page.find("story-verdict").await?;
                }
                for view in VIEWS {
                    page.set_view(view).await?;
                    let wide = page.eval(WIDE_LETTERS).await?;
                    assert_eq!(wide, serde_json::json!([]), "{view:?}");
                    let cut = page.eval(NAMES_CUT).await?;
                    assert_eq!(cut, serde_json::json!([]), "question {number}, {view:?}");
                }
                page.set_view(REFERENCE).await?;
            }
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_evidence_of_each_answer_is_in_view() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for number in 1..=SCENARIOS {
            ask(&page, number).await?;
            for is_answered in [false, true] {
                if is_answered {
                    page.guess().await?;
                }
                for view in VIEWS {
                    page.set_view(view).await?;
                    page.eval("(scrollTo(0, 0), true)").await?;
                    let out_of_view = OUT_OF_VIEW.replace("PARTS", ".lane, .guess, .mark");
                    let left = comes_to_nothing(&page, &out_of_view).await?;
                    let lesson = format!("question {number}, answered: {is_answered}, {view:?}");
                    assert_eq!(left, serde_json::json!([]), "out of view in {lesson}");
                }
                page.set_view(REFERENCE).await?;
            }
            page.click("open-events").await?;
            page.until(&format!("document.querySelector('{EVENT}')")).await?;
            let left = comes_to_nothing(&page, &OUT_OF_VIEW.replace("PARTS", EVENT)).await?;
            assert_eq!(left, serde_json::json!([]), "the event of question {number}");
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn lanes_that_a_lesson_does_not_need_are_folded() -> WebDriverResult<()> {
    const LANES: &str = "document.querySelectorAll('.lanes .lane').length";
    with_page(REFERENCE, |page| async move {
        ask(&page, 5).await?;
        // The axis, four locks and the choices.
        assert_eq!(page.eval(LANES).await?, 6);
        page.click("open-details").await?;
        page.until(&format!("{LANES} == 15")).await?;
        page.find("lane-session-A4").await?;
        page.click("open-details").await?;
        page.until(&format!("{LANES} == 6")).await?;
        page.click("tab-sandbox").await?;
        page.find("lane-server").await?;
        Ok(page)
    })
    .await
}
