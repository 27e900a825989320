//! How stories look at the reference size, on a low page and on a narrow one: labels of the axis do
//! not overlap, names of lanes are complete, and the evidence of each answer is in view.

use thirtyfour::prelude::*;

use super::sandbox::{REFERENCE, Sandbox, View, with_page};
use super::screenshots::FONTS;

const SCENARIOS: u32 = 20;
const VIEWS: [View; 3] = [
    REFERENCE,
    View { width: 1366, height: 768, ..REFERENCE },
    View { width: 360, height: 800, ..REFERENCE },
];

/// The labels of the axis that overlap another one or are cut.
const LABELS_AT_FAULT: &str = "(() => {
    const { left, right } = document.querySelector('.lanes-scroll').getBoundingClientRect();
    const texts = [...document.querySelectorAll('.lane-axis > svg text')];
    const labels = texts.filter(it => it.textContent).map(it => {
        const plate = it.previousElementSibling ?? it;
        return [it.textContent, plate.getBoundingClientRect()];
    }).filter(([, it]) => it.right > left && it.left < right);
    const meets = (one, other) => one != other && one.left < other.right && other.left < one.right;
    const isAtFault = (it) => it.right > right || labels.some(([, other]) => meets(it, other));
    return labels.filter(([, it]) => isAtFault(it)).map(([text]) => text);
})()";

/// The names of lanes that are cut.
const NAMES_CUT: &str = "[...document.querySelectorAll('.lane-name b, .lane-name > span')]
    .filter(it => it.scrollWidth > it.clientWidth || it.scrollHeight > it.clientHeight)
    .map(it => it.textContent)";

/// Opens a story at its question in the widest of the usual fonts.
async fn ask(page: &Sandbox, number: u32) -> WebDriverResult<()> {
    page.look(REFERENCE).await?;
    page.click("home-button").await?;
    page.click(&format!("story-{number}")).await?;
    page.find("choice-1").await?;
    page.eval(&format!("({FONTS}, true)")).await.map(drop)
}

#[tokio::test]
async fn labels_of_the_axis_do_not_overlap_and_lanes_have_their_whole_names() -> WebDriverResult<()>
{
    with_page(REFERENCE, |page| async move {
        for number in 1..=SCENARIOS {
            ask(&page, number).await?;
            for is_answered in [false, true] {
                if is_answered {
                    page.click("story-skip").await?;
                    page.find("story-verdict").await?;
                }
                for view in VIEWS {
                    page.look(view).await?;
                    page.until(&format!("{LABELS_AT_FAULT}.length == 0")).await?;
                    let cut = page.eval(NAMES_CUT).await?;
                    assert_eq!(cut, serde_json::json!([]), "question {number}, {view:?}");
                }
                page.look(REFERENCE).await?;
            }
        }
        Ok(page)
    })
    .await
}
