//! A world as a link and as a file, and back. Pure: what a reader brings is read with a clear
//! error, and nothing is changed by it before all of it could be played.

use lictor_core::sim::journal::{Journal, LinesError, Log};
use lictor_core::sim::timeline::{Target, Timeline};
use lictor_core::time::Instant;

/// Beyond this many characters a link is likely to be cut off on its way.
pub const LINK_COMFORTABLE: usize = 2_000;
/// What an import may take, in bytes.
pub const IMPORT_MAX: usize = 32 << 20;
/// How every link begins.
const LINK: &str = "#v1.";
/// What stands before the cursor's time, in milliseconds.
const CURSOR: &str = "&t=";

/// Why nothing was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    TooLarge,
    /// It is neither a link nor a log.
    Foreign,
    /// In words of the format, which are not translated.
    Damaged(String),
}

/// The world of a branch as the part of an address behind the page's own, with the place of the
/// cursor where that is not its end; an error says why there is none.
pub fn link(timeline: &Timeline) -> Result<String, String> {
    let link = timeline.journal().to_link().map_err(|error| error.to_string())?;
    let at = timeline.world().now().as_millis();
    Ok(if timeline.is_at_end() { link } else { format!("{link}{CURSOR}{at}") })
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
        (Some(at), false) => return read_link(&text[at..]).map_err(Unreadable::Damaged),
        (None, false) => return Err(Unreadable::Foreign),
    };
    journal.play().map_err(|error| damaged(&error))
}

fn read_link(link: &str) -> Result<Timeline, String> {
    let (link, cursor) = link.split_once(CURSOR).unwrap_or((link, ""));
    let journal = Journal::from_link(link).map_err(|error| error.to_string())?;
    let mut timeline = journal.play().map_err(|error| error.to_string())?;
    if !cursor.is_empty() {
        let at = cursor.parse().map_err(|_| format!("\"{cursor}\" is no time of the cursor"))?;
        timeline.seek(Target::Time(Instant::from_millis(at)));
    }
    Ok(timeline)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_core::id::ActorName;
    use lictor_core::sim::journal::Logged;
    use lictor_core::sim::{Act, World};

    fn timeline() -> Timeline {
        let mut timeline = Timeline::new(World::new(9));
        timeline.perform(Act::Join { actor: ActorName::from("<img onerror=alert(1)>") });
        timeline.advance(Instant::from_millis(1_500));
        timeline
    }

    #[test]
    fn a_world_comes_back_from_its_link_and_from_its_file() {
        let timeline = timeline();
        let link = link(&timeline).expect("it has one");
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
    fn a_link_leads_to_the_place_where_it_was_made() {
        let mut timeline = timeline();
        timeline.seek(Target::Time(Instant::from_millis(700)));
        let link = link(&timeline).expect("it has one");
        assert!(link.ends_with("&t=700"), "{link}");
        let back = read(&link).expect("it is whole");
        assert_eq!((back.world().now(), back.is_at_end()), (Instant::from_millis(700), false));
        assert_eq!(back.here().end().at, Instant::from_millis(1_500));
        let behind = link.replace("700", "99999999");
        assert!(read(&behind).expect("its end is the end").is_at_end());
    }

    #[test]
    fn what_is_no_world_is_an_error() {
        assert_eq!(read("").err(), Some(Unreadable::Foreign));
        assert_eq!(read("hello").err(), Some(Unreadable::Foreign));
        assert_eq!(read(&" ".repeat(IMPORT_MAX + 1)).err(), Some(Unreadable::TooLarge));
        let link = link(&timeline()).expect("it has one");
        let late = format!("{link}&t=late");
        for damaged in ["#v1.", "#v1.%%%", "{}", "{\"lictor\":99}", &link[..link.len() - 2], &late]
        {
            assert!(matches!(read(damaged), Err(Unreadable::Damaged(_))), "{damaged}");
        }
    }
}
