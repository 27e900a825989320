//! Which panels beside the picture are open. In the sandbox they are those that the reader left
//! open, also in an earlier visit; a question begins with all of them closed.

use leptos::{ev, prelude::*};
use leptos_use::use_event_listener;
use lictor_desk::open_panels::{OpenPanel, PanelSet};

use crate::platform::settings::{store_panels, stored_panels};
use crate::state::lesson_reader::LessonReader;

/// The open panels of the sandbox and of the open question. A cheap copy: all copies share them.
#[derive(Clone, Copy)]
pub struct OpenPanels {
    sandbox: RwSignal<PanelSet>,
    question: RwSignal<PanelSet>,
    is_in_question: Memo<bool>,
    /// Whether the page is being printed: paper has the details and the events.
    pub is_on_paper: RwSignal<bool>,
}

impl OpenPanels {
    pub fn new(lesson_reader: LessonReader) -> Self {
        let number = Memo::new(move |_| lesson_reader.number());
        let question = RwSignal::new(PanelSet::default());
        Effect::new(move |_| {
            number.track();
            question.set(PanelSet::default());
        });
        let is_on_paper = RwSignal::new(false);
        let _ = use_event_listener(window(), ev::beforeprint, move |_| is_on_paper.set(true));
        let _ = use_event_listener(window(), ev::afterprint, move |_| is_on_paper.set(false));
        Self {
            is_on_paper,
            sandbox: RwSignal::new(stored_panels()),
            question,
            is_in_question: Memo::new(move |_| number.get().is_some()),
        }
    }

    /// Whether a panel is open; subscribes.
    pub fn is_open(self, panel: OpenPanel) -> bool {
        let is_printed = matches!(panel, OpenPanel::Details | OpenPanel::Events);
        self.current().get().has(panel) || is_printed && self.is_on_paper.get()
    }

    /// Whether a panel below the picture is open; subscribes.
    pub fn has_drawer(self) -> bool {
        self.current().get().has_drawer() || self.is_on_paper.get()
    }

    /// Opens or closes a panel.
    pub fn toggle(self, panel: OpenPanel) {
        let current = untrack(|| self.current());
        current.update(|set| set.toggle(panel));
        if current == self.sandbox {
            store_panels(current.get_untracked());
        }
    }

    /// Opens a panel if it is closed, and calls a function as soon as it is in the document.
    pub fn with_open(self, panel: OpenPanel, then: impl FnOnce() + 'static) {
        if untrack(|| self.is_open(panel)) {
            then();
        } else {
            self.toggle(panel);
            request_animation_frame(then);
        }
    }

    fn current(self) -> RwSignal<PanelSet> {
        if self.is_in_question.get() { self.question } else { self.sandbox }
    }
}

/// The test id of the button that opens a panel.
pub const fn panel_button(panel: OpenPanel) -> &'static str {
    match panel {
        OpenPanel::Act => "open-act",
        OpenPanel::Details => "open-details",
        OpenPanel::Events => "open-events",
        OpenPanel::Console => "open-console",
    }
}
