//! Patterns that are proposed for the lines of an application: the words for what happened, and the
//! places of the time and of names. A line about an attempt or a failure has none.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use crate::clock_time::TimedLine;
use crate::pattern::{ClientEventKind, EventPattern, Name, Part, end_of_name};

/// The names that lists and the log of a server have.
#[derive(Debug, Default)]
pub(crate) struct KnownNames<'a> {
    pub(crate) keys: BTreeSet<&'a str>,
    pub(crate) sessions: BTreeSet<&'a str>,
    /// The names that clients gave to their sessions.
    pub(crate) clients: BTreeSet<&'a str>,
}

/// The verbs and nouns for a kind of event. A line about one has a verb and a noun, in any order
/// with few words between them.
struct Rule {
    kind: ClientEventKind,
    verbs: &'static [&'static str],
    nouns: &'static [&'static str],
}

const RULES: [Rule; 12] = [
    Rule {
        kind: ClientEventKind::Acquired,
        verbs: &["acquired", "obtained", "gained", "granted", "got", "took", "won"],
        nouns: &["lock", "leadership", "leader", "lease", "mutex", "semaphore", "mastership"],
    },
    Rule {
        kind: ClientEventKind::Acquired,
        verbs: &["became", "become", "promoted"],
        nouns: &["leader", "master", "leading"],
    },
    // "I am the leader with the lock", "now acting as leader"
    Rule {
        kind: ClientEventKind::Acquired,
        verbs: &["am", "acting"],
        nouns: &["leader", "master"],
    },
    Rule {
        kind: ClientEventKind::Lost,
        verbs: &["lost", "revoked", "expired", "invalidated"],
        nouns: &["lock", "leadership", "leader", "lease", "mutex", "semaphore", "session"],
    },
    Rule { kind: ClientEventKind::Lost, verbs: &["lost"], nouns: &["leaderelection", "election"] },
    // A presence is a lock that a process holds as long as it lives.
    Rule { kind: ClientEventKind::Acquired, verbs: &["succeeded"], nouns: &["presence"] },
    Rule { kind: ClientEventKind::Lost, verbs: &["lost"], nouns: &["presence"] },
    Rule { kind: ClientEventKind::Lost, verbs: &["longer"], nouns: &["leader", "master", "lock"] },
    Rule {
        kind: ClientEventKind::Lost,
        verbs: &["demoted", "stepping", "stopped"],
        nouns: &["self", "down", "leading", "leader"],
    },
    Rule {
        kind: ClientEventKind::Renewed,
        verbs: &["renewed", "refreshed"],
        nouns: &["session", "lock", "lease", "ttl", "leadership"],
    },
    Rule {
        kind: ClientEventKind::Released,
        verbs: &["released", "unlocked", "relinquished", "resigned"],
        nouns: &["lock", "leadership", "leader", "lease", "mutex", "semaphore"],
    },
    Rule { kind: ClientEventKind::Released, verbs: &["destroyed"], nouns: &["session"] },
];

/// The path of a renewal before the id of the session, as in the log of an HTTP client.
const RENEW_PATH: &str = "/session/renew/";

/// Words before or between the verb and the noun that deny the event.
const DENIALS: [&str; 12] = [
    "not", "never", "if", "when", "until", "before", "unless", "would", "avoid", "prevent", "isn",
    "t",
];
/// Such words for events of all kinds but a loss.
const ATTEMPTS: [&str; 21] = [
    "failed",
    "fail",
    "fails",
    "failure",
    "cannot",
    "unable",
    "trying",
    "try",
    "tries",
    "tried",
    "attempt",
    "attempting",
    "attempts",
    "waiting",
    "wait",
    "waits",
    "will",
    "could",
    "can",
    "once",
    "following",
];

/// What follows "leadership lost" in an error of Consul, which clients print: it is about a server.
const OF_A_SERVER: [&str; 2] = ["while", "committing"];

