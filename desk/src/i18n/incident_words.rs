//! The type of the table of strings of the incident panel. The sentences about a key are the
//! importer's, in English like the texts of Consul.

use lictor_incident::TakenBy;

type Text = &'static str;

/// The strings of the incident panel, in one language.
pub struct IncidentWords {
    /// The tab of the panel, and its heading.
    pub heading: Text,
    pub hint: Text,
    /// The text of its choice in a first visit, and that of the line below it.
    pub first_visit: Text,
    /// The number of keys, the moment for which the answers hold, and whether it is assumed.
    pub found: fn(usize, &str, bool) -> String,
    /// There is no answer about a key: whether a list of keys was shown.
    pub no_answer: fn(bool) -> Text,
    pub paste: Text,
    /// The label of the field once something was read.
    pub paste_more: Text,
    pub helps: Text,
    /// The heading of the script that collects what helps, and what to do with it.
    pub collect: Text,
    pub collect_hint: Text,
    pub private: Text,
    pub files: Text,
    pub read: Text,
    pub reading: Text,
    pub stop: Text,
    /// Removes a text, by its name.
    pub remove: fn(&str) -> String,
    /// The seconds that are added to the times of a text, by its name.
    pub clock_offset: fn(&str) -> String,
    /// Takes the proposed offset, in seconds.
    pub use_offset: fn(f64) -> String,
    /// The patterns of an application's lines in a text, by its name.
    pub patterns: fn(&str) -> String,
    /// Puts the proposed patterns back.
    pub propose: Text,
    /// The heading of the events of all texts.
    pub observed: Text,
    /// The importer has failed.
    pub failed: Text,
    /// Replaces values, tokens and addresses before anything is read.
    pub redact: Text,
    /// A session has asked for a key: its name, how many times, when it did last, and whether it
    /// did not get it.
    pub asked: fn(&str, usize, &str, bool) -> String,
    /// The heading of the picture, and what it shows.
    pub picture: Text,
    pub picture_hint: Text,
    /// Shows more of a list: how many, and how many are not shown.
    pub more: fn(usize, usize) -> String,
    /// The heading of what was not shown.
    pub missing: Text,
    /// What something that is missing would show.
    pub shows: fn(&str) -> String,
    /// The heading of the lists.
    pub lists: Text,
    /// When a list was taken, and what says so: its name and the moment.
    pub taken: fn(&str, &str, TakenBy) -> String,
    pub if_destroyed: Text,
    /// The number of lines that were not used.
    pub not_used: fn(usize) -> String,
    /// The number of assumptions of the world.
    pub assumes: fn(usize) -> String,
    pub run_on: Text,
    pub run_on_hint: Text,
    /// Why the incident makes no world.
    pub no_world: fn(&str) -> String,
    /// The worker could not be loaded.
    pub no_reader: Text,
    /// The button that reads a text without commands as a part of an incident.
    pub read_as_incident: Text,
    pub live: LiveWords,
}

/// The strings of a page that follows a cluster.
pub struct LiveWords {
    /// The tab of the panel, and its heading.
    pub heading: Text,
    pub hint: Text,
    /// Nothing was received yet.
    pub asks: Text,
    /// The page is not one that the program serves.
    pub no_program: Text,
    /// The program has no answer of the cluster yet.
    pub waits: Text,
    /// The program has ended, or cannot be reached.
    pub gone: Text,
    /// The program refuses to answer, for this reason.
    pub refused: fn(&str) -> String,
    /// What is followed and where, and whether the log is followed.
    pub follows: fn(&str, &str, bool) -> String,
    /// When the cluster has answered last.
    pub answered: fn(&str) -> String,
    /// A prefix of keys.
    pub prefix: fn(&str) -> String,
    /// The cluster does not answer: the time of the last answer, if there was one, and why.
    pub stale: fn(Option<&str>, &str) -> String,
    /// The prefix has more keys and sessions than the page shows: their numbers.
    pub too_many: fn(usize, usize) -> String,
    /// A longer prefix that would do, with its keys and sessions.
    pub smaller: fn(&str, usize, usize) -> String,
    /// The heading of the last lines of the program.
    pub lines: Text,
}
