//! Controls the open lesson: its pages, the guess and the fix. Until the guess, the script is
//! played only up to the last page that was reached, so that nothing is visible too early; the
//! guess plays it to its end. If the reader has acted or has let time pass, the lesson continues
//! on a branch of its own.

use std::sync::Arc;

use leptos::prelude::*;
use lictor_desk::actions::ActionForm;
use lictor_desk::lessons::{
    Guess, Lesson, LessonBookmark, LessonBookmarks, LessonProgress, Scores, in_language,
};
use lictor_desk::share::{self, ImportError, Imported};
use lictor_sim::World;
use lictor_sim::scenario::Variant;
use lictor_sim::timeline::{Position, SeekTarget, Timeline};
use lictor_view::rows::ForecastVisibility;
use lictor_view::time_travel::TimeTravel;

use crate::platform::settings::{has_begun, settings, store_lessons, store_scores, stored_scores};
use crate::state::controller::Controller;
use crate::state::world_session::{OpenedWorld, Opening, WorldSession};

/// The open lesson and its progress, and the answered questions. A cheap copy: all copies share
/// them.
#[derive(Clone, Copy)]
pub struct LessonReader {
    pub controller: Controller,
    pub session: WorldSession,
    /// The open lesson with its progress, as in the session; `None` without a lesson.
    pub reading: RwSignal<Option<LessonProgress>>,
    /// The questions that were answered, in this visit or in earlier ones.
    pub scores: RwSignal<Scores>,
    /// The choice that is marked for the guess.
    pub chosen: RwSignal<Option<usize>>,
    /// Whether the reader pressed "Guess" without a choice.
    pub is_choice_missing: RwSignal<bool>,
    /// Whether the list of the questions is open.
    pub is_list_open: RwSignal<bool>,
}

/// The row of the event list that shows the answer of the open lesson.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evidence {
    pub row: usize,
    /// Whether the cursor is where the answer is shown.
    pub is_shown: bool,
}

/// The test id of the lesson's strip, which gets the focus when a lesson opens.
pub const LESSON: &str = "story";

/// The question of a first visit.
const FIRST_QUESTION: u32 = 1;

impl LessonReader {
    pub fn new(session: WorldSession) -> Self {
        Self {
            controller: session.controller,
            session,
            reading: session.reading,
            scores: RwSignal::new(stored_scores()),
            chosen: RwSignal::new(None),
            is_choice_missing: RwSignal::new(false),
            is_list_open: RwSignal::new(false),
        }
    }

    /// Sets the options of the buttons: to the key and the TTL of a lesson while it is open, after
    /// it to the former options, and in a new world to the defaults.
    pub fn provide_options(self, form: RwSignal<ActionForm>) {
        let number = Memo::new(move |_| self.number());
        Effect::new(move |last: Option<(u32, Option<ActionForm>)>| {
            let opened = self.session.opened.get();
            let (before, own) = last.unwrap_or((opened, None));
            let lesson = number.get().and_then(|number| Lesson::play(number, Variant::Plain).ok());
            match (lesson, own) {
                (Some(lesson), own) => {
                    let own = own.unwrap_or_else(|| form.get_untracked());
                    form.set(lesson.action_form());
                    (opened, Some(own))
                }
                (None, _) if opened != before => {
                    form.set(ActionForm::default());
                    (opened, None)
                }
                (None, Some(own)) => {
                    form.set(own);
                    (opened, None)
                }
                (None, None) => (opened, None),
            }
        });
    }

    /// The number of the open lesson; `None` without a lesson. Subscribes.
    pub fn number(self) -> Option<u32> {
        self.reading.with(|reading| reading.as_ref().map(|it| it.lesson.scenario.number))
    }

    /// Opens a link or the text of a file. Fails, and changes nothing, if it cannot be read.
    pub fn receive(self, text: &str) -> Result<(), ImportError> {
        match share::read(text)? {
            Imported::World { timeline, spacing } => {
                settings().spacing.set(spacing.unwrap_or(settings().spacing.get_untracked()));
                self.session.open(*timeline);
            }
            Imported::Lesson { lesson, page } => self.open_at(lesson, page),
        }
        Ok(())
    }

