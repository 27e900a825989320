//! The form that starts a program: its options with their types and defaults. The values become a
//! line of the simulation's line language, whose parser finds invalid options.

use lictor_core::duration;
use lictor_core::id::ActorName;
use lictor_sim::trace::{
    Names, OptionSchema, WordsError, program_options, push_operand, push_param,
};
use lictor_sim::{Act, ActError, World};

use crate::actions::ActionForm;
use crate::programs::{acts_of_start, default_program_options, free_program_name, spawn_act};

/// One field of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramField {
    pub option: OptionSchema,
    /// The text of the field; empty for the default.
    pub value: String,
}

/// The form of one kind of program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramForm {
    /// One of `lictor_sim::trace::PROGRAM_KINDS`.
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
    Option { option: Box<OptionSchema>, error: WordsError },
    /// The key or prefix is empty.
    #[error("a key or prefix is missing")]
    NoKey,
    /// The options contradict each other.
    #[error(transparent)]
    Options(WordsError),
    /// The world does not accept the program now.
    #[error(transparent)]
    Act(#[from] ActError),
}

impl ProgramForm {
    /// The form of a kind of program with the values that the buttons of the actor use.
    pub fn new(kind: &'static str, actor: &str, form: &ActionForm) -> Self {
        let words = default_program_options(kind, actor, form);
        let mut values = words.split(' ');
        let key = values.next().unwrap_or_default().to_owned();
        let set: Vec<_> = values.filter_map(|word| word.split_once('=')).collect();
        let fields = program_options(&format!("{kind} {words}")).into_iter().map(|option| {
            let value = set.iter().find(|(name, _)| *name == option.name);
            let value = value.map_or_else(String::new, |(_, value)| (*value).to_owned());
            ProgramField { option, value }
        });
        Self { kind, key, fields: fields.collect() }
    }

    /// The field of an option.
    pub fn field(&self, name: &str) -> Option<&ProgramField> {
        self.fields.iter().find(|field| field.option.name == name)
    }

    /// Sets the text of a field. The defaults of other fields can depend on it, so they are
    /// computed again.
    pub fn write(&mut self, name: &str, value: String) {
        let Some(field) = self.fields.iter_mut().find(|field| field.option.name == name) else {
            return;
        };
        field.value = value;
        let options = program_options(&self.words());
        for (field, option) in self.fields.iter_mut().zip(options) {
            field.option = option;
        }
    }

    /// The kind, the key and the options as one line, as the line language writes them.
    pub fn words(&self) -> String {
        let mut words = self.kind.to_string();
        push_operand(&mut words, self.key.trim());
        for field in self.fields.iter().filter(|field| !field.value.trim().is_empty()) {
            push_param(&mut words, field.option.name, field.value.trim());
        }
        words
    }

    /// The acts that add the program to a host and start it. `names` has the names of sessions.
    /// Fails if an option is wrong, or if the world does not accept the program now.
    pub fn start(
        &self,
        world: &World,
        actor: &ActorName,
        names: &Names,
    ) -> Result<Vec<Act>, ProgramFormError> {
        let name = free_program_name(world, self.kind);
        let names = names.clone().with_server(world.config());
        let spawn = self.spawn(actor, &name, &names)?;
        Ok(acts_of_start(world, &name, spawn)?)
    }

