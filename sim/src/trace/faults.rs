//! Faults and links in the line language: writes `pauses for=35s` or `cut way=from-server
//! mode=drop` and parses them.

use alloc::string::{String, ToString};
use core::time::Duration;

use lictor_core::id::{ActorName, CheckId};

use super::params::word_of;
use super::tokens::{Args, push_number, push_operand, push_param, span_word};
use crate::clock::Jump;
use crate::fault::{Fault, LeaderFate, LeaderLoss, Memory, Plan, RAFT_MULTIPLIER};
use crate::link::{Cut, CutDirection, CutMode, Link, Overtaking};

const MEMORIES: [(&str, Memory); 2] = [("kept", Memory::Kept), ("lost", Memory::Lost)];
const WAYS: [(&str, CutDirection); 3] = [
    ("both", CutDirection::Both),
    ("to-server", CutDirection::ToServer),
    ("from-server", CutDirection::FromServer),
];
const MODES: [(&str, CutMode); 7] = [
    ("reject", CutMode::Reject),
    ("drop", CutMode::Drop),
    ("reset", CutMode::Reset),
    ("host-unreachable", CutMode::HostUnreachable),
    ("prohibited", CutMode::Prohibited),
    ("interface-down", CutMode::InterfaceDown),
    ("no-neighbour", CutMode::NoNeighbour),
];
const FATES: [(&str, LeaderFate); 4] = [
    ("leader-killed", LeaderFate::Killed),
    ("leader-cut", LeaderFate::Cut),
    ("server-killed", LeaderFate::Alone),
    ("server-restarted", LeaderFate::Restarted),
];
const ORDERS: [(&str, Overtaking); 2] =
    [("kept", Overtaking::Never), ("free", Overtaking::Possible)];

impl CutMode {
    /// Its word in the line language.
    pub fn word(self) -> &'static str {
        word_of(self, &MODES)
    }
}

impl CutDirection {
    /// Its word in the line language.
    pub fn word(self) -> &'static str {
        word_of(self, &WAYS)
    }
}

/// The verb of a fault, which alone determines its kind.
fn verb_of(fault: &Fault) -> &'static str {
    match fault {
        Fault::Pause { .. } => "pauses",
        Fault::Crash { .. } => "crashes",
        Fault::Cut { .. } => "cut",
        Fault::ClockRate { .. } => "clock-rate",
        Fault::ClockJump { .. } => "clock-jump",
        Fault::NodeSilent { .. } => "node-silent",
        Fault::NodeRemoved { .. } => "node-removed",
        Fault::CheckCritical { .. } => "check-critical",
        Fault::LostAnswer { .. } => "loses-answer",
        Fault::Failover => "leader-lost",
        Fault::LeaderLost(loss) => word_of(loss.fate, &FATES),
    }
}

pub(super) fn fault_words(fault: &Fault, words: &mut String) {
    words.push_str(verb_of(fault));
    match fault {
        Fault::Crash { memory, .. } => push_param(words, "memory", word_of(*memory, &MEMORIES)),
        Fault::Cut { cut, .. } => {
            push_param(words, "way", word_of(cut.way, &WAYS));
            push_param(words, "mode", word_of(cut.mode, &MODES));
        }
        Fault::ClockRate { rate, .. } => push_operand(words, &rate.to_string()),
        Fault::ClockJump { jump: Jump::Ahead(by), .. } => push_span(words, "ahead", *by),
        Fault::ClockJump { jump: Jump::Back(by), .. } => push_span(words, "back", *by),
        Fault::NodeSilent { detection, .. } => push_span(words, "detection", *detection),
        Fault::CheckCritical { check, .. } => push_operand(words, check.as_str()),
        Fault::LeaderLost(loss) if loss.multiplier != RAFT_MULTIPLIER => {
            push_number(words, "multiplier", loss.multiplier.into());
        }
        Fault::LeaderLost(_)
        | Fault::Pause { .. }
        | Fault::NodeRemoved { .. }
        | Fault::LostAnswer { .. }
        | Fault::Failover => {}
    }
}