    /// Opens a lesson at its first page. Does nothing for a lesson that cannot be played, which the
    /// tests of the scenarios exclude.
    pub fn open(self, number: u32, variant: Variant) {
        if let Ok(lesson) = Lesson::play(number, variant) {
            self.open_at(lesson.into(), 0);
        }
    }

    fn open_at(self, lesson: Arc<Lesson>, page: usize) {
        self.chosen.set(None);
        self.is_choice_missing.set(false);
        let timeline = Timeline::recorded(World::new(lesson.scenario.seed));
        let branch = timeline.current();
        let reading =
            LessonProgress { lesson, page: 0, guess: None, last_played_page: None, branch };
        self.session.load(OpenedWorld::New(timeline), Some(reading.clone()));
        self.show(reading, page);
    }

    /// The open page, if the cursor is at its position on the branch of the lesson; subscribes.
    pub fn shown_page(self) -> Option<LessonProgress> {
        let reading = self.reading.get()?;
        self.controller.cursor.track();
        self.controller.store.reached.track();
        let page = reading.lesson.pages.get(reading.page)?.position;
        let (branch, here) =
            self.controller.with_timeline(|timeline| (timeline.current(), timeline.position()));
        let is_at_page = branch == reading.branch && (here.at, here.acts) == (page.at, page.acts);
        is_at_page.then_some(reading)
    }

    /// The row that shows the answer, once the question is answered and while the branch of the
    /// lesson is the current one; subscribes.
    pub fn evidence(self) -> Option<Evidence> {
        let evidence = self.reading.get()?.answer()?.evidence;
        let branch = self.reading.with_untracked(|it| it.as_ref().map(|it| it.branch));
        self.controller.cursor.track();
        self.controller.store.reached.track();
        self.controller.store.branch.track();
        let (current, here) =
            self.controller.with_timeline(|timeline| (timeline.current(), timeline.position()));
        if branch != Some(current) {
            return None;
        }
        let row =
            self.controller.with_record_at_end(|all| evidence.row(all).map(|row| row.number))?;
        Some(Evidence { row, is_shown: here == evidence.position })
    }

    pub fn next(self) {
        if let Some(reading) = self.reading.get_untracked() {
            let page = reading.page + 1;
            self.show(reading, page);
        }
    }

    pub fn back(self) {
        if let Some(reading) = self.reading.get_untracked() {
            let page = reading.page.saturating_sub(1);
            self.show(reading, page);
        }
    }

    /// Opens a lesson at its question, or as it was left.
    pub fn open_question(self, number: u32) {
        let Ok(lesson) = Lesson::play(number, Variant::Plain) else { return };
        let question_page = lesson.question().map_or(0, |(page, _)| page);
        let bookmark = self.session.bookmarks.with_value(|all| all.get(&lesson));
        let bookmark = bookmark.unwrap_or(LessonBookmark { page: question_page, guess: None });
        self.reopen(lesson.into(), bookmark);
    }

    fn reopen(self, lesson: Arc<Lesson>, bookmark: LessonBookmark) {
        let question_page = lesson.question().map_or(0, |(page, _)| page);
        self.open_at(lesson, if bookmark.guess.is_some() { question_page } else { bookmark.page });
        if let Some(guess) = bookmark.guess {
            self.answer(guess);
            if let Some(reading) =
                self.reading.get_untracked().filter(|it| it.page != bookmark.page)
            {
                self.show(reading, bookmark.page);
            }
        }
    }

    /// Whether the reader has acted in the open lesson, or is on a branch of their own; subscribes.
    pub fn is_changed(self) -> bool {
        self.session.is_lesson_changed()
    }

    /// Replays the lesson up to the open page, without the acts of the reader.
    pub fn restore_lesson(self) {
        let Some(reading) = self.reading.get_untracked() else { return };
        let bookmark = LessonBookmark { page: reading.page, guess: reading.guess };
        let chosen = self.chosen.get_untracked();
        self.reopen(reading.lesson, bookmark);
        self.chosen.set(chosen);
    }

