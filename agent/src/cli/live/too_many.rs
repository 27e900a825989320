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
    /// Those with the most keys first.
    prefixes: Vec<SmallerPrefix>,
}

/// A longer prefix that has few enough keys, and sessions that hold one of them.
#[derive(Debug, PartialEq, Serialize)]
struct SmallerPrefix {
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
        let (key_count, sessions) = counts(keys, prefix);
        if is_shown(key_count, sessions) {
            return None;
        }
        Some(Self { keys: key_count, sessions, prefixes: smaller(keys, prefix) })
    }
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the page shows at most {KEYS_MAX} keys, and {SESSIONS_MAX} sessions that hold one; \
             this prefix has {} and {} such {}",
            counted(self.keys, "key", "keys"),
            self.sessions,
            if self.sessions == 1 { "session" } else { "sessions" }
        )?;
        let have = if self.prefixes.len() == 1 { ". This one has" } else { ". These have" };
        for (index, smaller) in self.prefixes.iter().enumerate() {
            let before = if index == 0 { format!("{have} fewer: ") } else { ", ".into() };
            let SmallerPrefix { prefix, keys, sessions } = smaller;
            // Quotes keep a shell from expanding anything in it, such as `$(..)` or `{a,b}`.
            let prefix = prefix.replace('\'', "'\\''");
            let keys = counted(*keys, "key", "keys");
            let sessions = counted(*sessions, "session", "sessions");
            write!(f, "{before}--prefix '{prefix}' ({keys}, {sessions})")?;
        }
        Ok(())
    }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The number of the keys of a prefix, and of the sessions that hold one of them.
fn counts(keys: &Keys<'_>, prefix: &str) -> (usize, usize) {
    let (mut count, mut sessions) = (0, BTreeSet::new());
    for (_, holder) in of_prefix(keys, prefix) {
        count += 1;
        sessions.extend(holder);
    }
    (count, sessions.len())
}

const fn is_shown(keys: usize, sessions: usize) -> bool {
    keys <= KEYS_MAX && sessions <= SESSIONS_MAX
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
fn smaller(keys: &Keys<'_>, prefix: &str) -> Vec<SmallerPrefix> {
    let mut found = Vec::new();
    let mut large = BTreeSet::from([prefix]);
    while found.is_empty() && !large.is_empty() {
        let mut next = BTreeSet::new();
        for prefix in std::mem::take(&mut large) {
            let longer = of_prefix(keys, prefix).filter_map(|(key, _)| step(key, prefix.len()));
            next.extend(longer);
        }
        for prefix in next {
            let (keys, sessions) = counts(keys, prefix);
            if is_shown(keys, sessions) {
                found.push(SmallerPrefix { prefix: prefix.into(), keys, sessions });
            } else {
                large.insert(prefix);
            }
        }
    }
    found.sort_by_key(|smaller| Reverse(smaller.keys));
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
        found.into_iter().map(|smaller| (smaller.prefix, smaller.keys)).collect()
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

    fn text(folder: &str) -> String {
        let all = [names(folder, KEYS_MAX - 1), names("other/", 2)].concat();
        too_many(&all, "").expect("too many").to_string()
    }

    #[test]
    fn the_text_proposes_prefixes_in_which_a_shell_expands_nothing() {
        assert_eq!(
            text("jobs/"),
            "the page shows at most 10000 keys, and 1000 sessions that hold one; this prefix has \
             10001 keys and 0 such sessions. These have fewer: --prefix 'jobs/' (9999 keys, 0 \
             sessions), --prefix 'other/' (2 keys, 0 sessions)"
        );
        for (folder, word) in [
            ("$(id) `id`/", "'$(id) `id`/'"),
            ("{a,b}!!/", "'{a,b}!!/'"),
            ("it's/", r"'it'\''s/'"),
            ("'$HOME'/", r"''\''$HOME'\''/'"),
        ] {
            let proposed = format!("--prefix {word} (9999 keys");
            assert!(text(folder).contains(&proposed), "{}", text(folder));
        }
        let one = [names("a/", 1), names("b/", 2 * KEYS_MAX)].concat();
        let one = too_many(&one, "").expect("too many").to_string();
        assert!(one.ends_with("This one has fewer: --prefix 'a/' (1 key, 0 sessions)"), "{one}");
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
