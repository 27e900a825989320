//! The button that makes the servers lose their leader, and the panel with its options.

use core::time::Duration;

use leptos::prelude::*;
use lictor_desk::faults::{FailoverForm, FailoverKind};

use crate::components::{Button, ChoiceOption, Glyph, Icon, Opener, PickField, Popover};
use crate::platform::words::{row_words, words};
use crate::state::controller::use_controller;

/// The id of the panel.
const OPTIONS: &str = "failover-options";

#[component]
pub fn Failover() -> impl IntoView {
    let controller = use_controller();
    let form = RwSignal::new(FailoverForm::default());
    view! {
        <span class="server-acts">
            <Button
                class="btn btn-small btn-line"
                test_id="failover"
                title=move || words().world.failover_hint
                on_press=move || controller.perform(form.get_untracked().act())
            >
                {move || words().world.failover}
            </Button>
            <Opener
                id=OPTIONS
                class="btn btn-icon btn-small btn-line"
                label=move || words().world.failover_options
                title=move || words().world.failover_options
            >
                <Icon glyph=Glyph::Down small=true/>
            </Opener>
        </span>
        <Popover id=OPTIONS class="help pad-panel" heading=move || words().world.failover_options>
            <Options form/>
        </Popover>
    }
}

#[component]
fn Options(form: RwSignal<FailoverForm>) -> impl IntoView {
    let kind = |kind| ChoiceOption::new(kind, move || (words().world.failover_kind)(kind), "");
    let multiplier = |value: u8| ChoiceOption::new(value, value.to_string(), "");
    let length = |seconds: u64| {
        let text = move || format!("{seconds}{}", row_words().second);
        ChoiceOption::new(Some(Duration::from_secs(seconds)), text, "")
    };
    let random = ChoiceOption::new(None, move || words().world.failover_random, "");
    let lengths = FailoverForm::LENGTHS.map(length);
    view! {
        <div class="options fields">
            <PickField
                test_id="failover-kind"
                label=|| words().world.failover_kind_label
                options=FailoverKind::ALL.map(kind).to_vec()
                chosen=Signal::derive(move || form.get().kind)
                on_pick=move |kind| form.update(|form| form.kind = kind)
            />
            <PickField
                test_id="failover-multiplier"
                label=|| "raft_multiplier"
                options=FailoverForm::MULTIPLIERS.map(multiplier).to_vec()
                chosen=Signal::derive(move || form.get().multiplier)
                on_pick=move |multiplier| form.update(|form| form.multiplier = multiplier)
            />
            <PickField
                test_id="failover-lasts"
                label=|| words().world.failover_lasts
                options=std::iter::once(random).chain(lengths).collect()
                chosen=Signal::derive(move || form.get().lasts)
                on_pick=move |lasts| form.update(|form| form.lasts = lasts)
            />
        </div>
    }
}
