//! The buttons that move and run time, with their menu: its pace, the next events, and the part of
//! time that the lanes show. On a narrow page they are the bar at its foot, which also has the main
//! button of a lesson.

use leptos::prelude::*;
use lictor_view::format::tenths;
use lictor_view::pacer::{RunMode, Speed};
use lictor_view::settings::Spacing;
use lictor_view::timeline::axis::Extent;

use crate::components::{
    ChoiceOption, Glyph, Icon, IconButton, Opener, Pick, Popover, Segments, use_one_column,
};
use crate::panels::actors::SheetButton;
use crate::panels::clock::{EndButtons, Reading, TimeButtons};
use crate::panels::lesson::steps::MainButton;
use crate::panels::next_up::NextUp;
use crate::platform::settings::settings;
use crate::platform::words::words;
use crate::state::controller::use_controller;
use crate::state::lesson_reader::LessonReader;

/// The id of the menu.
const TIME_MENU: &str = "time-menu";

#[component]
pub fn Transport() -> impl IntoView {
    let lesson_reader = expect_context::<LessonReader>();
    let is_narrow = use_one_column();
    let has_main =
        Memo::new(move |_| is_narrow.get() && lesson_reader.reading.with(Option::is_some));
    view! {
        <section
            class="panel transport"
            class:has-main=move || has_main.get() aria-label=move || words().run
        >
            // In the tab order the main button follows the choices of a question; the styles put it
            // after the buttons that move through time.
            <Show when=move || has_main.get()><MainButton/></Show>
            <Show when=move || !is_narrow.get()><Reading/></Show>
            <TimeButtons/>
            <Opener
                id=TIME_MENU
                class="btn btn-icon time-menu-button"
                label=move || words().time_menu
                title=move || words().time_menu
            >
                <Icon glyph=Glyph::Down small=true/>
            </Opener>
            <TimeMenu/>
            <SheetButton class="btn btn-line narrow-only"/>
        </section>
    }
}

#[component]
fn TimeMenu() -> impl IntoView {
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
    view! {
        <span class="zooms">
            <IconButton
                glyph=Glyph::Minus
                class="btn btn-icon btn-small"
                test_id="zoom-out"
                label=move || words().view.zoom_out
                disabled=Signal::derive(move || controller.extent.get() == Extent::Whole)
                on_press=move || controller.zoom_here(2.0)
            />
            <IconButton
                glyph=Glyph::Plus
                class="btn btn-icon btn-small"
                test_id="zoom-in"
                label=move || words().view.zoom_in
                on_press=move || controller.zoom_here(0.5)
            />
        </span>
    }
}
