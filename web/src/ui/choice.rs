//! Choices: a list to pick from and a row of buttons of which one is down. Options go by their
//! places, so that both are there once for choices of every kind.

use std::rc::Rc;

use leptos_dom::helpers::event_target_value;

use super::{El, Glyph, Part, Text, button, el, icon, text};

/// One option: its words and the test id of its button.
pub struct Choice {
    pub words: Text,
    pub test_id: &'static str,
}

/// What can be chosen, what is, and what to do when another option is picked.
pub struct Choices {
    pub options: Vec<Choice>,
    pub chosen: Rc<dyn Fn() -> usize>,
    pub on_pick: Rc<dyn Fn(usize)>,
}

impl Choices {
    /// Options of any kind, each with its words and its test id.
    pub fn of<T: Copy + PartialEq + 'static>(
        options: impl IntoIterator<Item = (T, Text, &'static str)>,
        chosen: impl Fn() -> T + 'static,
        on_pick: impl Fn(T) + 'static,
    ) -> Self {
        let mut kinds = Vec::new();
        let mut drawn = Vec::new();
        for (kind, words, test_id) in options {
            kinds.push(kind);
            drawn.push(Choice { words, test_id });
        }
        let known = kinds.clone();
        let place = move || {
            let chosen = chosen();
            known.iter().position(|kind| *kind == chosen).unwrap_or(usize::MAX)
        };
        let pick = move |place: usize| kinds.get(place).copied().into_iter().for_each(&on_pick);
        Self { options: drawn, chosen: Rc::new(place), on_pick: Rc::new(pick) }
    }

    fn draw(self, draw: impl Fn(usize, Choice, Rc<dyn Fn() -> usize>) -> El) -> Part {
        let options = self.options.into_iter().enumerate();
        options.map(|(place, option)| draw(place, option, self.chosen.clone())).collect()
    }
}

/// A labelled list to pick from.
pub fn pick(class: &str, test_id: &str, label: Text, choices: Choices) -> El {
    let on_pick = choices.on_pick.clone();
    let options = choices.draw(|place, option, chosen| {
        let item = el("option", "").attr("value", place.to_string()).with(option.words);
        item.flag("selected", move || chosen() == place)
    });
    let select = el("select", "").test(test_id).with(options).on("change", move |event| {
        if let Ok(place) = event_target_value(event).parse() {
            on_pick(place);
        }
    });
    el("label", &format!("pick {class}"))
        .with(el("span", "visually-hidden").with(label))
        .with(select)
        .with(icon(Glyph::Down))
}

/// A row of buttons of which one is down.
pub fn segments(class: &str, label: Text, choices: Choices) -> El {
    let on_pick = choices.on_pick.clone();
    let buttons = choices.draw(|place, option, chosen| {
        let on_pick = on_pick.clone();
        button("", option.test_id, move || on_pick(place))
            .attr("aria-pressed", text(move || (chosen() == place).to_string()))
            .with(option.words)
    });
    el("div", &format!("seg {class}")).attr("role", "group").label(label).with(buttons)
}
