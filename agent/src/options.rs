//! The command line: Lictor's own flags, and those of `consul agent` by which test harnesses start
//! it. One dash or two, `-name value` or `-name=value`, as Go's programs take them.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};
use lictor_core::duration;
use lictor_core::engine::Config;
use lictor_core::http::Layout;
use lictor_core::id::NodeName;

/// What the command line asks for.
pub(crate) enum Asked {
    Usage,
    Version,
    Run(Box<Settings>),
}

/// How an agent is to run.
pub(crate) struct Settings {
    /// Where HTTP is served; port 0 lets the system choose one.
    pub(crate) listen: SocketAddr,
    pub(crate) engine: Config,
    /// How bodies are written when the request does not ask (HTTP-05).
    pub(crate) layout: Layout,
    /// The origin whose pages may call the agent from a browser; none by default.
    pub(crate) allow_origin: Option<String>,
    /// The file in which the state outlives the agent; without one it ends with it.
    pub(crate) snapshot: Option<PathBuf>,
    /// How long a client may take for its headers, and for each part of its body.
    pub(crate) patience: Duration,
}

/// Why a command line cannot be followed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error(transparent)]
    Flag(#[from] lexopt::Error),
    #[error("{name}: {value:?} is not {expected}")]
    Value { name: &'static str, value: String, expected: &'static str },
}

pub(crate) const USAGE: &str = "\
Usage: lictor-agent [agent] [FLAG...]

Serves Consul's sessions, keys, locks and watches over HTTP until it gets SIGTERM or SIGINT.

  --addr IP:PORT          where to listen [127.0.0.1:8500]; port 0 takes a free one
  --node NAME             the name of the server's own node [n1]
  --datacenter NAME       [dc1]
  --session-ttl-min TIME  the shortest TTL of a session [10s]
  --snapshot FILE         keep the state in FILE, and go on from it. An agent that is killed loses
                          nothing that it has answered for; a machine that goes down may lose
                          the last seconds. Lock-delays and the age of TTLs are not kept
  --allow-origin ORIGIN   let web pages of this origin call the agent (CORS); off by default
  --patience TIME         for how long a client may keep the agent waiting for the rest of a
                          request, or for the next one on its connection [2m]
  --parked-max NUMBER     how many blocking queries may wait; one more gets 429 [65536]
  --dev                   print JSON indented, as a Consul in dev mode does
  --version, --help

So that it can run in the place of `consul agent`, it also takes -bind, -client, -http-port, and,
without effect, the flags of Consul that concern what it does not have.
";

/// Flags of Consul's agent that take a value and change nothing here.
const WITHOUT_EFFECT: [&str; 15] = [
    "advertise",
    "alt-domain",
    "bootstrap-expect",
    "data-dir",
    "dns-port",
    "domain",
    "encrypt",
    "grpc-port",
    "join",
    "log-file",
    "log-level",
    "node-id",
    "pid-file",
    "retry-join",
    "server-port",
];

/// The same, of flags that take none.
const SWITCHES_WITHOUT_EFFECT: [&str; 7] = [
    "bootstrap",
    "disable-host-node-id",
    "disable-keyring-file",
    "enable-script-checks",
    "log-json",
    "server",
    "ui",
];

/// Reads the arguments behind the program's name.
pub(crate) fn asked(arguments: impl Iterator<Item = OsString>) -> Result<Asked, UsageError> {
    let mut parser = Parser::from_args(arguments.map(with_two_dashes));
    let mut settings = Settings::default();
    while let Some(argument) = parser.next()? {
        let name = match &argument {
            Arg::Value(word) if word == "agent" => continue,
            Arg::Value(word) if word == "version" => return Ok(Asked::Version),
            Arg::Value(_) => return Err(argument.unexpected().into()),
            Arg::Short(short) => short.to_string(),
            Arg::Long(long) => (*long).to_owned(),
        };
        match name.as_str() {
            "help" | "h" => return Ok(Asked::Usage),
            "version" => return Ok(Asked::Version),
            name => settings.flag(name, &mut parser)?,
        }
    }
    Ok(Asked::Run(Box::new(settings)))
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8500)),
            engine: Config::default(),
            layout: Layout::Compact,
            allow_origin: None,
            snapshot: None,
            patience: Duration::from_secs(120),
        }
    }
}

