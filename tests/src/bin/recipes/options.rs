//! The command line of the program `recipes`. Unknown options and recipes are refused, and so are
//! malformed numbers and durations, except for the TTL, which the server checks.

use std::ffi::OsString;
use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};
use lictor_core::duration;

pub(crate) const USAGE: &str = "\
usage: recipes [--addr URL] RECIPE [OPTION...]
  RECIPE         lock, semaphore, guide (the semaphore of the published guide), election,
                 consul-lock, naive
  --addr URL     the agent [http://127.0.0.1:8500]
  --key KEY      the key, or the prefix of a semaphore [recipes/<RECIPE>]
  --count N      how many clients [3]
  --limit N      how many may hold a semaphore [2]
  --hold TIME    how long each holds [1s]; 0 for as long as it can
  --again TIME   how long it stays away then [500ms]; 0 for good
  --ttl TIME     of the sessions [15s]
  --wait TIME    how long one look at what another holds lasts [15s]
  --for TIME     how long the whole takes at most [10s]
  --quiet        prints the last line only";

/// The parsed command line.
#[derive(Clone, Debug)]
pub(crate) struct CommandLine {
    pub(crate) address: String,
    pub(crate) kind: Kind,
    pub(crate) key: String,
    pub(crate) count: u64,
    pub(crate) limit: i64,
    pub(crate) hold: Duration,
    pub(crate) again: Duration,
    pub(crate) ttl: String,
    pub(crate) wait: Duration,
    pub(crate) lasts: Duration,
    pub(crate) is_quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Lock,
    Semaphore,
    Guide,
    Election,
    ConsulLock,
    Naive,
}

impl CommandLine {
    /// Parses the arguments after the program's name.
    pub(crate) fn read(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, lexopt::Error> {
        let mut parser = Parser::from_args(arguments);
        let mut options = Self::default();
        let mut kind = None;
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("quiet") => options.is_quiet = true,
                Arg::Long(name) => {
                    let name = name.to_owned();
                    options.set(&name, &parser.value()?.string()?)?;
                }
                Arg::Value(value) if kind.is_none() => kind = Some(value.string()?),
                other => return Err(other.unexpected()),
            }
        }
        let kind = kind.ok_or("a recipe is missing")?;
        options.kind = Kind::named(&kind).ok_or(format!("there is no recipe {kind:?}"))?;
        if options.key.is_empty() {
            options.key = format!("recipes/{kind}");
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), lexopt::Error> {
        match name {
            "addr" => self.address = value.into(),
            "key" => self.key = value.into(),
            "ttl" => self.ttl = value.into(),
            "count" => self.count = value.parse().map_err(|_| bad(name, value))?,
            "limit" => self.limit = value.parse().map_err(|_| bad(name, value))?,
            "hold" => self.hold = span(name, value)?,
            "again" => self.again = span(name, value)?,
            "wait" => self.wait = span(name, value)?,
            "for" => self.lasts = span(name, value)?,
            _ => return Err(Arg::Long(name).unexpected()),
        }
        Ok(())
    }
}

impl Default for CommandLine {
    fn default() -> Self {
        Self {
            address: "http://127.0.0.1:8500".into(),
            kind: Kind::Lock,
            key: String::new(),
            count: 3,
            limit: 2,
            hold: Duration::from_secs(1),
            again: Duration::from_millis(500),
            ttl: "15s".into(),
            wait: Duration::from_secs(15),
            lasts: Duration::from_secs(10),
            is_quiet: false,
        }
    }
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        match name {
            "lock" => Some(Self::Lock),
            "semaphore" => Some(Self::Semaphore),
            "guide" => Some(Self::Guide),
            "election" => Some(Self::Election),
            "consul-lock" => Some(Self::ConsulLock),
            "naive" => Some(Self::Naive),
            _ => None,
        }
    }

    /// The prefix of the names of its clients.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Lock => "lock",
            Self::Semaphore => "semaphore",
            Self::Guide => "guide",
            Self::Election => "candidate",
            Self::ConsulLock => "command",
            Self::Naive => "naive",
        }
    }
}

fn span(name: &str, value: &str) -> Result<Duration, lexopt::Error> {
    let nanos = duration::parse(value).ok().and_then(|nanos| u64::try_from(nanos).ok());
    nanos.map(Duration::from_nanos).ok_or_else(|| bad(name, value))
}

/// The error of a value that an option does not accept.
fn bad(name: &str, value: &str) -> lexopt::Error {
    format!("--{name} does not take {value:?}").into()
}
