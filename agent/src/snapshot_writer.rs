//! A thread that writes log entries to the snapshot file and then sends the answers that depend on
//! them, while the engine task continues.
//!
//! An answer is sent only after the operating system has the entries before it, so a killed process
//! loses nothing that it answered. Answers do not wait for the disk, so a machine that fails loses
//! the writes since the beginning of the last complete sync.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use lictor_core::engine::{Snapshot, SnapshotRecord};
use tokio::sync::oneshot;

use crate::answers::UnsentAnswers;
use crate::snapshot_file::{SnapshotError, SnapshotFile};

/// Records that are written together, and the answers that depend on them.
pub(crate) struct Batch {
    pub(crate) records: Vec<SnapshotRecord>,
    /// Sent when the records are written.
    pub(crate) answers: UnsentAnswers,
    /// The state after these records, if a new snapshot is due.
    pub(crate) snapshot: Option<Snapshot>,
}

/// A handle to the thread, which ends when the handle is dropped.
pub(crate) struct SnapshotWriter {
    batches: mpsc::Sender<Batch>,
    shared: Arc<Shared>,
    thread: JoinHandle<Result<(), SnapshotError>>,
    ended: oneshot::Receiver<()>,
}

#[derive(Default)]
struct Shared {
    /// Batches that are sent to the thread and not answered.
    pending: AtomicUsize,
    /// Whether the thread has asked for a snapshot, and none was promised yet.
    is_snapshot_due: AtomicBool,
}

impl SnapshotWriter {
    pub(crate) fn start(file: SnapshotFile) -> Self {
        let (batches, inbox) = mpsc::channel();
        let shared = Arc::new(Shared::default());
        let (end, ended) = oneshot::channel();
        let shared_with_thread = shared.clone();
        let thread = thread::spawn(move || {
            let result = run(file, &inbox, &shared_with_thread);
            // The receiver is gone once the server stops.
            let _ = end.send(());
            result
        });
        Self { batches, shared, thread, ended }
    }

    /// Whether every batch is written and answered.
    pub(crate) fn is_idle(&self) -> bool {
        self.shared.pending.load(Ordering::Acquire) == 0
    }

    /// Takes the request of the thread for a snapshot, which the next batch should have: true once
    /// for each snapshot that is due.
    pub(crate) fn take_due_snapshot(&self) -> bool {
        self.shared.is_snapshot_due.swap(false, Ordering::AcqRel)
    }

    pub(crate) fn write(&mut self, batch: Batch) {
        self.shared.pending.fetch_add(1, Ordering::AcqRel);
        // After a failure the batch is dropped with its callers, which learn that the server stops.
        let _ = self.batches.send(batch);
    }

    /// Completes when the thread has ended, which it does by itself only if it fails.
    pub(crate) async fn ended(&mut self) {
        let _ = (&mut self.ended).await;
    }

    /// Waits until every batch is on the disk. Fails if one could not be written.
    pub(crate) fn finish(self) -> Result<(), SnapshotError> {
        drop(self.batches);
        self.thread.join().map_err(|_| SnapshotError::Panicked)?
    }
}

fn run(
    mut file: SnapshotFile,
    inbox: &mpsc::Receiver<Batch>,
    shared: &Shared,
) -> Result<(), SnapshotError> {
    // A snapshot comes some batches after it became due, and must not become due twice.
    let mut is_requested = false;
    while let Ok(mut batch) = inbox.recv() {
        file.append(&batch.records)?;
        if let Some(snapshot) = batch.snapshot {
            file.rewrite(snapshot);
            is_requested = false;
        }
        batch.answers.send();
        shared.pending.fetch_sub(1, Ordering::AcqRel);
        if !is_requested && file.is_due() {
            is_requested = true;
            shared.is_snapshot_due.store(true, Ordering::Release);
        }
    }
    file.close()
}
