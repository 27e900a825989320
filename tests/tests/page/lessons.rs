//! Tests the lessons: each can be read to its end by mouse and by keyboard, its guess is judged, an
//! open question shows nothing that answers it, and a lesson that is left is kept.

use std::ops::RangeInclusive;

use lictor_sim::scenario;
use thirtyfour::prelude::*;

use super::drawings::{beyond, drawing_of, draws};
use super::sandbox::{REFERENCE, Sandbox, View, with_first_visit, with_page};

pub(super) const SCENARIOS: u32 = scenario::SCENARIOS.len() as u32;
/// More pages than any lesson has.
const PAGES_MAX: usize = 30;

/// Whether the page has an element with a test id.
async fn has(page: &Sandbox, id: &str) -> WebDriverResult<bool> {
    let found = page.eval(&format!("!!document.querySelector('[data-testid={id}]')")).await?;
    Ok(found == true)
}

/// The input device of a test.
#[derive(Clone, Copy)]
enum InputDevice {
    Mouse,
    Keys,
}

impl InputDevice {
    async fn press(self, page: &Sandbox, id: &str) -> WebDriverResult<()> {
        match self {
            Self::Mouse => page.click(id).await,
            Self::Keys => page.enter(id).await,
        }
    }

    async fn choose(self, page: &Sandbox, id: &str) -> WebDriverResult<()> {
        match self {
            Self::Mouse => page.click(id).await,
            Self::Keys => {
                page.tab_to(id).await?;
                page.press(" ").await
            }
        }
    }

    /// Reads a lesson to its end, and returns the number of questions that it asked.
    async fn read_on(self, page: &Sandbox) -> WebDriverResult<u32> {
        let mut questions = 0;
        for _ in 0..PAGES_MAX {
            if has(page, "story-close").await? {
                return Ok(questions);
            }
            if has(page, "choice-1").await? {
                questions += 1;
                self.choose(page, "choice-1").await?;
                self.press(page, "story-guess").await?;
                page.find("story-verdict").await?;
            }
            let before = page.eval(&format!("{PAGE}.innerText")).await?;
            self.press(page, "story-next").await?;
            page.until(&format!("{PAGE}.innerText != {before}")).await?;
        }
        panic!("the story does not end")
    }

    /// Reads a lesson with and without its fix.
    async fn read(self, page: &Sandbox, number: u32) -> WebDriverResult<()> {
        let questions = self.read_on(page).await?;
        assert_eq!(questions, 1, "scenario {number} asks one question");
        if let Self::Keys = self {
            page.has_focus("story-close").await?;
        }
        self.press(page, "story-fix").await?;
        page.find("story-fixed").await?;
        if let Self::Mouse = self {
            page.to_first_page().await?;
        }
        let questions = self.read_on(page).await?;
        assert_eq!(questions, 0, "the fix of scenario {number} asks nothing");
        Ok(())
    }
}

const PAGE: &str = "document.querySelector('[data-testid=story-page]')";

#[tokio::test]
async fn all_lessons_can_be_read_by_clicks_with_and_without_their_fix() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for number in 1..=SCENARIOS {
            page.open_lesson(number).await?;
            InputDevice::Mouse.read(&page, number).await?;
        }
        page.click("story-close").await?;
        page.shows("status-web-3", "no session").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_list_of_all_lessons_needs_no_scrolling() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        for _ in 0..2 {
            let list = "document.querySelector('[data-testid=home]')";
            let spill = page.eval(&format!("{list}.scrollHeight - {list}.clientHeight")).await?;
            assert!(spill.as_i64() <= Some(0), "the list is {spill} px too high");
            page.click("home-close").await?;
            page.click("language").await?;
            page.click("home-button").await?;
        }
        page.click("home-close").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_first_lessons_can_be_read_by_keyboard() -> WebDriverResult<()> {
    read_by_keyboard(1..=SCENARIOS / 2).await
}

#[tokio::test]
async fn the_other_lessons_can_be_read_by_keyboard() -> WebDriverResult<()> {
    read_by_keyboard(SCENARIOS / 2 + 1..=SCENARIOS).await
}

