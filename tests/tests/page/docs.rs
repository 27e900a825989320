//! The built documentation: its links lead somewhere, its search works in both languages, its demos
//! work on a phone, on paper and without scripts, and no other host is contacted.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use regex::Regex;
use serde_json::json;
use thirtyfour::prelude::*;

use super::embed::leave;
use super::environment::dist;
use super::sandbox::{REFERENCE, Sandbox, View, with_page};

/// The window of a phone.
const NARROW: View = View { width: 360, height: 800, theme: "dark" };

pub(crate) async fn visit(page: &Sandbox, path: &str) -> WebDriverResult<()> {
    page.driver.goto(&format!("{}docs/{path}", page.address())).await?;
    page.until("document.querySelector('main')").await
}

/// The paths of the results of a search.
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
async fn the_documentation_contacts_no_other_host_and_fits_a_phone() -> WebDriverResult<()> {
    with_page(NARROW, |page| async move {
        for path in [
            "index.html",
            "zh/index.html",
            "reference/compatibility.html",
            "learn/ttl.html",
            "zh/learn/which-session.html",
            "use/embedding.html",
        ] {
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

/// Loads the engine for the demo that is shown first, and waits until it has taken the place of the
/// picture.
pub(crate) async fn act_here(page: &Sandbox) -> WebDriverResult<()> {
    page.eval("(document.querySelector('.demo-world:not([hidden]) .act').click(), true)").await?;
    page.until("document.querySelector('.is-acting lictor-sandbox')").await
}

/// Chooses a value of the first setting of the page.
pub(crate) async fn choose(page: &Sandbox, choice: u32) -> WebDriverResult<()> {
    let script = format!(
        "(it => (it.selectedIndex = {choice}, it.dispatchEvent(new Event('change')), true))
            (document.querySelector('.setting select'))"
    );
    page.eval(&script).await.map(drop)
}

#[tokio::test]
async fn a_value_in_a_sentence_changes_the_picture_the_numbers_and_the_answers()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        visit(&page, "learn/ttl.html").await?;
        let sentence = "[...document.querySelectorAll('main p')]
            .find(it => it.innerText.startsWith('web-1 holds')).textContent.replace(/\\s+/g, ' ')";
        let text = page.eval(sentence).await?;
        let text = text.as_str().unwrap_or_default().to_owned();
        assert!(text.contains("ends at 60 s, which is") && text.contains("2 × 20 s"), "{text}");
        choose(&page, 1).await?;
        let text = page.eval(sentence).await?;
        let text = text.as_str().unwrap_or_default().to_owned();
        assert!(text.contains("ends at 40 s, which is") && text.contains("2 × 10 s"), "{text}");
        // A printed page and a reader's view have the text and not the select.
        let copied = "(it => (getSelection().selectAllChildren(it), `${getSelection()}`))
            ([...document.querySelectorAll('main p')]
                .find(it => it.innerText.startsWith('web-1 holds')))";
        let copied = page.eval(copied).await?;
        let copied = copied.as_str().unwrap_or_default();
        assert!(copied.contains("a TTL of 10 s."), "{copied}");
        let setting = "document.querySelector('.demo figcaption').innerText";
        let setting = page.eval(setting).await?;
        assert!(setting.as_str().is_some_and(|it| it.contains("TTL 10 s")), "{setting}");
        let worlds = "[...document.querySelectorAll('#demo-ttl-twice .demo-world')]
            .map(it => it.offsetHeight > 0)";
        assert_eq!(page.eval(worlds).await?, json!([false, true, false]));
        let answer = "[...document.querySelectorAll('main pre')].filter(it => it.offsetHeight)
            .map(it => it.innerText).find(it => it.includes('/session/create'))";
        let refused = page.eval(answer).await?;
        assert!(refused.as_str().is_some_and(|it| it.contains("Invalid Session TTL")), "{refused}");
        page.eval(
            "(it => (it.selectedIndex = 1, it.dispatchEvent(new Event('change')), true))
                (document.querySelector('[data-group^=commands]:is(select)'))",
        )
        .await?;
        let created = page.eval(answer).await?;
        assert!(created.as_str().is_some_and(|it| it.contains("\"ID\"")), "{created}");
        Ok(page)
    })
    .await
}

/// How many demos a page has, and how many of their pictures can be seen.
const DEMOS: &str = "[
    document.querySelectorAll('.demo').length,
    [...document.querySelectorAll('.demo svg.lanes-picture')]
        .filter(it => it.checkVisibility() && it.querySelector('text.name')
            && it.getBoundingClientRect().height > 50).length,
]";

