//! The button that opens the text in the console's input as a guide, if it has several commands or
//! prose around one.

use leptos::prelude::*;
use lictor_desk::console::{Guide, is_unfinished, read};

use super::GUIDE;
use crate::components::{PageIds, focus};
use crate::platform::words::guide_words;
use crate::state::guide_reader::GuideReader;

/// A text with fewer lines is no guide.
const LINES_MIN: usize = 3;
/// The length in bytes above which a text is not checked, so that writing stays fast.
const LENGTH_MAX: usize = 1 << 16;

#[component]
pub fn GuidePrompt() -> impl IntoView {
    // An embedded page has no guide.
    let reader = use_context::<GuideReader>()?;
    let input = reader.terminal.input;
    let commands = Memo::new(move |_| input.with(|text| commands_of_guide(text)));
    let ids = PageIds::of_page();
    let open = move |_| {
        reader.read(&input.get_untracked());
        if let Some(panel) = ids.element(GUIDE) {
            let _ = panel.show_popover();
            // The panel may cover this button, which has the focus.
            focus(GUIDE);
        }
    };
    let prompt = move |count| {
        view! {
            <div class="guide-prompt">
                <p>{move || (guide_words().holds_commands)(count)}</p>
                <button
                    type="button"
                    class="btn btn-small btn-line"
                    data-testid="console-guide"
                    on:click=open
                >
                    {move || guide_words().open_as_guide}
                </button>
            </div>
        }
    };
    Some(move || commands.get().map(prompt))
}

/// The number of commands in a text, if it is better read as a guide than as the console's input.
fn commands_of_guide(text: &str) -> Option<usize> {
    if text.len() > LENGTH_MAX || text.lines().count() < LINES_MIN {
        return None;
    }
    let count = Guide::read(text).steps.len();
    let has_prose = || !is_unfinished(text) && read(text).is_err();
    (count > 1 || count == 1 && has_prose()).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn several_commands_or_prose_around_one_are_offered_as_a_guide() {
        let create = "curl -X PUT \\\n  -d '{}' \\\n  /v1/session/create\n";
        assert_eq!(commands_of_guide(create), None);
        assert_eq!(commands_of_guide(&create.repeat(2)), Some(2));
        assert_eq!(commands_of_guide(&format!("First, create a session.\n\n{create}")), Some(1));
        assert_eq!(commands_of_guide("no\ncommand\nat all"), None);
    }
}
