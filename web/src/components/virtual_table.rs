//! A table of which only the rows in view are in the document, between two spacers. Rows have one
//! constant height. The view stays at the end while it is at the end.

use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use leptos::text_prop::TextProp;
use leptos_use::{use_event_listener, use_resize_observer};
use lictor_sandbox::i18n::Word;
use web_sys::Element;

use crate::platform::settings::words;
use crate::signals::SetIfChanged;

/// Rows that are kept ready above and below the view, so that a small scroll shows no hole.
const SPARE_ROWS: usize = 3;

/// What is printed, as paper cannot be scrolled: enough for a person to read.
const ON_PAPER: Scroll = Scroll { top: 0.0, height: 24_000.0 };

/// The rows that are in the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowWindow {
    pub from: usize,
    pub to: usize,
}

/// The scroll position and the height of a box, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scroll {
    pub top: f64,
    pub height: f64,
}

impl Default for Scroll {
    /// A box that is not measured yet.
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

impl RowWindow {
    pub fn new(count: usize, scroll: Scroll, row_height: u32) -> Self {
        let row = f64::from(row_height.max(1));
        let first = (scroll.top.max(0.0) / row) as usize;
        let shown = (scroll.height.max(0.0) / row) as usize + 1;
        let from = first.saturating_sub(SPARE_ROWS).min(count);
        let to = first.saturating_add(shown + SPARE_ROWS).min(count);
        Self { from, to: to.max(from) }
    }

    /// The part of a list that is in the window.
    pub fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.from.min(list.len())..self.to.min(list.len())]
    }

    fn above(self, row_height: u32) -> String {
        (self.from * row_height as usize).to_string()
    }

    fn below(self, count: usize, row_height: u32) -> String {
        (count.saturating_sub(self.to) * row_height as usize).to_string()
    }
}

/// A table with a row component for each item.
#[component]
pub fn VirtualTable<T, K, V>(
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
    /// The items of a part of the list.
    items: impl Fn(RowWindow) -> Vec<T> + Send + Sync + 'static,
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
    let view =
        View { list, scroll: RwSignal::default(), at_end: StoredValue::new(true), row_height };
    let window = Memo::new(move |_| {
        RowWindow::new(count.get(), view.expected(count.get()), row_height.get())
    });
    view.follow(count, in_view);
    let note = move || match (view.scroll.get() == ON_PAPER, window.get().to, count.get()) {
        (true, some, all) if some < all => (words().past.on_paper)(some, all),
        _ => String::new(),
    };
    view! {
        <div
            node_ref=list
            class="rows"
            tabindex="0"
            role="group"
            aria-label=move || label.get()
            on:scroll=move |_| view.measure()
        >
            <p class="footnote remark" data-testid="on-paper">{note}</p>
            <table
                class=class
                role="table"
                aria-rowcount=move || count.get().to_string()
                data-testid=test_id
            >
                {head}
                <tbody role="rowgroup">
                    <Spacer height=move || window.get().above(row_height.get())/>
                    <For each=move || items(window.get()) key=key children=row/>
                    <Spacer height=move || window.get().below(count.get(), row_height.get())/>
                </tbody>
            </table>
        </div>
    }
}

/// The head of a table: each column's class and name.
#[component]
pub fn TableHead(columns: &'static [(&'static str, Word)]) -> impl IntoView {
    let cells = columns.iter().map(|(class, name)| {
        view! { <th class=*class scope="col">{move || name(words())}</th> }
    });
    view! { <thead><tr role="row">{cells.collect_view()}</tr></thead> }
}

/// Takes the place of the rows that are not in the document. The height is an attribute, because
/// the content security policy forbids styles.
#[component]
fn Spacer(height: impl Fn() -> String + Send + Sync + 'static) -> impl IntoView {
    view! {
        <tr class="spacer" aria-hidden="true">
            <td><svg width="1" height=height></svg></td>
        </tr>
    }
}

/// The box that scrolls.
#[derive(Clone, Copy)]
struct View {
    list: NodeRef<html::Div>,
    scroll: RwSignal<Scroll>,
    /// Whether it shows the end of the list.
    at_end: StoredValue<bool>,
    row_height: RwSignal<u32>,
}

impl View {
    /// The scroll position, or the one after it has followed the end of this many rows.
    fn expected(self, count: usize) -> Scroll {
        let Scroll { top, height } = self.scroll.get();
        if height == ON_PAPER.height || !self.at_end.get_value() {
            return Scroll { top, height };
        }
        let row = f64::from(self.row_height.get());
        Scroll { top: (count as f64 + 1.0) * row - height, height }
    }

