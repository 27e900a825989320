//! What of the world is shown, and when: the mirror follows what was touched, the lanes what lies
//! ahead, and all of it is kept.

use core::time::Duration;
use lictor_core::time::Instant;
use lictor_sandbox::pacer::RunState;
use lictor_sandbox::settings::Spacing;
use lictor_sandbox::time_travel::ForecastChange;
use lictor_sandbox::timeline::axis::{Axis, Extent};
use lictor_sandbox::timeline::scale::Scale;
use lictor_sandbox::tutorial::ForecastVisibility;
use lictor_sandbox::view::{WorldView, branches};
use lictor_sim::{Searched, SimEvent};

use super::{AT_ONCE, Inner, Place, Runtime, Stale, for_a_while};
use crate::reflect::{self, TAKEOVERS};
use crate::settings::settings;
use crate::var::Var;

/// The text of a countdown changes this often; its drawing with every frame.
const COARSE: Duration = Duration::from_millis(100);
/// Where time falls behind, the parts of the page take turns: each has one frame of so many that
/// show something.
const TURNS: usize = 12;
/// Drawings follow the time in the even turns, each in one of them.
pub(super) const DRAWN: usize = TURNS / 2;
/// The odd turns are those of rows: the checks, the texts that follow the time, the lists in which
/// rows come and go, and the event list, whose rows are all new ones and cost most: it takes every
/// other of its turns.
const TOLD: usize = 1;
const TOLD_EVERY: usize = 2 * TURNS;
const CHECKS: usize = 3;
const TEXTS: usize = 5;
const LISTS: usize = 7;
/// The even turns of the line of time and of the overview.
const LINE: usize = 4;
const OVERVIEW: usize = 8;
/// While time runs, so many rows and so many lanes that are drawn are shown again in a frame.
const ROWS_AT_ONCE: usize = 16;
const LANES_AT_ONCE: usize = 2;
/// The same where time falls behind.
const ROWS_IN_TURN: usize = 4;
const LANES_IN_TURN: usize = 1;
/// So many lanes are drawn again in a frame after something was done.
const LANES_AFTER_ACT: usize = 12;
/// So much of a takeover is looked at before it is asked whether there is time for more.
const HAPPENINGS: usize = 16;

impl Runtime {
    /// Brings the mirror up to date with what moments touched, or with all there is at the cursor.
    pub(super) fn show(&self, moments: &[SimEvent], stale: Stale) {
        self.keep();
        self.show_rows(moments, stale);
        let was = self.now.now();
        let is_drawn = stale != Stale::Hurrying || self.inner.borrow().turns.is_multiple_of(2);
        let is_longer = is_drawn && self.show_time(stale);
        let is_more = !moments.is_empty() || is_longer || !self.is_forecast_complete();
        if stale != Stale::Passing || is_more {
            self.look_ahead(stale);
        }
        if is_drawn {
            self.show_axis(was, stale);
            self.draw_lanes(stale);
        }
        if stale != Stale::Hurrying || self.inner.borrow().turns % TURNS == LISTS {
            self.mirror.publish();
        }
    }

