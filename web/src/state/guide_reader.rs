//! The guide that the reader has pasted, the values that were entered for it, and the steps that
//! were sent. Steps go through the console, which takes values for later steps from the answers.
//! The guide is saved with its world.

use core::time::Duration;
use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::id::{ActorName, RequestId};
use lictor_desk::console::{
    self, CommandPiece, Guide, GuideChoices, SavedGuide, Sender, SentCommand, SentResult,
    StepProblem, StepResult, StepRole,
};
use lictor_sim::record::{ActorTag, EventResult, Exchange, ExchangeState};

use crate::state::terminal::Terminal;

/// The virtual time that passes after each step.
const STEP_SPAN: Duration = Duration::from_secs(1);

/// The guide of a page. A cheap copy: all copies share it.
#[derive(Clone, Copy)]
pub struct GuideReader {
    pub terminal: Terminal,
    /// The text that was pasted.
    pub text: RwSignal<String>,
    /// The guide with its commands; `None` while no text with commands was read.
    pub guide: RwSignal<Option<Arc<Guide>>>,
    /// Whether another text is being entered in place of the guide.
    pub is_pasting: RwSignal<bool>,
    /// Whether the panel is open.
    pub is_open: RwSignal<bool>,
    /// Whether the text was read and has no command.
    pub is_without_commands: RwSignal<bool>,
    pub choices: RwSignal<GuideChoices>,
    /// The step that could not be sent; `None` once another one was.
    pub stopped: RwSignal<Option<usize>>,
    sent: RwSignal<Vec<SentStep>>,
    /// The number of the world whose saved guide was opened last.
    opened: StoredValue<Option<u32>>,
}

/// A step with its request as the world knows it.
pub type SentStep = console::SentStep<Exchange>;

impl GuideReader {
    pub fn new(terminal: Terminal) -> Self {
        let reader = Self {
            terminal,
            text: RwSignal::default(),
            guide: RwSignal::default(),
            is_pasting: RwSignal::new(false),
            is_open: RwSignal::new(false),
            is_without_commands: RwSignal::new(false),
            choices: RwSignal::default(),
            stopped: RwSignal::default(),
            sent: RwSignal::default(),
            opened: StoredValue::new(None),
        };
        Effect::new(move |_| {
            let world = terminal.controller.world.get();
            untrack(|| reader.open_saved());
            reader.opened.set_value(Some(world));
        });
        Effect::new(move |_| reader.save());
        reader
    }

    /// Finds the commands in a text that the reader has entered. If there are none, an earlier
    /// guide is kept. The text of the open guide changes nothing.
    pub fn read(self, text: &str) {
        let has_guide = self.guide.with_untracked(Option::is_some);
        let is_same = has_guide && self.text.with_untracked(|it| it == text);
        let guide = Guide::read(text);
        if has_guide && guide.steps.is_empty() && guide.left_out.is_empty() {
            self.is_without_commands.set(true);
        } else if is_same {
            self.return_to_guide();
        } else {
            self.show(text, guide);
        }
    }

    /// Replaces the guide by that of a text, even if no commands are found in it.
    pub fn open(self, text: &str) {
        self.show(text, Guide::read(text));
    }

    fn show(self, text: &str, guide: Guide) {
        let is_empty = guide.steps.is_empty() && guide.left_out.is_empty();
        self.text.set(text.to_owned());
        self.is_pasting.set(false);
        self.is_without_commands.set(is_empty);
        self.sent.set(Vec::new());
        self.stopped.set(None);
        self.guide.set((!is_empty).then(|| Arc::new(guide)));
    }

    /// Shows the field for another text. The guide stays until commands are found in it.
    pub fn paste_another(self) {
        self.is_pasting.set(true);
    }

    /// Leaves the field for another text.
    pub fn return_to_guide(self) {
        self.is_pasting.set(false);
        self.is_without_commands.set(false);
    }

    /// Whether the steps are shown; subscribes.
    pub fn is_read(self) -> bool {
        self.guide.with(Option::is_some) && !self.is_pasting.get()
    }

    /// Opens the guide that was saved with the world. Without one, the open guide stays, with none
    /// of its steps sent.
    fn open_saved(self) {
        let saved = self.terminal.controller.world_store().map(|it| it.guide()).unwrap_or_default();
        let Some(saved) = SavedGuide::from_text(&saved) else {
            self.sent.set(Vec::new());
            self.stopped.set(None);
            return;
        };
        let controller = self.terminal.controller;
        self.open(&saved.text);
        self.choices.set(saved.choices);
        let sender = ActorName::from(saved.sender.as_str());
        let badge = controller.with_record(|record| record.actor_tag(&sender).map(|it| it.badge));
        if let Some(badge) = badge {
            controller.selected.set(badge);
        }
        if saved.is_open {
            self.is_open.set(true);
        }
        self.terminal.restore(saved.assigned);
        let request = |id| controller.with_record_at_end(|record| record.exchange(id).cloned());
        let opened = saved.sent.into_iter().filter_map(|step| step.with_request(request));
        self.sent.set(opened.collect());
    }

