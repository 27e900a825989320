//! The part of a long picture that is near the view: the lanes that a page has in its document, and
//! those that it paints on one canvas.

use core::ops::Range;

/// The height in pixels of the axis above the lanes; the styles have the same number.
pub const AXIS: f64 = 24.0;
/// The number of lanes up to which all are listed.
const ALL: usize = 72;
/// The height above and below the view of which the lanes are listed, in pixels.
const LISTED: f64 = 240.0;
/// The height above and below the view that is painted, in pixels.
const PAINTED: f64 = 32.0;

/// The part of a picture that is near the view. Lengths are in pixels, and begin at the top of the
/// picture, which has the axis above its lanes.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneWindow {
    /// The lanes in the document: all of few lanes, of many those near the view.
    pub listed: Range<usize>,
    /// The height of the lanes before those, and of the lanes after them.
    pub above: f64,
    pub below: f64,
    pub painted: Vec<PaintedLane>,
    /// The part that is painted.
    pub top: f64,
    pub height: f64,
    /// The height of the picture. It is at least as high as the view.
    pub whole: f64,
}

/// A painted lane: its index, the top of its drawing, and the height of the drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaintedLane {
    pub index: usize,
    pub top: f64,
    pub height: f64,
}

impl LaneWindow {
    /// The window of lanes whose drawings have these heights, with `room` around each. `seen` is
    /// the top and the bottom of the view; `None` if everything is seen, as on paper.
    pub fn new(heights: &[u32], room: f64, seen: Option<[f64; 2]>) -> Self {
        let mut tops = vec![AXIS];
        for height in heights {
            tops.push(tops.last().unwrap_or(&AXIS) + f64::from(*height) + room);
        }
        let near = |spare: f64| {
            let Some([top, bottom]) = seen else { return 0..heights.len() };
            let first = tops.partition_point(|it| *it <= top - spare).saturating_sub(1);
            let end = tops[..heights.len()].partition_point(|it| *it < bottom + spare);
            first.min(heights.len())..end.max(first.min(heights.len()))
        };
        let end_of_lanes = tops[heights.len()];
        let whole = seen.map_or(end_of_lanes, |[top, bottom]| end_of_lanes.max(bottom - top));
        let listed = if heights.len() <= ALL { 0..heights.len() } else { near(LISTED) };
        let on_canvas = near(PAINTED);
        let top = if on_canvas.start == 0 { 0.0 } else { tops[on_canvas.start] };
        let bottom = if on_canvas.end == heights.len() { whole } else { tops[on_canvas.end] };
        let painted = on_canvas.map(|index| PaintedLane {
            index,
            top: tops[index] + room / 2.0,
            height: f64::from(heights[index]),
        });
        Self {
            above: tops[listed.start] - AXIS,
            below: end_of_lanes - tops[listed.end],
            listed,
            painted: painted.collect(),
            top,
            height: bottom - top,
            whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn painted(window: &LaneWindow) -> Vec<usize> {
        window.painted.iter().map(|lane| lane.index).collect()
    }

    #[test]
    fn few_lanes_are_all_listed_and_those_near_the_view_are_painted() {
        let window = LaneWindow::new(&[28; 20], 4.0, Some([344.0, 444.0]));
        assert_eq!((window.listed.clone(), window.above, window.below), (0..20, 0.0, 0.0));
        // The view begins with lane 10 and ends in lane 13; one lane more is painted at each end.
        assert_eq!(painted(&window), [9, 10, 11, 12, 13, 14]);
        assert_eq!((window.top, window.height, window.whole), (312.0, 192.0, 664.0));
        assert_eq!(window.painted[1], PaintedLane { index: 10, top: 346.0, height: 28.0 });
    }

    #[test]
    fn the_axis_and_the_room_below_few_lanes_are_painted_with_them() {
        let window = LaneWindow::new(&[28; 3], 4.0, Some([0.0, 500.0]));
        assert_eq!((painted(&window), window.painted[0].top), (vec![0, 1, 2], 26.0));
        assert_eq!((window.top, window.height, window.whole), (0.0, 500.0, 500.0));
    }

    #[test]
    fn of_many_lanes_the_rest_is_space_above_and_below() {
        let heights = [20; 1_000];
        for top in [-50.0, 0.0, 7_000.0, 19_900.0, 30_000.0] {
            let window = LaneWindow::new(&heights, 0.0, Some([top, top + 400.0]));
            let listed = 20.0 * window.listed.len() as f64;
            assert_eq!(window.above + listed + window.below, 20_000.0, "at {top}");
            assert!(window.listed.len() <= 46, "at {top}");
            let is_listed = |index: &usize| window.listed.contains(index);
            assert!(painted(&window).iter().all(is_listed), "at {top}");
        }
    }

    #[test]
    fn on_paper_everything_is_painted_and_no_lane_at_all_is_no_error() {
        let window = LaneWindow::new(&[28; 100], 0.0, None);
        assert_eq!((window.painted.len(), window.height), (100, 2_824.0));
        let window = LaneWindow::new(&[], 4.0, Some([0.0, 480.0]));
        assert_eq!((window.painted.len(), window.top, window.height), (0, 0.0, 480.0));
    }
}
