//! Paints the shapes of `lictor_view::timeline` on a canvas, at the resolution of the screen. The
//! style of each kind of shape is read once, until the theme or the size of the window changes.

use core::f64::consts::TAU;
use std::collections::HashMap;
use std::mem;
use std::rc::Rc;

use leptos::prelude::{document, window};
use lictor_core::time::Instant;
use lictor_view::timeline::patterns::patterns;
use lictor_view::timeline::shape::Shape;
use wasm_bindgen::JsCast;
use web_sys::{CanvasPattern, CanvasRenderingContext2d, HtmlCanvasElement, Path2d};

use super::shape_style::{Nested, Paint, STYLING, Style};

/// The parts of a canvas around the drawing, in pixels, for what extends beyond it; the styles have
/// the same numbers.
pub const LEFT: f64 = 32.0;
pub const RIGHT: f64 = 16.0;
pub const ABOVE: f64 = 4.0;
/// The most pixels of the screen that a canvas has from top to bottom; browsers limit it.
const TALLEST: f64 = 8_192.0;

/// A canvas, with the styles of the shapes that were painted on it.
pub struct Painter {
    canvas: HtmlCanvasElement,
    context: CanvasRenderingContext2d,
    /// The font of the context: browsers parse one that is set, even if it is the same.
    font: String,
    /// The width of the drawings.
    width: f64,
    /// The number of pixels of the screen for one pixel of a drawing.
    scale: f64,
    styles: HashMap<String, Rc<Style>>,
    tiles: HashMap<String, Option<Tile>>,
}

/// The moment at which shapes are painted, the size of the drawing, and the number of pixels of the
/// screen for one of its pixels.
#[derive(Clone, Copy)]
struct Frame {
    now: Instant,
    width: f64,
    height: f64,
    scale: f64,
}

/// A pattern, and the angle by which it is turned.
#[derive(Clone)]
struct Tile {
    pattern: CanvasPattern,
    turn: f64,
}

/// What is filled and stroked.
enum Figure {
    /// The current path of the context.
    Current,
    Path(Path2d),
    Words {
        text: String,
        x: f64,
        y: f64,
    },
}

impl Painter {
    /// `None` if the browser has no canvas.
    pub fn new(canvas: HtmlCanvasElement) -> Option<Self> {
        let context = context(&canvas)?;
        let (styles, tiles) = (HashMap::new(), HashMap::new());
        Some(Self { canvas, context, font: String::new(), width: 0.0, scale: 1.0, styles, tiles })
    }

    /// Reads the styles again, for instance in another theme.
    pub fn forget_styles(&mut self) {
        self.styles.clear();
        self.tiles.clear();
    }

    /// Removes what was painted. The canvas has this width and height.
    pub fn clear(&mut self, [width, height]: [f64; 2]) {
        let scale = window().device_pixel_ratio();
        let scales = [scale, scale.min(TALLEST / height)];
        let pixels = [width * scales[0], height * scales[1]].map(f64::round);
        if [self.canvas.width(), self.canvas.height()] != pixels.map(|it| it as u32) {
            self.canvas.set_width(pixels[0] as u32);
            self.canvas.set_height(pixels[1] as u32);
            self.font.clear();
        }
        // A translation and a scale are always possible, as all of them are finite.
        let _ = self.context.reset_transform();
        self.context.clear_rect(0.0, 0.0, pixels[0], pixels[1]);
        let _ = self.context.scale(scales[0], scales[1]);
        let _ = self.context.translate(LEFT, ABOVE);
        (self.width, self.scale) = (width - LEFT - RIGHT, scale);
    }

    /// Paints shapes as they are now, as a drawing of this height that begins at `top`.
    pub fn paint(&mut self, shapes: &[Shape], now: Instant, [top, height]: [f64; 2]) {
        let frame = Frame { now, width: self.width, height, scale: self.scale };
        let _ = self.context.translate(0.0, top);
        self.paint_all(shapes, frame, None, &mut String::new());
        let _ = self.context.translate(0.0, -top);
    }

