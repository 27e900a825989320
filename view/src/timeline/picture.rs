//! Writes a timeline as the text of an SVG, in two forms: [`SvgPicture::text`] is a file of its
//! own, in the light theme, that refers to nothing outside; [`SvgPicture::element`] is a part of an
//! HTML page, which has to contain the rules of [`STYLE`] and, once, [`definitions`]. All texts are
//! escaped, so names and values that users chose cannot become markup.

use lictor_core::json;
use lictor_core::time::Instant;

use super::axis::Axis;
use super::axis_labels::{labels, still_labels};
use super::draw_context::DrawnLane;
use super::grid;
use super::page_width::PageWidth;
use super::patterns::patterns;
use super::shape::Shape;
use super::words::words;
use crate::language::Language;

/// A timeline at one moment, ready to be written.
pub struct SvgPicture<'a> {
    pub language: Language,
    pub axis: &'a Axis,
    pub now: Instant,
    /// Whether the time ahead is hidden, because a question is open.
    pub is_hidden: bool,
    /// The beginning of the visible events.
    pub begin: Instant,
    pub lanes: Vec<DrawnLane>,
}

/// The widths of a picture in pixels.
#[derive(Clone, Copy, Debug)]
pub struct PictureSize {
    /// The width of the names at the left of the axis.
    names: u32,
    axis: u32,
    /// The width of a page for which its lanes have to be drawn.
    pub page: PageWidth,
}

impl PictureSize {
    /// The widths in a file.
    pub const FILE: Self = Self { names: 150, axis: 1000, page: PageWidth::Wide };
    /// The widths in a column of text.
    pub const COLUMN: Self = Self { names: 112, axis: 608, page: PageWidth::Wide };
    /// The widths on a phone.
    pub const PHONE: Self = Self { names: 80, axis: 262, page: PageWidth::Narrow };
}

/// The height of the heading.
const HEADING: u32 = 36;
/// The height of the axis, which is above the lanes.
const AXIS: u32 = 24;
/// The distance of two lines of text.
const LINE: u32 = 14;
/// The height of a lane that has room for three lines of text.
const ROOM_FOR_THREE: u32 = 44;
/// The margin on all sides.
const MARGIN: u32 = 16;

/// The shapes of a picture, from back to front.
struct Drawing {
    below: Vec<Shape>,
    lanes: Shape,
    above: Shape,
    /// The width and height of everything.
    size: [u32; 2],
}

