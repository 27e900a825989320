//! The strings of the console and of the guide panel in each language. The sentence of an error
//! names the error and its remedy.

mod chinese;
mod english;

use lictor_core::time::Instant;
use lictor_view::language::Language;

use crate::console::{
    ErrorKind, FilledValue, Note, StepRole, TextPosition, Unclosed, file_of, is_harmless_option,
};
use crate::faults::{FaultKind, Obstacle};

type Text = &'static str;

/// The strings of the console in a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::Chinese => &chinese::WORDS,
    }
}

/// The strings of the guide panel in a language.
pub fn guide_words(language: Language) -> &'static GuideWords {
    match language {
        Language::English => &english::GUIDE,
        Language::Chinese => &chinese::GUIDE,
    }
}

/// The strings of the console, in one language.
pub struct Words {
    pub heading: Text,
    pub form: Text,
    pub form_curl: Text,
    pub form_http: Text,
    pub copy: Text,
    pub command_for: fn(&str) -> String,
    pub placeholder: Text,
    pub send: Text,
    pub cancel: Text,
    pub empty: Text,
    /// The head of an entry: the sender and the time of its command.
    pub asked: fn(&str, Instant) -> String,
    /// The status line, with the index of the answer.
    pub status: fn(u16, &str, Option<&str>) -> String,
    pub answered: fn(Instant) -> String,
    pub bytes: fn(usize) -> String,
    /// The label of a decoded value, which the answer contains in base64.
    pub decoded: fn(&str) -> String,
    pub kept: fn(&str) -> String,
    /// The time that a blocking query has waited.
    pub pending: fn(&str) -> String,
    pub cancelled: fn(Instant) -> String,
    /// The connection closed before an answer.
    pub failed: fn(Instant) -> String,
    /// The hint under a 405 to a body that was sent without a method.
    pub body_makes_post: Text,
    /// The hint under a request that followed a redirect: the method of the first one, if this one
    /// has another, and whether the body was lost.
    pub redirected: fn(Option<&str>, bool) -> String,
    /// The button that assigns the actor's session to a name without a value.
    pub use_session: fn(&str) -> String,
    pub use_new_session: Text,
    /// The label of the list of completions.
    pub completions: Text,
    pub help: [(Text, Text); 8],

    pub place: fn(TextPosition) -> String,
    pub open_single_quote: Text,
    pub open_double_quote: Text,
    pub open_bracket: Text,
    pub open_line: Text,
    pub open_here_document: Text,
    pub open_loop: Text,
    pub too_long: Text,
    pub pipe: Text,
    pub redirect: Text,
    pub or_else: Text,
    pub substitution: Text,
    pub curly_quote: Text,
    pub dash: Text,
    pub shell_loop: Text,
    pub shell_if: Text,
    pub shell_function: Text,
    pub shell_test: Text,
    pub sleep_span: Text,
    pub interrupted: Text,
    pub address_blank: Text,
    pub not_text: Text,
    pub after_bracket: Text,
    pub several_values: Text,
    pub unknown_program: fn(&str) -> String,
    pub consul_program: Text,
    pub consul_watch: Text,
    /// Another client or language, and three commands that are read here.
    pub other_client: fn([&str; 3]) -> String,
    /// `consul session`, and the curl command for it.
    pub consul_session: fn(&str) -> String,
    /// A `$(...)` whose program does not run here.
    pub inner_program: fn(&str) -> String,
    /// An argument of a script, such as `$1`.
    pub argument: fn(&str) -> String,
    /// A pipe that was left out.
    pub skipped_pipe: fn(&str) -> String,
    pub created_id: Text,
    /// The text after an unquoted `&` in an address.
    pub cut_off: fn(&str) -> String,
    /// The line for `consul lock`, which was started as a program.
    pub started: fn(&str) -> String,
    pub did_you_mean: fn(&str, &str) -> String,
    pub unknown_option: fn(&str) -> String,
    /// The option changes nothing in the request.
    pub harmless_option: fn(&str) -> String,
    pub value_missing: fn(&str) -> String,
    pub file: Text,
    pub no_command: Text,
    pub no_client: Text,
    pub no_address: Text,
    pub second_address: fn(&str) -> String,
    pub pattern: Text,
    pub scheme: fn(&str) -> String,
    pub header: Text,
    pub method: Text,
    pub head_with_body: Text,
    pub no_session: Text,
    /// A name without a value, and its form in an assignment.
    pub no_value: fn(&str, &str) -> String,
    /// A file that was not written here.
    pub no_file: fn(&str) -> String,
    /// A sender whose requests do not reach the server, and the fault.
    pub sender_fault: fn(&str, Obstacle) -> String,
    /// The button that ends the fault.
    pub end_fault: fn(&str, FaultKind) -> String,
}