    /// Paints shapes in their order. The key of a style is that of the parent and, after it, the
    /// tag and the styling attributes of the shape. Outlines of one style that follow one another
    /// are one path.
    fn paint_all(
        &mut self,
        shapes: &[Shape],
        frame: Frame,
        parent: Option<&Nested<'_>>,
        key: &mut String,
    ) {
        let end = key.len();
        let mut outlines: Option<Rc<Style>> = None;
        for shape in shapes {
            let nested = Nested { shape, parent };
            let style = self.style(&nested, frame.now, key);
            let is_outline = ["rect", "circle", "line"].contains(&shape.tag);
            let continues = is_outline
                && outlines.as_ref().is_some_and(|it| Rc::ptr_eq(it, &style) && it.has_one_coat());
            if style.is_displayed {
                if !continues {
                    self.paint_outlines(outlines.take(), frame);
                    self.context.begin_path();
                }
                // The attribute moves a shape to the right.
                let moved = shape.value("transform", frame.now);
                let moved = moved.as_deref().and_then(|it| argument(it, "translate"));
                if let Some(moved) = moved {
                    let _ = self.context.translate(moved, 0.0);
                }
                if is_outline {
                    self.add_outline(shape, &style, frame);
                    outlines = Some(style);
                } else {
                    self.paint_one(&nested, &style, frame, key);
                }
                if let Some(moved) = moved {
                    let _ = self.context.translate(-moved, 0.0);
                }
            }
            key.truncate(end);
        }
        self.paint_outlines(outlines, frame);
    }

    /// The style of a shape, whose key is appended to that of its parent.
    fn style(&mut self, nested: &Nested<'_>, now: Instant, key: &mut String) -> Rc<Style> {
        key.push_str(nested.shape.tag);
        for name in STYLING {
            key.push('/');
            key.push_str(&nested.shape.value(name, now).unwrap_or_default());
        }
        if let Some(style) = self.styles.get(key.as_str()) {
            return style.clone();
        }
        let style = Rc::new(nested.style(&self.canvas, now).unwrap_or_default());
        self.styles.insert(key.clone(), style.clone());
        style
    }

    /// Paints the current path, if it has a style.
    fn paint_outlines(&mut self, style: Option<Rc<Style>>, frame: Frame) {
        if let Some(style) = style {
            self.coat(&style, &Figure::Current, frame);
        }
    }

    /// Adds a rectangle, a circle or a line to the current path.
    fn add_outline(&self, shape: &Shape, style: &Style, frame: Frame) {
        let context = &self.context;
        let of_width = |name: &str| frame.of_width(shape, name);
        let of_height = |name: &str| frame.of_height(shape, name);
        match shape.tag {
            "rect" => {
                let [x, y] = [of_width("x"), of_height("y")];
                let [width, height] = [of_width("width"), of_height("height")];
                let corner = of_width("rx").min(width / 2.0).max(0.0);
                let _ = context.round_rect_with_f64(x, y, width, height, corner);
            }
            "circle" => {
                let [x, y, radius] = [of_width("cx"), of_height("cy"), of_width("r")];
                context.move_to(x + radius, y);
                let _ = context.arc(x, y, radius, 0.0, TAU);
            }
            _ => {
                let [from, to] = ["x1", "x2"].map(|x| style.crisp(of_width(x), frame.scale));
                context.move_to(from, of_height("y1"));
                context.line_to(to, of_height("y2"));
            }
        }
    }

    fn paint_one(&mut self, nested: &Nested<'_>, style: &Style, frame: Frame, key: &mut String) {
        let shape = nested.shape;
        let value = |name: &str| shape.value(name, frame.now);
        let place = [frame.of_width(shape, "x"), frame.of_height(shape, "y")];
        match shape.tag {
            "path" => {
                let path = Path2d::new_with_path_string(&value("d").unwrap_or_default());
                let Ok(path) = path else { return };
                self.coat(style, &Figure::Path(path), frame);
            }
            "text" => {
                let text = shape.text.as_ref().map(|text| text.at(frame.now)).unwrap_or_default();
                let [dx, dy] = [frame.of_width(shape, "dx"), frame.of_height(shape, "dy")];
                let words = Figure::Words { text, x: place[0] + dx, y: place[1] + dy };
                self.coat(style, &words, frame);
            }
            _ => {
                self.context.save();
                let _ = self.context.translate(place[0], place[1]);
                if let Some(size) = value("viewBox").as_deref().and_then(size_of_view_box) {
                    let _ = self.context.scale(frame.width / size[0], frame.height / size[1]);
                }
                let font = self.font.clone();
                self.paint_all(&shape.children, frame, Some(nested), key);
                self.context.restore();
                self.font = font;
            }
        }
    }

    fn coat(&mut self, style: &Style, figure: &Figure, frame: Frame) {
        for is_filled in [!style.is_stroked_first, style.is_stroked_first] {
            if is_filled {
                self.fill(style, figure, frame);
            } else {
                self.stroke(style, figure);
            }
        }
    }

