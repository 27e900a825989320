//! The address of the page follows the open part, and the open part follows the address: each part
//! that the reader opens is an entry of the browser's history, so that Back, reload and copied
//! addresses work.

use leptos::{ev, prelude::*};
use leptos_use::use_event_listener;
use lictor_desk::address::Address;
use lictor_desk::share;
use wasm_bindgen::JsValue;
use web_sys::HtmlElement;

use crate::components::PageIds;
use crate::panels::learn::HOME;
use crate::panels::side_panel::close_side_panels;
use crate::state::guide_reader::GuideReader;
use crate::state::incident_reader::IncidentReader;
use crate::state::lesson_reader::LessonReader;
use crate::state::live_reader::LiveReader;

/// What the parts of the page are opened by. A cheap copy: all copies share it.
#[derive(Clone, Copy)]
struct Parts {
    lesson_reader: LessonReader,
    guide: GuideReader,
    incident: IncidentReader,
    live: LiveReader,
    ids: PageIds,
}

/// The part on top: the list of the questions covers a guide or an incident, which may be open
/// meanwhile.
pub fn use_open_part() -> Memo<Address> {
    let lesson_reader = expect_context::<LessonReader>();
    let (guide, incident) = (expect_context::<GuideReader>(), expect_context::<IncidentReader>());
    let live = expect_context::<LiveReader>();
    Memo::new(move |_| {
        if lesson_reader.is_list_open.get() {
            Address::Questions
        } else if guide.is_open.get() {
            Address::Guide
        } else if incident.is_open.get() {
            if live.is_on.get() { Address::Live } else { Address::Incident }
        } else {
            lesson_reader.number().map_or(Address::Sandbox, Address::Question)
        }
    })
}

/// Opens the part that the address names, and keeps the address and the open part the same.
pub fn follow_address() {
    let parts = Parts {
        lesson_reader: expect_context::<LessonReader>(),
        guide: expect_context::<GuideReader>(),
        incident: expect_context::<IncidentReader>(),
        live: expect_context::<LiveReader>(),
        ids: PageIds::of_page(),
    };
    let open = use_open_part();
    let opened = Address::read(&fragment());
    Effect::new(move |is_later: Option<bool>| {
        let part = open.get();
        match (is_later, opened) {
            // The panels are in the document now, so that they can be opened.
            (None, Some(address)) => parts.open(address),
            (None, None) if share::is_link(&fragment()) => {}
            (None, None) => write(part, false),
            (Some(_), _) => write(part, true),
        }
        true
    });
    let _ = use_event_listener(window(), ev::popstate, move |_| {
        if let Some(address) = Address::read(&fragment())
            && address != open.get_untracked()
        {
            parts.open(address);
        }
    });
}

fn fragment() -> String {
    window().location().hash().unwrap_or_default()
}

/// Writes the address of a part into a new entry of the history, or in place of the current one. It
/// stays where a browser refuses, as for a file.
fn write(part: Address, is_new: bool) {
    let address = part.fragment();
    if address == fragment() {
        return;
    }
    let Ok(history) = window().history() else { return };
    let _ = if is_new {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
}

impl Parts {
    fn open(self, address: Address) {
        if address == Address::Questions {
            self.with_list(|list| drop(list.show_popover()));
            return;
        }
        self.with_list(|list| drop(list.hide_popover()));
        close_side_panels();
        if let Address::Question(number) = address {
            if untrack(|| self.lesson_reader.number()) != Some(number) {
                self.lesson_reader.open_question(number);
            }
            return;
        }
        self.lesson_reader.session.return_to_sandbox();
        match address {
            Address::Guide => self.guide.is_open.set(true),
            Address::Incident => self.incident.is_open.set(true),
            Address::Live => {
                self.live.start();
                self.incident.is_open.set(true);
            }
            Address::Sandbox | Address::Questions | Address::Question(_) => {}
        }
    }

    fn with_list(self, change: impl FnOnce(&HtmlElement)) {
        if let Some(list) = self.ids.element(HOME) {
            change(&list);
        }
    }
}
