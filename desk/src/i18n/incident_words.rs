//! The type of the table of strings of the incident panel. The sentences about a key are the
//! importer's, in English like the texts of Consul.

type Text = &'static str;

/// The strings of the incident panel, in one language.
pub struct IncidentWords {
    /// The tab of the panel, and its heading.
    pub heading: Text,
    pub hint: Text,
    /// The text of its choice in a first visit, and that of the line below it.
    pub first_visit: (Text, Text),
    /// The number of keys, and the moment for which the answers hold.
    pub found: fn(usize, &str) -> String,
    pub paste: Text,
    /// The label of the field once something was read.
    pub paste_more: Text,
    pub helps: Text,
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
    /// A session has tried in vain: its name, how many times, and when it did last.
    pub asked: fn(&str, usize, &str) -> String,
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
}
