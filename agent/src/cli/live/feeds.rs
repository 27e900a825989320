//! What a cluster sends while it is followed: the answers of a blocking query, and the log of the
//! agent. After a failure each tries again, with pauses that grow to half a minute.

use std::io::{BufRead as _, BufReader};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::client::{Client, HttpAnswer};
use super::passes::without_values;

/// Between the beginnings of two blocking queries there is at least this time, and more if they
/// return at once without a change.
const PAUSE_MIN: Duration = Duration::from_millis(500);
const PAUSE_MAX: Duration = Duration::from_secs(5);
/// The pauses after failures.
const RETRY_MIN: Duration = Duration::from_secs(1);
const RETRY_MAX: Duration = Duration::from_secs(30);
/// A log without a line for so long after each blocking query was written is not sent any more.
const SILENCE: Duration = Duration::from_secs(30);

/// A message of a feed.
#[derive(Debug)]
pub(super) enum Feed {
    /// The answer of the blocking query, as a text for the reader of incidents.
    Answer {
        text: String,
        date: Option<Timestamp>,
        is_changed: bool,
    },
    /// The index of the answers has decreased: they are of another state, as after a restart
    /// without data or the restore of a snapshot.
    IndexBack {
        before: u64,
        now: u64,
    },
    /// The blocking query has failed.
    NoAnswer(String),
    /// The agent sends its log from here on.
    LogBegins,
    LogLine(String),
    /// The agent sends its log no more.
    LogEnds(String),
    /// The agent does not send its log, and is not asked again.
    NoLog(String),
}

/// Sends the answers of a blocking query on a path until nobody receives them.
pub(super) fn watch(client: Arc<Client>, path: String, wait: Duration, feed: Sender<Feed>) {
    thread::spawn(move || {
        let mut watch = Watch { path, wait, index: 0, last: 0, body: None };
        let (mut pause, mut retry) = (PAUSE_MIN, RETRY_MIN);
        loop {
            let started = Instant::now();
            let sent = match watch.next(&client, &feed) {
                Ok(answer) => {
                    let Feed::Answer { is_changed, .. } = answer else { return };
                    let is_early = !is_changed && started.elapsed() < wait / 2;
                    pause = if is_early { (pause * 2).min(PAUSE_MAX) } else { PAUSE_MIN };
                    retry = RETRY_MIN;
                    feed.send(answer)
                }
                Err(reason) => {
                    // Another server may wait for an index that it has only in a while.
                    watch.index = 0;
                    pause = retry;
                    retry = (retry * 2).min(RETRY_MAX);
                    feed.send(Feed::NoAnswer(reason))
                }
            };
            if sent.is_err() {
                return;
            }
            thread::sleep(pause.saturating_sub(started.elapsed()));
        }
    });
}

struct Watch {
    path: String,
    wait: Duration,
    /// The index to wait for; 0 to be answered at once.
    index: u64,
    /// The index of the last answer.
    last: u64,
    body: Option<String>,
}

impl Watch {
    fn next(&mut self, client: &Client, feed: &Sender<Feed>) -> Result<Feed, String> {
        let mode = if client.is_stale() { "stale" } else { "consistent" };
        let parameters = match self.index {
            0 => mode.to_owned(),
            index => format!("{mode}&index={index}&wait={}s", self.wait.as_secs()),
        };
        let url = client.url(&self.path, Some(&parameters));
        // Consul adds up to a sixteenth of the time to wait.
        let limit = client.timeout() + self.wait + self.wait / 16;
        let answer = client.get_within(&url, limit).map_err(|failure| failure.to_string())?;
        let index: Option<u64> =
            header(&answer, "x-consul-index").and_then(|index| index.parse().ok());
        let is_of_consul =
            answer.status == 200 || answer.status == 404 && answer.body.trim().is_empty();
        let Some(index) = index.filter(|_| is_of_consul) else { return Err(reason(&answer)) };
        if index < self.last {
            // Nobody receives it after the program has ended.
            let _ = feed.send(Feed::IndexBack { before: self.last, now: index });
            self.index = 0;
        } else {
            self.index = index.max(1);
        }
        self.last = index;
        let body = without_values(&answer);
        let is_changed = self.body.as_ref() != Some(&body);
        let date = header(&answer, "date").and_then(|date| rfc2822::parse(date).ok());
        let text = format!("{}{}\n{}\n\n", client.command(&url), answer.head, body.trim_end());
        self.body = Some(body);
        Ok(Feed::Answer { text, date: date.map(|date| date.timestamp()), is_changed })
    }
}

fn header<'a>(answer: &'a HttpAnswer, name: &str) -> Option<&'a str> {
    let named =
        |line: &'a str| line.split_once(": ").filter(|(one, _)| one.eq_ignore_ascii_case(name));
    answer.head.lines().find_map(named).map(|(_, value)| value)
}

/// Why an answer is none of Consul.
fn reason(answer: &HttpAnswer) -> String {
    let text: String =
        answer.body.trim().lines().next().unwrap_or_default().chars().take(200).collect();
    match (answer.status, text.as_str()) {
        (200, _) => "HTTP 200 without an index, as from something else than Consul".into(),
        (status, "") => format!("HTTP {status}"),
        (status, text) => format!("HTTP {status}: {text}"),
    }
}

/// Sends the log of the agent until nobody receives it. `wait` is the time after which the blocking
/// query writes a line of it.
pub(super) fn log(client: Arc<Client>, wait: Duration, feed: Sender<Feed>) {
    thread::spawn(move || {
        let mut retry = RETRY_MIN;
        loop {
            let url = client.url("/v1/agent/monitor", Some("loglevel=debug"));
            let ended = match client.stream(&url, wait + SILENCE) {
                Ok(Ok(body)) => {
                    retry = RETRY_MIN;
                    if feed.send(Feed::LogBegins).is_err() {
                        return;
                    }
                    match lines(&client, body, &feed) {
                        Some(reason) => Feed::LogEnds(reason),
                        None => return,
                    }
                }
                Ok(Err(answer)) if matches!(answer.status, 400..500) && answer.status != 429 => {
                    // A receiver that has ended needs no reason.
                    let _ = feed.send(Feed::NoLog(reason(&answer)));
                    return;
                }
                Ok(Err(answer)) => Feed::LogEnds(reason(&answer)),
                Err(failure) => Feed::LogEnds(failure.to_string()),
            };
            if feed.send(ended).is_err() {
                return;
            }
            thread::sleep(retry);
            retry = (retry * 2).min(RETRY_MAX);
        }
    });
}

/// Sends the lines of a log. Returns why it has ended; `None` if nobody receives it.
fn lines(client: &Client, body: impl std::io::Read, feed: &Sender<Feed>) -> Option<String> {
    let mut body = BufReader::new(body);
    loop {
        let mut line = Vec::new();
        match body.read_until(b'\n', &mut line) {
            Ok(0) => return Some("the agent has ended it".into()),
            Ok(_) => {
                let line = client.without_secrets(&String::from_utf8_lossy(&line));
                feed.send(Feed::LogLine(line)).ok()?;
            }
            Err(error) => return Some(client.without_secrets(&error.to_string())),
        }
    }
}
