//! The part of time that the lanes show: zooming, panning, and moving the cursor along the axis.

use leptos::prelude::*;
use lictor_view::settings::Spacing;
use lictor_view::timeline::axis::Extent;

use super::controller::{Controller, Scope};
use crate::platform::settings::settings;

impl Controller {
    pub fn set_extent(self, extent: Extent) {
        if self.extent.get_untracked() != extent {
            self.extent.set(extent);
            self.sync(Scope::Changes);
        }
    }

    /// Switches the axis between time and the order of events.
    pub fn set_spacing(self, spacing: Spacing) {
        settings().choose_spacing(spacing);
        self.sync(Scope::Changes);
    }

    /// Shows the part between two positions of the axis, which may be outside of it.
    pub fn show_part(self, part: (f64, f64)) {
        self.set_extent(self.axis.get_untracked().part(part));
    }

    /// Moves the visible part by a share of the axis.
    pub fn pan(self, by: f64) {
        self.show_part((by, 1.0 + by));
    }

    /// Multiplies the visible span by a factor. The time at this position of the axis stays there.
    pub fn zoom(self, times: f64, share: f64) {
        let from = share - share * times;
        self.show_part((from, from + times));
    }

    /// Zooms around the cursor if it is visible, for buttons and keys.
    pub fn zoom_here(self, times: f64) {
        let here = self.axis.get_untracked().fraction(self.now.get_untracked());
        self.zoom(times, if (0.0..=1.0).contains(&here) { here } else { 0.5 });
    }

    /// Moves the cursor by a share of the axis; beyond the end of the branch, time passes.
    pub fn move_along(self, by: f64) {
        let axis = self.axis.get_untracked();
        let goal = axis.at(axis.fraction(self.now.get_untracked()) + by);
        if by < 0.0 { self.seek(goal) } else { self.pass_to(goal) }
    }

    /// Seeks to a position of the axis: to the last event within `near` of it or, without one, to
    /// the time.
    pub fn pick(self, share: f64, near: f64) {
        let axis = self.axis.get_untracked();
        self.seek(axis.at(share + near));
        let last = self.with_record(|record| record.events().last().cloned());
        match last.filter(|row| axis.fraction(row.at) > share - near) {
            Some(row) => self.to_event(&row),
            None => self.seek(axis.at(share)),
        }
    }
}
