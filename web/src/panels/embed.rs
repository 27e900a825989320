//! The page inside another page: the requested parts, one below the other, under a head with the
//! name of the world, the time, and the link to the whole page.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_desk::embed::{EmbedOptions, PagePart};
use lictor_desk::lessons::Guess;

use crate::components::{Glyph, Icon};
use crate::panels::actors::{Actors, SheetButton};
use crate::panels::clock::{Reading, TimeButtons};
use crate::panels::console::Console;
use crate::panels::lesson::{Ending, Lesson};
use crate::panels::lock::LockFigures;
use crate::panels::next_up::Soonest;
use crate::panels::semaphore::SemaphoreCard;
use crate::panels::share::address_of;
use crate::panels::state_line::StateLine;
use crate::panels::timeline::LanesView;
use crate::panels::toolbar::Logo;
use crate::panels::why::WhyStrip;
use crate::platform::words::{language, share_words, words};
use crate::state::controller::use_controller;
use crate::state::lesson_reader::LessonReader;

#[component]
pub fn Embed(options: Arc<EmbedOptions>) -> impl IntoView {
    // The world is opened before the head is built, which has a link to it.
    let problems = open_address(expect_context::<LessonReader>(), &options);
    let lanes = options.shows(PagePart::Lanes).then(|| {
        let options = options.clone();
        view! { <LanesView is_wanted=move |lane| options.has_lane(lane)/> }
    });
    view! {
        <Head/>
        {problems}
        {(!options.has_answer).then(|| view! { <Lesson ending=Ending::Again/> })}
        {lanes}
        {options.shows(PagePart::Why).then(|| view! { <WhyStrip/> })}
        {options.shows(PagePart::Facts).then(|| view! { <Facts/> })}
        <Time options=options.clone()/>
        {options.shows(PagePart::Console).then(|| view! { <Console/> })}
        {options.shows(PagePart::Clients).then(|| view! { <Actors/> })}
    }
}

/// The name of the world, the version of Consul, the time, and the link to the whole page.
#[component]
fn Head() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let name = move || match lesson_reader.reading.get() {
        Some(reading) => reading.lesson.title(language()).to_owned(),
        None => words().sandbox.to_owned(),
    };
    // Updated before the link is opened, so that it contains the world of that moment.
    let address = RwSignal::new(address_of(lesson_reader));
    let update = move || address.set(address_of(lesson_reader));
    view! {
        <header class="embed-head">
            <span class="brand"><Logo/></span>
            <h1 class="visually-hidden">{move || words().heading}</h1>
            <h2 data-testid="world-name">{name}</h2>
            <span class="profile" data-testid="version">
                {move || (words().version.name)(lesson_reader.controller.version.get())}
            </span>
            <Reading/>
            <a
                class="btn push"
                target="_blank"
                data-testid="open-whole"
                href=move || address.get()
                title=move || share_words().whole
                on:pointerdown=move |_| update()
                on:click=move |event| {
                    update();
                    // The browser opens the address that the element has now, so it is set at once.
                    let link = event_target::<web_sys::Element>(&event).closest("a").ok().flatten();
                    link.map(|link| link.set_attribute("href", &address.get_untracked()));
                }
            >
                <Icon glyph=Glyph::Share/>
                <span>{move || share_words().whole}</span>
            </a>
        </header>
    }
}

/// Opens the world of the address, and returns the problems of the address and the attributes.
fn open_address(lesson_reader: LessonReader, options: &EmbedOptions) -> impl IntoView + use<> {
    let fragment = window().location().hash().unwrap_or_default();
    let has_link = fragment.len() > 1;
    let unopened = has_link.then(|| lesson_reader.receive(&fragment).err()).flatten();
    if options.has_answer {
        lesson_reader.answer(Guess::Skipped);
    }
    let unknown = options.unknown.join(" ");
    let unknown_consul = options.unknown_consul.clone();
    let version = lesson_reader.controller.version.get_untracked();
    let not_chosen = options.consul.filter(|chosen| *chosen != version);
    view! {
        {unopened
            .map(|error| view! { <Problem text=move || (share_words().import_error)(&error)/> })}
        {(!unknown.is_empty())
            .then(|| view! { <Problem text=move || (share_words().unknown)(&unknown)/> })}
        {unknown_consul
            .map(|name| view! { <Problem text=move || (words().version.unknown)(&name)/> })}
        {not_chosen
            .map(|chosen| {
                view! { <Problem text=move || (words().version.not_chosen)(version, chosen)/> }
            })}
    }
}

#[component]
fn Problem(text: impl Fn() -> String + Send + Sync + 'static) -> impl IntoView {
    view! { <p class="is-danger trouble" role="alert" data-testid="open-trouble">{text}</p> }
}

/// The state of a lock and the figures of the first one; without a lock, the card of the first
/// semaphore.
#[component]
fn Facts() -> impl IntoView {
    let store = use_controller().store;
    let facts = move || {
        if let Some(lock) = store.locks.list().first().cloned() {
            let figures = view! {
                <StateLine/>
                <LockFigures key=lock.key row=lock.signal/>
            };
            return Some(figures.into_any());
        }
        let semaphore = store.semaphores.list().first().cloned()?;
        Some(view! { <SemaphoreCard prefix=semaphore.key row=semaphore.signal/> }.into_any())
    };
    move || {
        let facts = facts()?;
        Some(view! { <section class="facts" aria-label=move || words().state>{facts}</section> })
    }
}

/// The buttons of time, and the one that opens the sheet of the clients, as far as requested.
#[component]
fn Time(options: Arc<EmbedOptions>) -> impl IntoView {
    let has_time = options.shows(PagePart::Time);
    let clients =
        options.shows(PagePart::Clients).then(|| view! { <SheetButton class="btn btn-line"/> });
    (has_time || clients.is_some()).then(|| {
        view! {
            <section class="embed-time" aria-label=move || words().run>
                {has_time.then(|| view! { <TimeButtons/> })}
                {clients}
                {has_time.then(|| view! { <Soonest/> })}
            </section>
        }
    })
}
