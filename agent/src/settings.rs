//! How an agent is to run: one table of what can be set, by which flag and by which key of a
//! configuration file.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use lictor_core::duration;
use lictor_core::engine::Config;
use lictor_core::id::NodeName;

use crate::clock::Pace;

pub(crate) struct Settings {
    /// Where HTTP is served; port 0 lets the system choose one.
    pub(crate) listen: SocketAddr,
    pub(crate) engine: Config,
    /// How bodies are written when the request does not ask (HTTP-05).
    pub(crate) pretty: bool,
    /// The origin whose pages may call the agent from a browser; none by default.
    pub(crate) allow_origin: Option<String>,
    /// The file in which the state outlives the agent; without one it ends with it.
    pub(crate) snapshot: Option<PathBuf>,
    /// How long a client may take for its headers, and for each part of its body.
    pub(crate) patience: Duration,
    pub(crate) pace: Pace,
    /// Of the ids that the agent gives; one by chance if there is none.
    pub(crate) seed: Option<u64>,
    /// What was asked for and has no effect.
    pub(crate) notes: Vec<String>,
}

/// One thing that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Addr,
    Client,
    HttpPort,
    Bind,
    Node,
    Datacenter,
    SessionTtlMin,
    Dev,
    AllowOrigin,
    ParkedMax,
    Snapshot,
    Patience,
    Clock,
    Seed,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {value:?} is not {expected}")]
pub(crate) struct ValueError {
    name: String,
    value: String,
    expected: &'static str,
}

/// With its flag and its key, where it has one. Keys are Consul's.
const TABLE: [(Setting, &str, &str); 15] = [
    (Setting::Addr, "addr", ""),
    (Setting::Client, "client", "client_addr"),
    (Setting::Client, "", "addresses.http"),
    (Setting::HttpPort, "http-port", "ports.http"),
    (Setting::Bind, "bind", "bind_addr"),
    (Setting::Node, "node", "node_name"),
    (Setting::Datacenter, "datacenter", "datacenter"),
    (Setting::SessionTtlMin, "session-ttl-min", "session_ttl_min"),
    (Setting::Dev, "dev", ""),
    (Setting::AllowOrigin, "allow-origin", ""),
    (Setting::ParkedMax, "parked-max", ""),
    (Setting::Snapshot, "snapshot", ""),
    (Setting::Patience, "patience", ""),
    (Setting::Clock, "clock", ""),
    (Setting::Seed, "seed", ""),
];

impl Setting {
    pub(crate) fn by_flag(name: &str) -> Option<Self> {
        let found = TABLE.iter().find(|(_, flag, _)| !name.is_empty() && *flag == name);
        found.map(|(setting, ..)| *setting)
    }

    pub(crate) fn by_key(name: &str) -> Option<Self> {
        let found = TABLE.iter().find(|(_, _, key)| !name.is_empty() && *key == name);
        found.map(|(setting, ..)| *setting)
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8500)),
            engine: Config::default(),
            pretty: false,
            allow_origin: None,
            snapshot: None,
            patience: Duration::from_secs(120),
            pace: Pace::default(),
            seed: None,
            notes: Vec::new(),
        }
    }
}

impl Settings {
    /// Sets one thing; `name` is how the user called it.
    pub(crate) fn set(
        &mut self,
        setting: Setting,
        name: &str,
        value: &str,
    ) -> Result<(), ValueError> {
        let given = Given { name, value };
        match setting {
            Setting::Addr => self.listen = given.read("an address such as 127.0.0.1:8500")?,
            Setting::Client => self.listen.set_ip(given.ip()?),
            Setting::HttpPort => self.listen.set_port(given.read("a port")?),
            Setting::Bind => self.bind(&given)?,
            Setting::Node => self.engine.node = NodeName::from(value),
            // Consul's, too, are in lower case.
            Setting::Datacenter => self.engine.datacenter = value.to_lowercase(),
            Setting::SessionTtlMin => self.engine.session_ttl_min = given.time()?,
            Setting::Dev => self.pretty = given.read("true or false")?,
            Setting::AllowOrigin => self.allow_origin = Some(value.into()),
            Setting::ParkedMax => self.engine.parked_max = given.read("a number")?,
            Setting::Snapshot => self.snapshot = Some(value.into()),
            Setting::Patience => self.patience = given.time()?,
            Setting::Clock => {
                self.pace = match value {
                    "real" => Pace::Real,
                    "manual" => Pace::Manual,
                    _ => return Err(given.is_not("real or manual")),
                }
            }
            Setting::Seed => self.seed = Some(given.read("a number")?),
        }
        Ok(())
    }

    /// The address at which other servers would reach this one; the catalog shows it. What only the
    /// machine knows, such as `{{ GetPrivateIP }}`, leaves it as it is.
    fn bind(&mut self, given: &Given) -> Result<(), ValueError> {
        if given.value.starts_with("{{") {
            self.notes.push(given.name.into());
            return Ok(());
        }
        let bound = given.ip()?;
        if !bound.is_unspecified() {
            self.engine.address = bound.to_string();
        }
        Ok(())
    }
}

/// A value under the name by which the user knows it.
struct Given<'a> {
    name: &'a str,
    value: &'a str,
}

impl Given<'_> {
    fn read<T: FromStr>(&self, expected: &'static str) -> Result<T, ValueError> {
        self.value.parse().map_err(|_| self.is_not(expected))
    }

    fn ip(&self) -> Result<IpAddr, ValueError> {
        if self.value == "localhost" {
            return Ok(Ipv4Addr::LOCALHOST.into());
        }
        self.read("an IP address")
    }

    fn time(&self) -> Result<Duration, ValueError> {
        let nanos = duration::parse(self.value).ok().and_then(|nanos| u64::try_from(nanos).ok());
        nanos.map(Duration::from_nanos).ok_or_else(|| self.is_not("a time such as 10s"))
    }

    fn is_not(&self, expected: &'static str) -> ValueError {
        ValueError { name: self.name.into(), value: self.value.into(), expected }
    }
}
