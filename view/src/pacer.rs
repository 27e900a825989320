//! Converts wall-clock time to virtual time at the chosen speed. The time is computed from the
//! beginning of the run and not by counting frames, so a page that was suspended catches up at
//! once.

use core::time::Duration;

use lictor_core::time::Instant;

/// How fast virtual time passes, as a fraction of wall time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    times: u32,
    divided_by: u32,
}

/// The mode of the run button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// Jump to the next deadline.
    Step,
    /// Let time pass.
    Play,
}

/// Whether time passes by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    Paused,
    Running,
}

/// The virtual time at a reading of the wall clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Anchor {
    wall: Duration,
    at: Instant,
}

/// Runs and pauses virtual time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pacer {
    speed: Speed,
    /// From when virtual time is computed; `None` while it is paused.
    anchor: Option<Anchor>,
    /// When the real speed was last measured; `None` while time is paused.
    measured: Option<Anchor>,
}

/// The shortest time between two measurements of the real speed.
const MEASURING_INTERVAL: Duration = Duration::from_secs(1);

impl Speed {
    pub const ALL: [Self; 5] = [
        Self { times: 1, divided_by: 100 },
        Self { times: 1, divided_by: 10 },
        Self { times: 1, divided_by: 1 },
        Self { times: 10, divided_by: 1 },
        Self { times: 100, divided_by: 1 },
    ];
    pub const NORMAL: Self = Self::ALL[2];

    /// The speed as the page shows it: `1/10×`, `1×`, `100×`.
    pub fn label(self) -> String {
        match self.divided_by {
            1 => format!("{}×", self.times),
            divisor => format!("{}/{divisor}×", self.times),
        }
    }

    /// The virtual time that passes in a span of wall time.
    fn virtual_span(self, wall: Duration) -> Duration {
        wall.saturating_mul(self.times) / self.divided_by
    }
}

impl Default for Pacer {
    fn default() -> Self {
        Self { speed: Speed::NORMAL, anchor: None, measured: None }
    }
}

impl Pacer {
    /// Whether time passes.
    pub fn state(&self) -> RunState {
        if self.anchor.is_some() { RunState::Running } else { RunState::Paused }
    }

    pub fn speed(&self) -> Speed {
        self.speed
    }

    /// The virtual time that should be reached now. `wall` is a reading of the wall clock from any
    /// beginning, as in all functions here; `at` is the present virtual time, which is the result
    /// while time is paused.
    pub fn due(&self, wall: Duration, at: Instant) -> Instant {
        self.anchor.map_or(at, |anchor| {
            let passed = self.speed.virtual_span(wall.saturating_sub(anchor.wall));
            anchor.at.plus(passed).max(at)
        })
    }

    /// Lets time pass from the virtual time `at` on.
    pub fn run(&mut self, wall: Duration, at: Instant) {
        self.anchor = Some(Anchor { wall, at });
        self.measured = self.anchor;
    }

    /// The virtual time that passed for each second of wall time since the last measurement. `None`
    /// if that was less than a second ago, and while time is paused.
    pub fn measure(&mut self, wall: Duration, at: Instant) -> Option<Duration> {
        let since = self.measured.filter(|since| wall >= since.wall + MEASURING_INTERVAL)?;
        self.measured = Some(Anchor { wall, at });
        let (passed, wall) = (at.since(since.at).as_millis(), (wall - since.wall).as_millis());
        Some(Duration::from_millis((1_000 * passed / wall) as u64))
    }

    pub fn pause(&mut self) {
        self.anchor = None;
        self.measured = None;
    }

    /// Continues from `at` if time passes, so that a jump is not counted as time that passed.
    pub fn jumped(&mut self, wall: Duration, at: Instant) {
        if self.anchor.is_some() {
            self.run(wall, at);
        }
    }

    pub fn set_speed(&mut self, speed: Speed, wall: Duration, at: Instant) {
        self.speed = speed;
        self.jumped(wall, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(1000);

    fn running_at(speed: Speed) -> Pacer {
        let mut pacer = Pacer::default();
        pacer.set_speed(speed, START, Instant::EPOCH);
        pacer.run(START, Instant::EPOCH);
        pacer
    }

    #[test]
    fn a_paused_clock_does_not_advance() {
        let at = Instant::from_millis(700);
        assert_eq!(Pacer::default().due(START, at), at);
    }

    #[test]
    fn each_speed_scales_the_wall_clock() {
        let minute = START + Duration::from_secs(60);
        let due: Vec<_> = Speed::ALL
            .map(|speed| running_at(speed).due(minute, Instant::EPOCH).as_millis())
            .to_vec();
        assert_eq!(due, [600, 6_000, 60_000, 600_000, 6_000_000]);
    }

    #[test]
    fn the_number_of_frames_does_not_change_the_time() {
        let pacer = running_at(Speed::ALL[0]);
        let mut at = Instant::EPOCH;
        for millis in 1..=1_000 {
            at = pacer.due(START + Duration::from_millis(millis), at);
        }
        assert_eq!(at, pacer.due(START + Duration::from_secs(1), Instant::EPOCH));
    }

    #[test]
    fn a_suspended_page_catches_up() {
        let pacer = running_at(Speed::NORMAL);
        let hour = START + Duration::from_secs(3600);
        assert_eq!(pacer.due(hour, Instant::EPOCH), Instant::from_millis(3_600_000));
    }

    #[test]
    fn time_never_goes_back_even_if_the_wall_clock_does() {
        let pacer = running_at(Speed::NORMAL);
        let at = Instant::from_millis(5_000);
        assert_eq!(pacer.due(START - Duration::from_secs(9), at), at);
    }

    #[test]
    fn a_running_clock_continues_after_a_jump() {
        let mut pacer = running_at(Speed::NORMAL);
        let (wall, jump) = (START + Duration::from_secs(2), Instant::from_millis(30_000));
        pacer.jumped(wall, jump);
        let due = pacer.due(wall + Duration::from_secs(1), jump);
        assert_eq!(due, Instant::from_millis(31_000));
    }

    #[test]
    fn the_real_speed_is_measured_if_time_falls_behind() {
        let mut pacer = running_at(Speed::ALL[4]);
        assert_eq!(pacer.measure(START, Instant::EPOCH), None);
        let (wall, at) = (START + Duration::from_secs(2), Instant::from_millis(61_000));
        assert_eq!(pacer.measure(wall, at), Some(Duration::from_millis(30_500)));
        assert_eq!(pacer.measure(wall, at), None, "only now and then");
        pacer.pause();
        assert_eq!(pacer.measure(wall + Duration::from_secs(2), at), None);
    }

    #[test]
    fn a_jump_does_not_start_a_paused_clock() {
        let mut pacer = Pacer::default();
        pacer.jumped(START, Instant::from_millis(30_000));
        assert_eq!(pacer.state(), RunState::Paused);
    }
}
