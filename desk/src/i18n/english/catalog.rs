//! The strings about health checks and the version of Consul in English.

use lictor_core::ConsulVersion;
use lictor_view::format::version_names;

use super::super::catalog_words::{HealthCheckWords, VersionWords};

pub(super) const HEALTH_CHECKS: HealthCheckWords = HealthCheckWords {
    heading: "Health checks",
    follows: |name| match name {
        "" => "follows sessions without a name".into(),
        name => format!("follows sessions named {name}"),
    },
    chain_ended: |label, check| format!("check {check} critical, so {label} ended"),

    add: "Add check…",
    add_hint: "Add a check that follows sessions of a name",
    heading_of: |name| format!("Checks of {name}"),
    session: "Check that follows session",
    add_it: "Add",
    remove: |check| format!("Remove {check}"),
    meaning: "It turns passing when a session of this name begins on the client's node, and \
              critical when one ends.",
    needs_name: "Needs the name of a session",
    not_in: |version| {
        format!(
            "Consul {} has no checks that follow sessions. {}",
            version.name(),
            newer_versions()
        )
    },
};

pub(super) const VERSION: VersionWords = VersionWords {
    heading: "Version of Consul",
    name: |version| format!("Consul {}", version.name()),
    hint: "The version of this world's server. Choose that of new worlds",
    explanation: |earlier| {
        format!(
            "A world keeps its version. Choosing another one opens a fresh world with it; \
             this one stays in the list “{earlier}”."
        )
    },
    describes: |version| {
        let checks =
            if version.has_session_checks() { "health checks can" } else { "no health check can" };
        format!("Answers as {}; {checks} follow sessions.", version.release())
    },
    this_world: "this world",
    new_worlds: "new worlds",
    unknown: |unknown| {
        format!("Lictor has no Consul “{}”; it has {}.", unknown.text, version_names(" and "))
    },
    not_chosen: |has, wished| {
        format!(
            "This was made with Consul {}, which it keeps; consul=\"{}\" is for new worlds.",
            has.name(),
            wished.name()
        )
    },
};

/// The sentence that names the versions which have checks that follow sessions.
fn newer_versions() -> String {
    let have = ConsulVersion::ALL.into_iter().filter(|version| version.has_session_checks());
    let names = have.map(ConsulVersion::name).collect::<Vec<_>>();
    format!("Consul {} has them.", names.join(", "))
}
