//! What of the world is shown, and when: the mirror follows what was touched, the lanes what lies
//! ahead, and all of it is kept.

use core::time::Duration;
use std::rc::Rc;

use lictor_core::gather::Gather;
use lictor_core::sim::Moment;
use lictor_core::time::Instant;

use super::{Foresight, Inner, Place, Runtime, Stale};
use crate::glance::Glance;
use crate::pacer::Pace;
use crate::past::{Past, Seen};
use crate::reflect::{self, TAKEOVERS};
use crate::rows::{BranchRow, Branches};
use crate::timeline::axis::{Axis, Extent};
use crate::timeline::scale::Scale;

/// The text of a countdown changes this often; its drawing with every frame.
const COARSE: Duration = Duration::from_millis(100);
/// So many rows of each kind are shown again in a frame while time runs.
const SHOWN_AT_ONCE: usize = 6;

impl Runtime {
    /// Brings the mirror up to date with what moments touched, or with all there is at the cursor.
    pub(super) fn show(&self, moments: &[Moment], stale: Stale) {
        self.keep();
        self.show_rows(moments, stale);
        let is_longer = self.show_time(stale);
        if !moments.is_empty() || stale == Stale::Everything || is_longer {
            self.look_ahead(stale);
        }
        self.mirror.publish();
    }

    /// How much of what was touched is shown now.
    fn at_once(&self, stale: Stale) -> usize {
        match stale {
            Stale::Passing => SHOWN_AT_ONCE,
            Stale::Touched | Stale::Everything => usize::MAX,
        }
    }

    pub(super) fn show_rows(&self, moments: &[Moment], stale: Stale) {
        let Inner { past, numbers, late, .. } = &mut *self.inner.borrow_mut();
        late.join(past.take_touched());
        let touched = late.first(self.at_once(stale));
        for moment in moments {
            reflect::exchange(&self.mirror, numbers, (past.record(), moment));
        }
        let glance = Glance { world: past.world(), record: past.record() };
        match stale {
            Stale::Touched | Stale::Passing => reflect::touched(&self.mirror, glance, &touched),
            Stale::Everything => reflect::everything(&self.mirror, glance),
        }
        self.mirror.events.show(past.whole().events().len());
        self.branches.show(branches(past));
    }

    /// What was done goes out of reach of whatever may happen to the page.
    fn keep(&self) {
        let past = &mut self.inner.borrow_mut().past;
        let (lines, place) = (past.take_log(), past.place());
        if let Some(keeper) = self.keeper() {
            keeper.add(&lines, &place);
        }
    }

    /// Says whether the axis is another one.
    fn show_time(&self, stale: Stale) -> bool {
        let past = &self.inner.borrow().past;
        let (now, end) = (past.world().now(), past.end());
        let is_at_end = past.timeline().is_at_end();
        self.place.show(if is_at_end { Place::End } else { Place::Past { end } });
        let was = self.now.now();
        self.now.show(now);
        self.coarse_now.show(coarse(now));
        let extent = self.extent.now();
        let (from, to) = extent.around(coarse(if extent == Extent::Whole { end } else { now }));
        let (_, last) = Extent::Whole.around(coarse(end));
        let scale = Rc::new(Scale::plain(last.max(to)));
        let mut axis = Axis::new(&scale, (from, to));
        // Whoever goes to a moment sees it, and whoever looks at the cursor follows it.
        let is_followed = stale == Stale::Everything || axis.shows(was, was);
        if is_followed && !axis.shows(now, now) {
            let here = axis.share(now);
            self.extent.set(axis.part((here - 0.5, here + 0.5)));
            axis = Axis::new(&scale, self.extent.now().around(now));
        }
        let is_other = self.axis.now() != axis;
        self.axis.show(axis);
        is_other
    }

    /// What the lanes show: what happened, and what will happen if nobody acts.
    pub(super) fn look_ahead(&self, stale: Stale) {
        let Inner { past, late_ahead, .. } = &mut *self.inner.borrow_mut();
        let until = match self.foresight.now() {
            Foresight::Open => self.axis.now().whole().end(),
            Foresight::Closed => past.end(),
        };
        let seen = past.look_ahead(until);
        late_ahead.join(past.take_touched_ahead());
        let touched = late_ahead.first(self.at_once(stale));
        let ahead = past.ahead();
        match seen {
            Seen::Further => reflect::lanes_touched(&self.mirror, &ahead.record, touched),
            Seen::Anew => reflect::lanes(&self.mirror, &ahead.record),
        }
        let glance = Glance { world: past.world(), record: past.record() };
        self.mirror.checks.show(glance.checks(&ahead.record));
        let is_shown = (self.pace.now(), self.foresight.now()) == (Pace::Paused, Foresight::Open);
        self.takeovers.set(if is_shown { 0 } else { TAKEOVERS });
        if !is_shown {
            self.mirror.takeovers.keep(|_| false);
        }
    }

    /// Works out when the next lock can change hands; who has just done something does not wait
    /// for that.
    pub fn look_at_takeover(&self) {
        let place = self.takeovers.get();
        if place < TAKEOVERS {
            self.takeovers.set(place + 1);
            reflect::takeover(&self.mirror, self.inner.borrow().past.world(), place);
            self.mirror.takeovers.publish();
        }
    }
}

pub(super) fn branches(past: &Past) -> Branches {
    let timeline = past.timeline();
    let all = timeline.branches().map(|(id, branch)| BranchRow {
        id,
        name: branch.name.clone(),
        from: branch.parent().map(|fork| (fork.from, fork.at.at)),
        end: branch.end().at,
    });
    Branches { all: all.gather(), current: timeline.current() }
}

pub(super) fn coarse(at: Instant) -> Instant {
    let step = COARSE.as_millis() as u64;
    Instant::from_millis(at.as_millis() / step * step)
}
