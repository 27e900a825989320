//! The bar below the steps: the choice of the sender, and the buttons that send the next steps.

use leptos::prelude::*;

use crate::components::{ActorBadge, Button, Glyph, Icon, page_id};
use crate::panels::actors::UndoButtons;
use crate::panels::sender_fault::SenderFault;
use crate::platform::words::guide_words;
use crate::state::guide_reader::GuideReader;

/// The test id of the button that sends the next step.
pub const SEND_NEXT: &str = "guide-send-next";
/// The id of the label of the list of senders.
const SEND_AS: &str = "guide-as";

#[component]
pub fn SendBar() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let next = Memo::new(move |_| reader.next_step());
    let run = Memo::new(move |_| reader.next_run());
    let ends = move || {
        run.with(|run| (run.first().map_or(0, |it| it + 1), run.last().map_or(0, |it| it + 1)))
    };
    let all = move || {
        let (first, last) = ends();
        (guide_words().send_all)(first, last)
    };
    let is_impossible = Memo::new(move |_| reader.is_impossible(next.get()));
    let are_several = Memo::new(move |_| run.with(|run| run.len() > 1));
    let hint = move || {
        let (first, last) = ends();
        format!("{}. {}", (guide_words().send_all_hint)(first, last), guide_words().each_step)
    };
    view! {
        <footer class="guide-foot">
            <SenderFault panel="guide"/>
            <Sender/>
            <span class="guide-ways">
                <UndoButtons/>
                <Show when=move || are_several.get()>
                    <Button
                        class="btn btn-line"
                        test_id="guide-send-all"
                        title=hint
                        focus_fallback=SEND_NEXT
                        on_press=move || reader.send_all()
                    >
                        {all}
                    </Button>
                </Show>
                <Button
                    class="btn btn-main"
                    test_id=SEND_NEXT
                    title=move || guide_words().each_step
                    disabled=is_impossible
                    on_press=move || _ = reader.send(next.get_untracked())
                >
                    <Icon glyph=Glyph::Play/>
                    {move || (guide_words().send_step)(next.get() + 1)}
                </Button>
            </span>
        </footer>
    }
}

/// A button for each client; the pressed one is the sender.
#[component]
fn Sender() -> impl IntoView {
    let reader = expect_context::<GuideReader>();
    let controller = reader.terminal.controller;
    view! {
        <span class="quiet small" id=page_id(SEND_AS)>{move || guide_words().send_as}</span>
        <div
            class="seg guide-senders"
            role="group"
            data-testid="guide-sender"
            aria-labelledby=page_id(SEND_AS)
        >
            <For
                each=move || controller.store.actors.list().to_vec()
                key=|row| row.id
                children=move |row| {
                    let badge = row.key;
                    let name = row.signal.with_untracked(|row| row.actor.name.to_string());
                    let test_id = format!("guide-as-{name}");
                    view! {
                        <button
                            type="button"
                            data-testid=test_id
                            aria-pressed=move || (controller.selected.get() == badge).to_string()
                            on:click=move |_| controller.selected.set(badge)
                        >
                            <ActorBadge badge=Some(badge)/>
                            {name}
                        </button>
                    }
                }
            />
        </div>
    }
}
