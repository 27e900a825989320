//! What the text may go on with, in a list over the input: Tab takes the first, or the one that the
//! arrows have gone to; Escape closes the list.

use super::terminal::Terminal;
use crate::ui::{El, Part, el, live, text, word};

/// The id of the list.
const LIST: &str = "offers";

/// The input with what ties it to the list.
pub fn offering(input: El, terminal: &'static Terminal) -> El {
    let controls = text(|| if terminal.offer.with(Option::is_some) { LIST } else { "" });
    let chosen = text(|| match terminal.offer.get().and_then(|offer| offer.chosen) {
        Some(place) => id_of(place),
        None => String::new(),
    });
    input
        .attr("aria-autocomplete", "list")
        .attr("aria-controls", controls)
        .attr("aria-activedescendant", chosen)
        .on("blur", |_| terminal.offer.show(None))
}

fn id_of(place: usize) -> String {
    format!("{LIST}-{place}")
}

pub fn offers(terminal: &'static Terminal) -> Part {
    live(move || {
        let offer = terminal.offer.get()?;
        let items = offer.texts.iter().enumerate().map(|(place, text)| {
            let is_chosen = (offer.chosen == Some(place)).to_string();
            let item = el("li", "").attr("id", id_of(place)).attr("role", "option");
            let item = item.attr("aria-selected", is_chosen).on("pointerdown", move |event| {
                // The input keeps the focus.
                event.prevent_default();
                terminal.take(place);
            });
            item.with(text.as_str()).with(el("span", "quiet").with(terminal.label(text)))
        });
        let list = el("ul", "offers").attr("id", LIST).attr("role", "listbox").test(LIST);
        Some(list.label(word(|words| words.console.offers)).with(items.collect::<Part>()))
    })
}
