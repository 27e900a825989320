//! The modules of each Cargo target, read from its sources: which file each module is in, the names
//! it imports and defines, and the paths that it mentions. A file that no `mod` declaration leads
//! to is dead.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::sources::SourceFile;

/// The segments of a path or of a module's name; the root of a target has none.
pub(crate) type Segments = Vec<String>;

/// One library, program or test, as Cargo compiles it.
pub(crate) struct CargoTarget {
    /// The file that Cargo compiles.
    pub(crate) root: String,
    pub(crate) modules: BTreeMap<Segments, Module>,
}

#[derive(Default)]
pub(crate) struct Module {
    /// The file with the module's code, from the workspace's root.
    pub(crate) file: String,
    /// Names that `use` declares, and the paths that they stand for.
    pub(crate) imported: BTreeMap<String, Segments>,
    /// The modules in `use module::*`.
    pub(crate) globs: Vec<Segments>,
    /// Names of the items that are defined here.
    pub(crate) defined: BTreeSet<String>,
    /// Paths in the code and in private `use` declarations, with their lines.
    pub(crate) mentioned: Vec<(usize, Segments)>,
}

/// The files that no `mod` declaration leads to.
pub(crate) fn dead_files(sources: &[SourceFile]) -> Vec<String> {
    let targets = targets(sources);
    let modules = targets.iter().flat_map(|target| target.modules.values());
    let reached: BTreeSet<&str> = modules.map(|module| module.file.as_str()).collect();
    let dead = sources.iter().filter(|source| !reached.contains(source.path.as_str()));
    dead.map(|source| source.at(1, "no `mod` leads to this file")).collect()
}

pub(crate) fn targets(sources: &[SourceFile]) -> Vec<CargoTarget> {
    let roots = sources.iter().filter(|source| is_root(&source.path));
    roots.map(|root| CargoTarget::read(root, sources)).collect()
}

/// Whether Cargo compiles a file without a `mod` declaration.
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

/// The folder of the modules that a file declares.
fn folder(path: &str) -> &str {
    let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
    match name {
        "mod.rs" | "lib.rs" | "main.rs" => parent,
        _ if is_root(path) => parent,
        _ => path.trim_end_matches(".rs"),
    }
}

impl CargoTarget {
    fn read(root: &SourceFile, sources: &[SourceFile]) -> Self {
        let mut target = Self { root: root.path.clone(), modules: BTreeMap::new() };
        let mut unread = vec![(Segments::new(), root, false)];
        while let Some((module, source, is_test)) = unread.pop() {
            let declared = Vec::new();
            let mut reader =
                ModuleReader { target: &mut target, source, module, is_test, declared };
            reader.enter();
            reader.visit_file(&source.syntax());
            for Declared { module, paths, is_test } in reader.declared {
                let file = sources.iter().find(|source| paths.contains(&source.path));
                unread.extend(file.map(|file| (module, file, is_test)));
            }
        }
        target
    }
}

/// Reads one file into a target's modules.
struct ModuleReader<'a> {
    target: &'a mut CargoTarget,
    source: &'a SourceFile,
    module: Segments,
    /// Whether the file is compiled for unit tests only.
    is_test: bool,
    declared: Vec<Declared>,
}

/// A module whose file has to be read.
struct Declared {
    module: Segments,
    /// The paths that its file may have.
    paths: [String; 2],
    is_test: bool,
}

