//! All displays name the same holders, believers and times, and no text names a client or a session
//! that does not exist at the cursor, or for the next events at the end of the forecast.

use std::collections::BTreeSet;

use lictor_core::time::Instant;
use lictor_sim::record::{Note, Record};
use lictor_view::format::{clock, hundredths};
use lictor_view::language::Language;
use lictor_view::rows::{self, LockRow};

use super::Contradictions;
use super::page::Page;

pub(crate) fn check(page: &Page<'_>, found: &mut Contradictions) {
    holders(page, found);
    believers(page, found);
    for language in Language::ALL {
        let words = rows::words(language);
        let present = names(page.record);
        for text in texts(page, words) {
            named(&text, &present, found);
        }
        let ahead = names(page.ahead.record);
        for (_, upcoming) in &page.next_up {
            named(&words.upcoming(upcoming), &ahead, found);
        }
        times(page, words, found);
    }
}

/// The rows of sessions and of clients and the lanes name the same holder as the card of the lock.
fn holders(page: &Page<'_>, found: &mut Contradictions) {
    for lock in &page.locks {
        let name = lock.key.to_string();
        for row in &page.sessions {
            let is_holder = lock.holder.as_ref().is_some_and(|it| it.tag == row.tag);
            found.check(is_holder == row.holds.contains(&name), || {
                format!("{name}: its holder is {:?}, session {row:?}", lock.holder)
            });
        }
        let track = page.record.lock(&lock.key).and_then(|track| track.tenures.last());
        let last = track.filter(|tenure| tenure.to.is_none()).map(|tenure| &tenure.session);
        let holder = lock.holder.as_ref().map(|it| &it.tag);
        found.check(last == holder, || format!("{name}: {holder:?}, on its lane {last:?}"));
    }
    for actor in &page.actors {
        let session = actor.session.as_ref().map(|(id, _)| *id);
        let row = page.sessions.iter().find(|row| Some(row.id) == session);
        found.check(row.is_none_or(|row| row.ended.is_none()), || {
            format!("{}: its session has ended: {row:?}", actor.actor.name)
        });
        let own = page
            .sessions
            .iter()
            .filter(|row| row.ended.is_none() && row.tag.owner.as_ref() == Some(&actor.actor));
        let mut holds = own.flat_map(|row| row.holds.clone()).collect::<Vec<_>>();
        let mut on_its_row = actor.holds.clone();
        holds.sort();
        on_its_row.sort();
        found.check(on_its_row == holds, || format!("{actor:?} holds {holds:?}"));
    }
}

/// The rows of clients and the card of the lock agree on wrong beliefs, and the summary counts all
/// overlaps.
fn believers(page: &Page<'_>, found: &mut Contradictions) {
    let is_wrong = |lock: &LockRow, name: &str| {
        let holder = lock.holder.as_ref().map(|it| &it.tag);
        let mut own = lock
            .believers
            .iter()
            .filter(|tag| tag.owner.as_ref().is_some_and(|actor| actor.name.as_str() == name));
        own.any(|tag| Some(tag) != holder)
    };
    for actor in &page.actors {
        let Some(key) = &actor.wrongly_believes else { continue };
        let lock = page.locks.iter().find(|lock| lock.key.as_str() == key);
        let agrees = lock.is_none_or(|lock| is_wrong(lock, actor.actor.name.as_str()));
        found.check(agrees, || format!("{} believes {key} wrongly: {lock:?}", actor.actor.name));
    }
    let overlaps = page.record.overlap_count();
    let view = rows::WorldView { world: page.world, record: page.record };
    let checks = view.checks(page.ahead.record);
    found.check(checks.overlaps == overlaps, || format!("{checks:?}, {overlaps} overlaps"));
    let (kept, tested) = checks.passed();
    let problems = [!checks.broken.is_empty(), checks.overlaps > 0, checks.stale.0 > 0];
    let has_problem = problems.contains(&true);
    found.check(has_problem == (kept < tested), || format!("{kept} lines of {checks:?}"));
}

/// The texts of the rows up to the cursor.
fn texts(page: &Page<'_>, words: &rows::Words) -> Vec<String> {
    let rows = page.record.events().iter();
    let mut texts: Vec<String> =
        rows.flat_map(|row| words.cells(row).into_iter().skip(3)).collect();
    texts.extend(page.locks.iter().flat_map(|lock| {
        let headline = page.headline(&lock.key);
        words.headline(&headline, page.now)
    }));
    if let Some((refusal, tense)) = page.view().refusal()
        && let (Note::Reason(why), Some(tense)) = (&refusal.note, tense)
    {
        texts.push((words.why)(why, tense));
    }
    for row in &page.sessions {
        if let Some((at, cause)) = &row.ended {
            texts.push((words.ended_at)(*at, cause));
        }
    }
    texts
}

/// The labels of sessions and the names of clients.
fn names(record: &Record) -> BTreeSet<String> {
    let sessions = record.sessions().map(|track| track.tag.label.to_string());
    sessions.chain(record.actors().iter().map(|actor| actor.name.to_string())).collect()
}

/// Checks that a text names known clients and sessions only.
fn named(text: &str, known: &BTreeSet<String>, found: &mut Contradictions) {
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '-';
    for word in text.split(|it| !is_word(it)) {
        let mut letters = word.chars();
        let is_label = letters.next().is_some_and(|it| matches!(it, 'A'..='C'))
            && letters.all(|it| it.is_ascii_digit());
        let is_name = is_label || word.starts_with("web-");
        found.check(!is_name || known.contains(word), || format!("{text:?} names {word}"));
    }
}

/// A time with one decimal and the same time with two are both rounded, so that they differ by half
/// a tenth and half a hundredth at most.
fn times(page: &Page<'_>, words: &rows::Words, found: &mut Contradictions) {
    for row in page.record.events().iter() {
        let cell = &words.cells(row)[1];
        let read = |text: &str| text.parse::<f64>().expect("seconds");
        let is_near = (read(cell) - read(&clock(row.at))).abs() < 0.056;
        let agrees = is_near && *cell == hundredths(row.at.since(Instant::EPOCH));
        found.check(agrees, || format!("event {} at {cell}", row.number));
    }
}
