//! The strings of the incident panel in English.

use lictor_incident::TakenBy;
use lictor_view::language::english::counted;

use super::super::incident_words::{IncidentWords, LiveWords};

pub(super) const WORDS: IncidentWords = IncidentWords {
    heading: "Incident",
    hint: "Paste lists and logs of a real Consul: who can take the key, and when",
    first_visit: "Paste an incident",
    found: |keys, as_of, is_assumed| {
        let assumed = if is_assumed { ", a moment that is assumed" } else { "" };
        format!("{}, as of {as_of}{assumed}", counted(keys, "key", "keys"))
    },
    no_answer: |has_keys| {
        if has_keys {
            "No key in these lists is or was locked, and none is delayed or contended."
        } else {
            "UNKNOWN; no list of keys was shown: who holds which key is not known."
        }
    },
    paste: "Paste what you have: the session list, the keys, lines of the log. Prompts and \
            prose may stay in.",
    paste_more: "Add a list, a log, a decoded snapshot",
    helps: "What helps most: the answers of /v1/session/list and /v1/kv/?recurse, and the debug \
            log of the leader.",
    collect: "A script that collects it",
    collect_hint: "Save it as collect.sh, and run it where an agent answers, with the beginning of \
                   the keys in question: ssh HOST sh -s jobs/ < collect.sh > incident.txt. Then \
                   add incident.txt here. The script changes nothing and does not print the token.",
    private: "Nothing that you paste leaves this page.",
    files: "Add files",
    read: "Read it",
    reading: "Reading…",
    stop: "Stop",
    remove: |name| format!("Remove {name}"),
    clock_offset: |name| format!("Seconds to add to the times of {name}, if its clock is behind"),
    use_offset: |seconds| format!("Add {seconds} s"),
    patterns: |name| {
        format!("Patterns for lines of an application in {name} (empty: none is used)")
    },
    propose: "Use the proposed patterns",
    observed: "What the inputs show, in order",
    failed: "Reading has failed, by a fault of Lictor and not of your texts. They are not changed.",
    redact: "Replace values, tokens and addresses, so that the answers and the world can be shared",
    asked: |session, times, last, in_vain| {
        let asked = if in_vain { "Asked in vain" } else { "Asked for it" };
        format!("{asked}: {session}, {}, last at {last}", counted(times, "time", "times"))
    },
    picture: "Observed",
    picture_hint: "What the texts show; pale, what follows if nobody acts and the leader stays. \
                   Hatched: only possible. Wavy edge: no text bounds this begin or end. Thin \
                   line: nobody holds the key. Ticks: renewals. Circles below a lock: requests \
                   for it. Crosses: refused requests, and ends.",
    more: |count, rest| format!("Show {count} more of {rest}"),
    missing: "Missing",
    shows: |what| format!("It would show {what}."),
    lists: "When the lists were taken",
    taken: |list, as_of, by| {
        let by = match by {
            TakenBy::Header => "to the second, by its Date header",
            TakenBy::HeaderAndLog => "to the second, by its Date header, with a request in the log",
            TakenBy::Log => "by its request in the log",
            TakenBy::Given => "as given",
            TakenBy::WithOthers => "assumed, as of another list: nothing says when it was taken",
            TakenBy::EndOfLog => "assumed, as the log ends then: nothing says when it was taken",
            TakenBy::Now => {
                "assumed: nothing says when it was taken, and it counts as taken now. If it is \
                 older, everything may be earlier"
            }
        };
        format!("{list}: {as_of}, {by}")
    },
    if_destroyed: "If a session is destroyed",
    not_used: |lines| format!("{} not used", counted(lines, "line", "lines")),
    assumes: |count| format!("What the world assumes ({count})"),
    run_on: "Run on from here",
    run_on_hint: "Opens a world with exactly this state, in which time goes on",
    no_world: |why| format!("No world can begin here: {why}"),
    no_reader: "The part of this page that reads incidents cannot be loaded; a page that was saved \
                as one file has none. In a terminal, lictor-agent incident reads the same texts.",
    read_as_incident: "Read it as an incident",
    live: LIVE,
};

const LIVE: LiveWords = LiveWords {
    heading: "Live",
    hint: "Who can take the key of a running cluster, and when",
    asks: "Asking the program that follows the cluster…",
    no_program: "No cluster is followed here: only a page that this command serves follows one.",
    waits: "The program has no answer of the cluster yet.",
    gone: "The program that follows the cluster does not answer, so what is shown may be old. If \
           it has ended, start it again, and open the address that it prints.",
    refused: |reason| {
        format!(
            "The program that follows the cluster gives no answer: {reason}. What is shown \
                 may be old."
        )
    },
    follows: |what, address, has_log| {
        let log = if has_log {
            "with the log of this agent"
        } else {
            "without a log, so that no renewal is shown"
        };
        format!("Follows {what} at {address}, {log}.")
    },
    answered: |at| format!("Last answer of the cluster: {at}"),
    prefix: |prefix| format!("the keys that begin with {prefix:?}"),
    stale: |since, reason| match since {
        Some(since) => format!("No answer since {since}, so what is shown may be old: {reason}"),
        None => format!("No answer yet: {reason}"),
    },
    too_many: |keys, sessions| {
        format!(
            "The prefix has {} and {} that hold one, which is more than this page shows. Follow a \
             longer prefix:",
            counted(keys, "key", "keys"),
            counted(sessions, "session", "sessions"),
        )
    },
    smaller: |prefix, keys, sessions| {
        let (keys, sessions) =
            (counted(keys, "key", "keys"), counted(sessions, "session", "sessions"));
        format!("{prefix}: {keys}, {sessions}")
    },
    lines: "The last lines of the program, the newest first",
};
