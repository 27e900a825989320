//! The icons, and the patterns of filled shapes. An icon is hidden from screen readers, so its
//! meaning must also be in a text or a label.

use leptos::prelude::*;
use leptos::svg;
use leptos::tachys::html::attribute::any_attribute::{AnyAttribute, IntoAnyAttribute};
use leptos::tachys::html::attribute::custom::custom_attribute;
use lictor_core::time::Instant;
use lictor_view::timeline::patterns::patterns;
use lictor_view::timeline::shape::{Shape, ShapeValue};

use super::ids::PageIds;

/// A drawing of 16 x 16 px, stroked in the colour of the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glyph {
    Alert,
    Check,
    Copy,
    Cross,
    Down,
    Edit,
    Fault,
    Find,
    First,
    Fork,
    Globe,
    Hidden,
    Last,
    Lock,
    Minus,
    Next,
    Pause,
    Play,
    Plus,
    Previous,
    Question,
    Redo,
    Restore,
    Share,
    Sheet,
    Slots,
    Theme,
    Undo,
    Why,
}

#[component]
pub fn Icon(
    glyph: Glyph,
    /// Whether the icon has 12 px.
    #[prop(optional)]
    small: bool,
) -> impl IntoView {
    view! {
        <svg
            class=if small { "icon icon-s" } else { "icon" }
            aria-hidden="true"
            viewBox="0 0 16 16"
        >
            <path d=outline(glyph)/>
            {solid(glyph).map(|shape| view! { <path class="icon-solid" d=shape/> })}
        </svg>
    }
}

/// The path of the stroked lines.
fn outline(glyph: Glyph) -> &'static str {
    match glyph {
        Glyph::Alert => "M8 2.5l6 10.5H2zM8 6.5v3M8 11.3v.1",
        Glyph::Check => "M3.5 8.5l3 3 6-7",
        Glyph::Copy => "M5.5 5.5h7.5v7.5H5.5zM3 10.5V3h7.5",
        Glyph::Cross => "M4.5 4.5l7 7M11.5 4.5l-7 7",
        Glyph::Down => "M4 6l4 4 4-4",
        Glyph::Edit => "M10.5 3L13 5.5 5.5 13H3v-2.5zM9 4.5L11.5 7",
        Glyph::Fault => "M8 2.5L13.5 8 8 13.5 2.5 8z",
        Glyph::Find => "M11 7A4 4 0 1 1 3 7a4 4 0 0 1 8 0M10 10l3.5 3.5",
        Glyph::First => "M11.5 3.5L7 8l4.5 4.5M4 3.5v9",
        Glyph::Fork => "M4.5 3v10M4.5 10c0-4 7-2 7-6",
        Glyph::Globe => {
            "M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0M2.5 8h11M8 2.5c2 1.6 2.8 3.4 2.8 5.5S10 \
             11.9 8 13.5C6 11.9 5.2 10.1 5.2 8S6 4.1 8 2.5z"
        }
        Glyph::Hidden => {
            "M2 8.5C3.6 6 5.6 4.7 8 4.7s4.4 1.3 6 3.8c-1.6 2.5-3.6 3.8-6 3.8S3.6 11 2 8.5zM3 \
             13.5l10-10"
        }
        Glyph::Last => "M4.5 3.5L9 8l-4.5 4.5M12 3.5v9",
        Glyph::Lock => "M3.5 7.5h9v6h-9zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5",
        Glyph::Minus => "M3.5 8h9",
        Glyph::Next => "M6 3.5L10.5 8 6 12.5",
        Glyph::Pause => "M5.5 3.5v9M10.5 3.5v9",
        Glyph::Play => "M5 3.5v9l7-4.5z",
        Glyph::Plus => "M8 3.5v9M3.5 8h9",
        Glyph::Previous => "M10 3.5L5.5 8l4.5 4.5",
        Glyph::Question => {
            "M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0M6.3 6.5a1.75 1.75 0 1 1 2.6 1.6c-.6.3 \
             -.9.6-.9 1.2M8 11.2v.1"
        }
        Glyph::Redo => "M9.5 3L13 6.5 9.5 10M13 6.5H7a4 4 0 0 0 0 8h3",
        Glyph::Restore => "M3 8a5 5 0 1 0 1.6-3.7M3 3v3h3",
        Glyph::Share => {
            "M6 7l4-2.3M6 9l4 2.3M6 8a2 2 0 1 1-4 0 2 2 0 0 1 4 0M14 4a2 2 0 1 1-4 0 2 2 0 0 1 4 \
             0M14 12a2 2 0 1 1-4 0 2 2 0 0 1 4 0"
        }
        Glyph::Sheet => "M3 10.5h10v3H3zM8 2.5v5M5.5 5l2.5 2.5L10.5 5",
        Glyph::Slots => "M2.5 3.5h11v3.5h-11zM2.5 9h11v3.5h-11zM8 9v3.5",
        Glyph::Theme => "M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0",
        Glyph::Undo => "M6.5 3L3 6.5 6.5 10M3 6.5h6a4 4 0 0 1 0 8H6",
        Glyph::Why => "M4 3v4.5a2 2 0 0 0 2 2h6.5M9.5 6.5l3 3-3 3",
    }
}

/// The path of the filled part, if there is one.
fn solid(glyph: Glyph) -> Option<&'static str> {
    match glyph {
        Glyph::Fault => Some("M8 2.5L13.5 8 8 13.5 2.5 8z"),
        Glyph::Play => Some("M5 3.5v9l7-4.5z"),
        Glyph::Slots => Some("M2.5 3.5h11v3.5h-11zM2.5 9h5.5v3.5h-5.5z"),
        Glyph::Theme => Some("M8 2.5a5.5 5.5 0 0 1 0 11z"),
        _ => None,
    }
}

/// The patterns. Only the first page of a document has them, because the styles refer to them by
/// id.
#[component]
pub fn Defs() -> impl IntoView {
    let ids = PageIds::of_page();
    view! {
        <Show when=move || ids.is_first_of_document()>
            <svg class="defs" aria-hidden="true" width="0" height="0">
                <defs>{still(patterns())}</defs>
            </svg>
        </Show>
    }
}

/// The elements of shapes that never change, of the kinds that patterns have.
fn still(shapes: Vec<Shape>) -> Vec<AnyView> {
    let element = |shape: Shape| {
        let value = |(name, value): &(&'static str, ShapeValue)| {
            custom_attribute(*name, value.at(Instant::EPOCH)).into_any_attr()
        };
        let attributes: Vec<AnyAttribute> = shape.attributes.iter().map(value).collect();
        match shape.tag {
            "circle" => svg::circle().add_any_attr(attributes).into_any(),
            "path" => svg::path().add_any_attr(attributes).into_any(),
            _ => svg::pattern().child(still(shape.children)).add_any_attr(attributes).into_any(),
        }
    };
    shapes.into_iter().map(element).collect()
}
