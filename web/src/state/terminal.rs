//! The state of the console. It sends the commands of an input through the controller, one request
//! at a time, and shows all requests of the world in the transcript, also those of buttons and
//! scripts.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::reactive::graph::untrack;
use lictor_core::http::{HttpRequest, path_escaped};
use lictor_core::id::ActorName;
use lictor_desk::console::{
    Assigned, CommandError, Completion, ConsoleCommand, Entry, EntryState, ErrorKind,
    FilledCommand, NameKind, NextStep, Redirected, RejectedInput, SavedConsole, SentCommand,
    Transcript, Variables, complete, http_text, with_file,
};
use lictor_desk::direction::Direction;
use lictor_desk::programs::start_acts;
use lictor_sim::World;
use lictor_sim::record::Exchange;

use crate::platform::words::form_words;
use crate::signals::SetIfChanged;
use crate::state::controller::{Controller, CursorPosition};

/// The form in which the transcript shows requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the typed commands; requests of buttons as curl.
    Curl,
    /// As HTTP.
    Http,
}

/// The console of a page. A cheap copy: all copies share its state.
#[derive(Clone, Copy)]
pub struct Terminal {
    pub controller: Controller,
    /// The version of the transcript as it is shown.
    version: RwSignal<u64>,
    /// The text of the input.
    pub input: RwSignal<String>,
    /// The errors of the input, if it could not be sent.
    pub rejected: RwSignal<Option<RejectedInput>>,
    /// The completions of the word before the caret.
    pub completion: RwSignal<Option<Completion>>,
    transcript: StoredValue<Rc<RefCell<Transcript>>, LocalStorage>,
}

impl Terminal {
    /// A console, which lives as long as the page.
    pub fn new(controller: Controller) -> Self {
        let terminal = Self {
            controller,
            version: RwSignal::new(0),
            input: RwSignal::new(String::new()),
            rejected: RwSignal::new(None),
            completion: RwSignal::new(None),
            transcript: StoredValue::new_local(Rc::default()),
        };
        Effect::new(move |_| {
            terminal.controller.world.track();
            let text = controller.world_store().map(|it| it.console()).unwrap_or_default();
            terminal.transcript().borrow_mut().begin(SavedConsole::from_text(&text));
        });
        // Commands without a request appear and disappear by time alone.
        let past = Memo::new(move |_| match controller.cursor.get() {
            CursorPosition::End => None,
            CursorPosition::Past { .. } => Some(controller.now.get()),
        });
        // An effect, not a memo: an answer lets the queue continue.
        Effect::new(move |_| {
            past.track();
            terminal.watch();
            untrack(|| terminal.proceed());
        });
        terminal
    }

    fn transcript(self) -> Rc<RefCell<Transcript>> {
        self.transcript.get_value()
    }

    /// Sends the text of the input as the selected actor.
    pub fn send(self) {
        let Some(actor) = self.controller.selected_now() else {
            let text = self.input.get_untracked();
            let errors = vec![CommandError::new(ErrorKind::NoClient, 0..text.len())];
            return self.rejected.set(Some(RejectedInput { text, errors }));
        };
        let taken = self
            .input
            .with_untracked(|input| self.transcript().borrow_mut().submit(&actor.name, input));
        match taken {
            Err(rejected) => self.rejected.set(Some(rejected)),
            Ok(_) => {
                self.write("");
                self.proceed();
            }
        }
    }

    /// Sends commands of a script as an actor; the input of the reader does not change. Fails with
    /// the first error in the commands, or with `None` if a command waits for the answer to an
    /// earlier one.
    pub fn paste(self, actor: &ActorName, commands: &str) -> Result<(), Option<ErrorKind>> {
        let first = |rejected: RejectedInput| rejected.errors.into_iter().next().map(|it| it.kind);
        let input = self.transcript().borrow_mut().submit(actor, commands).map_err(first)?;
        if let Some(rejected) = self.run_queue() {
            return Err(first(rejected));
        }
        if self.transcript().borrow_mut().withdraw(&input) { Err(None) } else { Ok(()) }
    }

