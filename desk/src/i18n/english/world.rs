//! The strings about faults, programs and the leader, in English.

use lictor_sim::LeaderFate;
use lictor_view::format::clock;

use super::super::words::WorldWords;
use crate::faults::FailoverKind;

pub(super) const WORDS: WorldWords = WorldWords {
    pause: "Freeze",
    pause_hint: "Stop the process for a while, as a long garbage collection does",
    crash: "Crash",
    crash_hint: "End its programs; its node stays up",
    server: "server",
    leads: |index| format!("leads, index {index}"),
    no_leader: |index| format!("no leader, index {index}"),
    failover: "Failover",
    failover_hint: "Make the servers lose their leader; every TTL starts again at the next one",
    failover_options: "How the leader is lost",
    failover_kind_label: "What happens",
    failover_kind: |kind| match kind {
        FailoverKind::Lost(LeaderFate::Killed) => "leader killed",
        FailoverKind::Lost(LeaderFate::Cut) => "leader cut off",
        FailoverKind::Lost(LeaderFate::Alone | LeaderFate::Restarted) => "only server killed",
        FailoverKind::AtOnce => "another leader at once",
    },
    failover_lasts: "Lasts",
    failover_random: "by the seed",
    slow_clock: "Slow clock",
    slow_clock_hint: "Run its clock at half speed",
    faults: "Faults",
    until_pressed_again: "until you end them",
    faults_of: |name| format!("Faults of {name}"),
    is_paused: "frozen",
    is_down: "crashed",
    is_cut: "network cut",
    is_cut_until: |at| format!("cut until {} s", clock(at)),
    cut: "Cut net…",
    cut_hint: "Cut its network: how, in which direction, until when; its node stays healthy",
    program: "Program…",
    program_state: |state| state,
    believes: "Believes",
};
