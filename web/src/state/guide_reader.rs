//! The guide that the reader has pasted, what was entered for it, and what was sent. Its steps go
//! through the console, which takes the values of later steps from the answers. The guide is saved
//! with its world.

use core::time::Duration;
use std::collections::BTreeSet;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::id::ActorName;
use lictor_sandbox::console::{
    CommandPiece, Guide, GuideChoices, SavedCommand, SavedGuide, SavedStep, Sender, SentResult,
    StepProblem, StepResult, StepRole,
};
use lictor_sandbox::faults::Obstacle;
use lictor_sim::record::{ActorTag, EventResult, Exchange, ExchangeState};

use crate::state::terminal::{SentCommand, Terminal};

/// The virtual time that passes after each step.
const STEP_SPAN: Duration = Duration::from_secs(1);

/// The guide of a page. A `Copy` handle.
#[derive(Clone, Copy)]
pub struct GuideReader {
    pub terminal: Terminal,
    /// What was pasted.
    pub text: RwSignal<String>,
    /// The commands that were found; none while a text is being entered.
    pub guide: RwSignal<Option<Arc<Guide>>>,
    /// Whether another text is being entered in place of the guide.
    pub is_pasting: RwSignal<bool>,
    /// Whether the panel is open.
    pub is_open: RwSignal<bool>,
    /// Whether the text was read and has no command.
    pub is_without_commands: RwSignal<bool>,
    pub choices: RwSignal<GuideChoices>,
    /// The step that was not sent because values are missing.
    pub stopped: RwSignal<Option<usize>>,
    sent: RwSignal<Vec<SentStep>>,
    /// The world whose saved guide was opened.
    opened: StoredValue<Option<u32>>,
}

