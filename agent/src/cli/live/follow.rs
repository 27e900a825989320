//! `--follow`: reads the cluster again whenever a blocking query returns, and writes what has
//! changed. Each reading is that of `--live`, with the lists before the change and the log of the
//! agent beside it, and has the same reader.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use lictor_incident::{Incident, Unused, escaped, parse_time, write_time};

use super::changes::{Line, Said};
use super::client::Client;
use super::feeds::{self, Feed};
use super::page::Page;
use super::passes::{Reader, Wanted, ask};
use super::published::{Moment, Publisher, Stale, Status};
use super::texts::Texts;
use super::too_many::TooMany;

/// How long a blocking query waits. Without the log, the two times between which a change happened
/// are at most this far apart. It is longer for a prefix, because each answer has all of its keys.
const WAIT_OF_KEY: Duration = Duration::from_secs(10);
const WAIT_OF_PREFIX: Duration = Duration::from_secs(60);
/// The cluster is read again after a change, when its lists have heads of a later second.
const LATER_SECOND: Duration = Duration::from_millis(1_100);
/// Two readings begin at least this long after each other, and longer after `OFTEN` in a minute.
const GAP: Duration = Duration::from_secs(1);
const GAP_IF_OFTEN: Duration = Duration::from_secs(5);
const OFTEN: usize = 20;
const MINUTE: Duration = Duration::from_secs(60);
/// The pause after a reading is at least this many times as long as the reading.
const SHARE: u32 = 2;
/// The rest of the second of a head.
const REST_OF_SECOND: SignedDuration = SignedDuration::from_millis(999);
/// How long a line of the log waits for others.
const WITH_OTHERS: Duration = Duration::from_millis(100);
/// How often the cluster is read again if its lists leave open who holds a key.
const OPEN_MAX: usize = 2;
/// An agent sends the lines of its log five times in a second.
const LOG_DELAY: Duration = Duration::from_millis(300);
/// How long the log has to show that it lacks a renewal.
const CHECK_AGAIN: Duration = Duration::from_secs(3);
/// The pause after readings without an answer grows to this.
const RETRY_MAX: Duration = Duration::from_secs(30);
/// The name of the log for its reader.
const LOG_NAME: &str = "monitor.txt";
/// How much of the log is kept.
const LOG_MAX: usize = 1_000_000;

/// A watch on what is wanted of a cluster.
struct Follower<'a> {
    client: Arc<Client>,
    wanted: Wanted<'a>,
    read: Reader<'a>,
    output: Output<'a>,
    said: Said,
    /// What was read before the last change, and since then.
    before: Texts,
    texts: Texts,
    /// What was read of the cluster, until the log of the agent has the requests for it.
    new: Option<Texts>,
    /// How often the lists left open who holds a key.
    open: usize,
    /// The last answer of the blocking query, which shows the state since then.
    seen: Option<(String, String)>,
    /// The end of the log of the agent, and whether it is being sent.
    log: String,
    has_log: bool,
    /// The time of the last answer, by its head.
    answered: Option<Timestamp>,
    /// Why nothing was answered since then, and how many readings in a row had no list of keys.
    stale: Option<String>,
    failures: u32,
    /// The times of the answers before and after the changes that no line has yet.
    between: Option<(Timestamp, Timestamp)>,
    /// When the cluster is read again, and when the texts are.
    ask_at: Option<Instant>,
    read_at: Option<Instant>,
    /// When the last readings began, and how long the last one took.
    asked: VecDeque<Instant>,
    took: Duration,
    /// How long it took to read the texts for the last time.
    read_took: Duration,
    /// The notes that were written.
    notes: Vec<String>,
}

/// What a reading shows.
struct Reading {
    incident: Incident,
    /// What the reader had.
    texts: Texts,
    /// Whether a key is left open by all texts together, as the log has something later than the
    /// lists.
    is_open: bool,
}

/// Where lines are written.
struct Output<'a> {
    to: &'a mut dyn Write,
    /// When the first line was written. Those of later days have their dates.
    began: Timestamp,
    is_json: bool,
    page: Option<Publisher>,
}