    /// Carries out a step of a guide as an actor, before the rest of the queue. `None` if the actor
    /// cannot send.
    pub fn send_step(
        self,
        actor: &ActorName,
        (command, text): (ConsoleCommand, String),
        filled: FilledCommand,
    ) -> Option<SentCommand<Exchange>> {
        self.proceed();
        let now = self.controller.now.get_untracked();
        let clock = (now, self.controller.version.get_untracked());
        let aside =
            self.transcript().borrow_mut().begin_aside(actor, (command, text), filled, clock);
        let request = aside.next.and_then(|step| self.carry_out(step));
        let effect = || match self.entry(aside.entry)?.progress {
            EntryState::Kept { name, value } => Some(SentCommand::Kept { name, value }),
            EntryState::Printed(text) => Some(SentCommand::Printed(text)),
            EntryState::Started(program) => Some(SentCommand::Started(program)),
            _ => None,
        };
        let sent = request.map(SentCommand::Request).or_else(effect);
        self.transcript().borrow_mut().resume(aside.waiting);
        self.proceed();
        sent
    }

    /// The request to which a request was redirected, with what that one lacks; `None` if it was
    /// not redirected.
    pub fn redirected_to(self, request: &Exchange) -> Option<(Exchange, Redirected)> {
        self.transcript().borrow().redirected_to(request.call.id)
    }

    /// The parts that a request lacks because it followed a redirect; `None` if it did not.
    pub fn redirected(self, request: &Exchange) -> Option<Redirected> {
        self.transcript().borrow().redirected(request.call.id).cloned()
    }

    /// Updates the variables from the answers that have arrived since the last call.
    pub fn catch_up(self) {
        self.proceed();
    }

    /// Sets the values that were assigned in an earlier visit.
    pub fn restore(self, assigned: Vec<Assigned>) {
        self.transcript().borrow_mut().restore(assigned);
        self.publish();
    }

    /// Reads the variables; subscribes.
    pub fn with_variables<T>(self, read: impl FnOnce(&Variables) -> T) -> T {
        self.version.track();
        read(self.transcript().borrow().variables())
    }

    /// Puts a text into the input.
    pub fn write(self, text: &str) {
        self.input.set(text.to_owned());
        self.rejected.set(None);
        self.completion.set_if_changed(None);
    }

    /// Adds the text of a file to the input.
    pub fn insert(self, text: &str) {
        self.write(&with_file(&self.input.get_untracked(), text));
    }

    /// Updates the completions of the input.
    pub fn look(self) {
        let known = |kind, begun: &str, visit: &mut dyn FnMut(&str) -> ControlFlow<()>| {
            self.controller.with_world(|world| self.visit_names(world, kind, begun, visit));
        };
        self.completion.set_if_changed(complete(&self.input.get_untracked(), &known));
    }

    /// Selects another completion.
    pub fn choose(self, direction: Direction) {
        if let Some(mut completion) = self.completion.get_untracked() {
            completion.choose(direction);
            self.completion.set_if_changed(Some(completion));
        }
    }

    /// Applies a completion.
    pub fn take(self, index: usize) {
        if let Some(completion) = self.completion.get_untracked() {
            self.write(&completion.taken(index));
            self.look();
        }
    }

    /// Passes the names of a kind to `visit` until it breaks. Keys are only those that begin with
    /// `begun`.
    fn visit_names(
        self,
        world: &World,
        kind: NameKind,
        begun: &str,
        visit: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) {
        let store = world.store();
        let mut is_last = |name: &str| visit(name).is_break();
        let _ = match kind {
            NameKind::Key => {
                store.kv().with_prefix(begun).any(|it| is_last(&path_escaped(it.key.as_str())))
            }
            NameKind::Session => store.sessions().iter().any(|it| is_last(&it.id.to_string())),
            NameKind::Node => store.catalog().nodes().any(|it| is_last(it.name.as_str())),
            NameKind::Check => store.catalog().checks().any(|it| is_last(it.id.as_str())),
            NameKind::Variable => self.controller.selected_now().is_some_and(|actor| {
                let names = self.transcript().borrow().names(&actor.name);
                names.iter().any(|name| is_last(name))
            }),
        };
    }

    /// The page's label of a session; empty for one of no client of this world.
    pub fn label(self, session: &str) -> String {
        let tag = self.controller.with_record(|record| record.tag(session));
        tag.owner.map_or_else(String::new, |_| tag.label.to_string())
    }

    /// Replaces a name without a value in the rejected input by a value.
    pub fn fill(self, name: &str, value: &str) {
        let filled =
            self.rejected.with_untracked(|it| it.as_ref().map(|it| it.filled(name, value)));
        if let Some(text) = filled {
            self.write(&text);
        }
    }

    /// Recalls the earlier input before the present one, if there is one.
    pub fn older(self) {
        let older =
            self.input.with_untracked(|input| self.transcript().borrow_mut().inputs.older(input));
        self.recall(older);
    }

