//! What is checked beyond single sources: the vectors and the map of the architecture.

use std::fs;

use lictor_tests::VECTORS;
use lictor_tests::vector::{Step, Vector};

use crate::sources::{SOURCES, root};

pub(crate) fn vectors() -> Vec<String> {
    let mut violations = Vec::new();
    if VECTORS.is_empty() || !VECTORS.is_sorted() {
        violations.push("tests/vectors: there are vectors, in the order of their names".to_owned());
    }
    for (name, text) in VECTORS {
        let problem = match Vector::parse(text) {
            Err(problem) => problem.to_string(),
            Ok(vector) if vector.name != *name => format!("it calls itself {}", vector.name),
            Ok(vector) if vector.title.is_empty() => "it has no title".to_owned(),
            Ok(vector) if !vector.steps.iter().filter_map(Step::at).is_sorted() => {
                "its steps go back in time".to_owned()
            }
            Ok(_) => continue,
        };
        violations.push(format!("tests/vectors/{name}.json:1: {problem}"));
    }
    violations
}

/// The map names each module just below the core's root; of the other packages it names the whole.
pub(crate) fn architecture() -> Vec<String> {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md"));
    let map = map.expect("the map lies at the root");
    let mut violations = Vec::new();
    for source in SOURCES.iter() {
        let Some(module) = top_module(&source.path) else { continue };
        let is_named = map.split(|c: char| !c.is_alphanumeric() && c != '_').any(|it| it == module);
        if !is_named {
            violations.push(source.at(1, format!("ARCHITECTURE.md does not name `{module}`")));
        }
    }
    violations
}

fn top_module(path: &str) -> Option<&str> {
    let parts: Vec<_> = path.split('/').collect();
    match parts[..] {
        ["core", "src", "lib.rs"] => None,
        ["core", "src", file] => file.strip_suffix(".rs"),
        ["core", "src", folder, "mod.rs"] => Some(folder),
        _ => None,
    }
}
