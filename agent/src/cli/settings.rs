//! The settings of the program. One table names the flag and the key of a configuration file that
//! set each; a value that does not fit is refused with the name that the user wrote.

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use lictor_agent::{Builder, ListenAddress, LogLevel};
use lictor_core::ConsulVersion;
use lictor_core::duration;
use lictor_core::engine::Config;
use lictor_core::id::NodeName;

use super::log::LogSettings;

/// All that the command line and the configuration files set.
#[derive(Debug)]
pub(crate) struct AgentSettings {
    /// The addresses for all clients.
    pub(crate) client: Vec<Host>,
    /// The addresses for HTTP; if there are none, HTTP is served on `client`.
    pub(crate) http: Vec<Host>,
    /// Port 0 lets the system choose one; a negative one disables HTTP.
    pub(crate) http_port: i32,
    pub(crate) engine: Config,
    /// Writes JSON indented even if a request has no `pretty` parameter (HTTP-05).
    pub(crate) pretty: bool,
    pub(crate) allow_origin: Option<String>,
    pub(crate) allow_hosts: Vec<String>,
    pub(crate) snapshot: Option<PathBuf>,
    pub(crate) client_timeout: Option<Duration>,
    pub(crate) body_timeout: Option<Duration>,
    pub(crate) connections_max: Option<usize>,
    pub(crate) is_clock_manual: bool,
    pub(crate) seed: Option<u64>,
    pub(crate) log: LogSettings,
    /// Names of flags and keys that the user set and that have no effect.
    pub(crate) without_effect: Vec<String>,
}

/// An address without its port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    Ip(IpAddr),
    Unix(PathBuf),
}

/// One thing that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    Addr,
    Client,
    HttpAddresses,
    HttpPort,
    Bind,
    Node,
    NodeId,
    NodeMeta,
    Datacenter,
    SessionTtlMin,
    ConsulVersion,
    DisableKvKeyValidation,
    ConnectEnabled,
    EnableScriptChecks,
    Dev,
    AllowOrigin,
    AllowHost,
    ParkedMax,
    ConnectionsMax,
    Snapshot,
    ClientTimeout,
    BodyTimeout,
    Clock,
    Seed,
    LogLevel,
    LogJson,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {value:?} is not {expected}")]
pub(crate) struct ValueError {
    name: String,
    value: String,
    expected: Cow<'static, str>,
}

/// Each setting with its flag and its key, where it has one. Keys are Consul's.
const TABLE: [(Setting, &str, &str); 26] = [
    (Setting::Addr, "addr", ""),
    (Setting::Client, "client", "client_addr"),
    (Setting::HttpAddresses, "", "addresses.http"),
    (Setting::HttpPort, "http-port", "ports.http"),
    (Setting::Bind, "bind", "bind_addr"),
    (Setting::Node, "node", "node_name"),
    (Setting::NodeId, "node-id", "node_id"),
    (Setting::NodeMeta, "node-meta", ""),
    (Setting::Datacenter, "datacenter", "datacenter"),
    (Setting::SessionTtlMin, "session-ttl-min", "session_ttl_min"),
    (Setting::ConsulVersion, "consul-version", ""),
    (Setting::DisableKvKeyValidation, "", "disable_kv_key_validation"),
    (Setting::ConnectEnabled, "", "connect.enabled"),
    (Setting::EnableScriptChecks, "enable-script-checks", "enable_script_checks"),
    (Setting::Dev, "dev", ""),
    (Setting::AllowOrigin, "allow-origin", ""),
    (Setting::AllowHost, "allow-host", ""),
    (Setting::ParkedMax, "parked-max", ""),
    (Setting::ConnectionsMax, "connections-max", ""),
    (Setting::Snapshot, "snapshot", ""),
    (Setting::ClientTimeout, "client-timeout", ""),
    (Setting::BodyTimeout, "body-timeout", ""),
    (Setting::Clock, "clock", ""),
    (Setting::Seed, "seed", ""),
    (Setting::LogLevel, "log-level", "log_level"),
    (Setting::LogJson, "log-json", "log_json"),
];

/// The default limit: the number of blocking queries that may wait, and some for other requests.
const CONNECTIONS_MAX: usize = 65_536 + 1_024;

impl Setting {
    pub(crate) fn by_flag(name: &str) -> Option<Self> {
        let found = TABLE.iter().find(|(_, flag, _)| !name.is_empty() && *flag == name);
        found.map(|(setting, ..)| *setting)
    }

