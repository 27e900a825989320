//! Prints the cost of each operation at each size in nanoseconds: `bench [--browser FILE] [PART OF
//! A NAME]`. It measures natively; FILE has the lines that the same rows have printed in a browser.

use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Instant;
use std::{env, fs};

use lictor_tests::bench::timeline::busy_timeline;
use lictor_tests::bench::{BenchRow, ROWS, SIZES, lines_in, measure};

/// The allocator of the agent.
#[cfg(not(target_arch = "wasm32"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const MEMORY: &str = "timeline: memory of 100,000 events, 1,000 keys";
const EVENTS: usize = 100_000;

/// The costs of a row by size, in nanoseconds; `None` for a size at which it is not measured.
type Costs = [Option<f64>; SIZES.len()];

fn main() -> ExitCode {
    let mut arguments: Vec<String> = env::args().skip(1).collect();
    let browser = match arguments.iter().position(|argument| argument == "--browser") {
        None => String::new(),
        Some(index) => {
            arguments.remove(index);
            let file =
                if index < arguments.len() { arguments.remove(index) } else { String::new() };
            match fs::read_to_string(&file) {
                Ok(text) => text,
                Err(error) => {
                    eprintln!("bench: {file}: {error}");
                    return ExitCode::from(2);
                }
            }
        }
    };
    let wanted = arguments.first().map_or("", String::as_str);
    print(wanted, &browser);
    if MEMORY.contains(wanted) {
        print_memory();
    }
    ExitCode::SUCCESS
}

fn print(wanted: &str, browser: &str) {
    let sizes: Vec<String> = SIZES.iter().map(|size| format!("{size:>9}")).collect();
    let head = format!("{} {:>7}", sizes.join(" "), "growth");
    println!("{:38} {head}   {}", "ns per operation, native; wasm", head);
    for row in ROWS.iter().filter(|row| row.name.contains(wanted)) {
        println!("{:38} {}   {}", row.name, cells(native(row)), cells(in_browser(row, browser)));
    }
}

/// The additional memory of the process with a timeline of this size.
fn print_memory() {
    let before = resident();
    let timeline = busy_timeline(EVENTS);
    if let (Some(before), Some(after)) = (before, resident()) {
        println!("{MEMORY}: {} KiB", after.saturating_sub(before));
    }
    drop(timeline);
}

/// The memory of the process in KiB, on systems that report it.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().split(' ').next()?.parse().ok()
}

fn native(row: &BenchRow) -> Costs {
    SIZES.map(|size| row.sizes.contains(&size).then(|| measure(row, size, clock)))
}

fn in_browser(row: &BenchRow, text: &str) -> Costs {
    SIZES.map(|size| {
        let mut lines =
            lines_in(text).filter(|(name, of_size, _)| *name == row.name && *of_size == size);
        lines.next().map(|(_, _, cost)| cost)
    })
}

fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as f64
}

fn cells(costs: Costs) -> String {
    let cells = costs.map(|cost| cost.map_or(format!("{:>9}", ""), |cost| format!("{cost:>9.0}")));
    let growth = match (costs[0], costs[SIZES.len() - 1]) {
        (Some(first), Some(last)) => format!("{:>6.1}x", last / first),
        _ => format!("{:>7}", ""),
    };
    format!("{} {growth}", cells.join(" "))
}
