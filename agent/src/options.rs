//! The command line: Lictor's own flags, and those of `consul agent` by which test harnesses start
//! it. One dash or two, `-name value` or `-name=value`, as Go's programs take them.

use std::ffi::OsString;

use lexopt::{Arg, Parser, ValueExt};

use crate::config::{ConfigError, Source};
use crate::settings::{Setting, Settings, ValueError};

/// What the command line asks for.
pub(crate) enum Asked {
    Usage,
    Version,
    Run(Box<Settings>),
}

/// Why a command line cannot be followed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UsageError {
    #[error(transparent)]
    Flag(#[from] lexopt::Error),
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error(transparent)]
    Config(#[from] ConfigError),
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
  --patience TIME         for how long a client may keep the agent waiting: for the rest of a
                          request, for the next one, or to take an answer [2m]
  --parked-max NUMBER     how many blocking queries may wait; one more gets 429 [65536]
  --clock manual          time stands still until a test moves it, by PUT /lictor/clock [real]
  --seed NUMBER           of the ids that the agent gives: the same requests in the same order get
                          the same ids; by chance if there is none
  --dev                   print JSON indented, as a Consul in dev mode does
  --version, --help

It can run in the place of `consul agent`, and then also takes

  -config-file FILE, -config-dir FOLDER, -hcl TEXT
                          configuration in JSON or HCL: addresses.http, bind_addr, client_addr,
                          datacenter, node_name, ports.http, session_ttl_min. Flags go before it
  -bind IP, -client IP, -http-port PORT

What else Consul's agent can be told has no effect here, and a note says so.
";

/// Flags of Consul's agent that take a value and change nothing here.
const WITHOUT_EFFECT: [&str; 24] = [
    "advertise",
    "advertise-wan",
    "alt-domain",
    "bootstrap-expect",
    "config-format",
    "data-dir",
    "dns-port",
    "domain",
    "encrypt",
    "grpc-port",
    "https-port",
    "join",
    "log-file",
    "log-level",
    "node-id",
    "node-meta",
    "pid-file",
    "raft-protocol",
    "recursor",
    "retry-interval",
    "retry-join",
    "retry-max",
    "serf-lan-port",
    "server-port",
];

/// The same, of flags that take none.
const SWITCHES_WITHOUT_EFFECT: [&str; 9] = [
    "bootstrap",
    "disable-host-node-id",
    "disable-keyring-file",
    "enable-local-script-checks",
    "enable-script-checks",
    "log-json",
    "rejoin",
    "server",
    "ui",
];

/// What the command line says, in order; files come before flags, wherever they stand.
#[derive(Default)]
struct Line {
    sources: Vec<Source>,
    flags: Vec<(Setting, String, String)>,
    notes: Vec<String>,
}

/// Reads the arguments behind the program's name.
pub(crate) fn asked(arguments: impl Iterator<Item = OsString>) -> Result<Asked, UsageError> {
    let mut parser = Parser::from_args(arguments.map(with_two_dashes));
    let mut line = Line::default();
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
            "version" | "v" => return Ok(Asked::Version),
            name => line.flag(name, &mut parser)?,
        }
    }
    Ok(Asked::Run(Box::new(line.settings()?)))
}

impl Line {
    fn flag(&mut self, name: &str, parser: &mut Parser) -> Result<(), UsageError> {
        if name == "dev" {
            let is_on = switch(parser)?;
            self.flags.push((Setting::Dev, "-dev".into(), is_on));
        } else if SWITCHES_WITHOUT_EFFECT.contains(&name) {
            switch(parser)?;
            self.notes.push(format!("-{name}"));
        } else if let Some(setting) = Setting::by_flag(name) {
            self.flags.push((setting, format!("--{name}"), parser.value()?.string()?));
        } else if WITHOUT_EFFECT.contains(&name) {
            parser.value()?;
            self.notes.push(format!("-{name}"));
        } else {
            self.sources.push(match name {
                "config-file" => Source::File(parser.value()?.into()),
                "config-dir" => Source::Folder(parser.value()?.into()),
                "hcl" => Source::Text(parser.value()?.string()?),
                _ => return Err(Arg::Long(name).unexpected().into()),
            });
        }
        Ok(())
    }

    fn settings(self) -> Result<Settings, UsageError> {
        let mut settings = Settings { notes: self.notes, ..Settings::default() };
        for source in &self.sources {
            settings.configure(source)?;
        }
        for (setting, name, value) in &self.flags {
            settings.set(*setting, name, value)?;
        }
        Ok(settings)
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

/// A switch stands alone, or with a value behind an equals sign.
fn switch(parser: &mut Parser) -> Result<String, UsageError> {
    parser.optional_value().map_or(Ok("true".into()), |value| Ok(value.string()?))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn settings(line: &[&str]) -> Settings {
        match asked(line.iter().map(OsString::from)) {
            Ok(Asked::Run(settings)) => *settings,
            Ok(_) => panic!("{line:?}: not a request to run"),
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
            assert_eq!(settings.listen.port(), 0);
            assert_eq!(settings.engine.node.as_str(), "web");
            assert!(!settings.pretty);
            assert!(settings.notes.is_empty());
        }
    }

    #[test]
    fn a_line_for_consul_is_understood() {
        let line = "agent -dev -client 0.0.0.0 -http-port 18500 -bind=10.0.0.7 -log-level warn";
        let settings = settings(&line.split(' ').chain(["-server"]).collect::<Vec<_>>());
        assert_eq!(settings.listen.to_string(), "0.0.0.0:18500");
        assert_eq!(settings.engine.address, "10.0.0.7");
        assert!(settings.pretty);
        assert_eq!(settings.notes, ["-log-level", "-server"]);
    }

    #[test]
    fn flags_go_before_configuration() {
        let hcl = "node_name = \"file\"\nsession_ttl_min = \"1s\"";
        let settings = settings(&["-node", "flag", "-hcl", hcl]);
        assert_eq!(settings.engine.node.as_str(), "flag");
        assert_eq!(settings.engine.session_ttl_min, Duration::from_secs(1));
    }

    #[test]
    fn what_cannot_be_followed_is_refused() {
        for line in [
            "--adr x",
            "serve",
            "--addr 127.0.0.1",
            "--session-ttl-min 10",
            "-dev=maybe",
            "--clock never",
        ] {
            assert!(asked(line.split(' ').map(OsString::from)).is_err(), "{line}");
        }
    }
}
