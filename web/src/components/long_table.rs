//! A table of any length, with rows of one height. As many rows as fit into the view are in the
//! document, and two more: scrolling, or following the end, changes what they show, and neither
//! creates nor removes a row. The position comes from scroll events and the sizes from resize
//! observers, so that no frame reads the layout. On paper the table begins with its first row and
//! is cut off after a height that a person can read.

use core::ops::Range;

use leptos::ev::Custom;
use leptos::html::{Div, Table, Thead};
use leptos::prelude::*;
use leptos::text_prop::TextProp;
use leptos_use::{use_event_listener, use_resize_observer};
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{Element, Event, HtmlDivElement, Node, ResizeObserver, ResizeObserverEntry};

use crate::platform::words::{Word, words};
use crate::signals::SetIfChanged;

/// The largest number of rows in the document. A box without styles is as high as its content.
const ROWS_MAX: usize = 128;

/// How far from its end a list that is scrolled down counts as at its end, in pixels.
const SLACK: f64 = 24.0;

/// The height in pixels of the printed part of a table: paper cannot be scrolled, and a person
/// reads no more.
const ON_PAPER: usize = 24_000;

#[wasm_bindgen]
extern "C" {
    /// What is selected in the document.
    type Selection;

    #[wasm_bindgen(js_name = getSelection)]
    fn get_selection() -> Option<Selection>;

    #[wasm_bindgen(method, getter, js_name = isCollapsed)]
    fn is_collapsed(this: &Selection) -> bool;

    #[wasm_bindgen(method, getter, js_name = anchorNode)]
    fn anchor_node(this: &Selection) -> Option<Node>;
}

/// The scroll position and the height of a box, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scroll {
    pub top: f64,
    pub height: f64,
}

impl Default for Scroll {
    /// The values for a box that is not measured yet.
    fn default() -> Self {
        Self { top: 0.0, height: 480.0 }
    }
}

impl Scroll {
    pub fn of(element: &Element) -> Self {
        let (top, height) = (element.scroll_top(), element.client_height());
        Self { top: f64::from(top), height: f64::from(height) }
    }
}

/// The item that a row shows, with its place in the list.
pub type Slot<T> = Memo<Option<(usize, T)>>;

/// A table with a row for each item in view.
#[component]
pub fn LongTable<T, V>(
    class: &'static str,
    test_id: &'static str,
    #[prop(into)] label: TextProp,
    /// The height of a row in pixels.
    row_height: RwSignal<u32>,
    /// Each column's class and name.
    columns: &'static [(&'static str, Word)],
    /// The number of rows.
    #[prop(into)]
    count: Signal<usize>,
    /// The number of rows up to which a list shows that follows its end, if not all.
    #[prop(optional, into)]
    followed: Option<Signal<usize>>,
    /// Returns the items at these places of the list.
    items: impl Fn(Range<usize>) -> Vec<T> + Send + Sync + 'static,
    /// Renders a row, whose item changes.
    row: impl Fn(Slot<T>) -> V + Clone + Send + Sync + 'static,
    /// The place of the row that is scrolled into view; `None` to follow the end of the list.
    #[prop(optional, into)]
    in_view: Signal<Option<usize>>,
    /// Whether the page is being printed.
    is_printed: Signal<bool>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let (table, head) = (NodeRef::<Table>::new(), NodeRef::<Thead>::new());
    let view = View::new(row_height, count, followed.unwrap_or(count), in_view);
    let _ = use_resize_observer(head, keep_height(view.head));
    view.watch_selection();
    view.follow(table);
    let on_paper = Memo::new(move |_| is_printed.get().then(|| rows_on_paper(row_height.get())));
    let places = Memo::new(move |_| match on_paper.get() {
        Some(printed) => 0..count.get().min(printed),
        None => view.places(),
    });
    view! {
        <div
            node_ref=view.list
            class="rows"
            tabindex="0"
            role="group"
            aria-label=move || label.get()
            on:scroll=move |_| view.scrolled()
        >
            <p class="footnote remark" data-testid="on-paper">
                {move || note_on_paper(on_paper.get(), count.get())}
            </p>
            <table
                node_ref=table
                class=class
                role="table"
                aria-rowcount=move || count.get().to_string()
                data-testid=test_id
            >
                <TableHead columns node_ref=head/>
                <Rows view places items row/>
            </table>
        </div>
    }
}