    fn show_rows(&self, moments: &[SimEvent], stale: Stale) {
        let Inner { past, numbers, unshown, late, late_lanes, turns, .. } =
            &mut *self.inner.borrow_mut();
        let touched = past.take_changed_rows();
        let glance = WorldView { world: past.world(), record: past.history() };
        let is_behind = is_behind(stale);
        if is_behind {
            reflect::lanes_touched(&self.mirror, past.full_history(), &touched, late_lanes);
        }
        if stale == Stale::Interrupted {
            *turns = 0;
        }
        for touch in touched {
            let is_drawn = reflect::is_drawn(&self.mirror, glance.record, &touch);
            if !is_drawn || stale == Stale::Interrupted {
                reflect::touched(&self.mirror, glance, &touch);
            } else if !late.contains(&touch) {
                late.push(touch);
            }
        }
        if self.begin.now() != past.begin() {
            self.begin.set(past.begin());
            self.mirror.forget(past.full_history());
        }
        for moment in unshown.take().iter().flatten().chain(moments) {
            reflect::exchange(&self.mirror, numbers, (past.history(), moment));
        }
        *turns += 1;
        let has_turn = |turn: usize| !is_behind || *turns % TURNS == turn;
        let is_told = !is_behind || *turns % TOLD_EVERY == TOLD;
        if stale != Stale::Hurrying || (*turns % 2 == 1 && !is_told) {
            let count = match stale {
                Stale::Hurrying => ROWS_IN_TURN,
                Stale::Passing | Stale::Interrupted => ROWS_AT_ONCE,
                Stale::Touched | Stale::Everything => usize::MAX,
            };
            let shown = late.drain(..count.min(late.len()));
            shown.for_each(|touch| reflect::touched(&self.mirror, glance, &touch));
        }
        if stale == Stale::Everything {
            reflect::everything(&self.mirror, glance);
        }
        if has_turn(TEXTS) {
            self.coarse_now.show(coarse(past.world().now()));
        }
        let events = past.full_history().events().len();
        if is_told {
            reflect::told(&self.mirror, glance.record, events);
        }
        if has_turn(LINE) {
            reflect::line(&self.mirror, glance, events);
            self.branches.show(branches(past.timeline()));
        }
    }

    /// What was done goes out of reach of whatever may happen to the page.
    fn keep(&self) {
        let past = &mut self.inner.borrow_mut().past;
        let (lines, place) = (past.take_log(), past.cursor_line());
        if let Some(keeper) = self.keeper() {
            keeper.add(&lines, &place);
        }
    }

    /// Says whether the lanes can show more than before, or less.
    fn show_time(&self, stale: Stale) -> bool {
        let past = &self.inner.borrow().past;
        let (now, end) = (past.world().now(), past.end());
        let is_at_end = past.timeline().is_at_end();
        self.place.show(if is_at_end { Place::End } else { Place::Past { end } });
        self.now.show(now);
        let turn = self.inner.borrow().turns % TURNS;
        let has_turn = |it: usize| !is_behind(stale) || turn / 2 == it;
        for (place, drawn) in self.drawn_now.iter().enumerate() {
            if has_turn(place) {
                drawn.show(now);
            }
        }
        self.horizon() != self.axis.now().whole().end()
    }

    /// The end of all that the lanes can show.
    fn horizon(&self) -> Instant {
        let end = coarse(self.inner.borrow().past.end());
        let (_, to) = self.extent.now().around(end);
        to.max(Extent::Whole.around(end).1)
    }

    /// The axis, on a scale that is folded where nothing happens and nothing will, or goes by
    /// events. Where time falls behind that waits, as all lanes go by it.
    pub(super) fn show_axis(&self, was: Instant, stale: Stale) {
        let (now, end, spacing) = (self.now.now(), self.horizon(), settings().spacing.now());
        let scale = {
            let Inner { past, turns, .. } = &*self.inner.borrow();
            let ahead = past.forecast();
            let events = ahead.record.events();
            match spacing {
                Spacing::Order => {
                    let has_turn = !is_behind(stale) || *turns % TURNS == LINE;
                    let has_room = || self.axis.peek(|axis| axis.has_room(events.len(), end));
                    if !has_turn || is_behind(stale) && has_room() {
                        return;
                    }
                    std::sync::Arc::new(Scale::ordered(events, ahead.until, end))
                }
                Spacing::Time => std::sync::Arc::new(Scale::folded(events, past.end(), end)),
            }
        };
        let mut axis = match self.extent.now() {
            Extent::Whole => Axis::all(&scale),
            other => Axis::new(&scale, other.around(coarse(now))),
        };
        // Whoever goes to a moment sees it, and whoever looks at the cursor follows it.
        let is_followed = stale == Stale::Everything || axis.shows(was, was);
        if is_followed && !axis.shows(now, now) {
            let here = axis.fraction(now);
            self.extent.set(axis.part((here - 0.5, here + 0.5)));
            axis = Axis::new(&scale, self.extent.now().around(now));
        }
        self.axis.show(axis);
    }

