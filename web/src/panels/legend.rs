//! The legend of the timeline: what the signs on the lanes mean that are drawn now.

use leptos::prelude::*;
use lictor_sandbox::timeline::legend::{LegendSign, signs};

use crate::platform::settings::words;
use crate::state::controller::use_controller;

#[component]
pub fn Legend() -> impl IntoView {
    let controller = use_controller();
    let signs = Memo::new(move |_| {
        controller.store.overview.track();
        controller.store.branch.track();
        controller.store.forecast_until.track();
        controller.with_forecast(|ahead| signs(ahead.record, ahead.until))
    });
    view! {
        <ul class="legend push" aria-label=move || words().legend>
            <For each=move || signs.get() key=|sign| *sign as usize children=item/>
        </ul>
    }
}

fn item(sign: LegendSign) -> impl IntoView {
    let words = move || match sign {
        LegendSign::Granted => words().legend_true,
        LegendSign::Refused => words().legend_false,
        LegendSign::Fault => words().legend_fault,
        LegendSign::Renewal => words().legend_renewal,
        LegendSign::TwoBelievers => words().legend_two_believers,
        LegendSign::LockDelay => words().legend_lock_delay,
        LegendSign::Grace => words().grace,
    };
    let drawing = match sign {
        LegendSign::Granted => {
            view! { <circle class="try yes" cx="8" cy="6" r="3.25"/> }.into_any()
        }
        LegendSign::Refused => view! { <circle class="try" cx="8" cy="6" r="3.25"/> }.into_any(),
        LegendSign::Fault => view! { <path class="mk" d="M8 0l6 6-6 6-6-6z"/> }.into_any(),
        LegendSign::Renewal => {
            view! { <line class="renew" x1="8" x2="8" y1="0" y2="12"/> }.into_any()
        }
        LegendSign::TwoBelievers => view! {
            <rect class="both-ground" x=".5" y=".5" width="15" height="11"/>
            <rect class="both" x=".5" y=".5" width="15" height="11" rx="2"/>
        }
        .into_any(),
        LegendSign::LockDelay => {
            view! { <rect class="delay" x=".5" y=".5" width="15" height="11" rx="2"/> }.into_any()
        }
        LegendSign::Grace => view! {
            <rect class="z-grace" x=".5" y=".5" width="15" height="11"/>
            <rect class="z-hatch" x=".5" y=".5" width="15" height="11"/>
        }
        .into_any(),
    };
    view! {
        <li>
            <svg aria-hidden="true" width="16" height="12">{drawing}</svg>
            {words}
        </li>
    }
}