    /// Saves the guide with the world; subscribes.
    fn save(self) {
        let world = self.terminal.controller.world.get();
        let text = if self.guide.with(Option::is_some) { self.saved_text() } else { String::new() };
        // The guide of an earlier world must not replace the one that is saved in this world.
        if self.opened.get_value() == Some(world)
            && let Some(world_store) = self.terminal.controller.world_store()
        {
            world_store.set_guide(&text);
        }
    }

    fn saved_text(self) -> String {
        let saved = SavedGuide {
            text: self.text.get(),
            choices: self.choices.get(),
            assigned: self.terminal.with_variables(|variables| variables.assigned().to_vec()),
            sent: self.sent.get().into_iter().filter_map(|it| self.saved(it)).collect(),
            sender: self.sender().map(|it| it.name.to_string()).unwrap_or_default(),
            is_open: self.is_open.get(),
        };
        saved.to_text()
    }

    /// A sent step in the form in which it is saved; `None` for a step of another branch.
    fn saved(self, step: SentStep) -> Option<console::SentStep<RequestId>> {
        step.with_request(|exchange| {
            let id = exchange.call.id;
            let is_there = self.terminal.controller.with_record_at_end(|record| {
                record.exchange(id).is_some_and(|it| it.is_same_request(&exchange))
            });
            is_there.then_some(id)
        })
    }

    /// The actor that sends; subscribes.
    pub fn sender(self) -> Option<ActorTag> {
        self.terminal.controller.selected_actor()
    }

    /// A step as its senders have sent it up to the cursor, once for each; subscribes.
    pub fn sent_of(self, step: usize) -> Vec<SentStep> {
        self.terminal.controller.store.reached.track();
        self.terminal.controller.store.branch.track();
        let is_shown = |it: &&SentStep| it.step == step && self.is_there(it);
        self.sent.with(|sent| sent.iter().filter(is_shown).cloned().collect())
    }

    /// Whether the request or the program of a step is there at the cursor, on the branch that is
    /// shown. A step that only printed or kept a value always is. Subscribes.
    fn is_there(self, step: &SentStep) -> bool {
        match &step.sent {
            SentCommand::Request(exchange) => self.exchange(exchange).is_some(),
            SentCommand::Started(program) => self
                .terminal
                .controller
                .with_world(|world| world.program(program.as_str()).is_some()),
            SentCommand::Kept { .. } | SentCommand::Printed(_) => true,
        }
    }

    /// A request with its state; subscribes.
    pub fn exchange(self, request: &Exchange) -> Option<ArcRwSignal<Exchange>> {
        self.terminal.controller.exchange(request)
    }

    /// Whether a step was sent in the open world; subscribes.
    pub fn has_sent(self) -> bool {
        self.sent.with(|sent| !sent.is_empty())
    }

    /// The result of a sent step; subscribes.
    pub fn result_of(self, sent: &SentStep) -> StepResult {
        let SentCommand::Request(exchange) = &sent.sent else { return StepResult::Done };
        let Some(exchange) = self.exchange(exchange) else { return StepResult::Waiting };
        exchange.with(|exchange| match (exchange.is_waiting(), is_success(exchange)) {
            (true, _) => StepResult::Waiting,
            (false, true) => StepResult::Done,
            (false, false) => StepResult::Refused,
        })
    }

    /// The next step of the sender, which follows from those that it has sent; subscribes.
    pub fn next_step(self) -> usize {
        let Some(sender) = self.sender() else { return 0 };
        self.terminal.controller.store.branch.track();
        let is_own = |it: &&SentStep| it.sender == sender.name && self.is_there(it);
        let own: Vec<SentStep> =
            self.sent.with(|sent| sent.iter().filter(is_own).cloned().collect());
        let results: Vec<SentResult> =
            own.iter().map(|sent| (sent.step, self.result_of(sent))).collect();
        self.with_sender(|guide, sender| guide.next_step(&results, sender)).unwrap_or_default()
    }

    /// The steps that `send_all` sends if each of them succeeds; subscribes.
    pub fn next_run(self) -> Vec<usize> {
        let first = self.next_step();
        self.with_sender(|guide, sender| guide.run_from(first, sender)).unwrap_or_default()
    }

