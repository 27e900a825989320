//! What happens next if nobody acts: the first deadlines, each a button that runs to it.

use core::time::Duration;

use lictor_core::time::Instant;
use lictor_sandbox::view::rows::Deadline;

use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{El, Part, button, el, live, text, word};

pub fn next_up(runtime: &'static Runtime) -> El {
    let items = live(move || {
        let due = runtime.mirror.deadlines.get().into_iter();
        due.map(|(at, deadline)| due_item(runtime, at, deadline)).collect::<Part>()
    });
    let nothing = live(|| {
        let text = || el("p", "quiet small").with(word(|words| words.next_up_nothing));
        runtime.mirror.deadlines.with(Vec::is_empty).then(text)
    });
    el("section", "panel next")
        .attr("aria-labelledby", "h-next")
        .with(head(runtime))
        .with(el("ol", "").test("next-up").with(items))
        .with(nothing)
}

/// The first of them alone.
pub fn soonest(runtime: &'static Runtime) -> El {
    let first = live(move || {
        let due = runtime.mirror.deadlines.with(|due| due.first().cloned());
        due.map(|(at, deadline)| due_item(runtime, at, deadline))
    });
    el("ol", "soonest push").test("next-up").with(first)
}

/// The heading, and the ways to let time pass without a goal.
fn head(runtime: &'static Runtime) -> El {
    let heading = el("h2", "").attr("id", "h-next").with(word(|words| words.next_up));
    let passes = [(1, "plus-1"), (10, "plus-10")].iter().map(|&(seconds, test_id)| {
        let label = text(move || (words().in_span_short)(seconds));
        let pass = move || runtime.pass(Duration::from_secs(seconds));
        button("btn btn-pass num", test_id, pass).with(label)
    });
    let passes = el("span", "passes push").with(Part::from_iter(passes));
    el("div", "next-head").with(heading).with(passes)
}

fn due_item(runtime: &'static Runtime, at: Instant, deadline: Deadline) -> El {
    let left = text(move || (words().in_span)(at.since(runtime.coarse_now.get())));
    let name = text(move || (words().deadline)(&deadline));
    let named = name.clone();
    let title = text(move || format!("{}: {}", (words().run_to)(at), named.say()));
    let run = button("btn", "run-to", move || runtime.run_to(at)).title(title);
    let run = run.with(el("b", "num").with(left)).with(el("span", "").with(name));
    el("li", "").with(run)
}
