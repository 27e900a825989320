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

/// What the page shows, or paints under the cover, after now: points at which the cover of the time
/// ahead is not opaque, lanes above the cover, and lanes with a bar under it. Only a bar has 24
/// opaque pixels in a row; marks and words are narrower.
pub(crate) fn beyond() -> String {
    format!(
        "(() => {{
            const cover = {PIXELS}(document.querySelector('.over'));
            const isOpaque = (x, y) => cover.data[4 * (y * cover.width + x) + 3] >= 250;
            const end = cover.width - 24;
            let now = end;
            while (isOpaque(now, 60)) now--;
            const seen = now == end ? ['the cover'] : [];
            for (let y = 30; y < cover.height - 8; y++)
                for (let x = now + 1; x <= end; x++)
                    if (!isOpaque(x, y)) seen.push(x + ' ' + y);
            const lanes = document.querySelector('.lane-canvas');
            const top = lanes.getBoundingClientRect().top;
            const drawn = {PIXELS}(lanes);
            const above = getComputedStyle(lanes).zIndex == 'auto' ? [] : ['the lanes'];
            const named = document.querySelectorAll('.lane:not(.lane-guess, .lane-axis)');
            const barred = [...named].filter(it => {{
                // The badges of reads of one instant are beside each other.
                if (it.matches('[data-testid^=lane-Reads]')) return false;
                const place = it.getBoundingClientRect();
                const [from, to] = [place.top - top, place.bottom - top].map(Math.round);
                for (let y = Math.max(from, 0); y < Math.min(to, drawn.height); y++)
                    for (let x = now + 3, run = 0; x < drawn.width; x++) {{
                        run = drawn.data[4 * (y * drawn.width + x) + 3] > 220 ? run + 1 : 0;
                        if (run >= 24) return true;
                    }}
            }});
            return seen.slice(0, 9).concat(above, barred.map(it => it.dataset.testid));
        }})()"
    )
}
