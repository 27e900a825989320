//! Updates the store after acts and frames: the rows that events changed, the lanes with the
//! forecast, the axis, and the saved log. After a move of the cursor all rows are compared.

use core::time::Duration;
use std::sync::Arc;

use leptos::prelude::*;
use lictor_core::time::Instant;
use lictor_sim::Searched;
use lictor_view::format::shown;
use lictor_view::pacer::RunState;
use lictor_view::rows::ForecastVisibility;
use lictor_view::rows::{WorldView, branches};
use lictor_view::settings::Spacing;
use lictor_view::time_travel::ForecastChange;
use lictor_view::timeline::axis::{Axis, Extent};
use lictor_view::timeline::horizon::{horizon, horizon_without_needs};
use lictor_view::timeline::scale::Scale;

use super::controller::{Controller, CursorPosition, Inner, Part, Scope, StaleLanes};
use super::load::for_a_while;
use super::rows::{self, TAKEOVERS};
use crate::platform::settings::settings;
use crate::signals::SetIfChanged;

/// The longest time that a frame extends the forecast or searches for takeovers.
const AT_ONCE: Duration = Duration::from_millis(4);
/// The number of events of a search that are simulated before the clock is read again.
const SEARCH_STEP: usize = 16;

impl Controller {
    /// Updates the whole store.
    pub(super) fn sync(self, scope: Scope) {
        self.sync_rows(scope);
        self.sync_counts();
        self.sync_lanes(scope);
        self.publish(Part::Rows);
    }

    /// Updates the store except for the lanes, which follow in the next frame, so that no frame
    /// renders both.
    pub(super) fn sync_without_lanes(self) {
        self.sync_rows(Scope::Changes);
        self.sync_counts();
        if self.pace.get_untracked() == RunState::Paused {
            self.look_ahead();
            self.update(|inner| rows::update_future(self.store, &inner.past));
        }
        self.publish(Part::Lanes);
    }

    /// Updates a part of a running page. The forecast is extended with the lists of events, because
    /// the lanes need most of a frame.
    pub(super) fn sync_part(self, part: Part) {
        let next = match part {
            Part::Rows => {
                self.sync_rows(Scope::Changes);
                Part::Lists
            }
            Part::Lists => {
                self.sync_counts();
                self.look_ahead();
                Part::Lanes
            }
            Part::Lanes => {
                self.sync_lanes(Scope::Changes);
                Part::Rows
            }
        };
        self.publish(next);
    }

    /// Publishes the lists of the store, and notes which part the next frame updates.
    fn publish(self, next: Part) {
        self.update(|inner| inner.next_part = next);
        self.store.publish();
    }

    fn sync_rows(self, scope: Scope) {
        let was = self.now.get_untracked();
        self.save();
        let has_events = self.update(|inner| self.update_rows(inner, scope));
        self.sync_time();
        self.update(|inner| {
            let fresh = StaleLanes { was, has_events, seen_ahead: None };
            let stale = inner.stale_lanes.get_or_insert(fresh);
            stale.has_events |= has_events;
            stale.seen_ahead = None;
        });
    }

    /// Updates the counts of events, and with them the lists of events and the sentences about
    /// them.
    fn sync_counts(self) {
        self.update(|inner| {
            let [reached, all] = [inner.past.record(), inner.past.record_at_end()];
            self.store.reached.set_if_changed(reached.events().len());
            self.store.events.set_if_changed(all.events().len());
        });
    }

    /// Extends the forecast for stale lanes, if it can have changed since it last was.
    fn look_ahead(self) {
        let (stale, now) = self.read(|inner| (inner.stale_lanes, inner.past.world().now()));
        let Some(stale) = stale.filter(|stale| stale.seen_ahead != Some(now)) else { return };
        let is_running = self.pace.get_untracked() == RunState::Running;
        let is_longer = self.horizon() != self.axis.with_untracked(|axis| axis.whole().end());
        if is_running && !stale.has_events && !is_longer && self.is_forecast_complete() {
            return;
        }
        self.extend_forecast();
        self.update(|inner| {
            inner.stale_lanes = Some(StaleLanes { seen_ahead: Some(now), ..stale });
        });
    }

    /// Updates the lanes if they are stale.
    fn sync_lanes(self, scope: Scope) {
        self.look_ahead();
        let Some(stale) = self.update(|inner| inner.stale_lanes.take()) else { return };
        if stale.seen_ahead.is_some() {
            self.show_forecast();
        }
        self.sync_axis(stale.was, scope);
    }

    /// Passes the new lines of the log to the store of worlds.
    fn save(self) {
        self.update(|inner| {
            let (lines, place) = (inner.past.take_log(), inner.past.cursor_line());
            if let Some(world_store) = &inner.world_store {
                world_store.append(&lines, &place);
            }
        });
    }

    /// Updates the rows, and returns whether there were events since the last sync.
    fn update_rows(self, inner: &mut Inner, scope: Scope) -> bool {
        let Inner { past, has_events, .. } = inner;
        let store = self.store;
        let changed = past.take_changed_rows();
        let has_events = std::mem::take(has_events);
        let view = WorldView { world: past.world(), record: past.record() };
        if self.begin.get_untracked() != past.begin() {
            self.begin.set(past.begin());
            store.forget(past.record_at_end());
        }
        match scope {
            Scope::Changes => changed.iter().for_each(|it| rows::update_row(store, view, it)),
            Scope::Everything => rows::update_all(store, view),
        }
        self.branches.set_if_changed(branches(past.timeline(), past.record()));
        has_events
    }

