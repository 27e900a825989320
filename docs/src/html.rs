//! HTML for what depends on a value that the reader can change. Texts are escaped.

/// A value that the reader can change: the chosen one as a text, and a select that scripts show.
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

/// The attributes of an element whose text depends on the choice of a group.
pub(crate) fn bound(group: &str, texts: &[String]) -> String {
    if texts.len() < 2 {
        return String::new();
    }
    let texts = serde_json::to_string(texts).unwrap_or_default();
    format!(" data-group=\"{group}\" data-texts=\"{}\"", escaped(&texts))
}

/// The attributes of an element that is displayed with one choice of a group.
pub(crate) fn chosen(group: &str, choice: usize) -> String {
    let hidden = if choice > 0 { " hidden" } else { "" };
    format!(" data-group=\"{group}\" data-choice=\"{choice}\"{hidden}")
}

/// A text for HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
