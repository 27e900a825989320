//! The ids of sessions that the author of a guide has copied into it. An id of a sample answer is
//! replaced by the session that the sender has created with the step above the sample. For each id,
//! the reader can choose a client whose session replaces it in all steps, or that it is sent as it
//! is written, as is an id of which the text does not say whose it is.

use super::command::FilledCommand;
use super::guide::{Guide, MissingValue, Sender, StepProblem, StepRole, ValueSource};
use super::guide_choices::GuideChoices;
use super::guide_pieces::{CommandPiece, PieceKind};

/// The choice for an id that is sent as it is written.
pub const AS_WRITTEN: &str = "-";

/// The lengths of the groups of digits of an id.
const GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

impl Guide {
    /// The ids that are written in the commands, each once.
    pub(super) fn written_ids(&self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for id in self.steps.iter().flat_map(|step| ids_in(&step.command.text)) {
            if !ids.iter().any(|known| known == id) {
                ids.push(id.to_owned());
            }
        }
        ids
    }

    fn ids_of(&self, number: usize) -> Vec<&str> {
        self.steps.get(number).map_or_else(Vec::new, |step| ids_in(&step.command.text))
    }

    /// The step to whose sample answer an id belongs.
    pub fn step_of_id(&self, id: &str) -> Option<usize> {
        self.sample_ids.iter().find(|(known, _)| known == id).map(|(_, step)| *step)
    }

    /// Whether a step sends an id that belongs to nobody here.
    pub fn sends_written_id(&self, number: usize, choices: &GuideChoices) -> bool {
        self.ids_of(number).into_iter().any(|id| match choices.value(id) {
            Some(choice) => choice == AS_WRITTEN,
            None => self.step_of_id(id).is_none(),
        })
    }

    /// The ids of a step that are replaced, each with its session if it has one.
    pub(super) fn chosen(
        &self,
        number: usize,
        sender: Sender<'_>,
    ) -> Vec<(String, Option<String>)> {
        let chosen = self.ids_of(number).into_iter().filter_map(|id| {
            let session = match (sender.choices.value(id), self.step_of_id(id)) {
                (Some(choice), _) if choice == AS_WRITTEN => return None,
                (Some(client), _) => sender.variables.value(&client, "session"),
                (None, Some(create)) => {
                    let name = self.steps.get(create)?.command.assign.as_deref()?;
                    sender.variables.value_of_own(sender.actor, name)
                }
                (None, None) => return None,
            };
            Some((id.to_owned(), session))
        });
        chosen.collect()
    }

    /// A command with sessions in place of the ids. Fails with the ids whose clients have no
    /// session.
    pub(super) fn with_sessions(
        &self,
        at: usize,
        mut filled: FilledCommand,
        sender: Sender<'_>,
    ) -> Result<FilledCommand, StepProblem> {
        let mut missing = Vec::new();
        for (id, session) in self.chosen(at, sender) {
            match session {
                Some(session) => filled = filled.with_text(&id, &session),
                None => {
                    let source = self.create_of(&id).map_or(ValueSource::Reader, ValueSource::Step);
                    missing.push(MissingValue { name: id, source });
                }
            }
        }
        if missing.is_empty() { Ok(filled) } else { Err(StepProblem::Missing(missing)) }
    }

    /// The step that creates the session for an id.
    fn create_of(&self, id: &str) -> Option<usize> {
        self.step_of_id(id).or_else(|| self.position(StepRole::CreateSession))
    }

    /// The pieces of a command with sessions in place of the ids.
    pub(super) fn pieces_with_sessions(
        &self,
        at: usize,
        mut pieces: Vec<CommandPiece>,
        sender: Sender<'_>,
    ) -> Vec<CommandPiece> {
        for (id, session) in self.chosen(at, sender) {
            let create = self.create_of(&id);
            let (text, kind) = match session {
                Some(session) => (session, PieceKind::Filled),
                None => (id.clone(), PieceKind::Missing(create)),
            };
            pieces = pieces.into_iter().flat_map(|piece| split(piece, &id, &text, kind)).collect();
        }
        pieces
    }
}

/// Splits a piece of written text at an id, with another piece in each place of the id.
fn split(piece: CommandPiece, id: &str, text: &str, kind: PieceKind) -> Vec<CommandPiece> {
    if piece.kind != PieceKind::Written {
        return vec![piece];
    }
    let mut pieces = Vec::new();
    for (number, written) in piece.text.split(id).enumerate() {
        if number > 0 {
            pieces.push(CommandPiece { text: text.to_owned(), kind });
        }
        if !written.is_empty() {
            pieces.push(CommandPiece { text: written.to_owned(), kind: PieceKind::Written });
        }
    }
    pieces
}

/// The ids in a text, each once, in alphabetical order.
pub(super) fn ids_in(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_ascii_hexdigit() || c == '-';
    let is_id = |word: &&str| {
        let groups = word.split('-').map(str::len);
        groups.eq(GROUPS)
    };
    let mut ids: Vec<&str> = text.split(|c| !is_part(c)).filter(is_id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}
