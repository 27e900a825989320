//! Keyboard shortcuts: what each key does. A key has no such effect while the focused element
//! handles it. No action needs a shortcut.

use leptos::{ev, prelude::*};
use leptos_use::use_event_listener;
use lictor_desk::actions::ActorAction;
use lictor_desk::direction::Direction;
use lictor_desk::faults::FaultKind;
use lictor_desk::open_panels::OpenPanel;
use lictor_sim::record::Badge;
use lictor_view::rows::Health;
use lictor_view::settings::Spacing;
use lictor_view::timeline::axis::Extent;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use crate::components::{focus, reveal};
use crate::platform::settings::settings;
use crate::platform::words::{Word, words};
use crate::state::dispatch::Dispatch;
use crate::state::open_panels::{OpenPanels, panel_button};

/// The test id of the field that gets the focus by `/`.
pub const FILTER_FIELD: &str = "events-filter";
/// The id of the help, which `?` opens.
pub const HELP: &str = "help";
/// The test id of its button.
pub const HELP_BUTTON: &str = "help-button";

/// The test id of the button that edits the act at the cursor.
pub const EDIT_BUTTON: &str = "events-edit";
/// The test id of the button that compares branches.
const COMPARE_BUTTON: &str = "compare-button";
/// The test ids of buttons of the selected client and of the server.
const PROGRAMS_BUTTON: &str = "programs-button";
const CUT_BUTTON: &str = "cut-net-button";
const ADD_CHECK_BUTTON: &str = "add-check-button";
const FAILOVER_BUTTON: &str = "failover";

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shortcut {
    Go,
    Step,
    StepBack,
    /// Moves the cursor by seconds; back if negative.
    Seconds(i32),
    /// Moves the cursor by tenths of the axis; back if negative.
    Tenths(i32),
    First,
    Last,
    /// Multiplies the span that the lanes show.
    Zoom(f64),
    /// Shows the whole timeline.
    All,
    /// Switches the axis between time and the order of events.
    Axis,
    Problem(Direction),
    Select(Badge),
    Do(ActorAction),
    ToggleHealth,
    Toggle(FaultKind),
    Filter,
    /// Presses the button with this test id, if it is there.
    Press(&'static str),
}

impl Shortcut {
    /// Whether it advances the world if the cursor is at the end of the timeline.
    fn advances(self) -> bool {
        match self {
            Self::Go | Self::Step => true,
            Self::Seconds(count) | Self::Tenths(count) => count > 0,
            _ => false,
        }
    }
}

/// What a key event is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyPattern<'a> {
    /// The place of the key on the keyboard, whatever it prints there.
    Code(&'a str),
    /// The same together with Shift.
    Shift(&'a str),
    /// The character that the key prints.
    Printed(&'a str),
}

/// A line of the help: its keys, their meaning, and what each of them does.
pub struct HelpLine {
    pub keys: &'static str,
    pub meaning: Word,
    shortcuts: &'static [(KeyPattern<'static>, Shortcut)],
}

const fn line(
    keys: &'static str,
    meaning: Word,
    shortcuts: &'static [(KeyPattern<'static>, Shortcut)],
) -> HelpLine {
    HelpLine { keys, meaning, shortcuts }
}

