//! A world as a link and as a file, and back. Pure: what a reader brings is read with a clear
//! error, and nothing is changed by it before all of it could be played.

use lictor_core::sim::journal::{Journal, LinesError, Log};
use lictor_core::sim::timeline::{Target, Timeline};
use lictor_core::time::Instant;

use crate::timeline::scale::Spacing;

/// Beyond this many characters a link is likely to be cut off on its way.
pub const LINK_COMFORTABLE: usize = 2_000;
/// What an import may take, in bytes.
pub const IMPORT_MAX: usize = 32 << 20;
/// How every link begins.
const LINK: &str = "#v1.";
/// What stands before the cursor's time, in milliseconds.
const CURSOR: &str = "&t=";
/// What stands behind that, before what the axis goes by.
const VIEW: &str = "&v=";

/// Why nothing was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    TooLarge,
    /// It is neither a link nor a log.
    Foreign,
    /// In words of the format, which are not translated.
    Damaged(String),
}

/// What somebody has shared.
#[derive(Debug)]
pub struct Shared {
    pub timeline: Timeline,
    /// By what its timeline went, if that was told.
    pub spacing: Option<Spacing>,
}

/// The world of a branch as the part of an address behind the page's own, with the place of the
/// cursor where that is not its end, and what the axis goes by where that is not time; an error
/// says why there is none.
pub fn link(timeline: &Timeline, spacing: Spacing) -> Result<String, String> {
    let mut link = timeline.journal().to_link().map_err(|error| error.to_string())?;
    if !timeline.is_at_end() {
        link += &format!("{CURSOR}{}", timeline.world().now().as_millis());
    }
    if spacing != Spacing::Time {
        link += &format!("{VIEW}{}", spacing.name());
    }
    Ok(link)
}

/// Whether the fragment of an address has a world in it.
pub fn is_link(fragment: &str) -> bool {
    fragment.starts_with(LINK)
}

/// Reads a link, an address that ends in one, or the text of a file: a journal, or the log of a
/// page that came to a bad end.
pub fn read(text: &str) -> Result<Shared, Unreadable> {
    if text.len() > IMPORT_MAX {
        return Err(Unreadable::TooLarge);
    }
    let text = text.trim();
    match (text.find(LINK), text.starts_with('{')) {
        (_, true) => read_file(text).map(|timeline| Shared { timeline, spacing: None }),
        (Some(at), false) => read_link(&text[at..]),
        (None, false) => return Err(Unreadable::Foreign),
    }
    .map_err(Unreadable::Damaged)
}

fn read_file(text: &str) -> Result<Timeline, String> {
    match Journal::from_lines(text) {
        Err(LinesError::NotAJournal) => Log::read(text).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
        Ok(journal) => journal.play().map_err(|error| error.to_string()),
    }
}

fn read_link(link: &str) -> Result<Shared, String> {
    let (link, view) = link.split_once(VIEW).map_or((link, None), |(it, view)| (it, Some(view)));
    let (link, cursor) = link.split_once(CURSOR).unwrap_or((link, ""));
    let unknown = || format!("\"{}\" is no view of the timeline", view.unwrap_or_default());
    let spacing = view.map(|view| Spacing::named(view).ok_or_else(unknown)).transpose()?;
    let journal = Journal::from_link(link).map_err(|error| error.to_string())?;
    let mut timeline = journal.play().map_err(|error| error.to_string())?;
    if !cursor.is_empty() {
        let at = cursor.parse().map_err(|_| format!("\"{cursor}\" is no time of the cursor"))?;
        timeline.seek(Target::Time(Instant::from_millis(at)));
    }
    Ok(Shared { timeline, spacing })
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
        let link = link(&timeline, Spacing::Time).expect("it has one");
        assert!(is_link(&link));
        for text in [
            link.clone(),
            format!("https://example.org/lictor/{link}"),
            timeline.journal().to_lines(),
            Logged::begin(timeline.clone()).take_lines(),
        ] {
            let back = read(&text).expect("it is whole");
            assert_eq!(back.timeline.world(), timeline.world());
            assert_eq!(back.spacing, None);
        }
    }

    #[test]
    fn a_link_leads_to_the_place_where_it_was_made() {
        let mut timeline = timeline();
        timeline.seek(Target::Time(Instant::from_millis(700)));
        let link = link(&timeline, Spacing::Time).expect("it has one");
        assert!(link.ends_with("&t=700"), "{link}");
        let back = read(&link).expect("it is whole").timeline;
        assert_eq!((back.world().now(), back.is_at_end()), (Instant::from_millis(700), false));
        assert_eq!(back.here().end().at, Instant::from_millis(1_500));
        let behind = link.replace("700", "99999999");
        assert!(read(&behind).expect("its end is the end").timeline.is_at_end());
    }

    #[test]
    fn a_link_shows_what_its_maker_saw_by_order_of_events() {
        let mut timeline = timeline();
        let at_end = link(&timeline, Spacing::Order).expect("it has one");
        timeline.seek(Target::Time(Instant::from_millis(700)));
        let in_past = link(&timeline, Spacing::Order).expect("it has one");
        assert!(in_past.ends_with("&t=700&v=order"), "{in_past}");
        for link in [at_end, in_past] {
            assert_eq!(read(&link).expect("it is whole").spacing, Some(Spacing::Order));
        }
    }

    #[test]
    fn what_is_no_world_is_an_error() {
        assert_eq!(read("").err(), Some(Unreadable::Foreign));
        assert_eq!(read("hello").err(), Some(Unreadable::Foreign));
        assert_eq!(read(&" ".repeat(IMPORT_MAX + 1)).err(), Some(Unreadable::TooLarge));
        let link = link(&timeline(), Spacing::Time).expect("it has one");
        let (late, view) = (format!("{link}&t=late"), format!("{link}&v=upside-down"));
        for damaged in
            ["#v1.", "#v1.%%%", "{}", "{\"lictor\":99}", &link[..link.len() - 2], &late, &view]
        {
            assert!(matches!(read(damaged), Err(Unreadable::Damaged(_))), "{damaged}");
        }
    }
}
