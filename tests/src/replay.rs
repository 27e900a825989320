//! Replays a vector against a server in virtual time and returns the differences in answers and in
//! their times.
//!
//! Each step is performed at its recorded time. If a read returns later than recorded (a server
//! adds up to a sixteenth to a wait, BLK-03), all later steps are delayed by the difference, so
//! that no interval between two steps gets shorter.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use lictor_core::http::{HttpRequest, HttpResponse, path_escaped};
use lictor_core::time::Instant;
use percent_encoding::percent_decode_str;

use crate::compare::{CONTENT_TYPE, Comparer, IndexRef, fill_ids, fill_indexes, index_refs};
use crate::json::RawJson;
use crate::server::{ServerAnswer, VirtualServer};
use crate::vector::{Recorded, RecordedBody, RecordedRequest, Vector, VectorStep};

/// A replay stops after this many differences, because most of the later ones would follow from
/// them.
const DIFFERENCES_MAX: usize = 5;

/// A recorded read counts as timed out if it took its wait, or at most this much less.
const RECORDING_GRAIN: Duration = Duration::from_millis(20);

/// How much later than recorded an answer may come. Recorded times have the delays of the machine
/// that recorded them.
const RECORDING_DELAY: Duration = Duration::from_millis(250);

/// How much earlier than recorded an answer may come: the time that the recorded agent took to
/// synchronise a check with its server (CAT-09).
const SYNC_DELAY: Duration = Duration::from_millis(600);

/// How long to wait for a read after its recorded end.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// Shorter waits are not checked: a request alone takes that long.
const WAIT_MIN: Duration = Duration::from_millis(200);

/// The longest wait that a server grants.
const WAIT_MAX: Duration = Duration::from_secs(600);

/// A difference between a recorded answer and that of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerDifference {
    /// The number of the step, from 0.
    pub step: usize,
    pub what: String,
}

impl fmt::Display for AnswerDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}: {}", self.step, self.what)
    }
}

/// Replays a vector on a server that was just started. The result is empty if it answers as
/// recorded.
pub fn replay(vector: &Vector, server: &mut impl VirtualServer) -> Vec<AnswerDifference> {
    replay_compared(vector, server, Comparer::new(vector))
}

/// Replays a vector on a server of another version, whose content types may differ (V22-08).
pub fn replay_on_another_version(
    vector: &Vector,
    server: &mut impl VirtualServer,
) -> Vec<AnswerDifference> {
    replay_compared(vector, server, Comparer::new(vector).without(CONTENT_TYPE))
}

fn replay_compared(
    vector: &Vector,
    server: &mut impl VirtualServer,
    comparer: Comparer,
) -> Vec<AnswerDifference> {
    let origin = server.now();
    let mut run = Run { server, comparer, origin, reads: BTreeMap::new(), problems: Vec::new() };
    let mut differences = Vec::new();
    for (number, step) in vector.steps.iter().enumerate() {
        run.step(step);
        let problems = run.problems.drain(..);
        differences.extend(problems.map(|what| AnswerDifference { step: number, what }));
        if differences.len() >= DIFFERENCES_MAX {
            break;
        }
    }
    differences
}

struct Run<'a, S> {
    server: &'a mut S,
    comparer: Comparer,
    /// The time of the server that corresponds to the start of the vector; later by all delays.
    origin: Instant,
    /// Reads in progress, by their number in the vector.
    reads: BTreeMap<u64, Sent<'a>>,
    problems: Vec<String>,
}

/// A pending request.
struct Sent<'a> {
    number: u64,
    at: Instant,
    recorded_at: u64,
    request: &'a RecordedRequest,
}

impl<'a, S: VirtualServer> Run<'a, S> {
    fn step(&mut self, step: &'a VectorStep) {
        if let Some(at) = step.at() {
            self.pass_until(at);
        }
        match step {
            VectorStep::Call { at, req, done, res } => {
                if let Some(sent) = self.send(*at, req) {
                    self.finish(&sent, *done, res);
                }
            }
            VectorStep::Start { id, at, req } => {
                let sent = self.send(*at, req);
                self.reads.extend(sent.map(|sent| (*id, sent)));
            }
            VectorStep::Blocked { id, .. } => self.blocked(*id),
            VectorStep::Finish { id, done, res } => {
                if let Some(sent) = self.reads.remove(id) {
                    self.finish(&sent, *done, res);
                }
            }
        }
    }

    /// Advances to the time of a step; if that is over, all later steps are delayed.
    fn pass_until(&mut self, at: u64) {
        let due = self.origin.plus(Duration::from_millis(at));
        let late = self.server.now().since(due);
        if late.is_zero() {
            self.server.advance_to(due);
        } else {
            self.origin = self.origin.plus(late);
        }
    }

