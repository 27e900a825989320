//! SVG elements as values, with attributes that are fixed or functions of the time. All drawings of
//! this folder return them, so they can be tested without a browser; the component `drawing` of the
//! page renders them.

use std::sync::Arc;

use lictor_core::time::Instant;

/// A text as a function of the time.
pub type TextAtTime = Arc<dyn Fn(Instant) -> String + Send + Sync>;

/// The value of an attribute, or a text.
#[derive(Clone)]
pub enum ShapeValue {
    Fixed(String),
    TextAtTime(TextAtTime),
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
    /// The fixed value; none if it depends on the time.
    pub fn fixed(&self) -> Option<&str> {
        match self {
            Self::Fixed(text) => Some(text),
            Self::TextAtTime(_) => None,
        }
    }

    /// The value at a time.
    pub fn at(&self, now: Instant) -> String {
        match self {
            Self::Fixed(text) => text.clone(),
            Self::TextAtTime(follow) => follow(now),
        }
    }
}

impl Shape {
    pub fn new(tag: &'static str, class: impl Into<String>) -> Self {
        let attributes = vec![("class", ShapeValue::Fixed(class.into()))];
        Self { tag, attributes, text: None, children: Vec::new() }
    }

    /// A group at a position of the axis: its children have pixel coordinates relative to it, and
    /// may extend beyond it.
    pub fn place(x: String) -> Self {
        Self::new("svg", "place").attr("x", x)
    }

    /// A group whose position depends on the time.
    pub fn moving(x: impl Fn(Instant) -> String + Send + Sync + 'static) -> Self {
        Self::new("svg", "place").follow("x", x)
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

    /// A line between two heights or, with equal ones, along the axis.
    pub fn line(
        class: impl Into<String>,
        (x1, x2): (String, String),
        (y1, y2): (&str, &str),
    ) -> Self {
        let across = Self::new("line", class).attr("x1", x1).attr("x2", x2);
        across.attr("y1", y1).attr("y2", y2)
    }

    pub fn words(class: impl Into<String>, (x, y): (u32, &str), text: impl Into<String>) -> Self {
        let mut shape = Self::new("text", class).attr("x", x.to_string()).attr("y", y);
        shape.text = Some(ShapeValue::Fixed(text.into()));
        shape
    }

    /// Moves a text to a position of the axis.
    pub fn beside(mut self, x: String) -> Self {
        for (name, _) in &mut self.attributes {
            if *name == "x" {
                *name = "dx";
            }
        }
        self.attr("x", x)
    }

    pub fn attr(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((name, ShapeValue::Fixed(value.into())));
        self
    }

    pub fn follow(
        mut self,
        name: &'static str,
        value: impl Fn(Instant) -> String + Send + Sync + 'static,
    ) -> Self {
        self.attributes.push((name, ShapeValue::TextAtTime(Arc::new(value))));
        self
    }

    pub fn say(mut self, text: impl Fn(Instant) -> String + Send + Sync + 'static) -> Self {
        self.text = Some(ShapeValue::TextAtTime(Arc::new(text)));
        self
    }

    pub fn holding(mut self, children: Vec<Self>) -> Self {
        self.children.extend(children);
        self
    }

    /// The value of an attribute at a time.
    pub fn attribute(&self, name: &str, now: Instant) -> Option<String> {
        let found = self.attributes.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.at(now))
    }
}
