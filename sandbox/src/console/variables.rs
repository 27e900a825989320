//! The variables of the console: values that a person assigned, and values from answers, so that
//! the commands of guides run without copying by hand.

use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::json::{Json, first_value};
use lictor_recipes::COORDINATION;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

use super::known_keys::{
    KV, KnownEntry, KnownKeys, ObservedSemaphore, header, is_lock, lock_under, text,
};

/// The variables. Assigned values have priority; the others come from answers:
///
/// | name | value |
/// |---|---|
/// | `session` | the session that this actor created last |
/// | `other` | in the semaphore document seen last, the first live holder but one's own session; |
/// |         | without a document, the session that another actor created last |
/// | `index` | X-Consul-Index of the last read |
/// | `lock` | the key of the `.lock` entry seen or written last, or else `<prefix>/.lock` |
/// | `prefix` | the part of that key before `/.lock` |
/// | `lock-modify-index` | ModifyIndex of the `.lock` entry seen last |
/// | `key` | the key asked for last |
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
    seen: BTreeMap<String, ObservedValues>,
    /// The values from the last answer to any actor.
    last: ObservedValues,
    /// What each actor knows of each key, and what all know together.
    known: BTreeMap<String, KnownKeys>,
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

/// The prefix of the variables that keep the contents of files.
const FILE: char = '@';

/// The name of the variable that keeps the content of a file, as `-d @file` writes it.
pub(super) fn file_variable(file: &str) -> String {
    format!("{FILE}{}", file.strip_prefix("./").unwrap_or(file))
}

/// The file whose content a variable keeps.
pub fn file_of(variable: &str) -> Option<&str> {
    variable.strip_prefix(FILE)
}

/// Whether a name gets its value from answers, or from the reader of a guide.
pub(super) fn is_learnt(name: &str) -> bool {
    let folded = folded(name);
    LEARNT.contains(&folded.as_str()) || ["body", "updated-lock-body"].contains(&folded.as_str())
}

impl Variables {
    /// The value that a name has for an actor.
    pub fn value(&self, actor: &str, name: &str) -> Option<String> {
        let assigned = self.assigned_to(actor, name);
        if name.starts_with([FILE, '$']) {
            return assigned;
        }
        assigned.or_else(|| self.learnt(actor, &folded(name)))
    }