    fn blocked(&mut self, id: u64) {
        let Some(sent) = self.reads.get(&id) else {
            return;
        };
        if let Some(ServerAnswer { at, response }) = self.server.answer(sent.number) {
            let body = String::from_utf8_lossy(&response.body);
            let waited = at.since(sent.at);
            self.problems.push(format!(
                "read {id} ({}): expected to be blocked, got status {} after {waited:?}: {body}",
                sent.request.path, response.status
            ));
        }
    }

    fn finish(&mut self, sent: &Sent<'_>, done: u64, recorded: &Recorded) {
        let took = Duration::from_millis(done.saturating_sub(sent.recorded_at));
        let wait = wait_of(&sent.request.path);
        let timeout = ANSWER_TIMEOUT + took / 5 + wait.unwrap_or_default() / 10;
        let until = sent.at.plus(took + timeout).max(self.server.now());
        let Some(answer) = self.answer(sent.number, until) else {
            let expected = format!("an answer after {took:?}");
            return self.problems.push(format!("expected {expected}, got none"));
        };
        let took_here = answer.at.since(sent.at);
        let problems = self.comparer.answer(sent.request, recorded, &answer.response);
        self.problems.extend(problems);
        let due = self.origin.plus(Duration::from_millis(done));
        self.problems.extend(match wait {
            Some(wait) if wait < WAIT_MIN => None,
            Some(wait) if took + RECORDING_GRAIN >= wait => waited_out(wait, took_here),
            _ => punctual(due, answer.at),
        });
    }

    /// Advances from one deadline to the next until an answer arrives.
    fn answer(&mut self, number: u64, until: Instant) -> Option<ServerAnswer> {
        let mut last = None;
        loop {
            if let Some(answer) = self.server.answer(number) {
                return Some(answer.clone());
            }
            let next = self.server.next_deadline().filter(|next| *next <= until);
            if next.is_none() || next == last && next <= Some(self.server.now()) {
                return None;
            }
            self.server.advance_to(next?);
            last = next;
        }
    }

    // --- Requests ------------------------------------------------------------------------------

    fn send(&mut self, recorded_at: u64, request: &'a RecordedRequest) -> Option<Sent<'a>> {
        for named in index_refs(request) {
            if let Err(problem) = self.know(named, request) {
                self.problems.push(format!("@{}@ read separately: {problem}", named.recorded));
                return None;
            }
        }
        let body = self.body(request);
        let filled = HttpRequest {
            method: request.method.clone(),
            target: self.filled(&request.path),
            headers: headers(request, body.len()),
            body,
        };
        let at = self.server.now();
        let number = self.server.send(filled);
        Some(Sent { number, at, recorded_at, request })
    }

    fn filled(&self, text: &str) -> String {
        fill_indexes(&fill_ids(text, &self.comparer.ids), &self.comparer.indexes)
    }

    fn body(&self, request: &RecordedRequest) -> Vec<u8> {
        match &request.body {
            Some(RecordedBody::Text(text)) => self.filled(text).into_bytes(),
            Some(RecordedBody::Bytes(bytes)) => bytes.clone(),
            None => Vec::new(),
        }
    }

    /// Pairs a recorded index that is in no answer so far with that of the server, by a separate
    /// request, as the recorder did.
    fn know(&mut self, named: IndexRef, request: &RecordedRequest) -> Result<(), String> {
        if self.comparer.indexes.actual(named.recorded).is_some() {
            return Ok(());
        }
        let path = fill_ids(&request.path, &self.comparer.ids);
        let target = if path.starts_with("/v1/txn") {
            entry_of(request, named.recorded).ok_or("no operation has it")?
        } else {
            listing_of(&path)
        };
        let method = "GET".to_owned();
        let is_entry = target.starts_with("/v1/kv/") && !target.contains('?');
        let (headers, body) = (Vec::new(), Vec::new());
        let number = self.server.send(HttpRequest { method, target, headers, body });
        let answer = self.server.answer(number).ok_or("got no answer")?;
        let index = if is_entry && answer.response.status == 200 {
            modify_index(&answer.response.body)
        } else {
            header_index(&answer.response)
        };
        self.comparer.indexes.pair(named.recorded, index.ok_or("the answer shows no index")?)
    }
}

fn headers(request: &RecordedRequest, length: usize) -> Vec<(String, String)> {
    let written = request.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
    let has_length = match request.method.as_str() {
        "PUT" | "POST" => true,
        "GET" => false,
        _ => request.body.is_some(),
    };
    let length = ("Content-Length".to_owned(), length.to_string());
    written.chain((has_length && !request.is_chunked()).then_some(length)).collect()
}

/// The path of a read of the same key or list that does not wait.
fn listing_of(path: &str) -> String {
    let (base, query) = path.split_once('?').unwrap_or((path, ""));
    let keeps = |name: &str| ["recurse", "keys", "separator"].contains(&name);
    let kept: Vec<_> =
        query.split('&').filter(|pair| pair.split('=').next().is_some_and(keeps)).collect();
    if kept.is_empty() { base.to_owned() } else { format!("{base}?{}", kept.join("&")) }
}

/// The path of the key of a transaction's operation that has the index; `None` if there is none.
fn entry_of(request: &RecordedRequest, recorded: u64) -> Option<String> {
    let Some(RecordedBody::Text(body)) = &request.body else {
        return None;
    };
    let RawJson::List(operations) = RawJson::parse(&quote_refs(body)).ok()? else {
        return None;
    };
    let written = format!("@{recorded}");
    let key =
        operations.iter().filter_map(|operation| operation.get("KV")).find_map(|entry| {
            entry
                .get("Index")?
                .as_text()?
                .starts_with(&written)
                .then(|| entry.get("Key")?.as_text())
        })??;
    Some(format!("/v1/kv/{}", path_escaped(key)))
}

/// A body with its bare `@n@` as texts, so that it is JSON.
fn quote_refs(body: &str) -> String {
    let mut quoted = String::new();
    for (index, part) in body.split('@').enumerate() {
        let (before, after) = if index % 2 == 0 { ("", "") } else { ("\"@", "@\"") };
        quoted.extend([before, part, after]);
    }
    quoted
}

fn modify_index(body: &[u8]) -> Option<u64> {
    let json = RawJson::parse(str::from_utf8(body).ok()?).ok()?;
    match json {
        RawJson::List(entries) => match entries.first()?.get("ModifyIndex")? {
            RawJson::Whole(index) => u64::try_from(*index).ok(),
            _ => None,
        },
        _ => None,
    }
}

fn header_index(response: &HttpResponse) -> Option<u64> {
    let mut headers = response.headers.iter();
    let (_, index) = headers.find(|(name, _)| name.eq_ignore_ascii_case("x-consul-index"))?;
    index.parse().ok()
}

// --- Time --------------------------------------------------------------------------------------

/// How long a blocking read asks to wait, up to the server's limit. `None` if the request does not
/// block, or leaves the time to the server.
pub fn wait_of(path: &str) -> Option<Duration> {
    let query = path.split_once('?')?.1;
    let value = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let (_, value) = pairs.find(|(key, _)| *key == name)?;
        percent_decode_str(value).decode_utf8().ok()
    };
    let wait = value("wait")?;
    let number = wait.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match &wait[number.len()..] {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        _ => return None,
    };
    let wait = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
    let is_blocking = !wait.is_zero() && !value("index")?.is_empty();
    is_blocking.then_some(wait.min(WAIT_MAX))
}

