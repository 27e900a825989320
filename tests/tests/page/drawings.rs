//! What the canvases of the page show: the kinds of marks that a canvas names, its pixels, and the
//! shapes of all lanes as elements with the page's styles.

use serde_json::json;
use thirtyfour::prelude::*;

use super::sandbox::Sandbox;
use super::share::saved_by;

/// A function that returns the pixels of a canvas.
pub(crate) const PIXELS: &str = "(canvas => {
    const { width, height } = canvas;
    const pen = Object.assign(document.createElement('canvas'), { width, height })
        .getContext('2d', { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0);
    return pen.getImageData(0, 0, width, height);
})";

/// The element whose drawing has a mark of a kind.
pub(crate) fn drawing_of(mark: &str) -> String {
    format!("document.querySelector('[data-marks~={mark}]')")
}

/// Waits until a drawing has a mark of a kind.
pub(crate) async fn draws(page: &Sandbox, mark: &str) -> WebDriverResult<()> {
    page.until(&drawing_of(mark)).await
}

/// Adds the shapes of all lanes to the page as SVG elements, which have the styles with which the
/// canvases are painted.
pub(crate) async fn add_elements_of_lanes(page: &Sandbox) -> WebDriverResult<()> {
    page.click("share-button").await?;
    let picture = saved_by(page, "share-picture").await?;
    page.press(Key::Escape + "").await?;
    let (head, rest) = picture.split_once("<style>").expect("it has styles");
    let (_, rest) = rest.split_once("</style>").expect("its styles end");
    let elements = format!("{head}{}", rest.replacen(" fill=\"#fff\"/>", " fill=\"none\"/>", 1));
    let add = format!(
        "(document.querySelector('.added-lanes')?.remove(),
        document.querySelector('.lanes').insertAdjacentHTML('beforeend',
            '<div class=added-lanes>' + {} + '</div>'), true)",
        json!(elements)
    );
    page.eval(&add).await.map(drop)
}

/// What the page shows after now: points at which the cover of the time ahead is not opaque, and
/// lanes with a bar over it. Only a bar has 24 pixels of one colour beside and below each other
/// that is not that of the cover; marks and words are narrower, and lines are lower.
pub(crate) fn beyond() -> String {
    format!(
        "(() => {{
            const canvas = document.querySelector('.lane-canvas');
            const {{ data, width, height }} = {PIXELS}(canvas);
            const colours = new Uint32Array(data.buffer);
            const colour = (x, y) => colours[y * width + x];
            const isOpaque = (x, y) => data[4 * (y * width + x) + 3] >= 250;
            const end = width - 24;
            // The row below the axis has no lane.
            let now = end;
            while (isOpaque(now, 30)) now--;
            const seen = now == end ? ['the cover'] : [];
            const counts = new Map();
            for (let y = 30; y < height - 8; y++)
                for (let x = now + 1; x <= end; x++) {{
                    if (!isOpaque(x, y)) seen.push(x + ' ' + y);
                    counts.set(colour(x, y), (counts.get(colour(x, y)) ?? 0) + 1);
                }}
            const [cover] = [...counts].reduce((one, other) => other[1] > one[1] ? other : one);
            const top = canvas.getBoundingClientRect().top;
            const named = document.querySelectorAll('.lane:not(.lane-guess, .lane-axis)');
            const barred = [...named].filter(it => {{
                const place = it.getBoundingClientRect();
                const [from, to] = [place.top - top, place.bottom - top].map(Math.round);
                for (let y = Math.max(from, 30); y < Math.min(to, height) - 4; y++)
                    for (let x = now + 3, run = 0; x < end; x++) {{
                        const is = colour(x, y);
                        const isBar = is != cover && is == colour(x - 1, y)
                            && is == colour(x, y + 3);
                        run = isBar ? run + 1 : 0;
                        if (run >= 24) return true;
                    }}
            }});
            return seen.slice(0, 9).concat(barred.map(it => it.dataset.testid));
        }})()"
    )
}
