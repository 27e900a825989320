//! Screenshots of the page are compared with the reviewed ones in tests/shots.
//!
//! `LICTOR_SHOTS=keep` writes new screenshots, which must be reviewed before they are committed.
//! Letters depend on the release of Chromium and on the fonts. With others the comparison is
//! skipped, except in CI, where it fails.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use serde_json::json;
use thirtyfour::prelude::*;

use super::drawings::draws;
use super::embed::{FRAME, open};
use super::environment::is_ci;
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

const NARROW: View = View { width: 360, height: 800, theme: "light" };
const DARK: View = View { theme: "dark", ..REFERENCE };

/// The browser that took the screenshots. Other releases may draw letters differently.
const CHROMIUM: &str = "Chrome/156.";

/// Selects the fonts that the setup installs.
pub(crate) const FONTS: &str = "document.documentElement.style.cssText = \
    '--sans: \"DejaVu Sans\", \"Noto Sans CJK SC\"; --mono: \"DejaVu Sans Mono\"'";
/// Whether the browser has these fonts; otherwise it would use other ones.
const HAS_FONTS: &str = "(() => {
    const width = (font) => {
        const pen = document.createElement('canvas').getContext('2d');
        pen.font = `40px ${font}`;
        return pen.measureText('mil中').width;
    };
    return ['\"DejaVu Sans\"', '\"Noto Sans CJK SC\"']
        .every((font) => width(`${font}, serif`) != width('serif'));
})()";

/// A pixel differs if one of its colour channels differs by this much or more.
const NEAR: u8 = 48;
/// The number of pixels of 10,000 that may differ.
const STRAY: usize = 10;

/// A picture of a PNG file.
struct Picture {
    width: u32,
    height: u32,
    /// The channels of one pixel after the other: red, green, blue, and alpha if there are four.
    pixels: Vec<u8>,
    channels: usize,
}

impl Picture {
    fn read(path: &Path) -> Self {
        let file = File::open(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        let mut reader =
            png::Decoder::new(BufReader::new(file)).read_info().expect("a picture in PNG");
        let size = reader.output_buffer_size().expect("it fits into memory");
        let mut pixels = vec![0; size];
        let frame = reader.next_frame(&mut pixels).expect("a whole picture");
        let channels = frame.color_type.samples();
        Self { width: frame.width, height: frame.height, pixels, channels }
    }

    /// How many pixels differ, of 10,000.
    fn strays(&self, other: &Self) -> usize {
        assert_eq!((self.width, self.height), (other.width, other.height), "of another size");
        let is_near = |(one, other): (&[u8], &[u8])| {
            one.iter().zip(other).take(3).all(|(one, other)| one.abs_diff(*other) < NEAR)
        };
        let pixels = self.pixels.chunks(self.channels).zip(other.pixels.chunks(other.channels));
        let strays = pixels.filter(|pair| !is_near(*pair)).count();
        (strays * 10_000).div_ceil((self.width * self.height) as usize)
    }
}

/// Compares a screenshot with the reviewed one of this name.
async fn looks_as(page: &Sandbox, name: &str, view: View) -> WebDriverResult<()> {
    page.set_view(view).await?;
    page.eval(&format!("({FONTS}, document.fonts.ready.then(() => true))")).await?;
    // The screenshot must not show the caret or the pointer.
    page.eval("(document.activeElement.blur(), scrollTo(0, 0), true)").await?;
    let away = json!({ "type": "mouseMoved", "x": 0, "y": 0 });
    page.driver.cdp().send_raw("Input.dispatchMouseEvent", away).await?;
    let taken = page.driver.screenshot_as_png().await?;
    let reviewed = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("shots/{name}.png"));
    if std::env::var("LICTOR_SHOTS").is_ok_and(|value| value == "keep") {
        return Ok(fs::write(reviewed, taken)?);
    }
    let is_same = format!("navigator.userAgent.includes('{CHROMIUM}') && {HAS_FONTS}");
    if page.eval(&is_same).await? != true {
        let reason = format!("{name}: not compared; it was taken with {CHROMIUM} and its fonts");
        assert!(!is_ci(), "{reason}");
        println!("{reason}");
        return Ok(());
    }
    let now = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
    fs::write(&now, taken)?;
    let strays = Picture::read(&now).strays(&Picture::read(&reviewed));
    assert!(strays <= STRAY, "{strays} of 10,000 pixels differ: {}", now.display());
    Ok(())
}

#[tokio::test]
async fn a_fresh_page_looks_as_it_did() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        looks_as(&page, "fresh-light", REFERENCE).await?;
        looks_as(&page, "fresh-dark", DARK).await?;
        looks_as(&page, "fresh-narrow", NARROW).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_embedded_page_looks_as_it_did() -> WebDriverResult<()> {
    with_page(FRAME, |page| async move {
        open(&page, "#story=two-believers.4", FRAME).await?;
        page.click("previous-event").await?;
        looks_as(&page, "embed-light", FRAME).await?;
        looks_as(&page, "embed-dark", View { theme: "dark", ..FRAME }).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn two_believers_look_as_they_did() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-15").await?;
        page.to_last_page().await?;
        draws(&page, "two-believers").await?;
        looks_as(&page, "believers-light", REFERENCE).await?;
        looks_as(&page, "believers-dark", DARK).await?;
        looks_as(&page, "believers-narrow", NARROW).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_lessons_in_chinese_look_as_they_did() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("language").await?;
        page.click("home-button").await?;
        page.find("story-21").await?;
        looks_as(&page, "stories-chinese", REFERENCE).await?;
        Ok(page)
    })
    .await
}

#[test]
fn a_changed_label_exceeds_the_tolerance() {
    let blank = || Picture { width: 100, height: 100, pixels: vec![255; 30_000], channels: 3 };
    let mut label = blank();
    label.pixels[3_000..3_060].fill(0);
    assert_eq!(blank().strays(&blank()), 0);
    assert_eq!(blank().strays(&label), 20);
}
