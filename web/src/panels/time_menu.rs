//! The menu of the button that runs time: its pace, the next events, and the part of time that the
//! lanes show.

use leptos::prelude::*;
use lictor_view::format::tenths;
use lictor_view::pacer::{RunMode, Speed};
use lictor_view::settings::Spacing;
use lictor_view::timeline::axis::Extent;

use crate::components::{Button, ChoiceOption, Glyph, Icon, Opener, Pick, Popover, Segments};
use crate::panels::clock::EndButtons;
use crate::panels::next_up::NextUp;
use crate::platform::settings::settings;
use crate::platform::words::{Word, words};
use crate::state::controller::use_controller;

/// The id of the menu.
const TIME_MENU: &str = "time-menu";

/// The button that opens the menu.
#[component]
pub fn TimeMenuButton() -> impl IntoView {
    view! {
        <Opener
            id=TIME_MENU
            class="btn btn-icon time-menu-button"
            label=move || words().time_menu
            title=move || words().time_menu
        >
            <Icon glyph=Glyph::Down small=true/>
        </Opener>
    }
}

#[component]
pub fn TimeMenu() -> impl IntoView {
    let controller = use_controller();
    let modes = vec![
        ChoiceOption::new(RunMode::Step, || words().step, "mode-step"),
        ChoiceOption::new(RunMode::Play, || words().play, "mode-play"),
    ];
    let speeds =
        Speed::ALL.iter().map(|&speed| ChoiceOption::new(speed, speed.label(), "")).collect();
    let spacings = vec![
        ChoiceOption::new(Spacing::Time, || words().time, "axis-time"),
        ChoiceOption::new(Spacing::Order, || words().view.order, "axis-order"),
    ];
    let extents = vec![
        ChoiceOption::new(Extent::Whole, || words().extent_whole, "axis-whole"),
        ChoiceOption::new(Extent::Recent, || words().extent_recent, "axis-recent"),
    ];
    view! {
        <Popover id=TIME_MENU class="help time-menu" heading=move || words().time_menu>
            <div class="menu-line">
                <Segments
                    label=move || words().run_mode
                    options=modes
                    chosen=controller.mode
                    on_pick=move |mode| controller.set_mode(mode)
                />
                <Pick
                    class="w-speed"
                    test_id="speed"
                    label=move || words().speed
                    options=speeds
                    chosen=controller.speed
                    on_pick=move |speed| controller.set_speed(speed)
                />
                <ReachedSpeed/>
            </div>
            <NextUp/>
            <div class="menu-line"><EndButtons/></div>
            <div class="menu-line">
                <Segments
                    label=move || words().view.axis
                    options=spacings
                    chosen=settings().spacing
                    on_pick=move |spacing| controller.set_spacing(spacing)
                />
                <Segments
                    label=move || words().extent
                    options=extents
                    chosen=controller.extent
                    on_pick=move |extent| controller.set_extent(extent)
                />
                <ZoomButtons/>
            </div>
        </Popover>
    }
}

/// The reached speed, while it is less than the chosen one.
#[component]
fn ReachedSpeed() -> impl IntoView {
    let reached = use_controller().reached;
    let text = move |reached| (words().speed_reached)(&tenths(reached));
    move || {
        reached.get().map(|reached| {
            view! {
                <span class="quiet small num" data-testid="speed-reached">{text(reached)}</span>
            }
        })
    }
}

/// The buttons that zoom as the wheel does.
#[component]
fn ZoomButtons() -> impl IntoView {
    let controller = use_controller();
    let is_whole = Signal::derive(move || controller.extent.get() == Extent::Whole);
    view! {
        <span class="zooms">
            <ZoomButton
                glyph=Glyph::Minus
                test_id="zoom-out"
                times=2.0
                label=|| words().view.zoom_out
                disabled=is_whole
            />
            <ZoomButton
                glyph=Glyph::Plus
                test_id="zoom-in"
                times=0.5
                label=|| words().view.zoom_in
            />
        </span>
    }
}

#[component]
fn ZoomButton(
    glyph: Glyph,
    test_id: &'static str,
    times: f64,
    label: Word,
    #[prop(optional)] disabled: Signal<bool>,
) -> impl IntoView {
    let controller = use_controller();
    let text = move || label();
    view! {
        <Button
            class="btn btn-icon btn-small"
            test_id
            label=text
            title=text
            disabled
            on_press=move || controller.zoom_here(times)
        >
            <Icon glyph/>
        </Button>
    }
}
