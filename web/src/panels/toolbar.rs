//! The bar at the top: what this is, how time runs, and the reader's settings.
use lictor_sandbox::format::tenths;
use lictor_sandbox::language::Language;
use lictor_sandbox::pacer::{RunMode, Speed};
use lictor_sandbox::view::rows::BranchRow;

use crate::keys::HELP;
use crate::panels::checks::checks_button;
use crate::panels::compare::{COMPARE, branch_name};
use crate::panels::learn::home_button;
use crate::panels::share::share_button;
use crate::parts;
use crate::runtime::Runtime;
use crate::settings::{settings, words};
use crate::teacher::Teacher;
use crate::ui::{
    Choices, El, Glyph, Part, button, decoration, el, icon, live, opener, pick, segments, svg,
    text, word,
};
use crate::var::Var;

/// What the page is called, in every language.
const NAME: &str = "Lictor";
/// The release of Consul whose behaviour the server has; the same in every language.
const PROFILE: &str = "Consul 1.13";

pub fn toolbar(runtime: &'static Runtime, teacher: &'static Teacher) -> El {
    let modes = [
        (RunMode::Step, word(|words| words.step), "mode-step"),
        (RunMode::Play, word(|words| words.play), "mode-play"),
    ];
    let modes = Choices::of(modes, || runtime.mode.get(), |mode| runtime.set_mode(mode));
    let speeds = Speed::ALL.iter().map(|&speed| (speed, text(move || speed.label()), ""));
    let speeds = Choices::of(speeds, || runtime.speed.get(), |speed| runtime.set_speed(speed));
    let seed = text(|| runtime.seed.get().to_string());
    let seed = el("output", "").test("seed").with(seed);
    let rule = || el("span", "rule opt-mid");
    el("header", "toolbar").with(parts![
        el("span", "brand").with(sign()).with(el("span", "").with(NAME)),
        rule(),
        home_button(teacher),
        put_back_button(teacher),
        el("span", "profile opt-narrow").with(PROFILE),
        el("span", "seed opt-wide").with(word(|words| words.seed)).with(" ").with(seed),
        rule(),
        segments("", word(|words| words.run_mode), modes),
        pick("w-speed", "speed", word(|words| words.speed), speeds),
        reached(runtime),
        branch_picker(runtime),
        el("span", "push settings").with(parts![
            checks_button(runtime),
            share_button(),
            language_button(),
            theme_button(),
            help_button(),
        ]),
    ])
}

/// The speed that is reached, where it is less than is asked for.
fn reached(runtime: &'static Runtime) -> Part {
    live(move || {
        let reached = runtime.reached.get()?;
        let says = (words().speed_reached)(&tenths(reached));
        Some(el("span", "quiet small num").test("speed-reached").with(says))
    })
}

/// The way back to the world before, once another one was opened.
fn put_back_button(teacher: &'static Teacher) -> Part {
    live(move || {
        let label = || word(|words| words.keep.put_back);
        (teacher.runtime.before.get() > 0).then(|| {
            let button = button("btn btn-icon", "put-back", || teacher.put_back());
            button.label(label()).title(label()).with(icon(Glyph::Undo))
        })
    })
}

/// The branches of the past, once there is more than one.
fn branch_picker(runtime: &'static Runtime) -> Part {
    let named = Var::worked_out(|| {
        let name = |row: &BranchRow| (row.id, row.from.map(|_| row.name.clone()));
        runtime.branches.with(|branches| branches.all.iter().map(name).collect::<Vec<_>>())
    });
    live(move || {
        let named = named.get();
        let options = named.iter().cloned().map(|(id, name)| (id, branch_name(name), ""));
        let current = || runtime.branches.with(|branches| branches.current);
        let choices = Choices::of(options, current, |id| runtime.switch(id));
        let label = word(|words| words.past.branch);
        let compare = opener(COMPARE, "btn btn-icon").label(word(|words| words.past.compare));
        let compare = compare.title(word(|words| words.past.compare)).with(icon(Glyph::Fork));
        (named.len() > 1).then(|| parts![pick("w-branch", "branch", label, choices), compare])
    })
}

/// The sign of the page: what is so over what is believed.
pub fn sign() -> El {
    let truth = svg("rect", "truth").attr("x", "1").attr("y", "4").attr("width", "11");
    let belief = svg("rect", "belief").attr("x", "5.75").attr("y", "11.75").attr("width", "12.5");
    decoration("")
        .attr("viewBox", "0 0 20 20")
        .with(truth.attr("height", "5").attr("rx", "1"))
        .with(belief.attr("height", "4").attr("rx", "1"))
}

fn language_button() -> El {
    let label = text(|| {
        let language = settings().language.get();
        (language.words().language)(language.name())
    });
    let switch = || {
        let next = match settings().language.now() {
            Language::English => Language::Chinese,
            Language::Chinese => Language::English,
        };
        settings().choose_language(next);
    };
    let button = button("btn btn-icon", "language", switch);
    button.label(label.clone()).title(label).with(icon(Glyph::Globe))
}

fn theme_button() -> El {
    let label = text(|| {
        let words = words();
        (words.theme)(words.theme_name(settings().theme.get()))
    });
    let switch = || settings().choose_theme(settings().theme.now().next());
    let button = button("btn btn-icon", "theme", switch);
    button.label(label.clone()).title(label).with(icon(Glyph::Theme))
}

fn help_button() -> El {
    let button = opener(HELP, "btn btn-icon").label(word(|words| words.help));
    button.title(word(|words| words.help)).with(el("b", "").with("?"))
}