    /// Measures again when the box gets another size, or rows are added.
    fn follow(self, count: Signal<usize>, in_view: Signal<Option<usize>>) {
        let row_in_view = Memo::new(move |_| in_view.get());
        let _ = use_resize_observer(self.list, move |_, _| {
            match row_in_view.try_get_untracked().flatten() {
                Some(row_number) => self.show(row_number),
                None => self.follow_end(),
            }
        });
        let _ = use_event_listener(window(), ev::beforeprint, move |_| {
            self.scroll.set_if_changed(ON_PAPER);
        });
        let _ = use_event_listener(window(), ev::afterprint, move |_| {
            self.scroll.set_if_changed(Scroll::default());
            self.measure();
        });
        let next_frame = StoredValue::new_local(None::<AnimationFrameRequestHandle>);
        Effect::new(move |_| {
            count.track();
            // The rows for the new count are in the document only after this effect.
            let handle = request_animation_frame_with_handle(move || self.follow_end());
            next_frame.set_value(handle.ok());
        });
        Effect::new(move |was: Option<Option<usize>>| {
            let row_number = row_in_view.get();
            match row_number {
                Some(row_number) => request_animation_frame(move || self.show(row_number)),
                None if was.flatten().is_some() => self.show_end(),
                None => {}
            }
            row_number
        });
        on_cleanup(move || {
            if let Some(handle) = next_frame.try_get_value().flatten() {
                handle.cancel();
            }
        });
    }

    /// Scrolls a row that is out of view to the middle. Paper shows all rows.
    fn show(self, row_number: usize) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        if self.is_on_paper() {
            return;
        }
        let head = list.query_selector("thead").ok().flatten();
        let head = head.map_or(0.0, |head| f64::from(head.client_height()));
        let row = f64::from(self.row_height.get_untracked());
        self.at_end.set_value(false);
        if let Some(top) = top_to_show(row_number, row, head, Scroll::of(&list)) {
            list.set_scroll_top(top as i32);
        }
        self.measure();
    }

    fn is_on_paper(self) -> bool {
        self.scroll.with_untracked(|scroll| *scroll == ON_PAPER)
    }

    /// Follows the end again, after a row before it was shown.
    fn show_end(self) {
        self.at_end.set_value(true);
        request_animation_frame(move || self.follow_end());
    }

    /// Scrolls to the end if the end was in view, and measures.
    fn follow_end(self) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        if self.at_end.try_get_value() == Some(true) {
            list.set_scroll_top(list.scroll_height());
        }
        self.measure();
    }

    /// A list that grew since it was scrolled is not at its end, but counts as if it were. Paper is
    /// not measured.
    fn measure(self) {
        let Some(list) = self.list.try_get_untracked().flatten() else { return };
        if self.is_on_paper() {
            return;
        }
        let scroll = Scroll::of(&list);
        let slack = f64::from(self.row_height.get_untracked());
        let is_at_end = scroll.top + scroll.height + slack >= f64::from(list.scroll_height());
        let went_up = scroll.top < self.scroll.with_untracked(|scroll| scroll.top);
        self.at_end.update_value(|at_end| *at_end = is_at_end || *at_end && !went_up);
        self.scroll.set_if_changed(scroll);
    }
}

/// The scroll position that shows a row below the head of the table; none if it is in view.
fn top_to_show(row_number: usize, row: f64, head: f64, scroll: Scroll) -> Option<f64> {
    let top = row_number as f64 * row;
    if top >= scroll.top && top + row + head <= scroll.top + scroll.height {
        return None;
    }
    // A row above is not cut. A list of few rows has no room for rows above the middle.
    let above_middle = (scroll.height / 2.0 / row).ceil();
    let above_end = ((scroll.height - head) / row - 1.0).floor();
    Some((top - above_middle.min(above_end).max(0.0) * row).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    const VIEW: f64 = 240.0;

    #[test]
    fn only_what_is_visible_is_drawn_however_long_the_list_is() {
        let window = RowWindow::new(100_000, Scroll { top: 24_000.0, height: VIEW }, 24);
        assert_eq!(window, RowWindow { from: 997, to: 1014 });
        assert_eq!(window.above(24), "23928");
        assert_eq!(window.below(100_000, 24), "2375664");
    }

    #[test]
    fn a_row_is_shown_in_the_middle_and_in_a_list_of_one_row_at_its_top() {
        let scroll = |top: f64, height: f64| Scroll { top, height };
        assert_eq!(top_to_show(10, 24.0, 24.0, scroll(0.0, VIEW)), Some(120.0));
        assert_eq!(top_to_show(10, 24.0, 24.0, scroll(120.0, VIEW)), None);
        assert_eq!(top_to_show(1, 24.0, 24.0, scroll(120.0, VIEW)), Some(0.0));
        assert_eq!(top_to_show(10, 64.0, 0.0, scroll(0.0, 72.0)), Some(640.0));
        assert_eq!(top_to_show(10, 64.0, 0.0, scroll(640.0, 72.0)), None);
    }

    #[test]
    fn a_list_that_shrank_under_the_view_has_an_empty_window() {
        let window = RowWindow::new(3, Scroll { top: 24_000.0, height: VIEW }, 24);
        assert_eq!(window, RowWindow { from: 3, to: 3 });
    }
}
