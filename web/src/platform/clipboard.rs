//! Copies a text to the clipboard. A page without a secure context has no clipboard for scripts;
//! there, and if the clipboard refuses the text, the text is selected in a field and the browser's
//! own command copies it.

use js_sys::{Function, Reflect};
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlElement, HtmlTextAreaElement};

/// Copies a text. Returns false if the browser refuses it.
pub async fn copy(text: &str) -> bool {
    if window().is_secure_context() {
        let promise = window().navigator().clipboard().write_text(text);
        if JsFuture::from(promise).await.is_ok() {
            return true;
        }
    }
    copy_selection(text).is_ok_and(|copied| copied.is_truthy())
}

/// Copies through the selection of a temporary field. The focus returns to the element that had it.
fn copy_selection(text: &str) -> Result<JsValue, JsValue> {
    let document = document();
    let focused = document.active_element().and_then(|it| it.dyn_into::<HtmlElement>().ok());
    let field: HtmlTextAreaElement = document.create_element("textarea")?.unchecked_into();
    field.set_class_name("visually-hidden");
    field.set_value(text);
    // In an open dialog only its own elements can be selected.
    let parent = focused.as_ref().and_then(|focused| focused.parent_element());
    parent.or_else(|| document.document_element()).ok_or(JsValue::NULL)?.append_child(&field)?;
    field.select();
    let command: Function = Reflect::get(&document, &"execCommand".into())?.dyn_into()?;
    let copied = command.call1(&document, &"copy".into());
    field.remove();
    if let Some(focused) = focused {
        focused.focus()?;
    }
    copied
}
