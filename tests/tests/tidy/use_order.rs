//! Checks that the imports of a file have one order: the standard library, other crates, the own
//! modules of the package. Rustfmt sorts inside of each block.

use std::collections::BTreeSet;

use syn::spanned::Spanned;
use syn::{Item, ItemUse, UseTree, Visibility};

use crate::sources::SourceFile;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Standard,
    OtherCrate,
    OwnModule,
}

/// The imports at the top of files that come after one of a later origin.
pub(crate) fn out_of_order(sources: &[SourceFile]) -> Vec<String> {
    sources.iter().flat_map(in_file).collect()
}

fn in_file(source: &SourceFile) -> Vec<String> {
    let items = source.syntax().items;
    let modules: BTreeSet<String> = items.iter().filter_map(module).collect();
    let mut latest = Origin::Standard;
    let mut violations = Vec::new();
    for import in items.iter().filter_map(private_import) {
        let origin = origin(import, &modules);
        if origin < latest {
            let line = import.span().start().line;
            violations.push(source.at(line, "imports are std, other crates, own modules"));
        }
        latest = latest.max(origin);
    }
    violations
}

fn module(item: &Item) -> Option<String> {
    let Item::Mod(module) = item else { return None };
    Some(module.ident.to_string())
}

fn private_import(item: &Item) -> Option<&ItemUse> {
    let Item::Use(import) = item else { return None };
    matches!(import.vis, Visibility::Inherited).then_some(import)
}

fn origin(import: &ItemUse, modules: &BTreeSet<String>) -> Origin {
    let first = match &import.tree {
        UseTree::Path(path) => path.ident.to_string(),
        UseTree::Name(name) => name.ident.to_string(),
        UseTree::Rename(rename) => rename.ident.to_string(),
        UseTree::Glob(_) | UseTree::Group(_) => return Origin::OtherCrate,
    };
    match first.as_str() {
        "std" | "core" | "alloc" => Origin::Standard,
        "crate" | "super" | "self" => Origin::OwnModule,
        name if modules.contains(name) => Origin::OwnModule,
        _ => Origin::OtherCrate,
    }
}

#[test]
fn an_import_after_one_of_a_later_origin_is_found() {
    for (text, line) in [
        ("use std::fmt;\n\nuse syn::File;\n\nuse crate::a::A;\n", None),
        ("use crate::a::A;\nuse syn::File;\n", Some(2)),
        ("use syn::File;\nuse core::fmt;\n", Some(2)),
        ("mod parts;\n\nuse parts::Part;\nuse syn::File;\n", Some(4)),
        ("use crate::a::A;\n\npub use std::fmt;\n", None),
    ] {
        let found = out_of_order(&[SourceFile::new("core/src/b.rs", text)]);
        let expected = line.map(|line: usize| format!("core/src/b.rs:{line}:"));
        assert_eq!(found.len(), usize::from(expected.is_some()), "{text}{found:?}");
        assert!(found.iter().zip(expected).all(|(found, place)| found.starts_with(&place)));
    }
}
