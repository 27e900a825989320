//! The console's transcript: the commands that were sent with their answers, and the queue of
//! commands that wait for an earlier answer. It is pure: the console panel passes it the changes of
//! requests, and carries out what [`Transcript::next`] returns.

use lictor_core::ConsulVersion;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::id::ActorName;
use lictor_core::time::Instant;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::answer::AnswerView;
use super::answer::BodyView;
use super::command::{
    AnswerParts, CommandKind, ConsoleCommand, FilledCommand, MethodSource, RequestTemplate,
};
use super::error::{CommandError, ErrorKind};
use super::input_history::InputHistory;
use super::jq::JqFilter;
use super::kv_output::KeyOutput;
use super::parse::read;
use super::variables::{Assigned, INNER_NAME, Variables};
use crate::request_ids::ExchangeId;
use crate::request_text;
use lictor_sim::record::ExplainedReason;

#[derive(Clone, Debug, Default)]
pub struct Transcript {
    pub inputs: InputHistory,
    variables: Variables,
    /// In the order of their numbers, which have no gaps.
    entries: Vec<Entry>,
    numbers: u64,
    queue: Vec<Queued>,
    /// The entry whose request `next` returned, until it is answered or parked.
    sending: Option<u64>,
    /// The entries of the requests that have no answer yet.
    pending: BTreeMap<ExchangeId, u64>,
    newest: Option<ExchangeId>,
    /// Counts the changes of entries.
    version: u64,
}

/// One command with its answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub number: u64,
    /// The version of the transcript at the last change of this entry.
    pub version: u64,
    pub at: Instant,
    pub actor: ActorName,
    /// The text of the command.
    pub text: String,
    /// The variable that takes the answer.
    pub assign: Option<String>,
    pub shown: AnswerParts,
    pub origin: MethodSource,
    /// What was sent, with all names filled in.
    pub request: Option<Arc<HttpRequest>>,
    pub progress: EntryState,
    /// The form in which a program or a filter prints the answer.
    pub(super) output: Option<KeyOutput>,
    pub(super) filter: Option<JqFilter>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum EntryState {
    /// `name=value` is done at once.
    Kept {
        name: String,
        value: String,
    },
    Help,
    /// The output of a program that sends nothing.
    Printed(String),
    /// `consul lock` runs as a program of this name.
    Started(String),
    Sending,
    /// A blocking query without an answer so far.
    Waiting {
        id: ExchangeId,
        since: Instant,
    },
    Answered(Arc<ReceivedAnswer>),
    Cancelled {
        at: Instant,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedAnswer {
    pub at: Instant,
    pub view: AnswerView,
    /// Why it was `false`, an error or "not there".
    pub why: Option<ExplainedReason>,
}

/// The next thing that the caller has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum NextStep {
    /// Send this request and report its changes.
    Send { actor: ActorName, request: HttpRequest },
    /// Start this program for `consul lock` and report its name by [`Transcript::started`], or the
    /// problem by [`Transcript::not_started`].
    Start { actor: ActorName, entry: u64, words: String },
    /// Put the rest of the input back into the prompt: it has an error, and nothing of it was sent.
    Stop(RejectedInput),
    /// Nothing: the queue is empty, or an earlier command has no answer yet.
    Nothing,
}

/// A command that is carried out before the queue.
#[derive(Debug)]
pub struct CommandAside {
    /// The number of its entry.
    pub entry: u64,
    pub next: Option<NextStep>,
    /// What [`Transcript::resume`] takes.
    pub waiting: Option<u64>,
}

/// An input, or the rest of one, that cannot be sent as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedInput {
    pub text: String,
    /// Their spans are in `text`.
    pub errors: Vec<CommandError>,
}

#[derive(Clone, Debug)]
struct Queued {
    actor: ActorName,
    command: ConsoleCommand,
    input: Arc<str>,
}

