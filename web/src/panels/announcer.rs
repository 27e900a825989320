//! Announces the latest result, the open page of a lesson and the countdowns to screen readers, one
//! polite message at a time.

use core::time::Duration;

use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use lictor_view::announcer::{AnnounceDecision, AnnouncementQueue, Message, latest_message};

use crate::panels::lesson::spoken;
use crate::platform::settings::settings;
use crate::platform::words::language;
use crate::state::lesson_reader::LessonReader;
use crate::state::load::now_on_wall_clock;

/// The announcements so far; a handle that can be copied.
#[derive(Clone, Copy)]
struct Announcements {
    lesson_reader: LessonReader,
    queue: StoredValue<AnnouncementQueue, LocalStorage>,
    /// The text of the lesson's page that was opened last, and the number of events at that time.
    page: StoredValue<(String, usize)>,
    /// The number of events at the last announcement.
    announced_until: StoredValue<usize>,
    /// The timer of a message that waits; it is cancelled when the page is unmounted.
    retry: StoredValue<Option<Timeout>, LocalStorage>,
    /// The number of the last announcement, and its text.
    message: RwSignal<(usize, String)>,
}

#[component]
pub fn Announcer() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let announcements = Announcements {
        lesson_reader,
        queue: StoredValue::new_local(AnnouncementQueue::default()),
        page: StoredValue::default(),
        announced_until: StoredValue::default(),
        retry: StoredValue::new_local(None),
        message: RwSignal::new((0, String::new())),
    };
    Effect::new(move |_| {
        lesson_reader.controller.store.reached.track();
        lesson_reader.controller.coarse_now.track();
        lesson_reader.reading.track();
        announcements.announce(AnnouncementQueue::decide);
    });
    view! {
        <div class="visually-hidden" role="status" aria-live="polite" data-testid="said">
            // A new element, because an equal text in the same one would not be announced.
            <For
                each=move || [announcements.message.get()]
                key=|(number, _)| *number
                children=|(_, text)| view! { <span>{text}</span> }
            />
        </div>
    }
}

impl Announcements {
    /// Announces the current message, unless another one was announced shortly before.
    fn announce(self, take: fn(&mut AnnouncementQueue, &Message, Duration) -> AnnounceDecision) {
        if !settings().has_voice.get() {
            return;
        }
        let page = self.lesson_page().map(|text| Message::from(text.as_str()));
        let message = page.unwrap_or_else(|| self.latest());
        let now = now_on_wall_clock();
        match self.queue.try_update_value(|queue| take(queue, &message, now)) {
            Some(AnnounceDecision::Speak) => {
                self.announced_until.set_value(self.reached());
                self.message
                    .update(|(number, text)| (*number, *text) = (*number + 1, message.text));
            }
            Some(AnnounceDecision::RetryAfter(wait)) => {
                let wait = u32::try_from(wait.as_millis()).unwrap_or(u32::MAX);
                let again = move || untrack(|| self.announce(AnnouncementQueue::retry));
                self.retry.set_value(Some(Timeout::new(wait, again)));
            }
            Some(AnnounceDecision::Skip) | None => {}
        }
    }

    /// The text of the open page of a lesson; `None` once an event has happened on it.
    fn lesson_page(self) -> Option<String> {
        let text = spoken(self.lesson_reader)?;
        let reached = self.reached();
        self.page.try_update_value(|page| {
            if page.0 != text {
                *page = (text, reached);
            }
            (page.1 == reached).then(|| page.0.clone())
        })?
    }

    fn reached(self) -> usize {
        self.lesson_reader.controller.store.reached.get_untracked()
    }

    /// The message about the events since the last announcement, or about a countdown that has
    /// advanced since.
    fn latest(self) -> Message {
        let controller = self.lesson_reader.controller;
        let visibility = controller.forecast_visibility.get_untracked();
        let new = self.reached().saturating_sub(self.announced_until.get_value());
        controller.with_view(|view| latest_message(language(), &view, visibility, new))
    }
}
