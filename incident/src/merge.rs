//! What several lists together say about each session and each key. The list of the later moment
//! counts for what both cover.

use alloc::collections::BTreeMap;
use alloc::string::String;

use jiff::Timestamp;

use crate::listing::Listing;
use crate::lists::{KeyEntry, Session};

/// A key as the last list that covers it has it.
#[derive(Clone, Debug)]
pub(crate) struct SeenKey {
    /// The place of the list.
    pub(crate) list: usize,
    /// `None`: there is no such key.
    pub(crate) entry: Option<KeyEntry>,
    /// The place of another list that differs, if nothing says which of the two is older.
    pub(crate) disputed_by: Option<usize>,
}

/// When a session was alive, by the lists that have it, or a key that it holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alive {
    /// The latest time at which it certainly was; `None` if the moment of each list is assumed.
    pub(crate) certain: Option<Timestamp>,
    /// The moment of the first such list.
    pub(crate) first: Timestamp,
    /// The latest moment of such a list.
    pub(crate) assumed: Timestamp,
    /// The place of the last such list.
    pub(crate) list: usize,
}

/// When each session was alive.
pub(crate) fn alive(listings: &[Listing]) -> BTreeMap<String, Alive> {
    let mut known: BTreeMap<String, Alive> = BTreeMap::new();
    for (list, listing) in listings.iter().enumerate() {
        let (certain, assumed) = (listing.moment.earliest, listing.moment.latest);
        for session in listing.alive() {
            match known.get_mut(session) {
                Some(alive) => {
                    alive.certain = alive.certain.max(certain);
                    (alive.assumed, alive.list) = (assumed, list);
                }
                None => {
                    let alive = Alive { certain, first: assumed, assumed, list };
                    known.insert(session.into(), alive);
                }
            }
        }
    }
    known
}

/// The sessions of the lists, which are in the order of their moments.
pub(crate) fn sessions(listings: &[Listing]) -> BTreeMap<String, Session> {
    let mut known: BTreeMap<String, Session> = BTreeMap::new();
    for session in listings.iter().flat_map(|listing| listing.entries.sessions()) {
        match known.get_mut(&session.id) {
            Some(known) => known.complete(session),
            None => drop(known.insert(session.id.clone(), session.clone())),
        }
    }
    known
}

/// The keys of the lists, which are in the order of their moments.
pub(crate) fn keys(listings: &[Listing]) -> BTreeMap<String, SeenKey> {
    let mut known: BTreeMap<String, SeenKey> = BTreeMap::new();
    for (list, listing) in listings.iter().enumerate().filter(|(_, it)| it.entries.is_keys()) {
        for entry in listing.entries.keys() {
            let seen = SeenKey { list, entry: Some(entry.clone()), disputed_by: None };
            match known.get_mut(&entry.key) {
                Some(former) => former.follow(seen, listings),
                None => drop(known.insert(entry.key.clone(), seen)),
            }
        }
        let names = listing.names();
        let gone = known
            .iter_mut()
            .filter(|(key, _)| listing.scope.covers_key(key) && !names.contains(key.as_str()));
        for (_, former) in gone {
            former.follow(SeenKey { list, entry: None, disputed_by: None }, listings);
        }
    }
    known
}

impl SeenKey {
    /// Takes what a later list says, unless the indexes show that this one is the newer.
    fn follow(&mut self, later: Self, listings: &[Listing]) {
        let is_ordered = is_before(&listings[self.list], &listings[later.list]);
        match (&self.entry, &later.entry) {
            (Some(former), Some(next)) if former.modify_index != next.modify_index => {
                if former.modify_index < next.modify_index {
                    *self = later;
                }
            }
            (Some(_), Some(next)) if !next.is_holder_known => {}
            (Some(_), Some(_)) | (None, None) => *self = later,
            _ if is_ordered => *self = later,
            _ => self.disputed_by = Some(later.list),
        }
    }
}

/// Whether a list was certainly taken before another one.
pub(crate) fn is_before(one: &Listing, other: &Listing) -> bool {
    !one.moment.is_assumed() && other.moment.earliest.is_some_and(|it| one.moment.latest < it)
}
