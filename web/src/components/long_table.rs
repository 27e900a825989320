//! A table of any length, with rows of one height. It consists of parts. Only parts near the view,
//! as the browser reports it, have their rows in the document; any other part has one row of the
//! same height. A view that is at the end follows the end. On paper the table begins with its first
//! row and is cut off after a height that a person can read.

use core::ops::Range;

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::text_prop::TextProp;
use leptos_use::{
    UseIntersectionObserverOptions, use_event_listener, use_intersection_observer_with_options,
    use_resize_observer,
};
use web_sys::Element;

use crate::platform::words::{Word, words};
use crate::signals::SetIfChanged;

/// The number of rows of a part.
const PART: usize = 32;

/// The distance from the view within which the rows of a part are in the document.
const NEAR: &str = "150px 0px";

/// The height in pixels of the printed part of a table: paper cannot be scrolled, and a person
/// reads no more.
const ON_PAPER: usize = 24_000;

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

/// A table with a row component for each item.
#[component]
pub fn LongTable<T, K, V>(
    class: &'static str,
    test_id: &'static str,
    #[prop(into)] label: TextProp,
    /// The height of a row in pixels.
    row_height: RwSignal<u32>,
    /// The head of the table.
    head: AnyView,
    /// The number of rows.
    #[prop(into)]
    count: Signal<usize>,
    /// Returns the items at these places of the list.
    items: impl Fn(Range<usize>) -> Vec<T> + Clone + Send + Sync + 'static,
    key: fn(&T) -> K,
    row: impl Fn(T) -> V + Clone + Send + Sync + 'static,
    /// The place of the row that is scrolled into view; `None` to follow the end of the list.
    #[prop(optional, into)]
    in_view: Signal<Option<usize>>,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    K: Eq + std::hash::Hash + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let list = NodeRef::<html::Div>::new();
    let (top, at_end) = (StoredValue::new(0.0), StoredValue::new(true));
    let view = View { list, top, at_end, row_height };
    let is_printed = is_printed();
    let on_paper = Memo::new(move |_| is_printed.get().then(|| rows_on_paper(row_height.get())));
    view.follow(count, in_view, is_printed);
    let parts = Memo::new(move |_| count.get().div_ceil(PART));
    let part = move |number: usize| {
        let body = NodeRef::<html::Tbody>::new();
        let near = is_near(list, body, number, count);
        let (rows, is_shown) = part_of(number, count, near, on_paper);
        let (items, row) = (items.clone(), row.clone());
        let each = move || if is_shown.get() { items(rows.get()) } else { Vec::new() };
        let height = Memo::new(move |_| rows.with(Range::len) * row_height.get() as usize);
        view! {
            <tbody node_ref=body role="rowgroup">
                <For each key children=row/>
                {move || (!is_shown.get()).then(|| view! { <Spacer height/> })}
            </tbody>
        }
    };
    view! {
        <div
            node_ref=list
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
                class=class
                role="table"
                aria-rowcount=move || count.get().to_string()
                data-testid=test_id
            >
                {head}
                <For each=move || 0..parts.get() key=|number| *number children=part/>
            </table>
        </div>
    }
}

/// The head of a table: each column's class and name.
#[component]
pub fn TableHead(columns: &'static [(&'static str, Word)]) -> impl IntoView {
    let cells = columns.iter().map(|(class, name)| {
        view! { <th class=*class scope="col">{move || name()}</th> }
    });
    view! { <thead><tr role="row">{cells.collect_view()}</tr></thead> }
}

/// The row that takes the place of the rows of a part. The height is an attribute, because the
/// content security policy forbids styles.
#[component]
fn Spacer(height: Memo<usize>) -> impl IntoView {
    view! {
        <tr class="spacer" aria-hidden="true">
            <td><svg width="1" height=move || height.get().to_string()></svg></td>
        </tr>
    }
}

/// The number of rows that are printed, in whole parts.
fn rows_on_paper(row_height: u32) -> usize {
    (ON_PAPER / row_height.max(1) as usize).next_multiple_of(PART)
}

/// The note on how many of the rows are printed; empty if all are.
fn note_on_paper(printed: Option<usize>, count: usize) -> String {
    let printed = printed.filter(|printed| *printed < count);
    printed.map_or_else(String::new, |printed| (words().past.on_paper)(printed, count))
}

/// Whether the page is being printed.
fn is_printed() -> RwSignal<bool> {
    let is_printed = RwSignal::new(false);
    let _ = use_event_listener(window(), ev::beforeprint, move |_| is_printed.set(true));
    let _ = use_event_listener(window(), ev::afterprint, move |_| is_printed.set(false));
    is_printed
}

/// The places of the rows of a part, and whether they are in the document.
fn part_of(
    number: usize,
    count: Signal<usize>,
    is_near: RwSignal<bool>,
    on_paper: Memo<Option<usize>>,
) -> (Memo<Range<usize>>, Memo<bool>) {
    let first = number * PART;
    let rows = Memo::new(move |_| first..count.get().min(first + PART));
    let is_shown = Memo::new(move |_| match on_paper.get() {
        Some(printed) => first < printed,
        None => is_near.get(),
    });
    (rows, is_shown)
}