    fn sync_time(self) {
        let (now, acts, end, is_at_end) = self.read(|inner| {
            let (past, timeline) = (&inner.past, inner.past.timeline());
            (past.world().now(), timeline.position().acts, past.end(), timeline.is_at_end())
        });
        let cursor = if is_at_end { CursorPosition::End } else { CursorPosition::Past { end } };
        self.cursor.set_if_changed(cursor);
        self.acts.set_if_changed(acts);
        self.now.set_if_changed(now);
        self.coarse_now.set_if_changed(shown(now));
    }

    /// The last time that the lanes can show.
    fn horizon(self) -> Instant {
        let end = shown(self.read(|inner| inner.past.end()));
        let extent = self.extent.get_untracked();
        match self.lesson_axis.get_untracked().filter(|lesson| end <= lesson.end) {
            Some(lesson) => lesson.end,
            // The length of the axis must not tell when a session ends.
            None if self.forecast_visibility.get_untracked().is_hidden() => {
                horizon_without_needs(end, extent)
            }
            None => self.read(|inner| horizon(&inner.past, extent)),
        }
    }

    /// Updates the axis, on a scale that shortens idle times or goes by the order of events.
    fn sync_axis(self, was: Instant, scope: Scope) {
        let (now, end) = (self.now.get_untracked(), self.horizon());
        let spacing = settings().spacing.get_untracked();
        let is_plain = self.lesson_axis.get_untracked().is_some_and(|lesson| lesson.is_plain);
        let scale = self.read(|inner| {
            let ahead = inner.past.forecast();
            let events = ahead.record.events();
            Arc::new(match spacing {
                Spacing::Order => Scale::ordered(events, ahead.until, end),
                Spacing::Time if is_plain => Scale::plain(end),
                Spacing::Time => Scale::folded(events, inner.past.end(), end),
            })
        });
        let mut axis = match self.extent.get_untracked() {
            Extent::Whole => Axis::all(&scale),
            other => Axis::new(&scale, other.around(shown(now))),
        };
        // The axis follows the cursor if it showed it before, and always after a jump.
        let is_followed = scope == Scope::Everything || axis.shows(was, was);
        if is_followed && !axis.shows(now, now) {
            let here = axis.fraction(now);
            self.extent.set(axis.part((here - 0.5, here + 0.5)));
            axis = Axis::new(&scale, self.extent.get_untracked().around(now));
        }
        self.axis.set_if_changed(axis);
        self.store.marks.set_if_changed(self.store.events.get_untracked());
        self.lanes_now.set_if_changed(now);
    }

    /// Extends the forecast, which shows what happens without further acts.
    fn extend_forecast(self) {
        let horizon = self.horizon();
        let visibility = self.forecast_visibility.get_untracked();
        self.update(|inner| {
            let until = match visibility {
                ForecastVisibility::Open => horizon,
                ForecastVisibility::Closed => inner.past.end(),
            };
            inner.past.extend_forecast(until, &for_a_while(AT_ONCE));
        });
    }

    /// Updates the lanes and what else depends on the forecast.
    fn show_forecast(self) {
        let (forecast_visibility, pace) =
            (self.forecast_visibility.get_untracked(), self.pace.get_untracked());
        let store = self.store;
        self.update(|inner| {
            let Inner { past, takeovers, takeover, .. } = inner;
            let change = past.take_forecast_change();
            store.forecast_until.set_if_changed(past.forecast().until);
            rows::update_future(store, past);
            let record = past.forecast().record;
            match change {
                ForecastChange::Extended(rows) => rows::update_lanes(store, record, &rows),
                ForecastChange::Replaced => rows::update_all_lanes(store, record),
            }
            let view = WorldView { world: past.world(), record: past.record() };
            store.checks.set_if_changed(view.checks(record));
            store.overview.set_if_changed((record.events().len(), record.overlap_count()));
            let is_shown =
                (pace, forecast_visibility) == (RunState::Paused, ForecastVisibility::Open);
            *takeovers = if is_shown { 0 } else { TAKEOVERS };
            *takeover = None;
            if !is_shown {
                store.takeovers.retain(|_| false);
            }
        });
    }

    fn is_forecast_complete(self) -> bool {
        self.read(|inner| inner.past.is_forecast_complete())
    }

    /// While time is paused, extends the forecast, and then searches for the times at which locks
    /// can be taken over. Each call takes about [`AT_ONCE`].
    pub(super) fn idle(self) {
        if self.pace.get_untracked() == RunState::Running {
            return;
        }
        if self.is_forecast_complete() {
            self.search_takeover();
        } else {
            self.extend_forecast();
            self.show_forecast();
            self.sync_axis(self.now.get_untracked(), Scope::Changes);
        }
        self.store.publish();
    }

    /// Continues the search for the next takeover of a lock, or begins that of another lock.
    fn search_takeover(self) {
        self.update(|inner| {
            let Inner { past, takeovers, takeover, .. } = inner;
            if takeover.is_none() && *takeovers < TAKEOVERS {
                *takeover = rows::begin_takeover_search(self.store, past.world(), *takeovers);
                *takeovers += 1;
            }
            let Some((key, search)) = takeover else { return };
            let (has_time, mut found) = (for_a_while(AT_ONCE), Searched::Unfinished);
            while found == Searched::Unfinished && has_time() {
                found = search.run(SEARCH_STEP);
            }
            let found = match found {
                Searched::Unfinished => return,
                Searched::NotFound => None,
                Searched::Found(found) => Some(found),
            };
            self.store.takeovers.set(key.clone(), found);
            *takeover = None;
        });
    }
}