    pub fn newer(self) {
        let newer = self.transcript().borrow_mut().inputs.newer();
        self.recall(newer);
    }

    /// The entries by number and version, so that a changed entry has another key; subscribes.
    pub fn listed(self) -> Vec<(u64, u64)> {
        self.version.track();
        self.transcript().borrow().listed()
    }

    /// An entry as it is now; `None` if it is not shown any more.
    pub fn entry(self, number: u64) -> Option<Entry> {
        self.transcript().borrow().entry(number).cloned()
    }

    /// The last command that was sent, as curl or as HTTP; subscribes.
    pub fn last_command(self, form: Form) -> Option<String> {
        self.version.track();
        self.transcript().borrow().entries().last().map(|entry| match form {
            Form::Curl => entry.shell_text(),
            Form::Http => in_form(entry, form),
        })
    }

    /// Runs the queue, and puts commands that cannot be sent back into the input.
    fn proceed(self) {
        if let Some(rejected) = self.run_queue() {
            self.input.set(rejected.text.clone());
            self.rejected.set(Some(rejected));
        }
    }

    /// Runs the queue as far as it goes without waiting. Returns the commands that cannot be sent.
    fn run_queue(self) -> Option<RejectedInput> {
        let rejected = loop {
            self.show();
            let now = self.controller.now.get_untracked();
            let consul = self.controller.version.get_untracked();
            let next = self.transcript().borrow_mut().next(now, consul);
            match next {
                NextStep::Stop(rejected) => break Some(rejected),
                NextStep::Nothing => break None,
                step => drop(self.carry_out(step)),
            }
        };
        self.publish();
        rejected
    }

    /// Carries out a step, and returns the request that it has sent.
    fn carry_out(self, step: NextStep) -> Option<Exchange> {
        match step {
            NextStep::Send { actor, request } => return self.send_request(&actor, request),
            NextStep::Start { actor, entry, words } => self.start_program(&actor, entry, &words),
            NextStep::Pass(span) => self.controller.pass(span),
            NextStep::Stop(_) | NextStep::Nothing => {}
        }
        None
    }

    /// Starts the program of an entry, or shows in the entry why it cannot be started.
    fn start_program(self, actor: &ActorName, entry: u64, program: &str) {
        let acts = self.controller.with_world(|world| start_acts(world, actor, program));
        match acts {
            Ok((name, acts)) => {
                self.transcript().borrow_mut().started(entry, &name);
                acts.into_iter().for_each(|act| self.controller.perform(act));
            }
            Err(problem) => {
                let problem = (form_words().program.start_error)(&problem);
                self.transcript().borrow_mut().not_started(entry, &problem);
            }
        }
    }

    /// Sends the next request of the transcript; `None` if the actor cannot send.
    fn send_request(self, actor: &ActorName, request: HttpRequest) -> Option<Exchange> {
        let sent = self.controller.send(actor, request);
        match &sent {
            Some(exchange) => {
                if self.transcript().borrow_mut().sent(exchange) {
                    self.save();
                }
            }
            None => {
                let now = self.controller.now.get_untracked();
                self.transcript().borrow_mut().unsent(now);
            }
        }
        self.show();
        sent
    }

    /// Saves the typed commands with the world.
    fn save(self) {
        if let Some(world_store) = self.controller.world_store() {
            world_store.set_console(&self.transcript().borrow().saved().to_text());
        }
    }

    /// Shows the requests up to the cursor in the transcript.
    fn show(self) {
        let (controller, now) = (self.controller, self.controller.now.get_untracked());
        let runs = |program: &str| controller.with_world(|it| it.program(program).is_some());
        let transcript = self.transcript();
        controller
            .with_record(|record| transcript.borrow_mut().show(now, record.exchanges(), runs));
        self.publish();
    }

    /// Notifies the subscribers of the transcript if it has changed.
    fn publish(self) {
        let version = self.transcript().borrow().version();
        self.version.set_if_changed(version);
    }

    /// Subscribes to the requests up to the cursor and to their states.
    fn watch(self) {
        self.controller.world.track();
        for row in self.controller.store.exchanges.list().iter() {
            row.signal.track();
        }
    }

    fn recall(self, found: Option<String>) {
        if let Some(text) = found {
            self.write(&text);
        }
    }
}

/// The text of a command in a form; one without a request is always as it was typed.
pub fn in_form(entry: &Entry, form: Form) -> String {
    match (form, entry.request()) {
        (Form::Http, Some(request)) => http_text(request),
        _ => entry.text.clone(),
    }
}
