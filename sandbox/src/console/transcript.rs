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
use super::variables::{INNER_NAME, Variables};
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
const MOST: usize = 300;

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
                Some(text) => self.variables.assign(name, text),
                None => self.variables.assign_answer(name, response),
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
        inner.for_each(|name| self.variables.forget(name));
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
                self.variables.assign(&name, &value);
                (EntryState::Kept { name, value }, None)
            }
            FilledCommand::Send { request, output } => {
                (EntryState::Sending, Some((request, output)))
            }
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

#[cfg(test)]
mod tests {
    use super::super::answer::BodyView;
    use super::*;

    const NOW: Instant = Instant::EPOCH;

    fn answer(body: &str) -> HttpResponse {
        HttpResponse { status: 200, headers: vec![], body: body.into() }
    }

    /// A transcript whose requests are carried out by a server with ready answers.
    struct ConsoleHarness {
        transcript: Transcript,
        actor: ActorName,
        ids: u64,
        sent: Vec<String>,
    }

    impl ConsoleHarness {
        fn new() -> Self {
            let actor = ActorName::from("web-1");
            Self { transcript: Transcript::default(), actor, ids: 0, sent: vec![] }
        }

        /// Runs an input, with one answer for each request; a request without one is parked.
        fn run(&mut self, input: &str, answers: &[&str]) -> NextStep {
            self.transcript.submit(&self.actor.clone(), input).expect("it is well formed");
            let mut answers = answers.iter();
            loop {
                match self.transcript.next(NOW, ConsulVersion::default()) {
                    NextStep::Send { actor, request } => {
                        let id = self.send(&actor, &request);
                        match answers.next() {
                            Some(body) => self.transcript.answered(NOW, id, &answer(body), None),
                            None => self.transcript.parked(NOW, id),
                        }
                    }
                    other => return other,
                }
            }
        }

        fn send(&mut self, actor: &ActorName, request: &HttpRequest) -> ExchangeId {
            self.ids += 1;
            let body = String::from_utf8_lossy(&request.body);
            self.sent.push(format!("{} {} {body}", request.method, request.target));
            let request = Arc::new(request.clone());
            self.transcript.sent(NOW, ExchangeId(self.ids), actor, &request);
            ExchangeId(self.ids)
        }

        fn last(&self) -> &Entry {
            self.transcript.entries().last().expect("an entry")
        }
    }

    #[test]
    fn commands_run_in_order_and_answers_fill_the_next() {
        let mut console = ConsoleHarness::new();
        let input = "lock=a/.lock\ns1=$(curl -X PUT /v1/session/create)\n\
                     PUT /v1/kv/<lock>?acquire=$s1 {\"Holders\": [\"<session>\"]}";
        assert_eq!(console.run(input, &["{\"ID\":\"77\"}", "true"]), NextStep::Nothing);
        assert_eq!(console.sent[1], "PUT /v1/kv/a/.lock?acquire=77 {\"Holders\": [\"77\"]}");
        assert_eq!(console.transcript.entries().len(), 3);
        let EntryState::Answered(answered) = &console.last().progress else {
            panic!("not answered")
        };
        assert_eq!(answered.view.body, BodyView::Pretty("true".into()));
    }

    #[test]
    fn a_name_without_a_value_stops_what_follows_and_gives_it_back() {
        let mut console = ConsoleHarness::new();
        let next = console.run("GET /a\nGET /v1/kv/<x>\nGET /b\n", &["[]"]);
        let NextStep::Stop(rejected) = next else { panic!("{next:?}") };
        assert_eq!(rejected.text, "GET /v1/kv/<x>\nGET /b");
        assert_eq!(&rejected.text[rejected.errors[0].span.clone()], "<x>");
        assert_eq!(rejected.errors[0].kind, ErrorKind::NoValue("x".into()));
        assert_eq!(rejected.filled("x", "77"), "GET /v1/kv/77\nGET /b");
        assert_eq!(console.sent.len(), 1);
        assert_eq!(console.transcript.next(NOW, ConsulVersion::default()), NextStep::Nothing);
    }

    #[test]
    fn a_faulty_line_stops_the_whole_input() {
        let mut transcript = Transcript::default();
        let rejected =
            transcript.submit(&ActorName::from("a"), "GET /a\ncurl |").expect_err("pipe");
        assert_eq!(rejected.errors.len(), 1);
        assert_eq!(transcript.next(NOW, ConsulVersion::default()), NextStep::Nothing);
        assert_eq!(transcript.inputs.older(""), None);
    }

    #[test]
    fn a_blocking_query_lets_the_next_command_run_and_is_answered_later() {
        let mut console = ConsoleHarness::new();
        console.run("w=$(curl /v1/kv/a?index=1)", &[]);
        console.run("GET /b", &["[]"]);
        let waiting = EntryState::Waiting { id: ExchangeId(1), since: NOW };
        assert_eq!(console.transcript.entry(1).map(|entry| &entry.progress), Some(&waiting));
        let later = Instant::from_millis(5_000);
        console.transcript.answered(later, ExchangeId(1), &answer("[1]"), None);
        assert_eq!(console.transcript.variables.value("web-1", "w").as_deref(), Some("[1]"));
        let versions = console.transcript.entries().iter().map(|entry| entry.version);
        assert_eq!(versions.max(), Some(console.transcript.version()));
        console.run("GET /v1/kv/a?index=2", &[]);
        console.transcript.cancelled(later, ExchangeId(3));
        assert_eq!(console.last().progress, EntryState::Cancelled { at: later });
    }

    #[test]
    fn requests_of_buttons_are_shown_as_the_commands_that_make_them() {
        let mut console = ConsoleHarness::new();
        let request = HttpRequest {
            method: "PUT".into(),
            target: "/v1/session/create".into(),
            headers: vec![],
            body: vec![],
        };
        let id = console.send(&ActorName::from("b"), &request);
        console.transcript.answered(NOW, id, &answer("{\"ID\":\"5\"}"), None);
        assert_eq!(console.last().text, "curl -X PUT http://localhost:8500/v1/session/create");
        assert_eq!(console.transcript.variables.value("b", "session").as_deref(), Some("5"));
    }

    #[test]
    fn old_entries_make_room() {
        let mut console = ConsoleHarness::new();
        for _ in 0..MOST + 5 {
            console.run("help", &[]);
        }
        assert_eq!(console.transcript.entries().len(), MOST);
        assert_eq!(console.transcript.entry(5), None);
    }
}
