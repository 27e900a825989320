//! Which lists are asked for, and how often: again until what belongs together has not changed from
//! one reading to the next, at most five times.

use std::collections::BTreeSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher as _, Hasher as _};
use std::time::Instant;

use lictor_incident::{Answer, Incident, Redactor, SharedState, escaped, remark};
use serde_json::Value;

use super::client::{Client, HttpAnswer};
use super::texts::Texts;

/// How often everything is read at most.
const PASSES: usize = 5;
/// With more nodes than these, the checks of all nodes are one list.
const NODES_MAX: usize = 10;
/// How many lists are asked for at most in one reading.
const LISTS_MAX: usize = 30;
/// All keys, which are never asked for by themselves.
const WHOLE_STORE: &str = "/v1/kv/?recurse";

/// What is asked about.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted<'a> {
    Key(&'a str),
    Prefix(&'a str),
    /// No key: the sessions alone.
    Sessions,
}

impl<'a> Wanted<'a> {
    /// The answers about it.
    pub(crate) fn answers(self, incident: &Incident) -> Vec<Answer> {
        match self {
            Self::Key(key) => incident.answers_about(Some(key)),
            Self::Prefix(prefix) => incident.answers_with_prefix(prefix),
            Self::Sessions => incident.answers(),
        }
    }

    /// The folder of the document of a semaphore, which has the keys of its contenders.
    pub(super) fn folder(self) -> Option<&'a str> {
        match self {
            Self::Key(key) => key.strip_suffix(".lock").filter(|folder| folder.ends_with('/')),
            Self::Prefix(_) | Self::Sessions => None,
        }
    }

    /// Whether a key is a part of it.
    pub(super) fn includes(self, key: &str) -> bool {
        match self {
            Self::Key(one) => {
                key == one || self.folder().is_some_and(|folder| key.starts_with(folder))
            }
            Self::Prefix(prefix) => key.starts_with(prefix),
            Self::Sessions => false,
        }
    }
}

/// Reads texts as an incident; `None` if they have nothing of Consul's.
pub(super) type Reader<'a> = &'a dyn Fn(&[(String, String)]) -> Option<Incident>;

struct Asker<'a> {
    client: &'a Client,
    wanted: Wanted<'a>,
    read: Reader<'a>,
    /// The lists, each with the word for it in the name of its file.
    lists: Vec<(String, &'static str)>,
    /// The agent that answers, which does not change.
    agent: Option<(String, String)>,
    /// Whether no server has answered 500: without a leader, or with one that has just failed, it
    /// has only its own state.
    reaches_leader: bool,
    /// Why nothing more is asked.
    stopped: Option<String>,
    /// What this program's requests have, and their number.
    tag: String,
    sent: usize,
}

/// Asks for what an answer needs. Returns the texts of the last reading.
pub(crate) fn ask(client: &Client, wanted: Wanted<'_>, read: Reader<'_>) -> Texts {
    let mut asker = Asker::new(client, wanted, read);
    let started = Instant::now();
    let mut last: Option<(SharedState, Texts)> = None;
    let mut readings = 0;
    while readings < PASSES && (readings < 2 || started.elapsed() < client.timeout()) {
        let texts = asker.pass();
        readings += 1;
        let state = read(&texts).map(|incident| incident.shared_state());
        let is_final = asker.stopped.is_some() || !asker.reaches_leader;
        last = match (last, state) {
            (Some((_, before)), _) if is_final => {
                let why = asker.stopped.unwrap_or_else(|| "HTTP 500".into());
                return with_remark(
                    before,
                    &format!(
                        "the lists were read once, and the second reading failed ({why}): whether \
                         they are of one moment is not known"
                    ),
                );
            }
            (Some((before, _)), Some(state)) if before == state => return texts,
            (_, Some(state)) if !is_final => Some((state, texts)),
            _ => return texts,
        };
    }
    let texts = last.map(|(_, texts)| texts).unwrap_or_default();
    let seconds = started.elapsed().as_secs_f64();
    with_remark(
        texts,
        &format!(
            "the keys, their holders or the checks of these changed between any two of {readings} \
         readings in {seconds:.1} s: the lists are of different moments"
        ),
    )
}

/// The body of a list of keys. A value can be a secret of the application, and decides nothing
/// about a lock, unless it is the document of a semaphore.
pub(super) fn without_values(answer: &HttpAnswer) -> String {
    if answer.status == 200 {
        Redactor::of_values_and_tokens().redact(&answer.body)
    } else {
        answer.body.clone()
    }
}

fn with_remark(mut texts: Texts, text: &str) -> Texts {
    texts.insert(0, ("00-moments.txt".into(), remark(text)));
    texts
}

impl<'a> Asker<'a> {
    fn new(client: &'a Client, wanted: Wanted<'a>, read: Reader<'a>) -> Self {
        let mut lists = vec![("/v1/session/list".into(), "sessions")];
        match wanted {
            Wanted::Key(key) => lists.push((format!("/v1/kv/{}", escaped(key)), "keys")),
            Wanted::Prefix(prefix) => {
                lists.push((format!("/v1/kv/{}?recurse", escaped(prefix)), "keys"));
            }
            Wanted::Sessions => {}
        }
        lists.push(("/v1/catalog/nodes".into(), "nodes"));
        Self {
            client,
            wanted,
            read,
            lists,
            agent: None,
            reaches_leader: !client.is_stale(),
            stopped: None,
            tag: format!("{:x}", RandomState::new().build_hasher().finish()),
            sent: 0,
        }
    }

