//! The house style as tests: sizes, layers, names, and what must not occur. Each violation names
//! its place.
//!
//! ARCHITECTURE.md gives the reasons. What rustfmt and clippy check is not repeated here.
#![cfg(not(target_arch = "wasm32"))]

mod functions;
mod layers;
mod modules;
mod project;
mod sources;
mod words;

use sources::SOURCES;

const WIDTH_MAX: usize = 100;
const FILE_MAX: usize = 600;
const HEAD_MAX: usize = 10;

#[test]
fn lines_and_files_are_short() {
    let mut violations = Vec::new();
    for source in SOURCES.iter() {
        for (line, text) in source.lines() {
            if text.chars().count() > WIDTH_MAX {
                violations.push(source.at(line, "a line is at most 100 columns wide"));
            }
        }
        if source.lines().count() > FILE_MAX {
            violations.push(source.at(FILE_MAX, "a file has at most 600 lines"));
        }
    }
    none(&violations);
}

#[test]
fn files_say_first_what_they_are() {
    let mut violations = Vec::new();
    for source in SOURCES.iter() {
        let head = source.lines().take_while(|(_, text)| text.starts_with("//!")).count();
        if head == 0 {
            violations.push(source.at(1, "a file starts with `//!`"));
        }
        if head > HEAD_MAX && !source.path.ends_with("lib.rs") {
            violations.push(source.at(head, "a file's head has at most 10 lines"));
        }
    }
    none(&violations);
}

#[test]
fn functions_are_short() {
    none(&functions::lengths());
}

#[test]
fn names_say_what_a_type_is() {
    none(&functions::names());
}

#[test]
fn banned_words_do_not_occur() {
    none(&words::banned());
}

#[test]
fn the_page_has_no_styles_markup_or_texts_of_its_own() {
    none(&words::page());
}

#[test]
fn every_deferred_task_has_an_owner() {
    none(&words::deferred());
}

#[test]
fn layers_name_only_those_below_them() {
    none(&layers::check());
}

#[test]
fn no_file_is_dead() {
    none(&modules::unreachable());
}

#[test]
fn vectors_are_named_after_their_files_and_told_in_order() {
    none(&project::vectors());
}

#[test]
fn the_architecture_names_every_top_module() {
    none(&project::architecture());
}

fn none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}
