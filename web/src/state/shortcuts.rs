//! Single keys: which key means what, and when keys are left to the page. Every key has a button.

use leptos::{ev, prelude::*};
use leptos_use::use_event_listener;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

use lictor_sandbox::actions::ActorAction;
use lictor_sandbox::badge::Badge;
use lictor_sandbox::faults::FaultKind;
use lictor_sandbox::settings::{Spacing, Switch};
use lictor_sandbox::timeline::axis::Extent;
use lictor_sandbox::view::rows::Health;
use lictor_sim::timeline::Direction;

use crate::components::focus;
use crate::platform::settings::settings;
use crate::state::dispatch::Dispatch;

/// The test id of the field that `/` goes to.
pub const FILTER_FIELD: &str = "events-filter";
/// The id of the help, which `?` opens.
pub const HELP: &str = "help";
/// The test id of its button.
pub const HELP_BUTTON: &str = "help-button";

/// The test id of the button that edits the act at the cursor.
pub const EDIT_BUTTON: &str = "events-edit";
/// The test id of the button that compares branches.
const COMPARE_BUTTON: &str = "compare-button";

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shortcut {
    Go,
    Step,
    StepBack,
    /// So many seconds on, or back.
    Seconds(i32),
    /// A tenth of the axis on, or back.
    Tenths(i32),
    First,
    Last,
    /// So many times as much on the lanes, or all.
    Zoom(f64),
    All,
    /// The axis goes by time, or by the order of events.
    Axis,
    Problem(Direction),
    Select(Badge),
    Do(ActorAction),
    ToggleHealth,
    Toggle(FaultKind),
    Filter,
    Compare,
    Edit,
    Help,
}

impl Shortcut {
    /// Whether it shows what lies ahead of the last event.
    fn goes_ahead(self) -> bool {
        match self {
            Self::Go | Self::Step => true,
            Self::Seconds(count) | Self::Tenths(count) => count > 0,
            _ => false,
        }
    }
}

/// The shortcut of a key. Letters go by the key's place on the keyboard, signs by what they print.
pub fn shortcut(code: &str, key: &str) -> Option<Shortcut> {
    match (code, key) {
        (_, "?") => Some(Shortcut::Help),
        (_, "/") => Some(Shortcut::Filter),
        (_, "+" | "=") => Some(Shortcut::Zoom(0.5)),
        (_, "-") => Some(Shortcut::Zoom(2.0)),
        ("Digit0", _) => Some(Shortcut::All),
        ("KeyT", _) => Some(Shortcut::Axis),
        ("Space" | "KeyK", _) => Some(Shortcut::Go),
        ("ArrowRight", _) => Some(Shortcut::Step),
        ("ArrowLeft", _) => Some(Shortcut::StepBack),
        ("Home", _) => Some(Shortcut::First),
        ("End", _) => Some(Shortcut::Last),
        ("PageUp", _) => Some(Shortcut::Tenths(-1)),
        ("PageDown", _) => Some(Shortcut::Tenths(1)),
        ("KeyN", _) => Some(Shortcut::Problem(Direction::Forward)),
        ("KeyP", _) => Some(Shortcut::Problem(Direction::Back)),
        ("KeyA", _) => Some(Shortcut::Do(ActorAction::Acquire)),
        ("KeyR", _) => Some(Shortcut::Do(ActorAction::Release)),
        ("KeyW", _) => Some(Shortcut::Do(ActorAction::Renew)),
        ("KeyD", _) => Some(Shortcut::Do(ActorAction::Destroy)),
        ("KeyH", _) => Some(Shortcut::ToggleHealth),
        ("KeyC", _) => Some(Shortcut::Compare),
        ("KeyE", _) => Some(Shortcut::Edit),
        ("KeyG", _) => Some(Shortcut::Toggle(FaultKind::Pause)),
        ("KeyX", _) => Some(Shortcut::Toggle(FaultKind::Cut)),
        (code, _) => {
            let digit = code.strip_prefix("Digit")?.parse::<u16>().ok()?;
            digit.checked_sub(1).map(|place| Shortcut::Select(Badge(place)))
        }
    }
}

/// Where keys are listened to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Page,
    /// A part of the page, in a text that is read: keys move through time and zoom, and leave the
    /// rest to the reader.
    Part,
}

impl Reach {
    fn has(self, shortcut: Shortcut) -> bool {
        let moves = matches!(
            shortcut,
            Shortcut::Go
                | Shortcut::Step
                | Shortcut::StepBack
                | Shortcut::Seconds(_)
                | Shortcut::Zoom(_)
                | Shortcut::All
        );
        moves || self == Self::Page
    }
}

/// Listens to the page's keys.
pub fn listen(dispatch: Dispatch, reach: Reach) {
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
        if settings().single_keys.get_untracked() == Switch::Off || is_busy(&event) {
            return;
        }
        let shortcut = match shortcut(&event.code(), &event.key()) {
            Some(Shortcut::Step) if event.shift_key() => Some(Shortcut::Seconds(1)),
            Some(Shortcut::StepBack) if event.shift_key() => Some(Shortcut::Seconds(-1)),
            shortcut => shortcut,
        };
        if let Some(shortcut) = shortcut.filter(|shortcut| reach.has(*shortcut)) {
            event.prevent_default();
            apply(shortcut, dispatch);
        }
    });
}

fn apply(shortcut: Shortcut, dispatch: Dispatch) {
    let controller = dispatch.controller;
    let selected = controller.selected.get_untracked();
    if untrack(|| controller.is_veiled()) && shortcut.goes_ahead() && controller.is_at_end() {
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
        Shortcut::Do(deed) => dispatch.carry_out(selected, deed),
        Shortcut::ToggleHealth => {
            let Some(row) = controller.store.actors.row(&selected) else { return };
            let deed = match row.with_untracked(|row| row.health) {
                Health::Passing => ActorAction::FailCheck,
                Health::Critical => ActorAction::RestoreCheck,
            };
            dispatch.carry_out(selected, deed);
        }
        Shortcut::Toggle(mishap) => {
            let Some(row) = controller.store.actors.row(&selected) else { return };
            controller
                .perform(row.with_untracked(|row| mishap.toggle_act(&row.who.name, &row.host)));
        }
        Shortcut::Filter => drop(focus(FILTER_FIELD)),
        Shortcut::Compare => press(COMPARE_BUTTON),
        Shortcut::Edit => press(EDIT_BUTTON),
        Shortcut::Help => press(HELP_BUTTON),
    }
}

/// Presses a button of the page, if it is there.
fn press(test_id: &str) {
    focus(test_id).into_iter().for_each(|button| button.click());
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

/// Whether the key belongs to what has the focus, or is part of a browser's shortcut.
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

/// Whether the key scrolls what has the focus.
fn scrolls(target: &Element, event: &KeyboardEvent) -> bool {
    let is_list = target.class_list().contains("rows") || target.class_list().contains("state");
    is_list && matches!(event.code().as_str(), "Home" | "End" | "PageUp" | "PageDown")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_by_their_place_and_signs_by_what_they_print() {
        assert_eq!(shortcut("KeyA", "q"), Some(Shortcut::Do(ActorAction::Acquire)));
        assert_eq!(shortcut("Minus", "?"), Some(Shortcut::Help));
        assert_eq!(shortcut("KeyZ", "z"), None);
    }

    #[test]
    fn digits_select_actors_from_one() {
        assert_eq!(shortcut("Digit1", "1"), Some(Shortcut::Select(Badge(0))));
        assert_eq!(shortcut("Digit0", "0"), Some(Shortcut::All));
    }
}
