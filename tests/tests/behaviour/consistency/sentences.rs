//! Sentences agree with the events: about the keys of a session that ended, about cuts, about the
//! act of a row, and in the names of branches.

use std::collections::BTreeMap;

use lictor_core::engine::Event;
use lictor_core::http::HttpRequest;
use lictor_core::id::{Key, SessionId, SessionRef};
use lictor_core::store::Change;
use lictor_desk::console;
use lictor_desk::faults::Obstacle;
use lictor_sim::record::{EventCall, EventResult, EventRow};
use lictor_sim::timeline::SeekTarget;
use lictor_sim::{Act, EventKind, SimEvent, Travel};
use lictor_view::language::Language;
use lictor_view::rows;
use lictor_view::rows::{ActText, BranchRow, BranchTitle};

use super::Contradictions;
use super::page::Page;

/// The verbs for keys that the end of a session released and deleted.
const VERBS: [(Language, [&str; 2]); 2] =
    [(Language::English, ["released", "deleted"]), (Language::Chinese, ["释放了", "删除了"])];

/// The words of the console for a client whose requests fail at once.
const CUTS: [(Language, &str); 2] =
    [(Language::English, "fail at once"), (Language::Chinese, "立即失败")];

/// The keys that the end of each session released, and those that it deleted.
type Fates = BTreeMap<SessionId, [Vec<Key>; 2]>;

pub(crate) fn check(page: &Page<'_>, found: &mut Contradictions) {
    let Some(first) = page.record.events().iter().next().map(|row| row.event) else { return };
    let events = page.past.timeline().here().events(first..page.record.event_count() + 1);
    let fates = fates(&events);
    let by_number: BTreeMap<u64, &SimEvent> = events.iter().map(|it| (it.number, it)).collect();
    for row in page.record.events().iter() {
        let Some(event) = by_number.get(&row.event) else { continue };
        keys(page, row, event, &fates, found);
        act(row, &by_number, found);
        let is_broken = matches!(&event.kind, EventKind::Travel(Travel::Broken { .. }));
        let is_failed = row.reply == EventResult::Failed;
        found.check(is_broken == is_failed, || format!("event {}: {event:?}", row.number));
    }
    cuts(page, found);
    branches(page, found);
}

/// The act of a row is its own request, or its own event, so that an edit of the row changes this
/// request, whatever ended it.
fn act(row: &EventRow, by_number: &BTreeMap<u64, &SimEvent>, found: &mut Contradictions) {
    let Some(event) = row.act.and_then(|act| by_number.get(&act)) else { return };
    let is_own = match (&event.kind, &row.call) {
        (EventKind::Sent(sent), EventCall::Http { call, .. }) => sent.id == call.id,
        (_, EventCall::Http { .. }) => false,
        _ => event.number == row.event,
    };
    found.check(is_own && event.cause.is_none(), || {
        format!("event {} is shown as the act of {event:?}", row.number)
    });
}

/// A branch that is named after a moved act has an act at the new time, and its parent one at the
/// old time.
fn moved(page: &Page<'_>, row: &BranchRow, found: &mut Contradictions) {
    let BranchTitle::Moved { act, from } = &row.title else { return };
    let timeline = page.past.timeline();
    let has = |branch, at| {
        let branch = timeline.branch(branch);
        branch.is_some_and(|branch| branch.acts().any(|(_, entry)| entry.at == at))
    };
    let parent = row.from.map(|(parent, _)| parent);
    let is_moved = has(row.id, act.at) && parent.is_some_and(|parent| has(parent, *from));
    found.check(is_moved && act.at != *from, || format!("{:?}", row.title));
}