/// Reads lessons with and without their fix. A lesson has the focus once it is opened; once it is
/// closed, the button of the home has it again.
async fn read_by_keyboard(numbers: RangeInclusive<u32>) -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.tab_to("home-button").await?;
        for number in numbers {
            page.has_focus("home-button").await?;
            page.press(Key::Enter + "").await?;
            page.enter(&format!("story-{number}")).await?;
            page.has_focus("story").await?;
            page.shows("story-origin", &format!("Question {number} of")).await?;
            InputDevice::Keys.read(&page, number).await?;
            page.enter("story-close").await?;
        }
        page.shows("status-web-3", "no session").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_future_is_hidden_until_a_question_is_answered() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.open_lesson(2).await?;
        page.click("story-next").await?;
        page.click("story-next").await?;
        page.find("choice-1").await?;
        page.until("document.querySelector('[data-forecast=closed]')").await?;
        page.until(&format!("!{}", drawing_of("lane-delay"))).await?;
        page.find("veiled").await?;
        assert_eq!(page.eval("document.querySelectorAll('[data-testid=run-to]').length").await?, 0);
        page.shows("run", "Guess first").await?;
        page.press(Key::Right + "").await?;
        page.shows("now", "1.5 s").await?;
        page.guess().await?;
        draws(&page, "lane-delay").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_lock_delay_that_runs_is_hidden_while_a_question_asks_for_it() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-3").await?;
        page.find("choice-1").await?;
        page.shows("holder", "nobody").await?;
        page.until("!document.querySelector('[data-testid=state-line]')").await?;
        page.until("!document.querySelector('[data-testid^=lane-takeover]')").await?;
        page.guess().await?;
        page.until("document.querySelector('[data-testid^=lane-takeover]')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_lesson_can_go_back_and_continue_after_an_act_of_the_reader() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.open_lesson(2).await?;
        page.click("story-next").await?;
        page.click("destroy-web-1").await?;
        page.shows("holder", "nobody").await?;
        page.click("story-back").await?;
        page.click("story-next").await?;
        page.click("story-next").await?;
        page.find("choice-1").await?;
        page.shows("holder", "web-1").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_lesson_fits_every_size_and_language() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.open_lesson(15).await?;
        InputDevice::Mouse.read_on(&page).await?;
        draws(&page, "two-believers").await?;
        for width in [1280, 1024, 360] {
            page.set_view(View { width, height: 800, ..REFERENCE }).await?;
            for _ in 0..2 {
                let spill = page.eval("document.documentElement.scrollWidth - innerWidth").await?;
                assert!(spill.as_i64() <= Some(0), "{width} px spill over by {spill}");
                page.click("language").await?;
            }
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_guess_is_answered_with_its_reason_and_leads_to_the_event() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-1").await?;
        page.click("story-guess").await?;
        page.find("choose-first").await?;
        page.has_focus("choice-1").await?;
        page.click("choice-1").await?;
        page.click("story-guess").await?;
        page.shows("story-verdict", "You said 20 s. It was 40 s, because").await?;
        page.shows("now", "60.0 s").await?;
        page.click("seek-guess").await?;
        page.shows("now", "40.0 s").await?;
        page.shows("holder", "web-1").await?;
        page.click("seek-answer").await?;
        page.shows("holder", "nobody").await?;
        page.click("next-question").await?;
        page.shows("story-origin", &format!("Question 2 of {SCENARIOS}")).await?;
        page.click("story-skip").await?;
        page.shows("story-verdict", "It was").await?;
        page.click("home-button").await?;
        page.shows("scores", &format!("2 of {SCENARIOS} answered, 0 guessed right")).await?;
        // The list is open again, as the address names it.
        page.driver.refresh().await?;
        page.shows("scores", &format!("2 of {SCENARIOS}")).await?;
        page.click("forget-scores").await?;
        page.shows("scores", "none answered").await?;
        page.click("home-close").await?;
        Ok(page)
    })
    .await
}

/// The most stops of Tab from a lesson's panel to its choices: links to the topic and the issue may
/// precede them.
const STOPS_BEFORE_CHOICES: usize = 3;