    fn fill(&mut self, style: &Style, figure: &Figure, frame: Frame) {
        self.context.set_global_alpha(style.fill_opacity);
        match &style.fill {
            Paint::None => {}
            Paint::Colour(colour) => {
                self.context.set_fill_style_str(colour);
                match figure {
                    Figure::Current => self.context.fill(),
                    Figure::Path(path) => self.context.fill_with_path_2d(path),
                    Figure::Words { text, x, y } => {
                        self.set_font(style);
                        let _ = self.context.fill_text(text, *x, *y);
                    }
                }
            }
            // A path stays where it is when the context is turned after it, unlike the pattern.
            Paint::Pattern(id) => {
                let Some(Tile { pattern, turn }) = self.tile(id, frame) else { return };
                self.context.save();
                let _ = self.context.rotate(turn);
                let _ = self.context.scale(0.5 / frame.scale, 0.5 / frame.scale);
                self.context.set_fill_style_canvas_pattern(&pattern);
                self.context.fill();
                self.context.restore();
            }
        }
    }

    fn stroke(&mut self, style: &Style, figure: &Figure) {
        let Paint::Colour(colour) = &style.stroke else { return };
        self.context.set_global_alpha(style.stroke_opacity);
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(style.line_width);
        self.context.set_line_cap(&style.line_cap);
        self.context.set_line_join(&style.line_join);
        let _ = self.context.set_line_dash(&style.dashes);
        match figure {
            Figure::Current => self.context.stroke(),
            Figure::Path(path) => self.context.stroke_with_path(path),
            Figure::Words { text, x, y } => {
                self.set_font(style);
                let _ = self.context.stroke_text(text, *x, *y);
            }
        }
    }

    fn set_font(&mut self, style: &Style) {
        if self.font != style.font {
            self.context.set_font(&style.font);
            self.font.clone_from(&style.font);
        }
        self.context.set_text_align(style.text_align);
    }

    /// The pattern with this id, twice as large as on the screen, so that it stays sharp when it is
    /// turned.
    fn tile(&mut self, id: &str, frame: Frame) -> Option<Tile> {
        if let Some(tile) = self.tiles.get(id) {
            return tile.clone();
        }
        let tile = self.new_tile(id, frame);
        self.tiles.insert(id.to_owned(), tile.clone());
        tile
    }

    fn new_tile(&mut self, id: &str, frame: Frame) -> Option<Tile> {
        let now = frame.now;
        let is_it = |shape: &Shape| shape.value("id", now).as_deref() == Some(id);
        let shape = patterns().into_iter().find(is_it)?;
        let size = frame.length(shape.value("width", now).as_deref(), 0.0);
        let canvas = document().create_element("canvas").ok()?;
        let canvas = canvas.unchecked_into::<HtmlCanvasElement>();
        let pixels = (2.0 * frame.scale * size).round();
        canvas.set_width(pixels as u32);
        canvas.set_height(pixels as u32);
        let context = context(&canvas)?;
        let _ = context.scale(pixels / size, pixels / size);
        let page = mem::replace(&mut self.context, context);
        self.paint_all(&shape.children, frame, None, &mut String::new());
        self.context = page;
        let pattern = self.context.create_pattern_with_html_canvas_element(&canvas, "repeat");
        let turn = shape.value("patternTransform", now);
        let turn = turn.as_deref().and_then(|it| argument(it, "rotate")).unwrap_or(0.0);
        Some(Tile { pattern: pattern.ok()??, turn: turn.to_radians() })
    }
}

impl Frame {
    /// An attribute of a shape as a length along the axis.
    fn of_width(&self, shape: &Shape, name: &str) -> f64 {
        self.length(shape.value(name, self.now).as_deref(), self.width)
    }

    fn of_height(&self, shape: &Shape, name: &str) -> f64 {
        self.length(shape.value(name, self.now).as_deref(), self.height)
    }

    /// A length in pixels or in percent of the whole; without a value it is 0.
    fn length(&self, value: Option<&str>, whole: f64) -> f64 {
        let Some(value) = value else { return 0.0 };
        let (number, unit) =
            value.strip_suffix('%').map_or((value, 1.0), |share| (share, whole / 100.0));
        number.parse().map_or(0.0, |number: f64| number * unit)
    }
}

/// The argument of a transformation such as `translate(8)`.
fn argument(transformation: &str, name: &str) -> Option<f64> {
    transformation.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?.parse().ok()
}

/// The width and height of an area that begins at 0.
fn size_of_view_box(view_box: &str) -> Option<[f64; 2]> {
    let (width, height) = view_box.strip_prefix("0 0 ")?.split_once(' ')?;
    Some([width.parse().ok()?, height.parse().ok()?])
}

fn context(canvas: &HtmlCanvasElement) -> Option<CanvasRenderingContext2d> {
    canvas.get_context("2d").ok()??.dyn_into().ok()
}
