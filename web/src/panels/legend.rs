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
    let circle = |class, r| view! { <circle class=class cx="8" cy="6" r=r/> }.into_any();
    let line = |class| view! { <line class=class x1="8" x2="8" y1="0" y2="12"/> }.into_any();
    let path = |class, d| view! { <path class=class d=d/> }.into_any();
    let bar = |class| {
        view! { <rect class=class x=".5" y=".5" width="15" height="11" rx="2"/> }.into_any()
    };
    let ground =
        |class| view! { <rect class=class x=".5" y=".5" width="15" height="11"/> }.into_any();
    let drawing = match sign {
        LegendSign::Granted => circle("try yes", "3.25"),
        LegendSign::Refused => circle("try", "3.25"),
        LegendSign::NoAnswer => circle("try unknown", "3.25"),
        LegendSign::LockIndex => path("notch", "M4 3h8l-4 6z"),
        LegendSign::SessionEnd => path("ended", "M4 2l8 8M12 2l-8 8"),
        LegendSign::Silence => {
            view! { <rect class="check-silence" x="1" y="4" width="14" height="3"/> }.into_any()
        }
        LegendSign::SentAgain => line("conn-again"),
        LegendSign::Answered => circle("conn-end", "4"),
        LegendSign::Cut => ground("cut-ground"),
        LegendSign::Woken => circle("woken a8", "5"),
        LegendSign::Rejected => path("rejected", "M4 2l8 8M12 2l-8 8"),
        LegendSign::Former => {
            view! { <rect class="former" x=".5" y="1.5" width="15" height="9" rx="2"/> }.into_any()
        }
        LegendSign::Fault => path("mk", "M8 0l6 6-6 6-6-6z"),
        LegendSign::Renewal => line("renew"),
        LegendSign::TwoBelievers => [ground("both-ground"), bar("both")].into_any(),
        LegendSign::LockDelay => bar("delay"),
        LegendSign::Grace => [ground("z-grace"), ground("z-hatch")].into_any(),
    };
    view! {
        <li>
            <svg aria-hidden="true" width="16" height="12">{drawing}</svg>
            {move || meaning(sign)}
        </li>
    }
}
