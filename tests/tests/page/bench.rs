//! The benchmark of the built page in headless Chromium: a table of frames, clicks, memory and
//! first paint for worlds of several sizes (docs/en/reference/bench.md). It checks nothing.
#![cfg(not(target_arch = "wasm32"))]

#[allow(dead_code, reason = "the page tests use it")]
mod axe;
mod bench_world;
#[allow(dead_code, reason = "the page tests use all of its browsers")]
mod drivers;
mod environment;
mod measurement;
#[allow(dead_code, reason = "the page tests use more of it")]
mod sandbox;

use std::fmt;
use std::time::Duration;

use thirtyfour::prelude::*;

use self::bench_world::WorldSize;
use self::measurement::{Gauge, Heap, RunFigures, Spread};
use self::sandbox::Sandbox;

/// A world of the size that learners and tests have; it runs at 10x.
const SMALL: WorldSize = WorldSize { clients: 20, keys: 1_000 };
/// How many clients the other worlds have; they run at 100x.
const CLIENTS: usize = 100;
/// How many keys they have, unless the second and later arguments give other numbers.
const SIZES: [u64; 3] = [1_000, 10_000, 100_000];
/// How long each world runs, in seconds of the wall clock, unless the first argument gives another
/// time.
const RUN: u64 = 60;
/// How often each click is made, and how often the page is opened.
const TIMES: usize = 9;
/// How many frames are measured while time is paused.
const FRAMES: usize = 240;

impl Sandbox {
    /// Does nothing: the page tests look for contradictions after each step, which would be
    /// measured here.
    #[allow(clippy::unused_async, reason = "that of the page tests asks the page")]
    pub(crate) async fn agrees(&self, _after: &str) -> WebDriverResult<()> {
        Ok(())
    }
}

/// The figures of one world. Times are in milliseconds.
struct Row {
    size: WorldSize,
    speed: u64,
    opened: f64,
    paused: Spread,
    clicks: Spread,
    running: RunFigures,
    begin: Heap,
    end: Heap,
    clicks_running: Spread,
    reached: String,
}

#[tokio::main]
async fn main() -> WebDriverResult<()> {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|it| it.parse().ok()).collect();
    let (run, sizes) = match numbers.split_first() {
        None => (RUN, &SIZES[..]),
        Some((run, [])) => (*run, &SIZES[..]),
        Some((run, sizes)) => (*run, sizes),
    };
    println!("first useful paint: {:.0} ms", measurement::first_paint(TIMES).await?.median);
    println!("frames and clicks in ms, median / 95th percentile / maximum");
    println!("{}", Row::HEAD);
    let large = sizes.iter().map(|keys| (WorldSize { clients: CLIENTS, keys: *keys }, 100));
    for (size, speed) in std::iter::once((SMALL, 10)).chain(large) {
        let gauge = Gauge::open().await?;
        let row = row(&gauge, size, speed, Duration::from_secs(run)).await;
        gauge.close().await?;
        println!("{}", row?);
    }
    Ok(())
}

/// Opens a world, uses it, and lets it run.
async fn row(gauge: &Gauge, size: WorldSize, speed: u64, run: Duration) -> WebDriverResult<Row> {
    let opened = gauge.bring_in(&bench_world::journal(size).to_lines()).await?;
    let paused = gauge.frames(FRAMES).await?;
    let clicks = gauge.clicks(TIMES).await?;
    gauge.run_at(speed).await?;
    let begin = gauge.heap().await?;
    let running = gauge.watch(run).await?;
    let end = gauge.heap().await?;
    let clicks_running = gauge.clicks(TIMES).await?;
    let reached = gauge.reached().await?;
    Ok(Row { size, speed, opened, paused, clicks, running, begin, end, clicks_running, reached })
}

impl Row {
    const HEAD: &str = "clients   keys speed  opened        frame paused         click paused  \
                              frame running   CPU  frames        click running   \
                              wasm, JS in MB: first, last  reached";
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { size, speed, opened, paused, clicks, running, begin, end, .. } = self;
        write!(f, "{:>7} {:>6} {:>5}", size.clients, size.keys, format!("{speed}x"))?;
        write!(f, " {opened:>7.0} {paused} {clicks} {}", running.frames)?;
        write!(f, " {:>5.1} {:>5.1}/s {}", running.cpu, running.rate, self.clicks_running)?;
        write!(f, "  {begin}, {end}  {}\n        wasm on the way:", self.reached)?;
        running.memory.iter().try_for_each(|megabytes| write!(f, " {megabytes:.0}"))
    }
}