impl Output<'_> {
    fn line(&mut self, line: &Line) -> io::Result<()> {
        let now = Timestamp::now();
        let needs_json = self.is_json || self.page.is_some();
        let json = needs_json.then(|| line.to_json(now));
        if let Some(json) = json.as_ref().filter(|_| self.is_json) {
            writeln!(self.to, "{json}")?;
        } else {
            let between = line.between.map_or_else(String::new, |(from, to)| {
                let [from, to] = [from, to].map(|time| write_time(time, &[now]));
                format!(" (it changed between {from} and {to})")
            });
            let time = write_time(now, &[self.began]);
            writeln!(self.to, "{time} {:<8} {}{between}", line.kind, line.text)?;
        }
        self.to.flush()?;
        if let Some((page, json)) = self.page.as_mut().zip(json) {
            page.line(json);
        }
        Ok(())
    }
}

/// Writes what changes, and publishes it for the page, until the output is closed.
pub(crate) fn follow(
    client: Client,
    wanted: Wanted<'_>,
    read: Reader<'_>,
    page: Option<Page>,
    is_json: bool,
    to: &mut dyn Write,
) -> io::Result<()> {
    let client = Arc::new(client);
    let mut output = Output { to, began: Timestamp::now(), is_json, page: None };
    if let Some(page) = page {
        output.line(&Line::new("page", page.address))?;
        output.page = Some(page.publisher);
    }
    let (feed, feeds) = mpsc::channel();
    let (path, wait) = watched(wanted);
    feeds::watch(client.clone(), path, wait, feed.clone());
    let mut follower = Follower {
        client: client.clone(),
        wanted,
        read,
        output,
        said: Said::default(),
        before: Texts::new(),
        texts: Texts::new(),
        new: None,
        open: 0,
        seen: None,
        log: String::new(),
        has_log: false,
        answered: None,
        stale: None,
        failures: 0,
        between: None,
        ask_at: None,
        read_at: None,
        asked: VecDeque::new(),
        took: Duration::ZERO,
        read_took: Duration::ZERO,
        notes: Vec::new(),
    };
    if client.has_datacenter() {
        follower.note(
            "the log of the agent is not followed, as it is not of this datacenter: no renewal is \
             shown",
        )?;
    } else {
        feeds::log(client, wait, feed);
    }
    follower.run(&feeds)
}

/// What the blocking query lists, and how long it waits. The document of a semaphore changes with
/// the keys of its contenders.
fn watched(wanted: Wanted<'_>) -> (String, Duration) {
    match wanted {
        Wanted::Key(key) => match wanted.folder() {
            Some(folder) => (format!("/v1/kv/{}?recurse", escaped(folder)), WAIT_OF_KEY),
            None => (format!("/v1/kv/{}", escaped(key)), WAIT_OF_KEY),
        },
        Wanted::Prefix(prefix) => (format!("/v1/kv/{}?recurse", escaped(prefix)), WAIT_OF_PREFIX),
        Wanted::Sessions => ("/v1/session/list".into(), WAIT_OF_KEY),
    }
}

