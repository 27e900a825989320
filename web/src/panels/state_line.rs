//! The line above the timeline: the state of a lock or a semaphore in a word and a sentence. It is
//! no live region, as its numbers change ten times a second; what happens is announced elsewhere.

use leptos::prelude::*;
use lictor_core::id::Key;
use lictor_view::badge;
use lictor_view::rows::headline::{Headline, LockState};

use crate::platform::words::{language, words};
use crate::state::controller::{Controller, use_controller};
use crate::state::dispatch::Dispatch;

#[component]
pub fn StateLine() -> impl IntoView {
    let controller = use_controller();
    let key = use_form_key();
    let headline = Memo::new(move |_| key.with(|key| headline(controller, key)));
    let texts = Memo::new(move |_| {
        let words = lictor_view::rows::words(language());
        headline.with(|headline| words.headline(headline, controller.coarse_now.get()))
    });
    let word = Memo::new(move |_| headline.with(Headline::word));
    let look = Memo::new(move |_| headline.with(look));
    let has_overlap = Memo::new(move |_| headline.with(Headline::has_overlap));
    view! {
        <div
            class="state-line"
            class:has-overlap=move || has_overlap.get()
            role="group"
            aria-label=move || words().state_line
            data-testid="state-line"
            data-key=move || headline.with(|headline| headline.key().to_owned())
        >
            <b class=look hidden=move || word.with(Option::is_none) data-testid="state-word">
                {word}
            </b>
            <p>
                <span data-testid="state-sentence">{move || texts.get()[0].clone()}</span>
                " "
                <small class="num" data-testid="state-sum">{move || texts.get()[1].clone()}</small>
            </p>
        </div>
    }
}

/// The key of the form, which is that of the next act.
fn use_form_key() -> Memo<Key> {
    let form = expect_context::<Dispatch>().form;
    Memo::new(move |_| form.with(|form| Key::from(form.key.as_str())))
}

/// The key of the line: that of the form if it has a lock, or else that of the first lock.
pub fn use_shown_key() -> Memo<Option<Key>> {
    let store = use_controller().store;
    let form = use_form_key();
    Memo::new(move |_| {
        let locks = store.locks.list();
        let lock = locks.iter().find(|lock| form.with(|form| lock.key == *form));
        lock.or(locks.first()).map(|lock| lock.key.clone())
    })
}

/// The state of the lock with the key of the form; without it that of the first lock, or else of
/// the first semaphore. Without any, the key of the form is free.
fn headline(controller: Controller, form: &Key) -> Headline {
    let store = controller.store;
    store.reached.track();
    store.branch.track();
    store.future.track();
    store.takeovers.track();
    controller.coarse_now.track();
    let locks = store.locks.list();
    let lock = locks.iter().find(|lock| lock.key == *form).or(locks.first());
    let semaphore = store.semaphores.list().first().cloned().filter(|_| lock.is_none());
    let key = lock.map_or(form, |lock| &lock.key);
    let found = store.takeovers.row(key).map(|found| found.get());
    let visibility = controller.forecast_visibility.get();
    controller.with_view_ahead(|view, ahead| {
        let semaphore = semaphore.and_then(|row| Headline::of_semaphore(view, &row.key));
        semaphore
            .unwrap_or_else(|| Headline::of_lock(view, (ahead, visibility), key, found.as_ref()))
    })
}

/// The class of the word: its ground has the colour of the holder.
fn look(headline: &Headline) -> String {
    let look = match headline {
        Headline::Lock(lock) => match &lock.state {
            LockState::Held { holder, .. } => {
                holder.owner.as_ref().map_or("is-held", |owner| badge::class(owner.badge))
            }
            LockState::Delayed(_) => "is-delayed",
            LockState::Free | LockState::NotHeld => "is-free",
        },
        Headline::Semaphore(semaphore) if semaphore.listed.is_empty() => "is-free",
        Headline::Semaphore(_) => "is-held",
    };
    format!("state-word {look}")
}
