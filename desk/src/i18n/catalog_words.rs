//! The types of the tables of strings: one for the health checks in the server's catalog, and one
//! for the version of Consul that the server answers as.

use lictor_core::{ConsulVersion, UnknownVersion};

type Text = &'static str;

/// The strings about health checks, in one language.
pub struct HealthCheckWords {
    pub heading: Text,
    /// The note on a check that follows the sessions with this name.
    pub follows: fn(&str) -> String,
    /// A step of a chain: this session ended because this check became critical.
    pub chain_ended: fn(&str, &str) -> String,

    // The form that adds a check
    pub add: Text,
    pub add_hint: Text,
    /// The checks on the node of a client.
    pub heading_of: fn(&str) -> String,
    /// The label of the field with the name of the sessions.
    pub session: Text,
    pub add_it: Text,
    pub remove: fn(&str) -> String,
    /// When the status of such a check changes.
    pub meaning: Text,
    pub needs_name: Text,
    /// This version has no such checks.
    pub not_in: fn(ConsulVersion) -> String,
}

/// The strings about the version of Consul, in one language.
pub struct VersionWords {
    pub heading: Text,
    /// The name of a version: `Consul 1.22`.
    pub name: fn(ConsulVersion) -> String,
    /// The hint on the button that shows the version of the open world.
    pub hint: Text,
    /// What happens to the open world if another version is chosen. `earlier` is the name of the
    /// list of worlds that were replaced.
    pub explanation: fn(&str) -> String,
    /// The release, and its differences that this page shows.
    pub describes: fn(ConsulVersion) -> String,
    pub this_world: Text,
    pub new_worlds: Text,
    /// The error for an unknown version, with the list of the known ones.
    pub unknown: fn(&UnknownVersion) -> String,
    /// An embedded page opens a world of the first version, although an attribute has the second.
    pub not_chosen: fn(ConsulVersion, ConsulVersion) -> String,
}