/// The second line that `consul version` prints; between the two a real one has its build.
const PROTOCOL: &str = "Protocol 2 spoken by default, understands 2 to 3 (agent will automatically \
                        use protocol >2 when speaking to compatible agents)";

/// The largest number of entries that are kept.
pub(super) const MOST: usize = 300;

impl Transcript {
    /// The names that a command of an actor may use.
    pub fn names(&self, actor: &ActorName) -> Vec<String> {
        self.variables.names(actor.as_str())
    }

    /// The variables, with their values from answers.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Clears everything but the recall, for another world.
    pub fn begin(&mut self) {
        self.variables = Variables::default();
        self.entries.clear();
        self.queue.clear();
        self.sending = None;
        self.pending.clear();
        self.newest = None;
        self.version += 1;
    }

    /// Queues the commands of an input, all or none. The returned text identifies them for
    /// [`Transcript::withdraw`].
    pub fn submit(&mut self, actor: &ActorName, input: &str) -> Result<Arc<str>, RejectedInput> {
        let commands = read(input)
            .map_err(|error| RejectedInput { text: input.into(), errors: vec![error] })?;
        if !commands.is_empty() {
            self.inputs.remember(input.trim_end());
        }
        let input: Arc<str> = input.into();
        let queued = commands.into_iter();
        self.queue.extend(queued.map(|command| Queued {
            actor: actor.clone(),
            command,
            input: input.clone(),
        }));
        Ok(input)
    }

    /// Begins a command whose names have their values, before the queue and without it: a step of a
    /// guide. The caller does what `next` says, and then calls [`Transcript::resume`].
    pub fn begin_aside(
        &mut self,
        actor: &ActorName,
        (command, text): (ConsoleCommand, String),
        filled: FilledCommand,
        clock: (Instant, ConsulVersion),
    ) -> CommandAside {
        let waiting = self.sending.take();
        let command = ConsoleCommand { text, ..command };
        let queued = Queued { actor: actor.clone(), command, input: "".into() };
        let next = self.start(queued, filled, clock);
        CommandAside { entry: self.numbers, next, waiting }
    }

    /// Continues with the queue after a command beside it.
    pub fn resume(&mut self, waiting: Option<u64>) {
        if waiting.is_some() {
            self.sending = waiting;
        }
    }

    /// Takes the values of the variables from these answers alone: those that are still there after
    /// a step back, in their order.
    pub fn relearn<'a>(
        &mut self,
        answers: impl IntoIterator<Item = (&'a str, &'a HttpRequest, &'a HttpResponse)>,
        is_there: impl Fn(ExchangeId) -> bool,
    ) {
        self.variables.forget_answers(is_there);
        for (actor, request, response) in answers {
            self.variables.learn(actor, request, response);
        }
        self.version += 1;
    }

    /// Sets the values that were assigned in an earlier visit.
    pub fn restore(&mut self, assigned: Vec<Assigned>) {
        self.variables.restore(assigned);
        self.version += 1;
    }

    /// Removes the waiting commands of an input; true if there were any.
    pub fn withdraw(&mut self, input: &Arc<str>) -> bool {
        let before = self.queue.len();
        self.queue.retain(|other| !Arc::ptr_eq(&other.input, input));
        self.queue.len() < before
    }

    /// Continues with the queue until an answer is needed. The server answers as this version.
    pub fn next(&mut self, now: Instant, consul: ConsulVersion) -> NextStep {
        while self.sending.is_none() {
            if self.queue.is_empty() {
                break;
            }
            let queued = self.queue.remove(0);
            let values = |name: &str| self.variables.value(queued.actor.as_str(), name);
            match queued.command.fill(&values) {
                Err(errors) => return NextStep::Stop(self.stop(&queued, errors)),
                Ok(ready) => {
                    if let Some(next) = self.start(queued, ready, (now, consul)) {
                        return next;
                    }
                }
            }
        }
        NextStep::Nothing
    }