    /// Whether an option is a LockDelay of 0, which the Go client does not send: the server then
    /// uses its default (RCL-21).
    pub fn is_unsent_zero(&self, option: &str) -> bool {
        let is_of_client = matches!(self.kind, "lock" | "semaphore" | "candidate" | "writer");
        let delay = self.field("delay").map(|field| duration::parse(field.value.trim()));
        option == "delay" && is_of_client && delay == Some(Ok(0))
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
            // An error is that of a field if the options without the field do not have it.
            let is_cause = |field: &&ProgramField| {
                let mut without = self.clone();
                without.write(field.option.name, String::new());
                spawn_act(actor, program, &without.words(), names).err().as_ref() != Some(&error)
            };
            let mut filled = self.fields.iter().filter(|field| !field.value.trim().is_empty());
            match filled.find(is_cause) {
                Some(field) => {
                    let option = Box::new(field.option.clone());
                    ProgramFormError::Option { option, error }
                }
                None => ProgramFormError::Options(error),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_recipes::{Program, Recipe};
    use lictor_sim::trace::{OptionValue, PROGRAM_KINDS};
    use lictor_view::language::Language;
    use lictor_view::rows;
    use std::sync::Arc;

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

    /// The program that the form starts.
    fn program(form: &ProgramForm) -> Result<Arc<Program>, ProgramFormError> {
        match form.spawn(&ActorName::from("web-1"), "p", &Names::default())? {
            Act::Spawn { initial, .. } => Ok(initial),
            act => panic!("{act:?} is no program"),
        }
    }

    #[test]
    fn a_default_that_is_written_makes_the_same_program() {
        for kind in PROGRAM_KINDS {
            let form = form(kind);
            for ProgramField { option, .. } in form.fields.clone() {
                let mut without = form.clone();
                without.write(option.name, String::new());
                let Ok(expected) = program(&without) else {
                    assert_eq!(
                        (kind, option.name),
                        ("semaphore", "limit"),
                        "the only required one"
                    );
                    continue;
                };
                if matches!(option.value, OptionValue::Session) || option.default.is_empty() {
                    continue;
                }
                let mut with = form.clone();
                with.write(option.name, option.default.clone());
                assert_eq!(
                    program(&with),
                    Ok(expected),
                    "{kind} {}={}",
                    option.name,
                    option.default
                );
            }
        }
    }

    #[test]
    fn each_choice_of_an_option_after_the_first_changes_the_program() {
        for kind in PROGRAM_KINDS {
            let mut form = form(kind);
            for ProgramField { option, value } in form.fields.clone() {
                let OptionValue::Choice(choices) = option.value else { continue };
                let mut programs = choices.iter().map(|choice| {
                    form.write(option.name, (*choice).to_owned());
                    program(&form).unwrap_or_else(|why| panic!("{kind} {choice}: {why}"))
                });
                let first = programs.next().expect("it has choices");
                assert!(programs.all(|other| other != first), "{kind} {}", option.name);
                form.write(option.name, value);
            }
        }
    }

    #[test]
    fn the_defaults_of_a_lock_are_those_of_its_program() {
        let form = form("lock");
        let default = |name| form.field(name).map(|field| field.option.default.as_str());
        assert_eq!(default("ttl"), Some("15s"));
        assert_eq!(default("delay"), Some("15s"), "as the server has it");
        assert_eq!(default("wait"), Some("15s"));
        assert_eq!(default("retries"), Some("0"));
        assert_eq!(default("hold"), Some("never"));
        let watcher = self::form("watcher");
        assert_eq!(watcher.field("wait").map(|it| it.option.default.as_str()), Some("300s"));
    }

    /// The Go client leaves a LockDelay of 0 out; a script sends it.
    #[test]
    fn a_lock_delay_of_zero_that_is_not_sent_has_a_note() {
        for (kind, value, has_note) in [
            ("lock", "0s", true),
            ("candidate", " 0 ", true),
            ("lock", "1s", false),
            ("lock", "", false),
            ("naive", "0s", false),
        ] {
            let mut form = form(kind);
            form.write("delay", value.into());
            assert_eq!(form.is_unsent_zero("delay"), has_note, "{kind} {value:?}");
            assert!(!form.is_unsent_zero("ttl"));
        }
    }

    #[test]
    fn the_defaults_of_a_semaphore_follow_its_style() {
        let mut form = form("semaphore");
        assert_eq!(form.field("ttl").map(|it| it.option.default.as_str()), Some("15s"));
        form.write("style", "guide".into());
        assert_eq!(form.field("ttl").map(|it| it.option.default.as_str()), Some(""));
    }

    #[test]
    fn every_option_has_a_meaning_in_each_language() {
        for language in Language::ALL {
            for field in PROGRAM_KINDS.iter().flat_map(|kind| form(kind).fields) {
                let text = (rows::words(language).program_option)(field.option.name);
                let (name, meaning) = text.unwrap_or_default();
                assert!(!name.is_empty() && !meaning.is_empty(), "{}", field.option.name);
            }
        }
    }

    #[test]
    fn a_wrong_option_is_named() {
        let mut form = form("lock");
        form.write("delay", "soon".into());
        let error = program(&form).expect_err("it is no duration");
        let sentence = (crate::forms::words(Language::English).program.error)(&error);
        assert_eq!(sentence, "LockDelay: \"soon\" is not valid; write it like 15s");
        let ProgramFormError::Option { option, .. } = error else { panic!("{error:?}") };
        assert_eq!(option.name, "delay");
        form.write("delay", String::new());
        form.write("ttl", "soon".into());
        let error = program(&form).expect_err("it is no duration");
        let words = crate::forms::words(Language::English);
        let sentence = (words.program.error)(&error);
        assert_eq!(sentence, "TTL: invalid SessionTTL: time: invalid duration \"soon\"");
        form.write("ttl", "15s".into());
        form.key = " ".into();
        assert_eq!(program(&form), Err(ProgramFormError::NoKey));
        assert_eq!((words.program.error)(&ProgramFormError::NoKey), "a key or prefix is missing");
        form.key = "db/leader".into();
        form.write("value", "<b>bold</b>".into());
        program(&form).expect("nothing is wrong any more");
    }

    #[test]
    fn a_wrong_option_of_a_semaphore_is_named_although_its_limit_is_required() {
        let mut form = form("semaphore");
        form.write("retries", "many".into());
        let Err(ProgramFormError::Option { option, .. }) = program(&form) else {
            panic!("{form:?}")
        };
        assert_eq!(option.name, "retries");
    }

    #[test]
    fn values_with_blanks_and_quotes_stay_one_value() {
        let mut form = form("lock");
        form.write("value", "say \"hi\" \\ bye".into());
        let program = program(&form).expect("it is well formed");
        let Recipe::Lock(lock) = program.recipe() else { panic!("it is a lock") };
        assert_eq!(&*lock.options().value, b"say \"hi\" \\ bye");
    }
}