/// Whether a part is in the view of the list or near it. Until the browser reports it, only the
/// last part is.
fn is_near(
    list: NodeRef<html::Div>,
    body: NodeRef<html::Tbody>,
    number: usize,
    count: Signal<usize>,
) -> RwSignal<bool> {
    let is_near = RwSignal::new((number + 1) * PART >= count.get_untracked());
    let options = UseIntersectionObserverOptions::default();
    let options = options.root(Some(list)).root_margin(NEAR.to_owned());
    let report = move |entries: Vec<web_sys::IntersectionObserverEntry>, _| {
        if let Some(entry) = entries.last() {
            is_near.set_if_changed(entry.is_intersecting());
        }
    };
    let _ = use_intersection_observer_with_options(body, report, options);
    is_near
}

/// The box that scrolls.
#[derive(Clone, Copy)]
struct View {
    list: NodeRef<html::Div>,
    /// Its last scroll position.
    top: StoredValue<f64>,
    /// Whether it shows the end of the list.
    at_end: StoredValue<bool>,
    row_height: RwSignal<u32>,
}

impl View {
    /// Scrolls when rows are added, when the box gets another size, and when another row is to be
    /// in view.
    fn follow(
        self,
        count: Signal<usize>,
        in_view: Signal<Option<usize>>,
        is_printed: RwSignal<bool>,
    ) {
        let row_in_view = Memo::new(move |_| in_view.get());
        let scroll = move || match row_in_view.try_get_untracked() {
            // A printed table begins with its first row.
            _ if is_printed.try_get_untracked() != Some(false) => {}
            Some(Some(row_number)) => self.show(row_number),
            Some(None) => self.follow_end(),
            None => {}
        };
        let _ = use_resize_observer(self.list, move |_, _| scroll());
        let next_frame = StoredValue::new_local(None::<AnimationFrameRequestHandle>);
        let scroll_in_next_frame = move || {
            let handle = request_animation_frame_with_handle(scroll);
            if let Some(earlier) = next_frame.try_update_value(|it| it.replace(handle.ok()?)) {
                earlier.inspect(AnimationFrameRequestHandle::cancel);
            }
        };
        // The rows for a new count are in the document only after this effect.
        Effect::new(move |_| {
            count.track();
            if row_in_view.get_untracked().is_none() {
                scroll_in_next_frame();
            }
        });
        Effect::new(move |last: Option<Option<usize>>| {
            let row_number = row_in_view.get();
            if row_number.is_none() && last.flatten().is_some() {
                self.at_end.set_value(true);
            }
            scroll_in_next_frame();
            row_number
        });
        on_cleanup(move || {
            if let Some(handle) = next_frame.try_get_value().flatten() {
                handle.cancel();
            }
        });
    }

    /// Scrolls so that a row is in the middle, if it is out of view.
    fn show(self, row_number: usize) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        let head = list.query_selector("thead").ok().flatten();
        let head = head.map_or(0.0, |head| f64::from(head.client_height()));
        let row = f64::from(self.row_height.get_untracked());
        self.at_end.set_value(false);
        if let Some(top) = top_to_show(row_number, row, head, Scroll::of(&list)) {
            list.set_scroll_top(top as i32);
        }
    }

    /// Scrolls to the end if the end was in view.
    fn follow_end(self) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        if self.at_end.try_get_value() == Some(true) {
            list.set_scroll_top(list.scroll_height());
        }
    }

    /// Notes where the list is after it was scrolled. A list that has grown since it was at its end
    /// still counts as at its end.
    fn scrolled(self) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        let Scroll { top, height } = Scroll::of(&list);
        let slack = f64::from(self.row_height.get_untracked());
        let is_at_end = top + height + slack >= f64::from(list.scroll_height());
        let went_up = top < self.top.get_value();
        self.at_end.update_value(|at_end| *at_end = is_at_end || *at_end && !went_up);
        self.top.set_value(top);
    }
}

/// The scroll position that shows a row below the head of the table; `None` if it is in view.
fn top_to_show(row_number: usize, row: f64, head: f64, scroll: Scroll) -> Option<f64> {
    let top = row_number as f64 * row;
    if top >= scroll.top && top + row + head <= scroll.top + scroll.height {
        return None;
    }
    // No row is cut at the top. A box of few rows has no room for rows above the middle.
    let above_middle = (scroll.height / 2.0 / row).ceil();
    let above_end = ((scroll.height - head) / row - 1.0).floor();
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
        let scroll = |top: f64, height: f64| Scroll { top, height };
        assert_eq!(top_to_show(10, 24.0, 24.0, scroll(0.0, VIEW)), Some(120.0));
        assert_eq!(top_to_show(10, 24.0, 24.0, scroll(120.0, VIEW)), None);
        assert_eq!(top_to_show(1, 24.0, 24.0, scroll(120.0, VIEW)), Some(0.0));
        assert_eq!(top_to_show(10, 64.0, 0.0, scroll(0.0, 72.0)), Some(640.0));
        assert_eq!(top_to_show(10, 64.0, 0.0, scroll(640.0, 72.0)), None);
    }
}