#[component]
fn TableHead(columns: &'static [(&'static str, Word)], node_ref: NodeRef<Thead>) -> impl IntoView {
    let cells = columns.iter().map(|(class, name)| {
        view! { <th class=*class scope="col">{move || name()}</th> }
    });
    view! { <thead node_ref=node_ref><tr role="row">{cells.collect_view()}</tr></thead> }
}

/// The rows in the document, and the place of those above and below them.
#[component]
fn Rows<T, V>(
    view: View,
    places: Memo<Range<usize>>,
    items: impl Fn(Range<usize>) -> Vec<T> + Send + Sync + 'static,
    row: impl Fn(Slot<T>) -> V + Clone + Send + Sync + 'static,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let above = move || view.height_of(places.get().start);
    let below = move || view.height_of(view.count.get().saturating_sub(places.get().end));
    let shown = Memo::new(move |_| {
        let places = places.get();
        places.clone().zip(items(places)).collect::<Vec<_>>()
    });
    let slot = move |slot: usize| {
        // A row that is about to be removed keeps its item.
        row(Memo::new(move |last: Option<&Option<(usize, T)>>| {
            shown.with(|shown| shown.get(slot).cloned()).or_else(|| last.cloned().flatten())
        }))
    };
    view! {
        <tbody role="rowgroup">
            <Spacer height=Signal::derive(above)/>
            <For each=move || 0..shown.with(Vec::len) key=|slot| *slot children=slot/>
            <Spacer height=Signal::derive(below)/>
        </tbody>
    }
}

/// The row that takes the place of the rows above or below those in the document. The height is an
/// attribute, because the content security policy forbids styles.
#[component]
fn Spacer(height: Signal<f64>) -> impl IntoView {
    view! {
        <tr class="spacer" aria-hidden="true">
            <td><svg width="1" height=move || height.get().to_string()></svg></td>
        </tr>
    }
}

/// The box that scrolls.
#[derive(Clone, Copy)]
struct View {
    list: NodeRef<Div>,
    /// Its last scroll position.
    top: RwSignal<f64>,
    height: RwSignal<f64>,
    /// The height of the table's head.
    head: RwSignal<f64>,
    row_height: RwSignal<u32>,
    count: Signal<usize>,
    /// The number of rows up to that with which the list ends for a reader.
    followed: Signal<usize>,
    /// The place of the row that is scrolled into view.
    in_view: Signal<Option<usize>>,
    /// Whether it shows the end of the list, and follows it.
    is_at_end: RwSignal<bool>,
    is_selected: RwSignal<bool>,
}

impl View {
    /// The box of a list that is not scrolled yet.
    fn new(
        row_height: RwSignal<u32>,
        count: Signal<usize>,
        followed: Signal<usize>,
        in_view: Signal<Option<usize>>,
    ) -> Self {
        Self {
            list: NodeRef::new(),
            top: RwSignal::new(0.0),
            height: RwSignal::new(Scroll::default().height),
            head: RwSignal::new(0.0),
            row_height,
            count,
            followed,
            in_view,
            is_at_end: RwSignal::new(true),
            is_selected: RwSignal::new(false),
        }
    }

    /// The visible part; subscribes. A list that follows its end is scrolled after the layout of
    /// its new rows, but shows these rows at once.
    fn visible(self) -> Scroll {
        let height = self.height.get();
        let end = self.end().max(0.0);
        let top = self.top.get();
        Scroll { top: if self.is_followed() { end } else { top }, height }
    }