impl Follower<'_> {
    fn run(&mut self, feeds: &Receiver<Feed>) -> io::Result<()> {
        loop {
            let due = [self.ask_at, self.read_at, self.said.next_check()];
            let due = due.into_iter().flatten().min();
            let wait = due.map_or(MINUTE, |due| due.saturating_duration_since(Instant::now()));
            match feeds.recv_timeout(wait) {
                Ok(feed) => {
                    self.take(feed)?;
                    while let Ok(feed) = feeds.try_recv() {
                        self.take(feed)?;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            self.publish();
            let is_due = |at: Option<Instant>| at.is_some_and(|at| at <= Instant::now());
            if is_due(self.ask_at) {
                self.ask()?;
            } else if is_due(self.read_at) {
                self.read_at = None;
                self.update()?;
            }
            if is_due(self.said.next_check()) {
                // The requests of a reading are lines of the log, after which it is known to have
                // what was before.
                self.said.put_off(CHECK_AGAIN);
                if self.stale.is_none() && self.has_log {
                    self.ask_in(Duration::ZERO);
                }
            }
            self.publish();
        }
    }

    fn publish(&mut self) {
        let since = self.answered.map(Moment);
        let stale = self.stale.clone().map(|reason| Stale { since, reason });
        let status = Status { stale, answered_at: since, has_log: self.has_log };
        if let Some(page) = &mut self.output.page {
            page.publish(status);
        }
    }

    fn take(&mut self, feed: Feed) -> io::Result<()> {
        match feed {
            Feed::Answer { text, date, is_changed } => self.answer(text, date, is_changed)?,
            Feed::IndexBack { before, now } => {
                let text = format!(
                    "the index of the answers went back from {before} to {now}: this is another \
                     state, as after a restart without data or the restore of a snapshot; what \
                     was shown before says nothing about it"
                );
                self.output.line(&Line::new("index", text))?;
                (self.before, self.texts, self.seen) = (Texts::new(), Texts::new(), None);
                self.log.clear();
                if let Some(page) = &mut self.output.page {
                    page.texts(Texts::new());
                }
            }
            Feed::NoAnswer(reason) => self.no_answer(&reason)?,
            Feed::LogBegins if !self.has_log => {
                self.has_log = true;
                let text = "the log of the agent is followed: it has the requests to this agent, \
                            and not those to other agents";
                if self.notes.iter().any(|known| known == text) {
                    let text = "the log of the agent is sent again";
                    return self.output.line(&Line::new("again", text));
                }
                self.note(text)?;
            }
            Feed::LogBegins => {}
            Feed::LogLine(line) => {
                if self.is_relevant(&line) && self.read_at.is_none() && self.stale.is_none() {
                    self.read_at = Some(Instant::now() + WITH_OTHERS.max(self.read_took * SHARE));
                }
                self.log += &line;
                if self.log.len() > LOG_MAX {
                    let rest = &self.log.as_bytes()[LOG_MAX / 2..];
                    let end = rest.iter().position(|byte| *byte == b'\n');
                    self.log.drain(..end.map_or(self.log.len(), |end| LOG_MAX / 2 + end + 1));
                }
            }
            Feed::LogEnds(reason) => {
                if std::mem::take(&mut self.has_log) {
                    self.output.line(&Line::new(
                        "stale",
                        format!("the log of the agent has ended: {reason}. Renewals are not shown"),
                    ))?;
                }
                // What the log does not have is not known.
                self.log.clear();
            }
            Feed::NoLog(reason) => self.note(&format!(
                "the log of the agent cannot be read: {reason} (it needs agent:read). No renewal \
                 is shown, so a session with a TTL may end at any time up to 2 x TTL after a line"
            ))?,
        }
        Ok(())
    }

    fn answer(
        &mut self,
        text: String,
        date: Option<Timestamp>,
        is_changed: bool,
    ) -> io::Result<()> {
        if self.stale.is_some() {
            self.again()?;
            self.ask_in(Duration::ZERO);
        }
        if is_changed {
            let end = date.and_then(|date| date.checked_add(REST_OF_SECOND).ok());
            // Of several changes that no line has, the first one is after the first of these times,
            // and the last one before the second.
            let from = self.between.map(|(from, _)| from).or(self.answered);
            self.between = from.zip(end);
            self.ask_in(Duration::ZERO);
        } else if text.len() < LOG_MAX {
            self.seen = Some(("watch.txt".into(), text));
            self.show_seen()?;
        }
        self.answered = date;
        Ok(())
    }

    fn again(&mut self) -> io::Result<()> {
        if self.stale.take().is_none() {
            return Ok(());
        }
        let text = "the cluster answers again; meanwhile a leader may have been elected, which \
                    begins each TTL again";
        self.output.line(&Line::new("again", text))
    }

    fn no_answer(&mut self, reason: &str) -> io::Result<()> {
        if self.stale.replace(reason.into()).is_some() {
            return Ok(());
        }
        (self.ask_at, self.read_at, self.new) = (None, None, None);
        let since = self.answered.map_or_else(
            || "nothing was shown yet".into(),
            |since| {
                let since = write_time(since, &[Timestamp::now()]);
                format!("what was shown is of {since}, and may be old")
            },
        );
        self.output.line(&Line::new("stale", format!("no answer: {reason}; {since}")))
    }

    /// Whether a line of the log can change what was said.
    fn is_relevant(&self, line: &str) -> bool {
        let name = match self.wanted {
            Wanted::Key(key) => self.wanted.folder().unwrap_or(key),
            Wanted::Prefix(prefix) => prefix,
            Wanted::Sessions => return true,
        };
        let words = ["leader", "member failed", "election", "TTL expired", "deregister"];
        let is_read = line.contains("method=GET");
        !is_read && (line.contains(name) || line.contains(&escaped(name)))
            || self.said.holders().any(|holder| line.contains(holder))
            || words.iter().any(|word| line.contains(word))
    }

    /// Reads the cluster after a time, or as soon as its limits allow it.
    fn ask_in(&mut self, delay: Duration) {
        let now = Instant::now();
        while self.asked.front().is_some_and(|at| now.duration_since(*at) > MINUTE) {
            self.asked.pop_front();
        }
        let gap = if self.asked.len() >= OFTEN { GAP_IF_OFTEN } else { GAP };
        let gap = gap.max(self.took * SHARE);
        let at = self.asked.back().map_or(now, |last| *last + gap).max(now + delay);
        self.ask_at = Some(self.ask_at.map_or(at, |known| known.min(at)));
    }

    fn ask(&mut self) -> io::Result<()> {
        self.ask_at = None;
        let started = Instant::now();
        self.asked.push_back(started);
        let texts = ask(&self.client, self.wanted, self.read);
        self.took = started.elapsed();
        let incident = (self.read)(&texts);
        if !incident.as_ref().is_some_and(Incident::has_key_list) {
            let why =
                incident.as_ref().and_then(|it| it.remarks().iter().chain(it.unused()).next());
            let why = why.map_or("no list of keys was read", |why| &why.reason).to_owned();
            self.no_answer(&why)?;
            self.failures += 1;
            self.ask_in((GAP_IF_OFTEN * self.failures).min(RETRY_MAX));
            return Ok(());
        }
        self.failures = 0;
        self.again()?;
        self.new = Some(texts);
        if self.has_log {
            self.read_at = Some(Instant::now() + LOG_DELAY);
            return Ok(());
        }
        self.update()
    }

    /// Reads the texts, with new ones of the cluster if there are any, and writes what has changed.
    fn update(&mut self) -> io::Result<()> {
        let new = self.new.take();
        let started = Instant::now();
        let Some(Reading { incident, texts, is_open }) = self.reading(new.as_deref()) else {
            return Ok(());
        };
        self.read_took = started.elapsed();
        let is_known = Incident::is_known(&self.wanted.answers(&incident));
        let may_close = self.open < OPEN_MAX && !self.texts.is_empty();
        let waits = if new.is_none() { is_open } else { !is_known && may_close };
        let lines = if waits {
            self.said.of_log(&incident, self.wanted)
        } else {
            let is_of_lists = |it: &&Unused| &*it.source != LOG_NAME;
            let unused = incident.unused().iter().filter(is_of_lists);
            for remark in incident.remarks().iter().chain(unused) {
                self.note(&remark.reason)?;
            }
            self.said.update(&incident, self.wanted, self.between)
        };
        let has_changed = lines.iter().any(|line| line.answer.is_some());
        if has_changed || new.is_some() && !waits {
            self.between = None;
        }
        for line in &lines {
            self.output.line(line)?;
        }
        if !waits {
            self.show(&incident, texts)?;
        }
        if let Some(until) = self.log_until().filter(|_| self.has_log && !waits) {
            for line in self.said.missed(&incident, self.wanted, until) {
                self.output.line(&line)?;
            }
        }
        if let Some(new) = new {
            if self.open == 0 && (has_changed || waits) {
                let seen = self.seen.take();
                self.before = std::mem::take(&mut self.texts);
                self.before.extend(seen);
            }
            if has_changed || is_open && may_close {
                // Heads have whole seconds: only those of a later one are certainly newer.
                self.ask_in(LATER_SECOND);
            }
            self.open = if is_open { self.open + 1 } else { 0 };
            self.texts = new;
        } else if waits {
            self.ask_in(Duration::ZERO);
        }
        self.ask_after_delay(&incident);
        Ok(())
    }

    /// The time of the last line of the log.
    fn log_until(&self) -> Option<Timestamp> {
        let last = self.log.lines().next_back()?;
        parse_time(last.split(' ').next()?)
    }

    /// The end of a lock-delay changes no key, so that no blocking query returns.
    fn ask_after_delay(&mut self, incident: &Incident) {
        let rest = self.said.last_delay().map(|end| end.duration_since(incident.as_of()));
        if let Some(rest) = rest.filter(|rest| !rest.is_negative()) {
            self.ask_in(rest.unsigned_abs() + LATER_SECOND);
        }
    }

    /// What all texts show together; the lists alone if the log leaves a key open.
    fn reading(&self, new: Option<&[(String, String)]>) -> Option<Reading> {
        let newest = new.unwrap_or(&self.texts);
        let log = Some((LOG_NAME.to_owned(), self.log.clone())).filter(|_| !self.log.is_empty());
        let former = self.before.iter().chain(new.map(|_| &self.texts).into_iter().flatten());
        let former = former.filter(|(name, _)| !name.starts_with("00-"));
        let former = former.map(|(name, text)| (format!("before/{name}"), text.clone()));
        let mut lists: Texts = former.chain(self.seen.clone()).collect();
        lists.extend_from_slice(newest);
        let all: Texts = lists.iter().cloned().chain(log).collect();
        let is_known = |incident: &Incident| Incident::is_known(&self.wanted.answers(incident));
        let read = |texts: Texts, is_open| {
            let mut incident = (self.read)(&texts)?;
            incident.set_read_at(Timestamp::now());
            Some(Reading { incident, texts, is_open })
        };
        let together = read(all, false);
        if together.as_ref().is_some_and(|it| is_known(&it.incident)) {
            return together;
        }
        read(lists, true)
            .filter(|it| is_known(&it.incident))
            .or_else(|| read(newest.to_vec(), true).filter(|it| is_known(&it.incident)))
            .or(together.map(|reading| Reading { is_open: true, ..reading }))
            .or_else(|| read(newest.to_vec(), true))
    }

    /// Gives the page what was read, or the reason why it is too much.
    fn show(&mut self, incident: &Incident, texts: Texts) -> io::Result<()> {
        let Some(page) = &mut self.output.page else { return Ok(()) };
        let Wanted::Prefix(prefix) = self.wanted else {
            page.texts(texts);
            return Ok(());
        };
        let Some(too_many) = TooMany::of(incident, prefix) else {
            page.texts(texts);
            return Ok(());
        };
        let text = too_many.to_string();
        if page.refuse(too_many) {
            self.output.line(&Line::new("note", text))?;
        }
        Ok(())
    }

    /// Gives the page the newest answer of the blocking query, which is no line.
    fn show_seen(&mut self) -> io::Result<()> {
        if self.output.page.is_none() || self.texts.is_empty() || self.new.is_some() {
            return Ok(());
        }
        match self.reading(None) {
            Some(reading) if !reading.is_open => self.show(&reading.incident, reading.texts),
            _ => Ok(()),
        }
    }

    /// Writes what is not known and why, once.
    fn note(&mut self, text: &str) -> io::Result<()> {
        if self.notes.iter().any(|known| known == text) {
            return Ok(());
        }
        self.notes.push(text.into());
        self.output.line(&Line::new("note", text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(began: Timestamp, between: Option<(Timestamp, Timestamp)>) -> String {
        let mut to = Vec::new();
        let mut output = Output { to: &mut to, began, is_json: false, page: None };
        let line = Line { between, ..Line::new("state", "FREE k") };
        output.line(&line).expect("a vector takes it");
        String::from_utf8(to).expect("a line is text")
    }

    #[test]
    fn a_line_of_a_later_day_than_the_first_one_begins_with_its_date() {
        let line = line_of(Timestamp::UNIX_EPOCH, None);
        let (date, rest) = line.split_once(' ').expect("a date");
        assert!(Timestamp::now().to_string().starts_with(date), "{line}");
        assert!(rest.ends_with("state    FREE k\n"), "{line}");
    }

    #[test]
    fn the_times_of_a_change_on_an_earlier_day_have_their_dates() {
        let time = |text| parse_time(text).expect("a time");
        let between = (time("2026-11-26T23:59:59Z"), time("2026-11-27T00:00:01Z"));
        let line = line_of(Timestamp::UNIX_EPOCH, Some(between));
        let expected = "(it changed between 2026-11-26 23:59:59.000 and 2026-11-27 00:00:01.000)\n";
        assert!(line.ends_with(expected), "{line}");
    }
}
