//! The ids of sessions that the author of a guide has copied into it. The reader chooses once for
//! each id the client whose session replaces it in all steps; without a choice, the id is sent as
//! it is written.

use super::command::FilledCommand;
use super::guide::{Guide, MissingValue, Sender, StepProblem, StepRole, ValueSource};
use super::guide_choices::GuideChoices;
use super::guide_pieces::{CommandPiece, PieceKind};

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

    /// The ids of a step for which a reader has chosen a client, each with its session if it has
    /// one.
    fn chosen(
        &self,
        at: usize,
        (_, variables): Sender<'_>,
        choices: &GuideChoices,
    ) -> Vec<(String, Option<String>)> {
        let text = self.steps.get(at).map_or("", |step| &step.command.text);
        let chosen = ids_in(text).into_iter().filter_map(|id| {
            let session = variables.value(&choices.value(id)?, "session");
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
        choices: &GuideChoices,
    ) -> Result<FilledCommand, StepProblem> {
        let mut missing = Vec::new();
        for (id, session) in self.chosen(at, sender, choices) {
            match session {
                Some(session) => filled = filled.with_text(&id, &session),
                None => {
                    let create = self.position(StepRole::CreateSession);
                    let source = create.map_or(ValueSource::Reader, ValueSource::Step);
                    missing.push(MissingValue { name: id, source });
                }
            }
        }
        if missing.is_empty() { Ok(filled) } else { Err(StepProblem::Missing(missing)) }
    }

    /// The pieces of a command with sessions in place of the ids.
    pub(super) fn pieces_with_sessions(
        &self,
        at: usize,
        mut pieces: Vec<CommandPiece>,
        sender: Sender<'_>,
        choices: &GuideChoices,
    ) -> Vec<CommandPiece> {
        for (id, session) in self.chosen(at, sender, choices) {
            let create = self.position(StepRole::CreateSession);
            let (text, kind) = match session {
                Some(session) => (session, PieceKind::Filled),
                None => (id.clone(), PieceKind::Missing(create)),
            };
            pieces = pieces.into_iter().flat_map(|piece| split(piece, &id, &text, kind)).collect();
        }
        pieces
    }

    /// The text of a command with sessions in place of the ids.
    pub(super) fn text_with_sessions(
        &self,
        at: usize,
        text: String,
        sender: Sender<'_>,
        choices: &GuideChoices,
    ) -> String {
        let chosen = self.chosen(at, sender, choices).into_iter();
        chosen.fold(text, |text, (id, session)| match session {
            Some(session) => text.replace(&id, &session),
            None => text,
        })
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
fn ids_in(text: &str) -> Vec<&str> {
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
