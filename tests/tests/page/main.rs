//! The built page in a real Chromium, used as a person uses it: by paste, by buttons, by keyboard.
//!
//! Each test opens a page of its own. Nothing here waits for a clock: virtual time stands still
//! until a test moves it, and a wait ends with the change of the page that it waits for.
#![cfg(not(target_arch = "wasm32"))]

mod access;
mod axe;
mod console;
mod election;
mod embed;
mod guide;
mod host;
mod hosts;
mod keep;
mod look;
mod media;
mod past;
mod safety;
mod sandbox;
mod script;
mod share;
mod shots;
mod stage;
mod stories;
mod view;
