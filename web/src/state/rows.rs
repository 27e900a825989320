//! Computes the rows of the store: after each act those that it changed, after a jump in time all
//! of them. An equal row does not notify its subscribers.

use core::cmp::Reverse;

use leptos::prelude::*;
use lictor_core::id::{ActorName, Key, SessionId};
use lictor_sim::record::{Record, RowKey, RowKeys, SessionTrack, semaphore_prefix};
use lictor_sim::{TakeoverSearch, World};
use lictor_view::next_up::next_up;
use lictor_view::rows::WorldView;
use lictor_view::time_travel::TimeTravel;
use lictor_view::timeline::lane_id::{KeyLane, LaneId, LockLane};

use crate::signals::SetIfChanged;
use crate::state::store::{NEXT_UP, SessionSortKey, Store, Version};

/// The largest number of locks whose earliest takeover is computed.
pub(super) const TAKEOVERS: usize = 4;

/// Updates the rows of an object: sets them, or removes them if it is gone.
pub(super) fn update_row(store: Store, view: WorldView, key: &RowKey) {
    match key {
        RowKey::Key(key) => update_key(store, view, key),
        RowKey::Semaphore(prefix) => {
            store.semaphores.set(prefix.clone(), view.semaphore(prefix));
        }
        RowKey::Session(id) => update_session(store, view, *id),
        RowKey::Actor(actor) => update_actor(store, view, actor),
        RowKey::Check(path) => store.health_checks.set(path.clone(), view.health_check(path)),
        RowKey::Connection(_) => {}
        RowKey::Exchange(id) => store.exchanges.set(*id, view.record.exchange(*id).cloned()),
    }
}

/// Updates the parts other than the lanes that depend on the future: the next events, and the
/// clocks of sessions.
pub(super) fn update_future(store: Store, past: &TimeTravel) {
    store.next_up.set_if_changed(next_up(past, NEXT_UP));
    store.future.update(|count| *count += 1);
}

/// Updates all rows, and removes those of objects that do not exist at the cursor.
pub(super) fn update_all(store: Store, view: WorldView) {
    let record = view.record;
    store.actors.retain(|badge| record.actors().iter().any(|actor| actor.badge == *badge));
    store.sessions.retain(|sort_key| match sort_key {
        SessionSortKey::Living(_, id) | SessionSortKey::Ended(_, id) => {
            record.session(*id).map(sort_key_of) == Some(*sort_key)
        }
    });
    store.locks.retain(|key| record.lock(key).is_some());
    store.health_checks.retain(|path| record.health_check(path).is_some());
    store.exchanges.retain(|id| record.exchange(*id).is_some());
    let mut keys = store.keys.current_keys();
    let entries = view.world.store().kv().with_prefix("");
    keys.extend(entries.map(|entry| entry.key.clone()));
    keys.extend(record.locks().map(|(key, _)| key.clone()));
    let mut all = RowKeys::new();
    for key in keys {
        all.extend(semaphore_prefix(&key).map(RowKey::Semaphore));
        all.insert(RowKey::Key(key));
    }
    all.extend(store.semaphores.current_keys().into_iter().map(RowKey::Semaphore));
    all.extend(record.sessions().map(|track| RowKey::Session(track.session.id)));
    all.extend(record.health_checks().map(|track| RowKey::Check(track.check.path())));
    all.extend(record.actors().iter().map(|actor| RowKey::Actor(actor.name.clone())));
    all.extend(record.exchanges().map(|exchange| RowKey::Exchange(exchange.call.id)));
    all.iter().for_each(|it| update_row(store, view, it));
}

/// Adds and redraws the lanes of all objects, and removes those of objects that the record no
/// longer has.
pub(super) fn update_all_lanes(store: Store, record: &Record) {
    store.lanes.retain(|lane| lane.exists_in(record));
    let mut all = RowKeys::new();
    all.extend(record.sessions().map(|track| RowKey::Session(track.session.id)));
    all.extend(record.locks().map(|(key, _)| RowKey::Key(key.clone())));
    all.extend(record.keys().map(|key| RowKey::Key(key.clone())));
    all.extend(record.semaphores().map(|(prefix, _)| RowKey::Semaphore(prefix.clone())));
    all.extend(record.health_checks().map(|track| RowKey::Check(track.check.path())));
    all.extend(record.connections().map(|(path, _)| RowKey::Connection(path.clone())));
    update_lanes(store, record, &all);
}

/// Adds new lanes, and redraws those of objects that changed.
pub(super) fn update_lanes(store: Store, record: &Record, changed: &RowKeys) {
    let mut lanes = vec![LaneId::Server];
    for key in changed.iter() {
        match key {
            RowKey::Key(key) => {
                lanes.push(LaneId::Lock(key.clone(), LockLane::Belief));
                lanes.push(LaneId::Lock(key.clone(), LockLane::Truth));
                lanes.extend(KeyLane::ALL.map(|lane| LaneId::Key(key.clone(), lane)));
            }
            RowKey::Session(id) => {
                let index = record.session(*id).map(|track| track.session.create_index);
                lanes.extend(index.map(|index| LaneId::Session(index, *id)));
            }
            RowKey::Semaphore(prefix) => lanes.push(LaneId::Slots(prefix.clone())),
            RowKey::Check(path) => lanes.push(LaneId::Check(path.clone())),
            RowKey::Connection(path) => lanes.push(LaneId::Connection(path.clone())),
            RowKey::Actor(_) | RowKey::Exchange(_) => {}
        }
    }
    lanes.extend(record.resources().map(|(name, _)| LaneId::Resource(name.clone())));
    // A renewal changes them, although it is no change of the key.
    lanes.extend(record.locks().map(|(key, _)| LaneId::Takeover(key.clone())));
    for lane in lanes.into_iter().filter(|lane| lane.exists_in(record)) {
        match store.lanes.row(&lane) {
            Some(_) => store.redraw(&lane),
            None => store.lanes.put(lane, Version::default()),
        }
    }
}

/// Begins the search for the earliest takeover of the lock at a place of the list, and removes the
/// results of deleted locks. `None` if there is no such lock or nothing to search for.
pub(super) fn begin_takeover_search(
    store: Store,
    world: &World,
    place: usize,
) -> Option<(Key, TakeoverSearch)> {
    let keys = store.locks.current_keys();
    store.takeovers.retain(|key| keys.contains(key));
    let key = keys.into_iter().nth(place)?;
    let search = world.search_takeover(&key);
    if search.is_none() {
        store.takeovers.remove(&key);
    }
    Some((key, search?))
}

fn update_key(store: Store, view: WorldView, key: &Key) {
    store.keys.set(key.clone(), view.key(key));
    store.locks.set(key.clone(), view.lock(key));
}

fn update_session(store: Store, view: WorldView, id: SessionId) {
    let Some(track) = view.record.session(id) else { return };
    let Some(row) = view.session(id) else { return };
    if track.ended.is_some() {
        store.sessions.remove(&SessionSortKey::Living(track.session.create_index, id));
    }
    store.sessions.put(sort_key_of(track), row);
}

fn sort_key_of(track: &SessionTrack) -> SessionSortKey {
    let id = track.session.id;
    match track.ended.as_ref() {
        None => SessionSortKey::Living(track.session.create_index, id),
        Some(end) => SessionSortKey::Ended(Reverse(end.at), id),
    }
}

fn update_actor(store: Store, view: WorldView, name: &ActorName) {
    let Some(actor) = view.world.actor(name.as_str()) else { return };
    if let Some(row) = view.actor(actor) {
        store.actors.put(row.actor.badge, row);
    }
}