    /// What the lanes show: what happened, and what will happen if nobody acts. Where time falls
    /// behind there is none to look ahead.
    pub(super) fn look_ahead(&self, stale: Stale) {
        let horizon = self.horizon();
        let Inner { past, late_lanes, turns, takeovers, takeover, .. } =
            &mut *self.inner.borrow_mut();
        if !is_behind(stale) {
            let until = match self.foresight.now() {
                ForecastVisibility::Open => horizon,
                ForecastVisibility::Closed => past.end(),
            };
            let seen = past.extend_forecast(until, &for_a_while(AT_ONCE));
            let touched = past.take_forecast_changed_rows();
            let record = past.forecast().record;
            match seen {
                ForecastChange::Extended => {
                    reflect::lanes_touched(&self.mirror, record, &touched, late_lanes);
                }
                ForecastChange::Replaced => reflect::lanes(&self.mirror, record, late_lanes),
            }
        }
        if !is_behind(stale) || *turns % TURNS == CHECKS {
            let glance = WorldView { world: past.world(), record: past.history() };
            self.mirror.checks.show(glance.checks(past.forecast().record));
        }
        if !is_behind(stale) || *turns % TURNS == OVERVIEW {
            let record = past.forecast().record;
            self.mirror.overview.show((record.events().len(), record.overlap_count()));
        }
        let is_shown =
            (self.pace.now(), self.foresight.now()) == (RunState::Paused, ForecastVisibility::Open);
        *takeovers = if is_shown { 0 } else { TAKEOVERS };
        *takeover = None;
        if !is_shown {
            self.mirror.takeovers.keep(|_| false);
        }
    }

    /// Virtual time for a drawing: where time falls behind, not all of them follow it at once.
    pub fn now_in_turn(&self) -> &Var<Instant> {
        let place = self.drawings.replace(self.drawings.get().wrapping_add(1));
        &self.drawn_now[place % DRAWN]
    }

    fn is_forecast_complete(&self) -> bool {
        self.inner.borrow().past.is_forecast_complete()
    }

    /// Draws the lanes again that wait for it, or the first few.
    pub(super) fn draw_lanes(&self, stale: Stale) {
        let late = {
            let late = &mut self.inner.borrow_mut().late_lanes;
            let count = match stale {
                Stale::Hurrying => LANES_IN_TURN,
                Stale::Passing | Stale::Interrupted => LANES_AT_ONCE,
                Stale::Touched | Stale::Everything => LANES_AFTER_ACT,
            };
            late.drain(..count.min(late.len())).collect::<Vec<_>>()
        };
        late.iter().for_each(|lane| self.mirror.redraw(lane));
    }

    /// What a frame does in which no time passes, one thing at a time: who has just done something
    /// does not wait for that. It draws the rest of the lanes, looks farther ahead, and works out
    /// when the next lock can change hands.
    pub fn use_rest(&self) {
        if self.pace.now() == RunState::Running {
            return;
        }
        let is_drawn = self.inner.borrow().late_lanes.is_empty();
        match (is_drawn, self.is_forecast_complete()) {
            (false, _) => self.draw_lanes(Stale::Passing),
            (true, false) => {
                self.look_ahead(Stale::Touched);
                self.show_axis(self.now.now(), Stale::Touched);
            }
            (true, true) => self.look_at_takeover(),
        }
        self.mirror.publish();
    }

    fn look_at_takeover(&self) {
        let Inner { past, takeovers, takeover, .. } = &mut *self.inner.borrow_mut();
        if takeover.is_none() && *takeovers < TAKEOVERS {
            *takeover = reflect::takeover(&self.mirror, past.world(), *takeovers);
            *takeovers += 1;
        }
        let Some((key, search)) = takeover else { return };
        let (has_time, mut found) = (for_a_while(AT_ONCE), Searched::Unfinished);
        while found == Searched::Unfinished && has_time() {
            found = search.go_on(HAPPENINGS);
        }
        let found = match found {
            Searched::Unfinished => return,
            Searched::Nobody => None,
            Searched::Found(found) => Some(found),
        };
        self.mirror.takeovers.set(key.clone(), found);
        *takeover = None;
    }
}

fn is_behind(stale: Stale) -> bool {
    matches!(stale, Stale::Hurrying | Stale::Interrupted)
}

pub(super) fn coarse(at: Instant) -> Instant {
    let step = COARSE.as_millis() as u64;
    Instant::from_millis(at.as_millis() / step * step)
}
