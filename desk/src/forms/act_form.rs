//! The form of an act of the past: its time and each parameter of its words are fields; an act with
//! unknown words has one field with all of them. An unchanged form has the words of its act, except
//! that the creation of a session whose body is JSON gets the words that create the same session.

use lictor_core::duration::{self, DurationError};
use lictor_core::json::{Json, first_value};
use lictor_core::time::Instant;
use lictor_sim::trace::{WordsError, push_operand, push_param, session_word, split_words};
use lictor_view::time_travel::{ActInPast, EditError, TimeTravel};

/// The parameter of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActParam {
    /// The time of the act, in seconds.
    Time,
    SessionName,
    Ttl,
    LockDelay,
    Behavior,
    Node,
    Checks,
    Key,
    Value,
    Acquire,
    Release,
    Cas,
    Index,
    Wait,
    Session,
    Address,
    Body,
    /// The servers' `raft_multiplier`.
    Multiplier,
    /// How long a fault lasts.
    Lasts,
    /// The whole act in the words of the line language.
    Words,
}

/// One field of the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActField {
    pub param: ActParam,
    /// The word before the `=`; `None` for an operand.
    word: Option<&'static str>,
    /// The text of the field; empty to leave a parameter with a word out.
    pub value: String,
}

/// The form of one act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActForm {
    pub act: ActInPast,
    verb: String,
    pub fields: Vec<ActField>,
}

/// Why an act is not replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActFormError {
    /// A value is no duration, in Go's words.
    #[error("{error}")]
    Duration { param: ActParam, error: DurationError },
    /// The time is no number of seconds.
    #[error("the time is not a number of seconds")]
    Time,
    /// A field is empty that the act needs.
    #[error("a value is missing")]
    Missing(ActParam),
    /// The act was refused.
    #[error(transparent)]
    Edit(#[from] EditError),
}

const fn operand(param: ActParam) -> (ActParam, Option<&'static str>) {
    (param, None)
}

const fn option(param: ActParam, word: &'static str) -> (ActParam, Option<&'static str>) {
    (param, Some(word))
}

/// The address that creates sessions.
const CREATE: &str = "/v1/session/create";

/// The fields of each kind of act that are shown even if the act leaves them out.
const SESSION: [(ActParam, Option<&str>); 6] = [
    option(ActParam::SessionName, "name"),
    option(ActParam::Ttl, "ttl"),
    option(ActParam::LockDelay, "delay"),
    option(ActParam::Behavior, "behavior"),
    option(ActParam::Node, "node"),
    option(ActParam::Checks, "checks"),
];
const PUT: [(ActParam, Option<&str>); 2] =
    [operand(ActParam::Key), option(ActParam::Value, "value")];
const OF_KEY: [(ActParam, Option<&str>); 1] = [operand(ActParam::Key)];
const OF_SESSION: [(ActParam, Option<&str>); 1] = [operand(ActParam::Session)];
const LOST_LEADER: [(ActParam, Option<&str>); 2] =
    [option(ActParam::Multiplier, "multiplier"), option(ActParam::Lasts, "for")];
const REQUEST: [(ActParam, Option<&str>); 2] =
    [operand(ActParam::Address), option(ActParam::Body, "body")];

/// The fields that are shown only if the act has them.
const IF_PRESENT: [(ActParam, &str); 5] = [
    (ActParam::Acquire, "acquire"),
    (ActParam::Release, "release"),
    (ActParam::Cas, "cas"),
    (ActParam::Index, "index"),
    (ActParam::Wait, "wait"),
];

impl ActForm {
    pub fn new(act: ActInPast) -> Self {
        let words = split_words(&act.words).unwrap_or_default();
        let words = session_words(&words).unwrap_or(words);
        let (verb, mut fields) = fields_of(&words).unwrap_or_else(|| {
            let value = act.words.clone();
            (String::new(), vec![ActField { param: ActParam::Words, word: None, value }])
        });
        let value = seconds_of_time(act.at);
        fields.insert(0, ActField { param: ActParam::Time, word: None, value });
        Self { act, verb, fields }
    }

    /// The act in the words of the line language.
    pub fn words(&self) -> String {
        let mut words = self.verb.clone();
        for ActField { param, word, value } in &self.fields {
            let value = value.trim();
            match (param, word) {
                (ActParam::Time, _) => {}
                (ActParam::Words, _) => words += value,
                (_, Some(_)) if value.is_empty() => {}
                (_, Some(word)) => push_param(&mut words, word, value),
                (_, None) => push_operand(&mut words, value),
            }
        }
        words
    }