    /// Whether its flag may be given without a value.
    pub(crate) fn is_switch(self) -> bool {
        matches!(self, Self::Dev | Self::LogJson | Self::EnableScriptChecks)
    }

    pub(crate) fn by_key(name: &str) -> Option<Self> {
        let found = TABLE.iter().find(|(_, _, key)| !name.is_empty() && *key == name);
        found.map(|(setting, ..)| *setting)
    }
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            client: vec![Host::Ip(Ipv4Addr::LOCALHOST.into())],
            http: Vec::new(),
            http_port: 8500,
            engine: Config::default(),
            pretty: false,
            allow_origin: None,
            allow_hosts: Vec::new(),
            snapshot: None,
            client_timeout: None,
            body_timeout: None,
            connections_max: None,
            is_clock_manual: false,
            seed: None,
            log: LogSettings::default(),
            without_effect: Vec::new(),
        }
    }
}

impl AgentSettings {
    /// Sets one setting; `name` is the flag or key that the user wrote. Fails if the value does not
    /// fit the setting.
    pub(crate) fn set(
        &mut self,
        setting: Setting,
        name: &str,
        value: &str,
    ) -> Result<(), ValueError> {
        let named = NamedValue { name, value };
        match setting {
            Setting::Addr => {
                let address: SocketAddr = named.parse("an address such as 127.0.0.1:8500")?;
                (self.client, self.http) = (vec![Host::Ip(address.ip())], Vec::new());
                self.http_port = address.port().into();
            }
            Setting::Client => self.client = named.hosts()?,
            Setting::HttpAddresses => self.http = named.hosts()?,
            Setting::HttpPort => self.http_port = named.port()?,
            Setting::Bind => self.bind(&named)?,
            Setting::Node => self.engine.node = NodeName::from(value),
            Setting::NodeId => self.engine.node_id = value.to_lowercase(),
            Setting::NodeMeta => {
                let (key, value) = value.split_once(':').unwrap_or((value, ""));
                let meta = self.engine.node_meta.get_or_insert_default();
                meta.insert(key.into(), value.into());
            }
            // Consul writes names of datacenters in lower case, too.
            Setting::Datacenter => self.engine.datacenter = value.to_lowercase(),
            Setting::SessionTtlMin => self.engine.session_ttl_min = named.time()?,
            Setting::ConsulVersion => {
                let known = ConsulVersion::ALL.map(ConsulVersion::name).join(" or ");
                let version = value.parse();
                self.engine.version = version.map_err(|_| named.is_not(known))?;
            }
            Setting::DisableKvKeyValidation => {
                self.engine.disable_kv_key_validation = named.parse("true or false")?;
            }
            Setting::EnableScriptChecks => {
                self.engine.script_checks = named.parse("true or false")?;
            }
            Setting::ConnectEnabled => self.engine.connect = Some(named.parse("true or false")?),
            Setting::Dev => {
                self.pretty = named.parse("true or false")?;
                // `connect.enabled = false` in a configuration file has precedence.
                if self.pretty && self.engine.connect.is_none() {
                    self.engine.connect = Some(true);
                }
            }
            Setting::AllowOrigin => self.allow_origin = Some(value.into()),
            Setting::AllowHost => self.allow_hosts.push(value.into()),
            Setting::ParkedMax => self.engine.parked_max = named.parse("a number")?,
            Setting::Snapshot => self.snapshot = Some(value.into()),
            Setting::ConnectionsMax => self.connections_max = Some(named.parse("a number")?),
            Setting::ClientTimeout => self.client_timeout = Some(named.time()?),
            Setting::BodyTimeout => self.body_timeout = Some(named.time()?),
            Setting::Clock => {
                self.is_clock_manual = match value {
                    "real" => false,
                    "manual" => true,
                    _ => return Err(named.is_not("real or manual")),
                }
            }
            Setting::LogLevel => self.log.level = named.level()?,
            Setting::LogJson => self.log.is_json = named.parse("true or false")?,
            Setting::Seed => self.seed = Some(named.parse("a number")?),
        }
        Ok(())
    }

    /// Lowers the limit of connections to `most`, the number for which the system has descriptors.
    pub(crate) fn limit_connections(&mut self, most: usize) {
        let max = self.connections_max.unwrap_or(CONNECTIONS_MAX);
        self.connections_max = Some(max.min(most));
    }