/// A branch that is named after an order to a program names the client on which the program runs.
fn branches(page: &Page<'_>, found: &mut Contradictions) {
    let timeline = page.past.timeline();
    for row in rows::branches(timeline, page.record).all {
        moved(page, &row, found);
        let (BranchTitle::With(act) | BranchTitle::Without(act) | BranchTitle::Moved { act, .. }) =
            &row.title
        else {
            continue;
        };
        let ActText::Order { program, .. } = &act.text else { continue };
        let others = [Some(row.id), row.from.map(|(from, _)| from)];
        let worlds = others
            .into_iter()
            .flatten()
            .filter_map(|id| timeline.visit(id, SeekTarget::Position(timeline.branch(id)?.end())));
        let client = worlds.into_iter().find_map(|world| {
            let mut programs = world.programs().filter(|(name, _)| *name == program);
            programs.next().map(|(_, running)| running.actor.to_string())
        });
        found.check(client == act.actor, || format!("{:?}, but it runs on {client:?}", row.title));
    }
}

/// The console's sentence about a cut agrees with what happens to a request that is sent now.
fn cuts(page: &Page<'_>, found: &mut Contradictions) {
    for actor in &page.actors {
        let Some(obstacle @ Obstacle::Cut(_)) = Obstacle::of(&actor.host) else { continue };
        let request = HttpRequest::new("GET", "/v1/status/leader", b"");
        let act = Act::Request { actor: actor.actor.name.clone(), request };
        let Ok(events) = page.world.clone().perform(act) else { continue };
        let happened = |wanted: fn(&Travel) -> bool| {
            events.iter().any(|event| matches!(&event.kind, EventKind::Travel(it) if wanted(it)))
        };
        let fails = happened(|travel| matches!(travel, Travel::Broken { .. }));
        let is_answered = events.iter().any(|it| matches!(it.kind, EventKind::Answered { .. }));
        for (language, at_once) in CUTS {
            let text = (console::words(language).sender_fault)(actor.actor.name.as_str(), obstacle);
            let agrees = !is_answered && text.contains(at_once) == fails;
            found.check(agrees, || format!("{}: {text:?}, but {events:?}", actor.actor.name));
        }
    }
}

fn fates(events: &[SimEvent]) -> Fates {
    let (mut fates, mut ending) = (Fates::new(), None);
    for event in events {
        let EventKind::Server { event: Event::Changed(change), .. } = &event.kind else { continue };
        let (entry, fate) = match change {
            Change::SessionEnded { session, .. } => {
                ending = Some(session.id);
                fates.insert(session.id, Default::default());
                continue;
            }
            Change::KeyWritten { before: Some(before), after } if after.hold.is_none() => {
                (before, 0)
            }
            Change::KeyDeleted { before } => (before, 1),
            _ => continue,
        };
        let holder = entry.holder().and_then(SessionRef::id);
        if let Some(id) = holder.filter(|id| Some(*id) == ending) {
            fates.entry(id).or_default()[fate].push(entry.key.clone());
        }
    }
    fates
}

/// The sentence about the end of a session names the keys that it released or deleted, in each
/// language.
fn keys(
    page: &Page<'_>,
    row: &EventRow,
    event: &SimEvent,
    fates: &Fates,
    found: &mut Contradictions,
) {
    let ended = match &event.kind {
        EventKind::Server {
            event: Event::Changed(Change::SessionEnded { session, .. }), ..
        } => Some(session.id),
        EventKind::Answered { outcome, .. } => outcome.effects.ended,
        _ => None,
    };
    let Some(fates) = ended.and_then(|id| fates.get(&id)) else { return };
    for (language, verbs) in VERBS {
        let text = (rows::words(language).note)(&row.note);
        for (verb, keys) in verbs.into_iter().zip(fates) {
            let named = text.split_once(verb).map(|(_, keys)| keys);
            let names = || keys.iter().map(|key| page.record.key_name(key));
            let agrees = match named {
                None => keys.is_empty(),
                Some(named) => !keys.is_empty() && names().all(|name| named.contains(&name)),
            };
            found.check(agrees, || format!("event {}: {text:?}, but {verb} {keys:?}", row.number));
        }
    }
}