/// All shortcuts, in the order of the help. Undo and redo have modifiers; `is_undo` matches them.
pub const HELP_LINES: [HelpLine; 32] = {
    use KeyPattern::{Code, Printed, Shift};
    use Shortcut as S;
    [
        line("Space K", || words().key_run, &[(Code("Space"), S::Go), (Code("KeyK"), S::Go)]),
        line("→", || words().key_next, &[(Code("ArrowRight"), S::Step)]),
        line("←", || words().past.key_previous, &[(Code("ArrowLeft"), S::StepBack)]),
        line(
            "Shift → ←",
            || words().key_second,
            &[(Shift("ArrowRight"), S::Seconds(1)), (Shift("ArrowLeft"), S::Seconds(-1))],
        ),
        line(
            "PgUp PgDn",
            || words().past.key_tenth,
            &[(Code("PageUp"), S::Tenths(-1)), (Code("PageDown"), S::Tenths(1))],
        ),
        line(
            "Home End",
            || words().past.key_ends,
            &[(Code("Home"), S::First), (Code("End"), S::Last)],
        ),
        line(
            "+ −",
            || words().view.key_zoom,
            &[
                (Printed("+"), S::Zoom(0.5)),
                (Printed("="), S::Zoom(0.5)),
                (Printed("-"), S::Zoom(2.0)),
            ],
        ),
        line("0", || words().view.key_all, &[(Code("Digit0"), S::All)]),
        line("T", || words().view.key_axis, &[(Code("KeyT"), S::Axis)]),
        line(
            "N P",
            || words().past.key_problem,
            &[
                (Code("KeyN"), S::Problem(Direction::Forward)),
                (Code("KeyP"), S::Problem(Direction::Back)),
            ],
        ),
        line(
            "1–9",
            || words().key_actor,
            &[
                (Code("Digit1"), S::Select(Badge(0))),
                (Code("Digit2"), S::Select(Badge(1))),
                (Code("Digit3"), S::Select(Badge(2))),
                (Code("Digit4"), S::Select(Badge(3))),
                (Code("Digit5"), S::Select(Badge(4))),
                (Code("Digit6"), S::Select(Badge(5))),
                (Code("Digit7"), S::Select(Badge(6))),
                (Code("Digit8"), S::Select(Badge(7))),
                (Code("Digit9"), S::Select(Badge(8))),
            ],
        ),
        line("S", || words().new_session, &[(Code("KeyS"), S::Do(ActorAction::CreateSession))]),
        line("A", || words().acquire, &[(Code("KeyA"), S::Do(ActorAction::Acquire))]),
        line("R", || words().release, &[(Code("KeyR"), S::Do(ActorAction::Release))]),
        line("W", || words().renew, &[(Code("KeyW"), S::Do(ActorAction::Renew))]),
        line("D", || words().destroy, &[(Code("KeyD"), S::Do(ActorAction::Destroy))]),
        line("V", || words().read, &[(Code("KeyV"), S::Do(ActorAction::Read))]),
        line("B", || words().watch, &[(Code("KeyB"), S::Do(ActorAction::Watch))]),
        line("M", || words().world.program, &[(Code("KeyM"), S::Press(PROGRAMS_BUTTON))]),
        line("G", || words().world.pause, &[(Code("KeyG"), S::Toggle(FaultKind::Pause))]),
        line("Q", || words().world.crash, &[(Code("KeyQ"), S::Toggle(FaultKind::Crash))]),
        line("X", || words().world.cut, &[(Code("KeyX"), S::Press(CUT_BUTTON))]),
        line("L", || words().world.slow_clock, &[(Code("KeyL"), S::Toggle(FaultKind::SlowClock))]),
        line("H", || words().fail_check, &[(Code("KeyH"), S::ToggleHealth)]),
        line("Y", || words().health_checks.add, &[(Code("KeyY"), S::Press(ADD_CHECK_BUTTON))]),
        line("F", || words().world.failover, &[(Code("KeyF"), S::Press(FAILOVER_BUTTON))]),
        line("Ctrl Z", || words().past.key_undo, &[]),
        line("E", || words().past.key_edit, &[(Code("KeyE"), S::Press(EDIT_BUTTON))]),
        line("C", || words().past.compare, &[(Code("KeyC"), S::Press(COMPARE_BUTTON))]),
        line(
            "Shift A D E C",
            || words().key_panels,
            &[
                (Shift("KeyA"), S::Press(panel_button(OpenPanel::Act))),
                (Shift("KeyD"), S::Press(panel_button(OpenPanel::Details))),
                (Shift("KeyE"), S::Press(panel_button(OpenPanel::Events))),
                (Shift("KeyC"), S::Press(panel_button(OpenPanel::Console))),
            ],
        ),
        line("/", || words().key_filter, &[(Printed("/"), S::Filter)]),
        line("?", || words().key_help, &[(Printed("?"), S::Press(HELP_BUTTON))]),
    ]
};

