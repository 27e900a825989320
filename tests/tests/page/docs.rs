//! The documentation beside the page: its links, its search in both languages, and that a reader's
//! browser asks no other host. setup/docs.sh builds it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use regex::Regex;
use serde_json::json;
use thirtyfour::prelude::*;

use super::embed::leave;
use super::environment::dist;
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// A phone.
const NARROW: View = View { width: 360, height: 800, theme: "dark" };

async fn visit(page: &Sandbox, path: &str) -> WebDriverResult<()> {
    page.driver.goto(&format!("{}docs/{path}", page.address())).await?;
    page.until("document.querySelector('main')").await
}

/// The addresses of the results of a search, without what marks the words.
async fn results(page: &Sandbox, book: &str, words: &str) -> WebDriverResult<String> {
    visit(page, &format!("{book}index.html?search={words}")).await?;
    page.until("document.querySelector('#mdbook-searchresults a')").await?;
    let addresses =
        "[...document.querySelectorAll('#mdbook-searchresults a')].map(it => it.pathname)";
    Ok(page.eval(&format!("{addresses}.join(' ')")).await?.as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn the_documentation_is_searched_in_english_and_in_chinese() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let english = results(&page, "", "tombstones").await?;
        assert!(english.contains("/docs/reference/behaviour.html"), "{english}");
        let chinese = results(&page, "zh/", "会话").await?;
        assert!(chinese.contains("/docs/zh/"), "{chinese}");
        let marked = "document.querySelector('#mdbook-searchresults em').innerText";
        assert_eq!(page.eval(marked).await?, "会话");
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_documentation_asks_no_other_host_and_fits_a_phone() -> WebDriverResult<()> {
    with_page(NARROW, |page| async move {
        for path in ["index.html", "zh/index.html", "reference/compatibility.html"] {
            visit(&page, path).await?;
            let hosts = "[...new Set(performance.getEntriesByType('resource')
                .map(it => new URL(it.name).origin))].filter(it => it != location.origin)";
            assert_eq!(page.eval(hosts).await?, json!([]), "{path}");
            let excess =
                "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert_eq!(page.eval(excess).await?, 0, "{path} scrolls sideways");
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_demo_is_a_picture_until_its_reader_runs_it() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        visit(&page, "learn/ttl.html").await?;
        let pictures =
            "document.querySelectorAll('.demo svg.lanes-picture:not(.is-narrow)').length";
        assert_eq!(page.eval(pictures).await?, 2);
        let loaded = "performance.getEntriesByType('resource')
            .filter(it => /embed|lictor-web/.test(it.name)).length";
        assert_eq!(page.eval(loaded).await?, 0, "nothing of the page is loaded before");
        page.eval("(document.querySelector('.demo button').click(), true)").await?;
        page.until("document.querySelector('lictor-sandbox:defined')").await?;
        page.until("document.activeElement == document.querySelector('lictor-sandbox')").await?;
        let now = "const done = arguments[arguments.length - 1];
            document.querySelector('lictor-sandbox').now().then(done, error => done(`${error}`))";
        let now = page.driver.execute_async(now, Vec::new()).await?.json().clone();
        assert_eq!(now, 28_000, "it begins where the page of the lesson asks its question");
        assert_eq!(page.eval(pictures).await?, 1, "the other demo is still a picture");
        leave(&page).await?;
        Ok(page)
    })
    .await
}

/// All HTML files below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the built documentation");
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    paths
        .flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] })
        .filter(|path| path.extension().is_some_and(|ending| ending == "html"))
        .collect()
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
        plain
    })
}

/// What is wrong with a link from a page, if it leads to this site.
fn broken(page: &Path, link: &str) -> Option<String> {
    if link.contains("://") || link.starts_with("data:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let path = path.split('?').next().unwrap_or_default();
    let mut target = match path {
        "" => page.to_owned(),
        path => plain(&page.parent().expect("a page lies in a folder").join(path)),
    };
    if target.is_dir() {
        target.push("index.html");
    }
    let Ok(text) = fs::read(&target) else {
        return Some(format!("{}: {link} leads nowhere", page.display()));
    };
    // An anchor of the sandbox is a world.
    let is_page_of_text = target.extension().is_some_and(|ending| ending == "html")
        && target.starts_with(dist().join("docs"));
    let id = format!("id=\"{anchor}\"");
    let is_there =
        anchor.is_empty() || !is_page_of_text || String::from_utf8_lossy(&text).contains(&id);
    (!is_there).then(|| format!("{}: {link} has no such anchor", page.display()))
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let links = Regex::new(r#"<[^>]* (?:href|src)="([^"]*)""#).expect("a regular expression");
    let pages = pages(&dist().join("docs"));
    assert!(pages.len() > 10, "{} pages are not the documentation", pages.len());
    let mut wrong = BTreeSet::new();
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page of text");
        let found = links.captures_iter(&text).map(|found| found[1].replace("&amp;", "&"));
        wrong.extend(found.filter_map(|link| broken(&page, &link)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
