//! Detects lists of two clusters. Each change of a cluster has a higher index than all before it,
//! so two lists of one cluster have an order; entries of two clusters contradict it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use core::time::Duration;

use crate::listing::{Entries, Listing};
use crate::lists::{KeyEntry, Node};
use crate::merge::is_before;
use crate::time::after;

/// The clocks of the servers of one cluster differ by less.
const CLOCKS_DIFFER: Duration = Duration::from_secs(60);

/// The names of two lists that cannot be of one cluster.
pub(crate) fn of_two(listings: &[Listing]) -> Option<[String; 2]> {
    let others = |place: usize| listings[place + 1..].iter();
    let pairs =
        listings.iter().enumerate().flat_map(|(at, one)| others(at).map(move |it| (one, it)));
    let contradict = |(one, other): &(&Listing, &Listing)| {
        differ_at_one_index(one, other) || is_newer(one, other) && is_newer(other, one)
    };
    pairs.into_iter().find(contradict).map(|(one, other)| [one.name(), other.name()])
}

/// Why a list of nodes cannot be of the same cluster as the nodes that are known: it has another
/// node with the same name, or, as a list of all nodes, none of them.
pub(crate) fn other_nodes(known: &BTreeMap<String, Node>, nodes: &[Node]) -> Option<String> {
    let is_other = |node: &&Node| {
        let same = known.get(&node.node);
        same.is_some_and(|same| {
            !same.id.is_empty() && !node.id.is_empty() && !same.id.eq_ignore_ascii_case(&node.id)
        })
    };
    if let Some(node) = nodes.iter().find(is_other) {
        return Some(format!("node {} has another id in each of them", node.node));
    }
    let has_any = nodes.iter().any(|node| known.contains_key(&node.node));
    (!known.is_empty() && !nodes.is_empty() && !has_any)
        .then(|| "they have no node in common".into())
}

/// Whether a key is different in two lists at the same index.
fn differ_at_one_index(one: &Listing, other: &Listing) -> bool {
    let differ = |(one, other): (&KeyEntry, &KeyEntry)| {
        let is_known = one.is_holder_known && other.is_holder_known;
        let has_all = |entry: &KeyEntry| entry.create_index > 0 && entry.modify_index > 0;
        is_known
            && has_all(one)
            && has_all(other)
            && one.modify_index == other.modify_index
            && (one.session != other.session || one.create_index != other.create_index)
    };
    common_keys(one, other).any(differ)
}

/// Whether something shows that a list is of a later state than another one.
fn is_newer(one: &Listing, other: &Listing) -> bool {
    let is_stale = one.moment.stale.is_some() || other.moment.stale.is_some();
    let is_later = || {
        let gap =
            one.moment.earliest.is_some_and(|it| after(other.moment.latest, CLOCKS_DIFFER) < it);
        !is_stale && gap && is_before(other, one)
    };
    let is_changed = || {
        common_keys(one, other)
            .any(|(one, other)| other.modify_index > 0 && one.modify_index > other.modify_index)
    };
    is_later() || is_changed() || has_lost(one, other)
}

/// Whether a list does not have an entry of another one that existed at an earlier index: it has
/// been removed since. An index of zero is unknown.
fn has_lost(list: &Listing, other: &Listing) -> bool {
    let last = last_index(list);
    let is_earlier = |index: u64| index > 0 && index <= last;
    match (&list.entries, &other.entries) {
        (Entries::Keys(_), Entries::Keys(keys)) => {
            let names = list.names();
            keys.iter().any(|entry| {
                list.scope.covers_key(&entry.key)
                    && !names.contains(entry.key.as_str())
                    && is_earlier(entry.create_index)
            })
        }
        (Entries::Sessions(own), Entries::Sessions(sessions)) => {
            let ids: BTreeSet<&str> = own.iter().map(|session| session.id.as_str()).collect();
            sessions.iter().any(|session| {
                list.scope.covers_session(session)
                    && !ids.contains(session.id.as_str())
                    && is_earlier(session.create_index)
            })
        }
        _ => false,
    }
}

/// The highest index that a list shows of its state.
fn last_index(list: &Listing) -> u64 {
    let sessions = list.entries.sessions().iter().map(|session| session.create_index);
    let keys = list.entries.keys().iter().map(|entry| entry.modify_index.max(entry.create_index));
    sessions.chain(keys).chain(list.head.index).max().unwrap_or_default()
}

fn common_keys<'a>(
    one: &'a Listing,
    other: &'a Listing,
) -> impl Iterator<Item = (&'a KeyEntry, &'a KeyEntry)> {
    let named: BTreeMap<&str, &KeyEntry> =
        other.entries.keys().iter().map(|entry| (entry.key.as_str(), entry)).collect();
    let keys = one.entries.keys().iter();
    keys.filter_map(move |entry| Some((entry, *named.get(entry.key.as_str())?)))
}
