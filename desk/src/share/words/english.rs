//! The strings of links, files and saved worlds in English.

use lictor_sim::journal::LinkError;
use lictor_view::format::{clock, version_names};

use super::{SavedWorldWords, Words};
use crate::share::world_summary::WorldSummary;
use crate::share::{DamageError, ImportError};

pub(super) const WORDS: Words = Words {
    share: "Share",
    heading: "Share and open",
    link: "Link to this world and its history",
    lesson: "Link to this page of the story",
    embed_html: "HTML for a page of documentation",
    copy: "Copy",
    length: |length| format!("{length} characters; nothing is sent to a server"),
    too_long: |length| format!("{length} characters: too long for some programs, so send the file"),
    save: "Save, with all branches",
    file: "As a log (JSONL)",
    page: "As a page (HTML)",
    picture: "The timeline as a picture (SVG)",
    open: "Open",
    paste: "Paste a link or a log",
    open_it: "Open",
    choose: "Choose a file",
    drop: "A file can also be dropped anywhere on the page; the console and the guide take text \
           files.",
    import_error: |why| match why {
        ImportError::TooLarge => "This is too large to be opened; nothing was changed.".into(),
        ImportError::Foreign => {
            "This is neither a link nor a log of Lictor; nothing was changed.".into()
        }
        ImportError::Damaged(DamageError::Link(LinkError::Damaged | LinkError::NotALink)) => {
            "This link is damaged or cut off; nothing was changed. Copy the whole link again."
                .into()
        }
        ImportError::Damaged(DamageError::Link(LinkError::UnknownVersion { .. })) => {
            "This link is for a later version of Lictor; nothing was changed.".into()
        }
        ImportError::Damaged(DamageError::Link(LinkError::UnknownConsul)) => format!(
            "This link is for a version of Consul that Lictor does not have; it has {}. Nothing \
             was changed.",
            version_names(" and ")
        ),
        ImportError::Damaged(DamageError::UnknownLesson(name)) => {
            format!("There is no story {name}; nothing was changed.")
        }
        ImportError::Damaged(why) => format!("This cannot be read ({why}); nothing was changed."),
    },
    no_link,
    whole: "Open the whole page",
    unknown: |words| format!("Unknown attribute values: {words}"),
};

pub(super) const SAVED_WORLD: SavedWorldWords = SavedWorldWords {
    earlier: "Earlier worlds",
    earlier_text: "The five worlds that a question, a link, a file or another sandbox has \
                   replaced last. The world that is open now takes their place in this list.",
    dropped_next: "The next world that is replaced drops this one. To keep it, open it and save \
                   it.",
    nothing_done: "nothing done yet",
    of_question: |number, title| format!("Question {number}: {title}"),
    describes: |world| {
        let WorldSummary { clients, events, end, keys, question } = world;
        let question = question.map(|number| format!("question {number}"));
        let clients = match clients.as_slice() {
            [] => "no client".to_owned(),
            [one] => one.clone(),
            [one, other] => format!("{one} and {other}"),
            [one, ..] => format!("{one} and {} others", clients.len() - 1),
        };
        let events = match events {
            1 => "1 event".to_owned(),
            events => format!("{events} events"),
        };
        let size = format!("{clients}, {events}, {} s", clock(*end));
        let keys = (!keys.is_empty()).then(|| keys.join(", "));
        question.into_iter().chain([size]).chain(keys).collect::<Vec<_>>().join(" · ")
    },
    worlds: "Worlds",
    worlds_text: "Saved worlds stay in this browser and are the same in all its tabs. A world \
                  keeps its clients, every event and its branches.",
    save_as: "Save this world as",
    save_world: "Save",
    nothing_saved: "No world is saved yet.",
    find: "Find a world",
    none_found: "No world matches.",
    open_saved: |name| format!("Open {name}"),
    rename: |name| format!("Rename {name}"),
    delete: |name| format!("Delete {name}"),
    open: "Open",
    rename_it: "Rename",
    new_name: "New name",
    cancel: "Cancel",
    deleted: |name| format!("“{name}” is deleted."),
    fresh: "A fresh sandbox",
    stopped: "The page has stopped",
    stopped_text: "This is a bug in Lictor. Your work is not lost: reload the page to continue, or \
                   save the world as a file and attach it to a report.",
    damaged: "Your last world cannot be opened",
    damaged_text: "It is kept until you discard it. A new world has been started.",
    unsaved: "This world is not saved",
    unsaved_text: "The browser's storage is full or was cleared. The world is lost when you close \
                  or reload this tab.",
    store_again: "Save it in the browser again",
    save: "Save it as a file",
    reload: "Reload the page",
    start_over: "Start a new world without it",
    discard: "Discard it",
};

fn no_link(error: &LinkError) -> String {
    match error {
        LinkError::NoSeed => {
            "The beginning of this past is no longer kept, so no link can contain \
                              it. Save it as a file instead."
                .into()
        }
        error => format!("There is no link to this world ({error}). Save it as a file instead."),
    }
}