impl SvgPicture<'_> {
    /// The content of a file.
    pub fn text(self) -> String {
        let (language, now) = (self.language, self.now);
        let title =
            format!("Lictor: {}, {}", words(language).timeline, self.axis.description(language));
        let heading = Shape::words("name", (MARGIN, "24"), title.clone());
        let labels = labels(self.axis, f64::from(PictureSize::FILE.axis), language);
        let Drawing { below, lanes, above, size: [width, height] } =
            self.drawn(PictureSize::FILE, HEADING, labels, Vec::new());
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\"><title>"
        );
        escape(&mut text, &title);
        text += "</title><style>";
        text += STYLE;
        text += "</style><defs>";
        text += &elements(&patterns(), now);
        text += "</defs><rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>";
        let all = std::iter::once(&heading).chain(&below).chain([&lanes, &above]);
        all.for_each(|shape| write(&mut text, shape, (now, None)));
        text + "</svg>\n"
    }

    /// An element for a page that has the rules of [`STYLE`] and [`definitions`], with this
    /// accessible name, and with these shapes below its lanes in the order of drawing. It is one
    /// line of text. A shape of the lanes that differs at the beginning, when everything is ahead,
    /// has the values of that time in an attribute `data-ahead`, so that a script can draw the past
    /// and the time ahead of any moment.
    pub fn element(self, size: PictureSize, name: &str, below: Vec<Shape>) -> String {
        let (now, begin) = (self.now, self.begin);
        let labels = still_labels(self.axis, f64::from(size.axis), self.language);
        let Drawing { below, lanes, above, size: [width, height] } =
            self.drawn(size, 0, labels, below);
        let class = match size.page {
            PageWidth::Wide => "lanes-picture",
            PageWidth::Narrow => "lanes-picture is-narrow",
        };
        let mut text = format!(
            "<svg class=\"{class}\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" role=\"img\"><title>"
        );
        escape(&mut text, name);
        text += "</title>";
        text += &elements(&below, now);
        write(&mut text, &lanes, (now, Some(begin)));
        write(&mut text, &above, (now, None));
        text + "</svg>"
    }

    /// The drawing, which begins below a heading of this height.
    fn drawn(
        self,
        size: PictureSize,
        heading: u32,
        labels: Vec<Shape>,
        below_lanes: Vec<Shape>,
    ) -> Drawing {
        let Self { language, axis, now: _, is_hidden, begin, lanes } = self;
        let height = AXIS + lanes.iter().map(|lane| lane.height).sum::<u32>();
        let part = |y: u32, height: u32, shapes: Vec<Shape>| {
            let part = Shape::place(size.names.to_string()).attr("y", y.to_string());
            let part = part.attr("width", size.axis.to_string());
            part.attr("height", height.to_string()).holding(shapes)
        };
        // The grid and the now line are clipped to the lanes.
        let all = |shapes| {
            let clip = Shape::new("svg", "clip").attr("height", (heading + height).to_string());
            clip.holding(vec![part(heading, height, shapes)])
        };
        let ground = all(grid::background(axis, begin));
        let below_lanes = part(heading + AXIS, height - AXIS, below_lanes);
        let mut shapes = vec![ground, below_lanes, part(heading, AXIS, labels)];
        let mut drawings = Vec::with_capacity(lanes.len());
        let left = match size.page {
            PageWidth::Wide => MARGIN,
            PageWidth::Narrow => MARGIN / 4,
        };
        let mut y = heading + AXIS;
        for DrawnLane { title: [name, below], height, shapes: drawn, .. } in lanes {
            let mut lines = name_lines(&name, size.names - left);
            let names = lines.len();
            if !below.is_empty() && (names == 1 || height >= ROOM_FOR_THREE) {
                lines.push(below);
            }
            let mut baseline = y + height / 2 + 4 - LINE / 2 * (lines.len() as u32 - 1);
            for (number, line) in lines.into_iter().enumerate() {
                let class = if number < names { "name" } else { "below" };
                shapes.push(Shape::words(class, (left, &baseline.to_string()), line));
                baseline += LINE;
            }
            drawings.push(part(y, height, drawn));
            y += height;
        }
        let words = words(language);
        let hidden = is_hidden.then_some((words.hidden, words.hidden_short));
        Drawing {
            below: shapes,
            lanes: Shape::new("g", "all-lanes").holding(drawings),
            above: all(grid::overlay(axis, hidden)),
            size: [size.names + size.axis + 2 * MARGIN, y + MARGIN],
        }
    }
}

/// The width of an ASCII letter in pixels.
const LETTER_WIDTH: u32 = 7;
/// The width of a Chinese character in pixels.
const CHARACTER_WIDTH: u32 = 13;

/// The name of a lane in one line of this width, or in two, which are divided after a slash or
/// before a capital letter if there is one. The end of a longer name is cut off.
fn name_lines(name: &str, width: u32) -> Vec<String> {
    let fitting = fitting(name, width);
    if fitting == name.len() {
        return vec![name.to_owned()];
    }
    let is_seam = |letter: char| letter == '/' || letter.is_ascii_uppercase();
    let seam = match name[..fitting].rfind(is_seam) {
        Some(index) if name[index..].starts_with('/') => index + 1,
        Some(index) if index > 0 => index,
        _ => fitting,
    };
    let rest = &name[seam..];
    let end = self::fitting(rest, width);
    let rest = if end == rest.len() {
        rest.to_owned()
    } else {
        format!("{}…", &rest[..self::fitting(rest, width.saturating_sub(LETTER_WIDTH))])
    };
    vec![name[..seam].to_owned(), rest]
}

