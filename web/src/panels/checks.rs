//! The rules of a world and since when each is broken. Also how often two clients believed that
//! they held one lock, and how many stale writes a guarded resource accepted: these break no rule,
//! as a lock alone cannot prevent them.

use leptos::prelude::*;
use lictor_desk::i18n::Words;
use lictor_view::format::clock;
use lictor_view::rows::ChecksRow;

use crate::components::{Glyph, Icon, Opener, Popover};
use crate::platform::words::words;
use crate::state::controller::use_controller;

/// The id of the panel.
pub const CHECKS: &str = "checks";

/// The button that opens the panel: how many of its lines are without a problem, whether two
/// clients believe now that they hold a lock, and how many problems lie ahead.
#[component]
pub fn ChecksButton() -> impl IntoView {
    let checks = use_controller().store.checks;
    let kept = Memo::new(move |_| checks.with(ChecksRow::lines_kept));
    let is_overlap = Memo::new(move |_| checks.with(|row| row.overlap.is_some()));
    let ahead = Memo::new(move |_| checks.with(|row| row.ahead));
    let sign = move || {
        let is_fine = kept.get() == ChecksRow::LINES;
        let glyph = if is_fine { Glyph::Check } else { Glyph::Alert };
        view! { <Icon glyph small=true/> }
    };
    let now = move || {
        is_overlap.get().then(|| {
            view! {
                <span class="state-text is-danger">
                    <Icon glyph=Glyph::Alert small=true/>
                    {words().checks.two_now}
                </span>
            }
        })
    };
    let ahead = move || {
        (ahead.get() > 0).then(|| {
            view! {
                <span class="state-text is-danger" data-testid="checks-ahead">
                    <Icon glyph=Glyph::Alert small=true/>
                    {(words().checks.ahead)(ahead.get())}
                </span>
            }
        })
    };
    view! {
        <Opener id=CHECKS class="btn checks opt-mid" title=move || words().checks.heading>
            {sign}
            <span class="state-count" data-testid="checks-count">
                {move || (words().checks.count)(kept.get(), ChecksRow::LINES)}
            </span>
            {now}
            {ahead}
        </Opener>
    }
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
    let broken_at = |rule| row.broken.iter().find(|(it, _)| *it == rule).map(|(_, at)| *at);
    let holds = || words.checks.holds.to_owned();
    let rules = ChecksRow::RULES.iter().map(|&rule| {
        let name = (words.checks.rule)(rule);
        match broken_at(rule) {
            None => item(Glyph::Check, "is-ok", name, holds()),
            Some(at) => item(Glyph::Alert, "is-danger", name, (words.checks.broken)(&clock(at))),
        }
    });
    let name = words.checks.one_believer;
    let two = match (row.overlap, row.overlaps) {
        (Some(since), _) => {
            item(Glyph::Alert, "is-danger", name, (words.checks.since)(&clock(since)))
        }
        (None, 0) => item(Glyph::Check, "is-ok", name, holds()),
        (None, count) => item(Glyph::Alert, "is-warn", name, (words.checks.times)(count)),
    };
    let (accepted, rejected) = row.stale;
    let (glyph, class) =
        if accepted > 0 { (Glyph::Alert, "is-danger") } else { (Glyph::Check, "is-ok") };
    let count = (words.checks.stale_count)(rejected, accepted + rejected);
    let stale = item(glyph, class, words.checks.stale, count);
    (rules.collect_view(), two, stale)
}

fn item(
    glyph: Glyph,
    class: &'static str,
    name: &'static str,
    result: String,
) -> impl IntoView + use<> {
    view! {
        <li>
            <span class=class><Icon glyph small=true/></span>
            <span>{name}</span>
            <span class="quiet push">{result}</span>
        </li>
    }
}
