//! An entry of the console: a command and its answer as far as it has arrived.

use std::sync::Arc;

use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::{ActorName, RequestId};
use lictor_core::message::Answer;
use lictor_core::time::Instant;
use lictor_sim::record::{Exchange, ExchangeState, ExplainedReason};
use lictor_sim::{Call, Outcome, Problem};
use lictor_view::request_text;

use super::answer::{AnswerView, BodyView};
use super::answer_filter::AnswerFilter;
use super::command::Note;
use super::kv_output::ErrorStream;
use super::request::{Redirected, Sending, is_redirect};
use super::variables::{INNER_NAME, Variables};

/// One command with its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub number: u64,
    /// The version of the transcript at the last change of this entry.
    pub version: u64,
    /// When the command was entered.
    pub at: Instant,
    pub actor: ActorName,
    /// The text of the command.
    pub text: String,
    /// The variable that gets the answer as its value.
    pub assign: Option<String>,
    /// How its program sends the request and prints the answer.
    pub sending: Sending,
    /// The parts of its line that were not carried out.
    pub notes: Vec<Note>,
    /// What was sent, with all names filled in, and its state at the cursor.
    pub exchange: Option<Exchange>,
    pub progress: EntryState,
    /// The number of the latest entry before it that sent a request.
    pub(super) after: Option<u64>,
    pub(super) filter: Option<AnswerFilter>,
    /// Whether the redirect in its answer was followed.
    pub(super) is_followed: bool,
    /// The request that was redirected to this one.
    pub(super) redirected_from: Option<RequestId>,
    /// What this request lacks compared with the redirected one.
    pub redirected: Option<Redirected>,
}

/// The state of a command at the cursor.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryState {
    /// `name=value`: the variable has its value at once.
    Kept {
        name: String,
        value: String,
    },
    Help,
    /// The output of a program that sends nothing.
    Printed(String),
    /// `consul lock` runs as a program of this name.
    Started(String),
    /// A request without an answer so far.
    Sending,
    /// A blocking query without an answer so far.
    Waiting {
        id: RequestId,
        since: Instant,
    },
    Answered(Arc<ReceivedAnswer>),
    Cancelled {
        at: Instant,
    },
    /// Its connection closed before an answer.
    Failed {
        at: Instant,
    },
}

/// An answer, when it arrived, and what explains it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedAnswer {
    pub at: Instant,
    pub view: AnswerView,
    /// Why it was `false`, an error or 404. `None` if it was none of these.
    pub why: Option<ExplainedReason>,
    /// The error, if it was one.
    pub problem: Option<Problem>,
}

impl Entry {
    pub(super) fn id(&self) -> Option<RequestId> {
        self.exchange.as_ref().map(|exchange| exchange.call.id)
    }

    /// The request that was sent; `None` for a command that sends nothing.
    pub fn request(&self) -> Option<&HttpRequest> {
        self.exchange.as_ref().map(|exchange| &*exchange.call.request)
    }

    /// The command for a shell: curl with the request that was sent, in which all variables have
    /// values. A command that assigns or transforms its answer has its own text.
    pub fn shell_text(&self) -> String {
        let is_plain =
            self.assign.is_none() && self.sending.output.is_none() && self.filter.is_none();
        match self.request().filter(|_| is_plain) {
            Some(request) => request_text::curl(request),
            None => self.text.clone(),
        }
    }

