//! The options of a program as a form: each field has its word, its meaning and its default. The
//! values become a line of the simulation's line language, whose parser reports invalid options.
//! The program panel of the page renders the form.

use lictor_core::id::{ActorName, ProgramName};
use lictor_recipes::Order;
use lictor_sim::trace::{Names, WordsError};
use lictor_sim::{Act, ActError, World};

use crate::actions::ActionForm;
use crate::faults::{PROGRAM_KINDS, default_program_options, free_program_name, spawn_act};
use crate::request_text::quoted_word as quoted;

/// An option of a program; `i18n` has its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramOption {
    Limit,
    Style,
    Value,
    SessionName,
    Ttl,
    LockDelay,
    Behavior,
    Session,
    Retries,
    RetryTime,
    Tries,
    Wait,
    Token,
    Every,
    Holders,
    Timeout,
    MonitorRetry,
    ExitCode,
    Command,
    Runs,
    Ends,
    Yields,
    Pause,
    Duty,
    Tells,
    Hold,
    OnLoss,
    Again,
    Patience,
}

/// One field of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramField {
    pub option: ProgramOption,
    /// The word before the `=`.
    pub word: &'static str,
    /// The text of the field; empty for the default.
    pub value: String,
}

/// The form of one kind of program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramForm {
    /// One of [`PROGRAM_KINDS`].
    pub kind: &'static str,
    /// The key or prefix of the program.
    pub key: String,
    pub fields: Vec<ProgramField>,
}

/// Why a program cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgramFormError {
    /// The value of this option is wrong.
    #[error("{error}")]
    Option { option: ProgramOption, error: WordsError },
    #[error("a key or prefix is missing")]
    NoKey,
    /// The options do not go together.
    #[error(transparent)]
    Options(WordsError),
    /// The world does not accept the program now.
    #[error(transparent)]
    Act(#[from] ActError),
}

struct OptionRow {
    option: ProgramOption,
    word: &'static str,
    kinds: &'static [&'static str],
}

const fn row(
    option: ProgramOption,
    word: &'static str,
    kinds: &'static [&'static str],
) -> OptionRow {
    OptionRow { option, word, kinds }
}

const OPTIONS: [OptionRow; 29] = [
    row(ProgramOption::Limit, "limit", &["semaphore"]),
    row(ProgramOption::Style, "style", &["semaphore"]),
    row(ProgramOption::Value, "value", &["lock", "candidate", "writer", "semaphore", "naive"]),
    row(
        ProgramOption::SessionName,
        "name",
        &["lock", "candidate", "writer", "semaphore", "consul-lock", "naive"],
    ),
    row(ProgramOption::Ttl, "ttl", &["lock", "candidate", "writer", "semaphore", "naive"]),
    row(ProgramOption::LockDelay, "delay", &["lock", "candidate", "writer", "semaphore", "naive"]),
    row(ProgramOption::Behavior, "behavior", &["naive"]),
    row(ProgramOption::Session, "session", &["lock", "candidate", "writer", "semaphore"]),
    row(ProgramOption::Retries, "retries", &["lock", "candidate", "writer", "semaphore"]),
    row(ProgramOption::RetryTime, "retry-time", &["lock", "candidate", "writer", "semaphore"]),
    row(ProgramOption::Tries, "tries", &["lock", "candidate", "writer", "semaphore"]),
    row(ProgramOption::Wait, "wait", &["lock", "candidate", "writer", "semaphore", "watcher"]),
    row(ProgramOption::Token, "token", &["writer"]),
    row(ProgramOption::Every, "every", &["writer", "consul-lock"]),
    row(ProgramOption::Holders, "holders", &["consul-lock"]),
    row(ProgramOption::Timeout, "timeout", &["consul-lock"]),
    row(ProgramOption::MonitorRetry, "monitor-retry", &["consul-lock"]),
    row(ProgramOption::ExitCode, "exit-code", &["consul-lock"]),
    row(ProgramOption::Command, "command", &["consul-lock"]),
    row(ProgramOption::Runs, "runs", &["consul-lock"]),
    row(ProgramOption::Ends, "ends", &["consul-lock"]),
    row(ProgramOption::Yields, "yields", &["consul-lock"]),
    row(ProgramOption::Pause, "pause", &["watcher", "naive"]),
    row(ProgramOption::Duty, "duty", &["watcher"]),
    row(ProgramOption::Tells, "tells", &["watcher"]),
    row(ProgramOption::Hold, "hold", &PROGRAM_KINDS),
    row(ProgramOption::OnLoss, "on-loss", &PROGRAM_KINDS),
    row(ProgramOption::Again, "again", &PROGRAM_KINDS),
    row(ProgramOption::Patience, "patience", &PROGRAM_KINDS),
];

