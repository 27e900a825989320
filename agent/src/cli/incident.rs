//! `lictor-agent incident`: who can take a key, and when, from lists and logs of a Consul.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use lexopt::{Arg, Parser, ValueExt};
use lictor_incident::{
    Answer, EventPattern, Incident, IncidentError, Redactor, Source, WorldError, collect_commands,
    parse_time,
};

use super::live::{self, Client, ConnectionError, ConnectionFlags, Page, PageError, Wanted};
use super::next_argument::next;

pub(crate) const USAGE: &str = "\
Usage: lictor-agent incident [--key KEY] [--at TIME] [--json] [--redact] [--world FILE]
                             [--offset FILE=SECONDS]... [--events N]
                             [--pattern EVENT=PATTERN]... [--no-application] [FILE]...
       lictor-agent incident --live [ADDRESS] [--key KEY | --prefix PREFIX] [--save FOLDER] ...
       lictor-agent incident --live [ADDRESS] --follow (--key KEY | --prefix PREFIX) [--json]
                             [--page [PORT]] [--page-dir FOLDER] ...
       lictor-agent incident --commands [--key KEY]

Says for each key that is or was locked, or is delayed or contended, who can take it, and when,
if nobody acts and the leader stays; what is not known; and which commands would show it.

--live asks a running cluster, only with GET: its sessions, the key or the keys with the prefix,
its nodes, and the checks of the holders. It never asks for the whole store by itself, and keeps no
value but that of a semaphore. ADDRESS and the options are those of `consul`: -http-addr, -token,
-token-file, -ca-file, -ca-path, -client-cert, -client-key, -tls-server-name, -datacenter,
-namespace, -partition, -stale, and the variables CONSUL_HTTP_ADDR (also unix://PATH),
CONSUL_HTTP_TOKEN, CONSUL_CACERT, .. No output has the token.

  --prefix PREFIX         the keys that begin with this; with an empty one the whole store
  --save FOLDER           writes what was read, with its headers, into a new folder, which
                          `lictor-agent incident FOLDER` reads with the same answer
  --timeout SECONDS       how long each answer may take [10]
  --follow                goes on, and writes a line for each change: acquired, released, ended,
                          taken over, delayed, renewed or not, no answer; with --json an object for
                          each. It reads the log of the agent too, if the token has agent:read
  --page [PORT]           the same, and serves Lictor's page on 127.0.0.1, which shows the cluster
                          while it changes; writes its address. Without PORT a free one is taken.
                          The page gets what was read, and never the token
  --page-dir FOLDER       the folder of the page [the folder `page` beside this program]

Without --live it reads files, folders of files, or standard input without one (also as `-`), in
any order and mixture:

  curl 'http://127.0.0.1:8500/v1/session/list'    sessions: TTL, LockDelay, behavior, checks
  curl 'http://127.0.0.1:8500/v1/kv/?recurse'     keys: which session holds which
  curl 'http://127.0.0.1:8500/v1/catalog/nodes'   nodes: whether a log has every request
  curl 'http://127.0.0.1:8500/v1/health/state/any'
  consul monitor -log-level debug                 or a server's log, as text or JSON
  consul snapshot decode FILE
  a log of an application that uses the lock: what a client believes, and renewals it saw answered

  --commands              prints a script that collects all of this on a machine that reaches an
                          agent: ssh HOST sh < collect.sh | lictor-agent incident
  --key KEY               only about this key
  --at TIME               when the lists were taken, such as 2026-11-26T09:11:49.694Z, if they have
                          no Date header and no log has their requests [now, as an assumption]
  --json                  an object: complete, answers (key, kind, asOf, assumed, holder, earliest
                          and latest, null for never or unknown, ..), missing, lists, unused
  --world FILE            writes the world that begins at this moment, which Lictor's page opens,
                          into a new file; says on standard error what it assumes
  --redact                replace values of keys, tokens and addresses before anything is read, so
                          that what is written can be shared
  --offset FILE=SECONDS   add this to the times in FILE, because its clock is behind
  --events N              the last N events that the inputs show, in the order of time [10]
  --pattern EVENT=PATTERN
                          lines of an application with this pattern, in place of those that are
                          proposed from its lines and shown. EVENT is acquired, lost, renewed or
                          released; PATTERN is text with {time} and, where the line has them,
                          {key}, {session} and {client}; {*} is any text, {{ is a brace. For example
                          --pattern 'acquired={time} {*} acquired lock {key}'
  --no-application        uses no line of an application

Exit status: 0 if it is known who holds each key; 1 if the lists show that there is no such key;
2 if the input cannot be read, or if the world cannot be made or written; 3 if the input does not
say who holds a key.
";

/// The arguments of the command.
#[derive(Debug, Default)]
pub(crate) struct IncidentSettings {
    files: Vec<PathBuf>,
    key: Option<String>,
    at: Option<Timestamp>,
    is_json: bool,
    redacts: bool,
    prints_commands: bool,
    world: Option<PathBuf>,
    offsets: Vec<(String, SignedDuration)>,
    events: Option<usize>,
    is_live: bool,
    connection: ConnectionFlags,
    /// A flag that has an effect only with `--live`.
    live_flag: Option<String>,
    prefix: Option<String>,
    save: Option<PathBuf>,
    timeout: Option<Duration>,
    follows: bool,
    /// The port of the page; 0 is any free one.
    page: Option<u16>,
    page_dir: Option<PathBuf>,
    /// The patterns of `--pattern`, in place of those that are proposed; empty with
    /// `--no-application` alone.
    patterns: Option<Vec<EventPattern>>,
}

/// How many events are shown without `--events`.
const EVENTS: usize = 10;
/// How long an answer of a cluster may take without `--timeout`. A server without a leader answers
/// after 7 s.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Why the command prints no answers.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IncidentFailure {
    #[error("{0}: {1}")]
    File(String, io::Error),
    #[error(transparent)]
    Read(#[from] IncidentError),
    #[error("there is no key {0:?}, by a list of keys that covers it")]
    NoKey(String),
    #[error("no key in the lists of keys is or was locked, or is delayed or contended")]
    NoKeys,
    #[error("nothing to read: {HINT}")]
    NothingGiven,
    #[error("no world: {0}")]
    World(#[from] WorldError),
    #[error(transparent)]
    Connection(#[from] ConnectionError),
    #[error("--page: {0}")]
    Page(#[from] PageError),
}

impl IncidentFailure {
    /// The exit status of the program.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::NoKey(_) | Self::NoKeys => 1,
            Self::File(..) | Self::Read(_) | Self::World(_) => 2,
            Self::NothingGiven | Self::Connection(_) | Self::Page(_) => 2,
        }
    }
}

/// What to give to the command, where it would wait for a person to type it.
const HINT: &str = "ask a cluster, name files, or pipe text into it:
  lictor-agent incident --live 127.0.0.1:8500 --key jobs/leader
  lictor-agent incident sessions.json keys.json nodes.json consul.log
  lictor-agent incident --commands > collect.sh
  ssh HOST sh -s jobs/ < collect.sh | lictor-agent incident
`lictor-agent incident --help` says what it reads; `lictor-agent incident -` reads what you type";

/// What the command prints.
#[derive(Debug, Default)]
pub(crate) struct IncidentOutput {
    pub(crate) answers: String,
    /// What the world assumes; empty without one.
    pub(crate) notes: String,
    /// Whether it is known who holds each key that was asked for.
    pub(crate) is_known: bool,
}

/// The exit status if it is not known who holds a key.
pub(crate) const UNKNOWN_STATUS: u8 = 3;

impl IncidentSettings {
    /// Parses what follows the command's name. `None` for `--help`.
    pub(crate) fn parse(parser: &mut Parser) -> Result<Option<Self>, lexopt::Error> {
        let mut settings = Self::default();
        while let Some(argument) = next(parser)? {
            match argument {
                Arg::Value(file) => settings.files.push(file.into()),
                Arg::Long("key") => settings.key = Some(parser.value()?.string()?),
                Arg::Long("at") => settings.at = Some(time(&parser.value()?.string()?)?),
                Arg::Long("json") => settings.is_json = true,
                Arg::Long("redact") => settings.redacts = true,
                Arg::Long("commands") => settings.prints_commands = true,
                Arg::Long("world") => settings.world = Some(parser.value()?.into()),
                Arg::Long("live") => {
                    settings.is_live = true;
                    if let Some(address) = address(parser)? {
                        settings.connection.address = Some(address);
                    }
                }
                Arg::Long(name) if Self::is_of_live(name) => {
                    let name = name.to_owned();
                    settings.live_flag(&name, parser)?;
                }
                Arg::Long("offset") => settings.offsets.push(offset(&parser.value()?.string()?)?),
                Arg::Long("events") => settings.events = Some(parser.value()?.parse()?),
                Arg::Long("pattern") => {
                    let pattern = parser.value()?.string()?.parse();
                    let pattern = pattern.map_err(|error| {
                        lexopt::Error::Custom(format!("--pattern: {error}").into())
                    })?;
                    settings.patterns.get_or_insert_default().push(pattern);
                }
                Arg::Long("no-application") => drop(settings.patterns.get_or_insert_default()),
                Arg::Long("help") | Arg::Short('h') => return Ok(None),
                argument => return Err(argument.unexpected()),
            }
        }
        settings.check()?;
        Ok(Some(settings))
    }

    fn is_of_live(name: &str) -> bool {
        let names = ["follow", "page", "page-dir", "prefix", "save", "timeout"];
        ConnectionFlags::has(name) || names.contains(&name)
    }

    fn live_flag(&mut self, name: &str, parser: &mut Parser) -> Result<(), lexopt::Error> {
        self.live_flag = Some(format!("--{name}"));
        match name {
            "follow" => self.follows = true,
            "page" => (self.follows, self.page) = (true, Some(port(parser)?)),
            "page-dir" => self.page_dir = Some(parser.value()?.into()),
            "prefix" => self.prefix = Some(parser.value()?.string()?),
            "save" => self.save = Some(parser.value()?.into()),
            "timeout" => {
                let seconds = parser.value()?.parse_with(|text| {
                    let seconds = text.parse().ok();
                    let seconds = seconds.and_then(|it| Duration::try_from_secs_f64(it).ok());
                    seconds.filter(|it| !it.is_zero()).ok_or("--timeout is a number of seconds")
                })?;
                self.timeout = Some(seconds);
            }
            _ => self.connection.take(name, parser)?,
        }
        Ok(())
    }

    fn check(&self) -> Result<(), lexopt::Error> {
        let refused = |reason: String| Err(lexopt::Error::Custom(reason.into()));
        match &self.live_flag {
            Some(flag) if !self.is_live => {
                refused(format!("{flag} has an effect only with --live"))
            }
            _ if self.key.is_some() && self.prefix.is_some() => {
                refused("--key and --prefix exclude each other".into())
            }
            _ if self.is_live && self.at.is_some() => {
                refused("--at is for lists without a time; --live has it".into())
            }
            _ if self.page_dir.is_some() && self.page.is_none() => {
                refused("--page-dir has an effect only with --page".into())
            }
            _ if !self.follows => Ok(()),
            _ if self.key.is_none() && self.prefix.is_none() => {
                let flag = if self.page.is_some() { "--page" } else { "--follow" };
                refused(format!("{flag} needs --key or --prefix"))
            }
            _ if self.redacts || self.save.is_some() || self.world.is_some() => {
                refused("--follow excludes --redact, --save and --world".into())
            }
            _ if !self.files.is_empty() => refused("--follow reads no files".into()),
            _ => Ok(()),
        }
    }

    /// Answers, and writes the world if `--world` is given.
    pub(crate) fn run(&self) -> Result<IncidentOutput, IncidentFailure> {
        if self.prints_commands {
            let answers = collect_commands(self.key.as_deref());
            return Ok(IncidentOutput { answers, notes: String::new(), is_known: true });
        }
        if self.follows {
            return self.follow().map(|()| IncidentOutput::default());
        }
        if !self.is_live && self.files.is_empty() && io::stdin().is_terminal() {
            return Err(IncidentFailure::NothingGiven);
        }
        let incident = self.incident()?;
        let asked = match &self.prefix {
            Some(prefix) => incident.answers_with_prefix(prefix),
            None => incident.answers_about(self.key.as_deref()),
        };
        let answers = self.answers(&incident, &asked)?;
        let notes = self.world.as_deref().map(|file| write_world(&incident, file)).transpose()?;
        let is_known = !asked.is_empty() && Incident::is_known(&asked);
        Ok(IncidentOutput { answers, notes: notes.unwrap_or_default(), is_known })
    }

    fn follow(&self) -> Result<(), IncidentFailure> {
        let client = self.client()?;
        let serve = |port| Page::serve(port, self.page_dir.as_deref(), &client, self.wanted());
        let page = self.page.map(serve).transpose()?;
        let to = &mut io::stdout().lock();
        // A reader that has closed the output needs no more of it.
        let _ = live::follow(client, self.wanted(), &read, page, self.is_json, to);
        Ok(())
    }

    fn incident(&self) -> Result<Incident, IncidentFailure> {
        let mut files = if self.is_live { self.live()? } else { Vec::new() };
        if !self.is_live || !self.files.is_empty() {
            let mut named = self.files()?;
            if self.redacts {
                redact(&mut named);
            }
            files.append(&mut named);
        }
        let sources: Vec<Source<'_>> = files
            .iter()
            .map(|(name, bytes)| {
                let offset = self.offsets.iter().find(|(file, _)| file == name);
                let source = Source::new(name, bytes)
                    .clock_offset(offset.map_or(SignedDuration::ZERO, |it| it.1));
                match &self.patterns {
                    Some(patterns) => source.patterns(patterns),
                    None => source,
                }
            })
            .collect();
        Ok(Incident::read_now(&sources, self.at, Timestamp::now(), &mut |_| {})?)
    }

    fn answers(&self, incident: &Incident, asked: &[Answer]) -> Result<String, IncidentFailure> {
        if asked.is_empty() && incident.knows_absent_keys() {
            return Err(self.key.clone().map_or(IncidentFailure::NoKeys, IncidentFailure::NoKey));
        }
        if self.is_json {
            return Ok(format!("{:#}\n", incident.answers_to_json(asked)));
        }
        let events = match self.events.unwrap_or(EVENTS) {
            0 => String::new(),
            most => format!("\n{}", incident.events_text(most)),
        };
        let report = match &self.prefix {
            Some(prefix) => incident.report_with_prefix(prefix),
            None => incident.report(self.key.as_deref()),
        };
        Ok(format!("{}\n{events}", report.trim_end()))
    }

    /// What a running cluster answers, saved if `--save` is given.
    fn live(&self) -> Result<Vec<(String, Vec<u8>)>, IncidentFailure> {
        let mut texts = live::ask(&self.client()?, self.wanted(), &read);
        if self.redacts {
            let mut redactor = Redactor::default();
            texts.iter_mut().for_each(|(_, text)| *text = redactor.redact(text));
        }
        if let Some(folder) = &self.save {
            let failed = |(path, error): (PathBuf, _)| {
                IncidentFailure::File(path.display().to_string(), error)
            };
            live::save(folder, &texts).map_err(failed)?;
        }
        Ok(texts.into_iter().map(|(name, text)| (name, text.into_bytes())).collect())
    }

    fn client(&self) -> Result<Client, IncidentFailure> {
        let connection = self
            .connection
            .connection(&|name| std::env::var(name).ok().filter(|value| !value.is_empty()))?;
        Ok(Client::new(connection, self.timeout.unwrap_or(TIMEOUT)))
    }

    fn wanted(&self) -> Wanted<'_> {
        match (&self.key, &self.prefix) {
            (Some(key), _) => Wanted::Key(key),
            (None, Some(prefix)) => Wanted::Prefix(prefix),
            (None, None) => Wanted::Sessions,
        }
    }

    fn files(&self) -> Result<Vec<(String, Vec<u8>)>, IncidentFailure> {
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        let mut texts = Vec::new();
        for file in files {
            let name = file.display().to_string();
            let failed = |error| IncidentFailure::File(name.clone(), error);
            if name == "-" {
                let mut bytes = Vec::new();
                io::stdin().read_to_end(&mut bytes).map_err(failed)?;
                texts.push((name, bytes));
            } else if file.is_dir() {
                // The names of a folder alone are those that `--live` uses for what it saves.
                let is_alone = files.len() == 1;
                texts.extend(files_of(file, is_alone).map_err(failed)?);
            } else {
                let bytes = fs::read(file).map_err(failed)?;
                texts.push((name, bytes));
            }
        }
        Ok(texts)
    }
}

/// The files of a folder, in the order of their names.
fn files_of(folder: &Path, is_alone: bool) -> io::Result<Vec<(String, Vec<u8>)>> {
    let paths: Result<Vec<PathBuf>, _> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect();
    let mut paths: Vec<PathBuf> = paths.map_err(|error: io::Error| error)?;
    paths.retain(|path| path.is_file());
    paths.sort();
    let read = paths.into_iter().map(|path| {
        let bytes = fs::read(&path)?;
        let name = path.file_name().filter(|_| is_alone).map(Path::new).unwrap_or(&path);
        Ok((name.display().to_string(), bytes))
    });
    read.collect()
}

/// The word after `--live`, or after its equals sign, if it is an address and not the next flag.
fn address(parser: &mut Parser) -> Result<Option<String>, lexopt::Error> {
    if let Some(address) = parser.optional_value() {
        return Ok(Some(address.string()?));
    }
    let next = parser.try_raw_args().and_then(|rest| rest.peek().map(ToOwned::to_owned));
    let Some(next) = next.filter(|word| !word.to_string_lossy().starts_with('-')) else {
        return Ok(None);
    };
    if Path::new(&next).is_file() {
        let reason = format!(
            "--live: {} is a file; the address of the cluster comes first, as in --live {}",
            next.display(),
            "127.0.0.1:8500"
        );
        return Err(lexopt::Error::Custom(reason.into()));
    }
    Ok(Some(parser.value()?.string()?))
}

/// The port after `--page`, or after its equals sign; 0 without one.
fn port(parser: &mut Parser) -> Result<u16, lexopt::Error> {
    let next = parser.try_raw_args().and_then(|rest| rest.peek().map(ToOwned::to_owned));
    let is_number = |word: &OsString| word.to_str().is_some_and(|word| word.parse::<u64>().is_ok());
    let value = match parser.optional_value() {
        None if next.as_ref().is_some_and(is_number) => Some(parser.value()?),
        value => value,
    };
    value.map_or(Ok(0), |value| value.parse_with(|text| text.parse().map_err(|_| "--page PORT")))
}

/// Reads what a cluster has answered; `None` if nothing of it is Consul's.
fn read(texts: &[(String, String)]) -> Option<Incident> {
    let sources: Vec<Source<'_>> =
        texts.iter().map(|(name, text)| Source::new(name, text.as_bytes())).collect();
    Incident::read_now(&sources, None, Timestamp::now(), &mut |_| {}).ok()
}

/// Replaces what must not be shared. What is not text is refused by its reader.
fn redact(files: &mut [(String, Vec<u8>)]) {
    let mut redactor = Redactor::default();
    for (_, bytes) in files {
        if let Ok(text) = str::from_utf8(bytes) {
            *bytes = redactor.redact(text).into_bytes();
        }
    }
}

/// Writes the world of an incident into a new file. Returns what it assumes, one assumption a line.
fn write_world(incident: &Incident, file: &Path) -> Result<String, IncidentFailure> {
    let world = incident.world()?;
    let failed = |error| IncidentFailure::File(file.display().to_string(), error);
    let mut new = File::create_new(file).map_err(failed)?;
    new.write_all(world.log.as_bytes()).map_err(failed)?;
    let mut notes = format!("{}: a world that begins at {:.3}\n", file.display(), world.begins);
    for assumption in &world.assumptions {
        notes += &format!("assumed: {assumption}\n");
    }
    Ok(notes)
}

fn time(text: &str) -> Result<Timestamp, lexopt::Error> {
    parse_time(text).ok_or_else(|| {
        let reason = format!("--at: {text:?} is no time such as 2026-11-26T09:11:49.694Z");
        lexopt::Error::Custom(reason.into())
    })
}

fn offset(text: &str) -> Result<(String, SignedDuration), lexopt::Error> {
    let parsed = text.rsplit_once('=').and_then(|(file, seconds)| {
        let offset = SignedDuration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
        Some((file.to_owned(), offset))
    });
    parsed.ok_or_else(|| {
        let reason = format!("--offset: {text:?} is not FILE=SECONDS, such as consul.log=-1.5");
        lexopt::Error::Custom(reason.into())
    })
}