    /// The server that these settings describe.
    pub(crate) fn builder(self) -> Builder {
        let addresses = self.addresses();
        let mut builder = Builder::default().listen_on(addresses).config(self.engine);
        builder = builder.log(self.log.level, move |line| self.log.print(line));
        if self.pretty {
            builder = builder.pretty_json();
        }
        if self.is_clock_manual {
            builder = builder.manual_clock();
        }
        builder = self.allow_hosts.into_iter().fold(builder, Builder::allow_host);
        builder = self.allow_origin.into_iter().fold(builder, Builder::allow_origin);
        builder = self.snapshot.into_iter().fold(builder, Builder::snapshot);
        builder = self.client_timeout.into_iter().fold(builder, Builder::client_timeout);
        builder = self.body_timeout.into_iter().fold(builder, Builder::body_timeout);
        builder = self.connections_max.into_iter().fold(builder, Builder::connections_max);
        self.seed.into_iter().fold(builder, Builder::seed)
    }

    /// Where HTTP is served; nowhere if it is disabled.
    pub(crate) fn addresses(&self) -> Vec<ListenAddress> {
        let hosts = if self.http.is_empty() { &self.client } else { &self.http };
        let Ok(port) = u16::try_from(self.http_port) else { return Vec::new() };
        let mut addresses = Vec::new();
        for host in hosts {
            let address = match host {
                Host::Ip(ip) => ListenAddress::Tcp(SocketAddr::new(*ip, port)),
                Host::Unix(path) => ListenAddress::Unix(path.clone()),
            };
            if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        addresses
    }

    /// Sets the address of this server in the catalog. An unspecified one, such as 0.0.0.0, changes
    /// nothing.
    fn bind(&mut self, named: &NamedValue) -> Result<(), ValueError> {
        let hosts = named.hosts()?;
        let [Host::Ip(bound)] = hosts[..] else { return Err(named.is_not("one IP address")) };
        if !bound.is_unspecified() {
            self.engine.address = bound.to_string();
        }
        Ok(())
    }
}

/// A value with the flag or key that the user wrote, for messages of errors.
struct NamedValue<'a> {
    name: &'a str,
    value: &'a str,
}

impl NamedValue<'_> {
    fn parse<T: FromStr>(&self, expected: &'static str) -> Result<T, ValueError> {
        self.value.parse().map_err(|_| self.is_not(expected))
    }

    /// The IP addresses and paths of sockets. Fails if there is none, and for a template.
    fn hosts(&self) -> Result<Vec<Host>, ValueError> {
        if self.value.contains("{{") {
            return Err(self.is_not(
                "an address: templates of go-sockaddr are not evaluated, write the IP address",
            ));
        }
        let host = |word: &str| {
            if let Some(path) = word.strip_prefix("unix://") {
                return Ok(Host::Unix(path.into()));
            }
            let ip =
                if word == "localhost" { Ok(Ipv4Addr::LOCALHOST.into()) } else { word.parse() };
            ip.map(Host::Ip).map_err(|_| self.is_not("an IP address or a unix:// path"))
        };
        let hosts = self.value.split_whitespace().map(host).collect::<Result<Vec<_>, _>>()?;
        if hosts.is_empty() { Err(self.is_not("an address: there is none")) } else { Ok(hosts) }
    }

    /// A port; a negative number, which disables the listener, is accepted.
    fn port(&self) -> Result<i32, ValueError> {
        let port: i32 = self.parse("a port")?;
        if port > i32::from(u16::MAX) { Err(self.is_not("a port")) } else { Ok(port) }
    }

    fn time(&self) -> Result<Duration, ValueError> {
        let nanos = duration::parse(self.value).ok().and_then(|nanos| u64::try_from(nanos).ok());
        nanos.map(Duration::from_nanos).ok_or_else(|| self.is_not("a time such as 10s"))
    }

    /// A level of Consul's: `trace`, `debug`, `info`, `warn` or `err`, in any case.
    fn level(&self) -> Result<LogLevel, ValueError> {
        LogLevel::parse(self.value).ok_or_else(|| self.is_not("trace, debug, info, warn or err"))
    }

    fn is_not(&self, expected: impl Into<Cow<'static, str>>) -> ValueError {
        ValueError { name: self.name.into(), value: self.value.into(), expected: expected.into() }
    }
}