/// The texts around a guide that was pasted, in one language.
pub struct GuideWords {
    pub heading: Text,
    /// The numbers of commands, of pasted lines and of samples of JSON.
    pub found: fn(usize, usize, usize) -> String,
    /// The number of commands that the console refuses.
    pub left_out: fn(usize) -> String,
    /// The number of a line.
    pub line: fn(usize) -> String,
    pub paste_here: Text,
    pub find_commands: Text,
    pub nothing_found: Text,
    pub show_text: Text,
    pub paste_another: Text,
    pub asked_once: Text,
    pub body_is_sender: Text,
    /// The label of the field for the content of a file.
    pub content_of: fn(&str) -> String,
    /// The label of the list of clients for an id that the author has written.
    pub session_of: fn(&str) -> String,
    /// The entry of that list for no client.
    pub as_written: Text,
    /// The first entry of that list for an id in the sample answer of a step.
    pub session_of_step: fn(usize) -> String,
    /// The note on an answer that an id of nobody here has caused.
    pub nobody_has_id: Text,
    /// The note on an answer that a node of the text has caused.
    pub nobody_has_node: Text,
    pub step: fn(StepRole) -> Text,
    /// The note on a step that the prose describes without a command.
    pub from_text: Text,
    /// The note on a step whose missing address was completed.
    pub completed: Text,
    /// A name without a value, and the number of the step that provides it.
    pub from_step: fn(&str, usize) -> String,
    pub send_as: Text,
    pub send_step: fn(usize) -> String,
    /// Sends these steps; counted from 1.
    pub send_all: fn(usize, usize) -> String,
    /// The numbers of the first and last steps that are sent.
    pub send_all_hint: fn(usize, usize) -> String,
    pub send: Text,
    pub again: Text,
    /// The values that the steps get without a question.
    pub filled_in: fn(&[FilledValue]) -> String,
    pub each_step: Text,
    /// A value that the reader enters above the steps.
    pub enter_above: fn(&str) -> String,
    pub whole_number: Text,
    pub no_path: Text,
    /// The limit, and the number of the step that watches.
    pub no_free_slot: fn(u64, Option<usize>) -> String,
    /// The refusal of a release by a client that holds no slot.
    pub no_slot_held: Text,
    /// The reason of a refusal, and what the sender can do.
    pub reason_and_next: fn(&str, &str) -> String,
    /// The number of the step that reads.
    pub read_again: fn(usize) -> String,
    pub held_already: Text,
    /// The limit and the holders of a semaphore's document.
    pub holders: fn(i64, &str) -> String,
    pub waits: Text,
    pub no_answer: Text,
    /// A moment, such as `31.0 s`.
    pub at: fn(Instant) -> String,
    /// The number of keys in an answer, and its index.
    pub keys_read: fn(usize, &str) -> String,
    /// The step that follows a refusal.
    pub go_on: fn(usize) -> String,
    pub open_as_guide: Text,
    /// The number of commands in the console's input.
    pub holds_commands: fn(usize) -> String,
}

