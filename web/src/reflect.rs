//! Brings the mirror up to date: after each act, the rows of what it touched are read off the world
//! again; after a visit to the past, all rows. A row that comes out as it was wakes nobody.

use core::cmp::Reverse;

use lictor_core::engine::Event;
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_sandbox::history::{
    History, RowKey, RowKeys, SessionTrack, result_of, semaphore_prefix,
};
use lictor_sandbox::request_log::{Exchange, ExchangeId, ExchangeState, RequestIds};
use lictor_sandbox::timeline::lane_id::{LaneId, LockLane};
use lictor_sandbox::view::WorldView;
use lictor_sim::{Caller, EventKind, SimEvent, TakeoverSearch, Travel, World};

use crate::mirror::{Mirror, SessionPlace, Version};

/// How many of the next deadlines are shown.
const NEXT_UP: usize = 3;
/// For how many locks it is worked out when they can change hands.
pub const TAKEOVERS: usize = 4;
/// How many exchanges are kept for the console; older ones are in the event list only.
const EXCHANGES_KEPT: usize = 1_000;

/// Shows again what was touched.
pub fn touched(mirror: &Mirror, glance: WorldView, touch: &RowKey) {
    match touch {
        RowKey::Key(key) => key_changed(mirror, glance, key),
        RowKey::Semaphore(prefix) => {
            mirror.semaphores.set(prefix.clone(), glance.semaphore(prefix));
        }
        RowKey::Session(id) => session_changed(mirror, glance, *id),
        RowKey::Actor(actor) => actor_changed(mirror, glance, actor),
    }
}

/// Whether it is drawn; to show it again costs little where it is not.
pub fn is_drawn(mirror: &Mirror, record: &History, touch: &RowKey) -> bool {
    match touch {
        RowKey::Key(key) => mirror.keys.is_drawn(key) || mirror.locks.is_drawn(key),
        RowKey::Session(id) => {
            record.session(*id).is_some_and(|track| mirror.sessions.is_drawn(&place_of(track)))
        }
        RowKey::Semaphore(_) | RowKey::Actor(_) => true,
    }
}

/// Shows what was told: the event list up to the cursor, and why the latest answer was `false`.
pub fn told(mirror: &Mirror, record: &History, events: usize) {
    mirror.events.show(events);
    mirror.reached.show(record.events().len());
    mirror.explanation.show_shared(record.explanation().cloned());
}

/// Shows what is on the line of time.
pub fn line(mirror: &Mirror, glance: WorldView, events: usize) {
    mirror.marks.show(events);
    mirror.deadlines.show(glance.deadlines(NEXT_UP));
}

/// Shows everything there is, and nothing else: what is shown may be of another time.
pub fn everything(mirror: &Mirror, glance: WorldView) {
    let record = glance.record;
    mirror.actors.keep(|badge| record.actors().iter().any(|who| who.badge == *badge));
    mirror.sessions.keep(|place| match place {
        SessionPlace::Living(_, id) | SessionPlace::Ended(_, id) => {
            record.session(*id).map(place_of) == Some(*place)
        }
    });
    mirror.locks.keep(|key| record.lock(key).is_some());
    let mut keys = mirror.keys.keys_now();
    let entries = glance.world.store().kv().with_prefix("");
    keys.extend(entries.map(|entry| entry.key.clone()));
    keys.extend(record.locks().map(|(key, _)| key.clone()));
    let mut all = RowKeys::new();
    for key in keys {
        all.extend(semaphore_prefix(&key).map(RowKey::Semaphore));
        all.insert(RowKey::Key(key));
    }
    all.extend(mirror.semaphores.keys_now().into_iter().map(RowKey::Semaphore));
    all.extend(record.sessions().map(|track| RowKey::Session(track.session.id)));
    all.extend(record.actors().iter().map(|who| RowKey::Actor(who.name.clone())));
    all.iter().for_each(|it| touched(mirror, glance, it));
}

/// All lanes that there are; see [`lanes_touched`].
pub fn lanes(mirror: &Mirror, record: &History, late: &mut Vec<LaneId>) {
    mirror.lanes.keep(|lane| is_there(record, lane));
    let mut all = RowKeys::new();
    all.extend(record.sessions().map(|track| RowKey::Session(track.session.id)));
    all.extend(record.locks().map(|(key, _)| RowKey::Key(key.clone())));
    all.extend(record.semaphores().map(|(prefix, _)| RowKey::Semaphore(prefix.clone())));
    lanes_touched(mirror, record, &all, late);
}

/// Of the lanes that were touched, new ones are put in their place; those that are drawn already
/// wait for being drawn again.
pub fn lanes_touched(mirror: &Mirror, record: &History, touched: &RowKeys, late: &mut Vec<LaneId>) {
    let mut lanes = vec![LaneId::Server];
    for touch in touched.iter() {
        match touch {
            RowKey::Key(key) => {
                lanes.push(LaneId::Lock(key.clone(), LockLane::Belief));
                lanes.push(LaneId::Lock(key.clone(), LockLane::Truth));
            }
            RowKey::Session(id) => {
                let index = record.session(*id).map(|track| track.session.create_index);
                lanes.extend(index.map(|index| LaneId::Session(index, *id)));
            }
            RowKey::Semaphore(prefix) => lanes.push(LaneId::Slots(prefix.clone())),
            RowKey::Actor(_) => {}
        }
    }
    lanes.extend(record.resources().map(|(name, _)| LaneId::Resource(name.clone())));
    for lane in lanes.into_iter().filter(|lane| is_there(record, lane)) {
        if !mirror.lanes.has(&lane) {
            mirror.lanes.put(lane, Version::default());
        } else if mirror.lanes.is_drawn(&lane) && !late.contains(&lane) {
            late.push(lane);
        }
    }
}

