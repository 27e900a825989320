//! What is said when the page's code has ended, when what was kept cannot be opened, and when
//! nothing can be kept. It stands ready in the reader's language; www/keeper.js shows it and does
//! what its buttons say, as nothing here may work any more by then.

use lictor_sandbox::i18n::Word;

use crate::parts;
use crate::ui::{El, Part, el, word};

/// A notice: its name, what it says, and what can be done, each with its name.
type Notice = (&'static str, [Word; 2], [(&'static str, Word); 3]);

const NOTICES: [Notice; 3] = [
    (
        "stopped",
        [|words| words.keep.stopped, |words| words.keep.stopped_text],
        [RELOAD, SAVE, ("afresh", |words| words.keep.afresh)],
    ),
    (
        "damaged",
        [|words| words.keep.damaged, |words| words.keep.damaged_text],
        [SAVE, ("discard", |words| words.keep.discard), CLOSE],
    ),
    ("unkept", [|words| words.keep.unkept, |words| words.keep.unkept_text], [SAVE, CLOSE, RELOAD]),
];

const SAVE: (&str, Word) = ("save", |words| words.keep.save);
const RELOAD: (&str, Word) = ("reload", |words| words.keep.reload);
const CLOSE: (&str, Word) = ("close", |words| words.close);

pub fn notices() -> Part {
    NOTICES.iter().map(notice).collect()
}

fn notice((name, [heading, says], deeds): &Notice) -> El {
    let buttons = deeds.iter().map(|(deed, says)| {
        let button = el("button", "btn btn-line").attr("type", "button").attr("data-do", *deed);
        button.test(format!("{name}-{deed}")).with(word(*says))
    });
    let panel = el("section", "help notice").attr("id", format!("notice-{name}")).test(*name);
    let title = format!("h-{name}");
    panel
        .attr("popover", "manual")
        .attr("role", "alertdialog")
        .attr("aria-labelledby", &title)
        .with(parts![
            el("div", "head").with(el("h2", "").attr("id", &title).with(word(*heading))),
            el("p", "").with(word(*says)),
            el("p", "quiet small").with(el("output", "")),
            el("p", "share-ways").with(Part::from_iter(buttons)),
        ])
}
