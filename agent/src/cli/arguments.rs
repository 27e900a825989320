//! Parses the command line: Lictor's own flags, and all flags of `consul agent`, so that harnesses
//! which start a Consul can start Lictor. As in Go's programs, a flag has one dash or two, and its
//! value follows after a space or an equals sign. Unknown flags are refused, and so are wrong
//! values of flags that have an effect; the values of others are not looked at.
//!
//! Environment variables such as CONSUL_HTTP_ADDR are for clients, and have no effect on a server.

use std::ffi::OsString;

use lexopt::{Arg, Parser, ValueExt};
use lictor_core::ConsulVersion;

use super::config::{ConfigError, ConfigSource};
use super::consul_flags;
use super::export::ExportSettings;
use super::format::Format;
use super::incident::IncidentSettings;
use super::next_argument::next;
use super::settings::{Setting, ValueError};

pub(crate) use super::settings::AgentSettings;

/// What the program is to do.
pub(crate) enum CliCommand {
    Usage,
    Version(ConsulVersion),
    /// The version in the JSON of `consul version -format=json`.
    VersionJson(ConsulVersion),
    Run(Box<AgentSettings>),
    /// Prints which client can take a key, and when; `None` prints the usage of the command.
    Incident(Option<Box<IncidentSettings>>),
    /// Prints a world in another format; `None` prints the usage of the command.
    Export(Option<ExportSettings>),
}

/// Why a command line is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error(transparent)]
    Flag(#[from] lexopt::Error),
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error(transparent)]
    Config(#[from] ConfigError),
}

/// The version of this program.
const AGENT: &str = concat!("lictor-agent ", env!("CARGO_PKG_VERSION"));

/// What `consul version` prints; programs parse the first line.
pub(crate) fn version_text(version: ConsulVersion) -> String {
    let release = version.release();
    format!(
        "Consul v{release}\n{AGENT}: not HashiCorp's Consul, but a server for tests that answers \
         as Consul {release} does\n"
    )
}

/// What `consul version -format=json` prints; HashiCorp's test harness reads it.
pub(crate) fn version_json(version: ConsulVersion) -> String {
    let release = version.release();
    let revision = AGENT.replace(' ', "-");
    format!(
        r#"{{
   "Version": "{release}",
   "Revision": "{revision}",
   "Prerelease": "",
   "BuildDate": "1970-01-01T00:00:01Z",
   "RPC": {{
      "Default": 2,
      "Min": 2,
      "Max": 3
   }}
}}
"#
    )
}

pub(crate) const USAGE: &str = "\
Usage: lictor-agent [agent] [FLAG...]
       lictor-agent version [-format json] [--consul-version VERSION]
       lictor-agent incident --live [ADDRESS] [--key KEY | --prefix PREFIX]
       lictor-agent incident [--key KEY] [--at TIME] [--json] [FILE]...
       lictor-agent export FORMAT [FILE]

Serves Consul's sessions, keys, locks and watches over HTTP until it gets SIGTERM or SIGINT.

  --addr IP:PORT          where to listen [127.0.0.1:8500]; port 0 takes a free one
  --node NAME             the name of the server's own node [n1]
  --datacenter NAME       [dc1]
  --consul-version VERSION
                          the version of Consul to answer as: 1.13 or 1.22 [1.22]
  --session-ttl-min TIME  the shortest TTL of a session [10s]
  --snapshot FILE         keep the state in FILE, and continue from it. A process that is killed
                          loses nothing that it has answered; a machine that fails may lose
                          what the last sync does not have. Lock-delays and the age of TTLs are
                          not kept
  --clock manual          time stands still until a test moves it, by PUT /lictor/clock [real]
  --seed NUMBER           seed of the ids: the same requests in the same order get the same ids
  --dev                   write JSON indented, as a Consul in dev mode does
  --log-level LEVEL       trace, debug, info, warn or err [info]; debug logs each request
  --log-json              write the log as JSON
  --version, --help

Limits

  --client-timeout TIME   for the head of a request, for the next part of its body, and for a
                          client to take a part of an answer [2m]
  --body-timeout TIME     for the whole body of a request [5m]
  --connections-max N     connections at the same time; one more gets 429 and is closed [66560]
  --parked-max N          blocking queries at the same time; one more gets 429 [65536]
  --allow-origin ORIGIN   let web pages of this origin call the agent (CORS); off by default
  --allow-host NAME       a host name of clients, beside IP addresses and names that the public DNS
                          does not have, when the agent listens on a loopback address; others get
                          403

It can run in the place of `consul agent`, and then also takes

  -config-file FILE, -config-dir FOLDER, -config-format hcl|json, -hcl TEXT
                          configuration in JSON or HCL: addresses.http, bind_addr, client_addr,
                          connect.enabled, datacenter, disable_kv_key_validation,
                          enable_script_checks, log_json, log_level, node_id, node_meta,
                          node_name, ports.http, session_ttl_min. Flags override it
  -bind IP, -client IP, -http-port PORT, -enable-script-checks

