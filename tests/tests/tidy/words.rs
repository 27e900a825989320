//! Words that must not occur, where they must not.

use crate::sources::{Kind, SOURCES, Source, Token};

/// Never in the core, which has no std, clock, thread, global, hashed map or float.
const NOT_IN_CORE: [&str; 9] =
    ["HashMap", "HashSet", "SystemTime", "thread", "async", "f32", "f64", "RefCell", "static"];

/// Nor does it print.
const NO_OUTPUT: [&str; 4] = ["print", "println", "eprint", "eprintln"];

/// Consul's own durations are float64 numbers (SES-17, SES-20), and JSON has them.
const FLOATS: [&str; 4] =
    ["core/src/http/body.rs", "core/src/duration.rs", JSON_FILE, "core/src/json/float.rs"];

const JSON_FILE: &str = "core/src/json.rs";

/// Nowhere: code that the compiler does not check, and tests that pass by panicking.
const NOWHERE: [&str; 2] = ["unsafe", "should_panic"];

/// Nor what is left unfinished.
const NO_MACRO: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// Markup from texts.
const NOT_IN_WEB: [&str; 5] =
    ["inner_html", "set_inner_html", "set_outer_html", "insert_adjacent_html", "eval"];

pub(crate) fn banned() -> Vec<String> {
    SOURCES.iter().flat_map(banned_in).collect()
}

fn banned_in(source: &Source) -> Vec<String> {
    let mut violations = Vec::new();
    for (at, token) in words(source) {
        let word = token.text.as_str();
        let why = match source.package() {
            _ if NOWHERE.contains(&word) => Some("nowhere"),
            _ if is_macro(source, at) && NO_MACRO.contains(&word) => Some("nowhere"),
            "core" if is_banned_in_core(source, at) => Some("not in the core"),
            "web" | "sandbox" if NOT_IN_WEB.contains(&word) => Some("texts are never markup"),
            "web" | "sandbox" if word == "Engine" && !source.follows(at, &["Engine", "as"]) => {
                Some("the page knows the World only")
            }
            _ => None,
        };
        if let Some(why) = why {
            violations.push(source.at(token.line, format!("`{word}`: {why}")));
        }
    }
    violations
}

fn is_banned_in_core(source: &Source, at: usize) -> bool {
    if !source.path.starts_with("core/src/") {
        return false;
    }
    match source.tokens[at].text.as_str() {
        "std" => source.before(at, 1).is_none_or(|before| before.text != "crate"),
        "serde_json" => source.path != JSON_FILE,
        "f32" | "f64" => !FLOATS.contains(&source.path.as_str()),
        "static" => source.before(at, 1).is_none_or(|before| before.text != "'"),
        word if is_macro(source, at) => NO_OUTPUT.contains(&word),
        word => NOT_IN_CORE.contains(&word),
    }
}

fn is_macro(source: &Source, at: usize) -> bool {
    source.follows(at + 1, &["!"]) && !source.follows(at + 2, &["="])
}

/// Style attributes (the content security policy refuses them) and texts beside the table of words.
pub(crate) fn page() -> Vec<String> {
    SOURCES
        .iter()
        .filter(|source| ["web/src/", "sandbox/src/"].iter().any(|it| source.path.starts_with(it)))
        .flat_map(own_looks)
        .collect()
}

fn own_looks(source: &Source) -> Vec<String> {
    let mut violations = Vec::new();
    let literals = source.tokens.iter().enumerate().filter(|(_, it)| it.kind == Kind::Literal);
    for (at, token) in literals {
        if token.text == r#""style""# && is_after(source, at, &["attr", "("]) {
            violations.push(source.at(token.line, "no style attributes"));
        }
        if token.text.contains(char::is_alphabetic) && is_part(source, at) {
            let rule = format!("{} belongs into the table of words", token.text);
            violations.push(source.at(token.line, rule));
        }
    }
    violations
}