impl ModuleReader<'_> {
    fn enter(&mut self) {
        self.here().file = self.source.path.clone();
    }

    fn here(&mut self) -> &mut Module {
        self.target.modules.entry(self.module.clone()).or_default()
    }

    fn module(&mut self, item: &syn::ItemMod) {
        self.module.push(item.ident.to_string());
        if let Some((_, items)) = &item.content {
            self.enter();
            items.iter().for_each(|item| self.visit_item(item));
        } else {
            let (folder, name) = (folder(&self.source.path), &item.ident);
            let paths = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")];
            let is_test = self.is_test || item.attrs.iter().any(is_for_tests);
            self.declared.push(Declared { module: self.module.clone(), paths, is_test });
        }
        self.module.pop();
    }

    fn import(&mut self, tree: &syn::UseTree, mut path: Segments, is_private: bool) {
        let line = tree.span().start().line;
        let name = match tree {
            syn::UseTree::Path(part) => {
                path.push(part.ident.to_string());
                return self.import(&part.tree, path, is_private);
            }
            syn::UseTree::Group(group) => {
                let trees = group.items.iter();
                return trees.for_each(|tree| self.import(tree, path.clone(), is_private));
            }
            syn::UseTree::Glob(_) => {
                self.here().globs.push(path.clone());
                path.push("*".to_owned());
                None
            }
            syn::UseTree::Name(name) if name.ident == "self" => path.last().cloned(),
            syn::UseTree::Name(name) => {
                path.push(name.ident.to_string());
                path.last().cloned()
            }
            syn::UseTree::Rename(renamed) => {
                path.push(renamed.ident.to_string());
                Some(renamed.rename.to_string())
            }
        };
        if let Some(name) = name {
            self.here().imported.insert(name, path.clone());
        }
        if is_private && !self.is_test {
            self.here().mentioned.push((line, path));
        }
    }

    /// Notes the paths among a macro's tokens.
    fn tokens(&mut self, stream: TokenStream) {
        let mut path = Segments::new();
        let mut line = 0;
        let mut colons = 0;
        for tree in stream {
            match &tree {
                TokenTree::Punct(sign) if sign.as_char() == ':' => colons += 1,
                TokenTree::Ident(word) => {
                    if colons != 2 {
                        self.mention(line, &mut path);
                        line = tree.span().start().line;
                    }
                    path.push(word.to_string());
                    colons = 0;
                }
                _ => {
                    self.mention(line, &mut path);
                    colons = 0;
                }
            }
            if let TokenTree::Group(group) = tree {
                self.tokens(group.stream());
            }
        }
        self.mention(line, &mut path);
    }

    fn mention(&mut self, line: usize, path: &mut Segments) {
        let path = std::mem::take(path);
        if !path.is_empty() && !self.is_test {
            self.here().mentioned.push((line, path));
        }
    }
}

impl<'ast> Visit<'ast> for ModuleReader<'_> {
    /// Skips items that are compiled for unit tests only, since tests may import what they test.
    /// Modules in files of their own are read, so that these files are not dead.
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (name, attributes) = match item {
            syn::Item::Const(it) => (Some(&it.ident), &it.attrs),
            syn::Item::Enum(it) => (Some(&it.ident), &it.attrs),
            syn::Item::Fn(it) => (Some(&it.sig.ident), &it.attrs),
            syn::Item::Macro(it) => (it.ident.as_ref(), &it.attrs),
            syn::Item::Static(it) => (Some(&it.ident), &it.attrs),
            syn::Item::Struct(it) => (Some(&it.ident), &it.attrs),
            syn::Item::Trait(it) => (Some(&it.ident), &it.attrs),
            syn::Item::Type(it) => (Some(&it.ident), &it.attrs),
            syn::Item::Impl(it) => (None, &it.attrs),
            syn::Item::Mod(it) => (None, &it.attrs),
            syn::Item::Use(it) => (None, &it.attrs),
            _ => return visit::visit_item(self, item),
        };
        if attributes.iter().any(is_for_tests) {
            if let syn::Item::Mod(module) = item
                && module.content.is_none()
            {
                self.module(module);
            }
            return;
        }
        if let Some(name) = name {
            self.here().defined.insert(name.to_string());
        }
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module(item);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_private = matches!(item.vis, syn::Visibility::Inherited);
        self.import(&item.tree, Segments::new(), is_private);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let line = path.span().start().line;
        let mut segments = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.mention(line, &mut segments);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.visit_path(&called.path);
        self.tokens(called.tokens.clone());
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

/// Whether an item is compiled for unit tests only.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    }
}

#[test]
fn files_without_a_declaration_are_dead() {
    let files = [
        ("x/src/lib.rs", "mod a; #[cfg(test)] mod tests;"),
        ("x/src/a.rs", "mod b;"),
        ("x/src/a/b.rs", ""),
        ("x/src/tests/mod.rs", ""),
        ("x/src/c.rs", "mod d;"),
        ("x/src/d.rs", ""),
        ("x/src/bin/e.rs", ""),
    ];
    let sources = files.map(|(path, text)| SourceFile::new(path, text));
    let dead =
        ["x/src/c.rs:1", "x/src/d.rs:1"].map(|it| format!("{it}: no `mod` leads to this file"));
    assert_eq!(dead_files(&sources), dead);
}
