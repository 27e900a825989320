//! The state on disk: one file with a snapshot and the log entries since then.
//!
//! What was done is handed to the system before anybody is told of it, so a killed agent loses
//! nothing that it had answered for. A machine that goes down may lose the last seconds, in the
//! order in which they were written. From time to time a new file with a new snapshot takes the
//! place of the old one in one step.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use fs4::FileExt;
use lictor_core::engine::{OutOfOrder, Record, Snapshot};

use crate::log_frame::{self, Fault, Frames};

/// A file that is appended to.
pub(crate) struct Disk {
    path: PathBuf,
    file: File,
    size: Size,
    rewriting: Option<Rewriting>,
    /// Held as long as the agent lives, on a file beside the other, which is replaced.
    _lock: File,
}

/// What a file holds.
pub(crate) struct Loaded {
    pub(crate) kept: Snapshot,
    pub(crate) size: Size,
    /// How many bytes at the end belong to a record that was never finished.
    pub(crate) cut_off: usize,
}

/// Why a file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DiskError {
    #[error("cannot {doing} {path}: {error}")]
    System { doing: &'static str, path: String, error: io::Error },
    #[error("{path} is in use by another agent")]
    InUse { path: String },
    #[error("{path} is not a snapshot of lictor-agent")]
    Foreign { path: String },
    #[error("{path} was written by a newer lictor-agent (format {version}, not {VERSION})")]
    Newer { path: String, version: u32 },
    #[error(
        "{path} is damaged at byte {at}: {fault}; it was left as it is. \
         `truncate -s {at} {path}` would give up what follows"
    )]
    Damaged { path: String, at: usize, fault: Damage },
    #[error("cannot write {path}: {fault}")]
    Record { path: String, fault: Fault },
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Damage {
    #[error(transparent)]
    Frame(#[from] Fault),
    #[error(transparent)]
    Order(#[from] OutOfOrder),
}

/// In bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    snapshot: usize,
    log: usize,
}

/// A new file that is being written, and what was done meanwhile.
struct Rewriting {
    writer: JoinHandle<Result<(File, usize), DiskError>>,
    since: Vec<u8>,
}

/// The first line of the file ends in the version of the format.
const TITLE: &str = "lictor-agent snapshot ";
const VERSION: u32 = 1;

/// A shorter log is not worth a new snapshot.
const LOG_MIN: usize = 4 * 1024 * 1024;

impl Disk {
    /// Takes a file for this agent alone, and reads what is in it; nothing if it is not there yet.
    pub(crate) fn open(path: &Path) -> Result<(File, Option<Loaded>), DiskError> {
        let lock = lock(path)?;
        match fs::read(path) {
            Ok(bytes) => Ok((lock, Some(load(path, &bytes)?))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((lock, None)),
            Err(error) => Err(failed("read", path)(error)),
        }
    }

    /// Goes on with a file in which everything is as it should be.
    pub(crate) fn resume(path: &Path, lock: File, size: Size) -> Result<Self, DiskError> {
        let file = OpenOptions::new().append(true).open(path).map_err(failed("open", path))?;
        let path = path.to_owned();
        Ok(Self { path, file, size, rewriting: None, _lock: lock })
    }

    /// Writes a snapshot in place of whatever is there.
    pub(crate) fn create(path: &Path, lock: File, kept: &Snapshot) -> Result<Self, DiskError> {
        let (file, snapshot) = write_new(path, kept)?;
        replace(path)?;
        let size = Size { snapshot, log: 0 };
        Ok(Self { path: path.to_owned(), file, size, rewriting: None, _lock: lock })
    }

    /// Hands records to the system.
    pub(crate) fn append(&mut self, records: &[Record]) -> Result<(), DiskError> {
        let mut bytes = Vec::new();
        for record in records {
            log_frame::write(record, &mut bytes).map_err(unwritable(&self.path))?;
        }
        self.file.write_all(&bytes).map_err(failed("write", &self.path))?;
        self.size.log += bytes.len();
        if let Some(rewriting) = &mut self.rewriting {
            rewriting.since.extend(bytes);
        }
        self.finish_rewriting()
    }

    /// Whether the log has grown so long that a new snapshot would be shorter.
    pub(crate) fn is_due(&self) -> bool {
        self.rewriting.is_none() && self.size.log > LOG_MIN.max(2 * self.size.snapshot)
    }

    /// Begins a new file, beside the work that goes on.
    pub(crate) fn rewrite(&mut self, kept: Snapshot) {
        let path = self.path.clone();
        let writer = thread::spawn(move || write_new(&path, &kept));
        self.rewriting = Some(Rewriting { writer, since: Vec::new() });
    }

    /// Has the system write everything, so that it would survive even the machine.
    pub(crate) fn sync(&self) -> Result<(), DiskError> {
        self.file.sync_all().map_err(failed("sync", &self.path))
    }

    fn finish_rewriting(&mut self) -> Result<(), DiskError> {
        let Some(rewriting) = self.rewriting.take_if(|it| it.writer.is_finished()) else {
            return Ok(());
        };
        let (mut file, snapshot) = rewriting.writer.join().expect("writing does not panic")?;
        file.write_all(&rewriting.since).map_err(failed("write", &self.path))?;
        replace(&self.path)?;
        self.file = file;
        self.size = Size { snapshot, log: rewriting.since.len() };
        Ok(())
    }
}

fn load(path: &Path, bytes: &[u8]) -> Result<Loaded, DiskError> {
    let start = body_of(path, bytes)?;
    let damaged = |at, fault: Damage| DiskError::Damaged { path: shown(path), at, fault };
    let mut frames = Frames::new(bytes, start);
    let first = frames.read::<Snapshot>().and_then(|kept| kept.ok_or(Fault::CutOff));
    let mut kept = first.map_err(|fault| damaged(start, fault.into()))?;
    let snapshot = frames.at();
    loop {
        let at = frames.at();
        let cut_off = match frames.read::<Record>() {
            Ok(Some(record)) => {
                kept.redo(record).map_err(|fault| damaged(at, fault.into()))?;
                continue;
            }
            Ok(None) => 0,
            Err(Fault::CutOff) => bytes.len() - at,
            Err(fault) => return Err(damaged(at, fault.into())),
        };
        return Ok(Loaded { kept, size: Size { snapshot, log: at - snapshot }, cut_off });
    }
}

/// Where the first line ends.
fn body_of(path: &Path, bytes: &[u8]) -> Result<usize, DiskError> {
    let foreign = || DiskError::Foreign { path: shown(path) };
    let title = bytes.strip_prefix(TITLE.as_bytes()).ok_or_else(foreign)?;
    let end = title.iter().take(10).position(|byte| *byte == b'\n').ok_or_else(foreign)?;
    let version = str::from_utf8(&title[..end]).ok().and_then(|text| text.parse().ok());
    match version.ok_or_else(foreign)? {
        VERSION => Ok(TITLE.len() + end + 1),
        version => Err(DiskError::Newer { path: shown(path), version }),
    }
}

/// Writes a snapshot beside the file that it will replace, down to the disk itself.
fn write_new(path: &Path, kept: &Snapshot) -> Result<(File, usize), DiskError> {
    let mut bytes = format!("{TITLE}{VERSION}\n").into_bytes();
    log_frame::write(kept, &mut bytes).map_err(unwritable(path))?;
    let new = beside(path, "new");
    let write = || {
        let mut file = File::create(&new)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        Ok(file)
    };
    Ok((write().map_err(failed("write", &new))?, bytes.len()))
}

/// Puts the new file in the place of the old one.
fn replace(path: &Path) -> Result<(), DiskError> {
    fs::rename(beside(path, "new"), path).map_err(failed("replace", path))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed("sync", folder))
}

fn lock(path: &Path) -> Result<File, DiskError> {
    let beside = beside(path, "lock");
    let lock = File::create(&beside).map_err(failed("write", &beside))?;
    match FileExt::try_lock(&lock) {
        Ok(()) => Ok(lock),
        Err(fs4::TryLockError::WouldBlock) => Err(DiskError::InUse { path: shown(path) }),
        Err(fs4::TryLockError::Error(error)) => Err(failed("lock", &beside)(error)),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DiskError {
    let path = shown(path);
    move |error| DiskError::System { doing, path, error }
}

fn unwritable(path: &Path) -> impl FnOnce(Fault) -> DiskError {
    let path = shown(path);
    move |fault| DiskError::Record { path, fault }
}
