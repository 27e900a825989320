//! The acts that add a program to a host and start it, and free names for programs and clients. The
//! acts are returned and not performed.

use lictor_core::id::{ActorName, ProgramName};
use lictor_recipes::Order;
use lictor_sim::trace::{Names, WordsError, act_of};
use lictor_sim::{Act, ActError, World};

use crate::actions::ActionForm;

/// The operand and the options of a new program, from the form of the buttons, in the words of the
/// line language.
pub fn default_program_options(kind: &str, actor: &str, form: &ActionForm) -> String {
    let key = match (kind, form.key.split_once('/')) {
        ("semaphore" | "consul-lock", Some((folder, _))) => folder,
        _ => form.key.as_str(),
    };
    let mut words = vec![if key.is_empty() { "db/leader".to_owned() } else { key.to_owned() }];
    if kind == "semaphore" {
        words.push("limit=2".into());
    }
    if !matches!(kind, "consul-lock" | "watcher") {
        words.push(format!("value={actor}"));
    }
    if matches!(kind, "lock" | "semaphore" | "candidate" | "writer") {
        words.extend(form.ttl.map(|ttl| format!("ttl={ttl}")));
        words.extend(form.lock_delay.map(|delay| format!("delay={delay}")));
    }
    words.join(" ")
}

/// Why a program was not started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// Its options are wrong.
    #[error(transparent)]
    Options(#[from] WordsError),
    /// The world does not accept it now.
    #[error(transparent)]
    Act(#[from] ActError),
}

/// The acts that add a program to a host and start it, and its name. The first word of `words` is
/// the kind. Fails if the options are wrong, or if the world does not accept the program now.
pub fn start_acts(
    world: &World,
    actor: &ActorName,
    words: &str,
) -> Result<(String, [Act; 2]), StartError> {
    let name = free_program_name(world, words.split(' ').next().unwrap_or_default());
    let names = Names::default().with_server(world.config());
    let spawn = spawn_act(actor, &name, words, &names)?;
    world.check_act(&spawn)?;
    let order = Act::Order { program: ProgramName::from(name.as_str()), order: Order::Start };
    Ok((name, [spawn, order]))
}

/// A name for a new program: its kind, and the first number that is free.
pub fn free_program_name(world: &World, kind: &str) -> String {
    let mut names = (1_u32..).map(|number| format!("{kind}-{number}"));
    names.find(|name| world.program(name).is_none()).unwrap_or_default()
}

/// A name for a new client: `web-`, and the first unused number that is larger than the number of
/// clients.
pub fn free_client_name(world: &World) -> String {
    let mut names = (world.actors().len() + 1..).map(|number| format!("web-{number}"));
    names.find(|name| world.actor(name).is_none()).unwrap_or_default()
}

/// The act that adds a program to a host. Fails if its options are wrong. `names` has the names of
/// sessions and the settings of the server.
pub fn spawn_act(
    actor: &ActorName,
    program: &str,
    words: &str,
    names: &Names,
) -> Result<Act, WordsError> {
    act_of(actor.as_str(), &format!("spawns {program} {words}"), names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::ConsulVersion;
    use lictor_sim::trace::{PROGRAM_KINDS, words_of};
    use lictor_view::fresh_world::sandbox;

    #[test]
    fn a_new_client_has_a_name_that_no_client_has() {
        let mut world = World::new(1);
        for (name, next) in [("a", "web-2"), ("web-3", "web-4"), ("web-4", "web-5")] {
            world.perform(Act::Join { actor: ActorName::from(name) }).expect("it is free");
            assert_eq!(free_client_name(&world), next);
        }
    }

    #[test]
    fn the_default_options_start_every_kind_of_program() {
        let actor = ActorName::from("web-1");
        for kind in PROGRAM_KINDS {
            let mut timeline = sandbox(ConsulVersion::default());
            let words = format!(
                "{kind} {}",
                default_program_options(kind, "web-1", &ActionForm::default())
            );
            let act = spawn_act(&actor, "p", &words, &Names::default());
            let act = act.unwrap_or_else(|why| panic!("{words}: {why}"));
            assert_eq!(timeline.world().check_act(&act), Ok(()), "{words}");
            timeline.perform(act).expect("it is possible");
            assert_eq!(timeline.world().programs().count(), 1, "{words}");
        }
    }

    /// Consul 1.22 refuses this name of a key.
    #[test]
    fn the_steps_of_a_script_are_decoded_as_the_version_of_the_world_does() {
        let words = r#"script step="1s PUT /v1/kv/a%20" step="1s repeats""#;
        for (version, is_started) in [(ConsulVersion::V1_13, true), (ConsulVersion::V1_22, false)] {
            let mut timeline = sandbox(version);
            let started = start_acts(timeline.world(), &ActorName::from("web-1"), words);
            assert_eq!(started.is_ok(), is_started, "{version}");
            let Ok((_, [spawn, _])) = started else { continue };
            let names = Names::default().with_server(timeline.world().config());
            let written = words_of(&spawn, &names);
            assert!(written.contains(" step="), "{written}");
            timeline.perform(spawn).expect("it is possible");
        }
    }

    #[test]
    fn invalid_options_are_an_error() {
        let actor = ActorName::from("web-1");
        for words in ["", "lock", "lock a ttl=x", "juggler a", "lock a nonsense=1", "lock \"a"] {
            assert!(spawn_act(&actor, "p", words, &Names::default()).is_err(), "{words}");
        }
    }
}
