//! The typed commands of the console in the form in which they are saved with their world. The log
//! of a world has only the requests, so without this the console would show all of them as curl.

use lictor_core::id::RequestId;
use lictor_sim::record::Exchange;
use lictor_view::request_text;
use serde::{Deserialize, Serialize};

use super::answer_filter::AnswerFilter;
use super::command::Note;
use super::entry::Entry;
use super::request::{Redirected, Sending};

/// How many typed commands are saved; the oldest ones are dropped.
pub(super) const TYPED_MAX: usize = 300;

/// The typed commands of a world, in the order in which they were sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedConsole {
    pub(super) typed: Vec<TypedCommand>,
}

/// A command that sent a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TypedCommand {
    id: RequestId,
    /// The text of the request as curl, because another branch may have another request with the
    /// same id.
    curl: String,
    text: String,
    assign: Option<String>,
    #[serde(flatten)]
    sending: Sending,
    filter: Option<AnswerFilter>,
    redirected_from: Option<RequestId>,
    redirected: Option<Redirected>,
    #[serde(default)]
    notes: Vec<Note>,
}

impl SavedConsole {
    /// The commands as JSON; empty if there are none.
    pub fn to_text(&self) -> String {
        if self.typed.is_empty() {
            return String::new();
        }
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the text of [`to_text`](Self::to_text); no commands for any other text.
    pub fn from_text(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// Adds the command of an entry, unless it can be made from its request alone. Returns whether
    /// it has added one.
    pub(super) fn add(&mut self, entry: &Entry) -> bool {
        let Some(exchange) = &entry.exchange else { return false };
        let curl = request_text::curl(&exchange.call.request);
        if entry.text == curl && entry.redirected.is_none() {
            return false;
        }
        self.typed.push(TypedCommand {
            id: exchange.call.id,
            curl,
            text: entry.text.clone(),
            assign: entry.assign.clone(),
            sending: entry.sending.clone(),
            filter: entry.filter.clone(),
            redirected_from: entry.redirected_from,
            redirected: entry.redirected.clone(),
            notes: entry.notes.clone(),
        });
        self.typed.drain(..self.typed.len().saturating_sub(TYPED_MAX));
        true
    }

    /// Changes an entry that was made from its request alone into the one that was typed.
    pub(super) fn restore(&self, exchange: &Exchange, entry: &mut Entry) {
        let is_same =
            |typed: &&TypedCommand| typed.id == exchange.call.id && typed.curl == entry.text;
        let Some(typed) = self.typed.iter().rfind(is_same).cloned() else { return };
        entry.text = typed.text;
        (entry.assign, entry.notes) = (typed.assign, typed.notes);
        (entry.sending, entry.filter, entry.is_followed) = (typed.sending, typed.filter, true);
        (entry.redirected_from, entry.redirected) = (typed.redirected_from, typed.redirected);
    }
}