/// The largest distance between a verb and its noun in words; names do not count.
const APART: usize = 3;
/// How many words before the verb are searched for a denial.
const DENIAL: usize = 5;
/// The longest text between two parts of a pattern; a longer one becomes `{*}`.
const GAP_MAX: usize = 40;
/// The most patterns that are proposed for a text. If more are found, they are made again without
/// fixed words between their parts.
const PATTERNS_MAX: usize = 16;
/// The most patterns of a text that are counted.
const GROUPS_MAX: usize = 200;

struct Word<'a> {
    range: Range<usize>,
    text: &'a str,
    /// Whether it is not a later part of a name such as `db-3-eu`.
    is_own: bool,
    /// The word with digits, points and underscores around it.
    run: Range<usize>,
}

/// What is proposed for the lines of a text.
pub(crate) struct Proposed {
    /// Those with the most names first.
    pub(crate) patterns: Vec<EventPattern>,
    /// The kind of the event of each line; `None` for a line about none. A pattern that was made
    /// from one line can match another one that denies the event.
    pub(crate) kinds: Vec<Option<ClientEventKind>>,
}

/// The patterns for the lines of a text.
pub(crate) fn patterns(lines: &[TimedLine<'_>], known: &KnownNames<'_>) -> Proposed {
    let (mut groups, kinds) = groups(lines, known, false);
    if groups.len() > PATTERNS_MAX {
        groups = self::groups(lines, known, true).0;
    }
    groups.sort_by_key(|(_, count)| core::cmp::Reverse(*count));
    groups.truncate(PATTERNS_MAX);
    groups.sort_by_key(|(pattern, count)| core::cmp::Reverse((pattern.names(), *count)));
    Proposed { patterns: groups.into_iter().map(|(pattern, _)| pattern).collect(), kinds }
}

/// The patterns, each with the number of lines from which it was made, and the kind of each line.
fn groups(
    lines: &[TimedLine<'_>],
    known: &KnownNames<'_>,
    is_loose: bool,
) -> (Vec<(EventPattern, usize)>, Vec<Option<ClientEventKind>>) {
    let mut groups: Vec<(EventPattern, usize)> = Vec::new();
    let kinds = lines.iter().map(|line| {
        let pattern = pattern_of(line, known, is_loose)?;
        let kind = pattern.kind();
        match groups.iter().position(|(known, _)| *known == pattern) {
            Some(place) => groups[place].1 += 1,
            None if groups.len() < GROUPS_MAX => groups.push((pattern, 1)),
            None => {}
        }
        Some(kind)
    });
    let kinds = kinds.collect();
    (groups, kinds)
}

/// The pattern of a line about an event that happened; `None` for another line.
fn pattern_of(
    TimedLine { text: line, time_place, .. }: &TimedLine<'_>,
    known: &KnownNames<'_>,
    is_loose: bool,
) -> Option<EventPattern> {
    if !has_verb(line) && !line.contains(RENEW_PATH) {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    let mut pieces = alloc::vec![(time_place.clone(), Part::Time)];
    let words = words(line, &lower);
    names(line, &words, known, &mut pieces);
    let kind = phrase(line, &words, &mut pieces)?;
    pieces.sort_by_key(|(range, _)| range.start);
    let is_apart = pieces.windows(2).all(|pair| pair[0].0.end <= pair[1].0.start);
    is_apart.then(|| EventPattern::of_parts(kind, parts(line, &pieces, is_loose)))
}

/// Whether a word of the line begins with a verb of a rule, which is false for most lines.
fn has_verb(line: &str) -> bool {
    let mut before = b' ';
    line.bytes().enumerate().any(|(place, byte)| {
        let is_camel = before.is_ascii_lowercase() && byte.is_ascii_uppercase();
        let begins = byte.is_ascii_alphabetic() && (!before.is_ascii_alphabetic() || is_camel);
        before = byte;
        begins
            && RULES.iter().flat_map(|rule| rule.verbs).any(|verb| {
                verb.as_bytes()[0] == byte.to_ascii_lowercase()
                    && line.as_bytes()[place..]
                        .get(..verb.len())
                        .is_some_and(|word| word.eq_ignore_ascii_case(verb.as_bytes()))
            })
    })
}

fn words<'a>(line: &str, lower: &'a str) -> Vec<Word<'a>> {
    let (mut words, bytes): (Vec<Word<'a>>, &[u8]) = (Vec::new(), line.as_bytes());
    let is_of_run = |byte: u8| byte.is_ascii_alphanumeric() || b"_.$".contains(&byte);
    let (mut place, mut run) = (0, 0..0);
    while place < bytes.len() {
        if place >= run.end && is_of_run(bytes[place]) {
            let end = bytes[place..].iter().position(|byte| !is_of_run(*byte));
            run = place..end.map_or(bytes.len(), |end| place + end);
        }
        if !bytes[place].is_ascii_alphabetic() {
            place += 1;
            continue;
        }
        let start = place;
        place += 1;
        while place < bytes.len() && bytes[place].is_ascii_alphabetic() {
            if bytes[place].is_ascii_uppercase() && bytes[place - 1].is_ascii_lowercase() {
                break;
            }
            place += 1;
        }
        let text = lower.get(start..place).unwrap_or_default();
        let is_own = start == 0 || !(is_of_run(bytes[start - 1]) || bytes[start - 1] == b'-');
        words.push(Word { range: start..place, text, is_own, run: run.clone() });
    }
    words
}

/// Adds the places of the first session, the first key and the first client.
fn names(
    line: &str,
    words: &[Word<'_>],
    known: &KnownNames<'_>,
    pieces: &mut Vec<(Range<usize>, Part)>,
) {
    let mut found = [const { None::<Range<usize>> }; 3];
    let mut place = 0;
    while let Some(start) = line[place..].find(is_of_name).map(|start| place + start) {
        // It begins with a letter or a digit, so that it is not empty.
        let end = start + end_of_name(&line[start..]);
        place = end;
        for start in starts_of_values(&line[start..end]).map(|offset| start + offset) {
            let range = start..end;
            let is_taken = |(taken, _): &(Range<usize>, Part)| {
                taken.start < range.end && range.start < taken.end
            };
            if pieces.iter().any(is_taken) {
                continue;
            }
            let Some((name, range)) = name_of(line, range, words, known) else { continue };
            let known_place = &mut found[name as usize];
            if known_place.is_none() {
                *known_place = Some(range.clone());
                pieces.push((range, Part::Name(name)));
            }
            break;
        }
    }
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric()
}

/// The offsets at which a name may begin: 0, and those after the path of a renewal, `=` and `:`.
fn starts_of_values(text: &str) -> impl Iterator<Item = usize> + '_ {
    let after = text.char_indices().filter(|(_, char)| matches!(char, '=' | ':'));
    let session = text.find(RENEW_PATH).map(|place| place + RENEW_PATH.len());
    [0].into_iter().chain(session).chain(after.map(|(place, _)| place + 1))
}

/// The kind and the place of a name in a range of the line; `None` if neither the known names nor
/// the words before it show that it is one.
fn name_of(
    line: &str,
    range: Range<usize>,
    words: &[Word<'_>],
    known: &KnownNames<'_>,
) -> Option<(Name, Range<usize>)> {
    let text = &line[range.clone()];
    let place = words.partition_point(|word| word.range.end <= range.start);
    let before = &words[place.saturating_sub(3)..place];
    let has = |names: &[&str]| before.iter().any(|word| names.contains(&word.text));
    let is_end = |id: &&str| !text[id.len()..].starts_with(is_of_name);
    if let Some(id) = text.get(..36).filter(|id| is_uuid(id)).filter(is_end) {
        let is_session = known.sessions.contains(id) || has(&["session", "sessionid", "sid"]);
        return is_session.then_some((Name::Session, range.start..range.start + 36));
    }
    if known.keys.contains(text) {
        return Some((Name::Key, range));
    }
    if known.clients.contains(text) && !is_of_rule(text) {
        return Some((Name::Client, range));
    }
    let is_path = text.contains('/')
        && !text.starts_with('/')
        && !["//", ":", "?", "@", "="].iter().any(|other| text.contains(other));
    let is_of_lock = has(&["lock", "key", "leader", "leadership", "lease", "mutex", "semaphore"]);
    if is_path && is_of_lock {
        return Some((Name::Key, range));
    }
    // `key=leader`, `"lock":"leader"`
    let label = before.last().filter(|word| ["key", "lock", "path"].contains(&word.text))?;
    let between = &line[label.range.end..range.start];
    let is_value = between.contains(['=', ':'])
        && between.chars().all(|it| matches!(it, '=' | ':' | '"' | '\'' | ' '));
    // `lock=acquired` names no key.
    let is_name = (label.text == "key" || !is_of_rule(text)) && text.starts_with(is_of_name);
    (is_value && is_name).then_some((Name::Key, range))
}

fn is_of_rule(text: &str) -> bool {
    RULES.iter().flat_map(|rule| rule.verbs.iter().chain(rule.nouns)).any(|word| *word == text)
}

fn is_uuid(text: &str) -> bool {
    text.bytes().enumerate().all(|(place, byte)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// Adds the words for what happened, and returns its kind; `None` if nothing did.
fn phrase(
    line: &str,
    words: &[Word<'_>],
    pieces: &mut Vec<(Range<usize>, Part)>,
) -> Option<ClientEventKind> {
    if let Some(found) = answered_renewal(line, pieces) {
        return Some(found);
    }
    let is_free = |word: &&Word<'_>| {
        !pieces
            .iter()
            .any(|(taken, _)| taken.start < word.range.end && word.range.start < taken.end)
    };
    let has_client = pieces.iter().any(|(_, part)| *part == Part::Name(Name::Client));
    let words: Vec<&Word<'_>> = words.iter().filter(is_free).collect();
    for (place, word) in words.iter().enumerate() {
        for rule in RULES.iter().filter(|rule| rule.verbs.contains(&word.text)) {
            let Some(noun) = noun_of(rule, line, &words, place) else { continue };
            let (first, last) = (place.min(noun), place.max(noun));
            let denied = words[first.min(place.saturating_sub(DENIAL))..last].iter().any(|word| {
                let is_not_yet =
                    rule.kind != ClientEventKind::Lost && ATTEMPTS.contains(&word.text);
                is_not_yet || DENIALS.contains(&word.text)
            });
            let mut after = words[last + 1..].iter().map(|word| word.text);
            let by_other = after.clone().next() == Some("by") && !has_client;
            let is_of_server = OF_A_SERVER.iter().all(|word| after.next() == Some(word));
            if denied || is_of_server || (by_other && rule.verbs.contains(&"acquired")) {
                return None;
            }
            for place in [first, last] {
                let range = words[place].range.clone();
                pieces.push((range.clone(), Part::Literal(line[range].into())));
            }
            return Some(rule.kind);
        }
    }
    None
}

/// The place of the noun of a verb. As the names of loggers and of members of JSON can be nouns, it
/// is the nearest one, and of two equally near ones the one with only spaces between.
fn noun_of(rule: &Rule, line: &str, words: &[&Word<'_>], verb: usize) -> Option<usize> {
    let is_near = |place: usize| {
        let between = &words[place.min(verb) + 1..=place.max(verb)];
        place != verb && between.iter().filter(|word| word.is_own).count() <= APART
    };
    let is_whole = |one: &Word<'_>, other: &Word<'_>| {
        let run = line[one.run.clone()].trim_end_matches('.');
        run.len() == one.range.len() || one.run == other.run
    };
    let is_noun = |place: usize| {
        let (verb, noun) = (words[verb], words[place]);
        let text = noun.text.strip_suffix('s').unwrap_or(noun.text);
        let is_noun = rule.nouns.contains(&noun.text) || rule.nouns.contains(&text);
        is_noun && is_whole(verb, noun) && is_whole(noun, verb)
    };
    let nouns = (0..words.len()).filter(|place| is_noun(*place) && is_near(*place));
    nouns.rev().min_by_key(|noun| {
        let (first, last) = (words[verb.min(*noun)], words[verb.max(*noun)]);
        let gap = line.get(first.range.end..last.range.start).unwrap_or_default();
        (noun.abs_diff(verb), !gap.trim().is_empty())
    })
}

/// `"PUT /v1/session/renew/ID HTTP/1.1" 200`, as HTTP clients write it after an answer.
fn answered_renewal(line: &str, pieces: &mut Vec<(Range<usize>, Part)>) -> Option<ClientEventKind> {
    let (session, _) =
        pieces.iter().find(|(_, part)| *part == Part::Name(Name::Session)).cloned()?;
    line[..session.start].ends_with(RENEW_PATH).then_some(())?;
    let (_, status) = line[session.end..].split_once("HTTP/1.1\" 200")?;
    let end = line.len() - status.len();
    let path = line[..session.start].rsplit(char::is_whitespace).next().unwrap_or_default();
    pieces.push((session.start - path.len()..session.start, Part::Literal(path.into())));
    pieces.push((end - 13..end, Part::Literal(line[end - 13..end].into())));
    Some(ClientEventKind::Renewed)
}

/// The parts of the pattern: the pieces of the line, with what is between them or `{*}` for it.
fn parts(line: &str, pieces: &[(Range<usize>, Part)], is_loose: bool) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut literal = String::new();
    let flush = |literal: &mut String, parts: &mut Vec<Part>| {
        if !literal.is_empty() {
            parts.push(Part::Literal(core::mem::take(literal)));
        }
    };
    let mut end = 0;
    let mut has_phrase = false;
    let is_fixed = |gap: &str, part: &Part, has_phrase: bool| {
        let has_digit = gap.contains(|it: char| it.is_ascii_digit());
        let is_fixed = (has_phrase && *part != Part::Time && !is_loose)
            || !gap.contains(char::is_alphanumeric);
        is_fixed && !has_digit && gap.len() <= GAP_MAX
    };
    for (place, (range, part)) in pieces.iter().enumerate() {
        let gap = &line[end..range.start];
        let is_bounded = pieces.get(place + 1).is_some_and(|(next, next_part)| {
            is_fixed(&line[range.end..next.start], next_part, has_phrase)
        });
        let tail = match part {
            Part::Time => tail(gap, true),
            Part::Name(_) if is_bounded => tail(gap, true),
            Part::Name(_) => tail_with_word(gap),
            Part::Literal(_) | Part::Any => tail(gap, false),
        };
        if place == 0 {
            let is_bare = *part == Part::Time && !gap.ends_with(['"', '=', ':']);
            literal.push_str(if is_bare { "" } else { tail.trim_start() });
        } else if tail.len() == gap.len() || is_fixed(gap, part, has_phrase) {
            literal.push_str(gap);
        } else {
            let head = gap[..gap.len() - tail.len()].chars().next();
            literal.extend(head.filter(|head| !head.is_alphanumeric()));
            flush(&mut literal, &mut parts);
            parts.push(Part::Any);
            literal.push_str(tail);
        }
        match part {
            Part::Literal(text) => {
                has_phrase = true;
                literal.push_str(text);
            }
            part => {
                flush(&mut literal, &mut parts);
                parts.push(part.clone());
            }
        }
        end = range.end;
    }
    flush(&mut literal, &mut parts);
    parts
}

/// As [`tail`] of a name, with the word before it, as any other word could be the name.
fn tail_with_word(gap: &str) -> &str {
    let called = tail(gap, true);
    let words = gap.trim_end_matches(|it: char| !it.is_alphanumeric());
    let word = words.trim_end_matches(char::is_alphabetic);
    if word.len() < words.len() && called.len() < gap.len() - word.len() {
        return &gap[word.len()..];
    }
    called
}

/// The end of a text between two parts that is kept: the last sign, and before a name what it is
/// called, such as `session=`.
fn tail(gap: &str, is_name: bool) -> &str {
    let signs = gap.trim_end_matches(|it: char| !it.is_alphanumeric());
    let is_called = |it: char| it.is_alphabetic() || matches!(it, '_' | '@');
    let start = match gap[signs.len()..].contains(['=', ':', '/']) && is_name {
        true => {
            let name = signs.trim_end_matches(is_called);
            name.strip_suffix('"').unwrap_or(name).len()
        }
        false => gap.char_indices().next_back().map_or(0, |(place, _)| place),
    };
    &gap[start..]
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    const S: &str = "4154283e-a8f4-f7f1-22ce-3de43166da77";

    fn proposed(line: &str) -> Option<String> {
        let mut known = KnownNames::default();
        known.clients.insert("worker-a");
        let line = line.replace("UUID", S);
        let timed = TimedLine::new(1, &line)?;
        let start = timed.time_place.start;
        let pattern = patterns(&[timed], &known).patterns.first()?.clone();
        assert!(pattern.find(&line, start).is_some(), "{pattern} does not find {line}");
        assert_eq!(pattern.to_string().parse::<EventPattern>().as_ref(), Ok(&pattern));
        Some(pattern.to_string())
    }

    #[test]
    fn the_words_of_a_line_become_a_pattern() {
        for (line, expected) in [
            (
                "2026-11-20T09:10:31.123Z INFO worker-a acquired lock jobs/nightly/leader",
                "acquired={time} {*} {client} acquired lock {key}",
            ),
            (
                "2026-11-20T09:10:31.123Z INFO w acquired lock jobs/nightly/leader",
                "acquired={time} {*} acquired lock {key}",
            ),
            (
                "2026/11/20 09:10:31 [INFO] (dedup) acquired lock 'consul-template/dedup/a/lock'",
                "acquired={time} {*} acquired lock '{key}",
            ),
            (
                "2026-11-20T09:10:31.123Z [WARN]  core: leadership lost, stopping active operation",
                "lost={time} {*} leadership lost",
            ),
            (
                "2026-11-20 09:10:31,123 INFO: promoted self to leader by acquiring session lock",
                "acquired={time} {*} promoted self to leader",
            ),
            (
                "I1120 09:10:31.123456   1 leaderelection.go:258] successfully acquired lease a/b",
                "acquired={time} {*} acquired lease {key}",
            ),
            (
                r#"{"pid":1,"time":1795165831123,"msg":"session renewed","session":"UUID"}"#,
                r#"renewed="time":{time},{*}"session renewed","session":"{session}"#,
            ),
            (
                r#"2026-11-20 09:10:31,123 DEBUG "PUT /v1/session/renew/UUID HTTP/1.1" 200 -"#,
                r#"renewed={time} {*} /v1/session/renew/{session} HTTP/1.1" 200"#,
            ),
            (
                "09:10:31.123 [main] WARN  c.e.LockManager - Lost lock on jobs/nightly/leader",
                "lost={time} {*} Lost lock on {key}",
            ),
            (
                "time=2026-11-20T09:10:31Z level=INFO msg=lock_acquired key=leader session=UUID",
                "acquired=time={time} {*}=lock_acquired key={key} session={session}",
            ),
            (
                "2026-11-20T09:10:31Z INFO key jobs/a is mine: acquired lock",
                "acquired={time} {*}key {key} {*} acquired lock",
            ),
            (
                "2026-11-20T09:10:31Z I am (db-3-eu-1-main), the leader with the lock",
                "acquired={time} {*} am {*} leader",
            ),
            (
                "2026-11-20T09:10:31Z lock jobs/a released by worker-a",
                "released={time} lock {key} released by {client}",
            ),
        ] {
            assert_eq!(proposed(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn what_was_tried_or_failed_or_is_of_another_thing_has_no_pattern() {
        for words in [
            "failed to acquire lock jobs/a",
            "could not renew session UUID",
            "lock jobs/a not acquired",
            "lock was never acquired",
            "waiting until lock is released",
            "acquired connection from the pool",
            "c.e.LockManager - acquired connection",
            "certificate renewed",
            "version 1.2 released",
            "lock jobs/a acquired by n2",
            "found the lost and found",
            "I am following the leader",
            "Error: leadership lost while committing log",
        ] {
            let line = alloc::format!("2026-11-20T09:10:31Z INFO {words}");
            assert_eq!(proposed(&line), None, "{words}");
        }
        assert_eq!(proposed("acquired lock jobs/a"), None);
    }
}