/// Presses Tab until an element has the focus, and returns the number of stops. Panics after
/// `most`.
async fn tabs_to(page: &Sandbox, id: &str, most: usize) -> WebDriverResult<usize> {
    for stop in 1..=most {
        page.press(Key::Tab + "").await?;
        if page.eval(&format!("document.activeElement.dataset.testid == '{id}'")).await? == true {
            return Ok(stop);
        }
    }
    panic!("{id} is not among the next {most} stops")
}

/// Uses real keys only, and never goes back: each stop leads to the next.
#[tokio::test]
async fn a_question_is_answered_to_its_end_by_keyboard_alone() -> WebDriverResult<()> {
    with_first_visit(REFERENCE, |page| async move {
        let skip = "document.activeElement.matches('.skip') && document.activeElement.innerText";
        page.press(Key::Tab + "").await?;
        assert_eq!(page.eval(skip).await?, "Skip to the question");
        page.press(Key::Enter + "").await?;
        page.has_focus("story").await?;
        tabs_to(&page, "choice-1", STOPS_BEFORE_CHOICES).await?;
        page.press(" ").await?;
        page.press(Key::Down + "").await?;
        page.has_focus("choice-2").await?;
        page.until("document.querySelector('[data-testid=choice-2]').checked").await?;
        assert_eq!(tabs_to(&page, "story-guess", 1).await?, 1);
        page.press(Key::Enter + "").await?;
        page.has_focus("story-verdict").await?;
        page.shows("story-verdict", "You said 30 s. It was 40 s, because").await?;
        tabs_to(&page, "seek-guess", 1).await?;
        page.press(Key::Enter + "").await?;
        page.shows("now", "50.0 s").await?;
        tabs_to(&page, "seek-answer", 1).await?;
        page.press(" ").await?;
        page.shows("now", "60.0 s").await?;
        page.shows("latest-event", "60.0 s").await?;
        // The switch of the fix comes first.
        tabs_to(&page, "next-question", 2).await?;
        page.press(Key::Enter + "").await?;
        page.has_focus("story").await?;
        page.shows("story-origin", &format!("Question 2 of {SCENARIOS}")).await?;
        tabs_to(&page, "choice-1", STOPS_BEFORE_CHOICES).await?;
        page.audit().await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_next_question_has_the_focus_and_its_choices_are_near() -> WebDriverResult<()> {
    for width in [1280, 360] {
        with_page(View { width, ..REFERENCE }, move |page| async move {
            page.click("home-button").await?;
            page.click("story-1").await?;
            page.guess().await?;
            page.enter("next-question").await?;
            page.has_focus("story").await?;
            page.shows("story-origin", &format!("Question 2 of {SCENARIOS}")).await?;
            tabs_to(&page, "choice-1", STOPS_BEFORE_CHOICES).await?;
            page.press(" ").await?;
            // A narrow page has its secondary buttons before the bar at its foot.
            tabs_to(&page, "story-guess", if width < 720 { 3 } else { 1 }).await?;
            page.press(Key::Enter + "").await?;
            page.has_focus("story-verdict").await?;
            Ok(page)
        })
        .await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_seek_button_stays_in_view_above_the_lanes_of_a_narrow_page() -> WebDriverResult<()> {
    with_page(View { width: 360, ..REFERENCE }, |page| async move {
        page.click("home-button").await?;
        page.click("story-1").await?;
        page.guess().await?;
        page.click("seek-guess").await?;
        page.shows("now", "40.0 s").await?;
        let is_seen = "['[data-testid=seek-guess]', '.lanes'].every(it => {
            const box = document.querySelector(it).getBoundingClientRect();
            return box.top >= 0 && box.top < innerHeight - 64;
        })";
        page.until_frame(is_seen).await?;
        Ok(page)
    })
    .await
}

/// Sends an event of the pointer to the lane of pins, at a distance from the beginning of the axis.
const OVER_PINS: &str = "(kind, x) => {
    const lane = document.querySelector('.lane-guess > canvas');
    const { left, top } = lane.getBoundingClientRect();
    const place = { bubbles: true, clientX: left + 32 + x, clientY: top + 22 };
    lane.dispatchEvent(new PointerEvent(kind, place));
}";

#[tokio::test]
async fn a_pin_on_the_timeline_chooses_its_answer() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-1").await?;
        let mut pins: Vec<Vec<f64>> = Vec::new();
        let mut was_over = false;
        for x in (0..1200).step_by(6).map(f64::from) {
            page.eval(&format!("(({OVER_PINS})('pointermove', {x}), true)")).await?;
            let is_over = page.eval("!!document.querySelector('.is-over-pin')").await? == true;
            match pins.last_mut() {
                Some(last) if is_over && was_over => last.push(x),
                _ if is_over => pins.push(vec![x]),
                _ => {}
            }
            was_over = is_over;
        }
        assert_eq!(pins.len(), 4, "{pins:?}");
        let middle = pins[2][pins[2].len() / 2];
        page.eval(&format!("(({OVER_PINS})('click', {middle}), true)")).await?;
        page.until("document.querySelector('[data-testid=choice-3]').checked").await?;
        page.shows("now", "28.0 s").await?;
        page.click("story-guess").await?;
        page.shows("story-verdict", "You said 40 s, and it was 40 s").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_lesson_that_was_changed_is_put_back_and_its_guess_is_judged_as_told()
-> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-1").await?;
        page.click("create-session-web-2").await?;
        page.click("story-restore").await?;
        page.until("!document.querySelector('[data-testid=story-restore]')").await?;
        page.click("destroy-web-2").await?;
        page.find("story-restore").await?;
        page.click("choice-3").await?;
        page.click("story-guess").await?;
        page.shows("story-verdict", "and it was 40 s").await?;
        page.shows("now", "60.0 s").await?;
        page.until("!document.querySelector('[data-testid=story-restore]')").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn a_lesson_that_is_left_is_found_again_as_it_was() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.click("home-button").await?;
        page.click("story-3").await?;
        page.guess().await?;
        page.click("tab-sandbox").await?;
        page.shows("status-web-3", "no session").await?;
        page.shows("answered", "1/25").await?;
        page.click("home-button").await?;
        page.click("story-3").await?;
        page.shows("story-verdict", "You said 6 s. It was 21 s").await?;
        page.shows("now", "21.0 s").await?;
        page.click("tab-sandbox").await?;
        page.driver.refresh().await?;
        page.click("home-button").await?;
        page.click("story-3").await?;
        page.shows("story-verdict", "You said 6 s. It was 21 s").await?;
        page.shows("now", "21.0 s").await?;
        page.click("story-fix").await?;
        draws(&page, "former").await?;
        page.click("story-fix").await?;
        page.shows("story-verdict", "You said 6 s").await?;
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn progress_that_cannot_be_read_or_stored_breaks_no_lesson() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        page.eval("localStorage.setItem('lictor.stories', '3:99:7 4:x 5::: {}') ?? true").await?;
        page.eval("localStorage.setItem('lictor.questions', '\\u0000 99 -1 +') ?? true").await?;
        page.driver.refresh().await?;
        for lesson in ["story-3", "story-4"] {
            page.click("home-button").await?;
            page.click(lesson).await?;
            page.guess().await?;
            let fails = "(Storage.prototype.setItem = () => { throw new Error('full') }) && true";
            page.eval(fails).await?;
            page.click("tab-sandbox").await?;
            page.shows("status-web-3", "no session").await?;
        }
        page.click("home-button").await?;
        page.click("story-3").await?;
        page.shows("story-verdict", "You said 6 s").await?;
        Ok(page)
    })
    .await
}