    /// The value that was assigned to a name.
    pub(super) fn assigned_to(&self, actor: &str, name: &str) -> Option<String> {
        let assigned = self.assigned_value(actor, |of| of == name);
        if name.starts_with([FILE, '$']) {
            return assigned;
        }
        let folded = folded(name);
        assigned.or_else(|| self.assigned_value(actor, |of| self::folded(of) == folded))
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
            "lock-modify-index" if !is_lock(key) => {
                self.entry(actor, &lock_under(key))?.modify_index.clone()
            }
            "modify-index" | "lock-modify-index" => self.entry(actor, key)?.modify_index.clone(),
            "lock-index" => self.entry(actor, key)?.lock_index.clone(),
            "other" => self.other_holder(actor, key),
            _ => None,
        }
    }

    /// What an actor assigned last, or else any actor. The answer of a command in brackets belongs
    /// to its actor alone.
    fn assigned_value(&self, actor: &str, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        let mut meant = self.assigned.iter().rev().filter(|it| is_meant(&it.name));
        let last = meant.clone().find(|it| !it.name.starts_with(INNER_NAME));
        meant.find(|it| it.actor == actor).or(last).map(|it| it.value.clone())
    }

    /// The values that were assigned, in their order.
    pub fn assigned(&self) -> &[Assigned] {
        &self.assigned
    }

    /// Sets the values that were assigned in an earlier visit.
    pub fn restore(&mut self, assigned: Vec<Assigned>) {
        self.assigned = assigned;
    }

    /// The semaphore document at a key, as an actor, or else any actor, knows it.
    pub(super) fn semaphore(&self, actor: &str, key: &str) -> ObservedSemaphore {
        self.entry(actor, key).and_then(|entry| entry.semaphore.clone()).unwrap_or_default()
    }

    /// An entry as an actor knows it. Its index and its value must come from the same answer, so
    /// what others know counts only if the actor knows nothing of it.
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

    /// Forgets the value that a name has for an actor.
    pub(super) fn forget(&mut self, actor: &str, name: &str) {
        self.assigned.retain(|it| it.actor != actor || it.name != name);
    }

    /// `name=value`, or the value that the answer to a request gave.
    pub fn assign(&mut self, actor: &str, name: &str, value: &str) {
        self.forget(actor, name);
        let (actor, name, value) = (actor.into(), name.into(), value.into());
        self.assigned.push(Assigned { actor, name, value });
    }

    /// `name=$(...)`: the ID if the answer is an object with one, or the whole body.
    pub fn assign_answer(&mut self, actor: &str, name: &str, response: &HttpResponse) {
        self.assign(actor, name, &taken(&response.body));
    }

    /// Takes the values of the table above from an answer.
    pub fn learn(&mut self, actor: &str, request: &HttpRequest, response: &HttpResponse) {
        if !matches!(response.status, 200 | 404) {
            return;
        }
        for known in [self.known.entry(actor.to_owned()).or_default(), &mut self.known_to_any] {
            known.learn(request, response);
        }
        if response.status != 200 {
            return;
        }
        let path = request.target.split('?').next().unwrap_or_default();
        if path == "/v1/session/create" {
            self.session_created(actor, &taken(&response.body));
            return;
        }
        for seen in [self.seen.entry(actor.to_owned()).or_default(), &mut self.last] {
            seen.request(path);
            if request.method == "GET" {
                seen.answer(response);
            }
        }
    }

    fn session_created(&mut self, actor: &str, id: &str) {
        self.seen.entry(actor.to_owned()).or_default().session = Some(id.into());
        self.sessions.retain(|(of, _)| of != actor);
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
            "lock" => first(|seen| seen.lock.clone()).or_else(|| self.lock_under_prefix(actor)),
            "prefix" => first(ObservedValues::prefix),
            "lock-modify-index" => {
                self.entry(actor, &first(|seen| seen.lock.clone())?)?.modify_index.clone()
            }
            "modify-index" => {
                self.entry(actor, &first(|seen| seen.entry.clone())?)?.modify_index.clone()
            }
            "lock-index" => {
                self.entry(actor, &first(|seen| seen.entry.clone())?)?.lock_index.clone()
            }
            _ => None,
        }
    }

    fn other(&self, actor: &str) -> Option<String> {
        let own = self.seen.get(actor).and_then(|seen| seen.lock.as_deref());
        let lock = own.or(self.last.lock.as_deref()).unwrap_or_default();
        self.other_holder(actor, lock)
    }

    /// The first live holder of a semaphore but one's own session, or else the session that another
    /// actor created last.
    fn other_holder(&self, actor: &str, lock: &str) -> Option<String> {
        let session = self.seen.get(actor).and_then(|seen| seen.session.as_ref());
        let holders = self.semaphore(actor, lock).holders;
        let holder = holders.into_iter().find(|id| Some(id) != session);
        holder.or_else(|| self.session_of_another(actor))
    }

    /// The session that another actor created last.
    fn session_of_another(&self, actor: &str) -> Option<String> {
        self.sessions.iter().rev().find(|(of, _)| of != actor).map(|(_, id)| id.clone())
    }

    fn lock_under_prefix(&self, actor: &str) -> Option<String> {
        let prefix = self.assigned_value(actor, |name| name == "prefix")?;
        Some(lock_under(&prefix))
    }
}

impl ObservedValues {
    fn request(&mut self, path: &str) {
        let Some(key) = path.strip_prefix("/v1/kv/").filter(|key| !key.is_empty()) else { return };
        let key = percent_decode_str(key).decode_utf8_lossy().into_owned();
        if is_lock(&key) {
            self.lock = Some(key.clone());
        }
        self.key = Some(key);
    }

