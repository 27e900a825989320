//! Checks that the texts of the page are legible in both themes: large enough, and distinct from
//! what is painted under them, on bars of the timeline as well. Also checks that texts and lanes
//! grow on wide pages.

use serde_json::json;
use thirtyfour::prelude::*;

use super::drawings::add_elements_of_lanes;
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// The script that returns the texts that are too small or too faint.
const FAULTS: &str = include_str!("legibility.js");
/// Lessons whose worlds have all kinds of lanes and cards.
const LESSONS: [u32; 5] = [1, 4, 10, 15, 19];

/// Panics with the illegible texts of the page, in either theme.
async fn assert_legible(page: &Sandbox) -> WebDriverResult<()> {
    let faults = FAULTS.split_once("(() =>").map_or("", |(_, script)| script);
    for theme in ["light", "dark"] {
        page.set_view(View { theme, ..REFERENCE }).await?;
        let faults = page.eval(&format!("(() =>{faults}")).await?;
        assert_eq!(faults, json!([]), "{theme}");
    }
    Ok(())
}

#[tokio::test]
async fn every_text_is_large_enough_and_distinct_from_its_ground() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        assert_legible(&page).await?;
        for number in LESSONS {
            page.click("home-button").await?;
            page.click(&format!("story-{number}")).await?;
            page.find("choice-1").await?;
            add_elements_of_lanes(&page).await?;
            assert_legible(&page).await?;
            page.guess().await?;
            add_elements_of_lanes(&page).await?;
            assert_legible(&page).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn texts_and_lanes_grow_on_wide_pages() -> WebDriverResult<()> {
    const SIZES: &str = "[
        parseFloat(getComputedStyle(document.body).fontSize),
        parseFloat(getComputedStyle(document.querySelector('.log td')).fontSize),
        document.querySelector('[data-testid=lane-server]').offsetHeight,
        document.querySelector('[data-testid=\"lane-db/leader\"]').offsetHeight,
        document.querySelector('.state').offsetWidth,
    ]";
    with_page(REFERENCE, |page| async move {
        page.click("create-session-web-1").await?;
        page.click("acquire-web-1").await?;
        page.find("lane-db/leader").await?;
        let mut last = vec![0.0; 5];
        for (width, height) in [(1280, 800), (1920, 1080), (2560, 1440)] {
            page.set_view(View { width, height, ..REFERENCE }).await?;
            let sizes = page.eval(SIZES).await?;
            let sizes: Vec<_> = (0..5).map(|it| sizes[it].as_f64().unwrap_or_default()).collect();
            assert!(sizes.iter().zip(&last).all(|(now, before)| now > before), "{width} {sizes:?}");
            last = sizes;
        }
        Ok(page)
    })
    .await
}