    /// Whether its act or its time differs from the one that the form was made from.
    pub fn is_changed(&self) -> bool {
        self.words() != Self::new(self.act.clone()).words() || self.at() != Ok(self.act.at)
    }

    /// The time in the form. Fails if it is no number of seconds.
    fn at(&self) -> Result<Instant, ActFormError> {
        time_of_seconds(self.fields[0].value.trim()).ok_or(ActFormError::Time)
    }

    /// Replaces the act on a new branch; returns how many later acts were not possible any more and
    /// left out. Fails, and changes nothing, if a value is wrong.
    pub fn apply(&self, past: &mut TimeTravel) -> Result<usize, ActFormError> {
        for ActField { param, word, value } in &self.fields {
            let value = value.trim();
            if word.is_none() && value.is_empty() {
                return Err(ActFormError::Missing(*param));
            }
            let is_span = matches!(param, ActParam::Ttl | ActParam::LockDelay | ActParam::Lasts);
            if is_span && !value.is_empty() {
                let parsed = duration::parse(value);
                parsed.map_err(|error| ActFormError::Duration { param: *param, error })?;
            }
        }
        Ok(past.edit_act(self.act.number, (self.at()?, &self.words()))?.left_out)
    }

    /// The field that an error is about. `None` if it is about the act as a whole.
    pub fn wrong_field(&self, error: &ActFormError) -> Option<ActParam> {
        let with_word = |name: &str| self.fields.iter().find(|field| field.word == Some(name));
        match error {
            ActFormError::Duration { param, .. } | ActFormError::Missing(param) => Some(*param),
            ActFormError::Edit(EditError::Words(WordsError::Value { name, .. })) => {
                with_word(name).map(|field| field.param)
            }
            ActFormError::Time | ActFormError::Edit(EditError::NoSuchTime { .. }) => {
                Some(ActParam::Time)
            }
            ActFormError::Edit(_) => None,
        }
    }
}

/// The time in a field, in seconds: `12.5`; `None` for any other text.
pub(crate) fn time_of_seconds(text: &str) -> Option<Instant> {
    if text.contains(|letter: char| !letter.is_ascii_digit() && letter != '.') {
        return None;
    }
    let nanos = duration::parse(&format!("{text}s")).ok();
    nanos.and_then(|nanos| u64::try_from(nanos).ok()).map(Instant::from_nanos)
}