/// The length in bytes of the longest beginning of a text that fits into this width in pixels,
/// approximately.
fn fitting(text: &str, width: u32) -> usize {
    let mut used = 0;
    for (index, letter) in text.char_indices() {
        used += if letter.is_ascii() { LETTER_WIDTH } else { CHARACTER_WIDTH };
        if used > width {
            return index;
        }
    }
    text.len()
}

/// An element of size zero with the patterns to which the pictures of a page refer. They are in no
/// picture: a browser does not draw the patterns of an element that is not displayed.
pub fn definitions() -> String {
    let mut text =
        "<svg class=\"lanes-picture\" width=\"0\" height=\"0\" style=\"position:absolute\" \
         aria-hidden=\"true\"><defs>"
            .to_owned();
    text += &elements(&patterns(), Instant::EPOCH);
    text + "</defs></svg>"
}

/// Shapes as the text of SVG elements, as they are now.
pub(super) fn elements(shapes: &[Shape], now: Instant) -> String {
    let mut text = String::new();
    shapes.iter().for_each(|shape| write(&mut text, shape, (now, None)));
    text
}

/// Writes a shape as it is now. Values that differ at the other time are added in `data-ahead`.
fn write(text: &mut String, shape: &Shape, (now, other): (Instant, Option<Instant>)) {
    *text += "<";
    *text += shape.tag;
    let attribute = |text: &mut String, name: &str, value: &str| {
        for part in [" ", name, "=\""] {
            *text += part;
        }
        escape(text, value);
        *text += "\"";
    };
    for (name, value) in &shape.attributes {
        attribute(text, name, &value.read(now));
    }
    let differences = other.map(|other| differences(shape, now, other)).unwrap_or_default();
    if !differences.is_empty() {
        attribute(text, "data-ahead", &format!("{{{}}}", differences.join(",")));
    }
    *text += ">";
    if let Some(content) = &shape.text {
        escape(text, &content.read(now));
    }
    shape.children.iter().for_each(|child| write(text, child, (now, other)));
    for part in ["</", shape.tag, ">"] {
        *text += part;
    }
}

/// The attributes and the text of a shape that differ at another time, with their values at that
/// time, as members of a JSON object.
fn differences(shape: &Shape, now: Instant, other: Instant) -> Vec<String> {
    let attributes = shape.attributes.iter().map(|(name, value)| (*name, value));
    let values = attributes.chain(shape.text.iter().map(|text| ("text", text)));
    let differing = values.filter(|(_, value)| value.fixed().is_none());
    let differing = differing.map(|(name, value)| (name, value.at(now), value.at(other)));
    let differing = differing.filter(|(_, at_now, at_other)| at_now != at_other);
    differing.map(|(name, _, value)| format!("\"{name}\":{}", json::quoted(&value))).collect()
}

/// Escapes a text for XML. Control characters, also those that XML allows, U+FFFE and U+FFFF become
/// U+FFFD.
fn escape(text: &mut String, plain: &str) {
    for letter in plain.chars() {
        match letter {
            '<' => *text += "&lt;",
            '>' => *text += "&gt;",
            '&' => *text += "&amp;",
            '"' => *text += "&quot;",
            '\0'..=' ' if letter != ' ' => text.push(char::REPLACEMENT_CHARACTER),
            '\u{fffe}' | '\u{ffff}' => text.push(char::REPLACEMENT_CHARACTER),
            _ => text.push(letter),
        }
    }
}

