//! A table that costs what is visible: only the rows in view are in the document, between two
//! spacers. Rows have one constant height. The view stays at the end while it is at the end.

use std::cell::Cell;
use std::rc::Rc;

use web_sys::Element;

use super::{El, Item, Part, Text, after_effects, effect, el, on_window, svg, text};
use crate::parts;
use crate::settings::words;
use crate::var::Var;

/// Rows kept ready above and below the view, so that a small scroll shows no hole.
const SPARE_ROWS: usize = 3;

/// What is drawn for paper, on which nobody scrolls: enough for a person to read.
const ON_PAPER: Scroll = Scroll { top: 0.0, height: 24_000.0 };

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

impl Scroll {
    /// Where a box stands now.
    pub fn of(element: &Element) -> Self {
        let (top, height) = (element.scroll_top(), element.client_height());
        Self { top: f64::from(top), height: f64::from(height) }
    }
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

/// All rows of a windowed table, in their order. What both functions read is followed.
pub struct Rows {
    pub count: Box<dyn Fn() -> usize>,
    /// The rows of a part of the list.
    pub items: Box<dyn Fn(Window) -> Vec<Item>>,
    /// The place of the row that is to be in view; none to stay where the reader is.
    pub in_view: Box<dyn Fn() -> Option<usize>>,
}

/// What a table is called, and how it looks.
pub struct TableLook {
    pub class: &'static str,
    pub test_id: &'static str,
    pub label: Text,
    /// In pixels.
    pub row_height: &'static Var<u32>,
    pub head: El,
}

/// A windowed table.
pub fn window_list(look: TableLook, rows: Rows) -> El {
    let TableLook { class, test_id, label, row_height, head } = look;
    let Rows { count, items, in_view } = rows;
    let count = Var::worked_out(count);
    let view = View::new(row_height);
    let window = Var::worked_out({
        let (view, count) = (view.clone(), count.clone());
        move || Window::new(count.get(), view.expected(count.get()), row_height.get())
    });
    let above = {
        let window = window.clone();
        text(move || window.get().above(row_height.get()))
    };
    let below = {
        let (window, count) = (window.clone(), count.clone());
        text(move || window.get().below(count.get(), row_height.get()))
    };
    let note = {
        let (view, window, count) = (view.clone(), window.clone(), count.clone());
        text(move || match (view.scroll.get() == ON_PAPER, window.get().to, count.get()) {
            (true, some, all) if some < all => (words().past.on_paper)(some, all),
            _ => String::new(),
        })
    };
    let row_count = {
        let count = count.clone();
        text(move || count.get().to_string())
    };
    let body = el("tbody", "").attr("role", "rowgroup").with(parts![
        spacer(above),
        Part::Each(Box::new(move || items(window.get()))),
        spacer(below),
    ]);
    let table = el("table", class).attr("role", "table").attr("aria-rowcount", row_count);
    let table = table.test(test_id).with(head).with(body);
    let list = el("div", "rows").attr("tabindex", "0").attr("role", "group").label(label);
    let list = list.with(el("p", "footnote remark").test("on-paper").with(note)).with(table);
    view.follow(list.node().clone(), Var::worked_out(in_view));
    view.watch(list, count)
}

/// The scrolled box, and where it stands.
#[derive(Clone)]
struct View {
    scroll: Rc<Var<Scroll>>,
    /// Whether it shows the end of the list.
    at_end: Rc<Cell<bool>>,
    row_height: &'static Var<u32>,
}

impl View {
    fn new(row_height: &'static Var<u32>) -> Self {
        let scroll = Rc::new(Var::new(Scroll { top: 0.0, height: 480.0 }));
        Self { scroll, at_end: Rc::new(Cell::new(true)), row_height }
    }

    /// Where the box stands, or will when it goes on to the end of so many rows.
    fn expected(&self, count: usize) -> Scroll {
        let Scroll { top, height } = self.scroll.get();
        if height == ON_PAPER.height || !self.at_end.get() {
            return Scroll { top, height };
        }
        let row = f64::from(self.row_height.get());
        Scroll { top: (count as f64 + 1.0) * row - height, height }
    }

    /// Follows the box: when it is scrolled, when the window changes, when rows come.
    fn watch(self, list: El, count: Rc<Var<usize>>) -> El {
        let (view, element) = (self.clone(), list.node().clone());
        on_window("resize", move |_| view.measure(&element));
        let (view, element) = (self.clone(), list.node().clone());
        on_window("afterprint", move |_| view.measure(&element));
        let view = self.clone();
        on_window("beforeprint", move |_| view.scroll.show(ON_PAPER));
        let (view, element) = (self.clone(), list.node().clone());
        effect(move || {
            count.track();
            // The spacers and rows for the new count are in the document only after this effect.
            let (view, element) = (view.clone(), element.clone());
            after_effects(move || {
                if view.at_end.get() {
                    element.set_scroll_top(element.scroll_height());
                }
                view.measure(&element);
            });
        });
        let element = list.node().clone();
        list.on("scroll", move |_| self.measure(&element))
    }

    /// Brings a row into view when it is another one, into the middle where it was outside.
    fn follow(&self, list: Element, in_view: Rc<Var<Option<usize>>>) {
        let view = self.clone();
        effect(move || {
            let Some(place) = in_view.get() else { return };
            let (view, list) = (view.clone(), list.clone());
            after_effects(move || view.show(&list, place));
        });
    }

    fn show(&self, list: &Element, place: usize) {
        let (row, height) = (f64::from(self.row_height.now()), f64::from(list.client_height()));
        let top = place as f64 * row;
        let seen = f64::from(list.scroll_top());
        self.at_end.set(false);
        if top < seen || top + 2.0 * row > seen + height {
            list.set_scroll_top((top - height / 2.0).max(0.0) as i32);
        }
        self.measure(list);
    }

    /// A list that grew since it was scrolled is not at its end, but nobody has left the end.
    fn measure(&self, element: &Element) {
        let scroll = Scroll::of(element);
        let slack = f64::from(self.row_height.now());
        let is_at_end = scroll.top + scroll.height + slack >= f64::from(element.scroll_height());
        let went_up = scroll.top < self.scroll.peek(|scroll| scroll.top);
        self.at_end.set(is_at_end || self.at_end.get() && !went_up);
        self.scroll.show(scroll);
    }
}

/// Stands for the rows that are not drawn. The height is an attribute of a drawing, never a style.
fn spacer(height: Text) -> El {
    let drawing = svg("svg", "").attr("width", "1").attr("height", height);
    let row = el("tr", "spacer").attr("aria-hidden", "true");
    row.with(el("td", "").with(drawing))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: f64 = 240.0;

    #[test]
    fn only_what_is_visible_is_drawn_however_long_the_list_is() {
        let window = Window::new(100_000, Scroll { top: 24_000.0, height: VIEW }, 24);
        assert_eq!(window, Window { from: 997, to: 1014 });
        assert_eq!(window.above(24), "23928");
        assert_eq!(window.below(100_000, 24), "2375664");
    }

    #[test]
    fn a_list_that_shrank_under_the_view_has_an_empty_window() {
        let window = Window::new(3, Scroll { top: 24_000.0, height: VIEW }, 24);
        assert_eq!(window, Window { from: 3, to: 3 });
    }
}
