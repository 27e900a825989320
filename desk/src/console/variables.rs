//! The variables of the console: values that a person assigned, and values from answers, so that
//! the commands of guides run without an id being copied by hand.

use std::collections::BTreeMap;

use lictor_core::message::Answer;
use lictor_recipes::COORDINATION;
use lictor_sim::{Call, Outcome, Verdict};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use super::known_keys::{
    KV, KnownEntry, KnownKeys, ObservedSemaphore, document_key, is_semaphore_document,
};

/// The variables. Assigned values have priority; the others come from answers:
///
/// | name | value |
/// |---|---|
/// | `session` | the session that this actor created last |
/// | `other` | in the last semaphore document, the first live holder that is another session; |
/// |         | without one, the session that another actor created last |
/// | `index` | X-Consul-Index of the last read |
/// | `lock` | the key of the `.lock` entry seen or written last, or else `<prefix>/.lock` |
/// | `prefix` | the part of that key before `/.lock` |
/// | `lock-modify-index` | ModifyIndex of the `.lock` entry seen last |
/// | `key` | the key of the last request about one |
/// | `modify-index`, `lock-index` | of the entry that a read of one key showed last |
///
/// A value is assigned for the actor that assigns it, as in its own shell; another actor sees it
/// until it assigns the name too. An actor's own answers have priority; other values, except
/// `session`, come from the last answer to any actor. Case is ignored, and `_` and blanks count as
/// `-`: `$SESSION` works too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variables {
    /// In the order of the assignments.
    assigned: Vec<Assigned>,
    /// The values from the answers to each actor.
    seen: BTreeMap<String, ObservedValues>,
    /// The values from the last answer to any actor.
    last: ObservedValues,
    /// What the answers to each actor have shown of each key.
    known: BTreeMap<String, KnownKeys>,
    /// The same for the answers to all actors.
    known_to_any: KnownKeys,
    /// The last session of each actor, the newest last.
    sessions: Vec<(String, String)>,
}

/// A value that an actor assigned to a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assigned {
    actor: String,
    name: String,
    value: String,
    /// The whole answer, if the value is only the id in it.
    #[serde(default)]
    answer: Option<String>,
}

/// The values from the answers to one actor.
#[derive(Clone, Debug, Default, PartialEq)]
struct ObservedValues {
    session: Option<String>,
    index: Option<String>,
    key: Option<String>,
    lock: Option<String>,
    /// The key of the entry that was read alone last.
    entry: Option<String>,
}

/// The names whose values come from answers.
const LEARNT: [&str; 9] = [
    "session",
    "other",
    "index",
    "key",
    "lock",
    "prefix",
    "lock-modify-index",
    "modify-index",
    "lock-index",
];

/// The prefix of the hidden variables for answers of commands in brackets.
pub(super) const INNER_NAME: &str = "$(";

/// The beginning of a name that means the whole answer which a variable got, not only its id.
pub(super) const WHOLE_ANSWER: char = '=';

/// The name of the machine on which a command runs: that of the actor.
pub(super) const HOST_NAME: &str = "HOSTNAME";

/// The prefix of the variables that keep the contents of files.
const FILE: char = '@';

/// The name of the variable that keeps the content of a file, as `-d @file` writes it.
pub(super) fn file_variable(file: &str) -> String {
    format!("{FILE}{}", file.strip_prefix("./").unwrap_or(file))
}

/// The file whose content a variable keeps; `None` for any other variable.
pub fn file_of(variable: &str) -> Option<&str> {
    variable.strip_prefix(FILE)
}

/// Whether a name is that of an ACL token, which is empty unless it has a value.
pub(super) fn is_token(name: &str) -> bool {
    folded(name).ends_with("token")
}

/// Whether a name is one of those whose values come from answers, or is composed for a guide.
pub(super) fn is_learnt(name: &str) -> bool {
    let folded = folded(name);
    LEARNT.contains(&folded.as_str()) || ["body", "updated-lock-body"].contains(&folded.as_str())
}