    /// Shows the choices of a first visit beside the first question. A first visit opens this
    /// question; a page that opens the world of an earlier visit must be at it already, and no
    /// choice may have been made.
    pub fn start_first_visit(self, opening: Opening) {
        let is_open = untrack(|| self.number()) == Some(FIRST_QUESTION);
        match opening {
            Opening::FirstVisit => self.open_question(FIRST_QUESTION),
            Opening::Kept if is_open && !has_begun() => {}
            Opening::Kept | Opening::Fresh => return,
        }
        self.session.is_first_visit.set(true);
    }

    /// Answers the question: the lesson is played to its end, and the cursor goes to the answer.
    pub fn answer(self, guess: Guess) {
        let Some(mut reading) = self.reading.get_untracked() else { return };
        reading.guess = Some(guess);
        let Some(answer) = reading.answer() else { return };
        let lesson = reading.lesson.clone();
        self.scores.update(|scores| scores.answer(lesson.scenario.number, &answer));
        store_scores(&self.scores.get_untracked());
        self.session.end_first_visit();
        let Some(end) = lesson.pages.last().map(|page| page.position) else { return };
        let name = in_language(&lesson.scenario.title, settings().language.get_untracked());
        reading.branch = self.controller.follow(reading.branch, |past| {
            play_on(past, &reading, end, name);
            past.seek(answer.evidence.target());
        });
        reading.last_played_page = Some(lesson.pages.len() - 1);
        self.controller.set_forecast_visibility(ForecastVisibility::Open);
        self.reading.set(Some(reading));
    }

    /// Forgets which questions were answered, and where lessons were left.
    pub fn forget_scores(self) {
        self.session.bookmarks.set_value(LessonBookmarks::default());
        store_lessons(&LessonBookmarks::default());
        self.scores.set(Scores::default());
        store_scores(&Scores::default());
    }

    /// The guess for the question of a lesson before it was played with its fix; `Guess::Skipped`
    /// if none is known.
    pub fn guess_without_fix(self, number: u32) -> Guess {
        let plain = Lesson::play(number, Variant::Plain).ok();
        let bookmark =
            plain.and_then(|plain| self.session.bookmarks.with_value(|all| all.get(&plain)));
        bookmark.and_then(|bookmark| bookmark.guess).unwrap_or(Guess::Skipped)
    }

    /// Whether the open lesson runs with its fix; subscribes.
    pub fn has_fix(self) -> bool {
        self.reading.with(|reading| {
            reading.as_ref().is_some_and(|reading| reading.lesson.variant == Variant::Fixed)
        })
    }

    /// Plays the open lesson with its fix, to its end. If it is played with its fix already, opens
    /// it without the fix, as it was left.
    pub fn switch_fix(self) {
        let Some(reading) = self.reading.get_untracked() else { return };
        let number = reading.lesson.scenario.number;
        match reading.lesson.variant {
            Variant::Plain => {
                if let Ok(lesson) = Lesson::play(number, Variant::Fixed) {
                    let last = lesson.pages.len() - 1;
                    self.open_at(lesson.into(), last);
                }
            }
            Variant::Fixed => self.open_question(number),
        }
    }

    fn show(self, mut reading: LessonProgress, page: usize) {
        let lesson = reading.lesson.clone();
        let Some(goal) = lesson.pages.get(page) else { return };
        let name = in_language(&goal.chapter, settings().language.get_untracked());
        let was_played = reading.last_played_page.is_some_and(|played| page <= played);
        reading.branch = self.controller.follow(reading.branch, |past| {
            if was_played {
                past.seek(SeekTarget::Position(goal.position));
            } else {
                play_on(past, &reading, goal.position, name);
            }
        });
        reading.page = page;
        reading.last_played_page = reading.last_played_page.max(Some(page));
        self.controller.set_forecast_visibility(reading.forecast_visibility());
        self.reading.set(Some(reading));
    }
}

/// Goes to the last page of a lesson that was played, and plays the script from there to a later
/// position: on a new branch with this name, if the branch continues after the page because the
/// reader has acted or let time pass.
fn play_on(past: &mut TimeTravel, reading: &LessonProgress, until: Position, name: &str) {
    let lesson = &reading.lesson;
    if let Some(last) = reading.last_played_page.and_then(|played| lesson.pages.get(played)) {
        past.seek(SeekTarget::Position(last.position));
    }
    past.play_script(&lesson.script, until, name);
}
