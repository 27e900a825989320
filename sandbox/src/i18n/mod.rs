//! Every string of the page in every language; a missing translation does not compile. The
//! sentences that explain events and their reasons are only here. Consul's own texts (errors, keys,
//! paths) are never translated.

mod catalog_words;
mod chinese;
mod console_words;
mod english;
mod incident_words;
mod learn_words;
mod network_words;
mod refusal_words;
mod request_words;
mod saved_world_words;
mod upcoming;
mod words;
mod world_name;

pub use catalog_words::{HealthCheckWords, VersionWords};
pub use console_words::{ConsoleWords, GuideWords};
pub use incident_words::IncidentWords;
pub use learn_words::LearnWords;
pub use saved_world_words::SavedWorldWords;
pub use words::{CheckWords, PastWords, ShareWords, ViewWords, Word, Words, WorldWords};

use crate::language::Language;

impl Language {
    /// The strings of the language.
    pub fn words(self) -> &'static Words {
        match self {
            Self::English => &english::WORDS,
            Self::Chinese => &chinese::WORDS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;

    /// The notes of the last event, in English and Chinese.
    fn notes(target: &str, body: &str) -> [String; 2] {
        let mut played = TestWorld::new();
        played.call("web-1", "PUT", target, body);
        let row = played.record.events().iter().last().expect("it was refused");
        [Language::English, Language::Chinese].map(|it| (it.words().note)(&row.note))
    }

    #[test]
    fn an_error_of_consul_has_its_meaning_before_its_text() {
        let consul = "Invalid Session TTL '5000000000', must be between [10s=24h0m0s]";
        assert_eq!(
            notes("/v1/session/create", r#"{"TTL": "5s"}"#),
            [
                format!("5s is below the minimum of 10s · {consul}"),
                format!("5s 低于下限 10s · {consul}"),
            ]
        );
        let [english, _] = notes("/v1/session/create", r#"{"TTL": "25h"}"#);
        assert!(english.starts_with("25h0m0s is above the maximum of 24h · "), "{english}");
        let [english, _] = notes("/v1/session/create", r#"{"TTL": "-1s"}"#);
        assert!(
            english.starts_with("a TTL cannot be negative; the minimum is 10s · "),
            "{english}"
        );
    }

    #[test]
    fn an_error_without_a_text_has_its_meaning_alone_and_a_plain_one_its_text() {
        let [english, _] = notes("/v1/kv/a%01b", "1");
        assert_eq!(english, "the path has a character that cannot be printed; nothing was done");
        assert_eq!(notes("/v1/kv/", "1"), ["Missing key name"; 2]);
    }
}
