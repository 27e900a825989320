//! The checks: which rules hold, which one was broken and when, and where two believe at once,
//! which is no broken rule but what a lock cannot prevent.

use lictor_sandbox::format::clock;
use lictor_sandbox::i18n::Words;
use lictor_sandbox::view::rows::ChecksRow;
use lictor_sim::Always;

use crate::parts;
use crate::runtime::Runtime;
use crate::settings::words;
use crate::ui::{El, Glyph, Part, el, live, opener, popover, small_icon, text, word};

/// The id of the panel.
pub const CHECKS: &str = "checks";

const RULES: [Always; 6] = [
    Always::OneHolder,
    Always::LivingHolder,
    Always::LimitKept,
    Always::FenceKept,
    Always::IndexesGrow,
    Always::AnsweredOnce,
];

/// How many rules hold, and what lies ahead.
pub fn checks_button(runtime: &'static Runtime) -> El {
    let button = opener(CHECKS, "btn checks opt-mid").title(word(|words| words.checks.heading));
    let checks = &runtime.mirror.checks;
    let sign = live(|| {
        let is_whole = checks.with(|row| row.broken.is_empty());
        if is_whole { small_icon(Glyph::Check) } else { small_icon(Glyph::Alert) }
    });
    let says = text(|| {
        let kept = RULES.len() - checks.with(|row| row.broken.len());
        (words().checks.count)(kept, RULES.len())
    });
    let now = live(|| {
        let since = checks.with(|row| row.overlap);
        since.map(|_| warning(words().checks.two_now))
    });
    let ahead = live(|| {
        let ahead = checks.with(|row| row.ahead);
        (ahead > 0).then(|| warning(&(words().checks.ahead)(ahead)).test("checks-ahead"))
    });
    button.with(parts![sign, el("span", "").test("checks-count").with(says), now, ahead])
}

fn warning(says: &str) -> El {
    el("span", "state-text is-danger").with(small_icon(Glyph::Alert)).with(says)
}

pub fn checks(runtime: &'static Runtime) -> El {
    let list = live(|| rules(words(), &runtime.mirror.checks.get()));
    popover(CHECKS, "help checks-panel", word(|words| words.checks.heading))
        .with(el("ul", "").with(list))
}

fn rules(words: &Words, row: &ChecksRow) -> Part {
    let broken_at = |rule| row.broken.iter().find(|(of, _)| *of == rule).map(|(_, at)| *at);
    let rules = RULES.iter().map(|&rule| {
        let name = (words.checks.rule)(rule);
        match broken_at(rule) {
            None => item(Glyph::Check, "is-ok", (name, words.checks.holds.to_owned())),
            Some(at) => {
                let says = (words.checks.broken)(&clock(at));
                item(Glyph::Alert, "is-danger", (name, says))
            }
        }
    });
    let two = match (row.overlap, row.overlaps) {
        (Some(since), _) => {
            let says = (words.checks.since)(&clock(since));
            item(Glyph::Alert, "is-danger", (words.checks.one_believer, says))
        }
        (None, 0) => {
            item(Glyph::Check, "is-ok", (words.checks.one_believer, words.checks.holds.to_owned()))
        }
        (None, count) => {
            item(Glyph::Alert, "is-warn", (words.checks.one_believer, (words.checks.times)(count)))
        }
    };
    let (accepted, rejected) = row.stale;
    let (glyph, class) =
        if accepted > 0 { (Glyph::Alert, "is-danger") } else { (Glyph::Check, "is-ok") };
    let stale = item(
        glyph,
        class,
        (words.checks.stale, (words.checks.stale_count)(rejected, accepted + rejected)),
    );
    parts![Part::from_iter(rules), two, stale]
}

fn item(glyph: Glyph, class: &str, (name, says): (&str, String)) -> El {
    let sign = el("span", class).with(small_icon(glyph));
    el("li", "").with(parts![sign, el("span", "").with(name), el("span", "quiet push").with(says)])
}
