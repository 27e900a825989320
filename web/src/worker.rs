//! What the scripts of the page's workers call: the reader of incidents and the exporter. They need
//! no document, and throw a string for what a person can mend; anything else is a trap.

use js_sys::Function;
use lictor_export::{Format, UnknownFormat, export};
use lictor_incident::{Incident, NamedText, parse_time};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Reads the texts of an incident, a list of objects with `name`, `text`, `clockOffset` and
/// `patterns`, and returns the report, [`Incident::to_json`]. If none of them says when the lists
/// were taken, they count as taken `now`. `progress` is called with the share of the texts that was
/// read. With a `key` or a `prefix` of keys the answers are only about these.
#[wasm_bindgen(js_name = readIncident)]
pub fn read_incident(
    texts: JsValue,
    now: &str,
    redacts: bool,
    progress: &Function,
    key: Option<String>,
    prefix: Option<String>,
) -> Result<String, JsValue> {
    console_error_panic_hook::set_once();
    let texts: Vec<NamedText> = serde_wasm_bindgen::from_value(texts)?;
    let now = parse_time(now).ok_or_else(|| format!("{now:?} is no time"))?;
    let mut report = |share: f64| {
        // An error that the listener throws is ignored.
        let _ = progress.call1(&JsValue::NULL, &share.into());
    };
    let incident = Incident::read_texts(texts, None, now, redacts, &mut report);
    let incident = incident.map_err(|error| error.to_string())?;
    let answers = match (key, prefix) {
        (Some(key), _) => incident.answers_about(Some(&key)),
        (None, Some(prefix)) => incident.answers_with_prefix(&prefix),
        (None, None) => incident.answers(),
    };
    Ok(incident.to_json_with(&answers).to_string())
}

/// Writes a saved world in the format of this name.
#[wasm_bindgen(js_name = exportWorld)]
pub fn export_world(world: &str, format: &str) -> Result<String, String> {
    console_error_panic_hook::set_once();
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
    format.parse().map_err(|error: UnknownFormat| error.to_string())
}
