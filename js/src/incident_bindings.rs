//! Reads lock incidents for JavaScript: from texts it makes a report in JSON, which has the text of
//! a world, too. Nothing is kept between two calls.

use js_sys::Function;
use lictor_incident::{
    EventPattern, Incident, Redactor, SignedDuration, Source, Timestamp, parse_time,
};
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::boundary::{read, thrown};
use crate::options::OptionError;

/// A text that was pasted or the content of a file, as JavaScript passes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NamedText {
    name: String,
    text: String,
    /// The milliseconds that are added to its times because its clock is behind; negative if it is
    /// ahead.
    #[serde(default)]
    clock_offset: f64,
    /// The patterns by which its lines of an application are read. Without them, patterns are
    /// proposed; an empty list reads no such line.
    patterns: Option<Vec<String>>,
}

impl NamedText {
    fn patterns(&self) -> Result<Option<Vec<EventPattern>>, JsValue> {
        let Some(patterns) = &self.patterns else { return Ok(None) };
        let parsed = patterns.iter().map(|pattern| {
            let parsed = pattern.parse::<EventPattern>();
            parsed.map_err(|error| {
                thrown(OptionError::Type(format!("the patterns of {}: {error}", self.name)))
            })
        });
        parsed.collect::<Result<_, _>>().map(Some)
    }
}

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
    let mut texts: Vec<NamedText> = read(texts)?;
    if redacts {
        let mut redactor = Redactor::default();
        texts.iter_mut().for_each(|text| text.text = redactor.redact(&text.text));
    }
    let at = if at.is_empty() { None } else { Some(time(at)?) };
    let patterns = texts.iter().map(NamedText::patterns).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<Source<'_>> = texts
        .iter()
        .zip(&patterns)
        .map(|(NamedText { name, text, clock_offset, .. }, patterns)| {
            let offset = SignedDuration::from_millis(*clock_offset as i64);
            let source = Source::new(name, text.as_bytes()).clock_offset(offset);
            match patterns {
                Some(patterns) => source.patterns(patterns),
                None => source,
            }
        })
        .collect();
    let all: usize = texts.iter().map(|text| text.text.len()).sum();
    let mut done = 0;
    let mut report = move |bytes: usize| {
        done += bytes;
        if let Some(progress) = &progress {
            // An error that the listener throws is ignored.
            let _ = progress.call1(&JsValue::NULL, &(done as f64 / all as f64).into());
        }
    };
    let incident = Incident::read_now(&sources, at, time(now)?, &mut report);
    Ok(incident.map_err(thrown)?.to_json().to_string())
}

fn time(text: &str) -> Result<Timestamp, JsValue> {
    parse_time(text).ok_or_else(|| thrown(OptionError::Type(format!("{text:?} is no time"))))
}
