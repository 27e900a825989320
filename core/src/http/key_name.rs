//! The names of keys in paths under `/v1/kv/`, which versions since 1.22 clean like paths and check
//! (V22-01, V22-02). Names in transactions are not checked (V22-04).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::path::{Plus, unescaped};

/// Why the name of a key is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[non_exhaustive]
pub enum KeyFault {
    /// It begins or ends with a space, or contains an escaped one.
    #[error("invalid key name, leading/trailing spaces are not allowed")]
    Spaces,
    /// It has a segment `..`, or escaped dots.
    #[error("invalid key name, path traversal is not allowed")]
    Traversal,
}

impl KeyFault {
    /// The warning with which such a key is served if names are not checked (V22-03).
    pub(super) fn warning(self) -> String {
        format!(
            "KV key validation bypassed: {self}. Consider enabling key validation for security."
        )
    }
}

/// The name as Go's `path.Clean` returns it, but a final slash stays, and the empty name stays
/// empty.
pub(super) fn cleaned(name: &str) -> String {
    if name.is_empty() {
        return String::new();
    }
    let is_rooted = name.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for segment in name.split('/') {
        match segment {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if is_rooted => {}
            other => kept.push(other),
        }
    }
    let mut clean = String::from(if is_rooted { "/" } else { "" }) + &kept.join("/");
    if clean.is_empty() {
        clean.push('.');
    }
    if name.ends_with('/') && !clean.ends_with('/') {
        clean.push('/');
    }
    clean
}

/// What is wrong with a cleaned name, if anything is.
pub(super) fn fault(name: &str) -> Option<KeyFault> {
    if name.starts_with(' ') || name.ends_with(' ') {
        return Some(KeyFault::Spaces);
    }
    if name.split('/').any(|segment| segment == "..") {
        return Some(KeyFault::Traversal);
    }
    // The name is decoded already; a second decoding must not result in dots or spaces.
    let again = unescaped(name, Plus::IsItself).ok().filter(|again| again != name)?;
    if again.contains("..") {
        Some(KeyFault::Traversal)
    } else {
        again.contains(' ').then_some(KeyFault::Spaces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cleaned_like_paths() {
        for (name, clean) in [
            ("", ""),
            ("a/../b", "b"),
            ("a//b/", "a/b/"),
            (".", "."),
            ("./", "./"),
            ("a/..", "."),
            ("a/../", "./"),
            ("../", "../"),
            ("a/../../z", "../z"),
            ("/", "/"),
            ("//a", "/a"),
            ("/../b", "/b"),
            ("a/.../b", "a/.../b"),
        ] {
            assert_eq!(cleaned(name), clean, "{name}");
        }
    }

    #[test]
    fn spaces_at_the_ends_and_hidden_dots_are_faults() {
        for name in ["", ".", "...", "..a", "a..b", "a /b", "mid dle", "a%zz..", "x%2520y", "a+.."]
        {
            assert_eq!(fault(name), None, "{name}");
        }
        for name in [" lead", "trail ", "../ ", "x%20y", "%20"] {
            assert_eq!(fault(name), Some(KeyFault::Spaces), "{name}");
        }
        for name in ["..", "../z", "x%2e%2e", "a%2f%2e%2e%2fb", "x%20%2e%2e", "../%20", "a%2b.."] {
            assert_eq!(fault(name), Some(KeyFault::Traversal), "{name}");
        }
    }
}
