//! The console's language: typed or pasted text becomes requests. It accepts curl and the consul
//! program as guides use them, plain HTTP lines, and variables. It is pure: text goes in; commands,
//! or errors with positions, come out. `parse` parses, `transcript` sends the commands in order and
//! keeps their answers, `variables` fills placeholders from answers.

mod answer;
mod assignment;
mod command;
mod completion;
mod consul;
mod curl;
mod error;
mod file_text;
mod guide;
mod guide_pieces;
mod http_line;
mod input_history;
mod jq;
mod kv_output;
mod parse;
mod placeholders;
mod program;
mod shell;
mod text_cursor;
mod token;
mod transcript;
mod url;
mod variables;

pub use answer::{AnswerView, BodyView};
pub use command::{
    AnswerParts, CommandKind, ConsoleCommand, FilledCommand, MethodSource, RequestTemplate,
};
pub use completion::{Completion, NameKind, complete};
pub use error::{CommandError, ErrorKind, TextPosition, TextSpan, Unclosed, position_of};
pub use file_text::with_file;
pub use guide::{
    Guide, GuideChoices, GuideQuestion, GuideStep, MissingValue, StepOrigin, StepRole,
};
pub use guide_pieces::{CommandPiece, PieceKind};
pub use http_line::http_text;
pub use input_history::InputHistory;
pub use parse::{is_unfinished, read};
pub use placeholders::PlaceholderValues;
pub use token::Token;
pub use transcript::{Entry, EntryState, NextStep, ReceivedAnswer, RejectedInput, Transcript};
pub use variables::Variables;

#[cfg(test)]
mod guide_tests;
#[cfg(test)]
pub(crate) mod tests;
