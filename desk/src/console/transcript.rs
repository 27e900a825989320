//! The console's transcript: the commands that were sent up to the cursor with their answers, and
//! the queue of commands that wait for an earlier answer. Nothing is sent here: the caller carries
//! out what [`Transcript::next`] returns, and [`Transcript::show`] takes the answers from the
//! record.

use core::time::Duration;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use lictor_core::ConsulVersion;
use lictor_core::http::HttpRequest;
use lictor_core::id::{ActorName, RequestId};
use lictor_core::time::Instant;
use lictor_sim::record::{EXCHANGES_KEPT, Exchange};
use lictor_view::request_text;

use super::command::{ConsoleCommand, FilledCommand};
use super::entry::{Entry, EntryState};
use super::error::{CommandError, ErrorKind};
use super::guide_values::POSITIONS;
use super::input_history::InputHistory;
use super::parse::read;
use super::request::{Redirected, Sending};
use super::saved_console::SavedConsole;
use super::variables::{Assigned, Variables, file_of, folded};

#[derive(Clone, Debug, Default)]
pub struct Transcript {
    pub inputs: InputHistory,
    /// The variables of `earlier`, with the values that `entries` have assigned.
    variables: Variables,
    /// The time and number of each entry whose start or (true) answer is applied to `variables`.
    applied: Vec<(Instant, u64, bool)>,
    /// The values from an earlier visit and from entries that were dropped.
    earlier: Variables,
    /// The entries up to the cursor, in the order of time.
    entries: Vec<Entry>,
    /// Entries of later times and of other branches, to be shown again as they were typed.
    hidden: Vec<Entry>,
    /// The commands that were typed, in this visit and in earlier ones.
    saved: SavedConsole,
    /// The number of the latest entry.
    numbers: u64,
    queue: Vec<Queued>,
    /// The requests that follow redirects. They are sent before the queue.
    followups: Vec<FollowUp>,
    /// The entry whose request `next` returned, until it is answered or parked.
    sending: Option<u64>,
    /// Counts the changes of entries.
    version: u64,
}

/// The next thing that the caller has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum NextStep {
    /// Send this request, and report it by [`Transcript::sent`], or [`Transcript::unsent`].
    Send { actor: ActorName, request: HttpRequest },
    /// Start this program for `consul lock` and report its name by [`Transcript::started`], or the
    /// problem by [`Transcript::not_started`].
    Start { actor: ActorName, entry: u64, words: String },
    /// Let this much time pass.
    Pass(Duration),
    /// Put the rest of the input back into the prompt: it has an error, and nothing of it was sent.
    Stop(RejectedInput),
    /// Nothing: the queue is empty, or an earlier command has no answer yet.
    Nothing,
}

/// A command that is carried out before the commands of the queue.
#[derive(Debug)]
pub struct CommandAside {
    /// The number of its entry.
    pub entry: u64,
    pub next: Option<NextStep>,
    /// The entry whose answer the queue waits for, to be given to [`Transcript::resume`].
    pub waiting: Option<u64>,
}

/// An input, or the rest of one, that cannot be sent as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedInput {
    pub text: String,
    /// The errors, with spans in `text`.
    pub errors: Vec<CommandError>,
}

#[derive(Clone, Debug)]
struct Queued {
    actor: ActorName,
    command: ConsoleCommand,
    input: Arc<str>,
}

/// The request that follows a redirect, for the entry that was redirected.
#[derive(Clone, Debug)]
struct FollowUp {
    entry: u64,
    request: HttpRequest,
    redirected: Redirected,
}

/// The line that `consul version` prints after the version. The lines about the build are omitted.
const PROTOCOL: &str = "Protocol 2 spoken by default, understands 2 to 3 (agent will automatically \
                        use protocol >2 when speaking to compatible agents)";

/// The largest number of entries without a request, and of hidden ones.
pub(super) const ENTRIES_MAX: usize = 300;

impl Transcript {
    /// The names that a command of an actor may use.
    pub fn names(&self, actor: &ActorName) -> Vec<String> {
        self.variables.names(actor.as_str())
    }

    /// The variables, with their values from answers.
    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    /// Begins the transcript of another world, with the commands saved with that world. Only the
    /// input history is kept.
    pub fn begin(&mut self, saved: SavedConsole) {
        let (inputs, numbers, version) =
            (std::mem::take(&mut self.inputs), self.numbers, self.version + 1);
        *self = Self { inputs, saved, numbers, version, ..Self::default() };
    }

    /// The commands to save with the world.
    pub fn saved(&self) -> &SavedConsole {
        &self.saved
    }