    /// A request went out: one of the queue, or one of the page's buttons.
    pub fn sent(
        &mut self,
        at: Instant,
        id: ExchangeId,
        actor: &ActorName,
        request: &Arc<HttpRequest>,
    ) {
        let is_bound = |entry: &u64| self.pending.values().any(|bound| bound == entry);
        let unbound = self.sending.filter(|entry| !is_bound(entry));
        let number = unbound.unwrap_or_else(|| {
            self.add(at, actor, request_text::curl(request), EntryState::Sending)
        });
        if let Some(entry) = self.entry_mut(number) {
            entry.request = Some(request.clone());
        }
        self.pending.insert(id, number);
        self.newest = self.newest.max(Some(id));
    }

    /// A blocking query waits for its answer.
    pub fn parked(&mut self, at: Instant, id: ExchangeId) {
        let Some(number) = self.pending.get(&id).copied() else { return };
        if self.entry(number).is_some_and(|entry| entry.progress == EntryState::Sending) {
            self.change(number, EntryState::Waiting { id, since: at });
            self.finish(number);
        }
    }

    /// The request that `next` returned cannot be sent, because its actor does not exist.
    pub fn unsent(&mut self, at: Instant) {
        if let Some(number) = self.sending.take() {
            self.change(number, EntryState::Cancelled { at });
        }
    }

    /// The program of an entry was started under a name.
    pub fn started(&mut self, entry: u64, program: &str) {
        self.change(entry, EntryState::Started(program.to_owned()));
    }

    /// The program of an entry cannot be started.
    pub fn not_started(&mut self, entry: u64, problem: &str) {
        self.change(entry, EntryState::Printed(problem.to_owned()));
    }

    /// The newest request that was reported, and those without an answer.
    pub fn newest(&self) -> Option<ExchangeId> {
        self.newest
    }

    pub fn pending(&self) -> Vec<ExchangeId> {
        self.pending.keys().copied().collect()
    }

    pub fn answered(
        &mut self,
        at: Instant,
        id: ExchangeId,
        response: &HttpResponse,
        why: Option<&ExplainedReason>,
    ) {
        let Some(number) = self.pending.remove(&id) else { return };
        // An entry that made room for newer ones takes its answer with it.
        let Some(place) = self.place(number) else { return self.finish(number) };
        let entry = &self.entries[place];
        if let Some(request) = &entry.request {
            self.variables.learn(entry.actor.as_str(), request, response);
        }
        let printed = entry.printed(response);
        if let Some(name) = &entry.assign {
            match &printed {
                Some(text) => self.variables.assign(entry.actor.as_str(), name, text, Some(id)),
                None => {
                    self.variables.assign_answer(entry.actor.as_str(), name, (id, response));
                }
            }
        }
        let mut view = AnswerView::from(response);
        if let Some(text) = printed {
            (view.body, view.decoded) = (BodyView::Text(text), Vec::new());
        }
        let answered = ReceivedAnswer { at, view, why: why.cloned() };
        self.change(number, EntryState::Answered(Arc::new(answered)));
        self.finish(number);
    }

