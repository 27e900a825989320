//! The style of the pictures in the documentation, for both themes: the rules of the sandbox's
//! pictures, in which each colour is supplemented by the dark one of www/styles/theme.css.

use lictor_view::timeline::picture::STYLE;

const PAGE_STYLE: &str = include_str!("../../www/styles/theme.css");

/// The rules that only pictures of the documentation need: for the spans that sentences mention,
/// and for the present time, which is hidden unless a script plays
/// (docs/theme/player.css).
const OWN: &str = "\
.now-line,.now-plate,.now-text,.here,.shade{display:none}\
.band,.here{fill:light-dark(#dde9fc,#223659)}.band{display:none}.band.is-lit{display:initial}\
";

/// The rules for `.lanes-picture`.
pub(crate) fn picture_style() -> String {
    let mut rules = String::new();
    let mut rest = STYLE;
    while let Some(place) = rest.find('#') {
        let digits = rest[place + 1..].chars().take_while(char::is_ascii_alphanumeric).count();
        let (before, after) = rest.split_at(place);
        let (colour, after) = after.split_at(digits + 1);
        rules += before;
        match dark_of(colour) {
            Some(dark) => rules += &format!("light-dark({colour},{dark})"),
            None => rules += colour,
        }
        rest = after;
    }
    rules += rest;
    // Shapes without a fill of their own are black in a file.
    let (text, narrow) = ("fill:light-dark(#161a20,#e9edf2);", "&.is-narrow .opt{display:none}");
    format!(".lanes-picture{{{text}{rules}{OWN}{narrow}}}")
}

/// The dark colour of the first token of the page that has this light colour. `None` if no token
/// has it, or if it is no colour.
fn dark_of(light: &str) -> Option<&'static str> {
    let is_colour = light[1..].chars().all(|digit| digit.is_ascii_hexdigit());
    let long = if light.len() == 4 { long_form(light) } else { light.to_owned() };
    let (_, after) = PAGE_STYLE.split_once(&format!("light-dark({long}, "))?;
    after.split(')').next().filter(|_| is_colour)
}

/// `#fff` as `#ffffff`.
fn long_form(short: &str) -> String {
    short[1..].chars().fold("#".to_owned(), |long, digit| format!("{long}{digit}{digit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_colour_has_a_dark_one() {
        let style = picture_style();
        assert!(style.contains(".a1{color:light-dark(#0d7f76,#5adac7)}"));
        assert!(style.contains("fill:url(#hatch-delay)"), "a pattern is no colour");
        let light_only = style.split(":#").nth(1).map(|after| after.split(';').next());
        assert_eq!(light_only, None);
    }
}
