//! Finds the imports between the files of a package, and refuses cycles among them.
//!
//! A module imports an item if a path in its code, or in a private `use`, refers to it, also
//! through re-exports. `mod` and `pub use` alone import nothing, and a module may use the items of
//! the modules that contain it. Unit tests (`#[cfg(test)]`) and calls of methods do not count.

use std::collections::{BTreeMap, BTreeSet};

use crate::modules::{CargoTarget, Segments, targets};
use crate::sources::SourceFile;

/// The largest number of modules in which a name is looked up, along imports and re-exports; only
/// a loop of globs has more.
const HOPS_MAX: usize = 8;

/// Files of one package that import each other in a circle.
type Cycle<'a> = BTreeSet<&'a str>;

/// A use of an item that is defined in another file.
pub(crate) struct Import {
    pub(crate) line: usize,
    pub(crate) module: Segments,
    pub(crate) file: String,
    pub(crate) imported_module: Segments,
    pub(crate) imported_file: String,
}

pub(crate) fn import_cycles(sources: &[SourceFile]) -> Vec<String> {
    let mut violations = Vec::new();
    for target in targets(sources) {
        let imports = imports(&target);
        violations.extend(cycles_among(&imports).iter().map(|cycle| description(cycle, &imports)));
    }
    violations
}

/// The imports between the files of a target.
pub(crate) fn imports(target: &CargoTarget) -> Vec<Import> {
    let mut imports = Vec::new();
    for (name, module) in &target.modules {
        for (line, path) in &module.mentioned {
            let Some((definer, _)) = target.definer(name, path, HOPS_MAX) else { continue };
            let imported = &target.modules[&definer];
            if imported.file != module.file && !name.starts_with(&definer) {
                imports.push(Import {
                    line: *line,
                    module: name.clone(),
                    file: module.file.clone(),
                    imported_module: definer,
                    imported_file: imported.file.clone(),
                });
            }
        }
    }
    imports
}

fn cycles_among(imports: &[Import]) -> BTreeSet<Cycle<'_>> {
    let mut imported: BTreeMap<&str, Cycle> = BTreeMap::new();
    for import in imports {
        imported.entry(&import.file).or_default().insert(&import.imported_file);
    }
    let reached: BTreeMap<&str, Cycle> =
        imported.keys().map(|file| (*file, reached_from(file, &imported))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|files| files.contains(to));
    let group = |file: &&str| -> Cycle<'_> {
        reached[*file].iter().copied().filter(|other| reaches(other, file)).collect()
    };
    reached.keys().map(group).filter(|cycle| !cycle.is_empty()).collect()
}

fn reached_from<'a>(file: &'a str, imported: &BTreeMap<&str, Cycle<'a>>) -> Cycle<'a> {
    let mut reached = Cycle::new();
    let mut next = vec![file];
    while let Some(from) = next.pop() {
        let new = imported.get(from).into_iter().flatten().filter(|to| reached.insert(**to));
        next.extend(new);
    }
    reached
}

/// A cycle in words, with one import for each pair of its files.
fn description(cycle: &Cycle, imports: &[Import]) -> String {
    let mut pairs = BTreeMap::new();
    for import in imports {
        if cycle.contains(&*import.file) && cycle.contains(&*import.imported_file) {
            pairs.entry((&import.file, &import.imported_file)).or_insert(import.line);
        }
    }
    let lines = pairs.into_iter().map(|((from, to), line)| format!("\n  {from}:{line}: {to}"));
    format!("{} files import each other:{}", cycle.len(), lines.collect::<String>())
}

impl CargoTarget {
    /// The module that defines the item of a path. `None` if the path is a module, or if another
    /// package or the language defines the item. The second value is false if the definition was
    /// not found in the module, because a macro writes it. It is looked up in `hops` modules
    /// at most.
    fn definer(&self, from: &Segments, path: &[String], hops: usize) -> Option<(Segments, bool)> {
        let hops = hops.checked_sub(1)?;
        let (mut base, mut rest) = match path.first()?.as_str() {
            "crate" => (Segments::new(), &path[1..]),
            "self" => (from.clone(), &path[1..]),
            _ => (from.clone(), path),
        };
        while rest.first().is_some_and(|part| part == "super") {
            base.pop();
            rest = &rest[1..];
        }
        let mut may_be_foreign = rest.len() == path.len();
        while let Some(name) = rest.first() {
            let child = joined(&base, &rest[..1]);
            if self.modules.contains_key(&child) {
                (base, rest, may_be_foreign) = (child, &rest[1..], false);
                continue;
            }
            let module = self.modules.get(&base)?;
            if name == "*" || module.defined.contains(name) {
                return Some((base, true));
            }
            if let Some(imported) = module.imported.get(name) {
                return self.definer(&base, &joined(imported, &rest[1..]), hops);
            }
            let by_glob = |glob: &Segments| {
                let found = self.definer(&base, &joined(glob, rest), hops);
                found.filter(|(_, is_seen)| *is_seen)
            };
            let found = module.globs.iter().find_map(by_glob);
            return found.or((!may_be_foreign).then_some((base, false)));
        }
        None
    }
}

fn joined(start: &[String], end: &[String]) -> Segments {
    start.iter().chain(end).cloned().collect()
}

#[test]
fn a_cycle_is_found_through_reexports_but_not_from_child_to_parent() {
    for (a, b, is_cycle) in [
        ("use crate::b::B; pub struct A;", "use crate::a::A; pub struct B;", true),
        ("pub struct A(crate::B);", "pub struct B; fn f() { super::a::A::new(); }", true),
        ("use super::*; pub struct A(B);", "use crate::a::A; pub struct B;", true),
        ("pub use crate::b::B; pub struct A;", "use crate::a::A; pub struct B;", false),
        ("pub use crate::b::B; pub struct A(B);", "use crate::a::A; pub struct B;", true),
        ("use crate::b::B; pub struct A;", "use crate::Root; pub struct B;", false),
        ("use crate::b; pub struct A;", "use crate::a::A; pub struct B;", false),
        ("use crate::b; pub struct A(b::B);", "use crate::a::A; pub struct B;", true),
    ] {
        let root = "mod a; mod b; pub use a::A; pub use b::B; pub struct Root(A, B);";
        let files = [("lib", root), ("a", a), ("b", b)];
        let sources = files.map(|(name, text)| SourceFile::new(&format!("x/src/{name}.rs"), text));
        let target = &targets(&sources)[0];
        assert_eq!(!cycles_among(&imports(target)).is_empty(), is_cycle, "{a} {b}");
    }
}
