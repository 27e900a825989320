//! Faults and links in words, and back: `pauses for=35s`, `cut way=from-server manner=swallows`.

use alloc::format;
use alloc::string::String;
use core::time::Duration;

use super::given::{Given, quoted, value};
use super::words::WordsError;
use crate::id::{ActorName, CheckId};
use crate::sim::{Cut, Fault, Jump, Link, Manner, Memory, Overtaking, Plan, Way};

const VERBS: [&str; 10] = [
    "pauses",
    "crashes",
    "cut",
    "clock-rate",
    "clock-jump",
    "node-silent",
    "node-removed",
    "check-critical",
    "loses-answer",
    "leader-lost",
];

pub(super) fn is_fault(verb: &str) -> bool {
    VERBS.contains(&verb)
}

pub(super) fn fault_words(fault: &Fault) -> String {
    match fault {
        Fault::Pause { .. } => "pauses".into(),
        Fault::Crash { memory: Memory::Kept, .. } => "crashes memory=kept".into(),
        Fault::Crash { memory: Memory::Lost, .. } => "crashes memory=lost".into(),
        Fault::Cut { cut, .. } => {
            let (way, manner) = (way_word(cut.way), manner_word(cut.manner));
            format!("cut way={way} manner={manner}")
        }
        Fault::ClockRate { rate, .. } => format!("clock-rate {rate}"),
        Fault::ClockJump { jump: Jump::Ahead(by), .. } => {
            format!("clock-jump ahead={}", span_word(*by))
        }
        Fault::ClockJump { jump: Jump::Back(by), .. } => {
            format!("clock-jump back={}", span_word(*by))
        }
        Fault::NodeSilent { detection, .. } => {
            format!("node-silent detection={}", span_word(*detection))
        }
        Fault::NodeRemoved { .. } => "node-removed".into(),
        Fault::CheckCritical { check, .. } => format!("check-critical {}", quoted(check.as_str())),
        Fault::LostAnswer { .. } => "loses-answer".into(),
        Fault::Failover => "leader-lost".into(),
    }
}

pub(super) fn fault_act(
    verb: &str,
    actor: &str,
    given: &mut Given<'_>,
) -> Result<Fault, WordsError> {
    let actor = ActorName::from(actor);
    Ok(match verb {
        "pauses" => Fault::Pause { actor },
        "crashes" => Fault::Crash { actor, memory: memory(given)? },
        "cut" => Fault::Cut { actor, cut: cut(given)? },
        "clock-rate" => {
            let rate = given.first_number("a rate in thousandths")?;
            let rate = u32::try_from(rate).map_err(|_| value(verb, &format!("{rate}"), "rate"))?;
            Fault::ClockRate { actor, rate }
        }
        "clock-jump" => Fault::ClockJump { actor, jump: jump(given)? },
        "node-silent" => {
            let detection = given.span("detection")?;
            let detection = detection.ok_or_else(|| given.needs("detection="))?;
            Fault::NodeSilent { actor, detection }
        }
        "node-removed" => Fault::NodeRemoved { actor },
        "check-critical" => {
            Fault::CheckCritical { actor, check: CheckId::from(given.first("a check")?) }
        }
        "loses-answer" => Fault::LostAnswer { actor },
        "leader-lost" => Fault::Failover,
        other => return Err(WordsError::Verb(other.into())),
    })
}

pub(super) fn plan_words(plan: &Plan) -> String {
    let mut words = String::new();
    if !plan.after.is_zero() {
        words.push_str(&format!(" after={}", span_word(plan.after)));
    }
    if let Some(lasts) = plan.lasts {
        words.push_str(&format!(" for={}", span_word(lasts)));
    }
    if let Some(repeats) = plan.repeats {
        words.push_str(&format!(" times={} every={}", repeats.times, span_word(repeats.every)));
        if !repeats.jitter.is_zero() {
            words.push_str(&format!(" jitter={}", span_word(repeats.jitter)));
        }
    }
    words
}

pub(super) fn link_words(link: &Link) -> String {
    let mut words = String::from("links");
    for (name, span) in [("latency", link.latency), ("jitter", link.jitter)] {
        if !span.is_zero() {
            words.push_str(&format!(" {name}={}", span_word(span)));
        }
    }
    for (name, number) in [("loss", link.loss), ("duplicates", link.duplicates)] {
        if number > 0 {
            words.push_str(&format!(" {name}={number}"));
        }
    }
    if link.overtaking == Overtaking::Possible {
        words.push_str(" order=free");
    }
    words
}

pub(super) fn link_of(given: &mut Given<'_>) -> Result<Link, WordsError> {
    Ok(Link {
        latency: given.span("latency")?.unwrap_or_default(),
        jitter: given.span("jitter")?.unwrap_or_default(),
        loss: given.number("loss")?.unwrap_or_default(),
        duplicates: given.number("duplicates")?.unwrap_or_default(),
        overtaking: match given.take("order") {
            None | Some("kept") => Overtaking::Never,
            Some("free") => Overtaking::Possible,
            Some(other) => return Err(value("order", other, "order")),
        },
    })
}

fn memory(given: &mut Given<'_>) -> Result<Memory, WordsError> {
    match given.take("memory") {
        None | Some("lost") => Ok(Memory::Lost),
        Some("kept") => Ok(Memory::Kept),
        Some(other) => Err(value("memory", other, "memory")),
    }
}

fn cut(given: &mut Given<'_>) -> Result<Cut, WordsError> {
    let way = match given.take("way") {
        None => Way::Both,
        Some(word) => {
            let ways = [Way::Both, Way::ToServer, Way::FromServer];
            let found = ways.into_iter().find(|way| way_word(*way) == word);
            found.ok_or_else(|| value("way", word, "way"))?
        }
    };
    let manner = match given.take("manner") {
        None => Manner::Swallows,
        Some(word) => {
            let manners = [Manner::Refuses, Manner::Swallows];
            let found = manners.into_iter().find(|manner| manner_word(*manner) == word);
            found.ok_or_else(|| value("manner", word, "manner"))?
        }
    };
    Ok(Cut { way, manner })
}

fn jump(given: &mut Given<'_>) -> Result<Jump, WordsError> {
    match (given.span("ahead")?, given.span("back")?) {
        (Some(by), None) => Ok(Jump::Ahead(by)),
        (None, Some(by)) => Ok(Jump::Back(by)),
        _ => Err(given.needs("either ahead= or back=")),
    }
}

fn way_word(way: Way) -> &'static str {
    match way {
        Way::Both => "both",
        Way::ToServer => "to-server",
        Way::FromServer => "from-server",
    }
}

fn manner_word(manner: Manner) -> &'static str {
    match manner {
        Manner::Refuses => "refuses",
        Manner::Swallows => "swallows",
    }
}

/// Seconds, with as many digits behind the point as it needs.
pub(super) fn span_word(span: Duration) -> String {
    let fraction = format!(".{:09}", span.subsec_nanos());
    let fraction = fraction.trim_end_matches('0').trim_end_matches('.');
    format!("{}{fraction}s", span.as_secs())
}
