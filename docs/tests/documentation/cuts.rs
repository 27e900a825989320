//! The tables of cut networks have the times of real clients, within the inaccuracy of the kernel's
//! timers.

use std::time::Duration;

use lictor_docs::{CLIENTS, Cut, LENGTHS};

const RECORDED: &str = include_str!("../../../sim/tests/world/network/recorded.tsv");

/// The column of a row of the record.
fn recorded(row: &str, column: &str) -> Option<f64> {
    let mut lines = RECORDED.lines().filter(|line| !line.starts_with('#'));
    let mut columns = lines.next().expect("it has a head").split('\t');
    let place = columns.position(|it| it == column).expect(column);
    let line = lines.find(|line| line.split('\t').next() == Some(row)).expect(row);
    line.split('\t').nth(place)?.parse().ok()
}

/// Compares a time with the record. The kernel rounds timers of more than 16 s up by at most 2 s.
fn compare(cut: &Cut, column: &str, computed: Option<Duration>, precision: f64) {
    let (computed, recorded) =
        (computed.map(|it| it.as_secs_f64()), recorded(cut.recorded, column));
    let is_alike = match (computed, recorded) {
        (Some(computed), Some(recorded)) => (computed - recorded).abs() <= precision,
        (None, None) => true,
        _ => false,
    };
    assert!(is_alike, "{}, {column}: {computed:?} for {recorded:?}", cut.recorded);
}

#[test]
fn the_table_of_lengths_has_the_times_of_the_record() {
    for cut in LENGTHS.iter().filter(|cut| !cut.recorded.is_empty()) {
        let outcome = cut.simulate();
        compare(cut, "renew_end", outcome.renewal.map(|(at, _)| at), 1.3);
        let status = outcome.renewal.and_then(|(_, status)| status).map(u64::from);
        compare(cut, "renew_result", status.map(Duration::from_secs), 0.0);
        compare(cut, "session_ended", outcome.session_ended, 0.1);
        compare(cut, "lost_closed", outcome.loss_known, 1.3);
        compare(cut, "other_acquired", outcome.other_acquired, 0.1);
        let both = outcome.both_believe().filter(|both| !both.is_zero());
        let both = both.or(Some(Duration::ZERO));
        compare(cut, "both_think_held_s", both, 1.3);
    }
}

/// The holder learns of its loss by the end of its read: none of these clients tries again.
#[test]
fn the_table_of_clients_has_the_times_of_the_record() {
    for cut in &CLIENTS {
        let outcome = cut.simulate();
        compare(cut, "bq_end", outcome.loss_known, 1.3);
        compare(cut, "session_ended", outcome.session_ended, 0.1);
        compare(cut, "other_acquired", outcome.other_acquired, 0.1);
    }
}

/// Fifteen seconds cost the lock, although twenty at another moment do not.
#[test]
fn a_shorter_cut_at_the_wrong_moment_costs_the_lock() {
    let of = |seconds: u64, phase: u64| {
        let is_it = |cut: &&Cut| {
            cut.length == Some(Duration::from_secs(seconds))
                && cut.phase == Duration::from_millis(phase)
        };
        LENGTHS.iter().find(is_it).expect("it is in the table").simulate()
    };
    assert!(of(15, 6_500).session_ended.is_some());
    assert_eq!(of(20, 500).session_ended, None);
}
