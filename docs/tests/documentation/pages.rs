//! The pages of the documentation: their commands get the answers that they show, each is listed,
//! and Learn is complete in both languages.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use lictor_docs::with_answers;

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The Markdown files below a folder of docs/, by their paths in it.
fn pages(folder: &str) -> BTreeSet<String> {
    fn collect(root: &Path, folder: &Path, found: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("a folder of the documentation") {
            let path = entry.expect("an entry of the folder").path();
            if path.is_dir() {
                collect(root, &path, found);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let name = path.strip_prefix(root).expect("a path below the folder");
                found.insert(name.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let (root, mut found) = (docs().join(folder), BTreeSet::new());
    collect(&root, &root, &mut found);
    found
}

fn text(path: &str) -> String {
    fs::read_to_string(docs().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn commands_get_the_answers_that_pages_show() {
    let mut blocks = 0;
    for book in ["en", "zh"] {
        for page in pages(book) {
            let path = format!("{book}/{page}");
            let text = text(&path);
            blocks += text.matches("```console\n").count();
            let answered =
                with_answers(&text).unwrap_or_else(|error| panic!("docs/{path}, {error}"));
            assert!(
                answered == text,
                "docs/{path} shows other answers than the engine gives (docs/src/main.rs)"
            );
        }
    }
    assert!(blocks >= 8, "only {blocks} blocks of commands were found");
}

#[test]
fn every_page_is_listed_in_its_book() {
    for book in ["en", "zh"] {
        let summary = text(&format!("{book}/SUMMARY.md"));
        for page in pages(book).into_iter().filter(|page| page != "SUMMARY.md") {
            assert!(summary.contains(&format!("]({page})")), "{book}/SUMMARY.md misses {page}");
        }
    }
}

#[test]
fn a_chinese_page_is_a_translation_and_its_english_page_links_to_it() {
    let (english, script) = (pages("en"), text("theme/docs.js"));
    for page in pages("zh").into_iter().filter(|page| page.contains('/')) {
        assert!(english.contains(&page), "docs/en has no {page}");
        let name = page.split(['/', '.']).nth(1).unwrap_or_default();
        let is_linked = page.starts_with("learn/")
            || script.contains(&format!("{name}|"))
            || script.contains(&format!("|{name})"));
        assert!(is_linked, "docs/theme/docs.js does not name {page} as translated");
    }
}

/// A Chinese page has the content of its English one: the same commands and demos, in the same
/// order, and the same times and settings in its sentences.
#[test]
fn learn_is_the_same_in_both_languages() {
    let chinese = pages("zh/learn");
    assert_eq!(pages("en/learn"), chinese);
    for page in chinese {
        let shared = |book: &str| -> Vec<String> {
            let text = text(&format!("{book}/learn/{page}"));
            let lines =
                text.lines().filter(|line| line.starts_with("{{#") || line.starts_with("$ "));
            lines.map(str::to_owned).collect()
        };
        assert_eq!(shared("en"), shared("zh"), "{page}");
        let mentioned = |book: &str| -> Vec<String> {
            let text = text(&format!("{book}/learn/{page}"));
            let links = text.split("](#").skip(1);
            let mut links: Vec<_> = links
                .filter_map(|link| link.split_once(')'))
                .map(|(link, _)| link.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            links.sort_unstable();
            links
        };
        assert_eq!(mentioned("en"), mentioned("zh"), "{page}");
    }
}

/// The page about incidents has the same examples in both languages, and names the same options,
/// members and endpoints.
#[test]
fn the_page_about_incidents_is_the_same_in_both_languages() {
    let parts = |book: &str| {
        let text = text(&format!("{book}/use/incident.md"));
        let (examples, prose): (Vec<_>, Vec<_>) =
            text.split("```").enumerate().partition(|(place, _)| place % 2 == 1);
        let examples: Vec<String> = examples.iter().map(|(_, part)| (*part).to_owned()).collect();
        let prose: String = prose.iter().map(|(_, part)| *part).collect();
        let names: BTreeSet<String> =
            prose.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        (examples, names)
    };
    assert_eq!(parts("en"), parts("zh"));
}

#[test]
fn a_page_of_learn_begins_with_what_its_reader_will_know() {
    for (book, promise) in [("en", "After this page you can"), ("zh", "读完本页，你能")] {
        for page in pages(&format!("{book}/learn")) {
            let text = text(&format!("{book}/learn/{page}"));
            let first = text.split("\n\n").nth(1).unwrap_or_default();
            assert!(first.starts_with(promise), "{book}/learn/{page}: {first}");
        }
    }
}