impl ProgramForm {
    /// The form of one of [`PROGRAM_KINDS`] with the values that the buttons use.
    pub fn new(kind: &'static str, actor: &str, form: &ActionForm) -> Self {
        let words = default_program_options(kind, actor, form);
        let mut words = words.split(' ');
        let key = words.next().unwrap_or_default().to_owned();
        let set: Vec<_> = words.filter_map(|word| word.split_once('=')).collect();
        let fields = OPTIONS.iter().filter(|row| row.kinds.contains(&kind)).map(|row| {
            let value = set.iter().find(|(word, _)| *word == row.word);
            let value = value.map_or_else(String::new, |(_, value)| (*value).to_owned());
            ProgramField { option: row.option, word: row.word, value }
        });
        Self { kind, key, fields: fields.collect() }
    }

    /// The options as one line, as the line language writes them.
    pub fn words(&self) -> String {
        let mut words = format!("{} {}", self.kind, quoted(self.key.trim()));
        for field in self.fields.iter().filter(|field| !field.value.trim().is_empty()) {
            words += &format!(" {}={}", field.word, quoted(field.value.trim()));
        }
        words
    }

    /// The acts that add the program to a host and start it. `names` has the names of sessions.
    pub fn start(
        &self,
        world: &World,
        actor: &ActorName,
        names: &Names,
    ) -> Result<[Act; 2], ProgramFormError> {
        let name = free_program_name(world, self.kind);
        let spawn = self.spawn(actor, &name, names)?;
        world.check_act(&spawn)?;
        let program = ProgramName::from(name.as_str());
        Ok([spawn, Act::Order { program, order: Order::Start }])
    }

    fn spawn(
        &self,
        actor: &ActorName,
        program: &str,
        names: &Names,
    ) -> Result<Act, ProgramFormError> {
        if self.key.trim().is_empty() {
            return Err(ProgramFormError::NoKey);
        }
        spawn_act(actor, program, &self.words(), names).map_err(|error| {
            let wrong = self.fields.iter().find_map(|field| {
                let alone = Self { fields: vec![field.clone()], ..self.clone() };
                let error = spawn_act(actor, program, &alone.words(), names).err()?;
                Some((field, error)).filter(|_| !field.value.trim().is_empty())
            });
            match wrong {
                Some((field, error)) => ProgramFormError::Option { option: field.option, error },
                None => ProgramFormError::Options(error),
            }
        })
    }
}

impl ProgramOption {
    /// The option of a word of the line language.
    pub fn of_word(word: &str) -> Option<Self> {
        OPTIONS.iter().find(|row| row.word == word).map(|row| row.option)
    }

