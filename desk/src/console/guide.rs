//! A published guide that was pasted whole: the commands found in its text, as steps in their
//! order. The placeholders of a step get their values from the reader's choices and from the
//! answers that the sender has received. A placeholder without a value has the step whose answer
//! will contain it, or is left to the reader.

use serde::Serialize;

use super::command::{ConsoleCommand, FilledCommand};
use super::error::ErrorKind;
use super::guide_choices::{GuideChoices, GuideQuestion, QuestionKind};
use super::guide_pieces::{CommandPiece, PieceKind, pieces, shell_text};
use super::variables::{HOST_NAME, Variables, file_of, folded};

/// The commands of a guide.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guide {
    pub steps: Vec<GuideStep>,
    /// The variables and files that the text sets without a request, in its order.
    pub(super) settings: Vec<Setting>,
    /// The ids of sessions in samples of answers, each with the step whose answer it is.
    pub(super) sample_ids: Vec<(String, usize)>,
    /// The commands that the console refuses.
    pub left_out: Vec<LeftOut>,
    /// The number of pasted lines, including prose.
    pub lines: usize,
    /// The number of JSON samples that were left out.
    pub samples: usize,
}

/// A variable or a file that the text sets without a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// The number of steps before it.
    pub(super) steps_before: usize,
    pub(super) name: String,
    pub(super) command: ConsoleCommand,
}

/// A command of the text that is no step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its first line, counted from 1.
    pub line: usize,
    pub lines: usize,
    pub text: String,
    pub kind: ErrorKind,
}

/// One command of a guide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuideStep {
    /// Its first line, counted from 1.
    pub line: usize,
    pub lines: usize,
    pub role: StepRole,
    pub origin: StepOrigin,
    pub command: ConsoleCommand,
    /// The address with the values that the text itself sets.
    pub(super) address: Option<String>,
}

/// The purpose of a step, for its heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepRole {
    CreateSession,
    RenewSession,
    DestroySession,
    /// Acquire a key, such as a semaphore's contender key.
    Acquire,
    Release,
    /// Create a semaphore's `.lock` document with `cas=0`.
    CreateLock,
    /// Add the sender to the holders in the document.
    TakeSlot,
    /// Remove the sender from the holders in the document.
    ReleaseSlot,
    Read,
    /// A blocking query.
    Watch,
    Delete,
    /// Write a key if it has not changed: `cas`.
    CheckAndSet,
    WriteKey,
    /// Let time pass.
    Pass,
    /// Start a program of the client.
    Start,
    Other,
}

/// The origin of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepOrigin {
    Written,
    /// Written without an address, which was completed.
    Completed,
    /// The prose describes it without a command.
    Described,
}

/// Why a step cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepProblem {
    Missing(Vec<MissingValue>),
    /// Live sessions hold all slots. `watch` is the step that waits for a free one.
    NoFreeSlot {
        limit: u64,
        watch: Option<usize>,
    },
    /// The sender holds no slot that it could release.
    NoSlotHeld,
    /// The command cannot be sent with these values.
    Faulty(ErrorKind),
}

/// A placeholder without a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingValue {
    pub name: String,
    pub source: ValueSource,
}

/// The source of the value of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueSource {
    /// The answer to this step, counted from 0.
    Step(usize),
    /// The reader enters it.
    Reader,
}

/// Some lines of the pasted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedText {
    pub text: String,
    pub mark: TextMark,
}

/// The meaning of some lines of the pasted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMark {
    Prose,
    /// Commands of steps; this is the first one, counted from 0.
    Step(usize),
    /// The number of the command in [`Guide::left_out`].
    LeftOut(usize),
}

/// What became of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum StepResult {
    Waiting,
    Refused,
    Done,
}

/// The client that sends a step, the variables, and what the reader has entered.
#[derive(Clone, Copy)]
pub struct Sender<'a> {
    pub actor: &'a str,
    pub variables: &'a Variables,
    pub choices: &'a GuideChoices,
}

impl Sender<'_> {
    /// The session that it created last.
    pub(super) fn session(self) -> Option<String> {
        self.variables.value(self.actor, "session")
    }
}

impl Guide {
    /// The questions that the reader has to answer before the steps can be sent.
    pub fn questions(&self) -> Vec<GuideQuestion> {
        let mut questions: Vec<GuideQuestion> = Vec::new();
        let mut add = |name: &str, kind| {
            let is_same = |it: &GuideQuestion| it.kind == kind && folded(&it.name) == folded(name);
            if !questions.iter().any(is_same) {
                questions.push(GuideQuestion { name: name.to_owned(), kind });
            }
        };
        for (number, step) in self.steps.iter().enumerate() {
            for (name, place) in self.required_names(number) {
                let source = self.source_at(place, &name);
                if source == ValueSource::Step(number) || step.composes(&name) {
                    continue;
                }
                match self.meaning(&name).as_str() {
                    "prefix" | "lock" => add("prefix", QuestionKind::Prefix),
                    "body" => add(&name, QuestionKind::Body),
                    _ if source != ValueSource::Reader || name == HOST_NAME => {}
                    "key" => add(&name, QuestionKind::Key),
                    _ if file_of(&name).is_some() => add(&name, QuestionKind::File),
                    _ => add(&name, QuestionKind::Value),
                }
            }
        }
        if self.steps.iter().any(GuideStep::composes_document) {
            add("Limit", QuestionKind::Limit);
        }
        self.written_ids().iter().for_each(|id| add(id, QuestionKind::Session));
        questions.sort_by_key(|it| it.kind);
        questions
    }

