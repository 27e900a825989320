//! The versions of Consul that a server can answer as, and the rules that differ between them.
//!
//! [`VersionRules`] is a table with one constant for each version. Code reads the rules of its
//! server and compares no versions, so another version is one more constant; only the types of
//! bodies name the version with which a member came.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Serialize};

/// A version of Consul. Sessions, locks, TTLs, lock-delays and blocking queries are the same in all
/// of them. Limits, texts, headers, members of answers, and the checks of key names are examples of
/// what differs.
///
/// ```
/// use lictor_core::ConsulVersion;
///
/// assert_eq!("1.13".parse(), Ok(ConsulVersion::V1_13));
/// assert_eq!(ConsulVersion::default().release(), "1.22.7");
/// assert!("9.9".parse::<ConsulVersion>().is_err());
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(try_from = "String", into = "String")]
#[non_exhaustive]
pub enum ConsulVersion {
    /// Consul 1.13, of 2022.
    V1_13,
    /// Consul 1.22, of 2025.
    #[default]
    V1_22,
}

/// A text that names no known version of Consul.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown version of Consul \"{text}\"; the known versions are {}", names())]
pub struct UnknownVersion {
    /// The text.
    pub text: String,
}

impl ConsulVersion {
    /// All versions, the oldest first.
    pub const ALL: [Self; 2] = [Self::V1_13, Self::V1_22];

    /// The version as flags, links and documents name it, such as `1.22`.
    pub fn name(self) -> &'static str {
        self.rules().name
    }

    /// The release whose recorded answers a server of this version gives, such as `1.22.7`.
    pub fn release(self) -> &'static str {
        self.rules().release
    }

    /// The release, in versions whose agents tell it in the metadata of their node.
    pub fn release_in_node_meta(self) -> Option<&'static str> {
        self.rules().agents_show_details.then_some(self.release())
    }

    /// Whether an agent's log warns of a token in the parameter `token`, which is deprecated.
    pub fn deprecates_token_parameter(self) -> bool {
        self.rules().deprecates_token_parameter
    }

    /// Whether a check of type `session` follows the sessions of a name (V22-09).
    pub fn has_session_checks(self) -> bool {
        self.rules().has_session_checks
    }

    /// The version of saved worlds that name none: they were saved when there was only one.
    pub fn unnamed() -> Self {
        Self::V1_13
    }

    pub(crate) fn rules(self) -> &'static VersionRules {
        match self {
            Self::V1_13 => &RULES_1_13,
            Self::V1_22 => &RULES_1_22,
        }
    }
}

impl fmt::Display for ConsulVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ConsulVersion {
    type Err = UnknownVersion;

    /// Takes the name of a version or of its release: `1.22` or `1.22.7`.
    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        let is_named = |version: &Self| text == version.name() || text == version.release();
        Self::ALL.into_iter().find(is_named).ok_or_else(|| UnknownVersion { text: text.into() })
    }
}

impl TryFrom<String> for ConsulVersion {
    type Error = UnknownVersion;

    fn try_from(text: String) -> Result<Self, UnknownVersion> {
        text.parse()
    }
}

impl From<ConsulVersion> for String {
    fn from(version: ConsulVersion) -> Self {
        version.name().into()
    }
}

fn names() -> String {
    ConsulVersion::ALL.map(ConsulVersion::name).join(", ")
}