    /// One reading: the known lists, and then those that their reader misses.
    fn pass(&mut self) -> Texts {
        let mut texts = Texts::new();
        // In another datacenter, this agent is not the one that the lists are of.
        if !self.client.has_datacenter() {
            let agent = self.agent.take().unwrap_or_else(|| self.agent_text());
            self.agent = Some(agent.clone());
            texts.push(agent);
        }
        let mut asked = 0;
        loop {
            while let Some((path, word)) = self.lists.get(asked).cloned() {
                if self.stopped.is_some() {
                    return texts;
                }
                asked += 1;
                texts.push((format!("{asked:02}-{word}.txt"), self.list_text(&path)));
            }
            let more = (self.read)(&texts).map(|incident| self.more(&incident));
            match more {
                Some(more) if !more.is_empty() => self.lists.extend(more),
                _ => return texts,
            }
        }
    }

    /// The lists that a reader of the known ones misses.
    fn more(&self, incident: &Incident) -> Vec<(String, &'static str)> {
        let asked: BTreeSet<&str> = self.lists.iter().map(|(path, _)| path.as_str()).collect();
        let nodes = incident.nodes_of_holders();
        let of_node = |node: &str| (format!("/v1/health/node/{}", escaped(node)), "checks");
        let checks: Vec<_> = match nodes.len() {
            0..=NODES_MAX => nodes.into_iter().map(of_node).collect(),
            _ => vec![("/v1/health/state/any".into(), "checks")],
        };
        let missing = incident.missing(&self.wanted.answers(incident));
        let missing = missing.into_iter().filter_map(|missing| Some((missing.path?, "more")));
        let new = checks.into_iter().chain(missing);
        let new = new
            .filter(|(path, _)| !asked.contains(path.as_str()) && !path.starts_with(WHOLE_STORE));
        new.take(LISTS_MAX.saturating_sub(self.lists.len())).collect()
    }

    /// The agent that answers: its name and its datacenter. The rest of its configuration is no
    /// part of an incident.
    fn agent_text(&mut self) -> (String, String) {
        let url = self.client.url("/v1/agent/self", None);
        let text = self.text(&url, |answer| {
            let whole: Result<Value, _> = serde_json::from_str(&answer.body);
            let Ok(whole) = whole else { return answer.body.clone() };
            serde_json::json!({ "Config": whole.get("Config") }).to_string()
        });
        ("00-self.txt".into(), text)
    }

    /// A list of the newest state; without a leader, that of the server that answers.
    fn list_text(&mut self, path: &str) -> String {
        let mut text = String::new();
        if self.reaches_leader {
            text = self.text_of_list(path, "consistent");
        }
        if !self.reaches_leader && self.stopped.is_none() {
            text += &self.text_of_list(path, "stale");
        }
        text
    }

    fn text_of_list(&mut self, path: &str, mode: &str) -> String {
        self.sent += 1;
        // A log of the agent has this request and no other one with this parameter.
        let parameters = format!("{mode}&lictor={}-{}", self.tag, self.sent);
        let url = self.client.url(path, Some(&parameters));
        if path.starts_with("/v1/kv/") {
            self.text(&url, without_values)
        } else {
            self.text(&url, |answer| answer.body.clone())
        }
    }

    /// The request and its answer, or why there is none.
    fn text(&mut self, url: &str, body: impl Fn(&HttpAnswer) -> String) -> String {
        let command = self.client.command(url);
        match self.client.get(url) {
            Ok(answer) => {
                self.reaches_leader &= answer.status != 500;
                if answer.status == 429 {
                    self.stopped = Some("HTTP 429".into());
                }
                format!("{command}{}\n{}\n\n", answer.head, body(&answer).trim_end())
            }
            Err(failure) => {
                if !failure.is_of_this_list() {
                    self.stopped = Some(failure.to_string());
                }
                format!("{command}{}", remark(&failure.to_string()))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lictor_incident::Source;

    use super::*;

    #[test]
    fn the_answers_about_a_prefix_have_no_other_key_that_the_log_names() {
        let keys = r#"[{"LockIndex": 1, "Key": "jobs/a", "Flags": 0, "Value": null,
            "CreateIndex": 9, "ModifyIndex": 9}]"#;
        let acquire = |key: &str| {
            format!(
                "2026-11-26T09:10:20.000Z [DEBUG] agent.http: Request finished: method=PUT \
                 url=/v1/kv/{key}?acquire=4154283e-a8f4-f7f1-22ce-3de43166da77 from=127.0.0.1:1 \
                 latency=1ms\n"
            )
        };
        let log = acquire("jobs/b") + &acquire("other/c");
        let sources = [("keys.json", keys), ("n1.log", log.as_str())];
        let sources = sources.map(|(name, text)| Source::new(name, text.as_bytes()));
        let incident = Incident::read(&sources, None).expect("an incident");
        let keys = |wanted: Wanted<'_>| {
            let answers = wanted.answers(&incident).into_iter();
            answers.map(|answer| answer.key).collect::<Vec<_>>()
        };
        assert_eq!(keys(Wanted::Prefix("jobs/")), ["jobs/a", "jobs/b"]);
        assert_eq!(keys(Wanted::Prefix("")), ["jobs/a", "jobs/b", "other/c"]);
        assert_eq!(keys(Wanted::Prefix("none/")), [""; 0]);
        assert_eq!(keys(Wanted::Key("jobs/a")), ["jobs/a"]);
    }
}
