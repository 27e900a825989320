//! Benchmarks of the engine and the timeline: the cost of one operation at several sizes.
//!
//! A caller passes the clock of its platform, so the same benchmarks run natively and in a browser.

mod prepared_engine;
mod rows;
pub mod timeline;

use lictor_core::engine::Engine;

pub use self::prepared_engine::PreparedEngine;
pub use self::rows::ROWS;

/// The clock of a platform: nanoseconds since any fixed time.
pub type NanosecondClock = fn() -> f64;

/// The sizes of the columns: keys in the store, or requests in the past.
pub const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// The prefix of a line with a measurement.
const MARK: &str = "bench\t";

/// The number of measurements of a row, of which the median counts.
pub(crate) const RUNS: usize = 5;

/// One row of the table.
pub struct BenchRow {
    pub name: &'static str,
    /// The sizes at which the row is measured, some of [`SIZES`].
    pub sizes: &'static [usize],
    /// Prepares an engine or a timeline of a size and returns the work to time.
    pub prepare: fn(usize) -> BenchWork,
}

/// Work to time: a number of operations on a copy of the engine.
pub struct BenchWork {
    pub engine: Engine,
    pub operations: usize,
    pub run: Box<dyn Fn(&mut Engine)>,
    /// The number of runs that differ, if the result is the cost of the slowest of them; `None` if
    /// all runs are equal.
    pub places: Option<usize>,
}

/// The median cost of one operation in nanoseconds, or the cost at the slowest place. The cost of a
/// place is that of its best run, so that other load on the machine matters little.
pub fn measure(row: &BenchRow, size: usize, clock: NanosecondClock) -> f64 {
    let work = (row.prepare)(size);
    if let Some(places) = work.places {
        let best = |_| (0..RUNS).map(|_| time(&work, clock)).fold(f64::INFINITY, f64::min);
        return (0..places).map(best).fold(0.0, f64::max);
    }
    let mut costs: Vec<f64> = (0..RUNS).map(|_| time(&work, clock)).collect();
    costs.sort_by(f64::total_cmp);
    costs[RUNS / 2]
}

/// A measurement in one line of text, for another program to read.
pub fn line_of(row: &BenchRow, size: usize, cost: f64) -> String {
    format!("{MARK}{}\t{size}\t{cost}", row.name)
}

/// The measurements among the lines of a text: row, size and cost.
pub fn lines_in(text: &str) -> impl Iterator<Item = (&str, usize, f64)> {
    text.lines().filter_map(|line| {
        let mut fields = line.split_once(MARK)?.1.split('\t');
        let (name, size, cost) = (fields.next()?, fields.next()?, fields.next()?);
        Some((name, size.parse().ok()?, cost.trim().parse().ok()?))
    })
}

fn time(work: &BenchWork, clock: NanosecondClock) -> f64 {
    let mut engine = work.engine.clone();
    let start = clock();
    (work.run)(&mut engine);
    (clock() - start) / work.operations as f64
}