fn is_there(record: &History, lane: &LaneId) -> bool {
    match lane {
        LaneId::Server => true,
        LaneId::Resource(name) => record.resource(name).is_some(),
        LaneId::Lock(key, LockLane::Truth) => record.lock(key).is_some(),
        LaneId::Lock(key, LockLane::Belief) => {
            record.lock(key).is_some() && record.beliefs(key).is_some()
        }
        LaneId::Session(_, id) => record.session(*id).is_some(),
        LaneId::Slots(prefix) => record.semaphore(prefix).is_some(),
    }
}

/// The lock of which it is to be found out next when it can change hands, with the search; locks
/// that are gone are forgotten.
pub fn takeover(mirror: &Mirror, world: &World, place: usize) -> Option<(Key, TakeoverSearch)> {
    let keys = mirror.locks.keys_now();
    mirror.takeovers.keep(|key| keys.contains(key));
    let key = keys.into_iter().nth(place)?;
    let search = world.search_takeover(&key);
    if search.is_none() {
        mirror.takeovers.remove(&key);
    }
    Some((key, search?))
}

/// Follows one request of a person through its moments.
pub fn exchange(
    mirror: &Mirror,
    numbers: &mut RequestIds,
    (record, moment): (&History, &SimEvent),
) {
    let at = moment.at;
    match &moment.kind {
        EventKind::Sent { id, actor, caller: Caller::Person, request } => {
            let Some(who) = record.actor_tag(actor).cloned() else { return };
            let (request, state) = (request.clone(), ExchangeState::Waiting { until: None });
            let exchange = Exchange { who, sent: at, request, state };
            mirror.exchanges.add(numbers.give(*id), exchange);
            forget_oldest(mirror);
        }
        EventKind::Server { event: Event::Parked { id, until, .. }, .. } => {
            set_state(mirror, numbers.of(*id), ExchangeState::Waiting { until: Some(*until) });
        }
        EventKind::Answered { id, response, outcome, .. } => {
            let why = outcome.reason.as_ref().map(|reason| record.why(at, reason));
            let (reply, response) = (result_of(response, outcome.verdict), response.clone());
            let state = ExchangeState::Answered { at, reply, response, why };
            set_state(mirror, numbers.of(*id), state);
        }
        EventKind::Cancelled { id, .. } | EventKind::Travel(Travel::Broken { call: id, .. }) => {
            set_state(mirror, numbers.of(*id), ExchangeState::Cancelled { at });
        }
        EventKind::Sent { .. }
        | EventKind::Joined { .. }
        | EventKind::Server { .. }
        | EventKind::Travel(_)
        | EventKind::Failed(_)
        | EventKind::Mended(_)
        | EventKind::Program { .. }
        | EventKind::Used(_) => {}
    }
}

/// Who waited on another branch waits no longer.
pub fn branched(mirror: &Mirror, numbers: &mut RequestIds, glance: WorldView) {
    let pending = glance.world.pending().map(|(id, _)| id).collect::<Vec<_>>();
    let at = glance.world.now();
    for gone in numbers.keep(|id| pending.contains(&id)) {
        let exchange = mirror.exchanges.row(&gone);
        if exchange.is_some_and(|exchange| exchange.peek(Exchange::is_waiting)) {
            set_state(mirror, Some(gone), ExchangeState::Cancelled { at });
        }
    }
}

fn set_state(mirror: &Mirror, id: Option<ExchangeId>, state: ExchangeState) {
    if let Some(exchange) = id.and_then(|id| mirror.exchanges.row(&id)) {
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

fn key_changed(mirror: &Mirror, glance: WorldView, key: &Key) {
    mirror.keys.set(key.clone(), glance.key(key));
    if semaphore_prefix(key).is_none() {
        mirror.locks.set(key.clone(), glance.lock(key));
    }
}

fn session_changed(mirror: &Mirror, glance: WorldView, id: SessionId) {
    let Some(track) = glance.record.session(id) else { return };
    let Some(row) = glance.session(id) else { return };
    if track.ended.is_some() {
        mirror.sessions.remove(&SessionPlace::Living(track.session.create_index, id));
    }
    mirror.sessions.put(place_of(track), row);
}

fn place_of(track: &SessionTrack) -> SessionPlace {
    let id = track.session.id;
    match track.ended.as_ref() {
        None => SessionPlace::Living(track.session.create_index, id),
        Some(end) => SessionPlace::Ended(Reverse(end.at), id),
    }
}

fn actor_changed(mirror: &Mirror, glance: WorldView, name: &ActorName) {
    let Some(actor) = glance.world.actor(name.as_str()) else { return };
    if let Some(row) = glance.actor(actor) {
        mirror.actors.put(row.who.badge, row);
    }
}
