//! The story that is read: what is said here, the question before the world answers it, and the
//! ways on and back. It stands over the lanes, so that text and picture are read together.

use lictor_sandbox::fresh_world::sandbox;
use lictor_sandbox::i18n::Words;
use lictor_sandbox::tutorial::{ChoiceMark, Guess, Page, Question, StoryProgress, in_language};
use lictor_sim::scenario::Variant;

use crate::parts;
use crate::settings::{settings, words};
use crate::teacher::Teacher;
use crate::ui::{El, Glyph, Part, button, el, icon, live};

/// The test id of the strip.
pub const STORY: &str = "story";

/// Where the last page leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Out of the story.
    Leave,
    /// To its beginning.
    Again,
}

pub fn story(teacher: &'static Teacher, ending: Ending) -> Part {
    live(move || teacher.reading.get().map(|reading| strip(teacher, &reading, ending)))
}

/// What the page says that is read, for those who hear it, followed: what stands in the strip was
/// put there with it, and what comes with its frame is not announced.
pub fn spoken(teacher: &Teacher) -> Option<String> {
    teacher.reading.get()?.spoken(settings().language.get())
}

fn strip(teacher: &'static Teacher, reading: &StoryProgress, ending: Ending) -> El {
    let words = words();
    let Some(page) = reading.story.pages.get(reading.page) else { return el("div", "") };
    let language = settings().language.get();
    let of = (words.learn.page)(reading.page + 1, reading.story.pages.len());
    let heading = match reading.story.is_last(reading.page) {
        true => words.learn.lesson,
        false => in_language(&page.chapter, language),
    };
    let says = page.says.as_ref().map(|text| el("p", "").with(in_language(text, language)));
    let says = says.map(|says| says.test("story-says"));
    let head = el("div", "story-head").with(parts![
        el("h3", "").test("story-chapter").with(heading),
        el("span", "quiet num").test("story-page").with(of),
        fix(teacher, words, reading),
    ]);
    el("section", "story-strip")
        .test(STORY)
        .attr("tabindex", "-1")
        .label(in_language(&reading.story.scenario.title, language))
        .with(parts![
            el("div", "story-text")
                .with(head)
                .with(says)
                .with(page.question.as_ref().map(|it| question(teacher, words, (it, reading)))),
            ways(teacher, (page, reading), ending),
        ])
}

/// The fix as a switch.
fn fix(teacher: &'static Teacher, words: &Words, reading: &StoryProgress) -> El {
    let is_fixed = reading.story.variant == Variant::Fixed;
    let other = if is_fixed { Variant::Plain } else { Variant::Fixed };
    let says = in_language(&reading.story.scenario.fix, settings().language.get());
    let switch = button("btn btn-small btn-line", "story-fix", move || teacher.tell(other));
    let switch = switch.attr("aria-pressed", is_fixed.to_string()).title(says);
    let says = is_fixed.then(|| el("span", "quiet").test("story-fixed").with(says));
    el("span", "fix push").with(says).with(switch.with(words.learn.fix))
}

fn question(
    teacher: &'static Teacher,
    words: &Words,
    (question, reading): (&Question, &StoryProgress),
) -> El {
    let language = settings().language.get();
    let answer = reading.answer();
    let choices = question.choices.iter().enumerate().map(|(place, choice)| {
        let mark = answer.as_ref().map(|answer| answer.marks[place]);
        let is_right = mark == Some(ChoiceMark::Right);
        let class = if is_right { "btn btn-small is-right" } else { "btn btn-small" };
        let test_id = format!("choice-{}", place + 1);
        let pick = button(class, &test_id, move || teacher.guess(place));
        let is_guess = reading.guess == Some(Guess::Choice(place));
        let label = in_language(&choice.label, language);
        pick.attr("aria-pressed", is_guess.to_string()).with(label)
    });
    let verdict = answer.as_ref().map(|answer| {
        let says = (words.learn.verdict)(answer);
        el("b", "").test("story-verdict").attr("role", "status").with(says)
    });
    let choices = el("span", "choices").attr("role", "group").with(choices.collect::<Part>());
    el("div", "question").with(parts![
        el("span", "").test("story-question").with(in_language(&question.text, language)),
        choices,
        verdict,
    ])
}

fn ways(teacher: &'static Teacher, (page, reading): (&Page, &StoryProgress), ending: Ending) -> El {
    let words = words();
    let is_last = reading.story.is_last(reading.page);
    let back = button("btn btn-icon", "story-back", || teacher.back());
    let back = back.label(words.learn.back).title(words.learn.back);
    let back = back.attr("aria-disabled", (reading.page == 0).then_some("true"));
    let see = if page.question.is_some() { words.learn.see } else { words.learn.next };
    let next = button("btn btn-main", "story-next", || teacher.next()).heir("story-close");
    let on: Part = match (is_last, ending) {
        (false, _) => next.with(el("span", "").with(see)).into(),
        (true, Ending::Leave) => {
            let close = button("btn btn-line", "story-close", || teacher.close(sandbox()));
            close.heir("home-button").with(words.learn.close).into()
        }
        (true, Ending::Again) => {
            let variant = reading.story.variant;
            let again = button("btn btn-line", "story-close", move || teacher.tell(variant));
            again.heir("story-next").with(words.learn.again).into()
        }
    };
    el("div", "story-ways").with(parts![back.with(icon(Glyph::Previous)), on])
}
