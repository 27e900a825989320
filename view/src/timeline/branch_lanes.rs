//! The lanes in which two branches differ, on one axis.

use std::sync::Arc;

use lictor_core::time::Instant;
use lictor_sim::record::Record;

use super::axis::{Axis, Extent};
use super::draw_context::{DrawContext, DrawnLane};
use super::horizon::horizon_without_needs;
use super::lane_id::LaneId;
use super::page_width::PageWidth;
use super::picture::elements;
use super::scale::Scale;
use crate::language::Language;

/// The lanes of each branch that differ from those of the other, or that the other does not have.
pub struct BranchLanes {
    pub axis: Axis,
    pub lanes: [Vec<DrawnLane>; 2],
}

impl BranchLanes {
    /// Compares two records, both of which end at `until`.
    pub fn new(language: Language, page: PageWidth, records: [&Record; 2], until: Instant) -> Self {
        let end = horizon_without_needs(until, Extent::Whole);
        let axis = Axis::all(&Arc::new(Scale::plain(end)));
        let context = DrawContext { language, axis: axis.clone(), page, until, former: None };
        let [one, other] = records;
        let lanes = [(one, other), (other, one)].map(|(here, there)| {
            let others = LaneId::all(there);
            let drawn = |id: &LaneId, record| elements(&id.shapes(&context, record), until);
            let is_alike = |id: &LaneId| others.contains(id) && drawn(id, here) == drawn(id, there);
            let differing = LaneId::all(here).into_iter().filter(|id| !is_alike(id));
            differing.map(|id| id.drawn(&context, here)).collect()
        });
        Self { axis, lanes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_world::TestWorld;

    #[test]
    fn only_lanes_that_differ_are_shown_and_a_lane_of_one_branch_only_below_its_branch() {
        let until = 20_000;
        let played = |acquires: bool| {
            let mut played = TestWorld::of_three();
            let first = played.session("web-1", r#"{"TTL": "30s"}"#);
            let second = played.session("web-2", r#"{"TTL": "10s"}"#);
            played.call("web-1", "PUT", &format!("/v1/kv/a?acquire={first}"), "");
            played.advance_to(5_000);
            if acquires {
                played.call("web-2", "PUT", &format!("/v1/kv/b?acquire={second}"), "");
            }
            played.advance_to(until);
            played.record
        };
        let [one, other] = [played(true), played(false)];
        let names = |records| {
            let until = Instant::from_millis(until);
            let found = BranchLanes::new(Language::English, PageWidth::Wide, records, until);
            found.lanes.map(|lanes| {
                lanes.into_iter().map(|lane| lane.title[0].clone()).collect::<Vec<_>>()
            })
        };
        assert_eq!(names([&one, &one]), [Vec::<String>::new(), Vec::new()]);
        assert_eq!(names([&one, &other]), [vec!["b", "belief"], vec![]]);
        assert_eq!(names([&other, &one]), [vec![], vec!["b", "belief"]]);
    }
}
