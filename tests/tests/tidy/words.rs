//! Refuses unsafe code, tests that pass by panicking, macros of unfinished code, functions of the
//! page that make markup or code from text, and comments that defer work without naming an owner.

use crate::sources::{CodeWord, SourceFile};

/// Refused in every package: code that the compiler does not check, and tests that pass by
/// panicking.
const NOWHERE: [&str; 2] = ["unsafe", "should_panic"];

/// Macros of unfinished code; refused in every package, but only as macros.
const NO_MACRO: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// Refused in the packages of the page: it makes markup or code from text, which may come from a
/// link of a stranger.
const NOT_ON_THE_PAGE: [&str; 5] =
    ["inner_html", "set_inner_html", "set_outer_html", "insert_adjacent_html", "eval"];

pub(crate) fn banned(sources: &[SourceFile]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        for word in source.words() {
            if let Some(reason) = why_banned(source, &word) {
                violations.push(source.at(word.line, format!("`{}`: {reason}", word.text)));
            }
        }
    }
    violations
}

fn why_banned(source: &SourceFile, word: &CodeWord) -> Option<&'static str> {
    let text = word.text.as_str();
    let is_page = ["web", "view", "desk"].contains(&source.package());
    if NOWHERE.contains(&text) {
        return Some("not in this project");
    }
    if word.has_bang && NO_MACRO.contains(&text) {
        return Some("code is finished");
    }
    (is_page && NOT_ON_THE_PAGE.contains(&text)).then_some("text is never markup")
}

pub(crate) fn deferred_without_owner(sources: &[SourceFile]) -> Vec<String> {
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    let mut violations = Vec::new();
    for source in sources {
        for (line, text) in source.lines() {
            let Some((_, comment)) = text.split_once("//") else { continue };
            let has_owner = |mark: &str| comment.contains(&format!("{mark}("));
            if marks.iter().any(|mark| comment.contains(mark) && !has_owner(mark)) {
                violations.push(source.at(line, "deferred work names its owner in parentheses"));
            }
        }
    }
    violations
}

#[test]
fn banned_words_are_found_in_code_only() {
    for (path, text, is_banned) in [
        ("core/src/id.rs", "fn f() { unsafe {} }", true),
        ("core/src/id.rs", "/// Not unsafe.\nfn f() { g(\"unsafe\"); }", false),
        ("core/src/id.rs", "fn f() { todo!() }", true),
        ("core/src/id.rs", "fn f(todo: bool) -> bool { !todo }", false),
        ("web/src/app.rs", "fn f() { view! { <p inner_html=text /> }; }", true),
        ("agent/src/main.rs", "fn f() { eval(); }", false),
    ] {
        let source = SourceFile::new(path, text);
        assert_eq!(!banned(&[source]).is_empty(), is_banned, "{path}: {text}");
    }
}

#[test]
fn deferred_work_needs_an_owner() {
    for (after_mark, is_violation) in [(": later", true), ("(ada): later", false)] {
        let source =
            SourceFile::new("core/src/id.rs", &format!("// {}{after_mark}", concat!("TO", "DO")));
        assert_eq!(!deferred_without_owner(&[source]).is_empty(), is_violation, "{after_mark}");
    }
}
