//! Functions and types: how long, what they take, how they are called.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use crate::sources::{SOURCES, Source};

const FUNCTION_MAX: usize = 70;

/// Words that say nothing about what a type is.
const EMPTY_NAMES: [&str; 6] = ["Manager", "Helper", "Util", "Data", "Info", "Handler"];

/// The functions that are too long, and the median length of those that are not tests.
pub(crate) fn lengths() -> (Vec<String>, usize) {
    let mut violations = Vec::new();
    let mut lengths = Vec::new();
    for source in SOURCES.iter() {
        for function in survey(source).functions {
            if function.lines > FUNCTION_MAX {
                let rule = format!("{} has {} of at most 70 lines", function.name, function.lines);
                violations.push(source.at(function.line, rule));
            }
            lengths.extend((!function.is_test).then_some(function.lines));
        }
    }
    lengths.sort_unstable();
    (violations, lengths.get(lengths.len() / 2).copied().unwrap_or_default())
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
        for line in survey.flags {
            violations.push(source.at(line, "a parameter is no bool: an enum says what is meant"));
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
    /// The lines of parameters that are a bare bool.
    flags: Vec<usize>,
    /// How many test modules and test functions are around.
    tests: usize,
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
    is_test: bool,
}

fn survey(source: &Source) -> Survey {
    let file = syn::parse_file(&source.text);
    let file = file.unwrap_or_else(|problem| panic!("{}: {problem}", source.path));
    let is_test = source.path.contains("/tests/");
    let mut survey = Survey { tests: usize::from(is_test), ..Survey::default() };
    survey.visit_file(&file);
    survey
}

impl Survey {
    /// A trait's function takes what the trait says, so its parameters are looked at there.
    fn flags(&mut self, signature: &syn::Signature) {
        for input in &signature.inputs {
            let syn::FnArg::Typed(parameter) = input else {
                continue;
            };
            if matches!(&*parameter.ty, syn::Type::Path(ty) if ty.path.is_ident("bool")) {
                self.flags.push(parameter.span().start().line);
            }
        }
    }

    fn function(&mut self, signature: &syn::Signature, whole: Span) {
        let (start, end) = (signature.span().start().line, whole.end().line);
        self.functions.push(Function {
            name: signature.ident.to_string(),
            line: start,
            lines: end + 1 - start,
            is_test: self.tests > 0,
        });
    }

    fn named(&mut self, name: &syn::Ident) {
        self.types.push((name.span().start().line, name.to_string()));
    }
}

impl<'ast> Visit<'ast> for Survey {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let is_test = usize::from(module.attrs.iter().any(is_test_only));
        self.tests += is_test;
        visit::visit_item_mod(self, module);
        self.tests -= is_test;
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.function(&function.sig, function.span());
        self.flags(&function.sig);
        visit::visit_item_fn(self, function);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if item.trait_.is_none() {
            for item in &item.items {
                if let syn::ImplItem::Fn(function) = item {
                    self.flags(&function.sig);
                }
            }
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.function(&function.sig, function.span());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if function.default.is_some() {
            self.function(&function.sig, function.span());
        }
        self.flags(&function.sig);
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

/// `#[cfg(test)]`, or a longer condition that holds in tests.
fn is_test_only(attribute: &syn::Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else {
        return false;
    };
    list.path.is_ident("cfg") && list.tokens.to_string().contains("test")
}
