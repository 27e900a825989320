//! The layer rule: which module of the core may name which other one.

use crate::sources::{SOURCES, Source};

/// What everything may name.
const BASE: [&str; 8] =
    ["time", "id", "error", "ended_sessions", "rng", "deadlines", "duration", "json"];

/// A module above the base, and the modules above the base that it may name.
const LAYERS: [(&str, &[&str]); 5] = [
    ("store", &[]),
    ("message", &["store"]),
    ("engine", &["store", "message"]),
    ("http", &["store", "message"]),
    ("consul", &["store", "message", "engine", "http"]),
];

pub(crate) fn check() -> Vec<String> {
    SOURCES.iter().flat_map(violations).collect()
}

fn violations(source: &Source) -> Vec<String> {
    let Some(path) = source.path.strip_prefix("core/src/").filter(|path| *path != "lib.rs") else {
        return Vec::new();
    };
    let module = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
    let Some(allowed) = allowed(module) else {
        return vec![source.at(1, format!("`{module}` has no place in the layers"))];
    };
    let mut violations = Vec::new();
    for (line, named) in named_modules(source, depth(path)) {
        let is_fine = named == module || BASE.contains(&named) || allowed.contains(&named);
        if !is_fine && is_module(named) {
            violations.push(source.at(line, format!("`{module}` must not name `{named}`")));
        }
    }
    violations
}

fn allowed(module: &str) -> Option<&'static [&'static str]> {
    let layer = LAYERS.iter().find(|(name, _)| *name == module).map(|(_, allowed)| *allowed);
    layer.or(BASE.contains(&module).then_some(&[]))
}

fn is_module(name: &str) -> bool {
    allowed(name).is_some()
}

/// How many modules a file is below the root: 1 for `id.rs` and `store/mod.rs`, 2 for
/// `store/kv.rs`.
fn depth(path: &str) -> usize {
    path.trim_end_matches("/mod.rs").split('/').count()
}

/// The modules just below the root that paths name, by `crate::` or by enough `super::`.
fn named_modules(source: &Source, depth: usize) -> Vec<(usize, &str)> {
    let mut named = Vec::new();
    // Whether each open group is an inline module.
    let mut groups = Vec::new();
    let mut up = 0;
    for (at, token) in source.tokens.iter().enumerate() {
        match token.text.as_str() {
            "{" => groups.push(source.before(at, 2).is_some_and(|before| before.text == "mod")),
            "}" => drop(groups.pop()),
            "crate" if source.follows(at + 1, &[":", ":"]) => heads(source, at + 3, &mut named),
            "super" if source.follows(at + 1, &[":", ":"]) => {
                up += 1;
                let here = depth + groups.iter().filter(|is_module| **is_module).count();
                if up == here {
                    heads(source, at + 3, &mut named);
                }
                continue;
            }
            ":" => continue,
            _ => {}
        }
        up = 0;
    }
    named
}

/// The first words of a path's rest, which may be a group of paths.
fn heads<'a>(source: &'a Source, at: usize, named: &mut Vec<(usize, &'a str)>) {
    let Some(first) = source.tokens.get(at) else {
        return;
    };
    if first.text != "{" {
        return named.push((first.line, &first.text));
    }
    let mut depth = 0;
    let mut is_head = false;
    for token in &source.tokens[at..] {
        match token.text.as_str() {
            "{" => {
                depth += 1;
                is_head = depth == 1;
            }
            "}" if depth == 1 => return,
            "}" => depth -= 1,
            "," => is_head = depth == 1,
            word => {
                if is_head {
                    named.push((token.line, word));
                }
                is_head = false;
            }
        }
    }
}

#[test]
fn upward_paths_are_found_however_they_are_written() {
    for (path, text, line) in [
        ("core/src/store/mod.rs", "use crate::engine::Engine;", Some(1)),
        (
            "core/src/store/kv.rs",
            "use crate::{\n    id::Key,\n    message::{Wait, id},\n};",
            Some(3),
        ),
        ("core/src/store/kv.rs", "fn f() {\n    super::super::engine::run();\n}", Some(2)),
        (
            "core/src/store/kv.rs",
            "mod tests {\n    use super::super::super::engine::Engine;\n}",
            Some(2),
        ),
        ("core/src/time.rs", "\nuse super::store::Store;", Some(2)),
        ("core/src/http/kv.rs", "use crate::engine::Engine;", Some(1)),
        ("core/src/util.rs", "", Some(1)),
        ("core/src/store/kv.rs", "use super::engine; use super::super::id::Key;", None),
        ("core/src/engine/mod.rs", "use crate::{store::{Store, http}, time::Instant};", None),
        ("web/src/app.rs", "use crate::engine;", None),
    ] {
        let source = Source::parse(path, text).expect("it is Rust");
        let found = violations(&source);
        let expected = line.map(|line: usize| format!("{path}:{line}:"));
        let is_found = expected.iter().all(|at| found.len() == 1 && found[0].starts_with(at));
        assert!(is_found && found.len() == expected.iter().len(), "{path}: {text}: {found:?}");
    }
}