/// The shortcut of a key event, if it has one. Signs are compared by the printed character, letters
/// by the place of the key, so that letters do not depend on the layout of the keyboard.
fn shortcut(code: &str, character: &str, has_shift: bool) -> Option<Shortcut> {
    let shifted = has_shift.then_some(KeyPattern::Shift(code));
    let wanted = [Some(KeyPattern::Printed(character)), shifted, Some(KeyPattern::Code(code))];
    wanted.into_iter().flatten().find_map(|wanted| {
        let mut all = HELP_LINES.iter().flat_map(|line| line.shortcuts);
        all.find(|(key, _)| *key == wanted).map(|(_, shortcut)| *shortcut)
    })
}

/// Which shortcuts a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Page,
    /// A part of the page, embedded in a document: only the keys that run, step, move by a second,
    /// or zoom.
    Part,
}

impl Reach {
    fn has(self, shortcut: Shortcut) -> bool {
        let is_of_part = matches!(
            shortcut,
            Shortcut::Go
                | Shortcut::Step
                | Shortcut::StepBack
                | Shortcut::Seconds(_)
                | Shortcut::Zoom(_)
                | Shortcut::All
        );
        is_of_part || self == Self::Page
    }
}

/// Adds the listeners for these shortcuts, and for undo and redo; they are removed with the current
/// owner.
pub fn listen(dispatch: Dispatch, open: OpenPanels, reach: Reach) {
    let _ = use_event_listener(window(), ev::keydown, move |event: KeyboardEvent| {
        if is_undo(&event) {
            event.prevent_default();
            if event.shift_key() {
                dispatch.controller.redo();
            } else {
                dispatch.controller.undo();
            }
        }
    });
    let _ = use_event_listener(window(), ev::keydown, move |event: KeyboardEvent| {
        if !settings().has_single_keys.get_untracked() || is_busy(&event) {
            return;
        }
        let shortcut = shortcut(&event.code(), &event.key(), event.shift_key());
        if let Some(shortcut) = shortcut.filter(|shortcut| reach.has(*shortcut)) {
            event.prevent_default();
            apply(shortcut, dispatch, open);
        }
    });
}

fn apply(shortcut: Shortcut, dispatch: Dispatch, open: OpenPanels) {
    let controller = dispatch.controller;
    let selected = controller.selected.get_untracked();
    // The answer to an open question would be seen before the guess.
    if untrack(|| controller.is_hidden()) && shortcut.advances() && controller.is_at_end() {
        return;
    }
    match shortcut {
        Shortcut::Go => controller.go(),
        Shortcut::Step => controller.step(),
        Shortcut::StepBack => controller.step_back(),
        Shortcut::Seconds(count) => controller.move_by(f64::from(count)),
        Shortcut::Tenths(count) => controller.move_along(f64::from(count) / 10.0),
        Shortcut::First => controller.to_first(),
        Shortcut::Last => controller.to_last(),
        Shortcut::Zoom(times) => controller.zoom_here(times),
        Shortcut::All => controller.set_extent(Extent::Whole),
        Shortcut::Axis => controller.set_spacing(match settings().spacing.get_untracked() {
            Spacing::Time => Spacing::Order,
            Spacing::Order => Spacing::Time,
        }),
        Shortcut::Problem(direction) => controller.to_problem(direction),
        Shortcut::Select(badge) => {
            if controller.store.actors.row(&badge).is_some() {
                controller.selected.set(badge);
            }
        }
        Shortcut::Do(action) => {
            dispatch.carry_out(selected, action);
        }
        Shortcut::ToggleHealth => {
            let Some(row) = controller.store.actors.row(&selected) else { return };
            let action = match row.with_untracked(|row| row.health) {
                Health::Passing => ActorAction::FailCheck,
                Health::Critical => ActorAction::RestoreCheck,
            };
            dispatch.carry_out(selected, action);
        }
        Shortcut::Toggle(fault) => {
            let Some(row) = controller.store.actors.row(&selected) else { return };
            controller
                .perform(row.with_untracked(|row| fault.toggle_act(&row.actor.name, &row.host)));
        }
        Shortcut::Filter => {
            open.with_open(OpenPanel::Events, || drop(focus(FILTER_FIELD)));
        }
        Shortcut::Press(button) => match panel_of(button) {
            Some(panel) => open.with_open(panel, || press(button)),
            None => press(button),
        },
    }
}