/// Whether an element is in view as a whole.
fn in_view(id: &str) -> String {
    format!(
        "(it => {{ const {{ left, right, top, bottom }} = it.getBoundingClientRect();
            return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
        }})(document.querySelector('[data-testid=\"{id}\"]'))"
    )
}

#[tokio::test]
async fn a_narrow_page_has_the_lesson_first_and_one_main_button_at_its_foot() -> WebDriverResult<()>
{
    let narrow = View { width: 360, height: 800, ..REFERENCE };
    with_first_visit(narrow, |page| async move {
        let tops = "['about', 'story', 'now', 'lanes', 'visit-guide']
        .map(id => document.querySelector(`[data-testid=${id}]`).getBoundingClientRect().top)";
        let is_sorted = "all => all.every((it, index) => !index || all[index - 1] < it)";
        page.until(&format!("({is_sorted})({tops})")).await?;
        let main = "[...document.querySelectorAll('.btn-main')].filter(it => it.checkVisibility()
        && getComputedStyle(it).backgroundColor != 'rgba(0, 0, 0, 0)').map(it => it.innerText)";
        assert_eq!(page.eval(main).await?, serde_json::json!(["Guess"]));
        assert_eq!(page.eval(&in_view("story-guess")).await?, true);
        page.click("choice-1").await?;
        page.click("story-guess").await?;
        page.find("story-verdict").await?;
        assert_eq!(page.eval(main).await?, serde_json::json!(["Next question"]));
        page.click("seek-guess").await?;
        page.shows("now", "40.0 s").await?;
        let axis = "document.querySelector('.lane-axis').getBoundingClientRect().top";
        page.until(&format!("{axis} >= 0 && {axis} < 400")).await?;
        page.click("tab-sandbox").await?;
        page.until("document.querySelector('.transport .btn-main').innerText == 'Run'").await?;
        Ok(page)
    })
    .await
}

