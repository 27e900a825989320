//! What comes next after the cursor. In the past these are the recorded events of the branch; at
//! its end they are the events that follow if nobody acts, as the lanes show them. The panel "Next
//! up" and the scrubber show it.

use lictor_core::time::Instant;

use crate::time_travel::TimeTravel;
use crate::view::rows::Upcoming;
use crate::view::{WorldView, due_events};

/// The first few of them.
pub fn next_up(past: &TimeTravel, count: usize) -> Vec<(Instant, Upcoming)> {
    if !past.timeline().is_at_end() {
        let events = past.record_at_end().events();
        let next = past.record().events().len();
        let rows = (next..events.len()).take(count).filter_map(|place| events.get(place));
        return rows.map(|row| (row.at, Upcoming::Recorded(row.clone()))).collect();
    }
    let forecast = past.forecast();
    let mut next = due_events(past.events_ahead(), forecast.record, count);
    // Of the time after the forecast only the deadlines are known that are set already.
    let view = WorldView { world: past.world(), record: past.record() };
    let later = view.deadlines(count).into_iter().filter(|(at, _)| *at > forecast.until);
    next.extend(later);
    next.into_iter().take(count).map(|(at, deadline)| (at, Upcoming::Due(deadline))).collect()
}
