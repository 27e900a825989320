//! Functions and types: how long, what they take, how they are called.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::sources::{SOURCES, Source};

const FUNCTION_MAX: usize = 70;

/// Words that say nothing about what a type is.
const EMPTY_NAMES: [&str; 4] = ["Manager", "Helper", "Util", "Info"];

/// The functions that are too long.
pub(crate) fn lengths() -> Vec<String> {
    let mut violations = Vec::new();
    for source in SOURCES.iter() {
        for function in survey(source).functions {
            if function.lines > FUNCTION_MAX {
                let rule = format!("{} has {} of at most 70 lines", function.name, function.lines);
                violations.push(source.at(function.line, rule));
            }
        }
    }
    violations
}

pub(crate) fn names() -> Vec<String> {
    let mut violations = Vec::new();
    for source in SOURCES.iter() {
        let survey = survey(source);
        for (line, name) in survey.types {
            if EMPTY_NAMES.iter().any(|empty| holds_word(&name, empty)) {
                violations.push(source.at(line, format!("{name} says nothing about what it is")));
            }
        }
    }
    violations
}

/// Whether a camel-case name has this word in it.
fn holds_word(name: &str, word: &str) -> bool {
    name.match_indices(word).any(|(at, _)| {
        let after = &name[at + word.len()..];
        !after.starts_with(|c: char| c.is_lowercase()) || after == "s"
    })
}

#[derive(Default)]
struct Survey {
    functions: Vec<Function>,
    types: Vec<(usize, String)>,
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
}

fn survey(source: &Source) -> Survey {
    let file = syn::parse_file(&source.text);
    let file = file.unwrap_or_else(|problem| panic!("{}: {problem}", source.path));
    let mut survey = Survey::default();
    survey.visit_file(&file);
    survey
}

impl Survey {
    fn function(&mut self, signature: &syn::Signature, whole: Span) {
        let (start, end) = (signature.span().start().line, whole.end().line);
        self.functions.push(Function {
            name: signature.ident.to_string(),
            line: start,
            lines: end + 1 - start,
        });
    }

    fn named(&mut self, name: &syn::Ident) {
        self.types.push((name.span().start().line, name.to_string()));
    }
}

impl<'ast> Visit<'ast> for Survey {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(&function.sig, function.span());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function(&function.sig, function.span());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if function.default.is_some() {
            self.function(&function.sig, function.span());
        }
        visit::visit_trait_item_fn(self, function);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.named(&item.ident);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.named(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.named(&item.ident);
        visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.named(&item.ident);
        visit::visit_item_type(self, item);
    }
}