/// `None` if the verb is none of a fault.
pub(super) fn fault_of(verb: &str, actor: &str, args: &mut Args<'_>) -> Option<Fault> {
    let actor = ActorName::from(actor);
    Some(match verb {
        "pauses" => Fault::Pause { actor },
        "crashes" => {
            let memory = args.choice(("memory", "memory"), &MEMORIES);
            Fault::Crash { actor, memory: memory.unwrap_or(Memory::Lost) }
        }
        "cut" => Fault::Cut { actor, cut: cut(args) },
        "clock-rate" => Fault::ClockRate { actor, rate: rate(verb, args) },
        "clock-jump" => Fault::ClockJump { actor, jump: jump(args) },
        "node-silent" => {
            let detection = args.span("detection");
            if detection.is_none() {
                args.fail_missing("detection=");
            }
            Fault::NodeSilent { actor, detection: detection.unwrap_or_default() }
        }
        "node-removed" => Fault::NodeRemoved { actor },
        "check-critical" => {
            Fault::CheckCritical { actor, check: CheckId::from(args.next("a check")) }
        }
        "loses-answer" => Fault::LostAnswer { actor },
        "leader-lost" => Fault::Failover,
        _ => {
            let (_, fate) = *FATES.iter().find(|(word, _)| *word == verb)?;
            Fault::LeaderLost(leader_loss(fate, args))
        }
    })
}

pub(super) fn plan_words(plan: &Plan, words: &mut String) {
    push_span_unless_zero(words, "after", plan.after);
    if let Some(lasts) = plan.lasts {
        push_span(words, "for", lasts);
    }
    if let Some(repeats) = plan.repeats {
        push_number(words, "times", repeats.times.into());
        push_span(words, "every", repeats.every);
        push_span_unless_zero(words, "jitter", repeats.jitter);
    }
}

pub(super) fn link_words(link: &Link, words: &mut String) {
    words.push_str("links");
    push_span_unless_zero(words, "latency", link.latency);
    push_span_unless_zero(words, "jitter", link.jitter);
    for (name, number) in [("loss", link.loss), ("duplicates", link.duplicates)] {
        if number > 0 {
            push_number(words, name, number.into());
        }
    }
    if link.overtaking == Overtaking::Possible {
        push_param(words, "order", "free");
    }
}

pub(super) fn link_of(args: &mut Args<'_>) -> Link {
    Link {
        latency: args.span("latency").unwrap_or_default(),
        jitter: args.span("jitter").unwrap_or_default(),
        loss: args.number("loss").unwrap_or_default(),
        duplicates: args.number("duplicates").unwrap_or_default(),
        overtaking: args.choice(("order", "order"), &ORDERS).unwrap_or(Overtaking::Never),
    }
}

fn cut(args: &mut Args<'_>) -> Cut {
    Cut {
        way: args.choice(("way", "way"), &WAYS).unwrap_or(CutDirection::Both),
        mode: args.choice(("mode", "mode"), &MODES).unwrap_or(CutMode::Drop),
    }
}

fn leader_loss(fate: LeaderFate, args: &mut Args<'_>) -> LeaderLoss {
    let multiplier = args.number("multiplier").unwrap_or(RAFT_MULTIPLIER);
    if !(1..=10).contains(&multiplier) {
        args.invalid_value("number from 1 to 10", "multiplier", &multiplier.to_string());
    }
    LeaderLoss { fate, multiplier }
}

fn rate(verb: &str, args: &mut Args<'_>) -> u32 {
    let rate = args.next_number("a rate in thousandths");
    u32::try_from(rate).unwrap_or_else(|_| {
        args.invalid_value("rate", verb, &rate.to_string());
        0
    })
}

fn jump(args: &mut Args<'_>) -> Jump {
    match (args.span("ahead"), args.span("back")) {
        (Some(by), None) => Jump::Ahead(by),
        (None, Some(by)) => Jump::Back(by),
        _ => {
            args.fail_missing("either ahead= or back=");
            Jump::Ahead(Duration::ZERO)
        }
    }
}

fn push_span(words: &mut String, name: &str, span: Duration) {
    push_param(words, name, &span_word(span));
}

/// A span that is left out where it is zero.
fn push_span_unless_zero(words: &mut String, name: &str, span: Duration) {
    if !span.is_zero() {
        push_span(words, name, span);
    }
}
