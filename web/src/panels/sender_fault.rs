//! The note on the fault that keeps the selected client from reaching the server, with the button
//! that ends it.

use leptos::prelude::*;
use lictor_desk::faults::Obstacle;

use crate::components::Button;
use crate::platform::words::console_words;
use crate::state::controller::use_controller;

#[component]
pub fn SenderFault(
    /// The name of its panel, with which its test ids begin.
    panel: &'static str,
) -> impl IntoView {
    let controller = use_controller();
    let found = Memo::new(move |_| {
        let row = controller.selected_row()?;
        row.with(|row| Some((row.actor.name.clone(), Obstacle::of(&row.host)?)))
    });
    let end = move || {
        let row = controller.selected_row().map(|row| row.get_untracked());
        if let Some(row) = row
            && let Some(obstacle) = Obstacle::of(&row.host)
        {
            controller.perform(obstacle.kind().toggle_act(&row.actor.name, &row.host));
        }
    };
    let notice = move || {
        found.get().map(|(name, obstacle)| {
            let [faulty, mended] = [name.to_string(), name.to_string()];
            view! {
                <p class="sender-fault" role="status" data-testid=format!("{panel}-sender-fault")>
                    {move || (console_words().sender_fault)(&faulty, obstacle)}
                    " "
                    <Button
                        class="btn btn-small btn-line"
                        test_id=format!("{panel}-end-fault")
                        on_press=end
                    >
                        {move || (console_words().end_fault)(&mended, obstacle.kind())}
                    </Button>
                </p>
            }
        })
    };
    view! { {notice} }
}
