//! The file with the state of a server: a snapshot, and the log entries after it.
//!
//! Entries are written to the operating system at once, and to the disk by a sync that begins half
//! a second after the end of the one before. When the log outgrows the snapshot, a new file
//! replaces the old one in one step. A file is created for its owner only (mode 0600), and never
//! through a symbolic link. A damaged file is refused, but a last record that was not written
//! completely is left out.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lictor_core::engine::{OutOfOrder, Snapshot, SnapshotRecord};

use crate::disk;
use crate::log_frame::{self, FrameError, Frames};

/// An open snapshot file, to which records are appended.
pub(crate) struct SnapshotFile {
    path: PathBuf,
    file: Arc<File>,
    size: Size,
    syncer: Syncer,
    rewriting: Option<Rewriting>,
    /// A locked file beside this one, which cannot be locked itself because it is replaced.
    _lock: File,
}

/// The content of a file.
pub(crate) struct Loaded {
    pub(crate) snapshot: Snapshot,
    pub(crate) size: Size,
    /// The number of bytes at the end that are a record which was not written completely.
    pub(crate) cut_off: usize,
}

/// Why a snapshot file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The system refused an operation on a file.
    #[error("cannot {doing} {path}: {error}")]
    #[expect(missing_docs)]
    System { doing: &'static str, path: String, error: io::Error },
    /// A file would be opened through a symbolic link.
    #[error("{path} is a symbolic link; give the path of the file itself")]
    #[expect(missing_docs)]
    Link { path: String },
    /// Another server has it open.
    #[error("{path} is in use by another agent")]
    #[expect(missing_docs)]
    InUse { path: String },
    /// It is another kind of file.
    #[error("{path} is not a snapshot of lictor-agent")]
    #[expect(missing_docs)]
    Foreign { path: String },
    /// Its format is of another version.
    #[error("{path} was written by another lictor-agent (format {version}, not {VERSION})")]
    #[expect(missing_docs)]
    OtherFormat { path: String, version: u32 },
    /// A record in it cannot be read, or is out of order.
    #[error(
        "{path} is damaged at byte {at}: {fault}; it was left as it is. \
         `truncate -s {at} {path}` would give up what follows"
    )]
    #[expect(missing_docs)]
    Damaged { path: String, at: usize, fault: Box<dyn std::error::Error + Send + Sync> },
    /// A snapshot or a log entry cannot be encoded.
    #[error("cannot write {path}: {fault}")]
    #[expect(missing_docs)]
    Record { path: String, fault: Box<dyn std::error::Error + Send + Sync> },
    /// A thread that writes or syncs the file has panicked.
    #[error("the thread that writes the snapshot has panicked: this is a bug")]
    Panicked,
}

