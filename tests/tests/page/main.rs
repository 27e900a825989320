//! Tests of the built page and documentation through their user interface: paste, buttons,
//! keyboard. They run in Chromium, a smoke test also in Firefox and WebKit.
//!
//! A test in Chromium opens the page in a window and at an address of its own. Virtual time is
//! paused until a test advances it or lets it run, and each wait ends with the change of the page
//! that it expects.
#![cfg(not(target_arch = "wasm32"))]

mod accessibility;
mod addresses;
mod axe;
mod bench_world;
mod browsers;
mod consistency;
mod console;
mod docs;
mod drawings;
mod drivers;
mod election;
mod embed;
mod embedded_guide;
mod embedding_host;
mod environment;
mod export;
mod first_visit;
mod frame_counts;
mod guide;
mod incident;
mod layout;
mod legibility;
mod lesson_layout;
mod lessons;
mod live;
mod media;
mod offline;
mod player;
mod programs_and_faults;
mod safety;
mod sandbox;
mod saved_worlds;
mod screenshots;
mod script;
mod semaphore_guide;
mod session_checks;
mod share;
mod time_travel;
mod timeline_view;
mod tour;
mod version;
