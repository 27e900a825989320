//! The console: reads typed or pasted text as commands, fills their placeholders from the answers
//! of earlier commands, and keeps the entries. It accepts curl and the consul program as guides use
//! them, lines of HTTP, variables, files that are written here, and loops that send a request. A
//! pasted guide is a list of steps. It sends nothing: its results are requests, or errors with
//! positions in the text.

mod answer;
mod answer_filter;
mod arithmetic;
mod command;
mod command_start;
mod completion;
mod consul;
mod curl;
mod entry;
mod error;
mod file_text;
mod guide;
mod guide_choices;
mod guide_order;
mod guide_pieces;
mod guide_sessions;
mod guide_text;
mod guide_values;
mod here_document;
mod http_line;
mod input_history;
mod keyword;
mod known_keys;
mod kv_output;
mod parse;
mod pipeline;
mod program;
mod request;
mod saved_console;
mod saved_guide;
mod shell;
mod shell_loop;
mod text_cursor;
mod transcript;
mod url;
mod variables;
mod word;
mod words;
mod write_out;

pub use answer::{AnswerView, BodyView};
pub use command::{ConsoleCommand, FilledCommand, Note};
pub use completion::{Completion, NameKind, complete};
pub use curl::is_harmless_option;
pub use entry::{Entry, EntryState, ReceivedAnswer};
pub use error::{CommandError, ErrorKind, TextPosition, TextSpan, Unclosed, position_of};
pub use file_text::with_file;
pub use guide::{
    Guide, GuideStep, LeftOut, MarkedText, MissingValue, Sender, StepOrigin, StepProblem,
    StepResult, StepRole, TextMark, ValueSource,
};
pub use guide_choices::{GuideChoices, GuideQuestion, QuestionKind};
pub use guide_order::SentResult;
pub use guide_pieces::{CommandPiece, PieceKind};
pub use guide_sessions::AS_WRITTEN;
pub use guide_values::FilledValue;
pub use http_line::http_text;
pub use input_history::InputHistory;
pub use parse::{is_unfinished, read};
pub use request::{AnswerParts, MethodSource, ProgramOutput, Redirected, Sending};
pub use saved_console::SavedConsole;
pub use saved_guide::{SavedGuide, SentCommand, SentStep};
pub use transcript::{CommandAside, NextStep, RejectedInput, Transcript};
pub use variables::{Assigned, Variables, file_of};
pub use word::{PlaceholderValues, Token};
pub use words::{GuideWords, Words, guide_words, words};

#[cfg(test)]
mod guide_tests;
#[cfg(test)]
mod guide_text_tests;
#[cfg(test)]
mod guide_value_tests;
#[cfg(test)]
mod pasted_tests;
#[cfg(test)]
mod shell_tests;
#[cfg(test)]
pub(crate) mod test_world;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod transcript_tests;
