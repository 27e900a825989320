//! The house style as tests, as far as Cargo, rustfmt and clippy do not check it. Each violation
//! names its place. The reasons are in CONTRIBUTING.md.
#![cfg(not(target_arch = "wasm32"))]

mod imports;
mod layers;
mod modules;
mod sizes;
mod sources;
mod styles;
mod use_order;
mod watched;
mod words;

use sources::SOURCES;

#[test]
fn lines_and_files_are_short() {
    assert_none(&sizes::lines_and_files(&SOURCES));
}

#[test]
fn files_start_with_a_short_head() {
    assert_none(&sizes::heads(&SOURCES));
}

#[test]
fn functions_are_short() {
    assert_none(&sizes::functions(&SOURCES));
}

#[test]
fn banned_words_do_not_occur() {
    assert_none(&words::banned(&SOURCES));
}

#[test]
fn deferred_work_has_an_owner() {
    assert_none(&words::deferred_without_owner(&SOURCES));
}

#[test]
fn no_file_is_dead() {
    assert_none(&modules::dead_files(&SOURCES));
}

#[test]
fn modules_import_only_from_lower_layers() {
    assert_none(&layers::upward_imports(&SOURCES));
}

#[test]
fn files_do_not_import_each_other_in_cycles() {
    assert_none(&imports::import_cycles(&SOURCES));
}

#[test]
fn imports_have_one_order() {
    assert_none(&use_order::out_of_order(&SOURCES));
}

#[test]
fn every_watched_path_exists() {
    assert_none(&watched::missing());
}

#[test]
fn the_page_has_every_file_of_its_styles() {
    assert_none(&styles::left_out());
}

#[test]
fn no_style_uses_has() {
    assert_none(&styles::slow_rules());
}

fn assert_none(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}\n", violations.join("\n"));
}