All other flags of `consul agent` are accepted; the log names those that have no effect. Environment
variables such as CONSUL_HTTP_ADDR have none, except for `incident --live`.
";

/// The arguments in order. Configuration is applied before flags, wherever it is on the command
/// line, so that flags override it.
#[derive(Default)]
struct Arguments {
    sources: Vec<ConfigSource>,
    config_format: Option<Format>,
    flags: Vec<(Setting, String, String)>,
    without_effect: Vec<String>,
}

/// Parses the arguments after the program's name.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<CliCommand, UsageError> {
    let mut parser = Parser::from_args(arguments);
    let mut parsed = Arguments::default();
    while let Some(argument) = next(&mut parser)? {
        let name = match &argument {
            Arg::Value(word) if word == "agent" => continue,
            Arg::Value(word) if word == "export" => {
                return Ok(CliCommand::Export(ExportSettings::parse(&mut parser)?));
            }
            Arg::Value(word) if word == "incident" => {
                return Ok(CliCommand::Incident(
                    IncidentSettings::parse(&mut parser)?.map(Box::new),
                ));
            }
            Arg::Value(word) if word == "version" => return parsed.version(&mut parser),
            Arg::Value(_) => return Err(argument.unexpected().into()),
            Arg::Short(short) => short.to_string(),
            Arg::Long(long) => (*long).to_owned(),
        };
        match name.as_str() {
            "help" | "h" => return Ok(CliCommand::Usage),
            // Consul's `-version` looks at nothing after it, either.
            "version" | "v" => return Ok(CliCommand::Version(parsed.settings()?.engine.version)),
            name => parsed.flag(name, &mut parser)?,
        }
    }
    Ok(CliCommand::Run(Box::new(parsed.settings()?)))
}

impl Arguments {
    /// The rest of the command `version`: the format of its output, and a version to answer as.
    fn version(mut self, parser: &mut Parser) -> Result<CliCommand, UsageError> {
        let mut is_json = false;
        while let Some(argument) = next(parser)? {
            match argument {
                Arg::Long("format") => {
                    is_json = parser.value()?.parse_with(|format| match format {
                        "json" => Ok(true),
                        "pretty" => Ok(false),
                        _ => Err("the format is json or pretty"),
                    })?;
                }
                Arg::Long("consul-version") => self.flag("consul-version", parser)?,
                argument => return Err(argument.unexpected().into()),
            }
        }
        let version = self.settings()?.engine.version;
        Ok(if is_json { CliCommand::VersionJson(version) } else { CliCommand::Version(version) })
    }

    /// Adds a flag with its value. Fails if neither Lictor nor `consul agent` has this flag.
    fn flag(&mut self, name: &str, parser: &mut Parser) -> Result<(), UsageError> {
        match (name, Setting::by_flag(name)) {
            (_, Some(setting)) if setting.is_switch() => {
                let is_on = switch(parser)?;
                self.flags.push((setting, format!("--{name}"), is_on));
            }
            (_, Some(setting)) => {
                self.flags.push((setting, format!("--{name}"), parser.value()?.string()?));
            }
            ("config-file", _) => self.sources.push(ConfigSource::File(parser.value()?.into())),
            ("config-dir", _) => self.sources.push(ConfigSource::Folder(parser.value()?.into())),
            ("hcl", _) => self.sources.push(ConfigSource::Text(parser.value()?.string()?)),
            ("config-format", _) => self.config_format = Some(parser.value()?.parse()?),
            _ if consul_flags::SWITCHES.contains(&name) => {
                switch(parser)?;
                self.without_effect(name);
            }
            _ if consul_flags::WITH_VALUE.contains(&name) => {
                parser.value()?;
                self.without_effect(name);
            }
            _ => return Err(Arg::Long(name).unexpected().into()),
        }
        Ok(())
    }

    fn without_effect(&mut self, name: &str) {
        let flag = format!("-{name}");
        if !self.without_effect.contains(&flag) {
            self.without_effect.push(flag);
        }
    }

    fn settings(self) -> Result<AgentSettings, UsageError> {
        let mut settings =
            AgentSettings { without_effect: self.without_effect, ..AgentSettings::default() };
        for source in &self.sources {
            settings.configure(source, self.config_format)?;
        }
        for (setting, name, value) in &self.flags {
            settings.set(*setting, name, value)?;
        }
        Ok(settings)
    }
}