    /// The pasted text in pieces, each with its steps or with the command that was left out.
    pub fn marked(&self, text: &str) -> Vec<MarkedText> {
        let lines: Vec<&str> = text.lines().collect();
        let mut marked: Vec<MarkedText> = Vec::new();
        let mut first = 0;
        while first < lines.len() {
            let mark = self.mark(first + 1);
            let is_same = |line: &usize| self.mark(line + 1) == mark;
            let count = (first..lines.len()).take_while(is_same).count().max(1);
            marked.push(MarkedText { text: lines[first..first + count].join("\n"), mark });
            first += count;
        }
        marked
    }

    fn mark(&self, line: usize) -> TextMark {
        let is_in = |first: usize, count: usize| (first..first + count).contains(&line);
        if let Some(index) = self.left_out.iter().position(|it| is_in(it.line, it.lines)) {
            return TextMark::LeftOut(index);
        }
        match self.steps.iter().position(|it| is_in(it.line, it.lines)) {
            Some(step) => TextMark::Step(step),
            None => TextMark::Prose,
        }
    }

    /// The command of a step with the values of a sender, or why it cannot be sent.
    pub fn prepare(&self, number: usize, sender: Sender<'_>) -> Result<FilledCommand, StepProblem> {
        let Some(step) = self.steps.get(number) else {
            return Err(StepProblem::Missing(Vec::new()));
        };
        if let Some(limit) = self.full_limit(number, sender) {
            let watch = self.position(StepRole::Watch);
            return Err(StepProblem::NoFreeSlot { limit, watch });
        }
        let is_release = step.role == StepRole::ReleaseSlot;
        if is_release && self.has_slot(number, sender) == Some(false) {
            return Err(StepProblem::NoSlotHeld);
        }
        let value = |name: &str| self.value(number, name, sender);
        let errors = match step.command.fill(&value) {
            Ok(filled) => return self.with_sessions(number, filled, sender),
            Err(errors) => errors,
        };
        let mut missing: Vec<MissingValue> = Vec::new();
        for error in errors {
            let ErrorKind::NoValue(name) = error.kind else {
                return Err(StepProblem::Faulty(error.kind));
            };
            for value in self.lacking(number, &name, sender) {
                if !missing.iter().any(|it| it.name == value.name) {
                    missing.push(value);
                }
            }
        }
        Err(StepProblem::Missing(missing))
    }

    /// The values that are missing for a placeholder without a value. For a document that the step
    /// composes, these are the session of its sender and the limit.
    fn lacking(&self, number: usize, name: &str, sender: Sender<'_>) -> Vec<MissingValue> {
        let missing = |name: &str| MissingValue {
            name: name.to_owned(),
            source: self.source_at(self.place_of(number), name),
        };
        let Some(step) = self.steps.get(number).filter(|step| step.composes(name)) else {
            if folded(name) == "lock" {
                return vec![missing("prefix")];
            }
            let mut found = Vec::new();
            self.lacking_at(self.place_of(number), name, sender, &mut found);
            return found;
        };
        let mut names = Vec::new();
        if sender.session().is_none() {
            names.push(missing("session"));
        }
        if step.role == StepRole::CreateLock && sender.choices.limit().is_none() || names.is_empty()
        {
            names.push(missing("Limit"));
        }
        names
    }

    /// The text of a step's command with the values that a sender has, for a shell.
    pub fn shell_text(&self, number: usize, sender: Sender<'_>) -> String {
        let Some(step) = self.steps.get(number) else { return String::new() };
        let text = shell_text(&step.command, &|name| self.value(number, name, sender));
        let chosen = self.chosen(number, sender).into_iter();
        chosen.fold(text, |text, (id, session)| text.replace(&id, session.as_ref().unwrap_or(&id)))
    }

    /// The text of a step's command in pieces, with the values that a sender has.
    pub fn pieces(&self, number: usize, sender: Sender<'_>) -> Vec<CommandPiece> {
        let missing = match self.prepare(number, sender) {
            Err(StepProblem::Missing(missing)) => missing,
            Ok(_) | Err(_) => Vec::new(),
        };
        let Some(step) = self.steps.get(number) else { return Vec::new() };
        let kind_of = |name: &str| {
            let lacking = self.lacking(number, name, sender);
            let is_composed = step.composes(name);
            match missing.iter().find(|it| lacking.contains(it)) {
                Some(MissingValue { source: ValueSource::Step(from), .. }) => {
                    PieceKind::Missing(Some(*from))
                }
                Some(_) => PieceKind::Missing(None),
                None if is_composed => PieceKind::Composed,
                None => PieceKind::Filled,
            }
        };
        let found = pieces(&step.command, &kind_of, &|name| self.value(number, name, sender));
        self.pieces_with_sessions(number, found, sender)
    }
}
