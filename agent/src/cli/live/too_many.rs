//! How many keys and sessions the page is given, and longer prefixes that have fewer.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use lictor_incident::Incident;
use serde::Serialize;

/// The page is given at most these keys, and these sessions that hold one of them.
const KEYS_MAX: usize = 10_000;
const SESSIONS_MAX: usize = 1_000;
/// How many prefixes are proposed.
const PREFIXES_MAX: usize = 3;

/// More keys or sessions than the page is given.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct TooMany {
    keys: usize,
    sessions: usize,
    /// Longer prefixes that have few enough, those with the most keys first.
    prefixes: Vec<Part>,
}

/// A prefix with the number of its keys, and of the sessions that hold one of them.
#[derive(Debug, PartialEq, Serialize)]
struct Part {
    prefix: String,
    keys: usize,
    sessions: usize,
}

/// The keys, each with its holder.
type Keys<'a> = BTreeMap<&'a str, Option<&'a str>>;

impl TooMany {
    /// The numbers of a prefix if the page is not given its keys.
    pub(super) fn of(incident: &Incident, prefix: &str) -> Option<Self> {
        Self::of_keys(&incident.keys().collect(), prefix)
    }

    fn of_keys(keys: &Keys<'_>, prefix: &str) -> Option<Self> {
        let whole = Part::of(keys, prefix);
        if whole.is_small() {
            return None;
        }
        let prefixes = smaller(keys, prefix);
        Some(Self { keys: whole.keys, sessions: whole.sessions, prefixes })
    }
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the page shows at most {KEYS_MAX} keys and {SESSIONS_MAX} sessions that hold one, and \
             the prefix has {} and {}",
            self.keys, self.sessions
        )?;
        for (index, part) in self.prefixes.iter().enumerate() {
            let before = if index == 0 { ". Fewer has --prefix " } else { ", or " };
            write!(f, "{before}{:?} ({} and {})", part.prefix, part.keys, part.sessions)?;
        }
        Ok(())
    }
}

impl Part {
    fn of(keys: &Keys<'_>, prefix: &str) -> Self {
        let of_prefix = of_prefix(keys, prefix);
        let (mut count, mut sessions) = (0, BTreeSet::new());
        for (_, holder) in of_prefix {
            count += 1;
            sessions.extend(holder);
        }
        Self { prefix: prefix.into(), keys: count, sessions: sessions.len() }
    }

    const fn is_small(&self) -> bool {
        self.keys <= KEYS_MAX && self.sessions <= SESSIONS_MAX
    }
}

fn of_prefix<'a>(
    keys: &'a Keys<'a>,
    prefix: &'a str,
) -> impl Iterator<Item = (&'a str, Option<&'a str>)> {
    let from_prefix = keys.range(prefix..).map(|(key, holder)| (*key, *holder));
    from_prefix.take_while(move |(key, _)| key.starts_with(prefix))
}

/// The longer prefixes with few enough keys that are reached with the fewest steps: a step is a
/// folder, or a letter of a name that is in no further folder.
fn smaller(keys: &Keys<'_>, prefix: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut large = BTreeSet::from([prefix]);
    while found.is_empty() && !large.is_empty() {
        let mut next = BTreeSet::new();
        for prefix in std::mem::take(&mut large) {
            let longer = of_prefix(keys, prefix).filter_map(|(key, _)| step(key, prefix.len()));
            next.extend(longer);
        }
        for prefix in next {
            let part = Part::of(keys, prefix);
            if part.is_small() {
                found.push(part);
            } else {
                large.insert(prefix);
            }
        }
    }
    found.sort_by_key(|part| Reverse(part.keys));
    found.truncate(PREFIXES_MAX);
    found
}

/// The part of a key that is one step longer than its first `length` bytes.
fn step(key: &str, length: usize) -> Option<&str> {
    let rest = &key[length..];
    let letter = rest.chars().next()?;
    let added = rest.find('/').map_or(letter.len_utf8(), |slash| slash + 1);
    Some(&key[..length + added])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn too_many(names: &[String], prefix: &str) -> Option<TooMany> {
        TooMany::of_keys(&names.iter().map(|name| (name.as_str(), None)).collect(), prefix)
    }

    fn prefixes(names: &[String], prefix: &str) -> Vec<(String, usize)> {
        let found = too_many(names, prefix).expect("too many").prefixes;
        found.into_iter().map(|part| (part.prefix, part.keys)).collect()
    }

    fn names(folder: &str, count: usize) -> Vec<String> {
        (0..count).map(|index| format!("{folder}{index:05}")).collect()
    }

    #[test]
    fn ten_thousand_keys_and_a_thousand_sessions_are_shown() {
        assert_eq!(too_many(&names("jobs/", KEYS_MAX), "jobs/"), None);
        assert_eq!(too_many(&names("other/", KEYS_MAX + 1), "jobs/"), None);
        let names = names("jobs/", SESSIONS_MAX + 1);
        let mut keys: Keys<'_> =
            names.iter().map(|name| (name.as_str(), Some(name.as_str()))).collect();
        let found = TooMany::of_keys(&keys, "jobs/").expect("too many sessions");
        assert_eq!((found.keys, found.sessions), (1_001, 1_001));
        keys.insert(&names[0], None);
        assert_eq!(TooMany::of_keys(&keys, "jobs/"), None);
    }

    #[test]
    fn the_folders_with_the_most_keys_that_are_shown_are_proposed() {
        let folders = [("a/", 3), ("b/", 20_000), ("c/", 10_000), ("d/", 500), ("e/", 400)];
        let all: Vec<String> =
            folders.iter().flat_map(|(folder, count)| names(folder, *count)).collect();
        let expected = [("c/", 10_000), ("d/", 500), ("e/", 400)];
        assert_eq!(prefixes(&all, ""), expected.map(|(folder, count)| (folder.into(), count)));
    }

    #[test]
    fn names_without_folders_are_told_apart_by_their_letters() {
        let flat = names("jobs/ü-", 25_000);
        let expected = [("jobs/ü-0", 10_000), ("jobs/ü-1", 10_000), ("jobs/ü-2", 5_000)];
        assert_eq!(prefixes(&flat, "jobs/"), expected.map(|(it, count)| (it.into(), count)));
        // A prefix of a name is also one of a folder.
        let both = [names("jobs/b/", 10_000), names("jobs/b", 1)].concat();
        let expected = ("jobs/b/".to_owned(), 10_000);
        assert_eq!(prefixes(&both, "jobs/"), [expected]);
    }
}
