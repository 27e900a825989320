//! The role and the accessible name of an element, as far as the page uses them (WAI-ARIA, HTML-AAM
//! and accname in short).

use leptos::prelude::document;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

/// Roles whose name is their content where no label names them.
const NAMED_BY_CONTENT: [&str; 9] =
    ["button", "cell", "columnheader", "heading", "link", "listitem", "option", "row", "status"];

/// The role of an element; `None` if it is not displayed, is hidden from screen readers, or has
/// none.
pub(crate) fn role(element: &Element) -> Option<String> {
    if element.get_client_rects().length() == 0 || is_hidden(element) {
        return None;
    }
    let given = element.get_attribute("role");
    given.or_else(|| implicit_role(element).map(str::to_owned))
}

fn is_hidden(element: &Element) -> bool {
    element.closest("[aria-hidden=true]").is_ok_and(|found| found.is_some())
}

fn implicit_role(element: &Element) -> Option<&'static str> {
    Some(match element.tag_name().to_ascii_lowercase().as_str() {
        "a" if element.has_attribute("href") => "link",
        "article" => "article",
        "button" => "button",
        "fieldset" => "group",
        "h1" | "h2" | "h3" => "heading",
        "input" => match element.get_attribute("type").as_deref() {
            Some("checkbox") => "checkbox",
            Some("radio") => "radio",
            Some("file") => return None,
            _ => "textbox",
        },
        "li" => "listitem",
        "nav" => "navigation",
        "ol" | "ul" => "list",
        "output" => "status",
        "section" => "region",
        "select" => "combobox",
        "textarea" => "textbox",
        _ => return None,
    })
}

/// The accessible name of the element; empty if it has none.
pub(crate) fn accessible_name(element: &Element) -> String {
    let role = role(element).unwrap_or_default();
    let content =
        || NAMED_BY_CONTENT.contains(&role.as_str()).then(|| content_of(element.as_ref()));
    let attribute = |name| element.get_attribute(name);
    let name = labelled_by(element)
        .or_else(|| attribute("aria-label"))
        .or_else(|| label_of(element))
        .or_else(|| content().filter(|text| !text.trim().is_empty()))
        .or_else(|| attribute("title"))
        .or_else(|| attribute("placeholder"));
    name.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn labelled_by(element: &Element) -> Option<String> {
    let ids = element.get_attribute("aria-labelledby")?;
    let labels = ids.split_whitespace().filter_map(|id| document().get_element_by_id(id));
    Some(labels.map(|label| content_of(label.as_ref())).collect::<Vec<_>>().join(" "))
}

/// The label of a field, around it or with its id, or the legend of a group.
fn label_of(element: &Element) -> Option<String> {
    if element.tag_name() == "FIELDSET" {
        return element.query_selector("legend").ok()?.map(|legend| content_of(legend.as_ref()));
    }
    if !matches!(element.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA") {
        return None;
    }
    let around = element.closest("label").ok().flatten();
    let label = around.or_else(|| {
        let selector = format!("label[for='{}']", element.get_attribute("id")?);
        document().query_selector(&selector).ok().flatten()
    })?;
    Some(content_of(label.as_ref()))
}

/// The text of an element without fields and without what is `aria-hidden`.
fn content_of(node: &Node) -> String {
    if node.node_type() == Node::TEXT_NODE {
        return node.text_content().unwrap_or_default();
    }
    let Some(element) = node.dyn_ref::<Element>() else { return String::new() };
    let is_field = matches!(element.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA");
    if is_field || element.get_attribute("aria-hidden").as_deref() == Some("true") {
        return String::new();
    }
    let children = element.child_nodes();
    let texts = (0..children.length()).filter_map(|at| children.item(at)).map(|it| content_of(&it));
    texts.collect::<Vec<_>>().join(" ")
}
