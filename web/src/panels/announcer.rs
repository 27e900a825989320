//! Says the latest result to those who do not see it, the page of a story that they turned to, and
//! how far the countdowns have come: one polite message at a time.

use core::time::Duration;
use std::cell::RefCell;

use leptos_dom::helpers::set_timeout;
use lictor_sandbox::announcer::{AnnounceDecision, AnnouncementQueue, latest_message};
use lictor_sandbox::settings::Switch;
use reactive_graph::graph::untrack;

use crate::panels::story::spoken;
use crate::runtime::wall_clock;
use crate::settings::{settings, words};
use crate::teacher::Teacher;
use crate::ui::{El, effect, el, text};
use crate::var::Var;

struct Announcer {
    teacher: &'static Teacher,
    voice: RefCell<AnnouncementQueue>,
    /// The page of a story that was turned to last, and how many events there were then.
    page: RefCell<(String, usize)>,
    said: Var<String>,
}

pub fn announcer(teacher: &'static Teacher) -> El {
    let (voice, page, said) = (RefCell::default(), RefCell::default(), Var::new(String::new()));
    let announcer: &Announcer = Box::leak(Box::new(Announcer { teacher, voice, page, said }));
    effect(|| {
        teacher.runtime.mirror.reached.track();
        teacher.runtime.coarse_now.track();
        teacher.reading.track();
        announcer.speak(AnnouncementQueue::offer);
    });
    let status = el("div", "visually-hidden").attr("role", "status").attr("aria-live", "polite");
    status.test("said").with(text(|| announcer.said.get()))
}

impl Announcer {
    fn speak(&'static self, take: fn(&mut AnnouncementQueue, &str, Duration) -> AnnounceDecision) {
        if settings().voice.get() == Switch::Off {
            return;
        }
        let message = self.turned_to().unwrap_or_else(|| self.latest_message());
        let offer = take(&mut self.voice.borrow_mut(), &message, wall_clock());
        match offer {
            AnnounceDecision::Speak => self.said.set(message),
            AnnounceDecision::RetryAfter(wait) => {
                set_timeout(move || untrack(|| self.speak(AnnouncementQueue::retry)), wait);
            }
            AnnounceDecision::Skip => {}
        }
    }

    /// The page of a story, until something happens behind it.
    fn turned_to(&self) -> Option<String> {
        let (says, reached) = (spoken(self.teacher)?, self.teacher.runtime.mirror.reached.now());
        let mut page = self.page.borrow_mut();
        if page.0 != says {
            *page = (says, reached);
        }
        (page.1 == reached).then(|| page.0.clone())
    }

    /// What happened last, or which countdown has come far since.
    fn latest_message(&self) -> String {
        self.teacher.runtime.with_glance(|glance| latest_message(words(), &glance))
    }
}
