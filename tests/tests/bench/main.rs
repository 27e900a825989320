//! Runs the benchmark's rows in a browser and prints a line for each row and size. It checks
//! nothing.
#![cfg(target_arch = "wasm32")]

use lictor_tests::bench::{ROWS, line_of, measure};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{console_log, wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
fn rows() {
    for row in ROWS {
        for size in row.sizes {
            console_log!("{}", line_of(row, *size, measure(row, *size, clock)));
        }
    }
}

/// Nanoseconds since the page was opened.
fn clock() -> f64 {
    let window: web_sys::Window = js_sys::global().unchecked_into();
    window.performance().expect("every browser has a clock").now() * 1e6
}
