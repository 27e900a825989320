//! A world as a link and as a file, and back. Pure: what a reader brings is read with a clear
//! error, and nothing is changed by it before all of it could be played.

use lictor_core::sim::journal::{Journal, LinesError, Log};
use lictor_core::sim::timeline::Timeline;

/// Beyond this many characters a link is likely to be cut off on its way.
pub const LINK_COMFORTABLE: usize = 2_000;
/// What an import may take, in bytes.
pub const IMPORT_MAX: usize = 32 << 20;
/// How every link begins.
const LINK: &str = "#v1.";

/// A world to be sent.
pub struct Shared {
    /// The part of an address behind the page's own; an error says why there is none.
    pub link: Result<String, String>,
}

/// Why nothing was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    TooLarge,
    /// It is neither a link nor a log.
    Foreign,
    /// In words of the format, which are not translated.
    Damaged(String),
}

impl Shared {
    pub fn of(timeline: &Timeline) -> Self {
        Self { link: timeline.journal().to_link().map_err(|error| error.to_string()) }
    }
}

/// Whether the fragment of an address has a world in it.
pub fn is_link(fragment: &str) -> bool {
    fragment.starts_with(LINK)
}

/// Reads a link, an address that ends in one, or the text of a file: a journal, or the log of a
/// page that came to a bad end.
pub fn read(text: &str) -> Result<Timeline, Unreadable> {
    if text.len() > IMPORT_MAX {
        return Err(Unreadable::TooLarge);
    }
    let text = text.trim();
    let damaged = |why: &dyn ToString| Unreadable::Damaged(why.to_string());
    let journal = match (text.find(LINK), text.starts_with('{')) {
        (_, true) => match Journal::from_lines(text) {
            Err(LinesError::NotAJournal) => {
                return Log::read(text).map_err(|error| damaged(&error));
            }
            read => read.map_err(|error| damaged(&error))?,
        },
        (Some(at), false) => Journal::from_link(&text[at..]).map_err(|error| damaged(&error))?,
        (None, false) => return Err(Unreadable::Foreign),
    };
    journal.play().map_err(|error| damaged(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::id::ActorName;
    use lictor_core::sim::journal::Logged;
    use lictor_core::sim::{Act, World};
    use lictor_core::time::Instant;

    fn timeline() -> Timeline {
        let mut timeline = Timeline::new(World::new(9));
        timeline.perform(Act::Join { actor: ActorName::from("<img onerror=alert(1)>") });
        timeline.advance(Instant::from_millis(1_500));
        timeline
    }

    #[test]
    fn a_world_comes_back_from_its_link_and_from_its_file() {
        let timeline = timeline();
        let link = Shared::of(&timeline).link.expect("it has one");
        assert!(is_link(&link));
        for text in [
            link.clone(),
            format!("https://example.org/lictor/{link}"),
            timeline.journal().to_lines(),
            Logged::begin(timeline.clone()).take_lines(),
        ] {
            let back = read(&text).expect("it is whole");
            assert_eq!(back.world(), timeline.world());
        }
    }

    #[test]
    fn what_is_no_world_is_an_error() {
        assert_eq!(read("").err(), Some(Unreadable::Foreign));
        assert_eq!(read("hello").err(), Some(Unreadable::Foreign));
        assert_eq!(read(&" ".repeat(IMPORT_MAX + 1)).err(), Some(Unreadable::TooLarge));
        let link = Shared::of(&timeline()).link.expect("it has one");
        for damaged in ["#v1.", "#v1.%%%", "{}", "{\"lictor\":99}", &link[..link.len() - 2]] {
            assert!(matches!(read(damaged), Err(Unreadable::Damaged(_))), "{damaged}");
        }
    }
}
