//! The log of a server. Lines go to one sink, and to every reader of `GET /v1/agent/monitor`, each
//! up to its own level. Writing never waits: a reader that is too slow loses lines.
//!
//! Lines have Consul's words. Those that Consul does not have are in the module `lictor`.

pub(crate) mod engine_lines;
mod line;
pub(crate) mod monitor;
pub(crate) mod request_lines;

use std::fmt;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor_core::message::LogLevel;
use lictor_core::time::Instant;
use tokio::sync::mpsc::{self, error::TrySendError};
use tracing::Level;
use tracing::level_filters::LevelFilter;

pub use self::line::{FieldValue, LogLine};
use crate::clock::ServerClock;

/// The module of lines that Consul does not have.
pub(crate) const LICTOR: &str = "lictor";
/// Consul's module for the agent.
pub(crate) const AGENT: &str = "agent";
/// Consul's module for the server within the agent.
pub(crate) const SERVER: &str = "agent.server";

/// How many lines may wait for a slow reader, as in Consul.
const WAITING_MAX: usize = 512;

/// Where the lines go besides the readers.
#[derive(Clone, Default)]
pub(crate) enum LogSink {
    /// To the subscriber of `tracing`, if the process has one.
    #[default]
    Tracing,
    /// To a function, up to a level.
    Function(LogLevel, Arc<dyn Fn(&LogLine) + Send + Sync>),
}

/// The log of one server.
pub(crate) struct Log {
    pub(crate) clock: ServerClock,
    sink: LogSink,
    /// `None` once the server stops.
    readers: Mutex<Option<Vec<Reader>>>,
    /// The largest level of the readers, plus one; 0 without readers.
    level: AtomicU8,
}

/// The lines for one reader.
struct Reader {
    level: LogLevel,
    lines: mpsc::Sender<Arc<LogLine>>,
    dropped: Arc<AtomicU64>,
}

/// A reader of the lines of a log that are written after its creation.
pub(crate) struct LogReader {
    lines: mpsc::Receiver<Arc<LogLine>>,
    /// The number of lines that were lost because the reader was too slow.
    dropped: Arc<AtomicU64>,
}

impl Log {
    pub(crate) fn new(clock: ServerClock, sink: LogSink) -> Self {
        Self { clock, sink, readers: Mutex::new(Some(Vec::new())), level: AtomicU8::new(0) }
    }

    /// Whether the sink or a reader takes lines of this level; if not, none needs to be made.
    pub(crate) fn is_on(&self, level: LogLevel) -> bool {
        self.sink.takes(level) || rank(level) <= self.level.load(Ordering::Acquire)
    }

    /// Writes a line with the current time, if its level is on. `fields` adds the fields of the
    /// line.
    pub(crate) fn write(
        &self,
        level: LogLevel,
        module: &'static str,
        message: &'static str,
        fields: impl FnOnce(LogLine) -> LogLine,
    ) {
        if self.is_on(level) {
            let date = self.clock.date_of_event(self.clock.now());
            self.send(fields(LogLine::dated(date, level, module, message)));
        }
    }

    /// Writes a line about what the engine did at a time.
    pub(crate) fn write_at(
        &self,
        at: Instant,
        level: LogLevel,
        module: &'static str,
        message: &'static str,
        fields: impl FnOnce(LogLine) -> LogLine,
    ) {
        if self.is_on(level) {
            let date = self.clock.date_of_event(at);
            self.send(fields(LogLine::dated(date, level, module, message)));
        }
    }

    /// Sends a line to the sink and the readers. A reader with too many unread lines loses this
    /// one.
    fn send(&self, line: LogLine) {
        let level = line.level();
        if self.sink.takes(level) {
            self.sink.write(&line);
        }
        if rank(level) > self.level.load(Ordering::Acquire) {
            return;
        }
        let line = Arc::new(line);
        for reader in self.readers().iter().flatten().filter(|reader| level <= reader.level) {
            if let Err(TrySendError::Full(_)) = reader.lines.try_send(line.clone()) {
                reader.dropped.fetch_add(1, Ordering::AcqRel);
            }
        }
    }

    /// A reader of the lines from now on, up to a level. It gets none once the log is closed.
    pub(crate) fn read(&self, level: LogLevel) -> LogReader {
        let (to_reader, lines) = mpsc::channel(WAITING_MAX);
        let dropped = Arc::<AtomicU64>::default();
        if let Some(readers) = &mut *self.readers() {
            readers.push(Reader { level, lines: to_reader, dropped: dropped.clone() });
            self.level.fetch_max(rank(level), Ordering::AcqRel);
        }
        LogReader { lines, dropped }
    }

    /// Removes the readers that have disconnected.
    fn prune(&self) {
        let mut readers = self.readers();
        let Some(readers) = &mut *readers else { return };
        readers.retain(|reader| !reader.lines.is_closed());
        let most = readers.iter().map(|reader| rank(reader.level)).max();
        self.level.store(most.unwrap_or(0), Ordering::Release);
    }

    /// Ends the stream of every reader.
    pub(crate) fn close(&self) {
        *self.readers() = None;
        self.level.store(0, Ordering::Release);
    }

    fn readers(&self) -> MutexGuard<'_, Option<Vec<Reader>>> {
        self.readers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LogSink {
    fn takes(&self, level: LogLevel) -> bool {
        match self {
            Self::Tracing => tracing_level(level) <= LevelFilter::current(),
            Self::Function(most, _) => level <= *most,
        }
    }

    fn write(&self, line: &LogLine) {
        macro_rules! event {
            ($level:expr) => {
                tracing::event!($level, module = line.module(), "{}", line.text())
            };
        }
        match (self, line.level()) {
            (Self::Function(_, sink), _) => sink(line),
            (Self::Tracing, LogLevel::Error) => event!(Level::ERROR),
            (Self::Tracing, LogLevel::Warn) => event!(Level::WARN),
            (Self::Tracing, LogLevel::Info) => event!(Level::INFO),
            (Self::Tracing, LogLevel::Debug) => event!(Level::DEBUG),
            (Self::Tracing, LogLevel::Trace) => event!(Level::TRACE),
        }
    }
}

impl fmt::Debug for LogSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tracing => f.write_str("Tracing"),
            Self::Function(level, _) => f.debug_tuple("Function").field(level).finish(),
        }
    }
}

fn rank(level: LogLevel) -> u8 {
    level as u8 + 1
}

fn tracing_level(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}