/// A step as an actor sent it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentStep {
    pub step: usize,
    pub sender: ActorName,
    pub sent: SentCommand,
    /// The command as it was sent.
    pub pieces: Vec<CommandPiece>,
}

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

    /// Finds the commands in a text that a reader has entered. A text without commands stays in the
    /// field, and the guide before it stays too; the same text changes nothing.
    pub fn read(self, text: &str) {
        let has_guide = self.guide.with_untracked(Option::is_some);
        let is_same = has_guide && self.text.with_untracked(|of| of == text);
        let guide = Guide::read(text);
        if has_guide && guide.steps.is_empty() && guide.left_out.is_empty() {
            self.is_without_commands.set(true);
        } else if is_same {
            self.return_to_guide();
        } else {
            self.show(text, guide);
        }
    }

    /// Replaces the guide, for a script.
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

    /// Offers the field for another text. The guide stays until commands are found in it.
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

    /// Opens the guide that was saved with the world. Without one, the guide that is open begins
    /// anew in this world.
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
        let opened =
            saved.sent.into_iter().filter_map(|SavedStep { step, sender, sent, pieces }| {
                let sent = match sent {
                    SavedCommand::Request(id) => {
                        let found =
                            controller.with_record_at_end(|record| record.exchange(id).cloned());
                        SentCommand::Request(found?)
                    }
                    SavedCommand::Kept { name, value } => SentCommand::Kept { name, value },
                    SavedCommand::Printed(text) => SentCommand::Printed(text),
                    SavedCommand::Started(program) => SentCommand::Started(program),
                };
                Some(SentStep { step, sender: ActorName::from(sender.as_str()), sent, pieces })
            });
        self.sent.set(opened.collect());
    }

    /// Saves the guide with the world; subscribes.
    fn save(self) {
        let world = self.terminal.controller.world.get();
        let text = if self.guide.with(Option::is_some) { self.saved_text() } else { String::new() };
        // Otherwise the guide of the world before would replace the saved one.
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
            sent: self.sent.with(|sent| sent.iter().filter_map(|it| self.saved(it)).collect()),
            sender: self.sender().map(|it| it.name.to_string()).unwrap_or_default(),
            is_open: self.is_open.get(),
        };
        saved.to_text()
    }

    /// None for a step of another branch.
    fn saved(self, step: &SentStep) -> Option<SavedStep> {
        let sent = match step.sent.clone() {
            SentCommand::Request(exchange) => {
                let id = exchange.call.id;
                let is_there = self.terminal.controller.with_record_at_end(|record| {
                    record.exchange(id).is_some_and(|it| it.is_same_request(&exchange))
                });
                SavedCommand::Request(Some(id).filter(|_| is_there)?)
            }
            SentCommand::Kept { name, value } => SavedCommand::Kept { name, value },
            SentCommand::Printed(text) => SavedCommand::Printed(text),
            SentCommand::Started(program) => SavedCommand::Started(program),
        };
        let (sender, pieces) = (step.sender.to_string(), step.pieces.clone());
        Some(SavedStep { step: step.step, sender, sent, pieces })
    }

    /// The actor that sends; subscribes.
    pub fn sender(self) -> Option<ActorTag> {
        self.terminal.controller.selected_actor()
    }

    /// The fault that keeps the sender from asking the server; subscribes.
    pub fn obstacle(self) -> Option<Obstacle> {
        let row = self.terminal.controller.selected_row()?;
        row.with(|row| Obstacle::of(&row.host))
    }

    /// What was sent of a step up to the cursor, once for each sender; subscribes.
    pub fn sent_of(self, step: usize) -> Vec<SentStep> {
        self.terminal.controller.store.reached.track();
        self.terminal.controller.store.branch.track();
        let is_shown = |it: &&SentStep| it.step == step && self.is_there(it);
        self.sent.with(|sent| sent.iter().filter(is_shown).cloned().collect())
    }

    /// Whether a step was sent before the cursor, on the branch that is shown; subscribes.
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

    /// What became of a step; subscribes.
    pub fn result_of(self, sent: &SentStep) -> StepResult {
        let SentCommand::Request(exchange) = &sent.sent else { return StepResult::Done };
        let Some(exchange) = self.exchange(exchange) else { return StepResult::Waiting };
        exchange.with(|exchange| match (exchange.is_waiting(), is_success(exchange)) {
            (true, _) => StepResult::Waiting,
            (false, true) => StepResult::Done,
            (false, false) => StepResult::Refused,
        })
    }

    /// The step that follows the last one that the sender has sent, or the first one; subscribes.
    pub fn next_step(self) -> usize {
        let Some(sender) = self.sender() else { return 0 };
        self.terminal.controller.store.branch.track();
        let is_own = |it: &&SentStep| it.sender == sender.name && self.is_there(it);
        let own: Vec<SentStep> =
            self.sent.with(|sent| sent.iter().filter(is_own).cloned().collect());
        let results: Vec<SentResult> =
            own.iter().map(|sent| (sent.step, self.result_of(sent))).collect();
        self.with_sender(|guide, sender, choices| guide.following(&results, sender, choices))
            .unwrap_or_default()
    }

    /// The steps that `send_all` sends if each of them succeeds; subscribes.
    pub fn next_run(self) -> Vec<usize> {
        let first = self.next_step();
        self.with_sender(|guide, sender, choices| guide.run_from(first, sender, choices))
            .unwrap_or_default()
    }

    /// The command of a step with the values of the sender; subscribes.
    pub fn pieces(self, step: usize) -> Vec<CommandPiece> {
        self.with_sender(|guide, sender, choices| guide.pieces(step, sender, choices))
            .unwrap_or_default()
    }

    /// Why a step cannot be sent; subscribes.
    pub fn problem(self, step: usize) -> Option<StepProblem> {
        self.with_sender(|guide, sender, choices| guide.prepare(step, sender, choices).err())
            .flatten()
    }

    /// Whether a step is impossible as long as the sender knows nothing new; subscribes.
    pub fn is_impossible(self, step: usize) -> bool {
        let problem = self.problem(step);
        matches!(problem, Some(StepProblem::NoFreeSlot { .. } | StepProblem::NoSlotHeld))
    }

    /// What the answers say about a name; subscribes.
    pub fn known(self, name: &str) -> Option<String> {
        self.with_sender(|guide, sender, choices| guide.known(name, sender, choices)).flatten()
    }

    /// Whether a step writes a slot that the sender holds already; subscribes.
    pub fn retakes(self, step: usize) -> bool {
        self.with_sender(|guide, sender, choices| guide.retakes(step, sender, choices))
            .unwrap_or_default()
    }

    /// Sends a step, and lets time pass. The step is marked if it cannot be sent.
    pub fn send(self, step: usize) -> Option<StepResult> {
        let sender = untrack(|| self.sender())?;
        let prepared = untrack(|| {
            self.with_sender(|guide, sender, choices| {
                let command = guide.steps.get(step)?.command.clone();
                let pieces = guide.pieces(step, sender, choices);
                let text = guide.shell_text(step, sender, choices);
                Some((guide.prepare(step, sender, choices).ok()?, (command, text), pieces))
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

    /// A step with the request to which its own was redirected: its answer is that of the step.
    fn followed(self, mut sent: SentStep) -> SentStep {
        let SentCommand::Request(exchange) = &sent.sent else { return sent };
        if let Some((next, _)) = self.terminal.redirected_to(exchange) {
            sent.sent = SentCommand::Request(next);
            self.sent.update(|all| {
                let is_its = |it: &&mut SentStep| it.step == sent.step && it.sender == sent.sender;
                all.iter_mut().filter(is_its).for_each(|it| *it = sent.clone());
            });
        }
        sent
    }

    /// Sends the next steps, up to the first that cannot be sent or is refused. The document that
    /// coordinates may exist already: then the sender joins it.
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

    fn with_sender<T>(
        self,
        read: impl FnOnce(&Guide, Sender<'_>, &GuideChoices) -> T,
    ) -> Option<T> {
        let (sender, guide) = (self.sender()?, self.guide.get()?);
        Some(self.terminal.with_variables(|variables| {
            self.choices.with(|choices| read(&guide, (sender.name.as_str(), variables), choices))
        }))
    }
}

/// Whether the request succeeded.
pub fn is_success(exchange: &Exchange) -> bool {
    match &exchange.state {
        ExchangeState::Answered { outcome, .. } => {
            matches!(EventResult::from(&**outcome), EventResult::True | EventResult::Ok)
        }
        ExchangeState::Waiting { .. }
        | ExchangeState::Cancelled { .. }
        | ExchangeState::Failed { .. } => false,
    }
}
