//! The console: what was sent and what came back, and a line to send the next request as the selected actor.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::id::RequestId;

use crate::call;
use crate::exchange::{Exchange, ExchangeState};
use crate::runtime::Runtime;
use crate::settings::{use_settings, word};
use crate::text::clock;
use crate::ui::{Tag, TagLook};

/// How many of the latest exchanges are in the document.
const SHOWN: usize = 40;

#[component]
pub fn Console(runtime: Runtime) -> impl IntoView {
    let latest = move || {
        let keys: Arc<[RequestId]> = runtime.mirror.exchanges.keys();
        keys[keys.len().saturating_sub(SHOWN)..].to_vec()
    };
    view! {
        <section class="panel console" id="console" aria-labelledby="h-console">
            <div class="head"><h2 id="h-console">{word(|words| words.console.heading)}</h2></div>
            <pre data-testid="transcript" tabindex="0">
                <For
                    each=latest
                    key=|id| *id
                    children=move |id| view! { <Entry runtime id/> }
                />
            </pre>
        </section>
    }
}

#[component]
fn Entry(runtime: Runtime, id: RequestId) -> impl IntoView {
    let exchange = runtime.exchange(id)?;
    let (badge, head, command) = exchange.with_untracked(|exchange| {
        let head = format!("{} · {} s", exchange.who.name, clock(exchange.sent));
        (exchange.who.badge, head, call::curl(&exchange.request))
    });
    Some(view! {
        <span class="meta"><Tag badge look=TagLook::Small/>{head}</span>
        <span class="line"><span class="ps">"$ "</span>{command}</span>
        <Answer exchange/>
    })
}

#[component]
fn Answer(exchange: ArcRwSignal<Exchange>) -> impl IntoView {
    let settings = use_settings();
    move || {
        let words = settings.words();
        let text = exchange.with(|exchange| match &exchange.state {
            ExchangeState::Waiting { .. } => words.console.pending.to_owned(),
            ExchangeState::Cancelled { .. } => words.console.cancelled.to_owned(),
            ExchangeState::Answered { response, .. } => response.text(),
        });
        view! { <span class="line answer">{text}</span> }
    }
}
