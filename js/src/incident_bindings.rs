//! Reads lock incidents for JavaScript: from texts it makes a report in JSON, which has the text of
//! a world, too. Nothing is kept between two calls.

use js_sys::Function;
use lictor_incident::{Incident, NamedText, Timestamp, parse_time};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::boundary::{read, thrown};
use crate::options::OptionError;

/// Reads the texts of an incident, a list of objects with a `name` and a `text`, and returns the
/// report, [`Incident::to_json`], as a text.
///
/// `at` says when the lists were taken, in RFC 3339. If it is empty, a log or a `Date` header among
/// the texts says it; if none does, they count as taken `now`. With `redacts`, values of keys,
/// tokens and addresses are replaced before anything is read. `progress` is called after about each
/// MiB of a text, and at its end, with the share of all bytes that was read, from 0 to 1. Shorter
/// texts never call it.
///
/// # Errors
///
/// Throws an error with a `code` if an argument or a pattern is invalid, if the texts have nothing
/// of Consul's, or if their lists are of several datacenters.
#[wasm_bindgen(js_name = readIncident)]
pub fn read_incident(
    texts: JsValue,
    at: &str,
    now: &str,
    redacts: bool,
    progress: Option<Function>,
) -> Result<String, JsValue> {
    let texts: Vec<NamedText> = read(texts)?;
    let at = if at.is_empty() { None } else { Some(time(at)?) };
    let mut report = move |share: f64| {
        if let Some(progress) = &progress {
            // An error that the listener throws is ignored.
            let _ = progress.call1(&JsValue::NULL, &share.into());
        }
    };
    let incident = Incident::read_texts(texts, at, time(now)?, redacts, &mut report);
    Ok(incident.map_err(thrown)?.to_json().to_string())
}

fn time(text: &str) -> Result<Timestamp, JsValue> {
    parse_time(text).ok_or_else(|| thrown(OptionError::Type(format!("{text:?} is no time"))))
}