/// Whether a literal is put into an element: alone, or in a list of parts.
fn is_part(source: &Source, at: usize) -> bool {
    let mut depth = 0_usize;
    for place in (0..at).rev() {
        match source.tokens[place].text.as_str() {
            ")" | "]" | "}" => depth += 1,
            "(" | "[" | "{" if depth > 0 => depth -= 1,
            "(" => return is_after(source, at, &["with", "("]),
            "[" => return is_after(source, place, &["parts", "!"]),
            "{" | ";" if depth == 0 => return false,
            "," if depth == 0 => {}
            _ => {}
        }
    }
    false
}

/// Whether these words stand right before a token.
fn is_after(source: &Source, at: usize, words: &[&str]) -> bool {
    at.checked_sub(words.len()).is_some_and(|start| source.follows(start, words))
}

/// Comments that put something off without saying who will do it.
pub(crate) fn deferred() -> Vec<String> {
    SOURCES.iter().flat_map(ownerless).collect()
}

fn ownerless(source: &Source) -> Vec<String> {
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    let mut violations = Vec::new();
    for (line, text) in source.lines() {
        let Some((_, comment)) = text.split_once("//") else {
            continue;
        };
        let has_owner = |mark: &str| comment.contains(&format!("{mark}("));
        if marks.iter().any(|mark| comment.contains(mark) && !has_owner(mark)) {
            violations.push(source.at(line, "what is put off has an owner in parentheses"));
        }
    }
    violations
}

fn words(source: &Source) -> impl Iterator<Item = (usize, &Token)> {
    source.tokens.iter().enumerate().filter(|(_, token)| token.is_word())
}

#[test]
fn words_are_banned_where_they_must_not_occur() {
    let core = "core/src/store/kv.rs";
    for (path, text, is_banned) in [
        (core, "use std::vec::Vec;", true),
        (core, "#[cfg(test)] extern crate std;", false),
        (core, "static ALL: u8 = 0;", true),
        (core, "fn print(text: &'static str) {}", false),
        (core, "fn f() { println!(); }", true),
        (core, "/// Not std::vec, and no HashMap.\nfn f() { g(\"std\"); }", false),
        (core, "fn f(x: f64) {}", true),
        (core, "use serde_json::Value;", true),
        (JSON_FILE, "use serde_json::Value; type Number = f64;", false),
        ("core/benches/kv.rs", "use std::hint::black_box;", false),
        ("web/src/app.rs", "fn f() { unsafe {} }", true),
        ("web/src/app.rs", "use lictor_core::engine::Engine;", true),
        ("sandbox/src/view/mod.rs", "use lictor_core::engine::Engine;", true),
        ("sandbox/src/console/answer.rs", "use base64::Engine as _;", false),
        ("tests/tests/a.rs", "fn f() { let x = todo != 1; }", false),
    ] {
        let source = Source::parse(path, text).expect("it is Rust");
        assert_eq!(!banned_in(&source).is_empty(), is_banned, "{path}: {text}");
    }
}

#[test]
fn a_view_has_no_style_and_no_text_of_its_own() {
    for (view, is_violation) in [
        (r#"el("p", "").attr("style", "color: red")"#, true),
        (r#"el("p", "style").test("Text").with(text("Text"))"#, false),
        (r#"el("p", "").with("Text")"#, true),
        (r#"live(move || el("p", "").with(el("b", "").with("Text")))"#, true),
        (r#"parts![number, "Text"]"#, true),
        (r#"parts![number, " · ", el("p", "b").with(number)]"#, false),
        (r#"el("p", "").on("click", move |_| match x { _ => "Text" })"#, false),
    ] {
        let text = format!("fn f() -> El {{ {view} }}");
        let source = Source::parse("web/src/app.rs", &text).expect("it is Rust");
        assert_eq!(!own_looks(&source).is_empty(), is_violation, "{view}");
    }
}
