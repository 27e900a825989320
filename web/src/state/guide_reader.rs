//! The guide that the reader has pasted, what was chosen for it, and what was sent. Its requests go
//! through the console's `Terminal`, which takes the values of later steps from the answers.

use core::time::Duration;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::id::ActorName;
use lictor_sandbox::console::{
    CommandPiece, Guide, GuideChoices, MissingValue, StepRole, Variables,
};
use lictor_sandbox::request_ids::ExchangeId;
use lictor_sim::record::{ActorTag, EventResult};
use lictor_sim::record::{Exchange, ExchangeState};

use crate::state::terminal::Terminal;

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
    /// Whether the text was read and has no command.
    pub is_without_commands: RwSignal<bool>,
    pub choices: RwSignal<GuideChoices>,
    /// The step that was not sent because values are missing.
    pub stopped: RwSignal<Option<usize>>,
    sent: RwSignal<Vec<SentStep>>,
}

/// A step as an actor sent it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentStep {
    pub step: usize,
    pub sender: ActorName,
    pub id: ExchangeId,
}

impl GuideReader {
    pub fn new(terminal: Terminal) -> Self {
        let reader = Self {
            terminal,
            text: RwSignal::default(),
            guide: RwSignal::default(),
            is_without_commands: RwSignal::new(false),
            choices: RwSignal::default(),
            stopped: RwSignal::default(),
            sent: RwSignal::default(),
        };
        Effect::new(move |_| {
            terminal.controller.world.track();
            reader.sent.set(Vec::new());
            reader.stopped.set(None);
        });
        reader
    }

    /// Finds the commands in a text; a text without commands stays in the field.
    pub fn read(self, text: &str) {
        let guide = Guide::read(text);
        let is_empty = guide.steps.is_empty();
        self.text.set(text.to_owned());
        self.is_without_commands.set(is_empty);
        self.sent.set(Vec::new());
        self.stopped.set(None);
        self.guide.set((!is_empty).then(|| Arc::new(guide)));
    }

    /// Drops the guide, so that another text can be pasted.
    pub fn close(self) {
        self.guide.set(None);
        self.text.set(String::new());
    }

    /// The actor that sends; subscribes.
    pub fn sender(self) -> Option<ActorTag> {
        self.terminal.controller.selected_actor()
    }

    /// The requests of a step that were sent in the current world; subscribes.
    pub fn sent_of(self, step: usize) -> Vec<SentStep> {
        let is_shown = |it: &&SentStep| it.step == step && self.exchange(it.id).is_some();
        self.terminal.controller.store.branch.track();
        self.sent.with(|sent| sent.iter().filter(is_shown).cloned().collect())
    }

    pub fn exchange(self, id: ExchangeId) -> Option<ArcRwSignal<Exchange>> {
        self.terminal.controller.exchange(id)
    }

    /// The step after the last one that the sender has sent, or the first one; subscribes.
    pub fn next_step(self) -> usize {
        let Some(sender) = self.sender() else { return 0 };
        self.terminal.controller.store.branch.track();
        let is_own = |it: &&SentStep| it.sender == sender.name && self.exchange(it.id).is_some();
        let last = self.sent.with(|sent| sent.iter().rfind(is_own).map(|it| it.step));
        let count = self.guide.with(|guide| guide.as_ref().map_or(0, |guide| guide.steps.len()));
        last.map(|last| last + 1).filter(|next| *next < count).unwrap_or_default()
    }

    /// The steps that `send_all` sends: from the next one to the last one before a lock, a slot or
    /// a session is released; subscribes.
    pub fn next_run(self) -> core::ops::Range<usize> {
        let first = self.next_step();
        let gives_up = |role| {
            matches!(role, StepRole::Release | StepRole::ReleaseSlot | StepRole::DestroySession)
        };
        self.guide.with(|guide| {
            let Some(guide) = guide else { return first..first };
            let release = guide.steps.iter().position(|step| gives_up(step.role));
            let end = release.filter(|release| *release > first).unwrap_or(guide.steps.len());
            first..end
        })
    }

    /// The command of a step with the values of the sender; subscribes.
    pub fn pieces(self, step: usize) -> Vec<CommandPiece> {
        self.with_sender(|guide, sender, choices| guide.pieces(step, sender, choices))
            .unwrap_or_default()
    }

    /// The values that a step lacks; subscribes.
    pub fn missing(self, step: usize) -> Vec<MissingValue> {
        self.with_sender(|guide, sender, choices| guide.request(step, sender, choices).err())
            .flatten()
            .unwrap_or_default()
    }

    /// Sends a step, and lets time pass. False if a value is missing, or if the answer is no
    /// success.
    pub fn send(self, step: usize) -> bool {
        let Some(sender) = untrack(|| self.sender()) else { return false };
        let request = untrack(|| {
            self.with_sender(|guide, sender, choices| guide.request(step, sender, choices))
        });
        let Some(Ok(request)) = request else {
            self.stopped.set(Some(step));
            return false;
        };
        self.stopped.set(None);
        let Some(id) = self.terminal.send_request(&sender.name, request) else { return false };
        self.sent.update(|sent| {
            sent.retain(|it| it.step != step || it.sender != sender.name);
            sent.push(SentStep { step, sender: sender.name, id });
        });
        self.terminal.controller.pass(STEP_SPAN);
        self.terminal.catch_up();
        self.exchange(id).is_some_and(|exchange| exchange.with_untracked(is_success))
    }

    /// Sends the next steps, up to the first false or missing value.
    pub fn send_all(self) {
        let _ = untrack(|| self.next_run()).all(|step| self.send(step));
    }

    fn with_sender<T>(
        self,
        read: impl FnOnce(&Guide, (&str, &Variables), &GuideChoices) -> T,
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
        ExchangeState::Waiting { .. } | ExchangeState::Cancelled { .. } => false,
    }
}
