//! A guide as it is saved with its world: the text, what the reader entered, the steps that were
//! sent, and the values of variables.

use lictor_core::id::{ActorName, RequestId};
use serde::{Deserialize, Serialize};

use super::guide_choices::GuideChoices;
use super::guide_pieces::CommandPiece;
use super::variables::Assigned;

/// The length in bytes of the longest guide that is saved.
const TEXT_MAX: usize = 1 << 18;

/// A guide with everything that it needs to continue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedGuide {
    pub text: String,
    pub choices: GuideChoices,
    pub assigned: Vec<Assigned>,
    pub sent: Vec<SentStep<RequestId>>,
    /// The client that sends.
    #[serde(default)]
    pub sender: String,
    /// Whether the panel was open.
    #[serde(default)]
    pub is_open: bool,
}

/// A step as a client sent it last. `R` is its request, or the id of that in the world.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentStep<R> {
    /// The number of the step, counted from 0.
    pub step: usize,
    pub sender: ActorName,
    pub sent: SentCommand<R>,
    /// The command with its values at that time.
    pub pieces: Vec<CommandPiece>,
}

impl<R> SentStep<R> {
    /// The step with its request in another form; `None` if the request has none.
    pub fn with_request<T>(self, request: impl FnOnce(R) -> Option<T>) -> Option<SentStep<T>> {
        let sent = match self.sent {
            SentCommand::Request(sent) => SentCommand::Request(request(sent)?),
            SentCommand::Kept { name, value } => SentCommand::Kept { name, value },
            SentCommand::Printed(text) => SentCommand::Printed(text),
            SentCommand::Started(program) => SentCommand::Started(program),
        };
        Some(SentStep { step: self.step, sender: self.sender, sent, pieces: self.pieces })
    }
}

/// The effect of a step of a guide.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SentCommand<R> {
    /// A request of the world.
    Request(R),
    /// A variable with its value.
    Kept {
        name: String,
        value: String,
    },
    Printed(String),
    /// A program of this name.
    Started(String),
}

impl SavedGuide {
    /// The guide as JSON; empty if its text is too long to be saved.
    pub fn to_text(&self) -> String {
        if self.text.len() > TEXT_MAX {
            return String::new();
        }
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the JSON of [`to_text`](Self::to_text), or that of an earlier version with fewer
    /// members; `None` for any other text.
    pub fn from_text(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::super::guide_pieces::PieceKind;
    use super::super::variables::Variables;
    use super::*;

    #[test]
    fn a_guide_is_read_as_it_was_saved() {
        let mut choices = GuideChoices::default();
        choices.enter("prefix", "jobs");
        let mut variables = Variables::default();
        variables.assign("web-1", "S", "1");
        let pieces = vec![CommandPiece { text: "curl".into(), kind: PieceKind::Written }];
        let sent = SentCommand::Request(RequestId(7));
        let saved = SavedGuide {
            text: "curl /v1/kv/<prefix>".into(),
            choices,
            assigned: variables.assigned().to_vec(),
            sent: vec![SentStep { step: 0, sender: "web-1".into(), sent, pieces }],
            sender: "web-2".into(),
            is_open: true,
        };
        assert_eq!(SavedGuide::from_text(&saved.to_text()), Some(saved.clone()));
        let earlier = r#"{"text":"","choices":{"entered":{}},"assigned":[],"sent":[]}"#;
        assert_eq!(SavedGuide::from_text(earlier), Some(SavedGuide::default()));
        assert_eq!(SavedGuide::from_text(""), None);
        let long = SavedGuide { text: "x".repeat(TEXT_MAX + 1), ..saved };
        assert_eq!(long.to_text(), "");
    }
}