    /// The scroll position at the end, or at the last row that is followed; subscribes.
    fn end(self) -> f64 {
        self.head.get() + self.height_of(self.followed.get()) - self.height.get()
    }

    fn height_of(self, rows: usize) -> f64 {
        rows as f64 * f64::from(self.row_height.get())
    }

    /// The places of the rows in the document; subscribes.
    fn places(self) -> Range<usize> {
        let Scroll { top, height } = self.visible();
        let view = Scroll { top, height: height - self.head.get() };
        places_in(view, f64::from(self.row_height.get()), self.count.get())
    }

    /// Whether new rows move the list; subscribes. A text that is selected in it stays.
    fn is_followed(self) -> bool {
        self.is_at_end.get() && !self.is_selected.get() && self.in_view.get().is_none()
    }

    /// Notes whether a text of the list is selected. The browser reports the changes, because
    /// reading the selection during an update makes it lay the page out.
    fn watch_selection(self) {
        let changed = Custom::<Event>::new("selectionchange");
        let _ = use_event_listener(document(), changed, move |_| {
            let selection = get_selection().filter(|selection| !selection.is_collapsed());
            let selected = selection.and_then(|selection| selection.anchor_node());
            let list = self.list.try_get_untracked().flatten();
            let is_in_list = |list: HtmlDivElement| list.contains(selected.as_ref());
            self.is_selected.set_if_changed(list.is_some_and(is_in_list));
        });
    }

    /// Scrolls when the table or the box has another size, and when another row is to be in view.
    fn follow(self, table: NodeRef<Table>) {
        let follow_end = move || {
            let list = self.list.try_get_untracked().flatten();
            if let Some(list) = list.filter(|_| untrack(|| self.is_followed())) {
                let end = untrack(|| self.end()).max(0.0);
                list.set_scroll_top(end.ceil() as i32);
                self.top.set_if_changed(end);
            }
        };
        // Observers report after the layout and before the browser paints.
        let _ = use_resize_observer(table, move |_, _| follow_end());
        let keep_height = keep_height(self.height);
        let _ = use_resize_observer(self.list, move |entries, observer| {
            follow_end();
            keep_height(entries, observer);
        });
        let row_in_view = Memo::new(move |_| self.in_view.get());
        // It moves although the size of the table stays.
        let last_followed =
            Memo::new(move |_| Some(self.followed.get()).filter(|last| *last < self.count.get()));
        let scroll = move || match row_in_view.try_get_untracked().flatten() {
            Some(place) => self.show(place),
            None => follow_end(),
        };
        Effect::new(move |last: Option<Option<usize>>| {
            self.head.track();
            self.height.track();
            last_followed.track();
            let place = row_in_view.get();
            if place.is_none() && last.flatten().is_some() {
                self.is_at_end.set(true);
            }
            // The rows for a new count are in the document only after this effect.
            request_animation_frame(scroll);
            place
        });
    }

    /// Scrolls so that a row is in the middle, if it is out of view.
    fn show(self, place: usize) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        let visible = untrack(|| self.visible());
        let (row, head) = (self.row_height.get_untracked(), self.head.get_untracked());
        let top = top_to_show(place, f64::from(row), head, visible).unwrap_or(visible.top);
        // A list that followed its end may not have been scrolled to it yet.
        list.set_scroll_top(top as i32);
        self.is_at_end.set_if_changed(false);
        self.top.set_if_changed(top);
    }

    /// Notes where the list is after it was scrolled. A list that has grown since it was at its end
    /// still counts as at its end.
    fn scrolled(self) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        let top = f64::from(list.scroll_top());
        // The browser rounds the position.
        let went_up = top + 1.0 < self.top.get_untracked();
        // A list that has become shorter goes up, too, but to its end.
        let end = untrack(|| self.end()).max(0.0);
        let is_before = top < end - if went_up { 2.0 } else { SLACK };
        let is_beyond = top > end + SLACK;
        let was_at_end = self.is_at_end.get_untracked();
        let is_at_end = !is_before || was_at_end && !went_up;
        self.is_at_end.set_if_changed(is_at_end && !is_beyond);
        self.top.set_if_changed(top);
    }
}

