//! Converts values between Rust and JavaScript, and keeps the message of a panic. Every WebAssembly
//! file of the package has this.

use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::Failed;
use crate::options::{OptionError, Span};

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Keeps the message of a panic, as the trap that follows has none.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|info| {
        let message = info.to_string();
        LAST_PANIC.with(|last| last.try_borrow_mut().map(|mut last| *last = Some(message)).ok());
    }));
}

/// The message of the panic that has poisoned this instance.
#[wasm_bindgen(js_name = lastPanic)]
pub fn last_panic() -> Option<String> {
    LAST_PANIC.with(|last| last.try_borrow().ok().and_then(|last| last.clone()))
}

/// The milliseconds of a duration, which is a number of milliseconds or a text such as `10s`.
/// Throws if it is neither, or negative.
#[wasm_bindgen(js_name = millisOf)]
pub fn millis_of(span: JsValue) -> Result<f64, JsValue> {
    let span: Span = read(span)?;
    Ok(span.duration().map_err(thrown)?.as_nanos() as f64 / 1e6)
}

/// A value as plain objects and arrays of JavaScript. `None` is null, bytes are a Uint8Array, and
/// 64-bit integers are BigInts.
pub(crate) fn written(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let serializer = Serializer::json_compatible()
        .serialize_bytes_as_arrays(false)
        .serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(Into::into)
}

/// A value that JavaScript passes. Fails with an error of the kind that the package throws.
pub(crate) fn read<T: DeserializeOwned>(value: JsValue) -> Result<T, JsValue> {
    serde_wasm_bindgen::from_value(value)
        .map_err(|error| thrown(OptionError::Type(error.to_string())))
}

/// The object that is thrown for an error.
pub(crate) fn thrown(error: impl Into<Failed>) -> JsValue {
    written(&error.into()).unwrap_or_else(|error| error)
}
