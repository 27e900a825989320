//! The styles of shapes. The rules of the page's styles apply to a shape as to the SVG element of
//! its tag, class and parents: that element is added to the content of its canvas, which is not
//! displayed, until its style is read.

use js_sys::Array;
use leptos::prelude::{document, window};
use lictor_core::time::Instant;
use lictor_view::timeline::shape::Shape;
use wasm_bindgen::{JsValue, intern};
use web_sys::Element;

const SVG: &str = "http://www.w3.org/2000/svg";
/// The attributes of a shape on which its style depends.
pub const STYLING: [&str; 3] = ["class", "fill", "text-anchor"];

/// A shape with those that contain it.
pub struct Nested<'a> {
    pub shape: &'a Shape,
    pub parent: Option<&'a Self>,
}

/// The style of a kind of shape; by default that of one that is not displayed.
#[derive(Default)]
pub struct Style {
    pub is_displayed: bool,
    pub fill: Paint,
    pub fill_opacity: f64,
    pub stroke: Paint,
    pub stroke_opacity: f64,
    pub line_width: f64,
    pub line_cap: String,
    pub line_join: String,
    pub dashes: Array,
    pub is_stroked_first: bool,
    /// Whether a line begins and ends between two pixels of the screen.
    pub is_crisp: bool,
    pub font: String,
    pub text_align: &'static str,
}

#[derive(Default)]
pub enum Paint {
    #[default]
    None,
    Colour(String),
    /// The id of a pattern.
    Pattern(String),
}

impl Nested<'_> {
    /// The style of the shape in a canvas; `None` if the canvas is not in the document.
    pub fn style(&self, canvas: &Element, now: Instant) -> Option<Style> {
        let drawing = document().create_element_ns(Some(SVG), "svg").ok()?;
        canvas.append_child(&drawing).ok()?;
        let style = self.element(&drawing, now).and_then(|it| Style::of(&it));
        drawing.remove();
        style
    }

    /// The element of the shape in its parents, the first of which is in this drawing.
    fn element(&self, drawing: &Element, now: Instant) -> Option<Element> {
        let element = document().create_element_ns(Some(SVG), self.shape.tag).ok()?;
        for name in STYLING {
            if let Some(value) = self.shape.value(name, now) {
                element.set_attribute(name, &value).ok()?;
            }
        }
        let parent =
            self.parent.map_or_else(|| Some(drawing.clone()), |it| it.element(drawing, now));
        parent?.append_child(&element).ok()?;
        Some(element)
    }
}

impl Style {
    fn of(element: &Element) -> Option<Self> {
        let style = window().get_computed_style(element).ok()??;
        let text = |name: &str| style.get_property_value(name).unwrap_or_default();
        let number = |name: &str| text(name).trim_end_matches("px").parse().unwrap_or(1.0);
        let dashes = text("stroke-dasharray");
        let dashes = dashes.split(", ").filter_map(|it| it.trim_end_matches("px").parse().ok());
        let font = ["font-style", "font-weight", "font-size", "font-family"].map(text);
        Some(Self {
            is_displayed: text("display") != "none",
            fill: Paint::of(text("fill")),
            fill_opacity: number("opacity") * number("fill-opacity"),
            stroke: Paint::of(text("stroke")),
            stroke_opacity: number("opacity") * number("stroke-opacity"),
            line_width: number("stroke-width"),
            line_cap: interned(text("stroke-linecap")),
            line_join: interned(text("stroke-linejoin")),
            dashes: dashes.map(|it: f64| JsValue::from_f64(it)).collect(),
            is_stroked_first: text("paint-order").starts_with("stroke"),
            is_crisp: text("shape-rendering").eq_ignore_ascii_case("crispEdges"),
            font: font.join(" "),
            text_align: match &*text("text-anchor") {
                "middle" => "center",
                "end" => "end",
                _ => "start",
            },
        })
    }

    /// Whether a shape is either filled or stroked. Several such shapes are painted as one path:
    /// translucent ones of one style do not overlap.
    pub fn has_one_coat(&self) -> bool {
        matches!(self.fill, Paint::None) || matches!(self.stroke, Paint::None)
    }

    /// The position of a vertical line, with its edges between pixels of the screen if it is crisp.
    pub fn crisp(&self, x: f64, scale: f64) -> f64 {
        if !self.is_crisp {
            return x;
        }
        let half = self.line_width / 2.0;
        ((x - half) * scale).round() / scale + half
    }
}

impl Paint {
    fn of(text: String) -> Self {
        match text.split_once('#') {
            Some((_, id)) if text.starts_with("url(") => {
                Self::Pattern(id.trim_end_matches(['"', ')']).to_owned())
            }
            _ if text == "none" => Self::None,
            _ => Self::Colour(interned(text)),
        }
    }
}

/// A text that is passed to the browser with each shape, and is converted once.
fn interned(text: String) -> String {
    intern(&text);
    text
}