    /// Takes over the state of its request. Returns whether that changes the entry.
    pub(super) fn settle(&mut self, exchange: &Exchange) -> bool {
        let progress = match &exchange.state {
            ExchangeState::Waiting { until: None } => EntryState::Sending,
            ExchangeState::Waiting { until: Some(_) } => {
                EntryState::Waiting { id: exchange.call.id, since: exchange.sent }
            }
            ExchangeState::Cancelled { at } => EntryState::Cancelled { at: *at },
            ExchangeState::Failed { at, text: None } => EntryState::Failed { at: *at },
            ExchangeState::Failed { text: Some(text), .. } => EntryState::Printed(text.to_string()),
            ExchangeState::Answered { at, outcome, why } => {
                // An answer is final, and to render it again for every settled world is slow.
                let known = self.exchange.as_ref().map(|exchange| &exchange.state);
                if known == Some(&exchange.state)
                    && matches!(self.progress, EntryState::Answered(_))
                {
                    return false;
                }
                let mut view = AnswerView::new(&exchange.call, outcome);
                if let Some(text) = self.printed(&exchange.call, outcome, ErrorStream::Shown) {
                    (view.body, view.decoded) = (BodyView::Text(text), Vec::new());
                }
                let (why, problem) = (why.clone(), outcome.problem().cloned());
                EntryState::Answered(Arc::new(ReceivedAnswer { at: *at, view, why, problem }))
            }
        };
        let is_changed = self.progress != progress;
        (self.progress, self.exchange) = (progress, Some(exchange.clone()));
        is_changed
    }

    /// Sets the variables that the command sets before it has an answer.
    pub(super) fn apply_start(&self, variables: &mut Variables) {
        let actor = self.actor.as_str();
        if let EntryState::Kept { name, value } = &self.progress {
            variables.assign(actor, name, value);
        }
        // The outer command must not take an earlier answer.
        let inner = self.assign.iter().filter(|name| name.starts_with(INNER_NAME));
        inner.for_each(|name| variables.forget(actor, name));
    }

    /// Sets the variables that the answer sets, if there is one.
    pub(super) fn apply_answer(&self, variables: &mut Variables) {
        let Some(exchange) = &self.exchange else { return };
        let ExchangeState::Answered { outcome, .. } = &exchange.state else { return };
        let (actor, call) = (self.actor.as_str(), &*exchange.call);
        variables.learn(actor, call, outcome);
        if let Some(name) = self.assign.as_ref().filter(|_| !self.is_redirected(&outcome.response))
        {
            // An error is shown, but it is no part of the value.
            // The name of a sample's id is that id, and a refusal creates no session.
            if name.starts_with(INNER_NAME) && name.contains('-') {
                let is_created =
                    matches!(&outcome.answer, Ok(it) if matches!(it.answer, Answer::Created(_)));
                if is_created {
                    variables.assign_answer(actor, name, outcome);
                }
                return;
            }
            match self.printed(call, outcome, ErrorStream::Dropped) {
                Some(text) => variables.assign(actor, name, &text),
                None => variables.assign_answer(actor, name, outcome),
            }
        }
    }

    /// The request to which the answer redirects, once. `None` if there is no redirect to follow.
    pub(super) fn next_request(&mut self) -> Option<(HttpRequest, Redirected)> {
        let (redirect, exchange) = (self.sending.redirect?, self.exchange.as_ref()?);
        let ExchangeState::Answered { outcome, .. } = &exchange.state else { return None };
        if self.is_followed {
            return None;
        }
        let next = redirect.follow(&exchange.call.request, &outcome.response)?;
        self.is_followed = true;
        Some(next)
    }

    /// Whether its program prints another answer in place of this one.
    fn is_redirected(&self, response: &HttpResponse) -> bool {
        self.sending.redirect.is_some() && is_redirect(response)
    }

    /// The output of the command's programs for the answer, with what they print to their error
    /// streams unless that is dropped. `None` if the answer is shown as it is.
    fn printed(&self, call: &Call, outcome: &Outcome, errors: ErrorStream) -> Option<String> {
        if self.is_redirected(&outcome.response) {
            return None;
        }
        let Some(program) = &self.sending.output else {
            return self
                .filter
                .as_ref()
                .map(|filter| filter.printed(&outcome.response.body, errors));
        };
        let (output, error) = match program.printed(call, outcome) {
            Ok(output) => (output, String::new()),
            Err(error) => (String::new(), error),
        };
        // An error does not go through the pipe.
        let output = match &self.filter {
            Some(filter) => filter.printed(output.as_bytes(), errors),
            None => output,
        };
        Some(if errors == ErrorStream::Dropped || error.is_empty() {
            output
        } else if output.is_empty() {
            error
        } else {
            format!("{error}\n{output}")
        })
    }
}