/// The rules of www/styles for the shapes, with colours that every viewer of SVG understands. The
/// hue of an actor is the text colour.
pub const STYLE: &str = include_str!("picture.css");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::at;
    use crate::timeline::axis::Extent;
    use crate::timeline::scale::Scale;
    use std::sync::Arc;

    const HOSTILE: &str = "<img src=x onerror=\"alert('1')\">&amp;]]>\u{0}\u{1b}\n\u{ffff}名字";

    fn lane(name: &str, shapes: Vec<Shape>) -> DrawnLane {
        let title = [name.to_owned(), String::new()];
        DrawnLane { class: "lane", height: 28, title, label: String::new(), shapes }
    }

    fn picture(lanes: Vec<DrawnLane>) -> String {
        let axis = Axis::new(&Arc::new(Scale::plain(at(90))), Extent::Whole.around(at(60)));
        let language = Language::English;
        SvgPicture { language, axis: &axis, now: at(60), begin: at(0), lanes, is_hidden: false }
            .text()
    }

    /// The tags of an XML text, each as it opens or closes; panics where it is not well-formed.
    fn tags(text: &str) -> Vec<String> {
        let (mut open, mut all) = (Vec::new(), Vec::new());
        let mut rest = text.trim_end();
        while let Some((content, after)) = rest.split_once('<') {
            assert!(!content.contains('>'), "loose: {content}");
            let (tag, after) = after.split_once('>').expect("a tag ends");
            let attributes = tag.split('"').count();
            assert!(attributes % 2 == 1, "a quote is open: {tag}");
            match tag.strip_prefix('/') {
                Some(name) => assert_eq!(open.pop(), Some(name)),
                None if tag.ends_with('/') => {}
                None => open.push(tag.split(' ').next().unwrap_or_default()),
            }
            all.push(tag.to_owned());
            rest = after;
        }
        assert!(open.is_empty() && rest.is_empty());
        all
    }

    #[test]
    fn the_picture_is_well_formed_and_refers_to_no_other_file() {
        let bar = Shape::rect("bar a1").attr("x", "0%").attr("width", "50%").attr("height", "9");
        let text = picture(vec![lane("db/leader", vec![bar])]);
        let tags = tags(&text);
        assert!(tags.iter().any(|tag| tag.contains("class=\"bar a1\"")));
        assert!(text.contains("<title>Lictor: Timeline, 0.0 to 90.0 of 90.0 seconds</title>"));
        assert!(text.contains(">db/leader</text>") && text.contains(">60.0 s</text>"));
        for outside in ["var(", "href", "@import", "light-dark", "<script"] {
            assert!(!text.contains(outside), "{outside}");
        }
    }

    #[test]
    fn a_long_name_is_divided_at_a_slash_or_a_capital_letter() {
        for (name, width, lines) in [
            ("db/leader", 96, &["db/leader"][..]),
            ("service/master", 96, &["service/", "master"]),
            ("ModifyIndex", 76, &["Modify", "Index"]),
            ("客户端认为", 76, &["客户端认为"]),
            ("a/very/long/key/of/a/service", 76, &["a/very/", "long/key/…"]),
            ("x", 0, &["", "…"]),
        ] {
            assert_eq!(name_lines(name, width), lines, "{name}");
        }
    }

    #[test]
    fn hostile_names_stay_text() {
        let label = Shape::words("bar-text", (0, "0"), HOSTILE).attr("data-testid", HOSTILE);
        let text = picture(vec![lane(HOSTILE, vec![label])]);
        assert!(tags(&text).iter().all(|tag| !tag.starts_with("img")));
        let escaped = "&lt;img src=x onerror=&quot;alert('1')&quot;&gt;&amp;amp;]]&gt;";
        assert_eq!(text.matches(escaped).count(), 2);
        assert_eq!(text.matches("&lt;img src=").count(), 3, "the name of the lane is divided");
        let is_allowed = |letter: char| letter >= ' ' && letter != '\u{ffff}' || letter == '\n';
        assert!(text.chars().all(is_allowed) && text.contains("名字"));
    }

    #[test]
    fn its_colours_are_those_of_the_light_theme() {
        let page = include_str!("../../../www/styles/theme.css");
        for (offset, _) in STYLE.match_indices('#') {
            let colour: String =
                STYLE[offset..].chars().take_while(|it| !matches!(it, ';' | '}' | ')')).collect();
            let is_paint = colour[1..].chars().all(|it| it.is_ascii_hexdigit());
            let long = if colour == "#fff" { "#ffffff".to_owned() } else { colour.clone() };
            assert!(!is_paint || page.contains(&format!("light-dark({long},")), "{colour}");
        }
    }
}