/// A time as the text of a field, in seconds with all its digits.
pub(crate) fn seconds_of_time(at: Instant) -> String {
    let text = at.to_string();
    text.trim_end_matches('s').trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The words `session ...` that create the same session as a `PUT` with a body in JSON; `None` for
/// any other act, and for a body with members that these words do not have.
fn session_words(words: &[String]) -> Option<Vec<String>> {
    let [method, address, body] = words else { return None };
    if method != "PUT" || address != CREATE {
        return None;
    }
    let body = body.strip_prefix("body=")?;
    let Ok(Json::Object(members)) = first_value(body.as_bytes()) else { return None };
    let option = |(name, value): &(String, Json)| {
        Some(format!("{}={}", session_word(name)?, value.as_text()?))
    };
    let mut words = vec!["session".to_owned()];
    for member in &members {
        words.push(option(member)?);
    }
    Some(words)
}

/// The verb and the fields of an act. `None` if it has words without a field.
fn fields_of(words: &[String]) -> Option<(String, Vec<ActField>)> {
    let (verb, arguments) = words.split_first()?;
    let is_method = verb.chars().all(|c| c.is_ascii_uppercase());
    let shown: &[(ActParam, Option<&'static str>)] = match verb.as_str() {
        "session" => &SESSION,
        "put" => &PUT,
        "get" | "delete" => &OF_KEY,
        "renew" | "destroy" => &OF_SESSION,
        "leader-killed" | "leader-cut" | "server-killed" => &LOST_LEADER,
        _ if is_method => &REQUEST,
        _ => return None,
    };
    let mut rest = arguments.to_vec();
    let mut take = |word: Option<&'static str>| {
        let index = rest.iter().position(|it| value_of(it, word).is_some())?;
        Some(value_of(&rest.remove(index), word)?.to_owned())
    };
    let mut fields = Vec::new();
    for &(param, word) in shown {
        let value = take(word);
        // An empty value has another meaning than none.
        if value.as_ref().is_some_and(|value| value.is_empty() || value.trim() != value) {
            return None;
        }
        fields.push(ActField { param, word, value: value.unwrap_or_default() });
    }
    for (param, word) in IF_PRESENT {
        if let Some(value) = take(Some(word)) {
            fields.push(ActField { param, word: Some(word), value });
        }
    }
    rest.is_empty().then(|| (verb.clone(), fields))
}

/// The value of an argument that has this word before its `=`, or of one without a word. `None` for
/// another word.
fn value_of<'a>(argument: &'a str, word: Option<&str>) -> Option<&'a str> {
    match word {
        None => Some(argument),
        Some(word) => argument.strip_prefix(word)?.strip_prefix('='),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(words: &str) -> ActForm {
        let at = Instant::from_millis(12_500);
        ActForm::new(ActInPast { number: 3, at, actor: "web-1".into(), words: words.into() })
    }

    fn params(form: &ActForm) -> Vec<ActParam> {
        form.fields.iter().skip(1).map(|field| field.param).collect()
    }

    #[test]
    fn a_form_that_nobody_changed_has_the_words_it_was_made_from() {
        for words in [
            "session name=web-1 ttl=20s delay=15s",
            "session",
            "put db/leader value=web-1 acquire=A",
            "put a value=\"two words\" cas=7",
            "get db/leader index=7 wait=60s",
            "delete a cas=3",
            "renew A",
            "destroy B2",
            "PUT /v1/catalog/register body=\"{\\\"Node\\\": \\\"web-1\\\"}\"",
            "GET /v1/kv/?recurse",
            "cuts way=both mode=drop",
            "session checks=\"\"",
            "put a value-hex=ff00",
            "fails-over",
            "leader-killed",
            "leader-cut multiplier=1 for=2s",
            "server-killed for=20s",
            "leader-killed after=5s",
            "spawns lock-1 lock db/leader ttl=15s",
        ] {
            let form = form(words);
            assert_eq!(form.words(), words);
            assert!(!form.is_changed(), "{words}");
        }
    }

    #[test]
    fn the_time_is_a_number_of_seconds() {
        let mut form = form("destroy A");
        assert_eq!((form.fields[0].value.as_str(), form.is_changed()), ("12.5", false));
        for (text, at) in [("12.50", 12_500), (" 7 ", 7_000), ("0", 0), ("0.25", 250)] {
            form.fields[0].value = text.into();
            assert_eq!(form.at(), Ok(Instant::from_millis(at)), "{text}");
        }
        for text in ["", "-1", "soon", "1m", "1e3"] {
            form.fields[0].value = text.into();
            assert_eq!((form.at(), form.is_changed()), (Err(ActFormError::Time), true), "{text}");
        }
    }

    #[test]
    fn a_session_has_fields_for_the_options_that_it_leaves_out() {
        let mut form = form("session name=web-1 ttl=15s");
        assert_eq!(form.fields.len(), SESSION.len() + 1, "and its time");
        let delay = form.fields.iter_mut().find(|field| field.param == ActParam::LockDelay);
        delay.expect("it has a field").value = " 0s ".into();
        assert!(form.is_changed());
        assert_eq!(form.words(), "session name=web-1 ttl=15s delay=0s");
    }

    /// The buttons and the guides write blanks into the body, which the line language does not.
    #[test]
    fn a_session_that_is_written_as_json_has_the_same_fields() {
        let body = r#"{\"Name\": \"web-1\", \"TTL\": \"15s\"}"#;
        let created = form(&format!("PUT {CREATE} body=\"{body}\""));
        assert_eq!(created.words(), "session name=web-1 ttl=15s");
        assert!(!created.is_changed());
        let number = form(&format!("PUT {CREATE} body=\"{{\\\"LockDelay\\\":5}}\""));
        assert_eq!(params(&number), [ActParam::Address, ActParam::Body], "5 is no text");
    }

    #[test]
    fn words_without_fields_are_one_field() {
        for words in ["cuts way=both", "session checks=\"\"", "put a value-hex=ff", "heals"] {
            assert_eq!(params(&form(words)), [ActParam::Words], "{words}");
        }
        let put = form("put a value=x acquire=A");
        assert_eq!(params(&put), [ActParam::Key, ActParam::Value, ActParam::Acquire]);
    }
}