    /// Shows the requests that were sent up to the cursor, each in its state there, and the
    /// commands without a request that precede the cursor. The variables get their values from
    /// these. `runs` returns whether a program exists.
    pub fn show<'a>(
        &mut self,
        now: Instant,
        exchanges: impl Iterator<Item = &'a Exchange>,
        runs: impl Fn(&str) -> bool,
    ) {
        let was = self.listed();
        let mut own = Vec::new();
        let mut typed = BTreeMap::<RequestId, Vec<Entry>>::new();
        let hidden = std::mem::take(&mut self.hidden);
        for entry in std::mem::take(&mut self.entries).into_iter().chain(hidden) {
            match entry.id() {
                Some(id) => typed.entry(id).or_default().push(entry),
                None => own.push(entry),
            }
        }
        let exchanges = exchanges.collect::<Vec<_>>();
        for exchange in &exchanges {
            let entry = self.entry_for(exchange, typed.get_mut(&exchange.call.id));
            self.entries.push(entry);
        }
        if let Some(oldest) = exchanges.first().filter(|_| exchanges.len() == EXCHANGES_KEPT) {
            let kept = typed.split_off(&oldest.call.id);
            let dropped = std::mem::replace(&mut typed, kept);
            dropped.values().flatten().for_each(|entry| entry.apply_answer(&mut self.earlier));
        }
        self.hidden = typed.into_values().flatten().collect();
        let hidden_requests = self.hidden.iter().map(|entry| entry.number);
        let hidden_requests = hidden_requests.collect::<BTreeSet<_>>();
        let is_shown = |entry: &Entry| {
            let is_running = match &entry.progress {
                EntryState::Started(program) => runs(program),
                _ => true,
            };
            let follows = entry.after.is_none_or(|number| !hidden_requests.contains(&number));
            entry.at <= now && follows && is_running
        };
        let (shown, later) = own.into_iter().partition::<Vec<_>, _>(is_shown);
        self.entries.extend(shown);
        self.entries.sort_by_key(|entry| (entry.at, entry.number));
        self.hidden.extend(later);
        self.hidden.sort_by_key(|entry| entry.number);
        self.hidden.drain(..self.hidden.len().saturating_sub(ENTRIES_MAX));
        self.continue_queue();
        self.follow_redirects();
        if self.listed() != was {
            self.version += 1;
            self.update_variables();
        }
    }

    /// The entry of a request, in its state: as it was typed, or as curl.
    fn entry_for(&mut self, exchange: &Exchange, typed: Option<&mut Vec<Entry>>) -> Entry {
        let is_its =
            |entry: &Entry| entry.exchange.as_ref().is_some_and(|it| it.is_same_request(exchange));
        let known = typed.and_then(|typed| {
            let index = typed.iter().position(is_its)?;
            Some(typed.swap_remove(index))
        });
        let mut entry = known.unwrap_or_else(|| {
            let text = request_text::curl(&exchange.call.request);
            let (at, actor) = (exchange.sent, &exchange.actor.name);
            let mut entry = self.entry_of(at, actor, text, EntryState::Sending);
            self.saved.restore(exchange, &mut entry);
            entry
        });
        if entry.settle(exchange) {
            self.version += 1;
            entry.version = self.version;
        }
        entry
    }

    /// The numbers and versions of the entries that are shown.
    pub fn listed(&self) -> Vec<(u64, u64)> {
        self.entries.iter().map(|entry| (entry.number, entry.version)).collect()
    }

    /// Continues the queue if the request that `next` returned is answered or parked. If this
    /// request is gone, the queue is cleared.
    fn continue_queue(&mut self) {
        let Some(number) = self.sending else { return };
        match self.entry(number).map(|entry| &entry.progress) {
            Some(EntryState::Sending) => {}
            Some(_) => self.sending = None,
            None => {
                self.sending = None;
                self.queue.clear();
                self.followups.clear();
            }
        }
    }

    /// Notes the requests that follow the redirects among the answers.
    fn follow_redirects(&mut self) {
        for entry in &mut self.entries {
            if let Some((request, redirected)) = entry.next_request() {
                let entry = entry.number;
                self.followups.push(FollowUp { entry, request, redirected });
            }
        }
    }

    /// Begins the request that follows a redirect. Its answer is printed and assigned as that of
    /// the redirected command would have been.
    fn start_followup(&mut self, follow: FollowUp, now: Instant) -> Option<NextStep> {
        let FollowUp { entry, request, redirected } = follow;
        let first = self.entry(entry)?.clone();
        let (text, actor) = (request_text::curl(&request), first.actor.clone());
        let mut next = self.entry_of(now, &actor, text, EntryState::Sending);
        (next.redirected_from, next.redirected) = (first.id(), Some(redirected));
        next.sending = Sending { redirect: None, ..first.sending };
        (next.filter, next.assign, next.notes) = (first.filter, first.assign, first.notes);
        self.sending = Some(self.add(next));
        Some(NextStep::Send { actor, request })
    }

    /// The request to which a request was redirected, and what it has lost.
    pub fn redirected_to(&self, id: RequestId) -> Option<(Exchange, Redirected)> {
        let follows = |entry: &&Entry| entry.redirected_from == Some(id);
        let entry = self.entries.iter().rfind(follows)?;
        Some((entry.exchange.clone()?, entry.redirected.clone()?))
    }

    /// What a request has lost, if it followed a redirect.
    pub fn redirected(&self, id: RequestId) -> Option<&Redirected> {
        self.entries.iter().find(|entry| entry.id() == Some(id))?.redirected.as_ref()
    }

    /// Brings the variables up to date with the entries: applies the changes that were added, or
    /// all changes if one was removed or is out of order.
    fn update_variables(&mut self) {
        let mut changes = Vec::new();
        for entry in &self.entries {
            changes.push((entry.at, entry.number, false));
            if let EntryState::Answered(answer) = &entry.progress {
                changes.push((answer.at, entry.number, true));
            }
        }
        changes.sort_unstable();
        if !changes.starts_with(&self.applied) {
            self.variables = self.earlier.clone();
            self.applied.clear();
        }
        for (_, number, is_answered) in &changes[self.applied.len()..] {
            let Some(entry) = self.entries.iter().rfind(|entry| entry.number == *number) else {
                continue;
            };
            if *is_answered {
                entry.apply_answer(&mut self.variables);
            } else {
                entry.apply_start(&mut self.variables);
            }
        }
        self.applied = changes;
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

    /// Begins a command whose names have their values, a step of a guide, without waiting for the
    /// queue. The caller carries out `next` and then calls [`Transcript::resume`].
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

    /// Continues with the queue after [`Transcript::begin_aside`].
    pub fn resume(&mut self, waiting: Option<u64>) {
        if waiting.is_some() {
            self.sending = waiting;
        }
    }

    /// Sets the values that were assigned in an earlier visit.
    pub fn restore(&mut self, assigned: Vec<Assigned>) {
        self.earlier.restore(assigned);
        self.version += 1;
        self.applied.clear();
        self.variables = self.earlier.clone();
        self.update_variables();
    }

    /// Removes the waiting commands of an input; true if there were any.
    pub fn withdraw(&mut self, input: &Arc<str>) -> bool {
        let before = self.queue.len();
        self.queue.retain(|other| !Arc::ptr_eq(&other.input, input));
        self.queue.len() < before
    }

    /// Continues with the queue until an answer is needed. `consul` is the version of the server.
    pub fn next(&mut self, now: Instant, consul: ConsulVersion) -> NextStep {
        while self.sending.is_none() {
            if !self.followups.is_empty() {
                let follow = self.followups.remove(0);
                if let Some(next) = self.start_followup(follow, now) {
                    return next;
                }
                continue;
            }
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

    /// The request that `next` returned was sent. Returns whether [`Transcript::saved`] has
    /// changed.
    pub fn sent(&mut self, exchange: &Exchange) -> bool {
        let Some(number) = self.sending else { return false };
        let Some(entry) = self.entries.iter_mut().rfind(|entry| entry.number == number) else {
            return false;
        };
        entry.at = exchange.sent;
        entry.exchange = Some(exchange.clone());
        self.saved.add(entry)
    }

    /// The request that `next` returned cannot be sent, because its actor does not exist.
    pub fn unsent(&mut self, at: Instant) {
        if let Some(number) = self.sending.take() {
            self.change(number, EntryState::Cancelled { at });
        }
    }

    /// The program of an entry was started with this name.
    pub fn started(&mut self, entry: u64, program: &str) {
        self.change(entry, EntryState::Started(program.to_owned()));
    }

    /// The program of an entry cannot be started.
    pub fn not_started(&mut self, entry: u64, problem: &str) {
        self.change(entry, EntryState::Printed(problem.to_owned()));
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub fn entry(&self, number: u64) -> Option<&Entry> {
        self.entries.iter().rfind(|entry| entry.number == number)
    }

    /// A number that changes with each change of an entry.
    pub fn version(&self) -> u64 {
        self.version
    }

    fn entry_mut(&mut self, number: u64) -> Option<&mut Entry> {
        self.entries.iter_mut().rfind(|entry| entry.number == number)
    }

    /// Drops the rest of the input from a command on, and returns it with the errors.
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
        let progress = match ready {
            FilledCommand::Send { request, sending } => {
                return Some(self.start_request(now, actor, command, (request, sending)));
            }
            FilledCommand::Pass(span) => {
                let text = format!("{} s", span.as_secs_f64());
                let entry = self.entry_of(now, &actor, command.text, EntryState::Printed(text));
                self.add(entry);
                return Some(NextStep::Pass(span));
            }
            FilledCommand::Start(words) => {
                let entry = self.entry_of(now, &actor, command.text, EntryState::Sending);
                return Some(NextStep::Start { actor, entry: self.add(entry), words });
            }
            FilledCommand::Help => EntryState::Help,
            FilledCommand::Version => {
                EntryState::Printed(format!("Consul v{}\n{PROTOCOL}", consul.release()))
            }
            FilledCommand::Keep { name, value } => EntryState::Kept { name, value },
            FilledCommand::Print(text) => EntryState::Printed(text),
        };
        let entry = self.entry_of(now, &actor, command.text, progress);
        self.add(Entry { notes: command.notes, ..entry });
        None
    }

    fn start_request(
        &mut self,
        now: Instant,
        actor: ActorName,
        command: ConsoleCommand,
        (request, sending): (HttpRequest, Sending),
    ) -> NextStep {
        let mut entry = self.entry_of(now, &actor, command.text, EntryState::Sending);
        (entry.sending, entry.filter) = (sending, command.filter);
        (entry.assign, entry.notes) = (command.assign, command.notes);
        self.sending = Some(self.add(entry));
        NextStep::Send { actor, request }
    }

    fn add(&mut self, entry: Entry) -> u64 {
        let number = entry.number;
        self.entries.push(entry);
        let mut own = self.entries.iter().enumerate().filter(|(_, entry)| entry.exchange.is_none());
        let oldest = own.next().map(|(index, _)| index);
        if let Some(oldest) = oldest.filter(|_| own.count() >= ENTRIES_MAX) {
            self.entries.remove(oldest).apply_start(&mut self.earlier);
        }
        self.update_variables();
        number
    }

    fn entry_of(
        &mut self,
        at: Instant,
        actor: &ActorName,
        text: String,
        progress: EntryState,
    ) -> Entry {
        self.numbers += 1;
        self.version += 1;
        let after = self.entries.iter().rfind(|entry| entry.exchange.is_some());
        Entry {
            number: self.numbers,
            version: self.version,
            at,
            actor: actor.clone(),
            text,
            assign: None,
            sending: Sending::default(),
            notes: Vec::new(),
            exchange: None,
            progress,
            after: after.map(|entry| entry.number),
            filter: None,
            is_followed: false,
            redirected_from: None,
            redirected: None,
        }
    }

    fn change(&mut self, number: u64, progress: EntryState) {
        self.version += 1;
        let version = self.version;
        if let Some(entry) = self.entry_mut(number) {
            (entry.progress, entry.version) = (progress, version);
        }
    }
}

/// Names that are short for a session, with or without a number after them.
const SESSION_NAMES: [&str; 4] = ["s", "sid", "id", "holder"];

impl RejectedInput {
    /// Whether a name may be a placeholder for a session, by its place in an address or by the name
    /// itself. A host or a file never is.
    pub fn is_session(&self, name: &str) -> bool {
        let is_its = |error: &&CommandError| error.kind == ErrorKind::NoValue(name.to_owned());
        let mut places = self.errors.iter().filter(is_its).map(|error| {
            let before = self.text.get(..error.span.start).unwrap_or_default();
            (before, self.text.get(error.span.end..).unwrap_or_default())
        });
        let is_host = |(before, after): (&str, &str)| {
            let is_first = before.ends_with(|c: char| c.is_whitespace() || "\"'/".contains(c));
            let is_in_path = before.rsplit(char::is_whitespace).next().unwrap_or_default();
            is_first && !is_in_path.contains("v1/") && after.starts_with(['/', ':'])
        };
        if file_of(name).is_some() || places.clone().any(is_host) {
            return false;
        }
        let short = folded(name);
        let short = short.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_place = |before: &str| {
            POSITIONS.iter().any(|(place, name)| *name == "session" && before.ends_with(place))
        };
        short.contains("session")
            || SESSION_NAMES.contains(&short)
            || places.any(|(before, _)| is_place(before))
    }

    /// The text with a value in all places of a name that has none.
    pub fn filled(&self, name: &str, value: &str) -> String {
        let mut text = self.text.clone();
        for error in self.errors.iter().rev() {
            let is_same = matches!(&error.kind, ErrorKind::NoValue(missing) if missing == name);
            if is_same && text.get(error.span.clone()).is_some() {
                text.replace_range(error.span.clone(), value);
            }
        }
        text
    }
}