/// The value of a switch: `true` without one, or the text after an equals sign.
fn switch(parser: &mut Parser) -> Result<String, UsageError> {
    parser.optional_value().map_or(Ok("true".into()), |value| Ok(value.string()?))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use lictor_agent::LogLevel;

    use super::*;

    fn settings(line: &[&str]) -> AgentSettings {
        match parse(line.iter().map(OsString::from)) {
            Ok(CliCommand::Run(settings)) => *settings,
            Ok(_) => panic!("{line:?}: not a command to run"),
            Err(error) => panic!("{line:?}: {error}"),
        }
    }

    #[test]
    fn flags_may_have_one_dash_or_two() {
        for line in [
            &["--addr", "127.0.0.1:0", "--node", "web"][..],
            &["agent", "-addr=127.0.0.1:0", "-node=web", "-dev=false"],
        ] {
            let settings = settings(line);
            assert_eq!(settings.http_port, 0);
            assert_eq!(settings.engine.node.as_str(), "web");
            assert!(!settings.pretty);
            assert!(settings.without_effect.is_empty());
        }
    }

    #[test]
    fn the_value_of_a_flag_may_begin_with_a_dash() {
        assert_eq!(settings(&["-node", "-web"]).engine.node.as_str(), "-web");
        assert_eq!(settings(&["--node=-web", "-dev"]).engine.node.as_str(), "-web");
    }

    #[test]
    fn a_command_line_for_consul_is_accepted() {
        let line = "agent -dev -client 0.0.0.0 -http-port 18500 -bind=10.0.0.7 -log-level WARN";
        let settings = settings(&line.split(' ').chain(["-server"]).collect::<Vec<_>>());
        assert_eq!(settings.addresses()[0].to_string(), "http://0.0.0.0:18500");
        assert_eq!(settings.engine.address, "10.0.0.7");
        assert!(settings.pretty);
        assert_eq!(settings.log.level, LogLevel::Warn);
        assert_eq!(settings.without_effect, ["-server"]);
    }

    /// What `consul agent -help` lists, in 1.13 and in 1.22.
    const HELP: &str = "advertise advertise-wan allow-write-http-from alt-domain \
        auto-reload-config= bind=127.0.0.1 bootstrap= bootstrap-expect check_output_max_size \
        client=127.0.0.1 config-dir=tests/clients config-file=/dev/null config-format=hcl \
        data-dir datacenter default-query-time dev= disable-host-node-id= disable-keyring-file= \
        dns-port domain enable-local-script-checks= enable-script-checks= encrypt grpc-port \
        grpc-tls-port hcl= http-port=1 https-port join join-wan log-file log-json= \
        log-level=info log-rotate-bytes log-rotate-duration log-rotate-max-files max-query-time \
        node node-id node-meta non-voting-server= pid-file primary-gateway protocol \
        raft-protocol read-replica= recursor rejoin= retry-interval retry-interval-wan \
        retry-join retry-join-wan retry-max retry-max-wan segment serf-lan-allowed-cidrs \
        serf-lan-bind serf-lan-port serf-wan-allowed-cidrs serf-wan-bind serf-wan-port server= \
        server-port syslog= ui= ui-content-path ui-dir";

    #[test]
    fn every_flag_of_consuls_agent_is_accepted() {
        for flag in HELP.split_whitespace() {
            let line: Vec<String> = match flag.split_once('=') {
                Some((name @ "hcl", _)) => vec![format!("-{name}"), String::new()],
                Some((name, "")) => vec![format!("-{name}")],
                Some((name, value)) => vec![format!("-{name}"), value.into()],
                None => vec![format!("-{flag}"), "x".into(), format!("-{flag}=y")],
            };
            let found = settings(&line.iter().map(String::as_str).collect::<Vec<_>>());
            let ignored = found.without_effect;
            assert!(ignored.len() <= 1, "{flag} is named once: {ignored:?}");
        }
    }

    #[test]
    fn the_version_of_consul_is_chosen_and_a_wrong_one_is_refused_with_the_known_ones() {
        assert_eq!(settings(&[]).engine.version, ConsulVersion::V1_22);
        assert_eq!(settings(&["--consul-version", "1.13"]).engine.version, ConsulVersion::V1_13);
        let hcl = "disable_kv_key_validation = true";
        assert!(settings(&["-hcl", hcl]).engine.disable_kv_key_validation);
        for line in ["version -format=json --consul-version 1.13", "--consul-version=1.13 version"]
        {
            let command = parse(line.split(' ').map(OsString::from));
            let Ok(CliCommand::Version(version) | CliCommand::VersionJson(version)) = command
            else {
                panic!("{line} is a command")
            };
            assert_eq!(version, ConsulVersion::V1_13);
        }
        let Err(error) = parse(["--consul-version", "2.0"].iter().map(OsString::from)) else {
            panic!("there is no such version");
        };
        assert_eq!(error.to_string(), "--consul-version: \"2.0\" is not 1.13 or 1.22");
    }

    #[test]
    fn flags_override_configuration() {
        let hcl = "node_name = \"file\"\nsession_ttl_min = \"1s\"";
        let settings = settings(&["-node", "flag", "-hcl", hcl]);
        assert_eq!(settings.engine.node.as_str(), "flag");
        assert_eq!(settings.engine.session_ttl_min, Duration::from_secs(1));
    }

    #[test]
    fn wrong_flags_and_values_are_refused() {
        for line in [
            "--adr x",
            "serve",
            "--addr 127.0.0.1",
            "--session-ttl-min 10",
            "-dev=maybe",
            "--clock never",
            "-log-level loud",
            "-config-format yaml",
            "--consul-version 2.0",
            "version --consul-version 2.0",
        ] {
            assert!(parse(line.split(' ').map(OsString::from)).is_err(), "{line}");
        }
    }
}
