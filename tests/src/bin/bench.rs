//! Prints what each operation costs natively, at each size of the store.
//!
//! `cargo run --release -p lictor-tests --bin bench -- [PART OF A NAME]`

use std::sync::OnceLock;
use std::time::Instant;

use lictor_tests::bench::{ROWS, SIZES, measure};

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    println!("{:42} {}", "ns per operation, keys in store", header());
    for row in ROWS.iter().filter(|row| row.name.contains(&wanted)) {
        let costs: Vec<Option<f64>> = SIZES
            .iter()
            .map(|size| row.sizes.contains(size).then(|| measure(row, *size, clock)))
            .collect();
        println!("{:42} {}", row.name, line(&costs));
    }
}

fn clock() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as f64
}

fn header() -> String {
    let sizes: Vec<String> = SIZES.iter().map(|size| format!("{size:>11}")).collect();
    format!("{} {:>8}", sizes.join(" "), "growth")
}

fn line(costs: &[Option<f64>]) -> String {
    let cells: Vec<String> = costs
        .iter()
        .map(|cost| cost.map_or(format!("{:>11}", ""), |cost| format!("{cost:>11.0}")))
        .collect();
    let growth = match (costs.first(), costs.last()) {
        (Some(Some(first)), Some(Some(last))) => format!("{:>7.1}x", last / first),
        _ => String::new(),
    };
    format!("{} {growth}", cells.join(" "))
}
