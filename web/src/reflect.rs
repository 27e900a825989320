//! Brings the mirror up to date: after each act, the rows of what it touched are read off the world
//! again. A row that comes out as it was wakes nobody.

use core::cmp::Reverse;
use std::sync::Arc;

use lictor_core::engine::Event;
use lictor_core::id::{ActorName, Key, RequestId, SessionId};
use lictor_core::sim::{Happening, Moment, Travel};

use crate::exchange::{Exchange, ExchangeState};
use crate::glance::{Glance, is_part_of_semaphore};
use crate::mirror::{LaneId, Mirror, SessionPlace, Side};
use crate::record::{Record, Touched, reply_of};

/// How many of the next deadlines are shown.
const NEXT_UP: usize = 3;
/// How many exchanges are kept for the console; older ones are in the event list only.
const EXCHANGES_KEPT: usize = 1_000;

/// Shows all that was touched.
pub fn touched(mirror: &Mirror, glance: Glance, touched: &Touched) {
    for key in &touched.keys {
        key_changed(mirror, glance, key);
    }
    for prefix in &touched.semaphores {
        mirror.semaphores.set(prefix.clone(), glance.semaphore(prefix));
        if glance.record.semaphore(prefix).is_some() {
            mirror.redraw(LaneId::Slots(prefix.clone()));
        }
    }
    for id in &touched.sessions {
        session_changed(mirror, glance, *id);
    }
    for actor in &touched.actors {
        actor_changed(mirror, glance, actor);
    }
    rest(mirror, glance);
}

/// Follows one request through its moments.
pub fn exchange(mirror: &Mirror, record: &Record, moment: &Moment) {
    let at = moment.at;
    match &moment.happening {
        Happening::Sent { id, actor, request, .. } => {
            let Some(who) = record.who(actor).cloned() else { return };
            let (request, state) =
                (Arc::new(request.clone()), ExchangeState::Waiting { until: None });
            mirror.exchanges.put(*id, Exchange { who, sent: at, request, state });
            forget_oldest(mirror);
        }
        Happening::Server { event: Event::Parked { id, until, .. }, .. } => {
            set_state(mirror, *id, ExchangeState::Waiting { until: Some(*until) });
        }
        Happening::Answered { id, response, outcome, .. } => {
            let why = outcome.reason.as_ref().map(|reason| record.why(at, reason));
            let (reply, response) =
                (reply_of(response, outcome.verdict), Arc::new(response.clone()));
            set_state(mirror, *id, ExchangeState::Answered { at, reply, response, why });
        }
        Happening::Cancelled { id, .. } | Happening::Travel(Travel::Broken { call: id, .. }) => {
            set_state(mirror, *id, ExchangeState::Cancelled { at });
        }
        Happening::Joined { .. }
        | Happening::Server { .. }
        | Happening::Travel(_)
        | Happening::Failed(_)
        | Happening::Mended(_)
        | Happening::Program { .. }
        | Happening::Used(_) => {}
    }
}

fn set_state(mirror: &Mirror, id: RequestId, state: ExchangeState) {
    if let Some(exchange) = mirror.exchanges.row(&id) {
        exchange.update(|exchange| exchange.state = state);
    }
}

fn forget_oldest(mirror: &Mirror) {
    let keys = mirror.exchanges.keys_now();
    if keys.len() > EXCHANGES_KEPT
        && let Some(oldest) = keys.first()
    {
        mirror.exchanges.remove(oldest);
    }
}

fn key_changed(mirror: &Mirror, glance: Glance, key: &Key) {
    mirror.keys.set(key.clone(), glance.key(key));
    if is_part_of_semaphore(key) {
        return;
    }
    if let Some(lock) = glance.lock(key) {
        mirror.locks.put(key.clone(), lock);
        mirror.redraw(LaneId::Lock(key.clone(), Side::Truth));
        if glance.record.beliefs(key).is_some() {
            mirror.redraw(LaneId::Lock(key.clone(), Side::Belief));
        }
    }
}

fn session_changed(mirror: &Mirror, glance: Glance, id: SessionId) {
    let Some(track) = glance.record.session(id) else { return };
    let Some(row) = glance.session(id) else { return };
    let born = track.session.create_index;
    match track.ended.as_ref() {
        None => mirror.sessions.put(SessionPlace::Living(born, id), row),
        Some(end) => {
            mirror.sessions.remove(&SessionPlace::Living(born, id));
            mirror.sessions.put(SessionPlace::Ended(Reverse(end.at), id), row);
        }
    }
    mirror.redraw(LaneId::Session(born, id));
}

fn actor_changed(mirror: &Mirror, glance: Glance, name: &ActorName) {
    let Some(actor) = glance.world.actor(name.as_str()) else { return };
    if let Some(row) = glance.actor(actor) {
        mirror.actors.put(row.who.badge, row);
    }
}

fn rest(mirror: &Mirror, glance: Glance) {
    mirror.events.show(glance.record.events().len());
    mirror.deadlines.show(glance.deadlines(NEXT_UP));
    mirror.explanation.show(glance.record.explanation().cloned());
    let entries = glance.record.log().len() as u64;
    mirror.lanes.put(LaneId::Server, crate::mirror::Version(entries));
}