    fn answer(&mut self, response: &HttpResponse) {
        if let Some(index) = header(response, "X-Consul-Index") {
            self.index = Some(index.into());
        }
        let Ok(Json::Array(entries)) = first_value(&response.body) else { return };
        let mut keys = entries.iter().filter_map(|entry| text(entry, "Key"));
        if let [entry] = entries.as_slice() {
            self.entry = text(entry, "Key").map(Into::into);
        }
        if let Some(lock) = keys.find(|key| is_lock(key)) {
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

fn taken(body: &[u8]) -> String {
    match first_value(body).ok().as_ref().and_then(|answer| text(answer, "ID")) {
        Some(id) => id.into(),
        None => String::from_utf8_lossy(body).trim_end().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    fn request(method: &str, target: &str) -> HttpRequest {
        HttpRequest { method: method.into(), target: target.into(), headers: vec![], body: vec![] }
    }

    fn answer(body: &str) -> HttpResponse {
        let headers = vec![("x-consul-index".into(), "17".into())];
        HttpResponse { status: 200, headers, body: body.into() }
    }

    fn create(variables: &mut Variables, actor: &str, id: &str) {
        let body = format!("{{\"ID\":\"{id}\"}}");
        variables.learn(actor, &request("PUT", "/v1/session/create"), &answer(&body));
    }

    /// The list of a semaphore: its document with these holders, and one contender for each
    /// session.
    fn list(holders: &str, attached: &[&str]) -> HttpResponse {
        let document = STANDARD.encode(format!("{{\"Limit\":2,\"Holders\":{holders}}}"));
        let mut entries =
            vec![format!(r#"{{"Key":"service/db/.lock","Value":"{document}","ModifyIndex":12}}"#)];
        for id in attached {
            entries.push(format!(r#"{{"Key":"service/db/{id}","Session":"{id}"}}"#));
        }
        answer(&format!("[{}]", entries.join(",")))
    }

    #[test]
    fn each_actor_has_its_own_session() {
        let mut variables = Variables::default();
        create(&mut variables, "a", "1");
        assert_eq!(variables.value("b", "session"), None);
        create(&mut variables, "b", "2");
        assert_eq!(variables.value("a", "session").as_deref(), Some("1"));
        assert_eq!(variables.value("b", "SESSION").as_deref(), Some("2"));
        assert_eq!(variables.value("b", "other").as_deref(), Some("1"));
    }

    #[test]
    fn a_read_of_the_semaphore_sets_its_variables() {
        let mut variables = Variables::default();
        for (actor, id) in [("a", "1"), ("b", "2"), ("c", "3")] {
            create(&mut variables, actor, id);
        }
        let read = request("GET", "/v1/kv/service/db?recurse");
        variables.learn("c", &read, &list(r#"["1","2"]"#, &["2", "3"]));
        let value = |name: &str| variables.value("c", name);
        assert_eq!(value("other").as_deref(), Some("2"), "the first holder is dead");
        assert_eq!(value("index").as_deref(), Some("17"));
        assert_eq!(value("lock-modify-index").as_deref(), Some("12"));
        assert_eq!(value("lock").as_deref(), Some("service/db/.lock"));
        assert_eq!(value("prefix").as_deref(), Some("service/db"));
        assert_eq!(variables.value("a", "lock_modify_index").as_deref(), Some("12"));
        assert_eq!(variables.value("a", "nothing"), None);
    }

    #[test]
    fn holders_are_read_in_the_shape_of_the_go_client_too() {
        let mut variables = Variables::default();
        let read = request("GET", "/v1/kv/service/db?recurse");
        variables.learn("a", &read, &list(r#"{"7":true}"#, &["7"]));
        assert_eq!(variables.value("a", "other").as_deref(), Some("7"));
    }

    #[test]
    fn assigned_values_have_priority() {
        let mut variables = Variables::default();
        create(&mut variables, "a", "1");
        variables.assign("a", "session", "mine");
        assert_eq!(variables.value("a", "session").as_deref(), Some("mine"));
        variables.assign_answer("a", "s", &answer("{\"ID\":\"9\"}"));
        variables.assign_answer("a", "w", &answer("true\n"));
        assert_eq!(variables.value("a", "s").as_deref(), Some("9"));
        assert_eq!(variables.value("a", "w").as_deref(), Some("true"));
        variables.assign("a", "updated-lock-body", "{}");
        assert_eq!(variables.value("a", "Updated Lock Body").as_deref(), Some("{}"));
        variables.assign("a", "prefix", "jobs/");
        assert_eq!(variables.value("a", "lock").as_deref(), Some("jobs/.lock"));
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
        let mut variables = Variables::default();
        let refused = HttpResponse { status: 500, headers: vec![], body: b"no".to_vec() };
        variables.learn("a", &request("PUT", "/v1/session/create"), &refused);
        assert_eq!(variables, Variables::default());
    }
}
