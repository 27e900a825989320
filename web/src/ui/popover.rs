//! A panel that lies over the page. The browser opens and closes it, and gives the focus back to
//! the button that opened it.

use std::rc::Rc;

use super::{El, Glyph, Text, el, icon, word};
use crate::var::Var;

/// A panel with its heading and the button that closes it.
pub fn popover(id: &str, class: &str, heading: Text) -> El {
    let name = named("h-", id);
    let close = closer(id, "btn btn-icon btn-small push").test(named(id, "-close"));
    let close = close.label(word(|words| words.close)).with(icon(Glyph::Cross));
    let heading = el("h2", "").attr("id", &name).with(heading);
    let panel = el("section", class).attr("id", id).attr("popover", "").test(id);
    panel.attr("aria-labelledby", name).with(el("div", "head").with(heading).with(close))
}

/// A panel, and whether it is open.
pub fn opened(panel: El) -> (El, Rc<Var<bool>>) {
    let is_open = Rc::new(Var::new(false));
    let (shown, element) = (is_open.clone(), panel.node().clone());
    let panel = panel.on("toggle", move |_| {
        shown.set(element.matches(":popover-open").unwrap_or_default());
    });
    (panel, is_open)
}

/// A button that opens a panel.
pub fn opener(id: &str, class: &str) -> El {
    way(id, class).test(named(id, "-button"))
}

/// A button that closes a panel.
pub fn closer(id: &str, class: &str) -> El {
    way(id, class).attr("popovertargetaction", "hide")
}

fn way(id: &str, class: &str) -> El {
    el("button", class).attr("type", "button").attr("popovertarget", id)
}

fn named(start: &str, end: &str) -> String {
    start.to_owned() + end
}