impl Settings {
    fn flag(&mut self, name: &str, parser: &mut Parser) -> Result<(), UsageError> {
        match name {
            "dev" => {
                if is_on(parser)? {
                    self.layout = Layout::Indented;
                }
                return Ok(());
            }
            name if SWITCHES_WITHOUT_EFFECT.contains(&name) => return is_on(parser).map(drop),
            _ => {}
        }
        if !is_known(name) {
            return Err(Arg::Long(name).unexpected().into());
        }
        let value = parser.value()?.string()?;
        self.set(name, value)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), UsageError> {
        match name {
            "addr" => self.listen = read("--addr", &value, "an address such as 127.0.0.1:8500")?,
            "client" => self.listen.set_ip(ip("-client", &value)?),
            "http-port" => self.listen.set_port(read("-http-port", &value, "a port")?),
            "bind" => self.bind(&value)?,
            "node" => self.engine.node = NodeName::from(value),
            "datacenter" => self.engine.datacenter = value.to_lowercase(),
            "session-ttl-min" => self.engine.session_ttl_min = time("--session-ttl-min", &value)?,
            "allow-origin" => self.allow_origin = Some(value),
            "parked-max" => {
                self.engine.parked_max = read("--parked-max", &value, "a number")?;
            }
            "snapshot" => self.snapshot = Some(value.into()),
            "patience" => self.patience = time("--patience", &value)?,
            _ => {}
        }
        Ok(())
    }

    /// The address at which other servers would reach this one; the catalog shows it.
    fn bind(&mut self, value: &str) -> Result<(), UsageError> {
        let bound = ip("-bind", value)?;
        if !bound.is_unspecified() {
            self.engine.address = bound.to_string();
        }
        Ok(())
    }
}

/// Go's programs take `-name` and `--name` alike.
fn with_two_dashes(argument: OsString) -> OsString {
    match argument.to_str() {
        Some(text) if text.starts_with('-') && !text.starts_with("--") && text.len() > 2 => {
            format!("-{text}").into()
        }
        _ => argument,
    }
}

fn is_known(name: &str) -> bool {
    const OWN: [&str; 11] = [
        "addr",
        "client",
        "http-port",
        "bind",
        "node",
        "datacenter",
        "session-ttl-min",
        "allow-origin",
        "parked-max",
        "snapshot",
        "patience",
    ];
    OWN.contains(&name) || WITHOUT_EFFECT.contains(&name)
}

/// A switch stands alone, or with a value behind an equals sign.
fn is_on(parser: &mut Parser) -> Result<bool, UsageError> {
    match parser.optional_value() {
        None => Ok(true),
        Some(value) => Ok(value.parse()?),
    }
}

fn read<T: std::str::FromStr>(
    name: &'static str,
    value: &str,
    expected: &'static str,
) -> Result<T, UsageError> {
    let wrong = |_| UsageError::Value { name, value: value.into(), expected };
    value.parse().map_err(wrong)
}

fn ip(name: &'static str, value: &str) -> Result<IpAddr, UsageError> {
    let value = if value == "localhost" { "127.0.0.1" } else { value };
    read(name, value, "an IP address")
}

fn time(name: &'static str, value: &str) -> Result<Duration, UsageError> {
    let nanos = duration::parse(value).ok().and_then(|nanos| u64::try_from(nanos).ok());
    let expected = "a time such as 10s";
    let wrong = || UsageError::Value { name, value: value.into(), expected };
    nanos.map(Duration::from_nanos).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(line: &str) -> Settings {
        match asked(line.split(' ').map(OsString::from)) {
            Ok(Asked::Run(settings)) => *settings,
            Ok(_) => panic!("{line}: not a request to run"),
            Err(error) => panic!("{line}: {error}"),
        }
    }

    #[test]
    fn flags_may_have_one_dash_or_two() {
        for line in
            ["--addr 127.0.0.1:0 --node web", "agent -addr=127.0.0.1:0 -node=web -dev=false"]
        {
            let settings = settings(line);
            assert_eq!(settings.listen.port(), 0);
            assert_eq!(settings.engine.node.as_str(), "web");
            assert_eq!(settings.layout, Layout::Compact);
        }
    }

    #[test]
    fn a_line_for_consul_is_understood() {
        let settings = settings(
            "agent -dev -client 0.0.0.0 -http-port 18500 -bind=10.0.0.7 -log-level warn -server",
        );
        assert_eq!(settings.listen.to_string(), "0.0.0.0:18500");
        assert_eq!(settings.engine.address, "10.0.0.7");
        assert_eq!(settings.layout, Layout::Indented);
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        for line in ["--adr x", "serve", "--addr 127.0.0.1", "--session-ttl-min 10", "-dev=maybe"] {
            assert!(asked(line.split(' ').map(OsString::from)).is_err(), "{line}");
        }
    }
}
