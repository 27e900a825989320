//! The exporter as WebAssembly: functions that JavaScript calls, each with the name of a format.
//! They throw a string if there is no such format. The program does nothing when it is started.

use lictor_export::{Format, export};
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Writes a saved world in a format. Throws the reason, a string, if that is not possible.
#[wasm_bindgen(js_name = exportWorld)]
pub fn export_world(world: &str, format: &str) -> Result<String, String> {
    export(world, named(format)?).map_err(|error| error.to_string())
}

/// The name that a file of the format gets.
#[wasm_bindgen(js_name = fileName)]
pub fn file_name(format: &str) -> Result<String, String> {
    Ok(named(format)?.file_name().into())
}

/// What a file of the format is for, and what it needs.
#[wasm_bindgen(js_name = needs)]
pub fn needs(format: &str) -> Result<String, String> {
    Ok(named(format)?.needs().into())
}

fn named(format: &str) -> Result<Format, String> {
    format.parse().map_err(|error: lictor_export::UnknownFormat| error.to_string())
}