/// What is wrong with a record.
#[derive(Debug, thiserror::Error)]
enum Damage {
    #[error(transparent)]
    Frame(#[from] FrameError),
    #[error(transparent)]
    Order(#[from] OutOfOrder),
}

/// The size of a file's parts, in bytes.
#[derive(Clone, Copy, Default)]
pub(crate) struct Size {
    snapshot: usize,
    log: usize,
}

/// A new file that is being written, and the records since its snapshot.
struct Rewriting {
    writer: JoinHandle<Result<(File, usize), SnapshotError>>,
    since: Vec<u8>,
}

/// The first line of the file, before the version of the format.
const TITLE: &str = "lictor-agent snapshot ";
const VERSION: u32 = 5;

/// The smallest log for which a new snapshot is written, in bytes.
const LOG_MIN: usize = 4 * 1024 * 1024;

/// The time from the end of a sync to the disk to the beginning of the next one.
const SYNC_INTERVAL: Duration = Duration::from_millis(500);

impl SnapshotFile {
    /// Locks a file for this server alone, and reads its content; `None` if it does not exist.
    /// Fails if another server uses it, or if it is damaged.
    pub(crate) fn open(path: &Path) -> Result<(File, Option<Loaded>), SnapshotError> {
        let lock = lock(path)?;
        refuse_link(path)?;
        let mut bytes = Vec::new();
        let read =
            disk::private().read(true).open(path).and_then(|mut it| it.read_to_end(&mut bytes));
        match read {
            Ok(_) => Ok((lock, Some(load(path, &bytes)?))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok((lock, None)),
            Err(error) => Err(failed("read", path)(error)),
        }
    }

    /// Opens a file that was read completely, to append to it.
    pub(crate) fn resume(path: &Path, lock: File, size: Size) -> Result<Self, SnapshotError> {
        let file = disk::private().append(true).open(path).map_err(failed("open", path))?;
        Ok(Self::new(path, lock, file, size))
    }

    /// Creates the file with a snapshot, or replaces it.
    pub(crate) fn create(path: &Path, lock: File, state: &Snapshot) -> Result<Self, SnapshotError> {
        let (file, snapshot) = write_new(path, state)?;
        replace(path, &file)?;
        Ok(Self::new(path, lock, file, Size { snapshot, log: 0 }))
    }

    fn new(path: &Path, lock: File, file: File, size: Size) -> Self {
        let (path, file) = (path.to_owned(), Arc::new(file));
        let syncer = Syncer::start(path.clone(), file.clone());
        Self { path, file, size, syncer, rewriting: None, _lock: lock }
    }

    /// Writes records to the operating system. Fails also if an earlier sync has failed.
    pub(crate) fn append(&mut self, records: &[SnapshotRecord]) -> Result<(), SnapshotError> {
        if records.is_empty() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for record in records {
            log_frame::write(record, &mut bytes).map_err(unwritable(&self.path))?;
        }
        disk::write(&self.file, &bytes).map_err(failed("write", &self.path))?;
        self.size.log += bytes.len();
        if let Some(rewriting) = &mut self.rewriting {
            rewriting.since.extend(bytes);
        }
        if self.rewriting.as_ref().is_some_and(|it| it.writer.is_finished()) {
            self.finish_rewriting()?;
        }
        self.syncer.written(&self.file)
    }

    /// Whether the log is so long that a new snapshot should replace it.
    pub(crate) fn is_due(&self) -> bool {
        self.rewriting.is_none() && self.size.log > LOG_MIN.max(2 * self.size.snapshot)
    }

    /// Starts to write a new file in a thread of its own, while records are appended to the old
    /// one. The snapshot is the state after all records that were appended.
    pub(crate) fn rewrite(&mut self, state: Snapshot) {
        let path = self.path.clone();
        let writer = thread::spawn(move || write_new(&path, &state));
        self.rewriting = Some(Rewriting { writer, since: Vec::new() });
    }

    /// Waits until everything is on the disk, so that it survives a failure of the machine.
    pub(crate) fn close(mut self) -> Result<(), SnapshotError> {
        self.finish_rewriting()?;
        self.syncer.stop()?;
        disk::sync(&self.file).map_err(failed("sync", &self.path))
    }

    fn finish_rewriting(&mut self) -> Result<(), SnapshotError> {
        let Some(rewriting) = self.rewriting.take() else { return Ok(()) };
        let written = rewriting.writer.join().map_err(|_| SnapshotError::Panicked)?;
        let (file, snapshot) = written?;
        disk::write(&file, &rewriting.since).map_err(failed("write", &self.path))?;
        replace(&self.path, &file)?;
        self.file = Arc::new(file);
        self.size = Size { snapshot, log: rewriting.since.len() };
        Ok(())
    }
}

/// A thread that syncs the file to the disk, so that the thread which writes does not wait for it.
struct Syncer {
    path: PathBuf,
    /// The file that has writes which are not synced.
    unsynced: Arc<Mutex<Option<Arc<File>>>>,
    /// Dropped to end the thread.
    stop: Sender<()>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Syncer {
    fn start(path: PathBuf, file: Arc<File>) -> Self {
        let unsynced = Arc::new(Mutex::new(Some(file)));
        let (stop, stopped) = channel();
        let to_sync = unsynced.clone();
        let thread = thread::spawn(move || {
            while stopped.recv_timeout(SYNC_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                let file = to_sync.lock().unwrap_or_else(PoisonError::into_inner).take();
                file.map_or(Ok(()), |file: Arc<File>| file.sync_data())?;
            }
            Ok(())
        });
        Self { path, unsynced, stop, thread: Some(thread) }
    }

    /// Requests a sync of the file, which begins within the interval, or that long after the sync
    /// which is going on. Fails if an earlier one has failed.
    fn written(&mut self, file: &Arc<File>) -> Result<(), SnapshotError> {
        if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
            self.join()?;
        }
        let mut unsynced = self.unsynced.lock().unwrap_or_else(PoisonError::into_inner);
        *unsynced = Some(file.clone());
        Ok(())
    }

    fn stop(mut self) -> Result<(), SnapshotError> {
        drop(std::mem::replace(&mut self.stop, channel().0));
        self.join()
    }

    fn join(&mut self) -> Result<(), SnapshotError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        let ended = thread.join().map_err(|_| SnapshotError::Panicked)?;
        ended.map_err(failed("sync", &self.path))
    }
}

fn load(path: &Path, bytes: &[u8]) -> Result<Loaded, SnapshotError> {
    let start = body_of(path, bytes)?;
    let damaged =
        |at, fault: Damage| SnapshotError::Damaged { path: shown(path), at, fault: fault.into() };
    let mut frames = Frames::new(bytes, start);
    let first = frames.read::<Snapshot>().and_then(|it| it.ok_or(FrameError::CutOff));
    let mut state = first.map_err(|fault| damaged(start, fault.into()))?;
    let snapshot = frames.at();
    loop {
        let at = frames.at();
        let cut_off = match frames.read::<SnapshotRecord>() {
            Ok(Some(record)) => {
                state.redo(record).map_err(|fault| damaged(at, fault.into()))?;
                continue;
            }
            Ok(None) => 0,
            Err(FrameError::CutOff) => bytes.len() - at,
            Err(fault) => return Err(damaged(at, fault.into())),
        };
        return Ok(Loaded {
            snapshot: state,
            size: Size { snapshot, log: at - snapshot },
            cut_off,
        });
    }
}

/// The offset after the first line. Fails if the file is of another kind or format.
fn body_of(path: &Path, bytes: &[u8]) -> Result<usize, SnapshotError> {
    let foreign = || SnapshotError::Foreign { path: shown(path) };
    let title = bytes.strip_prefix(TITLE.as_bytes()).ok_or_else(foreign)?;
    let end = title.iter().take(10).position(|byte| *byte == b'\n').ok_or_else(foreign)?;
    let version = str::from_utf8(&title[..end]).ok().and_then(|text| text.parse().ok());
    match version.ok_or_else(foreign)? {
        VERSION => Ok(TITLE.len() + end + 1),
        version => Err(SnapshotError::OtherFormat { path: shown(path), version }),
    }
}

/// Writes a snapshot beside the file that it will replace, and syncs it.
fn write_new(path: &Path, state: &Snapshot) -> Result<(File, usize), SnapshotError> {
    let mut bytes = format!("{TITLE}{VERSION}\n").into_bytes();
    log_frame::write(state, &mut bytes).map_err(unwritable(path))?;
    let new = beside(path, "new");
    let write = || {
        let file = disk::create(&new)?;
        disk::write(&file, &bytes)?;
        disk::sync(&file)?;
        Ok(file)
    };
    Ok((write().map_err(failed("write", &new))?, bytes.len()))
}

/// Syncs the new file, and gives it the name of the old one.
fn replace(path: &Path, new: &File) -> Result<(), SnapshotError> {
    disk::sync(new).map_err(failed("sync", &beside(path, "new")))?;
    disk::rename(&beside(path, "new"), path).map_err(failed("replace", path))
}

fn lock(path: &Path) -> Result<File, SnapshotError> {
    let beside = beside(path, "lock");
    refuse_link(&beside)?;
    let lock = disk::private().write(true).create(true).truncate(false).open(&beside);
    let lock = lock.map_err(failed("write", &beside))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => Err(SnapshotError::InUse { path: shown(path) }),
        Err(TryLockError::Error(error)) => Err(failed("lock", &beside)(error)),
    }
}

/// Fails with a clear error for a symbolic link, which the system would refuse without a reason.
fn refuse_link(path: &Path) -> Result<(), SnapshotError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(SnapshotError::Link { path: shown(path) }),
        _ => Ok(()),
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

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> SnapshotError {
    let path = shown(path);
    move |error| SnapshotError::System { doing, path, error }
}

fn unwritable(path: &Path) -> impl FnOnce(FrameError) -> SnapshotError {
    let path = shown(path);
    move |fault| SnapshotError::Record { path, fault: fault.into() }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use lictor_core::engine::{Config, Engine, Input};
    use lictor_core::http::{self, Agent, HttpRequest};
    use lictor_core::id::RequestId;

    use super::*;
    use crate::disk::{Operation, operations};

    /// A path for a file that does not exist.
    fn unused(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("lictor-{name}-{}", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    /// The record of a write.
    fn record(engine: &mut Engine) -> Vec<SnapshotRecord> {
        let agent = Agent::of(engine.config());
        let put = HttpRequest::new("PUT", "/v1/kv/a", b"1");
        let request = http::decode(&agent, &put).expect("a request").request;
        let input = Input::Request { id: RequestId(1), request };
        assert!(!engine.step(Default::default(), input).is_empty());
        engine.take_records()
    }

    /// Records that were on the disk are written again to the file that replaces the old one. Until
    /// they are on the disk again, a power cut must find the old one.
    #[test]
    fn a_new_file_is_on_the_disk_before_it_replaces_the_old_one() {
        let path = unused("replaced");
        let mut engine = Engine::new(Config::default(), 1);
        engine.keep_records();
        let (lock, loaded) = SnapshotFile::open(&path).expect("a folder for temporary files");
        assert!(loaded.is_none());
        let mut file =
            SnapshotFile::create(&path, lock, &engine.snapshot()).expect("it is written");
        file.rewrite(engine.snapshot());
        operations();
        file.append(&record(&mut engine)).expect("it is written");
        file.finish_rewriting().expect("it is written");
        let to_the_old_file = [Operation::Write];
        let to_the_new_one = [Operation::Write, Operation::Sync];
        let replaces = [Operation::Rename, Operation::SyncFolder];
        assert_eq!(operations(), [&to_the_old_file[..], &to_the_new_one, &replaces].concat());
        drop(file);
        let (_, loaded) = SnapshotFile::open(&path).expect("it is whole");
        assert_eq!(loaded.expect("a file").snapshot.index(), engine.index());
        for path in [beside(&path, "lock"), path] {
            fs::remove_file(path).expect("it exists");
        }
    }

    #[test]
    fn the_sync_of_a_write_begins_within_a_second() {
        let path = unused("sync");
        let file = Arc::new(File::create(&path).expect("a folder for temporary files"));
        let mut syncer = Syncer::start(path.clone(), file.clone());
        for _ in 0..2 {
            syncer.written(&file).expect("no sync has failed");
            let written = Instant::now();
            while syncer.unsynced.lock().expect("no panic").is_some() {
                assert!(written.elapsed() < Duration::from_secs(1), "it is not synced");
                thread::sleep(Duration::from_millis(5));
            }
        }
        syncer.stop().expect("no sync has failed");
        fs::remove_file(path).expect("it exists");
    }

    /// A pipe cannot be synced.
    #[cfg(unix)]
    #[test]
    fn a_write_after_a_failed_sync_fails() {
        let (_reader, writer) = io::pipe().expect("a pipe");
        let pipe = Arc::new(File::from(std::os::fd::OwnedFd::from(writer)));
        let mut syncer = Syncer::start("pipe".into(), pipe.clone());
        let started = Instant::now();
        let error = loop {
            match syncer.written(&pipe) {
                Ok(()) => thread::sleep(Duration::from_millis(5)),
                Err(error) => break error,
            }
            assert!(started.elapsed() < Duration::from_secs(5), "it is not synced");
        };
        assert!(matches!(error, SnapshotError::System { doing: "sync", .. }), "{error}");
    }
}
