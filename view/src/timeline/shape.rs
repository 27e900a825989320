//! SVG elements as values, with attributes that are fixed or functions of the time.

use std::borrow::Cow;
use std::sync::Arc;

use lictor_core::time::Instant;

/// The value of an attribute, or a text.
#[derive(Clone)]
pub enum ShapeValue {
    Fixed(String),
    AtTime(Arc<dyn Fn(Instant) -> String + Send + Sync>),
}

/// One SVG element.
#[derive(Clone)]
pub struct Shape {
    pub tag: &'static str,
    pub attributes: Vec<(&'static str, ShapeValue)>,
    pub text: Option<ShapeValue>,
    pub children: Vec<Self>,
}

impl ShapeValue {
    /// The fixed value. `None` if the value depends on the time.
    pub fn fixed(&self) -> Option<&str> {
        match self {
            Self::Fixed(text) => Some(text),
            Self::AtTime(_) => None,
        }
    }

    /// A value that is computed from these inputs and the time.
    fn at_time<T>(inputs: T, text: fn(&T, Instant) -> String) -> Self
    where
        T: Send + Sync + 'static,
    {
        Self::AtTime(Arc::new(move |now| text(&inputs, now)))
    }

    /// The value at a time.
    pub fn read(&self, now: Instant) -> Cow<'_, str> {
        match self {
            Self::Fixed(text) => Cow::Borrowed(text),
            Self::AtTime(text) => Cow::Owned(text(now)),
        }
    }

    /// The value at a time, as a text of its own.
    pub fn at(&self, now: Instant) -> String {
        self.read(now).into_owned()
    }
}

impl Shape {
    /// A shape without a class, which then may depend on the time.
    pub fn bare(tag: &'static str) -> Self {
        Self { tag, attributes: Vec::new(), text: None, children: Vec::new() }
    }

    pub fn new(tag: &'static str, class: impl Into<String>) -> Self {
        Self::bare(tag).attr("class", class)
    }

    /// A group at a position of the axis: its children have pixel coordinates relative to it, and
    /// may extend beyond it.
    pub fn place(x: String) -> Self {
        Self::new("svg", "place").attr("x", x)
    }

    /// A group whose position depends on the time.
    pub fn moving<T>(inputs: T, x: fn(&T, Instant) -> String) -> Self
    where
        T: Send + Sync + 'static,
    {
        Self::new("svg", "place").follow("x", inputs, x)
    }

    pub fn rect(class: impl Into<String>) -> Self {
        Self::new("rect", class)
    }

    pub fn path(class: impl Into<String>, d: impl Into<String>) -> Self {
        Self::new("path", class).attr("d", d)
    }

    pub fn circle(class: impl Into<String>, x: String, y: u32, r: &str) -> Self {
        Self::new("circle", class).attr("cx", x).attr("cy", y.to_string()).attr("r", r)
    }

    /// A line from one point to another.
    pub fn line(class: impl Into<String>, x: (String, String), y: (&str, &str)) -> Self {
        Self::new("line", class).between(x, y)
    }

    /// Places a line from one point to another.
    pub fn between(self, (x1, x2): (String, String), (y1, y2): (&str, &str)) -> Self {
        self.attr("x1", x1).attr("x2", x2).attr("y1", y1).attr("y2", y2)
    }

    /// A vertical line between two heights.
    pub fn upright(class: impl Into<String>, x: String, y: (&str, &str)) -> Self {
        Self::line(class, (x.clone(), x), y)
    }

    pub fn words(class: impl Into<String>, (x, y): (u32, &str), text: impl Into<String>) -> Self {
        let mut shape = Self::new("text", class).attr("x", x.to_string()).attr("y", y);
        shape.text = Some(ShapeValue::Fixed(text.into()));
        shape
    }

    /// Moves an element, but not one of [`Self::place`], by this many pixels.
    pub fn moved_right(self, pixels: u32) -> Self {
        if pixels == 0 { self } else { self.attr("transform", format!("translate({pixels})")) }
    }

    /// Moves a text to a position of the axis: its own `x` becomes the distance to the right.
    pub fn beside(mut self, x: String) -> Self {
        for (name, _) in &mut self.attributes {
            if *name == "x" {
                *name = "dx";
            }
        }
        self.attr("x", x)
    }

    /// Moves a text to end before a position of the axis: its own `x` becomes the distance to the
    /// left.
    pub fn before(mut self, x: String) -> Self {
        for (name, value) in &mut self.attributes {
            if let ("x", ShapeValue::Fixed(text)) = (*name, value) {
                *name = "dx";
                text.insert(0, '-');
            }
        }
        self.attr("x", x).attr("text-anchor", "end")
    }

    pub fn attr(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((name, ShapeValue::Fixed(value.into())));
        self
    }

    /// Adds an attribute that depends on the time.
    pub fn follow<T>(
        mut self,
        name: &'static str,
        inputs: T,
        value: fn(&T, Instant) -> String,
    ) -> Self
    where
        T: Send + Sync + 'static,
    {
        self.attributes.push((name, ShapeValue::at_time(inputs, value)));
        self
    }

    /// Sets a text that depends on the time.
    pub fn say<T>(mut self, inputs: T, text: fn(&T, Instant) -> String) -> Self
    where
        T: Send + Sync + 'static,
    {
        self.text = Some(ShapeValue::at_time(inputs, text));
        self
    }

    pub fn holding(mut self, children: Vec<Self>) -> Self {
        self.children.extend(children);
        self
    }

    /// The value of an attribute at a time.
    pub fn value(&self, name: &str, now: Instant) -> Option<Cow<'_, str>> {
        let found = self.attributes.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.read(now))
    }

    /// The value of an attribute at a time, as a text of its own.
    pub fn attribute(&self, name: &str, now: Instant) -> Option<String> {
        self.value(name, now).map(Cow::into_owned)
    }

    /// The value of an attribute that does not depend on the time.
    pub(super) fn fixed(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| *known == name)?.1.fixed()
    }

    /// The class and the fill. Shapes of one kind with equal ones look the same.
    pub(super) fn style(&self) -> [Option<&str>; 2] {
        ["class", "fill"].map(|name| self.fixed(name))
    }

    /// The first word of the class; `None` if the class depends on the time.
    pub(super) fn kind(&self) -> Option<&str> {
        self.fixed("class")?.split(' ').next()
    }

    /// The values of an attribute at a time, of those shapes whose class begins with this word.
    #[cfg(test)]
    pub(super) fn values(shapes: &[Self], class: &str, name: &str, now: Instant) -> Vec<String> {
        let has = |shape: &&Self| {
            let found = shape.attribute("class", now).unwrap_or_default();
            found.split(' ').next() == Some(class)
        };
        shapes.iter().filter(has).filter_map(|shape| shape.attribute(name, now)).collect()
    }

    /// The texts of shapes at a time, each followed by those of its children.
    #[cfg(test)]
    pub(super) fn texts(shapes: &[Self], now: Instant) -> Vec<String> {
        let texts = |shape: &Self| {
            let own = shape.text.as_ref().map(|text| text.at(now));
            own.into_iter().chain(Self::texts(&shape.children, now)).collect::<Vec<_>>()
        };
        shapes.iter().flat_map(texts).collect()
    }

    /// Whether any part of the shape depends on the time.
    pub fn follows(&self) -> bool {
        let mut values = self.attributes.iter().map(|(_, value)| value).chain(&self.text);
        values.any(|value| value.fixed().is_none()) || self.children.iter().any(Self::follows)
    }
}
