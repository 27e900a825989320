//! The layer rule: which module of the core may name which other one.

use crate::sources::{SOURCES, Source};

/// What everything may name.
const BASE: [&str; 8] = ["time", "id", "error", "reason", "rng", "deadlines", "duration", "json"];

/// A module above the base, and the modules above the base that it may name.
const LAYERS: [(&str, &[&str]); 6] = [
    ("store", &[]),
    ("message", &["store"]),
    ("engine", &["store", "message"]),
    ("recipe", &["store", "message"]),
    ("http", &["store", "message"]),
    ("sim", &["store", "message", "engine", "recipe", "http"]),
];

pub(crate) fn check() -> Vec<String> {
    let mut violations = Vec::new();
    for source in SOURCES.iter() {
        let Some(path) = source.path.strip_prefix("core/src/") else {
            continue;
        };
        let module = path.split('/').next().unwrap_or(path).trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let Some(allowed) = allowed(module) else {
            violations.push(source.at(1, format!("`{module}` has no place in the layers")));
            continue;
        };
        for (line, named) in named_modules(source, depth(path)) {
            let is_fine = named == module || BASE.contains(&named) || allowed.contains(&named);
            if !is_fine && is_module(named) {
                violations.push(source.at(line, format!("`{module}` must not name `{named}`")));
            }
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
