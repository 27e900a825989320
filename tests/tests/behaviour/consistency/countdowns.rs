//! All countdowns to a deadline agree: the shown time and the shown time that is left add up to the
//! shown time of the deadline, each rounded once.

use lictor_core::error::Reason;
use lictor_core::time::Instant;
use lictor_sim::record::Note;
use lictor_view::card_texts;
use lictor_view::format::clock;
use lictor_view::language::Language;
use lictor_view::rows;
use lictor_view::rows::headline::Headline;
use lictor_view::rows::takeover::TakeoverRow;
use lictor_view::rows::{Deadline, Upcoming};

use super::Contradictions;
use super::page::Page;

pub(crate) fn check(page: &Page<'_>, found: &mut Contradictions) {
    for language in Language::ALL {
        sessions(page, language, found);
        takeovers(page, language, found);
        refusals(page, language, found);
        next_up(page, language, found);
    }
}

/// The numbers with one decimal in a text, in tenths.
pub(crate) fn tenths(text: &str) -> Vec<u64> {
    let is_number = |it: char| it.is_ascii_digit() || it == '.';
    let numbers = text.split(|it| !is_number(it)).filter_map(|it| it.split_once('.'));
    let read = |(whole, part): (&str, &str)| {
        (part.len() == 1).then(|| Some(whole.parse::<u64>().ok()? * 10 + part.parse::<u64>().ok()?))
    };
    numbers.filter_map(|number| read(number)?).collect()
}

/// A time as the page shows it, in tenths.
pub(crate) fn shown(at: Instant) -> u64 {
    tenths(&clock(at))[0]
}

/// Whether the number at this place in a text is the time from now to a deadline.
fn counts_down(text: &str, place: usize, now: Instant, deadline: Instant) -> bool {
    tenths(text).get(place).is_some_and(|left| shown(now) + left == shown(deadline.max(now)))
}

fn sessions(page: &Page<'_>, language: Language, found: &mut Contradictions) {
    for (row, clock, future) in page.clocks() {
        let text = card_texts::session_clock(language, &clock, Some(&future), page.now);
        let context = || format!("session {}: {text:?}, {future:?}", row.tag.label);
        let guaranteed = clock.guaranteed_until();
        let (first, place) = match &text.over {
            None => (counts_down(&text.rest, 0, page.now, guaranteed), 1),
            Some(over) => {
                let over = tenths(over).first().copied();
                // The TTL of a session from before the world may have been over before it, too.
                let before = clock.ttl.saturating_sub(clock.ends.since(Instant::EPOCH));
                let is_same = if before.is_zero() {
                    over.map(|over| shown(guaranteed) + over) == Some(shown(page.now))
                } else {
                    let end = over.map(|over| shown(clock.ends) + over);
                    end == Some(shown(page.now) + shown(Instant::EPOCH.plus(clock.ttl)))
                };
                (is_same, 0)
            }
        };
        found.check(first, || format!("the TTL of {}", context()));
        let is_same = counts_down(&text.rest, place, page.now, future.at());
        found.check(is_same, || format!("what comes next for {}", context()));
    }
}

/// The line about a lock counts down to the time that it names, and its sum is that of its terms.
fn takeovers(page: &Page<'_>, language: Language, found: &mut Contradictions) {
    for row in &page.locks {
        let Headline::Lock(headline) = page.headline(&row.key) else { continue };
        let Some(TakeoverRow::At { at, terms, .. }) = headline.takeover.clone() else { continue };
        let texts = rows::words(language).headline(&Headline::Lock(headline.clone()), page.now);
        let [sentence, sum] = &texts;
        let numbers = tenths(sentence);
        if headline.overlap.is_none() {
            let open = at.minus(terms.retry);
            let count = numbers.len();
            let agrees = count > 1
                && counts_down(sentence, count - 2, page.now, open)
                && numbers[count - 1] == shown(open);
            found.check(agrees, || format!("the takeover of {}: {texts:?}", row.key));
        }
        let sum = sum.rsplit([':', '：']).next().unwrap_or_default();
        let terms = tenths(sum);
        let agrees = terms.is_empty()
            || counts_down(sum, 0, page.now, at) && terms[0] == terms[1..].iter().sum::<u64>();
        found.check(agrees, || format!("the sum of {}: {texts:?}", row.key));
    }
}

/// The latest refusal by a lock-delay says when that ends.
fn refusals(page: &Page<'_>, language: Language, found: &mut Contradictions) {
    let view = page.view();
    let Some((refusal, _)) = view.refusal() else { return };
    let Note::Reason(why) = &refusal.note else { return };
    let Reason::LockDelay { until, .. } = &why.reason else { return };
    let sentence = (rows::words(language).why)(why, rows::Tense::Present);
    let is_same = counts_down(&sentence, 0, why.at, *until);
    found.check(is_same, || format!("the last false: {sentence}"));
}

/// The same deadline has the same countdown on a card and among the next events.
fn next_up(page: &Page<'_>, language: Language, found: &mut Contradictions) {
    for (at, upcoming) in &page.next_up {
        let [left, name, _] = card_texts::next_up(language, (*at, upcoming), page.now);
        let is_same = counts_down(&left, 0, page.now, *at);
        found.check(is_same, || format!("next up: {left} {name}"));
        if let Upcoming::Due(Deadline::SessionExpires { label }) = upcoming {
            let card = page.clocks().find(|(row, ..)| row.tag.label == *label);
            let Some((_, clock, future)) = card else { continue };
            // A session that is renewed before has a later countdown.
            if future.at() == *at {
                let text = card_texts::session_clock(language, &clock, Some(&future), page.now);
                let is_same = tenths(&text.rest).last() == tenths(&left).first();
                found.check(is_same, || format!("next up: {left} {name}, its card: {text:?}"));
            }
        }
    }
}
