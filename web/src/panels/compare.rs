//! The branch that is shown beside another one: where they part, what each tells from there, and
//! who holds what at their ends.

use std::rc::Rc;

use lictor_core::time::Instant;
use lictor_sandbox::branch_diff::{BranchDiff, DiffSide};
use lictor_sandbox::format::clock;
use lictor_sandbox::history::EventRow;
use lictor_sandbox::i18n::Words;
use lictor_sandbox::view::rows::{BranchList, BranchRow};
use lictor_sim::timeline::BranchId;

use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{Choices, El, Part, Text, button, el, live, opened, pick, popover, text, word};
use crate::var::Var;

/// The id of the panel.
pub const COMPARE: &str = "compare";

pub fn comparison(runtime: &'static Runtime) -> El {
    let panel = popover(COMPARE, "help compare", word(|words| words.past.compare));
    let (panel, is_open) = opened(panel);
    let picked: Rc<Var<Option<BranchId>>> = Rc::new(Var::new(None));
    panel.with(live(move || {
        let branches = is_open.get().then(|| runtime.branches.get())?;
        let others = branches.all.iter().filter(|row| row.id != branches.current);
        let other = picked.get().filter(|id| *id != branches.current);
        let other = other.or_else(|| others.clone().next_back().map(|row| row.id))?;
        let options = others.map(|row| (row.id, named(row), ""));
        let chosen = picked.clone();
        let choices = Choices::of(options, move || other, move |id| chosen.set(Some(id)));
        let label = word(|words| words.past.compare_with);
        Some(parts![pick("", "compare-with", label, choices), compared(runtime, &branches, other),])
    }))
}

fn named(row: &BranchRow) -> Text {
    branch_name(row.from.map(|_| row.name.clone()))
}

/// What a branch is called: the first one has no name of its own.
pub fn branch_name(name: Option<String>) -> Text {
    text(move || name.clone().unwrap_or_else(|| words().past.main_branch.to_owned()))
}

fn compared(runtime: &'static Runtime, branches: &BranchList, other: BranchId) -> Part {
    let name = |id| branches.all.iter().find(|row| row.id == id).map(|row| named(row).say());
    let names = [branches.current, other].map(|id| name(id).unwrap_or_default());
    let words = words();
    let found = runtime.compare(other, |one, other| {
        one.at == other.at && words.cells(one)[3..] == words.cells(other)[3..]
    });
    let Some(found) = found else { return Part::Nothing };
    let first = found.lines.first().map(|(_, row)| row.at);
    let says = (words.past.same_until)(first.map(clock).as_deref());
    parts![
        el("p", "").test("compare-says").with(says).with(first.map(|at| to(runtime, at))),
        first.map(|_| table(words, names, &found)),
    ]
}

fn to(runtime: &'static Runtime, at: Instant) -> El {
    let go = button("btn btn-small btn-line", "compare-go", move || runtime.seek(at));
    go.with(word(|words| words.past.go_there))
}

/// From the first difference on: what only one of them tells stands in its column.
fn table(words: &Words, names: [String; 2], found: &BranchDiff) -> El {
    let [one, other] = names;
    let head = el("tr", "").with(parts![
        el("th", "num").attr("scope", "col").with(words.column_time),
        el("th", "").attr("scope", "col").with(one),
        el("th", "").attr("scope", "col").with(other),
    ]);
    let lines = found.lines.iter().map(|(side, row)| line(words, *side, row));
    let holders = found.holders.iter().map(|(key, labels)| {
        let [one, other] = labels.each_ref().map(|label| {
            let label = if label.is_empty() { words.past.nobody } else { label.as_str() };
            td("", format!("{key}: {label}"))
        });
        let end = td("num", words.past.at_end.to_owned());
        el("tr", "ends").with(parts![end, one, other])
    });
    el("table", "small").test("compare-table").with(parts![
        el("thead", "").with(head),
        el("tbody", "").with(Part::from_iter(lines)).with(Part::from_iter(holders)),
    ])
}

fn line(words: &Words, side: DiffSide, row: &EventRow) -> El {
    let [_, t, _, actor, call, reply, _] = words.cells(row);
    let says = format!("{actor} {call}: {reply}");
    let nothing = || td("", String::new());
    let cells = match side {
        DiffSide::One => parts![td("", says), nothing()],
        DiffSide::Other => parts![nothing(), td("", says)],
        DiffSide::Both => td("quiet", says).attr("colspan", "2").into(),
    };
    el("tr", "").with(td("num", t)).with(cells)
}

fn td(class: &str, says: String) -> El {
    el("td", class).with(says)
}
