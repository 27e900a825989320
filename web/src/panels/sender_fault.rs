//! The fault that keeps the selected client from asking the server, with the button that ends it.
//! The console and the guide have it beside what sends.

use leptos::prelude::*;
use lictor_sandbox::faults::FaultKind;

use crate::components::Button;
use crate::platform::settings::words;
use crate::state::controller::use_controller;

#[component]
pub fn SenderFault(
    /// The panel that it is in.
    panel: &'static str,
) -> impl IntoView {
    let controller = use_controller();
    let found = Memo::new(move |_| {
        let row = controller.selected_row()?;
        row.with(|row| FaultKind::obstacle(&row.host).map(|fault| (row.who.name.clone(), fault)))
    });
    let end = move || {
        let row = controller.selected_row().map(|row| row.get_untracked());
        if let Some(row) = row
            && let Some(fault) = FaultKind::obstacle(&row.host)
        {
            controller.perform(fault.toggle_act(&row.who.name, &row.host));
        }
    };
    let notice = move || {
        found.get().map(|(name, fault)| {
            let (text, of) = (name.to_string(), name.to_string());
            view! {
                <p class="sender-fault" role="status" data-testid=format!("{panel}-sender-fault")>
                    {move || (words().console.sender_fault)(&text, fault)}
                    " "
                    <Button
                        class="btn btn-small btn-line"
                        test_id=format!("{panel}-end-fault")
                        on_press=end
                    >
                        {move || (words().console.end_fault)(&of, fault)}
                    </Button>
                </p>
            }
        })
    };
    view! { {notice} }
}