impl Variables {
    /// The value that a name has for an actor.
    pub fn value(&self, actor: &str, name: &str) -> Option<String> {
        if let Some(name) = name.strip_prefix(WHOLE_ANSWER) {
            let mut own = self.assigned.iter().rev().filter(|it| it.name == name);
            let newest = own.clone().next();
            return own.find(|it| it.actor == actor).or(newest)?.answer.clone();
        }
        let assigned = self.assigned_to(actor, name);
        match name {
            _ if name.starts_with([FILE, '$']) => assigned,
            HOST_NAME => assigned.or_else(|| Some(actor.to_owned())),
            _ => assigned.or_else(|| self.learnt(actor, &folded(name))),
        }
    }

    /// The value that an actor itself has assigned to a name.
    pub(super) fn value_of_own(&self, actor: &str, name: &str) -> Option<String> {
        let is_own = |it: &&Assigned| it.actor == actor && it.name == name;
        self.assigned.iter().rfind(is_own).map(|it| it.value.clone())
    }

    /// The value that was assigned to a name, first of all to the name exactly as it is written.
    pub(super) fn assigned_to(&self, actor: &str, name: &str) -> Option<String> {
        let assigned = self.assigned_value(actor, |known| known == name);
        if name.starts_with([FILE, '$']) {
            return assigned;
        }
        let folded = folded(name);
        assigned.or_else(|| self.assigned_value(actor, |known| self::folded(known) == folded))
    }

    /// The value that a name has for the key or prefix in an address, from the answers about it: to
    /// this actor, or else to any.
    pub(super) fn known(&self, actor: &str, name: &str, address: &str) -> Option<String> {
        let key = address.strip_prefix(KV).unwrap_or(address);
        match name {
            "index" => {
                let own = self.known.get(actor).and_then(|known| known.index(address));
                own.or_else(|| self.known_to_any.index(address))
            }
            "lock-modify-index" if !is_semaphore_document(key) => {
                self.entry(actor, &document_key(key))?.modify_index()
            }
            "modify-index" | "lock-modify-index" => self.entry(actor, key)?.modify_index(),
            "lock-index" => self.entry(actor, key)?.lock_index(),
            "other" => self.other_holder(actor, key),
            _ => None,
        }
    }

    /// The value that this actor, or else any actor, assigned last to such a name. The answer of a
    /// command in brackets is visible to its actor alone.
    fn assigned_value(&self, actor: &str, is_match: impl Fn(&str) -> bool) -> Option<String> {
        let mut matches = self.assigned.iter().rev().filter(|it| is_match(&it.name));
        let last = matches.clone().find(|it| !it.name.starts_with(INNER_NAME));
        matches.find(|it| it.actor == actor).or(last).map(|it| it.value.clone())
    }

    /// The values that were assigned, in their order.
    pub fn assigned(&self) -> &[Assigned] {
        &self.assigned
    }

    /// Replaces the assigned values by those of an earlier visit.
    pub fn restore(&mut self, assigned: Vec<Assigned>) {
        self.assigned = assigned;
    }

    /// The semaphore document that an answer to an actor, or else to any, has last shown at a key.
    pub(super) fn semaphore(&self, actor: &str, key: &str) -> ObservedSemaphore {
        self.entry(actor, key).and_then(|entry| entry.semaphore.clone()).unwrap_or_default()
    }

    /// An entry as an answer to an actor has last shown it. Its index and its value must come from
    /// the same answer, so answers to others count only if none to this actor has shown the entry.
    fn entry(&self, actor: &str, key: &str) -> Option<&KnownEntry> {
        let own = self.known.get(actor).and_then(|known| known.entry(key));
        own.or_else(|| self.known_to_any.entry(key))
    }

