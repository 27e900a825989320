//! The strings of the list of worlds, and of the notices about worlds that cannot be kept.

use crate::share::world_summary::WorldSummary;

type Text = &'static str;

/// The strings of the rescue page and of stored worlds, in one language.
pub struct SavedWorldWords {
    /// The list of worlds that were replaced and can be opened again, and the button that opens it.
    pub earlier: Text,
    pub earlier_text: Text,
    /// On the earlier world that the next replaced one drops.
    pub dropped_next: Text,
    /// What happened in a world in which no client has done anything.
    pub nothing_done: Text,
    /// A world that belongs to a question: its number and title.
    pub of_question: fn(u32, &str) -> String,
    /// A world in a few words: its question, clients, events, time and keys.
    pub describes: fn(&WorldSummary) -> String,
    pub worlds: Text,
    pub worlds_text: Text,
    pub save_as: Text,
    pub save_world: Text,
    pub nothing_saved: Text,
    /// The field that searches the list, and that it finds nothing.
    pub find: Text,
    pub none_found: Text,
    /// The labels of the buttons of a saved world, with its name.
    pub open_saved: fn(&str) -> String,
    pub rename: fn(&str) -> String,
    pub delete: fn(&str) -> String,
    pub open: Text,
    pub rename_it: Text,
    pub new_name: Text,
    pub cancel: Text,
    /// A world of this name was deleted.
    pub deleted: fn(&str) -> String,
    pub fresh: Text,
    pub stopped: Text,
    pub stopped_text: Text,
    pub damaged: Text,
    pub damaged_text: Text,
    pub unsaved: Text,
    pub unsaved_text: Text,
    pub store_again: Text,
    pub save: Text,
    pub reload: Text,
    pub start_over: Text,
    pub discard: Text,
}
