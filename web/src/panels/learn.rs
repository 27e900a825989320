//! The home: the list of stories, in the order of teaching, and the way to an empty sandbox.

use lictor_core::sim::scenario::Variant;

use crate::app::sandbox;
use crate::learn::{THEMES, Theme, title};
use crate::parts;
use crate::settings::{settings, words};
use crate::teacher::Teacher;
use crate::ui::{El, Glyph, Part, el, icon, text, word};

/// The id of the home.
pub const HOME: &str = "home";

/// The button that opens the home.
pub fn home_button(teacher: &'static Teacher) -> El {
    let button = el("button", "btn btn-line w-world").attr("type", "button").test("home-button");
    let button = button.attr("popovertarget", HOME).title(word(|words| words.learn.heading));
    let name = text(move || match teacher.reading.get() {
        Some(reading) => {
            let number = reading.story.scenario.number;
            format!("{number} {}", title(number, settings().language.get()))
        }
        None => words().sandbox.to_owned(),
    });
    button.with(el("b", "").test("world-name").with(name)).with(icon(Glyph::Down))
}

pub fn home(teacher: &'static Teacher) -> El {
    let heading = el("h2", "").attr("id", "h-home").with(word(|words| words.learn.heading));
    let close = el("button", "btn btn-icon push").attr("type", "button").test("home-close");
    let close = close.attr("popovertarget", HOME).attr("popovertargetaction", "hide");
    let close = close.label(word(|words| words.close)).with(icon(Glyph::Cross));
    let groups = THEMES.iter().map(|(theme, numbers)| group(teacher, *theme, numbers));
    let panel = el("section", "home").attr("id", HOME).attr("popover", "").test("home");
    panel.attr("aria-labelledby", "h-home").with(parts![
        el("div", "head").with(heading).with(close),
        el("p", "quiet").with(word(|words| words.learn.intro)),
        groups.collect::<Part>(),
        empty(teacher),
    ])
}

fn group(teacher: &'static Teacher, theme: Theme, numbers: &[u32]) -> El {
    let items = numbers.iter().map(|number| item(teacher, *number));
    let heading = el("h3", "").with(text(move || (words().learn.theme)(theme)));
    el("div", "theme").with(heading).with(el("ol", "").with(items.collect::<Part>()))
}

fn item(teacher: &'static Teacher, number: u32) -> El {
    let name = text(move || title(number, settings().language.get()));
    let open = closing("story", &format!("story-{number}"));
    let open = open.on("click", move |_| teacher.open(number, Variant::Plain));
    let number = el("span", "num").with(number.to_string());
    el("li", "").with(open.with(number).with(el("span", "").with(name)))
}

fn empty(teacher: &'static Teacher) -> El {
    let open = closing("story", "story-none").on("click", move |_| teacher.close(sandbox()));
    let name = el("b", "").with(word(|words| words.learn.sandbox));
    let says = el("span", "quiet").with(word(|words| words.learn.sandbox_text));
    el("div", "theme").with(open.with(name).with(says))
}

/// A button that closes the home when it is used.
fn closing(class: &str, test_id: &str) -> El {
    let button = el("button", class).attr("type", "button").test(test_id);
    button.attr("popovertarget", HOME).attr("popovertargetaction", "hide")
}
