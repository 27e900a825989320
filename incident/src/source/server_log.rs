//! The lines of a server's log in a source, and of which times it has every request.

use alloc::sync::Arc;

use super::Reader;
use crate::log::{LogEvent, LogLine, NEXT_FILE, Request};

/// The term of the first election of a new cluster.
const FIRST_TERM: u64 = 2;

impl Reader<'_> {
    pub(super) fn log_line(&mut self, mut line: LogLine, text: &str, number: usize) {
        (self.in_banner, self.in_application) = (false, false);
        line.time = self.shifted(line.time);
        if let Some(LogEvent::LockDelay { until, .. }) = &mut line.event {
            *until = self.shifted(*until);
        }
        self.content.lines += 1;
        self.content.lacks_zone |= !line.has_zone;
        let is_after_blank = core::mem::take(&mut self.is_after_blank);
        if let Some(before) = self.last_time.replace(line.time) {
            self.times[usize::from(line.time < before)] += usize::from(line.time != before);
            let [later, earlier] = self.times;
            // Two files that were pasted one after the other may lack what was between them.
            let is_near = line.time.duration_since(before).abs() <= NEXT_FILE;
            let is_of_older_file = line.time < before && earlier <= later;
            if !is_near && (is_after_blank || is_of_older_file) {
                self.end_coverage();
            }
        }
        let span = self.content.span;
        let (first, last) = span.unwrap_or((line.time, line.time));
        self.content.span = Some((first.min(line.time), last.max(line.time)));
        if line.is_cut {
            return self.cut_line(number);
        }
        self.cover(&line);
        self.note_birth(&line);
        if let Some(request) = line.request.as_ref().filter(|request| request.has_failed) {
            self.failed.push((request.clone(), line.time));
            return;
        }
        // Most requests are not kept. But a renewal that is missing in the log proves something
        // only if the log has requests.
        if line.event.is_some() && line.event != Some(LogEvent::Request(Request::Other)) {
            let evidence = self.evidence(number, text);
            self.content.log.push((line, Arc::new(evidence)));
        }
    }

    /// Notes a line of a log whose end is missing: it may be about anything.
    pub(super) fn cut_line(&mut self, number: usize) {
        self.end_coverage();
        self.cut.get_or_insert((number, 0)).1 += 1;
    }

    /// The log may lack requests here. Unless it had some before, it is not whole since the
    /// beginning of its cluster, either.
    pub(super) fn end_coverage(&mut self) {
        self.is_covered = false;
        if self.content.covered.is_empty() {
            (self.content.birth, self.first_election) = (None, None);
        }
    }

    fn note_birth(&mut self, line: &LogLine) {
        if matches!(line.event, Some(LogEvent::Candidate(term)) if term <= FIRST_TERM) {
            self.first_election = Some(line.time);
        }
        if line.is_debug {
            self.last_debug = Some(line.time);
        }
        if let (Some(first), Some(debug)) = (self.first_election, self.last_debug)
            && debug.duration_since(first).abs() <= NEXT_FILE
        {
            self.content.birth = self.content.birth.or(Some(first));
        }
    }

    /// Extends the times of which the log has every request: from a request on, up to the last line
    /// before the configuration, and with it perhaps the level, is read again.
    fn cover(&mut self, line: &LogLine) {
        if line.event == Some(LogEvent::Reload) {
            self.is_covered = false;
        } else if self.is_covered {
            if let Some((from, to)) = self.content.covered.last_mut() {
                (*from, *to) = ((*from).min(line.time), (*to).max(line.time));
            }
        } else if line.request.as_ref().is_some_and(|request| !request.has_failed) {
            self.content.covered.push((line.time, line.time));
            self.is_covered = true;
        }
    }
}
