//! The heads of answers, errors in place of lists, and what the program that collected the lists
//! says about them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{HTML, Reader, Unused, is_html};
use crate::answer_head::AnswerHead;
use crate::lists::List;
use crate::remark;
use crate::request::{ListRequest, Target};

const DENIED: &str =
    "an answer that the ACLs refuse: the token in the request may not read this list";
const NO_KEYS_BY_ACLS: &str = "an answer that the ACLs have filtered: the token in the request may \
                               not see all of the list (X-Consul-Results-Filtered-By-Acls)";
const NOT_CONSULS: &str = "HTTP 404 with a text, which Consul does not answer for a key that does \
                           not exist: a proxy has answered, or the address is another one";
const TOO_MANY: &str = "HTTP 429 in place of a list: the server, or a proxy before it, has had too \
                        many requests; ask again later";
const NO_LEADER: &str = "the cluster has no leader: no lock can be acquired, released or renewed \
                         until it has one, and then each TTL begins again";

/// How much of the text of an error is shown.
const ERROR_MAX: usize = 200;

impl Reader<'_> {
    /// The end of the head of an answer. One without a body says that there is no such key.
    pub(super) fn end_head(&mut self, number: usize) {
        self.in_head = false;
        let Some(status) = self.head.status else { return };
        let is_of_keys =
            |request: &ListRequest| matches!(request.target, Target::Keys(_) | Target::Key(_));
        if status == 404 && self.request.as_ref().is_some_and(is_of_keys) {
            if self.head.has_text {
                return self.error(number, NOT_CONSULS);
            }
            if self.head.is_filtered_by_acls {
                self.refuse(number, NO_KEYS_BY_ACLS);
            }
            self.list(List::Keys(Vec::new()), false, number, "HTTP 404");
            self.end_answer();
        } else if status >= 300 && status != 404 {
            let reason = error_reason(status, self.head.location.as_deref());
            self.error(number, &reason);
        }
    }

    fn error(&mut self, number: usize, reason: &str) {
        self.error = Some(self.content.unused.len());
        self.refuse(number, reason);
    }

    /// Reads a line of the head of an answer. Returns whether it is one.
    pub(super) fn head_line(&mut self, line: &str, number: usize) -> bool {
        if let Some(head) = AnswerHead::begin(line) {
            (self.head, self.in_head, self.error) = (head, true, None);
            return true;
        }
        let is_header = self.head.read(line, self.in_head, self.offset);
        if self.in_head && !line.contains(": ") {
            self.end_head(number);
        }
        is_header
    }

    /// Reads the text of an error, which says more than its status. Returns whether it is one.
    pub(super) fn error_line(&mut self, line: &str, number: usize) -> bool {
        let text = line.trim();
        let is_denied = text.contains("Permission denied") || text.contains("ACL not found");
        let status = self.head.status.unwrap_or_default();
        let reason = match text {
            "" => return false,
            _ if is_denied => DENIED.to_string(),
            _ if self.error.is_none() => return false,
            _ if is_html(text) => format!("HTTP {status} with {HTML}"),
            _ if text.contains("No cluster leader") => NO_LEADER.to_string(),
            // The status says it already.
            _ if status == 404 || status == 429 || status < 400 => String::new(),
            _ => format!("an error in place of a list: HTTP {status}: {}", cut(text)),
        };
        self.end_skipped();
        match self.error.and_then(|place| self.content.unused.get_mut(place)) {
            Some(_) if reason.is_empty() => {}
            Some(error) => error.reason = reason,
            None => self.refuse(number, &reason),
        }
        self.end_answer();
        true
    }

    /// Reads a line of the program that collected the lists. Returns whether it is one.
    pub(super) fn remark_line(&mut self, line: &str, number: usize) -> bool {
        if line.starts_with("curl: (") {
            self.end_skipped();
            self.refuse(number, &format!("no answer: {}", cut(line)));
            self.end_answer();
            return true;
        }
        let Some(text) = line.strip_prefix(remark::MARK) else { return false };
        self.end_skipped();
        let source = self.content.name.clone();
        self.content.remarks.push(Unused { source, line: number, reason: text.into() });
        self.end_answer();
        true
    }
}

fn error_reason(status: u16, location: Option<&str>) -> String {
    match status {
        300..=399 => format!(
            "a redirect in place of a list: HTTP {status} to {}. It was not followed, as a token \
             would go there, too",
            location.unwrap_or("an address that the answer does not name")
        ),
        429 => TOO_MANY.into(),
        _ => format!("an error in place of a list: HTTP {status}"),
    }
}

fn cut(text: &str) -> String {
    text.chars().take(ERROR_MAX).collect()
}