/// The panel that contains a button; `None` for one that is always in the document.
fn panel_of(button: &str) -> Option<OpenPanel> {
    match button {
        PROGRAMS_BUTTON | CUT_BUTTON | ADD_CHECK_BUTTON | FAILOVER_BUTTON => Some(OpenPanel::Act),
        EDIT_BUTTON => Some(OpenPanel::Events),
        _ => None,
    }
}

/// Presses a button of the page, if it is there.
fn press(test_id: &str) {
    if let Some(button) = reveal(test_id) {
        button.click();
    }
}

/// Whether the key is Ctrl+Z (Cmd+Z on a Mac), with Shift or without it, outside of a field.
fn is_undo(event: &KeyboardEvent) -> bool {
    let has_modifier = (event.ctrl_key() || event.meta_key()) && !event.alt_key();
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let is_field = target.is_some_and(|target| {
        matches!(target.tag_name().to_ascii_lowercase().as_str(), "input" | "textarea" | "select")
    });
    has_modifier && event.key().eq_ignore_ascii_case("z") && !is_field && !event.default_prevented()
}

/// Whether the element with the focus uses the key, or the key is part of a browser's shortcut.
fn is_busy(event: &KeyboardEvent) -> bool {
    if event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() {
        return true;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let Some(target) = target else { return false };
    match target.tag_name().to_ascii_lowercase().as_str() {
        "input" | "textarea" | "select" => true,
        "button" | "a" | "summary" => matches!(event.code().as_str(), "Space" | "Enter"),
        _ => target.get_attribute("contenteditable").is_some() || scrolls(&target, event),
    }
}

/// Whether the key scrolls the element with the focus.
fn scrolls(target: &Element, event: &KeyboardEvent) -> bool {
    let is_list = target.class_list().contains("rows") || target.class_list().contains("state");
    is_list && matches!(event.code().as_str(), "Home" | "End" | "PageUp" | "PageDown")
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn letters_are_matched_by_their_place_and_signs_by_their_character() {
        assert_eq!(shortcut("KeyA", "q", false), Some(Shortcut::Do(ActorAction::Acquire)));
        assert_eq!(shortcut("Minus", "?", true), Some(Shortcut::Press(HELP_BUTTON)));
        assert_eq!(shortcut("KeyZ", "z", false), None);
    }

    #[test]
    fn shift_changes_what_the_arrows_and_the_letters_of_panels_do_and_nothing_else() {
        assert_eq!(shortcut("ArrowLeft", "ArrowLeft", false), Some(Shortcut::StepBack));
        assert_eq!(shortcut("ArrowLeft", "ArrowLeft", true), Some(Shortcut::Seconds(-1)));
        assert_eq!(shortcut("KeyE", "e", false), Some(Shortcut::Press(EDIT_BUTTON)));
        assert_eq!(shortcut("KeyE", "E", true), Some(Shortcut::Press("open-events")));
        assert_eq!(shortcut("KeyT", "T", true), Some(Shortcut::Axis));
    }

    #[test]
    fn no_key_has_two_meanings() {
        let keys = HELP_LINES.iter().flat_map(|line| line.shortcuts).map(|(key, _)| *key);
        let keys = keys.collect::<Vec<_>>();
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(key), "{key:?}");
        }
    }
}
