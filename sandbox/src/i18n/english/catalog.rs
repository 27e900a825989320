//! The strings around the version of Consul in English; `catalog_words` has the
//! tables.

use lictor_core::ConsulVersion;

use super::super::catalog_words::VersionWords;

pub(super) const VERSION: VersionWords = VersionWords {
    heading: "Version of Consul",
    name: |version| format!("Consul {}", version.name()),
    hint: "The version of this world's server. Choose that of new worlds",
    explanation: |put_back| {
        format!(
            "A world keeps its version. Choosing another one opens a fresh world with it; \
             “{put_back}” brings this one back."
        )
    },
    describes: |version| {
        let checks =
            if version.has_session_checks() { "health checks can" } else { "no health check can" };
        format!("Answers as {}; {checks} follow sessions.", version.release())
    },
    this_world: "this world",
    new_worlds: "new worlds",
    unknown: |unknown| format!("Lictor has no Consul “{}”; it has {}.", unknown.text, all(" and ")),
    not_chosen: |has, wished| {
        format!(
            "This was made with Consul {}, which it keeps; consul=\"{}\" is for new worlds.",
            has.name(),
            wished.name()
        )
    },
};

/// The names of all versions.
pub(super) fn all(between: &str) -> String {
    ConsulVersion::ALL.map(ConsulVersion::name).join(between)
}
