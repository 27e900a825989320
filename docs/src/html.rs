//! HTML of the elements whose content depends on a value that the reader can change. Elements of
//! one group change together. All texts are escaped.

/// A value that the reader can change: the first one as a text, and a hidden select for all, which
/// is displayed where scripts run. There is at least one value.
pub(crate) fn control(group: &str, label: &str, values: &[String]) -> String {
    let options = values.iter().map(|value| format!("<option>{}</option>", escaped(value)));
    format!(
        "<span class=\"setting\"><span>{}</span>\
         <select data-group=\"{group}\" aria-label=\"{}\" autocomplete=\"off\" hidden>{}</select>\
         </span>",
        escaped(&values[0]),
        escaped(label),
        options.collect::<String>()
    )
}

/// The attributes of an element whose text depends on the choice of a group; empty if there are not
/// two texts to choose from.
pub(crate) fn bound(group: &str, texts: &[String]) -> String {
    if texts.len() < 2 {
        return String::new();
    }
    let texts = serde_json::to_string(texts).unwrap_or_default();
    format!(" data-group=\"{group}\" data-texts=\"{}\"", escaped(&texts))
}

/// The attributes of an element that is displayed with one choice of a group, counted from 0.
pub(crate) fn chosen(group: &str, choice: usize) -> String {
    let hidden = if choice > 0 { " hidden" } else { "" };
    format!(" data-group=\"{group}\" data-choice=\"{choice}\"{hidden}")
}

/// A text as HTML, also for the value of an attribute in double quotes.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
