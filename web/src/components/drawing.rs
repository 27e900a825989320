//! Shows drawings of `lictor_view::timeline` on a canvas. They are painted again when their shapes,
//! the size of the canvas or the look of the page have changed, and, if a shape follows the time,
//! when the time has.

use std::collections::BTreeSet;

use leptos::html::Canvas;
use leptos::prelude::*;
use leptos::text_prop::TextProp;
use leptos_use::use_resize_observer;
use lictor_core::time::Instant;
use lictor_view::timeline::page_width::PageWidth;
use lictor_view::timeline::shape::Shape;
use web_sys::MouseEvent;

use super::painter::{ABOVE, LEFT, Painter, RIGHT};
use crate::platform::look::look;
use crate::signals::SetIfChanged;

/// A drawing; without a label it is decoration.
#[component]
pub fn Drawing(
    #[prop(optional, into)] class: Option<String>,
    #[prop(optional, into)] label: Option<TextProp>,
    #[prop(optional)] node_ref: NodeRef<Canvas>,
    /// Virtual time, for shapes that follow it.
    #[prop(into)]
    now: Signal<Instant>,
    draw: impl Fn() -> Vec<Shape> + Send + Sync + 'static,
) -> impl IntoView {
    let shapes = Memo::new_with_compare(move |_| draw(), |_, _| true);
    let marks = Memo::new(move |_| shapes.with(|shapes| marks(shapes)));
    let size = use_size(node_ref);
    use_painter(node_ref, move |painter| {
        let Some(size) = size.get() else { return };
        painter.clear(size);
        shapes.with(|shapes| {
            let follows = shapes.iter().any(Shape::follows);
            let now = if follows { now.get() } else { now.get_untracked() };
            painter.paint(shapes, now, [0.0, size[1] - 2.0 * ABOVE]);
        });
    });
    let role = if label.is_some() { "img" } else { "presentation" };
    view! {
        <canvas
            class=class
            role=role
            aria-label=label.map(|label| move || label.get())
            data-marks=move || marks.get()
            node_ref=node_ref
        ></canvas>
    }
}

/// Paints on a canvas, and again after a change of what `paint` reads or of the look of the page.
pub fn use_painter(canvas: NodeRef<Canvas>, paint: impl Fn(&mut Painter) + 'static) {
    let painter = StoredValue::new_local(None::<Painter>);
    let look = look();
    Effect::new(move |last_look: Option<u32>| {
        let (look, canvas) = (look.get(), canvas.get());
        painter.update_value(|painter| {
            if painter.is_none() {
                *painter = canvas.and_then(Painter::new);
            }
            let Some(painter) = painter else { return };
            if last_look != Some(look) {
                painter.forget_styles();
            }
            paint(painter);
        });
        look
    });
}

/// The names of the kinds of marks among the shapes.
pub fn marks<'a>(shapes: impl IntoIterator<Item = &'a Shape>) -> Option<String> {
    fn add(shape: &Shape, marks: &mut BTreeSet<String>) {
        marks.extend(shape.attribute("data-testid", Instant::EPOCH));
        shape.children.iter().for_each(|child| add(child, marks));
    }
    let mut marks = BTreeSet::new();
    shapes.into_iter().for_each(|shape| add(shape, &mut marks));
    (!marks.is_empty()).then(|| marks.into_iter().collect::<Vec<_>>().join(" "))
}

/// The width and height of a canvas in pixels; `None` until the browser reports them.
fn use_size(canvas: NodeRef<Canvas>) -> RwSignal<Option<[f64; 2]>> {
    let size = RwSignal::new(None);
    use_resize_observer(canvas, move |entries, _| {
        if let Some(entry) = entries.last() {
            let place = entry.content_rect();
            let is_shown = place.width() > 0.0 && place.height() > 0.0;
            size.set_if_changed(is_shown.then(|| [place.width(), place.height()]));
        }
    });
    size
}

/// The width of the axis of a drawing until the browser reports it: that in a window of 1280 px.
const REFERENCE: f64 = 560.0;

/// The width of the axis of a drawing in whole pixels.
pub fn use_axis_width(canvas: NodeRef<Canvas>) -> Signal<f64> {
    let width = use_width(canvas);
    let width = move || width.get().map_or(REFERENCE, |width| (width - LEFT - RIGHT).round());
    Memo::new(move |_| width()).into()
}

/// The width of the page by that of the axis of a drawing.
pub fn use_page_width(canvas: NodeRef<Canvas>) -> Memo<PageWidth> {
    let width = use_axis_width(canvas);
    Memo::new(move |_| PageWidth::of_axis(width.get()))
}

/// The width of a canvas in pixels; `None` until the browser reports it.
pub fn use_width(canvas: NodeRef<Canvas>) -> Memo<Option<f64>> {
    let size = use_size(canvas);
    Memo::new(move |_| size.get().map(|[width, _]| width))
}

/// The left edge of the axis of a drawing in the window, and its width.
pub fn axis_in_window(canvas: NodeRef<Canvas>) -> (f64, f64) {
    let Some(canvas) = canvas.get_untracked() else { return (0.0, 1.0) };
    let place = canvas.get_bounding_client_rect();
    (place.left() + LEFT, (place.width() - LEFT - RIGHT).max(1.0))
}

/// The point of a drawing at which a pointer is, in pixels.
pub fn point_in_drawing(pointer: &MouseEvent) -> [f64; 2] {
    [f64::from(pointer.offset_x()) - LEFT, f64::from(pointer.offset_y()) - ABOVE]
}
