//! Refuses long lines, files, heads and functions, files without a head, and heads that name other
//! files of Rust.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::sources::SourceFile;

const COLUMNS_MAX: usize = 100;
const FILE_LINES_MAX: usize = 600;
const HEAD_LINES_MAX: usize = 10;
const FUNCTION_LINES_MAX: usize = 70;

pub(crate) fn lines_and_files(sources: &[SourceFile]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        for (line, text) in source.lines() {
            if text.chars().count() > COLUMNS_MAX {
                violations.push(source.at(line, "a line has at most 100 columns"));
            }
        }
        if source.lines().count() > FILE_LINES_MAX {
            violations.push(source.at(FILE_LINES_MAX, "a file has at most 600 lines"));
        }
    }
    violations
}

/// Each file begins with a comment that says what it is; only that of a library may be long. It
/// names no other file of Rust, as nobody mends such a list when the code moves.
pub(crate) fn heads(sources: &[SourceFile]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        let lines = source.lines().take_while(|(_, text)| text.starts_with("//!"));
        let mut head = 0;
        for (line, text) in lines {
            head = line;
            if text.contains(".rs") {
                violations.push(source.at(line, "the head of a file names no other source file"));
            }
        }
        if head == 0 {
            violations.push(source.at(1, "a file starts with `//!`"));
        }
        if head > HEAD_LINES_MAX && !source.path.ends_with("lib.rs") {
            violations.push(source.at(head, "the head of a file has at most 10 lines"));
        }
    }
    violations
}

pub(crate) fn functions(sources: &[SourceFile]) -> Vec<String> {
    let mut violations = Vec::new();
    for source in sources {
        let mut lengths = Lengths::default();
        lengths.visit_file(&source.syntax());
        for (name, first, last) in lengths.0 {
            let lines = last + 1 - first;
            if lines > FUNCTION_LINES_MAX {
                violations.push(source.at(first, format!("`{name}` has {lines} lines, not 70")));
            }
        }
    }
    violations
}

/// Functions by name, with the first and the last line of each.
#[derive(Default)]
struct Lengths(Vec<(String, usize, usize)>);

impl Lengths {
    fn add(&mut self, signature: &syn::Signature, whole: Span) {
        let first = signature.span().start().line;
        self.0.push((signature.ident.to_string(), first, whole.end().line));
    }
}

impl<'ast> Visit<'ast> for Lengths {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.add(&function.sig, function.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.add(&function.sig, function.span());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.add(&function.sig, function.span());
        visit::visit_trait_item_fn(self, function);
    }
}

#[test]
fn long_lines_and_files_are_found() {
    for (text, is_violation) in [
        (format!("// {}", "x".repeat(97)), false),
        (format!("// {}", "é".repeat(98)), true),
        ("\n".repeat(600), false),
        ("\n".repeat(601), true),
    ] {
        let source = SourceFile::new("core/src/id.rs", &text);
        assert_eq!(!lines_and_files(&[source]).is_empty(), is_violation, "{}", text.len());
    }
}

#[test]
fn missing_and_long_heads_and_lists_of_files_are_found() {
    for (path, text, is_violation) in [
        ("core/src/id.rs", "//! Ids.".to_owned(), false),
        ("core/src/id.rs", "// Ids.".to_owned(), true),
        ("core/src/id.rs", "//! Ids.\n".repeat(11), true),
        ("core/src/lib.rs", "//! Ids.\n".repeat(11), false),
        ("core/src/id.rs", "//! Ids, for `error.rs`.".to_owned(), true),
    ] {
        let source = SourceFile::new(path, &text);
        assert_eq!(!heads(&[source]).is_empty(), is_violation, "{path}: {text}");
    }
}

#[test]
fn long_functions_are_found_wherever_they_are() {
    for (before, after) in [("", ""), ("impl A {", "}"), ("trait A {", "}")] {
        for (lines, is_violation) in [(68, false), (69, true)] {
            let body = "\n".repeat(lines);
            let source =
                SourceFile::new("core/src/id.rs", &format!("{before}\nfn f() {{{body}\n}}{after}"));
            assert_eq!(!functions(&[source]).is_empty(), is_violation, "{before} {lines}");
        }
    }
}
