//! Checks that no module of a library imports a higher layer of the library. Cargo.toml fixes the
//! layers between packages.

use std::collections::BTreeMap;

use crate::imports::imports;
use crate::modules::{CargoTarget, targets};
use crate::sources::SourceFile;

/// The layers of each library, from the lowest to the highest. A module may import modules of lower
/// layers, but no other module of its own layer. Modules that are not listed are below all layers.
const LAYERS: [(&str, &[&[&str]]); 10] = [
    ("core/src/lib.rs", &[&["store"], &["message", "config"], &["engine", "http"], &["consul"]]),
    (
        "recipes/src/lib.rs",
        &[
            &["interface"],
            &["parts"],
            &["lock", "semaphore", "watcher", "naive", "script"],
            &["election", "writer", "consul_lock"],
            &["recipe"],
            &["program"],
            &["late_writes"],
            &["contender"],
            &["contender_options"],
        ],
    ),
    ("client/src/lib.rs", &[&["driver"], &["guard"], &["acquire"]]),
    (
        "incident/src/lib.rs",
        &[
            &["log", "lists"],
            &["failed", "foreign_line", "key_table"],
            &["source"],
            &["moment", "coverage"],
            &["listing"],
            &["application", "merge"],
            &["beliefs", "clusters", "summary"],
            &["reading"],
            &["incident"],
            &["answer", "created"],
            &["clients"],
            &["ends"],
            &["later"],
            &["effects", "free", "held", "semaphore"],
            &["unknown"],
            &["agreement", "answers", "headline", "observed", "redact"],
            &["assumption", "lives"],
            &["tenures"],
            &["lanes"],
            &["named_text", "world"],
            &["report"],
        ],
    ),
    (
        "sim/src/lib.rs",
        &[
            &["world"],
            &["checks", "trace", "fold"],
            &["record"],
            &["timeline"],
            &["journal", "scenario"],
        ],
    ),
    (
        "export/src/lib.rs",
        &[
            &["arrivals"],
            &["steps", "mermaid"],
            &["replay", "language", "perfetto"],
            &["rust", "go", "javascript", "bash"],
            &["python"],
        ],
    ),
    (
        "view/src/lib.rs",
        &[
            &["language", "request_text", "settings", "event_folds"],
            &["rows"],
            &["time_travel"],
            &["event_filter", "timeline", "announcer", "card_texts", "next_up"],
        ],
    ),
    (
        "desk/src/lib.rs",
        &[
            &["faults", "programs"],
            &["console", "lessons"],
            &["share", "forms"],
            &["embed", "scripting"],
            &["i18n"],
        ],
    ),
    (
        "web/src/lib.rs",
        &[&["platform"], &["components"], &["state"], &["panels"], &["script"], &["app"]],
    ),
    (
        "js/src/lib.rs",
        &[
            &["server", "world"],
            &["save"],
            &["error"],
            &["boundary"],
            &["bindings", "incident_bindings"],
            &["client_bindings", "world_bindings"],
        ],
    ),
];

/// The imports of modules that are not in a lower layer.
pub(crate) fn upward_imports(sources: &[SourceFile]) -> Vec<String> {
    targets(sources).iter().flat_map(in_target).collect()
}

fn in_target(target: &CargoTarget) -> Vec<String> {
    let Some((_, layers)) = LAYERS.iter().find(|(root, _)| *root == target.root) else {
        return Vec::new();
    };
    let layer = |module: &str| layers.iter().position(|layer| layer.contains(&module));
    let mut violations = BTreeMap::new();
    for import in imports(target) {
        let (Some(from), Some(to)) = (import.module.first(), import.imported_module.first()) else {
            continue;
        };
        if from != to && layer(to).is_some() && layer(from) <= layer(to) {
            let violation = format!("{}:{}: imports `{to}`", import.file, import.line);
            violations.entry((import.file, to.clone())).or_insert(violation);
        }
    }
    violations.into_values().collect()
}

#[test]
fn upward_imports_are_found_however_they_are_written() {
    let root = "mod id; mod store; mod message; mod engine; mod http;";
    for (path, text, line) in [
        ("core/src/store/mod.rs", "use crate::engine::Engine;", Some(1)),
        (
            "core/src/store/mod.rs",
            "use crate::{\n    id::Key,\n    message::{Wait, id},\n};",
            Some(3),
        ),
        ("core/src/store/mod.rs", "fn f() {\n    super::engine::run();\n}", Some(2)),
        (
            "core/src/store/mod.rs",
            "mod a {\n    pub use crate::engine::Engine;\n}\nuse a::Engine;",
            Some(4),
        ),
        ("core/src/store/mod.rs", "fn f() {\n    g!(crate::engine::run());\n}", Some(2)),
        ("core/src/id.rs", "\nuse super::store::Store;", Some(2)),
        ("core/src/http.rs", "use crate::engine::Engine;", Some(1)),
        ("core/src/engine.rs", "use crate::{store::{Store, http}, id::Key};", None),
        ("core/src/store/mod.rs", "#[cfg(test)]\nmod tests { use crate::engine::Engine; }", None),
        ("core/src/store/mod.rs", "/// [`crate::engine::Engine`]\nstruct Store;", None),
    ] {
        let mut sources =
            vec![SourceFile::new("core/src/lib.rs", root), SourceFile::new(path, text)];
        for module in ["id", "store", "message", "engine", "http"] {
            let file = format!("core/src/{module}.rs");
            if !path.starts_with(&format!("core/src/{module}")) {
                sources.push(SourceFile::new(&file, "pub struct Item;"));
            }
        }
        let found = upward_imports(&sources);
        let expected = line.map(|line: usize| format!("{path}:{line}:"));
        let is_found = expected.iter().all(|it| found.len() == 1 && found[0].starts_with(it));
        assert!(is_found && found.len() == expected.iter().len(), "{path}: {text}: {found:?}");
    }
}