/// Keeps the height that a resize observer reports.
fn keep_height(height: RwSignal<f64>) -> impl Fn(Vec<ResizeObserverEntry>, ResizeObserver) {
    move |entries, _| {
        if let Some(entry) = entries.last() {
            height.set_if_changed(entry.content_rect().height());
        }
    }
}

/// The places that are in the document. They end with the last row in view, so that the rows at the
/// end of the list stay in their elements while the list grows.
fn places_in(view: Scroll, row: f64, count: usize) -> Range<usize> {
    let rows = ((view.height / row) as usize + 2).min(ROWS_MAX).min(count);
    // The browser rounds the position.
    let end = ((view.top + view.height - 1.0) / row).ceil() as usize;
    let end = end.clamp(rows, count);
    end - rows..end
}

/// The number of rows that are printed.
fn rows_on_paper(row_height: u32) -> usize {
    ON_PAPER / row_height.max(1) as usize
}

/// The note on how many of the rows are printed; empty if all are.
fn note_on_paper(printed: Option<usize>, count: usize) -> String {
    let printed = printed.filter(|printed| *printed < count);
    printed.map_or_else(String::new, |printed| (words().past.on_paper)(printed, count))
}

/// The scroll position that shows a row below the head of the table; `None` if it is in view.
fn top_to_show(place: usize, row: f64, head: f64, view: Scroll) -> Option<f64> {
    let top = place as f64 * row;
    if top >= view.top && top + row + head <= view.top + view.height {
        return None;
    }
    // No row is cut at the top. A box of few rows has no room for rows above the middle.
    let above_middle = (view.height / 2.0 / row).ceil();
    let above_end = ((view.height - head) / row - 1.0).floor();
    Some((top - above_middle.min(above_end).max(0.0) * row).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_row_is_shown_in_the_middle_and_in_a_list_of_one_row_at_its_top() {
        const VIEW: f64 = 240.0;
        let view = |top: f64, height: f64| Scroll { top, height };
        assert_eq!(top_to_show(10, 24.0, 24.0, view(0.0, VIEW)), Some(120.0));
        assert_eq!(top_to_show(10, 24.0, 24.0, view(120.0, VIEW)), None);
        assert_eq!(top_to_show(1, 24.0, 24.0, view(120.0, VIEW)), Some(0.0));
        assert_eq!(top_to_show(10, 64.0, 0.0, view(0.0, 72.0)), Some(640.0));
        assert_eq!(top_to_show(10, 64.0, 0.0, view(640.0, 72.0)), None);
    }

    #[test]
    fn the_rows_in_the_document_cover_the_view_and_are_one_or_two_more() {
        let places = |top: f64| places_in(Scroll { top, height: 144.0 }, 24.0, 100);
        assert_eq!(places(0.0), 0..8);
        assert_eq!(places(36.0), 0..8);
        assert_eq!(places(60.0), 1..9);
        assert_eq!(places(2_256.0), 92..100, "at the end");
        assert_eq!(places(9_000.0), 92..100, "the list has become shorter");
        assert_eq!(places_in(Scroll { top: 0.0, height: 144.0 }, 24.0, 3), 0..3);
        for top in 0..2_250 {
            let view = Scroll { top: f64::from(top), height: 150.0 };
            let places = places_in(view, 24.0, 100);
            let (from, to) = (places.start as f64 * 24.0, places.end as f64 * 24.0);
            assert!(from <= view.top && to >= view.top + view.height - 1.0, "at {top}");
        }
    }

    #[test]
    fn rows_at_the_end_of_a_list_stay_in_their_elements_while_it_grows() {
        for height in [144.0, 150.0] {
            let view = Scroll { top: 2_400.0 - height, height };
            assert_eq!(places_in(view, 24.0, 100), places_in(view, 24.0, 140));
        }
    }
}
