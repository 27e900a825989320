//! The rules of a world and since when each is broken. Also how often two clients believed that
//! they held one lock, and how many stale writes a guarded resource accepted: these break no rule,
//! as a lock alone cannot prevent them. A check that nothing could have failed yet has not passed.

use leptos::prelude::*;
use lictor_desk::i18n::Words;
use lictor_view::format::clock;
use lictor_view::rows::{CheckLine, CheckResult, ChecksRow};

use crate::components::{Glyph, Icon, Opener, Popover};
use crate::platform::words::words;
use crate::state::controller::use_controller;

/// The id of the panel.
pub const CHECKS: &str = "checks";

/// The button that opens the panel: how many of its lines have passed, of how many that were
/// tested.
#[component]
pub fn ChecksButton() -> impl IntoView {
    let passed = use_passed();
    let is_passed = move || passed.get().0 == passed.get().1;
    let sign = move || if is_passed() { Glyph::Check } else { Glyph::Alert };
    let count = move || {
        let (passed, tested) = passed.get();
        (words().checks.count)(passed, tested)
    };
    view! {
        <Opener id=CHECKS class="btn menu-item" title=move || words().checks.heading>
            {move || view! { <Icon glyph=sign()/> }}
            <span data-testid="checks-count">{count}</span>
        </Opener>
    }
}

/// The same for the bar of the page, while a line has failed, two clients believe that they hold a
/// lock, or problems lie ahead.
#[component]
pub fn ChecksAlert() -> impl IntoView {
    let checks = use_controller().store.checks;
    let passed = use_passed();
    let is_overlap = Memo::new(move |_| checks.with(|row| row.overlap.is_some()));
    let ahead = Memo::new(move |_| checks.with(|row| row.ahead));
    let alert = |text: String, test_id| {
        view! {
            <Opener id=CHECKS class="btn checks is-danger" test_id>
                <Icon glyph=Glyph::Alert small=true/>
                <span>{text}</span>
            </Opener>
        }
    };
    move || {
        let (passed, tested) = passed.get();
        let words = &words().checks;
        if is_overlap.get() {
            Some(alert(words.two_now.to_owned(), "checks-two"))
        } else if ahead.get() > 0 {
            Some(alert((words.ahead)(ahead.get()), "checks-ahead"))
        } else {
            (passed < tested).then(|| alert((words.count)(passed, tested), "checks-failed"))
        }
    }
}

/// How many lines of the panel have passed, of how many that were tested.
fn use_passed() -> Memo<(usize, usize)> {
    let checks = use_controller().store.checks;
    Memo::new(move |_| checks.with(ChecksRow::passed))
}

#[component]
pub fn Checks() -> impl IntoView {
    let checks = use_controller().store.checks;
    view! {
        <Popover id=CHECKS class="help checks-panel" heading=move || words().checks.heading>
            <ul>{move || checks.with(|row| rules(words(), row))}</ul>
        </Popover>
    }
}

fn rules(words: &'static Words, row: &ChecksRow) -> impl IntoView + use<> {
    let lines = ChecksRow::LINES.into_iter().map(|line| {
        let (glyph, class) = match row.result(line) {
            CheckResult::Untested => (None, "quiet"),
            CheckResult::Passed => (Some(Glyph::Check), "is-ok"),
            // Two clients have believed at once that they held a lock, and none do now.
            CheckResult::Problem if line == CheckLine::OneBeliever && row.overlap.is_none() => {
                (Some(Glyph::Alert), "is-warn")
            }
            CheckResult::Problem => (Some(Glyph::Alert), "is-danger"),
        };
        let name = match line {
            CheckLine::Rule(rule) => (words.checks.rule)(rule),
            CheckLine::OneBeliever => words.checks.one_believer,
            CheckLine::StaleWrites => words.checks.stale,
        };
        let sign = glyph.map(|glyph| view! { <Icon glyph small=true/> });
        view! {
            <li>
                <span class=class>{sign}</span>
                <span>{name}<small class="quiet">{(words.checks.watches)(line)}</small></span>
                <span class="quiet push">{result(words, row, line)}</span>
            </li>
        }
    });
    lines.collect_view()
}

fn result(words: &Words, row: &ChecksRow, line: CheckLine) -> String {
    match (row.result(line), line) {
        (CheckResult::Untested, _) => words.checks.nothing.to_owned(),
        (_, CheckLine::StaleWrites) => {
            let (accepted, rejected) = row.stale;
            (words.checks.stale_count)(rejected, accepted + rejected)
        }
        (CheckResult::Passed, _) => words.checks.holds.to_owned(),
        (CheckResult::Problem, CheckLine::Rule(rule)) => {
            let at = row.broken.iter().find(|(broken, _)| *broken == rule).map(|(_, at)| *at);
            (words.checks.broken)(&at.map(clock).unwrap_or_default())
        }
        (CheckResult::Problem, CheckLine::OneBeliever) => match row.overlap {
            Some(since) => (words.checks.since)(&clock(since)),
            None => (words.checks.times)(row.overlaps),
        },
    }
}
