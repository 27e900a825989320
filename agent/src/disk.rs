//! The file operations of the snapshot file. What they have done survives a failure of the machine:
//! written bytes once their file was synced, a rename when it returns. Tests can read their order.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

#[cfg(test)]
pub(crate) use self::trace::{Operation, operations};

/// Options that create a file for its owner only, and do not open a symbolic link.
#[cfg(unix)]
pub(crate) fn private() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    options
}

/// Options without protection: other systems have neither modes nor the flag, so the caller checks
/// for links before.
#[cfg(not(unix))]
pub(crate) fn private() -> OpenOptions {
    OpenOptions::new()
}

/// Creates a file with the options of [`private`]. Replaces a file or link that an interrupted
/// process has left.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    private().write(true).create_new(true).open(path)
}

/// Writes to the system, not to the disk.
pub(crate) fn write(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    #[cfg(test)]
    trace::add(Operation::Write);
    file.write_all(bytes)
}

/// Waits until a file is on the disk.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    trace::add(Operation::Sync);
    file.sync_all()
}

/// Renames a file, over another one if there is one, and waits until that is on the disk.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(test)]
    trace::add(Operation::Rename);
    fs::rename(from, to)?;
    #[cfg(test)]
    trace::add(Operation::SyncFolder);
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync_folder(folder.unwrap_or(Path::new(".")))
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Does nothing, as other systems do not open folders as files.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The file operations of a thread, so that a test can check their order.
#[cfg(test)]
mod trace {
    use std::cell::RefCell;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Operation {
        Write,
        Sync,
        Rename,
        SyncFolder,
    }

    thread_local! {
        static OPERATIONS: RefCell<Vec<Operation>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) fn add(operation: Operation) {
        OPERATIONS.with_borrow_mut(|operations| operations.push(operation));
    }

    /// Takes the operations of this thread since the last call.
    pub(crate) fn operations() -> Vec<Operation> {
        OPERATIONS.take()
    }
}
