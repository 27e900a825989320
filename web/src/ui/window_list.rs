//! A table that costs what is visible: only the rows in view are in the document, between two
//! spacers. Rows have one constant height. The view stays at the end while it is at the end.

use std::sync::Arc;

use leptos::html::Div;
use leptos::prelude::*;

use super::{after_effects, each, text};

/// Rows kept ready above and below the view, so that a small scroll shows no hole.
const SPARE_ROWS: usize = 6;

/// The part of a list that is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub from: usize,
    pub to: usize,
}

/// Where the scrolled box stands, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scroll {
    pub top: f64,
    pub height: f64,
}

impl Window {
    pub fn new(count: usize, scroll: Scroll, row_height: u32) -> Self {
        let row = f64::from(row_height.max(1));
        let first = (scroll.top.max(0.0) / row) as usize;
        let shown = (scroll.height.max(0.0) / row) as usize + 1;
        let from = first.saturating_sub(SPARE_ROWS).min(count);
        let to = first.saturating_add(shown + SPARE_ROWS).min(count);
        Self { from, to: to.max(from) }
    }

    fn above(self, row_height: u32) -> String {
        (self.from * row_height as usize).to_string()
    }

    fn below(self, count: usize, row_height: u32) -> String {
        (count.saturating_sub(self.to) * row_height as usize).to_string()
    }
}

/// A windowed table. `keys` names all rows in order; `row` draws one of them.
#[component]
pub fn WindowList<K, N, F>(
    #[prop(into)] keys: Signal<Arc<[K]>>,
    #[prop(into)] row_height: Signal<u32>,
    #[prop(into)] label: Signal<String>,
    test_id: &'static str,
    class: &'static str,
    head: AnyView,
    /// A name that no other row has.
    name: N,
    row: F,
) -> impl IntoView
where
    K: Clone + Send + Sync + 'static,
    N: Fn(&K) -> String + Send + Sync + 'static,
    F: Fn(K) -> AnyView + Clone + Send + Sync + 'static,
{
    let view_box = NodeRef::<Div>::new();
    let scroll = RwSignal::new(Scroll { top: 0.0, height: 480.0 });
    let at_end = StoredValue::new(true);
    let count = Memo::new(move |_| keys.with(|keys| keys.len()));
    let window = Memo::new(move |_| Window::new(count.get(), scroll.get(), row_height.get()));
    let measure = move || {
        let Some(element) = view_box.get_untracked() else { return };
        let (top, height) = (f64::from(element.scroll_top()), f64::from(element.client_height()));
        let slack = f64::from(row_height.get_untracked());
        at_end.set_value(top + height + slack >= f64::from(element.scroll_height()));
        scroll.set(Scroll { top, height });
    };
    let resized = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || resized.remove());
    Effect::new(move |_| {
        count.track();
        let Some(element) = view_box.get() else { return };
        // The spacers and rows for the new count are in the document only after this effect.
        after_effects(move || {
            if at_end.get_value() {
                element.set_scroll_top(element.scroll_height());
            }
            measure();
        });
    });
    let visible = move || {
        let window = window.get();
        keys.with(|keys| keys.get(window.from..window.to).unwrap_or_default().to_vec())
    };
    let rows = each(visible, name, row);
    let above = text(move || window.get().above(row_height.get()));
    let below = text(move || window.get().below(count.get(), row_height.get()));
    let row_count = text(move || count.get().to_string());
    view! {
        <div
            class="rows"
            tabindex="0"
            role="group"
            aria-label=label
            node_ref=view_box
            on:scroll=move |_| measure()
        >
            <table class=class role="table" aria-rowcount=row_count data-testid=test_id>
                {head}
                <tbody role="rowgroup">
                    <Spacer height=above/>
                    {rows}
                    <Spacer height=below/>
                </tbody>
            </table>
        </div>
    }
}

/// Stands for the rows that are not drawn. The height is an attribute of a drawing, never a style.
#[component]
fn Spacer(height: Signal<String>) -> impl IntoView {
    view! {
        <tr class="spacer" aria-hidden="true"><td><svg width="1" height=height></svg></td></tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: f64 = 240.0;

    #[test]
    fn only_what_is_visible_is_drawn_however_long_the_list_is() {
        let window = Window::new(100_000, Scroll { top: 24_000.0, height: VIEW }, 24);
        assert_eq!(window, Window { from: 994, to: 1017 });
        assert_eq!(window.above(24), "23856");
        assert_eq!(window.below(100_000, 24), "2375592");
    }

    #[test]
    fn a_list_that_shrank_under_the_view_has_an_empty_window() {
        let window = Window::new(3, Scroll { top: 24_000.0, height: VIEW }, 24);
        assert_eq!(window, Window { from: 3, to: 3 });
    }
}
