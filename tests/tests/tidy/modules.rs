//! Dead files: sources that no `mod` declaration leads to.

use std::collections::BTreeSet;

use crate::sources::{SOURCES, Source};

pub(crate) fn unreachable() -> Vec<String> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Source> = SOURCES.iter().filter(|source| is_root(&source.path)).collect();
    while let Some(source) = next.pop() {
        if reached.insert(source.path.as_str()) {
            let declared = declared(source);
            next.extend(SOURCES.iter().filter(|other| declared.contains(&other.path)));
        }
    }
    let dead = SOURCES.iter().filter(|source| !reached.contains(source.path.as_str()));
    dead.map(|source| source.at(1, "no `mod` leads to this file")).collect()
}

/// What Cargo compiles by itself.
fn is_root(path: &str) -> bool {
    let parts: Vec<_> = path.split('/').collect();
    matches!(
        parts[1..],
        ["build.rs"]
            | ["src", "lib.rs" | "main.rs"]
            | ["src", "bin", _]
            | ["src", "bin", _, "main.rs"]
            | ["tests" | "benches" | "examples", _]
            | ["tests" | "benches" | "examples", _, "main.rs" | "bench.rs"]
    )
}

/// The files that a source's `mod name;` may mean.
fn declared(source: &Source) -> Vec<String> {
    let folder = folder(&source.path);
    let declared = (0..source.tokens.len()).filter_map(|at| {
        let name = source.tokens.get(at + 1)?;
        let is_declared = source.follows(at, &["mod"]) && source.follows(at + 2, &[";"]);
        is_declared.then_some(name.text.as_str())
    });
    declared
        .flat_map(|name| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")])
        .collect()
}

/// Where a file's modules live.
fn folder(path: &str) -> &str {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => parent,
        _ if is_root(path) => parent,
        _ => path.trim_end_matches(".rs"),
    }
}