    /// The names that have a value for an actor.
    pub fn names(&self, actor: &str) -> Vec<String> {
        let has_value = |name: &&str| self.value(actor, name).is_some();
        let learnt = LEARNT.iter().copied().filter(has_value).map(str::to_owned);
        let is_hidden = |name: &str| name.starts_with(INNER_NAME) || name.starts_with(FILE);
        let mut names: Vec<String> = Vec::new();
        let written = self.assigned.iter().map(|it| it.name.clone());
        for name in written.filter(|name| !is_hidden(name)).chain(learnt) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Removes the value that an actor assigned to a name.
    pub(super) fn forget(&mut self, actor: &str, name: &str) {
        self.assigned.retain(|it| it.actor != actor || it.name != name);
    }

    /// Assigns a value to a name: `name=value`.
    pub fn assign(&mut self, actor: &str, name: &str, value: &str) {
        self.forget(actor, name);
        let (actor, name, value) = (actor.into(), name.into(), value.into());
        self.assigned.push(Assigned { actor, name, value, answer: None });
    }

    /// `name=$(...)`: the id if the answer is about one new thing, or the whole body.
    pub fn assign_answer(&mut self, actor: &str, name: &str, outcome: &Outcome) {
        self.assign(actor, name, &created_id_or_body(outcome));
        if let Some(assigned) = self.assigned.last_mut() {
            assigned.answer = Some(String::from_utf8_lossy(&outcome.response.body).into());
        }
    }

    /// Takes the values from the answer to a call. An error changes nothing.
    pub fn learn(&mut self, actor: &str, call: &Call, outcome: &Outcome) {
        let Ok(response) = &outcome.answer else { return };
        for known in [self.known.entry(actor.to_owned()).or_default(), &mut self.known_to_any] {
            known.learn(call, outcome);
        }
        if outcome.verdict() == Verdict::Missing {
            return;
        }
        if let Answer::Created(id) = &response.answer {
            self.session_created(actor, &id.to_string());
            return;
        }
        let path = call.request.target.split('?').next().unwrap_or_default();
        for seen in [self.seen.entry(actor.to_owned()).or_default(), &mut self.last] {
            seen.request(path);
            if call.request.method == "GET" {
                seen.answer(call, outcome);
            }
        }
    }

    fn session_created(&mut self, actor: &str, id: &str) {
        self.seen.entry(actor.to_owned()).or_default().session = Some(id.into());
        self.sessions.retain(|(creator, _)| creator != actor);
        self.sessions.push((actor.into(), id.into()));
    }

    fn learnt(&self, actor: &str, name: &str) -> Option<String> {
        let own = self.seen.get(actor);
        let first = |read: fn(&ObservedValues) -> Option<String>| {
            own.and_then(read).or_else(|| read(&self.last))
        };
        match name {
            "session" | "session-id" => own?.session.clone(),
            "other" => self.other(actor),
            "index" => first(|seen| seen.index.clone()),
            "key" => first(|seen| seen.key.clone()),
            "lock" => first(|seen| seen.lock.clone()).or_else(|| {
                let prefix = self.assigned_value(actor, |name| name == "prefix")?;
                Some(document_key(&prefix))
            }),
            "prefix" => first(ObservedValues::prefix),
            "lock-modify-index" => {
                self.entry(actor, &first(|seen| seen.lock.clone())?)?.modify_index()
            }
            "modify-index" => self.entry(actor, &first(|seen| seen.entry.clone())?)?.modify_index(),
            "lock-index" => self.entry(actor, &first(|seen| seen.entry.clone())?)?.lock_index(),
            _ => None,
        }
    }

    fn other(&self, actor: &str) -> Option<String> {
        let own = self.seen.get(actor).and_then(|seen| seen.lock.as_deref());
        let lock = own.or(self.last.lock.as_deref()).unwrap_or_default();
        self.other_holder(actor, lock)
    }

    /// The first live holder of a semaphore that is not this actor's session, or else the session
    /// that another actor created last.
    fn other_holder(&self, actor: &str, lock: &str) -> Option<String> {
        let session = self.seen.get(actor).and_then(|seen| seen.session.as_ref());
        let holders = self.semaphore(actor, lock).holders;
        let holder = holders.into_iter().find(|id| Some(id) != session);
        let newest = || self.sessions.iter().rev().find(|(creator, _)| creator != actor);
        holder.or_else(|| newest().map(|(_, id)| id.clone()))
    }
}

impl ObservedValues {
    fn request(&mut self, path: &str) {
        let Some(key) = path.strip_prefix("/v1/kv/").filter(|key| !key.is_empty()) else { return };
        let key = percent_decode_str(key).decode_utf8_lossy().into_owned();
        if is_semaphore_document(&key) {
            self.lock = Some(key.clone());
        }
        self.key = Some(key);
    }

    fn answer(&mut self, call: &Call, outcome: &Outcome) {
        if let Some(index) = outcome.index() {
            self.index = Some(index.to_string());
        }
        let entries = call.entries_in(outcome);
        if let [entry] = entries {
            self.entry = Some(entry.key.as_str().into());
        }
        if let Some(lock) =
            entries.iter().map(|entry| entry.key.as_str()).find(|key| is_semaphore_document(key))
        {
            self.lock = Some(lock.into());
        }
    }

