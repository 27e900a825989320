//! `lictor-agent incident`: who can take a key, and when, from lists and logs of a Consul.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use lexopt::{Arg, Parser, ValueExt};
use lictor_incident::{
    EventPattern, Incident, IncidentError, Redactor, Source, WorldError, parse_time,
};
use serde_json::Value;

use super::next_argument::next;

pub(crate) const USAGE: &str = "\
Usage: lictor-agent incident [--key KEY] [--at TIME] [--json] [--redact] [--world FILE]
                             [--offset FILE=SECONDS]... [--events N]
                             [--pattern EVENT=PATTERN]... [--no-application] [FILE]...

Says for each key that is or was locked, or is delayed or contended, who can take it, and when,
if nobody acts.
Reads files, or standard input without one (also as `-`), in any order and mixture:

  curl 'http://127.0.0.1:8500/v1/session/list'    sessions: TTL, LockDelay, behavior, checks
  curl 'http://127.0.0.1:8500/v1/kv/?recurse'     keys: which session holds which
  curl 'http://127.0.0.1:8500/v1/catalog/nodes'   nodes: whether a log has every request
  curl 'http://127.0.0.1:8500/v1/health/state/any'
  consul monitor -log-level debug                 or a server's log, as text or JSON
  consul snapshot decode FILE
  a log of an application that uses the lock: what a client believes, and renewals it saw answered

  --key KEY               only about this key
  --at TIME               when the lists were taken, such as 2026-11-26T09:11:49.694Z, if no log
                          has their requests [now]
  --json                  a list of objects: key, kind, holder, earliest and latest (null for never
                          or unknown), sentence, reasons, mismatches, asked, commands
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

Exit status: 0; 1 if there is no such key; 2 if nothing of Consul's was found, or if the world
cannot be made or written.
";

/// The arguments of the command.
#[derive(Debug, Default)]
pub(crate) struct IncidentSettings {
    files: Vec<PathBuf>,
    key: Option<String>,
    at: Option<Timestamp>,
    is_json: bool,
    redacts: bool,
    world: Option<PathBuf>,
    offsets: Vec<(String, SignedDuration)>,
    events: Option<usize>,
    /// The patterns of `--pattern`, in place of those that are proposed; empty with
    /// `--no-application` alone.
    patterns: Option<Vec<EventPattern>>,
}

/// How many events are shown without `--events`.
const EVENTS: usize = 10;

/// Why the command prints no answers.
#[derive(Debug, thiserror::Error)]
pub(crate) enum IncidentFailure {
    #[error("{0}: {1}")]
    File(String, io::Error),
    #[error(transparent)]
    Read(#[from] IncidentError),
    #[error("the key {0:?} is neither in the lists nor in the log")]
    NoKey(String),
    #[error("no key is or was locked, or is delayed or contended")]
    NoKeys,
    #[error("no world: {0}")]
    World(#[from] WorldError),
}

impl IncidentFailure {
    /// The exit status of the program.
    pub(crate) fn status(&self) -> u8 {
        match self {
            Self::NoKey(_) | Self::NoKeys => 1,
            Self::File(..) | Self::Read(_) | Self::World(_) => 2,
        }
    }
}

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
                Arg::Long("world") => settings.world = Some(parser.value()?.into()),
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
        Ok(Some(settings))
    }

    /// Writes the world, if `--world` is given. Returns the answers, and the notes about the world,
    /// which are empty without a world.
    pub(crate) fn run(&self) -> Result<(String, String), IncidentFailure> {
        let incident = self.incident()?;
        let answers = self.answers(&incident)?;
        let notes = self.world.as_deref().map(|file| write_world(&incident, file)).transpose()?;
        Ok((answers, notes.unwrap_or_default()))
    }

    fn incident(&self) -> Result<Incident, IncidentFailure> {
        let mut files = self.files()?;
        if self.redacts {
            redact(&mut files);
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

    fn answers(&self, incident: &Incident) -> Result<String, IncidentFailure> {
        let no_key = || self.key.clone().map_or(IncidentFailure::NoKeys, IncidentFailure::NoKey);
        if !self.is_json {
            let report = incident.report(self.key.as_deref()).ok_or_else(no_key)?;
            let events = match self.events.unwrap_or(EVENTS) {
                0 => String::new(),
                most => format!("\n{}", incident.events_text(most)),
            };
            return Ok(report + &events);
        }
        let answers = match &self.key {
            Some(key) => Vec::from_iter(incident.answer_for(key)),
            None => incident.answers(),
        };
        if answers.is_empty() {
            return Err(no_key());
        }
        let answers: Value = answers.iter().map(lictor_incident::Answer::to_json).collect();
        Ok(format!("{answers:#}\n"))
    }

    fn files(&self) -> Result<Vec<(String, Vec<u8>)>, IncidentFailure> {
        let standard_input = [PathBuf::from("-")];
        let files = if self.files.is_empty() { &standard_input[..] } else { &self.files };
        let read = files.iter().map(|file| {
            let name = file.display().to_string();
            let mut bytes = Vec::new();
            let read = match name.as_str() {
                "-" => io::stdin().read_to_end(&mut bytes).map(drop),
                _ => fs::read(file).map(|read| bytes = read),
            };
            read.map(|()| (name.clone(), bytes)).map_err(|error| IncidentFailure::File(name, error))
        });
        read.collect()
    }
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
