//! The legend of the timeline, a panel with the meaning of each sign that is on the lanes now.

use leptos::prelude::*;
use lictor_sim::Segment;
use lictor_view::timeline::legend::{LegendSign, signs};

use crate::components::{Glyph, Icon, Opener, Popover};
use crate::platform::words::{row_words, timeline_words, words};
use crate::state::controller::use_controller;

/// The id of the panel with all signs.
const LEGEND: &str = "legend";

#[component]
pub fn Legend() -> impl IntoView {
    let controller = use_controller();
    let signs = Memo::new(move |_| {
        controller.store.overview.track();
        controller.store.branch.track();
        controller.store.forecast_until.track();
        let former = controller.former.get_value();
        controller.with_forecast(|ahead| signs(ahead.record, former.as_deref(), ahead.until))
    });
    view! {
        <Opener id=LEGEND class="btn menu-item">
            <Icon glyph=Glyph::Question/>
            {move || words().legend}
        </Opener>
        <Popover id=LEGEND class="help legend-panel" heading=move || words().legend>
            <ul>
                <For each=move || signs.get() key=|sign| *sign as usize children=item/>
            </ul>
        </Popover>
    }
}

/// The text that explains a sign.
fn meaning(sign: LegendSign) -> &'static str {
    match sign {
        LegendSign::Granted => timeline_words().legend_true,
        LegendSign::Refused => timeline_words().legend_false,
        LegendSign::NoAnswer => row_words().no_answer,
        LegendSign::LockIndex => "LockIndex",
        LegendSign::Fault => timeline_words().legend_fault,
        LegendSign::Renewal => timeline_words().legend_renewal,
        LegendSign::SessionEnd => timeline_words().legend_session_end,
        LegendSign::TwoBelievers => timeline_words().legend_two_believers,
        LegendSign::LockDelay => timeline_words().legend_lock_delay,
        LegendSign::Grace => timeline_words().grace,
        LegendSign::Silence => timeline_words().no_gossip,
        LegendSign::SentAgain => (row_words().again)(Segment::Request),
        LegendSign::Answered => timeline_words().legend_answered,
        LegendSign::Cut => timeline_words().legend_cut,
        LegendSign::Woken => timeline_words().key_lane.woken,
        LegendSign::Rejected => timeline_words().legend_rejected,
        LegendSign::Former => timeline_words().key_lane.former,
    }
}

fn item(sign: LegendSign) -> impl IntoView {
    let drawing = match sign {
        LegendSign::Granted => {
            view! { <circle class="try yes" cx="8" cy="6" r="3.25"/> }.into_any()
        }
        LegendSign::Refused => view! { <circle class="try" cx="8" cy="6" r="3.25"/> }.into_any(),
        LegendSign::NoAnswer => {
            view! { <circle class="try unknown" cx="8" cy="6" r="3.25"/> }.into_any()
        }
        LegendSign::LockIndex => view! { <path class="notch" d="M4 3h8l-4 6z"/> }.into_any(),
        LegendSign::SessionEnd => view! { <path class="ended" d="M4 2l8 8M12 2l-8 8"/> }.into_any(),
        LegendSign::Silence => {
            view! { <rect class="check-silence" x="1" y="4" width="14" height="3"/> }.into_any()
        }
        LegendSign::SentAgain => {
            view! { <line class="conn-again" x1="8" x2="8" y1="0" y2="12"/> }.into_any()
        }
        LegendSign::Answered => view! { <circle class="conn-end" cx="8" cy="6" r="4"/> }.into_any(),
        LegendSign::Cut => {
            view! { <rect class="cut-ground" x=".5" y=".5" width="15" height="11"/> }.into_any()
        }
        LegendSign::Woken => view! { <circle class="woken a8" cx="8" cy="6" r="5"/> }.into_any(),
        LegendSign::Rejected => {
            view! { <path class="rejected" d="M4 2l8 8M12 2l-8 8"/> }.into_any()
        }
        LegendSign::Former => {
            view! { <rect class="former" x=".5" y="1.5" width="15" height="9" rx="2"/> }.into_any()
        }
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
            {move || meaning(sign)}
        </li>
    }
}