    fn prefix(&self) -> Option<String> {
        let lock = self.lock.as_ref()?;
        Some(lock.strip_suffix(COORDINATION)?.trim_end_matches('/').into())
    }
}

/// A name as it is compared: case, `_` and blanks make no difference.
pub(super) fn folded(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', ' '], "-")
}

fn created_id_or_body(outcome: &Outcome) -> String {
    match outcome.answer.as_ref().map(|response| &response.answer) {
        Ok(Answer::Created(id)) => id.to_string(),
        Ok(Answer::QueryCreated(id)) => id.to_string(),
        Ok(Answer::EventFired(event)) => event.id.to_string(),
        _ => String::from_utf8_lossy(&outcome.response.body).trim_end().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_view::test_world::TestWorld;

    /// A world in which the variables take every answer.
    struct Console {
        played: TestWorld,
        variables: Variables,
    }

    impl Console {
        fn new() -> Self {
            Self { played: TestWorld::of_three(), variables: Variables::default() }
        }

        fn call(&mut self, actor: &str, method: &str, target: &str, body: &str) {
            self.played.call(actor, method, target, body);
            let (call, outcome) = self.played.answered();
            self.variables.learn(actor, call, outcome);
        }

        fn create(&mut self, actor: &str) -> String {
            self.call(actor, "PUT", "/v1/session/create", "{}");
            self.value(actor, "session").expect("it was created")
        }

        /// Writes a semaphore document with these holders.
        fn write_document(&mut self, holders: &str) {
            let document = format!("{{\"Limit\":2,\"Holders\":{holders}}}");
            self.call("web-3", "PUT", "/v1/kv/service/db/.lock", &document);
        }

        fn value(&self, actor: &str, name: &str) -> Option<String> {
            self.variables.value(actor, name)
        }
    }

    #[test]
    fn each_actor_has_its_own_session() {
        let mut console = Console::new();
        let first = console.create("web-1");
        assert_eq!(console.value("web-2", "session"), None);
        let second = console.create("web-2");
        assert_eq!(console.value("web-1", "session"), Some(first.clone()));
        assert_eq!(console.value("web-2", "SESSION"), Some(second));
        assert_eq!(console.value("web-2", "other"), Some(first));
    }

    #[test]
    fn a_read_of_the_semaphore_sets_its_variables() {
        let mut console = Console::new();
        let [dead, live, own] = ["web-1", "web-2", "web-3"].map(|actor| console.create(actor));
        for id in [&live, &own] {
            let target = format!("/v1/kv/service/db/{id}?acquire={id}");
            console.call("web-3", "PUT", &target, "");
        }
        console.write_document(&format!(r#"["{dead}","{live}"]"#));
        let index = console.played.world.index().to_string();
        console.call("web-3", "GET", "/v1/kv/service/db?recurse", "");
        let value = |name: &str| console.value("web-3", name);
        assert_eq!(value("other"), Some(live), "the first holder is dead");
        assert_eq!(value("index"), Some(index.clone()));
        assert_eq!(value("lock-modify-index"), Some(index.clone()));
        assert_eq!(value("lock").as_deref(), Some("service/db/.lock"));
        assert_eq!(value("prefix").as_deref(), Some("service/db"));
        assert_eq!(console.value("web-1", "lock_modify_index"), Some(index));
        assert_eq!(console.value("web-1", "nothing"), None);
    }

    /// What the guides may fill in as the ModifyIndex of `a` after the commands.
    fn index_after(lines: &[(&str, &str, &str)]) -> Option<String> {
        let mut console = Console::new();
        let session = console.create("web-1");
        for (method, target, body) in lines {
            console.call("web-1", method, &target.replace("SESSION", &session), body);
        }
        let known = console.variables.known("web-1", "modify-index", "kv/a");
        let entry = console.played.world.store().kv().get("a");
        let actual = entry.map(|entry| entry.modify_index.to_string());
        assert!(known.is_none() || known == actual, "{lines:?}");
        known
    }

    #[test]
    fn a_known_modify_index_ends_with_each_change_by_the_actor() {
        let acquire = ("PUT", "/v1/kv/a?acquire=SESSION", "1");
        let (put, read) = (("PUT", "/v1/kv/a", "1"), ("GET", "/v1/kv/a", ""));
        let cas = ("PUT", "/v1/kv/a?cas=0", "1");
        for (writes, change) in [
            (&[put][..], ("PUT", "/v1/kv/a", "2")),
            (&[put], ("PUT", "/v1/kv/a?flags=7", "1")),
            (&[put], acquire),
            (&[acquire], ("PUT", "/v1/kv/a?release=SESSION", "1")),
            (&[acquire], put),
            (&[acquire], ("PUT", "/v1/session/destroy/SESSION", "")),
            (&[put], ("DELETE", "/v1/kv/a", "")),
            (&[put], ("DELETE", "/v1/kv/?recurse", "")),
            (&[put], ("PUT", "/v1/txn", r#"[{"KV": {"Verb": "delete", "Key": "a"}}]"#)),
            (&[acquire], ("PUT", "/v1/catalog/deregister", r#"{"Node": "n1"}"#)),
        ] {
            let lines = [writes, &[read, change]].concat();
            assert_eq!(index_after(&lines), None, "{lines:?}");
        }
        for (write, same) in [
            (put, put),
            (cas, put),
            (acquire, acquire),
            (put, ("PUT", "/v1/kv/b", "2")),
            (put, ("PUT", "/v1/kv/a?release=SESSION", "1")),
            (put, ("DELETE", "/v1/kv/ab?recurse", "")),
        ] {
            assert!(index_after(&[write, read, same]).is_some(), "{write:?} {same:?}");
        }
    }

    #[test]
    fn holders_are_read_in_the_shape_of_the_go_client_too() {
        let mut console = Console::new();
        console.write_document(r#"{"7":true}"#);
        console.call("web-1", "GET", "/v1/kv/service/db?recurse", "");
        assert_eq!(console.value("web-1", "other").as_deref(), Some("7"));
    }

    #[test]
    fn assigned_values_have_priority() {
        let mut console = Console::new();
        let session = console.create("web-1");
        let (_, outcome) = console.played.answered();
        console.variables.assign_answer("web-1", "s", outcome);
        console.played.call("web-1", "PUT", "/v1/kv/a", "");
        let (_, outcome) = console.played.answered();
        console.variables.assign_answer("web-1", "w", outcome);
        assert_eq!(console.value("web-1", "s"), Some(session));
        assert_eq!(console.value("web-1", "w").as_deref(), Some("true"));
        let mut variables = console.variables;
        variables.assign("web-1", "session", "mine");
        assert_eq!(variables.value("web-1", "session").as_deref(), Some("mine"));
        variables.assign("web-1", "updated-lock-body", "{}");
        assert_eq!(variables.value("web-1", "Updated Lock Body").as_deref(), Some("{}"));
        variables.assign("web-1", "prefix", "jobs/");
        assert_eq!(variables.value("web-1", "lock").as_deref(), Some("jobs/.lock"));
    }

    #[test]
    fn each_actor_assigns_for_itself_and_others_see_what_they_did_not_assign() {
        let mut variables = Variables::default();
        variables.assign("a", "S", "1");
        assert_eq!(variables.value("b", "S").as_deref(), Some("1"));
        variables.assign("b", "S", "2");
        assert_eq!(variables.value("a", "S").as_deref(), Some("1"));
        assert_eq!(variables.value("b", "s").as_deref(), Some("2"));
        variables.assign("a", "$(3", "9");
        assert_eq!(variables.value("b", "$(3"), None, "the answer of another's command");
    }

    #[test]
    fn refusals_do_not_change_variables() {
        let mut console = Console::new();
        console.call("web-1", "PUT", "/v1/session/create", "no JSON");
        console.call("web-1", "GET", "/v1/nothing", "");
        assert_eq!(console.variables, Variables::default());
    }

    #[test]
    fn a_raw_value_that_looks_like_entries_teaches_nothing() {
        let mut console = Console::new();
        console.call("web-1", "PUT", "/v1/kv/a", r#"[{"Key": "b/.lock", "ModifyIndex": 7}]"#);
        console.call("web-1", "GET", "/v1/kv/a?raw", "");
        assert_eq!(console.value("web-1", "lock"), None);
    }
}
