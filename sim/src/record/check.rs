//! The history of one health check of the catalog: its status over time, and the sessions that it
//! follows. That of a node's own check, serfHealth, includes the periods without gossip from the
//! node.

use alloc::sync::Arc;
use alloc::vec::Vec;

use lictor_core::id::Folded;
use lictor_core::store::catalog::{Check, CheckStatus, SERF_HEALTH};
use lictor_core::time::Instant;

use super::chunked_log::forget;

/// The id of a check in the catalog: its node, and its own id there.
pub type CheckPath = (Folded, Folded);

/// The history of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckTrack {
    /// The check as it was written last.
    pub check: Arc<Check>,
    /// The name of the sessions that it follows; `None` for any other check.
    pub follows: Option<Arc<str>>,
    /// The periods in which it had one status. A session that it follows begins a new one even if
    /// the status stays.
    pub spans: Vec<CheckSpan>,
    /// The periods without gossip from the node; only its own check has any. The end of the last
    /// one is `None` while it lasts.
    pub silences: Vec<(Instant, Option<Instant>)>,
}

/// A period in which a check had one status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckSpan {
    /// When it began.
    pub from: Instant,
    /// `None` while it lasts.
    pub to: Option<Instant>,
    /// The status.
    pub status: CheckStatus,
    /// The label of the session that began or ended; `None` if the check was registered or updated.
    pub by: Option<Arc<str>>,
}

impl CheckTrack {
    pub(super) fn new(check: &Arc<Check>) -> Self {
        Self { check: check.clone(), follows: None, spans: Vec::new(), silences: Vec::new() }
    }

    /// Records a write of the check: by a session that it follows, or by a registration or update.
    pub(super) fn written(&mut self, at: Instant, check: &Arc<Check>, by: Option<Arc<str>>) {
        self.check = check.clone();
        let is_news = self.present().is_none_or(|it| it.status != check.status || by.is_some());
        if is_news {
            self.close(at);
            let status = check.status.clone();
            self.spans.push(CheckSpan { from: at, to: None, status, by });
        }
    }

    /// Ends the last period: another one follows, or the check is removed.
    pub(super) fn close(&mut self, at: Instant) {
        if let Some(open) = self.spans.last_mut().filter(|span| span.to.is_none()) {
            open.to = Some(at);
        }
    }

    /// Gossip loses the node.
    pub(super) fn silence_began(&mut self, at: Instant) {
        self.silence_ended(at);
        self.silences.push((at, None));
    }

    /// Gossip reaches the node again.
    pub(super) fn silence_ended(&mut self, at: Instant) {
        if let Some((_, open)) = self.silences.last_mut().filter(|(_, to)| to.is_none()) {
            *open = Some(at);
        }
    }

    /// Drops the periods that ended before a time.
    pub(super) fn forget(&mut self, begin: Instant) {
        forget(&mut self.spans, &|span| span.to.is_some_and(|to| to < begin));
        forget(&mut self.silences, &|(_, to)| to.is_some_and(|to| to < begin));
    }

    /// Whether it is the check of a node itself.
    pub fn is_of_node(&self) -> bool {
        self.check.id.as_str() == SERF_HEALTH
    }

    /// Whether it has something to show: the check of a node that was never in doubt has not.
    pub(super) fn is_shown(&self) -> bool {
        let is_fine = |span: &CheckSpan| span.status == CheckStatus::Passing && span.to.is_none();
        !self.is_of_node() || !self.silences.is_empty() || !self.spans.iter().all(is_fine)
    }

    /// The periods in which it was not in the catalog, after it had been. The end of the last one
    /// is `None` while it lasts.
    pub fn absences(&self) -> impl Iterator<Item = (Instant, Option<Instant>)> {
        let nexts = self.spans.iter().skip(1).map(|span| Some(span.from)).chain([None]);
        let gaps = self.spans.iter().zip(nexts).filter_map(|(span, next)| Some((span.to?, next)));
        gaps.filter(|(from, to)| to.is_none_or(|to| *from < to))
    }

    /// The period that has not ended; `None` if the check is removed.
    pub fn present(&self) -> Option<&CheckSpan> {
        self.spans.last().filter(|span| span.to.is_none())
    }
}
