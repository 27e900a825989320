//! The panel that compares the current branch with another one: the time of their first difference,
//! the lanes that differ, the events of each from there, and the holders at the end.

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_desk::i18n::Words;
use lictor_sim::record::{BranchDiff, DiffSide, EventCall, EventRow, compare};
use lictor_sim::timeline::BranchId;
use lictor_view::format::clock;
use lictor_view::rows::{BranchList, BranchRow};

use crate::components::{Button, ChoiceOption, Pick, Popover};
use crate::panels::compared_lanes::ComparedLanes;
use crate::platform::words::{row_words, words};
use crate::state::controller::{Controller, use_controller};

/// The id of the panel.
pub const COMPARE: &str = "compare";

#[component]
pub fn Compare() -> impl IntoView {
    let controller = use_controller();
    let is_open = RwSignal::new(false);
    let picked = RwSignal::new(None::<BranchId>);
    // A closed panel compares nothing.
    let content = move || {
        let branches = is_open.get().then(|| controller.branches.get())?;
        let others = branches.all.iter().filter(|row| row.id != branches.current);
        let other = picked.get().filter(|id| *id != branches.current);
        let other = other.or_else(|| others.clone().next_back().map(|row| row.id))?;
        let options = others.map(|row| ChoiceOption::new(row.id, name_of(row), ""));
        Some(view! {
            <Pick
                test_id="compare-with"
                label=move || words().past.compare_with
                options=options.collect()
                chosen=Signal::stored(other)
                on_pick=move |id| picked.set(Some(id))
            />
            {difference(controller, &branches, other)}
        })
    };
    view! {
        <Popover
            id=COMPARE
            class="help compare"
            heading=move || words().past.compare
            is_open
        >
            {content}
        </Popover>
    }
}

fn name_of(row: &BranchRow) -> String {
    (row_words().branch_name)(&row.title)
}

/// The comparison with another branch; `None` if there is no such branch.
fn difference(
    controller: Controller,
    branches: &BranchList,
    other: BranchId,
) -> Option<impl IntoView + use<>> {
    let name = |id| branches.all.iter().find(|row| row.id == id).map(name_of);
    let names = [branches.current, other].map(|id| name(id).unwrap_or_default());
    let words = words();
    let (records, until) = controller.records_to_compare(other)?;
    let rows = row_words();
    let found = compare(records.each_ref(), until, |one, other| {
        one.at == other.at && rows.cells(one)[3..] == rows.cells(other)[3..]
    });
    let first = found.lines.first().map(|(_, row)| row.at);
    let sentence = (words.past.same_until)(first.map(clock).as_deref());
    Some(view! {
        <p data-testid="compare-says">{sentence}{first.map(|at| view! { <GoThere at/> })}</p>
        {found
            .takeovers
            .iter()
            .map(|(key, spans)| {
                let text = (words.past.takeovers)(key, *spans, found.until);
                view! { <p data-testid="compare-takeover"><b>{text}</b></p> }
            })
            .collect_view()}
        {first.map(|_| {
            view! { <ComparedLanes names=names.clone() records until/> }
        })}
        {first.map(|_| table(words, names, &found))}
    })
}

/// The button that moves the cursor to a time.
#[component]
fn GoThere(at: Instant) -> impl IntoView {
    let controller = use_controller();
    view! {
        <Button
            class="btn btn-small btn-line"
            test_id="compare-go"
            on_press=move || controller.seek(at)
        >
            {move || words().past.go_there}
        </Button>
    }
}

/// The table of the events from the first difference on, with a column for each branch, and of the
/// holders that differ.
fn table(words: &Words, names: [String; 2], found: &BranchDiff) -> impl IntoView + use<> {
    let [one, other] = names;
    let lines = found.lines.iter().map(|(side, row)| line(*side, row));
    let holders = found.holders.iter().map(|(key, labels)| {
        let [one, other] = labels.each_ref().map(|label| {
            let label = if label.is_empty() { words.past.nobody } else { label.as_str() };
            format!("{key}{}{label}", row_words().colon)
        });
        view! {
            <tr class="ends">
                <td class="num">{(words.past.at_end)(&clock(found.until))}</td>
                <td>{one}</td>
                <td>{other}</td>
            </tr>
        }
    });
    view! {
        <table class="small" data-testid="compare-table">
            <thead>
                <tr>
                    <th class="num" scope="col">{words.column_time}</th>
                    <th scope="col">{one}</th>
                    <th scope="col">{other}</th>
                </tr>
            </thead>
            <tbody>{lines.collect_view()}{holders.collect_view()}</tbody>
        </table>
    }
}

fn line(side: DiffSide, row: &EventRow) -> impl IntoView + use<> {
    let words = row_words();
    let [_, t, _, actor, call, reply, why] = words.cells(row);
    let text = match row.call {
        EventCall::Server(_) => format!("{actor}{}{call}", words.colon),
        _ => format!("{actor} {call}{}{reply}", words.colon),
    };
    let why = (!why.is_empty()).then(|| view! { <small class="quiet">{why}</small> });
    let cells = match side {
        DiffSide::One => view! { <td>{text}{why}</td><td></td> }.into_any(),
        DiffSide::Other => view! { <td></td><td>{text}{why}</td> }.into_any(),
        DiffSide::Both => {
            let equal = text.clone();
            view! { <td class="quiet">{text}</td><td class="quiet">{equal}</td> }.into_any()
        }
    };
    view! { <tr><td class="num">{t}</td>{cells}</tr> }
}
