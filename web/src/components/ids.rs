//! Ids of elements, which are unique even if several pages are mounted in one document: the first
//! page has the plain names, to which links and scripts refer, and each other page adds its number.

use std::collections::BTreeSet;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

thread_local! {
    /// The numbers of the mounted pages.
    static PAGES: ArcRwSignal<BTreeSet<u32>> = ArcRwSignal::default();
}

/// The numbers of the pages in the document.
fn pages() -> ArcRwSignal<BTreeSet<u32>> {
    PAGES.with(ArcRwSignal::clone)
}

/// The ids of one page.
#[derive(Clone, Copy)]
pub struct PageIds {
    number: u32,
}

impl PageIds {
    /// Provides the ids of a page that is being mounted, as context.
    pub fn provide() {
        let number = pages().with_untracked(|pages| {
            (1..).find(|number| !pages.contains(number)).unwrap_or_default()
        });
        pages().update(|pages| {
            pages.insert(number);
        });
        on_cleanup(move || {
            pages().update(|pages| {
                pages.remove(&number);
            });
        });
        provide_context(Self { number });
    }

    /// The ids of the page whose component is being created.
    pub fn of_page() -> Self {
        use_context().unwrap_or(Self { number: 1 })
    }

    /// The id of an element of this page.
    pub fn of(self, name: &str) -> String {
        match self.number {
            1 => name.to_owned(),
            number => format!("{name}-{number}"),
        }
    }

    /// The element of this page with an id; `None` if it is not in the document.
    pub fn element(self, name: &str) -> Option<HtmlElement> {
        document().get_element_by_id(&self.of(name))?.dyn_into().ok()
    }

    /// Whether this page has the elements that the pages of a document share; subscribes.
    pub fn is_first_of_document(self) -> bool {
        pages().with(|pages| pages.first() == Some(&self.number))
    }
}

/// The id of an element of the page whose component is being created.
pub fn page_id(name: &str) -> String {
    PageIds::of_page().of(name)
}
