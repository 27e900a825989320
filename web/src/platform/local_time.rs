//! Times of the wall clock, in the reader's time zone and the page's language.

use js_sys::{Date, Object, Reflect};
use lictor_view::language::Language;
use wasm_bindgen::JsValue;

/// A time as a text: date and time of day in the reader's time zone, from milliseconds since 1970.
pub fn local_time(milliseconds: f64, language: Language) -> String {
    let options = Object::new();
    for (name, value) in [("dateStyle", "medium"), ("timeStyle", "short")] {
        let _ = Reflect::set(&options, &name.into(), &value.into());
    }
    let date = Date::new(&JsValue::from_f64(milliseconds));
    date.to_locale_string(language.tag(), &options).into()
}
