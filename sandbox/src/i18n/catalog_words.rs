//! The table of the strings around the version of Consul that the server answers as.
//! `english/catalog` and `chinese/catalog` fill it.

use lictor_core::{ConsulVersion, UnknownVersion};

type Text = &'static str;

/// The strings around the version of Consul, in one language.
pub struct VersionWords {
    pub heading: Text,
    /// The name of a version: `Consul 1.22`.
    pub name: fn(ConsulVersion) -> String,
    /// The hint on the button that shows the version of the open world.
    pub hint: Text,
    /// What happens to the open world if another version is chosen. `put_back` is the label of the
    /// button that restores a world.
    pub explanation: fn(&str) -> String,
    /// The release, and what a reader of this page notices of it.
    pub describes: fn(ConsulVersion) -> String,
    pub this_world: Text,
    pub new_worlds: Text,
    /// There is no such version; lists those that there are.
    pub unknown: fn(&UnknownVersion) -> String,
    /// An embedded page opens a world of the first version, although an attribute has the second.
    pub not_chosen: fn(ConsulVersion, ConsulVersion) -> String,
}