    pub fn cancelled(&mut self, at: Instant, id: ExchangeId) {
        let Some(number) = self.pending.remove(&id) else { return };
        self.change(number, EntryState::Cancelled { at });
        self.finish(number);
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn entry(&self, number: u64) -> Option<&Entry> {
        self.place(number).map(|place| &self.entries[place])
    }

    /// A number that changes with each change of an entry.
    pub fn version(&self) -> u64 {
        self.version
    }

    fn place(&self, number: u64) -> Option<usize> {
        let behind_first = number.checked_sub(self.entries.first()?.number)?;
        usize::try_from(behind_first).ok().filter(|place| *place < self.entries.len())
    }

    fn entry_mut(&mut self, number: u64) -> Option<&mut Entry> {
        self.place(number).map(|place| &mut self.entries[place])
    }

    /// The rest of the input from a command on, which is not run.
    fn stop(&mut self, queued: &Queued, mut errors: Vec<CommandError>) -> RejectedInput {
        self.withdraw(&queued.input);
        for error in &mut errors {
            error.span = queued.command.span_in_command(&error.span);
        }
        let rest = queued.input.get(queued.command.span.start..).unwrap_or_default();
        RejectedInput { text: rest.trim_end().into(), errors }
    }

    fn start(
        &mut self,
        queued: Queued,
        ready: FilledCommand,
        (now, consul): (Instant, ConsulVersion),
    ) -> Option<NextStep> {
        let Queued { actor, command, .. } = queued;
        // The outer command must not take an earlier answer.
        let inner = command.assign.iter().filter(|name| name.starts_with(INNER_NAME));
        inner.for_each(|name| self.variables.forget(actor.as_str(), name));
        if let FilledCommand::Start(words) = ready {
            let entry = self.add(now, &actor, command.text, EntryState::Sending);
            return Some(NextStep::Start { actor, entry, words });
        }
        let (progress, request) = match ready {
            FilledCommand::Help => (EntryState::Help, None),
            FilledCommand::Version => {
                let printed = format!("Consul v{}\n{PROTOCOL}", consul.release());
                (EntryState::Printed(printed), None)
            }
            FilledCommand::Keep { name, value } => {
                self.variables.assign(actor.as_str(), &name, &value, None);
                (EntryState::Kept { name, value }, None)
            }
            FilledCommand::Send { request, output } => {
                (EntryState::Sending, Some((request, output)))
            }
            FilledCommand::Print(text) => (EntryState::Printed(text), None),
            FilledCommand::Start(_) => return None,
        };
        let number = self.add(now, &actor, command.text, progress);
        let (request, output) = request?;
        if let (Some(entry), CommandKind::Ask(RequestTemplate { shown, origin, .. })) =
            (self.entry_mut(number), &command.kind)
        {
            (entry.shown, entry.origin, entry.assign) = (*shown, *origin, command.assign);
            (entry.output, entry.filter) = (output, command.filter);
        }
        self.sending = Some(number);
        Some(NextStep::Send { actor, request })
    }

    fn add(&mut self, at: Instant, actor: &ActorName, text: String, progress: EntryState) -> u64 {
        self.numbers += 1;
        self.version += 1;
        let number = self.numbers;
        let entry = Entry {
            number,
            version: self.version,
            at,
            actor: actor.clone(),
            text,
            assign: None,
            shown: AnswerParts::Body,
            origin: MethodSource::Written,
            request: None,
            progress,
            output: None,
            filter: None,
        };
        self.entries.push(entry);
        if self.entries.len() > MOST {
            self.entries.remove(0);
        }
        number
    }

    fn change(&mut self, number: u64, progress: EntryState) {
        self.version += 1;
        let version = self.version;
        if let Some(entry) = self.entry_mut(number) {
            (entry.progress, entry.version) = (progress, version);
        }
    }

    /// Continues the queue when the request that `next` returned is answered or parked.
    fn finish(&mut self, entry: u64) {
        if self.sending == Some(entry) {
            self.sending = None;
        }
    }
}

impl Entry {
    /// The output of the command's program for the answer; none if the answer is shown as it is.
    fn printed(&self, response: &HttpResponse) -> Option<String> {
        if let Some(output) = &self.output {
            return Some(output.printed(response));
        }
        let filter = self.filter.as_ref()?;
        let filtered = filter.apply(&response.body);
        Some(filtered.unwrap_or_else(|error| format!("jq: parse error: {error}")))
    }
}

impl RejectedInput {
    /// The text with a value in all places of a name that has none.
    pub fn filled(&self, name: &str, value: &str) -> String {
        let mut text = self.text.clone();
        for error in self.errors.iter().rev() {
            let is_meant = matches!(&error.kind, ErrorKind::NoValue(of) if of == name);
            if is_meant && text.get(error.span.clone()).is_some() {
                text.replace_range(error.span.clone(), value);
            }
        }
        text
    }
}