    /// The command of a step with the values of the sender; subscribes.
    pub fn pieces(self, step: usize) -> Vec<CommandPiece> {
        self.with_sender(|guide, sender| guide.pieces(step, sender)).unwrap_or_default()
    }

    /// The reason why a step cannot be sent; `None` if it can. Subscribes.
    pub fn problem(self, step: usize) -> Option<StepProblem> {
        self.with_sender(|guide, sender| guide.prepare(step, sender).err()).flatten()
    }

    /// Whether a step is impossible until the sender reads something new: the semaphore has no free
    /// slot for it, or none of its slots is the sender's. Subscribes.
    pub fn is_impossible(self, step: usize) -> bool {
        let problem = self.problem(step);
        matches!(problem, Some(StepProblem::NoFreeSlot { .. } | StepProblem::NoSlotHeld))
    }

    /// The value of a name that the answers have given; `None` if they have not. Subscribes.
    pub fn known(self, name: &str) -> Option<String> {
        self.with_sender(|guide, sender| guide.known(name, sender)).flatten()
    }

    /// Whether a step writes a slot that the sender holds already; subscribes.
    pub fn retakes(self, step: usize) -> bool {
        self.with_sender(|guide, sender| guide.retakes(step, sender)).unwrap_or_default()
    }

    /// Sends a step, lets time pass, and returns the result. If the step cannot be sent, marks it
    /// and returns `None`.
    pub fn send(self, step: usize) -> Option<StepResult> {
        let sender = untrack(|| self.sender())?;
        let prepared = untrack(|| {
            self.with_sender(|guide, sender| {
                let command = guide.steps.get(step)?.command.clone();
                let pieces = guide.pieces(step, sender);
                let text = guide.shell_text(step, sender);
                Some((guide.prepare(step, sender).ok()?, (command, text), pieces))
            })
        });
        let Some((filled, command, pieces)) = prepared.flatten() else {
            self.stopped.set(Some(step));
            return None;
        };
        self.stopped.set(None);
        let sent = self.terminal.send_step(&sender.name, command, filled)?;
        let sent = SentStep { step, sender: sender.name, sent, pieces };
        self.sent.update(|all| {
            all.retain(|it| it.step != step || it.sender != sent.sender);
            all.push(sent.clone());
        });
        self.terminal.controller.pass(STEP_SPAN);
        self.terminal.catch_up();
        Some(untrack(|| self.result_of(&self.followed(sent))))
    }

    /// A sent step with the request to which its own was redirected, if that happened: the answer
    /// to that request is the answer to the step.
    fn followed(self, mut sent: SentStep) -> SentStep {
        let SentCommand::Request(exchange) = &sent.sent else { return sent };
        if let Some((next, _)) = self.terminal.redirected_to(exchange) {
            sent.sent = SentCommand::Request(next);
            self.sent.update(|all| {
                for it in all {
                    if it.step == sent.step && it.sender == sent.sender {
                        *it = sent.clone();
                    }
                }
            });
        }
        sent
    }

    /// Sends the next steps, up to the first that waits, is refused, or cannot be sent. A step that
    /// creates the coordinating document may be refused: then the sender joins that document.
    pub fn send_all(self) {
        let run = untrack(|| self.next_run());
        let mut done = BTreeSet::new();
        while let Some(step) = Some(untrack(|| self.next_step())).filter(|it| run.contains(it)) {
            if !done.insert(step) {
                break;
            }
            let role = self.guide.with_untracked(|guide| {
                guide.as_ref().and_then(|it| it.steps.get(step)).map(|it| it.role)
            });
            match self.send(step) {
                Some(StepResult::Done) => {}
                Some(StepResult::Refused) if role == Some(StepRole::CreateLock) => {}
                Some(StepResult::Waiting | StepResult::Refused) | None => break,
            }
        }
    }

    /// Reads the guide with the sender, its variables and the entered values; `None` without a
    /// sender or a guide. Subscribes.
    fn with_sender<T>(self, read: impl FnOnce(&Guide, Sender<'_>) -> T) -> Option<T> {
        let (sender, guide) = (self.sender()?, self.guide.get()?);
        Some(self.terminal.with_variables(|variables| {
            self.choices.with(|choices| {
                read(&guide, Sender { actor: sender.name.as_str(), variables, choices })
            })
        }))
    }
}

/// Whether a request was answered with success; one without an answer was not.
fn is_success(exchange: &Exchange) -> bool {
    match &exchange.state {
        ExchangeState::Answered { outcome, .. } => {
            matches!(EventResult::from(&**outcome), EventResult::True | EventResult::Ok)
        }
        ExchangeState::Waiting { .. }
        | ExchangeState::Cancelled { .. }
        | ExchangeState::Failed { .. } => false,
    }
}
