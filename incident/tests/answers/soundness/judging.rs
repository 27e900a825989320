//! Holds an answer against the worlds that agree with what was shown.

use lictor_incident::parse_time;
use serde_json::Value;

use crate::soundness::clock::{Millis, millis, written};
use crate::soundness::cluster::Cluster;
use crate::soundness::world::KEYS;

/// Clocks and logs differ by this from the moment that they show.
const TOLERANCE: i64 = 300;

/// A claim that is false in one of the worlds.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) kind: &'static str,
    pub(crate) what: String,
    /// The number of the world: 0 for the one of which the part was shown.
    pub(crate) world: usize,
}

/// A world at the moment of an answer. After it, only what was shown has happened.
#[derive(Clone, Copy)]
pub(crate) struct Held<'a> {
    pub(crate) number: usize,
    pub(crate) cluster: &'a Cluster,
}

/// Compares the answer about a key with a world.
pub(crate) fn compare(key: &'static str, answer: &Value, held: Held<'_>, faults: &mut Vec<Fault>) {
    let truth = held.cluster.truth(key);
    let now = held.cluster.now() as i64;
    let mut fault = |kind, what: String| {
        faults.push(Fault { kind, what: format!("{key}: {what}"), world: held.number });
    };
    let kind = answer["kind"].as_str().unwrap_or_default();
    let is_open = truth.open_from.is_some_and(|from| from as i64 <= now + TOLERANCE);
    if kind == "free" && truth.holder.is_some() {
        fault("free-but-held", format!("{truth:?}"));
    } else if kind == "free" && !is_open {
        fault("free-but-delayed", format!("{truth:?} at {now}"));
    }
    if kind.ends_with("delayed") && truth.holder.is_some() {
        fault("delayed-but-held", format!("{truth:?}"));
    }
    if let Some(holder) = answer["holder"].as_str()
        && !held.cluster.has_held(key, holder)
    {
        fault("never-held", format!("{holder} has never held it"));
    }
    for asked in answer["asked"].as_array().into_iter().flatten() {
        let last = asked["last"].as_str().and_then(parse_time).map(millis);
        let session = asked["session"].as_str().unwrap_or_default();
        let is_it = |(granted, to, at): &(String, String, Millis)| {
            granted == key
                && to == session
                && last.is_some_and(|last| (last - *at as i64).abs() < 50)
        };
        let says_in_vain = asked["inVain"] != false;
        if says_in_vain && held.cluster.granted.iter().any(is_it) {
            fault("in-vain-but-granted", format!("{asked}"));
        }
    }
    let bound = |name: &str| answer[name].as_str().and_then(parse_time).map(millis);
    let wall = |time: Millis| written(time);
    // Who can acquire it already can do so from now on.
    let open_from = truth.open_from.map(|from| (from as i64, from.max(now as Millis) as i64));
    if let (Some(earliest), Some((_, from))) = (bound("earliest"), open_from)
        && earliest > from + TOLERANCE
    {
        let from = wall(from as Millis);
        fault("earliest-late", format!("earliest {}, but open from {from}", answer["earliest"]));
    }
    match (bound("latest"), open_from) {
        (Some(latest), Some((from, _))) if latest < from - TOLERANCE => {
            let from = wall(from as Millis);
            fault("latest-early", format!("latest {}, but open from {from}", answer["latest"]));
        }
        (Some(_), None) => {
            fault("latest-never", format!("latest {}, but it may never be", answer["latest"]));
        }
        _ => {}
    }
}

/// A sentence with one of these words is no claim.
const HEDGES: [&str; 27] = [
    "if",
    "whether",
    "when",
    "unless",
    "perhaps",
    "maybe",
    "may",
    "might",
    "could",
    "would",
    "cannot",
    "can't",
    "possible",
    "possibly",
    "probably",
    "likely",
    "seem",
    "seems",
    "assumed",
    "assumption",
    "assumes",
    "suppose",
    "supposed",
    "unknown",
    "unclear",
    "either",
    "missing",
];
/// Neither is one with "not" before one of these.
const HEDGES_AFTER_NOT: [&str; 7] = ["known", "say", "said", "show", "prove", "proven", "certain"];

fn is_hedged(sentence: &str) -> bool {
    let is_of_word = |char: char| char.is_alphanumeric() || char == '\'';
    let words = sentence.split(|char| !is_of_word(char)).filter(|word| !word.is_empty());
    let mut is_after_not = false;
    for word in words {
        let is_word = |hedge: &&str| hedge.eq_ignore_ascii_case(word);
        if HEDGES.iter().any(is_word) || is_after_not && HEDGES_AFTER_NOT.iter().any(is_word) {
            return true;
        }
        is_after_not = word.eq_ignore_ascii_case("not");
    }
    false
}