/// What one version does where versions differ.
#[derive(Debug)]
pub(crate) struct VersionRules {
    pub(crate) name: &'static str,
    pub(crate) release: &'static str,
    /// Whether an agent shows its bind address, its node's metadata the version, and the servers
    /// that vote the index of their log.
    pub(crate) agents_show_details: bool,
    /// Whether the service mesh is enabled unless the configuration has another setting.
    pub(crate) enables_connect: bool,
    /// The form of a path that is checked for cleanness and compared with the endpoints (HTTP-17,
    /// V22-18).
    pub(crate) routed_path: RoutedPath,
    /// The parameters that name a datacenter; the first one that is given counts (V22-15).
    pub(crate) datacenter_parameters: &'static [&'static str],
    /// Whether the names of keys are cleaned and checked (V22-01, V22-02).
    pub(crate) checks_key_names: bool,
    /// The longest value in bytes that can be sent without its length (KV-25, V22-12).
    pub(crate) chunked_value_max: Option<usize>,
    /// The longest payload of an event; one that is sent without its length is refused. Older
    /// versions ignore such a payload, and limit only the whole event.
    pub(crate) event_payload_max: Option<usize>,
    /// The page to which error texts about limits link (V22-12).
    pub(crate) settings_page: &'static str,
    /// The end of the text about conflicting parameters (V22-14).
    pub(crate) conflict_end: &'static str,
    /// Whether an invalid `passing` is refused before the read is carried out.
    pub(crate) reads_passing_first: bool,
    /// The largest number of operations in one transaction (TXN-02, V22-06).
    pub(crate) txn_ops_max: usize,
    /// Whether transactions have the verb `get-or-empty` (V22-05).
    pub(crate) has_get_or_empty: bool,
    /// Whether the leader refuses an unknown verb before it logs the transaction (V22-07).
    pub(crate) admits_only_known_verbs: bool,
    /// Whether a service that a transaction sets keeps its tagged addresses.
    pub(crate) txn_keeps_tagged_addresses: bool,
    /// Whether a check that a transaction sets keeps its type (V22-10).
    pub(crate) txn_keeps_check_types: bool,
    /// Whether a service without a name and an id is refused.
    pub(crate) needs_service_names: bool,
    /// Whether checks of type `session` follow sessions (V22-09, V22-17).
    pub(crate) has_session_checks: bool,
    /// Whether Go names an embedded struct in the path to a value of a wrong type, as it does since
    /// its 1.24.
    pub(crate) names_embedded_structs: bool,
    /// Whether a check of a service shows its timeout (V22-19).
    pub(crate) shows_service_check_timeouts: bool,
    /// The kinds of checks that need an interval, as error texts list them.
    pub(crate) interval_checks: &'static str,
    /// Whether answers have the members that V22-13 lists.
    pub(crate) has_newer_members: bool,
    /// The content type of a raw value (V22-08).
    pub(crate) raw_type: &'static str,
    /// The content type of the answer to a transaction that failed (V22-08).
    pub(crate) failed_txn_type: &'static str,
    /// The content type of an answer without a body (V22-08).
    pub(crate) empty_type: Option<&'static str>,
    /// The content type of the refusal of a query string that cannot be decoded (V22-08).
    pub(crate) undecodable_query_type: Option<&'static str>,
    /// Whether JSON that is indented without being asked for ends with a line feed (HTTP-05,
    /// V22-16).
    pub(crate) default_pretty_ends_line: bool,
    /// Whether the parameter `token` is deprecated.
    pub(crate) deprecates_token_parameter: bool,
}

/// Which form of a path the router reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RoutedPath {
    /// The percent-decoded path.
    Decoded,
    /// The path as it was sent, split at its slashes; each segment is decoded by itself.
    AsSent,
}

const JSON: &str = "application/json";
const JSON_IN_UTF_8: &str = "application/json; charset=utf-8";
const TEXT: &str = "text/plain";
const TEXT_IN_UTF_8: &str = "text/plain; charset=utf-8";

const RULES_1_13: VersionRules = VersionRules {
    name: "1.13",
    release: "1.13.9",
    agents_show_details: false,
    enables_connect: false,
    routed_path: RoutedPath::Decoded,
    datacenter_parameters: &["dc"],
    checks_key_names: false,
    chunked_value_max: None,
    event_payload_max: None,
    settings_page: "https://www.consul.io/docs/agent/config/config-files",
    conflict_end: "",
    reads_passing_first: false,
    txn_ops_max: 64,
    has_get_or_empty: false,
    admits_only_known_verbs: false,
    txn_keeps_tagged_addresses: false,
    txn_keeps_check_types: false,
    needs_service_names: false,
    has_session_checks: false,
    names_embedded_structs: false,
    shows_service_check_timeouts: false,
    interval_checks: "Script, HTTP, H2PING, TCP or UDP",
    has_newer_members: false,
    raw_type: TEXT,
    failed_txn_type: JSON,
    empty_type: None,
    undecodable_query_type: None,
    default_pretty_ends_line: true,
    deprecates_token_parameter: false,
};

const RULES_1_22: VersionRules = VersionRules {
    name: "1.22",
    release: "1.22.7",
    agents_show_details: true,
    enables_connect: true,
    routed_path: RoutedPath::AsSent,
    datacenter_parameters: &["datacenter", "dc"],
    checks_key_names: true,
    chunked_value_max: Some(512 * 1024 + 1),
    event_payload_max: Some(300),
    settings_page: "https://developer.hashicorp.com/docs/agent/config/config-files",
    conflict_end: "\n",
    reads_passing_first: true,
    txn_ops_max: 128,
    has_get_or_empty: true,
    admits_only_known_verbs: true,
    txn_keeps_tagged_addresses: true,
    txn_keeps_check_types: true,
    needs_service_names: true,
    has_session_checks: true,
    names_embedded_structs: true,
    shows_service_check_timeouts: true,
    interval_checks: "Script, HTTP, H2PING, TCP, UDP or OSService",
    has_newer_members: true,
    raw_type: TEXT_IN_UTF_8,
    failed_txn_type: JSON_IN_UTF_8,
    empty_type: Some(JSON_IN_UTF_8),
    undecodable_query_type: Some(TEXT_IN_UTF_8),
    default_pretty_ends_line: false,
    deprecates_token_parameter: true,
};
