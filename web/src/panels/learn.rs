//! The home: the list of stories, in the order of teaching, and the way to an empty sandbox.

use lictor_sandbox::fresh_world::sandbox;
use lictor_sandbox::tutorial::{THEMES, Theme, title};
use lictor_sim::scenario::Variant;

use crate::panels::story::STORY;
use crate::parts;
use crate::settings::{settings, words};
use crate::teacher::Teacher;
use crate::ui::{
    El, Glyph, Part, after_effects, closer, el, focus, icon, opener, popover, text, word,
};

/// The id of the home.
pub const HOME: &str = "home";

/// The button that opens the home.
pub fn home_button(teacher: &'static Teacher) -> El {
    let button = opener(HOME, "btn btn-line w-world").title(word(|words| words.learn.heading));
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
    let groups = THEMES.iter().map(|(theme, numbers)| group(teacher, *theme, numbers));
    popover(HOME, "home", word(|words| words.learn.heading)).with(parts![
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
    let open = closer(HOME, "story").test(format!("story-{number}"));
    let open = open.on("click", move |_| {
        teacher.open(number, Variant::Plain);
        // The home, which closes, gives the focus back to the button that opened it.
        after_effects(|| drop(focus(STORY)));
    });
    let number = el("span", "num").with(number.to_string());
    el("li", "").with(open.with(number).with(el("span", "").with(name)))
}

fn empty(teacher: &'static Teacher) -> El {
    let open = closer(HOME, "story").test("story-none");
    let open = open.on("click", move |_| teacher.close(sandbox()));
    let name = el("b", "").with(word(|words| words.learn.sandbox));
    let says = el("span", "quiet").with(word(|words| words.learn.sandbox_text));
    el("div", "theme").with(open.with(name).with(says))
}