/// The sentences of an answer that claim something.
pub(crate) fn claims(strings: &[String]) -> Vec<String> {
    let lines = strings.iter().flat_map(|string| string.lines());
    // A quoted line of a log is evidence, not a claim.
    let lines = lines.filter(|line| !line.contains("agent.") && !line.contains("\"@"));
    let sentences = lines.flat_map(|line| line.split(". ").flat_map(|part| part.split("; ")));
    sentences.filter(|sentence| !is_hedged(sentence)).map(String::from).collect()
}

/// Compares what sentences claim about sessions and keys with a world.
pub(crate) fn compare_claims(claims: &[String], held: Held<'_>, faults: &mut Vec<Fault>) {
    let mut note = |kind, claim: &str| {
        faults.push(Fault { kind, what: format!("{claim:?}"), world: held.number });
    };
    for key in KEYS {
        let claims: Vec<&String> = claims.iter().filter(|claim| claim.contains(key)).collect();
        if !claims.is_empty() {
            compare_claims_about_key(key, &claims, held.cluster, &mut note);
        }
    }
    for id in held.cluster.sessions() {
        let after = |claim: &str| Some(claim.split_once(&id[..8])?.1.to_string());
        for (claim, after) in claims.iter().filter_map(|claim| Some((claim, after(claim)?))) {
            compare_claim_about_session(&id, &after, held.cluster, &mut |kind| note(kind, claim));
        }
    }
}

fn compare_claims_about_key(
    key: &str,
    claims: &[&String],
    cluster: &Cluster,
    fault: &mut dyn FnMut(&'static str, &str),
) {
    let truth = cluster.truth(key);
    let is_held = truth.holder.is_some();
    let now = cluster.now() as i64 + TOLERANCE;
    let is_open = !is_held && truth.open_from.is_some_and(|from| from as i64 <= now);
    for claim in claims {
        let lower = claim.to_lowercase();
        let says = |words: &str| lower.contains(words);
        if is_held && (says(&format!("nobody holds {key}")) || says("is free")) {
            fault("says-nobody-holds-it", claim);
        }
        if !is_open && (says("acquire is true now") || says("nothing delays")) {
            fault("says-it-can-be-acquired", claim);
        }
    }
}

/// Compares what follows the id of a session in a sentence with the session.
fn compare_claim_about_session(
    id: &str,
    after: &str,
    cluster: &Cluster,
    fault: &mut dyn FnMut(&'static str),
) {
    let is_claimed = |words: &str, except: &[&str]| {
        after
            .split_once(words)
            .is_some_and(|(_, rest)| !except.iter().any(|word| rest.trim_start().starts_with(word)))
    };
    if let Some((ttl, delay)) = cluster.limits(id) {
        // "It has no TTL in the list" is another claim.
        let of_list = ["member", "field", "value", "in", "given", "there", "listed"];
        if ttl.is_some() && is_claimed("has no TTL", &of_list) {
            fault("says-no-ttl");
        }
        if !delay.is_zero() && is_claimed("no lock-delay", &of_list) {
            fault("says-no-lock-delay");
        }
        let ended = ["has ended", "have ended", "ended at", "it ended"];
        if ended.iter().any(|words| is_claimed(words, &[])) {
            fault("says-ended");
        }
    }
    // The claims are held against the moment of this list.
    let of_list = ["in", "of", "that", "among"];
    let holds_none = is_claimed("holds no key", &of_list)
        || is_claimed("holds no key in the list of all keys", &[]);
    if holds_none && !cluster.held_by(id).is_empty() {
        fault("says-holds-no-key");
    }
}

/// A command must not end a session that lives, nor remove one from a semaphore whose contender key
/// it holds.
pub(crate) fn compare_command(command: &str, held: Held<'_>, faults: &mut Vec<Fault>) {
    let cluster = held.cluster;
    for id in cluster.sessions() {
        let ends_it = command.contains(&format!("session/destroy/{id}"));
        let is_document = command.contains("sem/.lock") && command.contains("Holders");
        let is_in_slot = cluster.truth("sem/.lock").holder.as_ref() == Some(&id);
        let evicts_it = is_document && is_in_slot && !command.contains(&id);
        if cluster.lives_by_name(&id) && ends_it || evicts_it {
            let what = format!("{command}: {id} lives");
            faults.push(Fault { kind: "command-harms", what, world: held.number });
        }
    }
}