/// All texts of the page: what it shows, its hover titles, and the texts for screen readers.
const ALL_TEXTS: &str = "[document.body.innerText,
    ...['title', 'aria-label', 'aria-valuetext', 'aria-description', 'alt'].flatMap(name =>
        [...document.querySelectorAll(`[${name}]`)].map(it => it.getAttribute(name))),
    ...[...document.querySelectorAll('svg title, svg desc, [role=status], [aria-live]')]
        .map(it => it.textContent)].join('\\n')";

#[tokio::test]
async fn an_open_question_is_not_answered_by_titles_or_announcements() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        // Each question with the times that answer it, as times and as spans from now.
        for (number, answers) in [
            (1, ["60.00", "32.0 s"].as_slice()),
            (2, &["35.00", "33.5 s", "20.00", "18.5 s"]),
            (17, &["38.00", "20.0 s"]),
        ] {
            page.click("home-button").await?;
            page.click(&format!("story-{number}")).await?;
            page.find("choice-1").await?;
            page.open_panels().await?;
            let contains = |text: &str| format!("({ALL_TEXTS}).includes('{text}')");
            // Going back and forth announces the events again.
            let now = page.eval("document.querySelector('[data-testid=now]').innerText").await?;
            for button in ["previous-event", "next-event", "next-event", "first-event", "run"] {
                page.click(button).await?;
                for text in answers {
                    assert_eq!(page.eval(&contains(text)).await?, false, "{number} tells {text}");
                }
            }
            // No key moves the cursor beyond now either.
            page.click("previous-event").await?;
            let keys =
                [Key::Shift + Key::Right, Key::PageDown + "", Key::End + "", Key::Right + ""];
            for key in keys {
                page.press(key).await?;
            }
            page.shows("now", now.as_str().expect("it is a text")).await?;
            page.click("story-skip").await?;
            page.until(&contains(answers[0])).await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn the_link_of_an_open_question_opens_it_as_open() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for number in [1, 2, 17] {
            page.click("home-button").await?;
            page.click(&format!("story-{number}")).await?;
            page.find("choice-1").await?;
            page.click("choice-2").await?;
            page.click("share-button").await?;
            page.find("share-story").await?;
            let link = page.eval("document.querySelector('[data-testid=share-story]').value");
            let link = link.await?;
            page.press(Key::Escape + "").await?;
            page.click("tab-sandbox").await?;
            page.driver.goto("about:blank").await?;
            page.driver.goto(link.as_str().expect("it is a text")).await?;
            page.shows("story-origin", &format!("Question {number} of {SCENARIOS}")).await?;
            page.find("choice-1").await?;
            page.until("document.querySelector('[data-forecast=closed]')").await?;
            page.until("!document.querySelector('[name=guess]:checked')").await?;
        }
        Ok(page)
    })
    .await
}

#[tokio::test]
async fn an_open_question_is_not_answered_by_the_lanes() -> WebDriverResult<()> {
    with_page(REFERENCE, |page| async move {
        for number in 1..=SCENARIOS {
            page.click("home-button").await?;
            page.click(&format!("story-{number}")).await?;
            page.find("choice-1").await?;
            page.until("document.querySelector('[data-forecast=closed]')").await?;
            page.until_frame(&format!("{}.length == 0", beyond())).await?;
        }
        Ok(page)
    })
    .await
}