/// The controls that can be seen, and parts of the page that appear with a script.
const CONTROLS: &str = "[...document.querySelectorAll(
    'button, select, input, textarea, .scripts, lictor-sandbox, lictor-guide > *')]
    .filter(it => it.checkVisibility({ opacityProperty: true }) && it.getClientRects().length)
    .map(it => it.id || it.outerHTML)";

/// Blocks of commands, which have their recorded answers, that cannot be seen.
const HIDDEN_ANSWERS: &str = "[...document.querySelectorAll('main pre code.language-console')]
    .filter(it => !it.checkVisibility() && !it.closest('[data-choice]:not([data-choice=\"0\"])'))
    .map(it => it.innerText)";

async fn pictures_are_seen(page: &Sandbox, path: &str) -> WebDriverResult<()> {
    let demos = page.eval(DEMOS).await?;
    assert!(demos[0].as_u64() > Some(0) && demos[0] == demos[1], "{path}: {demos}");
    assert_eq!(page.eval(HIDDEN_ANSWERS).await?, json!([]), "{path}");
    Ok(())
}

/// The pages of *Learn* in both languages.
pub(crate) fn learn() -> impl Iterator<Item = String> {
    let docs = dist().join("docs");
    let paths = ["learn", "zh/learn"]
        .into_iter()
        .flat_map(|folder| pages(&dist().join("docs").join(folder)));
    let paths: Vec<PathBuf> = paths.collect();
    assert!(paths.len() >= 22, "only {} pages of Learn", paths.len());
    paths.into_iter().map(move |path| {
        let path = path.strip_prefix(&docs).expect("a page of the documentation");
        path.to_string_lossy().replace('\\', "/")
    })
}

#[tokio::test]
async fn learn_is_complete_without_scripts() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        let allow_scripts = async |allowed: bool| {
            let value = json!({ "value": !allowed });
            page.driver.cdp().send_raw("Emulation.setScriptExecutionDisabled", value).await
        };
        allow_scripts(false).await?;
        for path in learn() {
            page.driver.goto(&format!("{}docs/{path}", page.address())).await?;
            pictures_are_seen(&page, &path).await?;
            assert_eq!(page.eval(CONTROLS).await?, json!([]), "{path} has controls");
        }
        allow_scripts(true).await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn learn_is_printed_with_its_pictures_and_without_its_controls() -> WebDriverResult<()> {
    const NAVIGATION: &str = "[...document.querySelectorAll('nav, #mdbook-menu-bar, .sidebar')]
        .filter(it => it.checkVisibility() && it.innerText.trim()).map(it => it.outerHTML)";
    with_page(REFERENCE, |page| async move {
        page.show_on("print", [("prefers-color-scheme", "light"), ("forced-colors", "none")])
            .await?;
        for path in learn() {
            visit(&page, &path).await?;
            pictures_are_seen(&page, &path).await?;
            assert_eq!(page.eval(CONTROLS).await?, json!([]), "{path} has controls");
            assert_eq!(page.eval(NAVIGATION).await?, json!([]), "{path} has navigation");
        }
        page.set_view(REFERENCE).await?;
        act_here(&page).await?;
        page.show_on("print", [("prefers-color-scheme", "light"), ("forced-colors", "none")])
            .await?;
        pictures_are_seen(&page, "a page with a demo that runs").await?;
        assert_eq!(page.eval(CONTROLS).await?, json!([]), "the demo that runs is not printed");
        page.set_view(REFERENCE).await?;
        leave(&page).await?;
        Ok(page)
    })
    .await
}

