//! The strings of links, files and saved worlds in each language.

mod chinese;
mod english;

use lictor_sim::journal::LinkError;
use lictor_view::language::Language;

use super::ImportError;
use super::world_summary::WorldSummary;

type Text = &'static str;

/// The strings of links and files in a language.
pub fn words(language: Language) -> &'static Words {
    match language {
        Language::English => &english::WORDS,
        Language::Chinese => &chinese::WORDS,
    }
}

/// The strings of saved worlds in a language.
pub fn saved_world_words(language: Language) -> &'static SavedWorldWords {
    match language {
        Language::English => &english::SAVED_WORLD,
        Language::Chinese => &chinese::SAVED_WORLD,
    }
}

/// The strings of links and files, in one language.
pub struct Words {
    pub share: Text,
    pub heading: Text,
    pub link: Text,
    /// The label of a link to a page of a lesson.
    pub lesson: Text,
    /// The label of HTML that embeds the page.
    pub embed_html: Text,
    pub copy: Text,
    pub length: fn(usize) -> String,
    pub too_long: fn(usize) -> String,
    pub save: Text,
    pub file: Text,
    /// The label of a file that contains the whole page.
    pub page: Text,
    /// The label of a file with a drawing of the timeline.
    pub picture: Text,
    pub open: Text,
    pub paste: Text,
    pub open_it: Text,
    pub choose: Text,
    pub drop: Text,
    pub import_error: fn(&ImportError) -> String,
    /// The reason why there is no link to a world.
    pub no_link: fn(&LinkError) -> String,
    /// The link to the whole page, in an embedded part.
    pub whole: Text,
    pub unknown: fn(&str) -> String,
}

/// The strings of the rescue page and of stored worlds, in one language.
pub struct SavedWorldWords {
    /// The list of worlds that were replaced and can be opened again, and the button that opens it.
    pub earlier: Text,
    pub earlier_text: Text,
    /// The note on the earlier world that will be dropped when the next world is replaced.
    pub dropped_next: Text,
    /// The part of a world's name that describes its events, if no client has done anything.
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
    /// The note that a world with this name was deleted.
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
