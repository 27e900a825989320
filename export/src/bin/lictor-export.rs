//! The exporter as WebAssembly for a page: functions that JavaScript calls. It does nothing when it
//! is started.

use lictor_export::{Format, export};
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// Writes a saved world in the format of a name. Throws the reason, a string, if that is not
/// possible.
#[wasm_bindgen(js_name = exportWorld)]
pub fn export_world(world: &str, format: &str) -> Result<String, String> {
    export(world, named(format)?).map_err(|error| error.to_string())
}

/// A name for the file.
#[wasm_bindgen(js_name = fileName)]
pub fn file_name(format: &str) -> Result<String, String> {
    Ok(named(format)?.file_name().into())
}

/// What the file is for, and what it needs there.
#[wasm_bindgen(js_name = needs)]
pub fn needs(format: &str) -> Result<String, String> {
    Ok(named(format)?.needs().into())
}

fn named(format: &str) -> Result<Format, String> {
    format.parse().map_err(|error: lictor_export::UnknownFormat| error.to_string())
}
