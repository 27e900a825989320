//! The head of an HTTP answer, as `curl -i` prints it: when the server answered, and how new the
//! state is that it answered from.

use alloc::string::String;
use core::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::clock_time::{self, ClockTime};

/// What the head of an answer says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AnswerHead {
    pub(crate) status: Option<u16>,
    /// In whole seconds.
    pub(crate) date: Option<Timestamp>,
    /// Whether the server that answered had no leader.
    pub(crate) has_no_leader: bool,
    /// How long ago that server had contact with the leader.
    pub(crate) last_contact: Duration,
    /// An index that the state had already, from `X-Consul-Index`.
    pub(crate) index: Option<u64>,
    /// Whether the token may not see some of the entries.
    pub(crate) is_filtered_by_acls: bool,
    /// Where a redirect leads.
    pub(crate) location: Option<String>,
    /// Whether a text follows, by its headers.
    pub(crate) has_text: bool,
}

impl AnswerHead {
    /// The head that begins with this line.
    pub(crate) fn begin(line: &str) -> Option<Self> {
        let status = line.strip_prefix("HTTP/")?.split_whitespace().nth(1);
        Some(Self { status: status.and_then(|status| status.parse().ok()), ..Self::default() })
    }

    /// Whether the answer is a redirect or an error.
    pub(crate) fn is_error(&self) -> bool {
        self.status.is_some_and(|status| status >= 300)
    }

    /// Reads a header, and returns whether the line is one. Without a line of the status before it
    /// only a date is one. The offset is added to the date.
    pub(crate) fn read(&mut self, line: &str, in_head: bool, offset: SignedDuration) -> bool {
        let Some((name, value)) = line.split_once(": ") else { return false };
        let is = |header: &str| name.eq_ignore_ascii_case(header);
        if is("Date") {
            let date = date(value);
            self.date = date.map(|date| date.saturating_add(offset).unwrap_or(date));
            return true;
        }
        if is("X-Consul-Knownleader") {
            self.has_no_leader = value.trim() == "false";
        } else if is("X-Consul-Index") {
            self.index = value.trim().parse().ok();
        } else if is("X-Consul-Lastcontact") {
            self.last_contact = Duration::from_millis(value.trim().parse().unwrap_or(0));
        } else if is("X-Consul-Results-Filtered-By-Acls") {
            self.is_filtered_by_acls = value.trim() == "true";
        } else if is("Location") {
            self.location = Some(value.trim().into());
        } else if is("Content-Length") {
            self.has_text |= value.trim() != "0";
        } else if is("Transfer-Encoding") {
            self.has_text = true;
        }
        in_head && !name.contains(char::is_whitespace)
    }
}

/// `Thu, 26 Nov 2026 09:14:36 GMT`
fn date(value: &str) -> Option<Timestamp> {
    let (_, date) = value.split_once(", ")?;
    match clock_time::at_start(date)?.0 {
        ClockTime::Full { time, has_zone: true } => Some(time),
        _ => None,
    }
}