impl Words {
    /// The sentence for an error.
    pub fn error_text(&self, kind: &ErrorKind) -> String {
        let fixed = match kind {
            ErrorKind::Unfinished(Unclosed::SingleQuote) => self.open_single_quote,
            ErrorKind::Unfinished(Unclosed::DoubleQuote) => self.open_double_quote,
            ErrorKind::Unfinished(Unclosed::Bracket) => self.open_bracket,
            ErrorKind::Unfinished(Unclosed::Line) => self.open_line,
            ErrorKind::Unfinished(Unclosed::HereDocument) => self.open_here_document,
            ErrorKind::Unfinished(Unclosed::Loop) => self.open_loop,
            ErrorKind::Dash => self.dash,
            ErrorKind::Loop => self.shell_loop,
            ErrorKind::If => self.shell_if,
            ErrorKind::Function => self.shell_function,
            ErrorKind::Test => self.shell_test,
            ErrorKind::Sleep => self.sleep_span,
            ErrorKind::Interrupted => self.interrupted,
            ErrorKind::AddressBlank => self.address_blank,
            ErrorKind::TooLong => self.too_long,
            ErrorKind::Pipe => self.pipe,
            ErrorKind::Redirect => self.redirect,
            ErrorKind::OrElse => self.or_else,
            ErrorKind::Substitution => self.substitution,
            ErrorKind::CurlyQuote => self.curly_quote,
            ErrorKind::NotText => self.not_text,
            ErrorKind::AfterBracket => self.after_bracket,
            ErrorKind::SeveralValues => self.several_values,
            ErrorKind::ConsulProgram => self.consul_program,
            ErrorKind::ConsulWatch => self.consul_watch,
            ErrorKind::File => self.file,
            ErrorKind::NoCommand => self.no_command,
            ErrorKind::NoClient => self.no_client,
            ErrorKind::NoAddress => self.no_address,
            ErrorKind::Pattern => self.pattern,
            ErrorKind::Header => self.header,
            ErrorKind::Method => self.method,
            ErrorKind::HeadWithBody => self.head_with_body,
            ErrorKind::NoValue(name) if name == "session" => self.no_session,
            ErrorKind::ConsulUsage(text) => return text.clone(),
            ErrorKind::DidYouMean { written, meant } => return (self.did_you_mean)(written, meant),
            ErrorKind::OtherClient(line) => return (self.other_client)(nearest_examples(line)),
            ErrorKind::ConsulSession(curl) => return (self.consul_session)(curl),
            ErrorKind::NoValue(name) if name.starts_with("$(") => {
                return (self.inner_program)(name);
            }
            ErrorKind::NoValue(name) if name.starts_with('$') => return (self.argument)(name),
            ErrorKind::UnknownProgram(program) => return (self.unknown_program)(program),
            ErrorKind::UnknownOption(option) if is_harmless_option(option) => {
                return (self.harmless_option)(option);
            }
            ErrorKind::UnknownOption(option) => return (self.unknown_option)(option),
            ErrorKind::ValueMissing(option) => return (self.value_missing)(option),
            ErrorKind::SecondAddress(text) => return (self.second_address)(text),
            ErrorKind::Scheme(scheme) => return (self.scheme)(scheme),
            ErrorKind::NoValue(name) if file_of(name).is_some() => {
                return (self.no_file)(file_of(name).unwrap_or_default());
            }
            ErrorKind::NoValue(name) => return (self.no_value)(name, &name.replace(' ', "-")),
        };
        fixed.to_owned()
    }
}

impl Words {
    /// The sentence for a part of a line that was left out.
    pub fn note_text(&self, note: &Note) -> String {
        match note {
            Note::SkippedPipe(pipe) => (self.skipped_pipe)(pipe),
            Note::CreatedId => self.created_id.to_owned(),
            Note::CutOff(rest) => (self.cut_off)(rest),
        }
    }
}

/// Commands that are read here, with the words that make them the nearest to a line.
const EXAMPLES: [(&str, &[&str]); 7] = [
    ("curl -X PUT http://localhost:8500/v1/session/create", &["create", "session"]),
    ("PUT /v1/kv/lead?acquire=<session> me", &["acquire", "put", "lock", "kv"]),
    ("consul kv get lead", &["get", "kv"]),
    ("curl -X PUT http://localhost:8500/v1/session/renew/<session>", &["renew", "session"]),
    ("PUT /v1/kv/lead?release=<session>", &["release", "put"]),
    ("curl -X PUT http://localhost:8500/v1/session/destroy/<session>", &["destroy", "session"]),
    ("curl 'http://localhost:8500/v1/kv/lead?index=<index>&wait=60s'", &["index", "wait", "watch"]),
];

/// The three examples that have most words of a line.
fn nearest_examples(line: &str) -> [&'static str; 3] {
    let line = line.to_ascii_lowercase();
    let mut examples = EXAMPLES;
    let is_in_line = |word: &&&str| line.contains(**word);
    examples.sort_by_key(|(_, words)| usize::MAX - words.iter().filter(is_in_line).count());
    [examples[0].0, examples[1].0, examples[2].0]
}

fn status(status: u16, phrase: &str, index: Option<&str>) -> String {
    let line = format!("{status} {phrase}");
    match index {
        Some(index) => format!("{} · X-Consul-Index {index}", line.trim_end()),
        None => line.trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{ErrorKind, words};
    use crate::console::read;
    use crate::console::tests::{FRAGMENTS, odd_inputs};
    use lictor_view::language::Language;

    #[test]
    fn every_error_has_its_words_in_both_languages() {
        let inputs = FRAGMENTS.iter().map(|input| format!("curl {input}"));
        for input in inputs.chain(odd_inputs()) {
            let Err(mut error) = read(&input) else { continue };
            for words in Language::ALL.map(words) {
                let sentence = words.error_text(&error.kind);
                assert!(!sentence.is_empty(), "{input:?}");
                let is_example = matches!(error.kind, ErrorKind::OtherClient(_));
                if let Some(quoted) = error.kind.quoted_mut().filter(|_| !is_example) {
                    assert!(sentence.contains(&*quoted), "{input:?}: {sentence}");
                }
            }
        }
    }
}