/// mdBook's bar would come back over the text as soon as a reader scrolls up.
#[tokio::test]
async fn no_bar_of_the_book_covers_a_demo_that_runs_on_a_phone() -> WebDriverResult<()> {
    const NARROW: View = View { width: 360, height: 800, theme: "light" };
    const COVERED: &str = "const done = arguments[arguments.length - 1];
        const demo = document.querySelector('lictor-sandbox');
        const scroll = async top => {
            scrollTo(0, top);
            for (let n = 0; n < 3; n++) await new Promise(requestAnimationFrame);
        };
        const top = scrollY + demo.getBoundingClientRect().top;
        (async () => {
            const found = [];
            for (const place of [0, top + 300, top + 200, top + 100, top, top + 50]) {
                await scroll(place);
                const bar = document.getElementById('mdbook-menu-bar').getBoundingClientRect();
                const box = demo.getBoundingClientRect();
                if (bar.bottom > Math.max(box.top, 0) && bar.top < box.bottom) found.push(place);
            }
            done(found);
        })();";
    with_page(NARROW, |page| async move {
        for path in ["learn/lock-delay.html", "zh/learn/lock-delay.html"] {
            visit(&page, path).await?;
            act_here(&page).await?;
            let covered = page.driver.execute_async(COVERED, Vec::new()).await?;
            assert_eq!(*covered.json(), json!([]), "{path}");
        }
        leave(&page).await?;
        Ok(page)
    })
    .await
}

/// The site works under a content security policy without `'unsafe-inline'` for scripts.
#[test]
fn the_documentation_has_no_inline_scripts() {
    let inline = Regex::new(r#"<script(?:\s[^>]*)?>|\son[a-z]+=""#).expect("a regular expression");
    for page in pages(&dist().join("docs")) {
        let text = fs::read_to_string(&page).expect("a page of text");
        let found = inline.find_iter(&text).map(|found| found.as_str());
        let found: Vec<_> = found.filter(|script| !script.contains(" src=")).collect();
        assert!(found.is_empty(), "{}: {found:?}", page.display());
    }
}

/// Uses a page of *Learn*: a value changes its numbers, a number lights its place in the picture,
/// and a demo starts.
pub(crate) async fn read_a_page(page: &Sandbox) -> WebDriverResult<()> {
    visit(page, "learn/ttl.html").await?;
    choose(page, 1).await?;
    let place = "[...document.querySelectorAll('a.place')].find(it => it.innerText == '40 s')";
    page.eval(&format!("({place}.click(), true)")).await?;
    page.until("document.querySelector('.demo-world:not([hidden]) .band.is-lit')").await?;
    act_here(page).await?;
    let started = "const done = arguments[arguments.length - 1];
        document.querySelector('lictor-sandbox').consul().then(done, error => done(`${error}`))";
    let started = page.driver.execute_async(started, Vec::new()).await?.json().clone();
    assert_eq!(started, "1.22");
    leave(page).await
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

/// What is wrong with a link from a page; `None` if nothing is, or if it leads to another site.
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
    // The fragment of a link to the sandbox is a world and no anchor.
    let is_page_of_text = target.extension().is_some_and(|ending| ending == "html")
        && target.starts_with(dist().join("docs"));
    let id = format!("id=\"{anchor}\"");
    let has_anchor =
        anchor.is_empty() || !is_page_of_text || String::from_utf8_lossy(&text).contains(&id);
    (!has_anchor).then(|| format!("{}: {link} has no such anchor", page.display()))
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