/// What is wrong with the time of a read that timed out when it was recorded: it must take its
/// wait, and may take its jitter more.
fn waited_out(wait: Duration, took: Duration) -> Option<String> {
    let is_fine = took >= wait && took <= wait + wait / 16;
    let expected = format!("to wait its {wait:?} out, a sixteenth more at most");
    (!is_fine).then(|| format!("time: expected {expected}, got {took:?}"))
}

/// What is wrong with the time of any other answer, which must come at about its recorded time.
fn punctual(due: Instant, at: Instant) -> Option<String> {
    let is_fine = due.since(at) <= SYNC_DELAY && at.since(due) <= RECORDING_DELAY;
    (!is_fine).then(|| format!("time: expected an answer at about {due}, got it at {at}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_parsed_as_the_server_parses_it() {
        let wait = |query: &str| wait_of(&format!("/v1/kv/a?{query}"));
        assert_eq!(wait("index=@8+5@&wait=1.5s"), Some(Duration::from_millis(1500)));
        assert_eq!(wait("wait=20m&index=8"), Some(WAIT_MAX));
        for none in [
            "wait=1s",
            "wait=1s&index=",
            "index=1&wait=soon",
            "index=1",
            "index=1&wait=-1s",
            "index=1&wait=0s",
        ] {
            assert_eq!(wait(none), None, "{none}");
        }
    }

    #[test]
    fn a_timed_out_read_may_take_a_sixteenth_longer() {
        let check = |took| waited_out(Duration::from_secs(16), Duration::from_millis(took));
        assert_eq!([check(16_000), check(17_000)], [None, None]);
        assert!(check(15_999).is_some() && check(17_001).is_some());
    }

    #[test]
    fn other_answers_may_be_off_by_the_recording_delay() {
        let check = |at| punctual(Instant::from_millis(1_000), Instant::from_millis(at));
        assert_eq!([check(400), check(1_250)], [None, None]);
        assert!(check(399).is_some() && check(1_251).is_some());
    }

    #[test]
    fn separate_reads_do_not_wait() {
        let path = "/v1/kv/a?recurse&index=@4@&wait=3s&separator=/";
        assert_eq!(listing_of(path), "/v1/kv/a?recurse&separator=/");
        assert_eq!(listing_of("/v1/session/list?index=@4@"), "/v1/session/list");
    }
}