    /// The words that it can have; empty if it is a text, a number or a duration.
    pub fn choices(self) -> &'static [&'static str] {
        match self {
            Self::Style => &["go", "guide"],
            Self::Behavior => &["release", "delete"],
            Self::Tries => &["forever", "once"],
            Self::Token => {
                &["nothing", "session", "lock-index", "modify-index", "triple", "check-session"]
            }
            Self::ExitCode => &["own", "child"],
            Self::Ends => &["success", "failure"],
            Self::Duty => &["kept", "neglected"],
            Self::Tells => &["answers", "leaders"],
            Self::OnLoss => &["unlock", "stand-still", "lock-again"],
            _ => &[],
        }
    }

    /// The default of a field; empty if there is none. Where programs differ, it is that of most.
    pub fn default_value(self) -> &'static str {
        match self {
            Self::Limit => "2",
            Self::Style => "go",
            Self::Ttl => "15s",
            Self::LockDelay => "15s",
            Self::Behavior => "release",
            Self::Retries => "0",
            Self::RetryTime => "2s",
            Self::Tries => "forever",
            Self::Wait => "15s",
            Self::Token => "nothing",
            Self::Every => "1s",
            Self::Holders => "1",
            Self::Timeout => "0s",
            Self::MonitorRetry => "3",
            Self::ExitCode => "own",
            Self::Command => "child",
            Self::Runs => "never",
            Self::Ends => "success",
            Self::Yields => "0s",
            Self::Duty => "kept",
            Self::Tells => "answers",
            Self::Hold => "never",
            Self::OnLoss => "unlock",
            Self::Again => "never",
            Self::Patience => "never",
            Self::Value | Self::SessionName | Self::Session | Self::Pause => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use lictor_sim::World;

    fn form(kind: &'static str) -> ProgramForm {
        ProgramForm::new(kind, "web-1", &ActionForm::default())
    }

    #[test]
    fn the_form_of_every_kind_starts_its_program() {
        for kind in PROGRAM_KINDS {
            let mut world = World::new(1);
            let actor = ActorName::from("web-1");
            world.perform(Act::Join { actor: actor.clone() }).expect("it is possible");
            let acts = form(kind).start(&world, &actor, &Names::default());
            let acts = acts.unwrap_or_else(|why| panic!("{kind}: {why}"));
            assert!(acts.into_iter().all(|act| world.perform(act).is_ok()), "{kind}");
        }
    }

    /// Every default can be written and changes nothing that the parser refuses.
    #[test]
    fn every_option_of_every_kind_is_one_that_its_program_has() {
        let actor = ActorName::from("web-1");
        for kind in PROGRAM_KINDS {
            for (place, field) in form(kind).fields.iter().enumerate() {
                let mut form = form(kind);
                let value = match field.option {
                    ProgramOption::Pause => "1s",
                    option if option.default_value().is_empty() => "x",
                    option => option.default_value(),
                };
                for value in field.option.choices().iter().copied().chain([value]) {
                    form.fields[place].value = value.to_owned();
                    let act = form.spawn(&actor, "p", &Names::default());
                    assert!(act.is_ok(), "{kind} {}: {act:?}", field.word);
                }
            }
        }
    }

    #[test]
    fn every_option_has_a_meaning_in_each_language() {
        for language in Language::ALL {
            for row in &OPTIONS {
                let (name, meaning) = (language.words().world.program_option)(row.option);
                assert!(!name.is_empty() && !meaning.is_empty());
            }
        }
    }

    #[test]
    fn a_wrong_option_is_named() {
        let actor = ActorName::from("web-1");
        let mut form = form("lock");
        let place = form.fields.iter().position(|field| field.word == "delay").expect("it has one");
        form.fields[place].value = "soon".into();
        let error = form.spawn(&actor, "p", &Names::default()).expect_err("it is no duration");
        let says = (Language::English.words().world.program_error)(&error);
        assert_eq!(says, "LockDelay: \"soon\" is not valid; write it like 15s");
        let ProgramFormError::Option { option, .. } = error else { panic!("{error:?}") };
        assert_eq!(option, ProgramOption::LockDelay);
        form.key = " ".into();
        assert_eq!(form.spawn(&actor, "p", &Names::default()), Err(ProgramFormError::NoKey));
    }

    #[test]
    fn values_with_blanks_and_quotes_stay_one_value() {
        let mut form = form("lock");
        let place = form.fields.iter().position(|field| field.word == "value").expect("it has one");
        form.fields[place].value = "say \"hi\" \\ bye".into();
        let act = form.spawn(&ActorName::from("web-1"), "p", &Names::default());
        let act = act.expect("it is well formed");
        let Act::Spawn { program, .. } = act else { panic!("it is a program") };
        assert!(format!("{program:?}").len() > 1);
    }
}
