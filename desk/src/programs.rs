//! The acts that add a program to a host and start it, and free names for programs and clients. The
//! acts are returned and not performed.

use lictor_core::id::{ActorName, ProgramName, ResourceName};
use lictor_recipes::{FenceKind, Order, Program, Recipe};
use lictor_sim::record::short_id;
use lictor_sim::trace::{Names, WordsError, act_of};
use lictor_sim::{Act, ActError, World};
use lictor_view::rows::cures::OPERATOR;

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
    // Without it, a candidate stays idle after its first failure.
    if kind == "candidate" {
        words.push("again=1s".into());
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

/// The acts that add a program with the resource that it writes to a host and start it, and the
/// program's name. The first word of `words` is the kind. Fails if the options are wrong, or if
/// the world does not accept the program now.
pub fn start_acts(
    world: &World,
    actor: &ActorName,
    words: &str,
) -> Result<(String, Vec<Act>), StartError> {
    let name = free_program_name(world, words.split(' ').next().unwrap_or_default());
    let names = Names::default().with_server(world.config());
    let spawn = spawn_act(actor, &name, words, &names)?;
    let acts = acts_of_start(world, &name, spawn)?;
    Ok((name, acts))
}

/// The acts that add a program to a host and start it, from the act that adds it. A program that
/// writes needs a guarded resource: unless the act names one, it gets that of its lock, which is
/// added first if the world does not have it. Fails if the world does not accept the program now.
pub fn acts_of_start(world: &World, name: &str, mut spawn: Act) -> Result<Vec<Act>, ActError> {
    world.check_act(&spawn)?;
    let mut acts = Vec::new();
    if let Act::Spawn { initial, resource: resource @ None, .. } = &mut spawn
        && let Some((used, asks)) = written_resource(initial)
    {
        if world.resource(used.as_str()).is_none() {
            let guard = Act::Guard { resource: used.clone(), asks };
            world.check_act(&guard)?;
            acts.push(guard);
        }
        *resource = Some(used);
    }
    let order = Act::Order { program: ProgramName::from(name), order: Order::Start };
    acts.extend([spawn, order]);
    Ok(acts)
}

/// The resource that a program writes to while it holds its lock, and the kind of token that its
/// writes carry; `None` if it writes nothing.
fn written_resource(program: &Program) -> Option<(ResourceName, FenceKind)> {
    let (lock, asks) = match program.recipe() {
        Recipe::Writer(writer) => (writer.lock().key().to_string(), writer.fence()),
        Recipe::ConsulLock(command) => {
            let options = command.options();
            options.child.writes_every?;
            (options.prefix.to_string(), FenceKind::None)
        }
        _ => return None,
    };
    Some((ResourceName::from(format!("{lock}-data")), asks))
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

/// How many clients a world gets for its sessions at most.
const CLIENTS_MAX: usize = 20;

/// The acts that add clients to a world that begins with sessions but has no clients: one for each
/// session, in the order in which they were created, and one for an operator. A client has the name
/// of its session if that is one word. It never has the name of a node, as its own node would
/// replace that one.
pub fn clients_of_sessions(world: &World) -> Vec<Act> {
    let mut sessions: Vec<_> = world.store().sessions().iter().collect();
    sessions.sort_by_key(|session| session.create_index);
    let mut names: Vec<String> = Vec::new();
    let is_free = |name: &str, names: &[String]| {
        let is_node = world
            .store()
            .catalog()
            .nodes()
            .any(|node| node.name.as_str().eq_ignore_ascii_case(name));
        !is_node && world.actor(name).is_none() && !names.iter().any(|it| it == name)
    };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    for session in sessions.into_iter().take(CLIENTS_MAX) {
        let name =
            Some(&*session.name).filter(|name| !name.is_empty() && name.chars().all(is_part));
        let id = session.id.to_string();
        let long = format!("{}-{}", name.unwrap_or(session.node.as_str()), short_id(&id));
        let name = name.filter(|name| is_free(name, &names));
        names.push(name.map_or(long, str::to_owned));
    }
    let mut operators = core::iter::once(OPERATOR.to_owned())
        .chain((2_u32..).map(|number| format!("{OPERATOR}-{number}")));
    names.extend(operators.find(|name| is_free(name, &names)));
    names.into_iter().map(|name| Act::Join { actor: ActorName::from(name) }).collect()
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
    use lictor_core::time::Instant;
    use lictor_sim::record::Record;
    use lictor_sim::timeline::Timeline;
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
            let Ok((_, acts)) = started else { continue };
            let [spawn, _] = acts.try_into().expect("a script writes to no resource");
            let names = Names::default().with_server(timeline.world().config());
            let written = words_of(&spawn, &names);
            assert!(written.contains(" step="), "{written}");
            timeline.perform(spawn).expect("it is possible");
        }
    }

    fn play(timeline: &mut Timeline<Record>, actor: &str, words: &str) {
        let (_, acts) = start_acts(timeline.world(), &ActorName::from(actor), words).expect(words);
        for act in acts {
            timeline.perform(act).expect(words);
        }
    }

    /// The program says that it writes 1 s later, and it does.
    #[test]
    fn programs_that_write_get_the_resource_of_their_lock() {
        for (words, asks) in [
            ("writer db/leader token=modify-index", FenceKind::ModifyIndex),
            ("writer db/leader", FenceKind::None),
            ("consul-lock db/leader every=1s", FenceKind::None),
        ] {
            let mut timeline = sandbox(ConsulVersion::default());
            play(&mut timeline, "web-1", words);
            play(&mut timeline, "web-2", words);
            timeline.advance_to(Instant::from_millis(5_000));
            let resource = timeline.world().resource("db/leader-data").expect(words);
            assert_eq!(resource.asks, asks, "{words}");
            assert!(resource.accepted >= 4, "{words}: {resource:?}");
        }
    }

    /// Two candidates: a check of one fails, and the other crashes. When the check passes again,
    /// the first one leads.
    #[test]
    fn a_candidate_tries_again_after_a_failure() {
        let mut timeline = sandbox(ConsulVersion::default());
        for client in ["web-1", "web-2"] {
            let options = default_program_options("candidate", client, &ActionForm::default());
            play(&mut timeline, client, &format!("candidate {options}"));
        }
        let at = |seconds: u64| Instant::from_millis(seconds * 1_000);
        timeline.advance_to(at(10));
        let names = Names::default();
        for (client, words) in
            [("web-1", "node-silent detection=1s for=20s"), ("web-2", "crashes memory=lost")]
        {
            timeline.perform(act_of(client, words, &names).expect(words)).expect(words);
        }
        timeline.advance_to(at(120));
        let entry = timeline.world().store().kv().get("db/leader").expect("it was written");
        assert_eq!(&*entry.value, b"web-1");
        assert!(entry.hold.is_some(), "nobody leads");
    }

    #[test]
    fn a_world_that_begins_with_sessions_gets_a_client_for_each_and_one_for_an_operator() {
        let mut timeline = sandbox(ConsulVersion::default());
        for (client, name) in
            [("web-1", "api"), ("web-2", "api"), ("web-3", "Consul API Lock"), ("web-1", "web-1")]
        {
            let act = act_of(client, &format!("session name=\"{name}\""), &Names::default());
            timeline.perform(act.expect(name)).expect(name);
        }
        let world = timeline.world();
        let acts = clients_of_sessions(world);
        let names: Vec<_> = acts.iter().filter_map(act_actor).collect();
        let mut sessions: Vec<_> = world.store().sessions().iter().collect();
        sessions.sort_by_key(|session| session.create_index);
        let short = |place: usize| sessions[place].id.to_string()[..8].to_owned();
        let expected = [
            "api".to_owned(),
            format!("api-{}", short(1)),
            format!("web-3-{}", short(2)),
            format!("web-1-{}", short(3)),
            "ops".to_owned(),
        ];
        assert_eq!(names, expected, "a client with the name of a node would replace the node");
        let mut world = world.clone();
        assert!(acts.into_iter().all(|act| world.perform(act).is_ok()));
    }

    fn act_actor(act: &Act) -> Option<String> {
        match act {
            Act::Join { actor } => Some(actor.to_string()),
            _ => None,
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
