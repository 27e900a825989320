//! When a kernel repeats what the other side has not acknowledged. The times were measured with
//! Linux 6.18.

use core::time::Duration;

/// What a kernel does with bytes that are not acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The first timeout of a segment, to which the round trip time is added. It then doubles.
    pub first_timeout: Duration,
    /// The longest interval between two retransmissions.
    pub longest_interval: Duration,
    /// Pairs of an interval and a delay: the first timeout after a longer interval is late by the
    /// delay, as the kernel rounds timers up to ticks, which are coarser for later timers.
    pub lateness: [(Duration, Duration); 2],
    /// How many retransmissions there are, with the probe that precedes the first timeout.
    pub retransmissions: u32,
    /// For how long it sends bytes on a connection that its program has closed.
    pub orphan_life: Duration,
    /// When it repeats the first segment of a connection, after the first one.
    pub dials: &'static [Duration],
    /// When it gives up a connection that is not answered.
    pub dial_gives_up: Duration,
    /// How long it looks for a neighbour that does not answer.
    pub neighbour_timeout: Duration,
    /// The interval of its requests for that neighbour.
    pub neighbour_interval: Duration,
    /// The interval of retransmissions while a router reports that it does not reach the host.
    pub unreachable_interval: Duration,
    /// The same while there is no neighbour to send to.
    pub no_neighbour_interval: Duration,
}

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Linux since 6.5 with its defaults: `tcp_retries2` is 15, `tcp_syn_retries` 6,
/// `tcp_syn_linear_timeouts` 4, `tcp_orphan_retries` 0, and the round trip is short.
pub const LINUX_6: Kernel = Kernel {
    first_timeout: millis(208),
    longest_interval: millis(120_830),
    lateness: [(millis(2_100), millis(128)), (millis(16_400), millis(1_000))],
    retransmissions: 16,
    orphan_life: millis(102_000),
    dials: &[
        millis(1_020),
        millis(2_050),
        millis(3_070),
        millis(4_100),
        millis(5_120),
        millis(7_170),
        millis(11_270),
        millis(19_460),
        millis(36_000),
        millis(68_400),
    ],
    dial_gives_up: millis(133_400),
    neighbour_timeout: millis(2_100),
    neighbour_interval: millis(1_030),
    unreachable_interval: millis(206),
    no_neighbour_interval: millis(400),
};

impl Kernel {
    /// The time from the first transmission of a segment to this retransmission, counted from 1.
    /// The number after the last retransmission is the end of the connection.
    pub fn retransmission(&self, number: u32, round_trip: Duration) -> Duration {
        let mut interval = self.first_timeout.saturating_add(round_trip);
        let mut at = interval;
        let mut late = self.lateness.iter().peekable();
        for _ in 1..number {
            while let Some((_, lateness)) = late.next_if(|(longer, _)| interval > *longer) {
                at = at.saturating_add(*lateness);
            }
            at = at.saturating_add(interval);
            interval = interval.saturating_mul(2).min(self.longest_interval);
        }
        at
    }

    /// The number and the time of the first retransmission at or after a time; all times are since
    /// the segment was first sent. After the last one, those of the end of the connection.
    pub fn next_after(&self, since: Duration, round_trip: Duration) -> (u32, Duration) {
        let mut number = 1;
        loop {
            let at = self.retransmission(number, round_trip);
            if at >= since || number > self.retransmissions {
                return (number, at);
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// The measured times of one request that is never acknowledged, in tenths of a second.
    #[test]
    fn retransmissions_have_the_measured_times() {
        let measured = [
            2, 4, 8, 17, 33, 68, 135, 268, 542, 1_074, 2_139, 3_347, 4_556, 5_764, 6_972, 8_181,
            9_389,
        ];
        let at = |number| LINUX_6.retransmission(number, Duration::ZERO).as_millis();
        let computed: Vec<_> = (1..=17).map(at).collect();
        for (computed, measured) in computed.iter().zip(measured) {
            assert!(computed.abs_diff(measured * 100) <= 250, "{computed} {measured}");
        }
    }

    #[test]
    fn a_longer_round_trip_delays_all_retransmissions() {
        let at = |number| LINUX_6.retransmission(number, millis(200)).as_millis();
        assert_eq!([at(1), at(2), at(3)], [408, 816, 1_632]);
    }

    #[test]
    fn the_next_retransmission_is_the_first_one_that_is_not_in_the_past() {
        let next = |since| LINUX_6.next_after(millis(since), Duration::ZERO);
        assert_eq!(next(0), (1, millis(208)));
        assert_eq!(next(209), (2, millis(416)));
        assert_eq!(next(2_000_000).0, 17);
    }
}
