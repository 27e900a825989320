//! The answer of each lesson's question, derived a second time from the record: from the end of a
//! session, a takeover, a belief, a read or a lock-delay, and not from the text of a line. Both
//! must be the marked choice, and each number in the reason must be one of the record's.

use std::time::Duration;

use lictor_core::duration;
use lictor_core::id::{ActorName, Key, ResourceName};
use lictor_core::store::catalog::CheckStatus;
use lictor_core::time::Instant;
use lictor_sim::HttpClient;
use lictor_sim::World;
use lictor_sim::record::{
    AttemptResult, BeliefSpan, EventResult, EventRow, EventSource, LockTrack, ReadState, Record,
    RequestUse, SessionTrack, TracedRequest,
};
use lictor_sim::scenario::{Question, SCENARIOS, Scenario, Scene, Variant};
use lictor_sim::timeline::Timeline;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// What the record shows.
enum Answer {
    /// The event happens then, counted from the time from which the question counts.
    At(Option<Instant>),
    Span(Duration),
    Text(String),
}

/// The answer and the numbers of the reason, in the order of the sentence.
type Derived = (Answer, Vec<f64>);

#[test]
fn each_answer_and_each_number_of_its_reason_follow_from_the_record() {
    for (number, text) in (1..).zip(SCENARIOS) {
        let scenario = Scenario::read(text).expect("it is read");
        let (question, record) = played(&scenario);
        let (answer, numbers) = derived(number, &record);
        let since = question.since.unwrap_or(Instant::EPOCH);
        let millis = |span: Duration| {
            duration::print(Duration::from_millis(u64::try_from(span.as_millis()).unwrap_or(0)))
        };
        let value = match answer {
            Answer::At(Some(at)) => millis(at.since(since)),
            Answer::At(None) => "never".to_owned(),
            Answer::Span(span) => millis(span),
            Answer::Text(text) => text,
        };
        let marked = &question.choices[question.answer.choice];
        assert_eq!(marked.value, value, "{number}: the marked choice");
        compare(number, &question.reason.english, numbers_in, &numbers);
        // The sentence in Chinese can have another order.
        let mut sorted = numbers.clone();
        sorted.sort_by(f64::total_cmp);
        compare(number, &question.reason.chinese, sorted_numbers_in, &sorted);
        // A label is the value as it is measured, rounded.
        for label in [&marked.label.english, &marked.label.chinese] {
            if let (Some(seconds), [shown]) = (seconds_of(&value), &numbers_in(label)[..]) {
                assert_eq!(*shown, rounded_like(shown, seconds), "{number}: {label}");
            }
        }
    }
}

/// The seconds of a span of time such as `20.288s`; `None` for any other value.
fn seconds_of(value: &str) -> Option<f64> {
    let nanos = duration::parse(value).ok().filter(|_| value.ends_with('s'))?;
    Some(Duration::from_nanos(nanos.unsigned_abs()).as_secs_f64())
}

/// Each number of a sentence is one of the record's, rounded as it is written.
fn compare(number: u32, text: &str, read: fn(&str) -> Vec<String>, derived: &[f64]) {
    let written = read(text);
    let expected: Vec<String> =
        written.iter().zip(derived).map(|(written, value)| rounded_like(written, *value)).collect();
    assert_eq!((written.len(), &written), (derived.len(), &expected), "{number}: {text}");
}

/// A value with as many decimals as a text has.
fn rounded_like(text: &str, value: f64) -> String {
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let scale = 10_f64.powi(decimals as i32);
    format!("{:.decimals$}", (value * scale).round() / scale)
}

/// The numbers of a sentence; those of names such as `web-1` are none.
fn numbers_in(text: &str) -> Vec<String> {
    let mut numbers = Vec::new();
    let mut before = ' ';
    let mut rest = text.char_indices().peekable();
    while let Some((start, c)) = rest.next() {
        if c.is_ascii_digit() {
            let tail = &text[start..];
            let is_part = |(index, c): &(usize, char)| {
                let after = tail[index + c.len_utf8()..].chars().next();
                c.is_ascii_digit() || (*c == '.' && after.is_some_and(|c| c.is_ascii_digit()))
            };
            let length = tail.char_indices().take_while(is_part).count();
            if before != '-' {
                numbers.push(tail[..length].to_owned());
            }
            for _ in 1..length {
                rest.next();
            }
        }
        before = c;
    }
    numbers
}

fn sorted_numbers_in(text: &str) -> Vec<String> {
    let mut numbers = numbers_in(text);
    let value = |text: &String| text.parse().unwrap_or(f64::NAN);
    numbers.sort_by(|one, other| f64::total_cmp(&value(one), &value(other)));
    numbers
}

/// The question with the marked answer, and the record of the lesson played again.
fn played(scenario: &Scenario) -> (Question, Record) {
    let played = scenario.play(Variant::Plain).expect("it goes as it says");
    let question = played.stages.iter().find_map(|stage| match &stage.scene {
        Scene::Question(question) => Some(question.clone()),
        _ => None,
    });
    let mut timeline = Timeline::<Record>::recorded(World::new(scenario.seed));
    let end = played.timeline.here().end().at;
    let advance = |timeline: &mut Timeline<Record>, to: Instant| {
        while timeline.world().now() < to {
            timeline.advance_to(to);
        }
    };
    for (_, entry) in played.timeline.here().acts() {
        advance(&mut timeline, entry.at);
        timeline.perform(entry.act.clone()).expect("it was possible");
    }
    advance(&mut timeline, end);
    (question.expect("it asks one"), timeline.record_at_end().clone())
}

fn derived(number: u32, record: &Record) -> Derived {
    match number {
        1..=5 => free(number, record),
        6..=11 | 20 | 21 => content(number, record),
        12..=14 | 17 | 18 => ends(number, record),
        _ => clients(number, record),
    }
}

/// Questions about when a key is free.
fn free(number: u32, record: &Record) -> Derived {
    match number {
        1 => {
            let track = session(record, "web-1", 0);
            let last = *track.renewals.last().expect("it was renewed");
            (Answer::Span(ended(track).since(last)), vec![])
        }
        2 => {
            let first = session(record, "web-1", 0);
            let ttl = first.clock.expect("it has a TTL").ttl;
            let delay = &lock(record, "db/leader").delays[0];
            let taken = belief(record, "db/leader", "web-2").expect("it takes the lock").from;
            assert_eq!(taken, delay.until, "right at the end of the lock-delay");
            let delay = delay.until.since(delay.armed_at);
            (Answer::At(Some(taken)), vec![(2 * ttl).as_secs_f64(), delay.as_secs_f64()])
        }
        3 => {
            let track = lock(record, "db/leader");
            (Answer::At(granted(track, "web-2", 0)), vec![seconds(track.delays[0].until)])
        }
        4 => {
            let delays = record.locks().map(|(_, track)| track.delays.len()).sum::<usize>();
            assert!(lock(record, "released").delays.is_empty(), "a release starts none");
            (Answer::Text(delays.to_string()), vec![])
        }
        _ => {
            let delay = |key| {
                let delay = &lock(record, key).delays[0];
                (delay.until, delay.until.since(delay.armed_at).as_secs_f64())
            };
            let ((_, five), (until, short)) = (delay("five"), delay("five-thousand"));
            (Answer::At(Some(until)), vec![1000.0, 5.0, five, 5000.0, short * 1e6])
        }
    }
}

/// Questions about what a request answers or a reader finds.
fn content(number: u32, record: &Record) -> Derived {
    let text = |text: &str| Answer::Text(text.to_owned());
    match number {
        6 => {
            let versions = &record.key(&Key::from("config")).expect("it was read").versions;
            let is_written = versions.iter().any(|version| {
                version.entry.as_ref().is_some_and(|entry| &*entry.value == b"theirs")
            });
            (text(if is_written { "true" } else { "false" }), vec![])
        }
        7 => (text(&last_read(record, "service/master", "web-2")), vec![]),
        8 => {
            let row = first_row(record, "web-1", 1_000);
            let is_error = matches!(row.reply, EventResult::Refused(400));
            assert!(record.key(&Key::from("job")).is_some_and(|key| key.versions.len() == 1));
            (text(if is_error { "error" } else { "?" }), vec![])
        }
        9 => (text(&reads(record, "lead", "web-2", is_woken).to_string()), vec![]),
        10 => {
            let writes =
                &record.resource(&ResourceName::from("ledger")).expect("it is used").writes;
            let late = writes.iter().find(|it| {
                it.actor.name.as_str() == "web-1" && it.at >= Instant::from_millis(67_000)
            });
            let reply = &late.expect("it writes late").reply;
            let is_accepted = *reply == EventResult::Accepted;
            let tenures = &lock(record, "db/leader").tenures;
            let [first, second] = [0, 1].map(|tenure| tenures[tenure].lock_index as f64);
            (text(if is_accepted { "accepted" } else { "rejected" }), vec![second, first, second])
        }
        11 => (text(&last_read(record, "tmp/job", "web-2")), vec![]),
        20 => (text(&reads(record, "flag", "web-1", is_missing).to_string()), vec![]),
        _ => {
            let track = record.health_checks().find(|track| track.follows.is_some());
            let spans = &track.expect("it is registered").spans;
            let after = |at: u64| {
                let shown =
                    |it: &&lictor_sim::record::CheckSpan| it.from <= Instant::from_millis(at);
                spans.iter().rfind(shown).map(|span| span.status.clone())
            };
            let status = after(6_000).expect("it has a status");
            let name = if status == CheckStatus::Critical { "critical" } else { "?" };
            (text(name), vec![])
        }
    }
}

/// Questions about the end of a session, and what follows.
fn ends(number: u32, record: &Record) -> Derived {
    let first = session(record, "web-1", 0);
    match number {
        12 => {
            let check = record.health_checks().find(|track| track.is_of_node());
            let lost = check.expect("it was in doubt").silences[0].0;
            let end = ended(first);
            (Answer::At(Some(end)), vec![end.since(lost).as_secs_f64()])
        }
        13 => {
            let track = lock(record, "lead");
            let numbers = vec![seconds(ended(first)), seconds(track.delays[0].until)];
            (Answer::At(granted(track, "web-2", 0)), numbers)
        }
        14 => {
            let freed = record.sessions().filter_map(|track| track.ended.as_ref());
            let freed = freed.map(|end| end.freed.len()).sum::<usize>();
            (Answer::Text(freed.to_string()), vec![])
        }
        17 => {
            let clock = first.clock.expect("it has a TTL");
            let numbers = vec![(2 * clock.ttl).as_secs_f64(), seconds(first.restarts[0])];
            (Answer::At(first.ended.as_ref().map(|end| end.at)), numbers)
        }
        _ => {
            let track = lock(record, "lead");
            let numbers = vec![seconds(ended(first)), seconds(track.delays[0].until)];
            (Answer::At(granted(track, "web-1", 36_000)), numbers)
        }
    }
}

/// Questions about what clients believe, and about networks.
fn clients(number: u32, record: &Record) -> Derived {
    match number {
        15 => {
            let track = record.beliefs(&Key::from("db/leader")).expect("clients believe");
            let spans = track.overlaps.iter().map(|it| it.to.map(|to| to.since(it.from)));
            let span = spans.sum::<Option<Duration>>().expect("they end");
            let go = HttpClient::Go.profile();
            assert_eq!(go.keep_alive.map(|it| it.probes), Some(9), "nine probes");
            let dial = go.dial_timeout.expect("it has one").as_secs_f64();
            let taken = lock(record, "db/leader").tenures[1].from;
            (Answer::Span(span), vec![seconds(taken), dial])
        }
        16 => (Answer::At(belief(record, "db/leader", "web-2").map(|it| it.from)), vec![]),
        19 => {
            let holder = session(record, "web-1", 0);
            let end = ended(holder);
            let taken = [".lock", "", "/", "/.lock"]
                .into_iter()
                .find_map(|end| belief(record, &format!("jobs{end}"), "web-3"));
            let taken = taken.expect("it gets a slot").from;
            let lived = end.since(*holder.renewals.last().expect("it was renewed"));
            let each = taken.since(end).as_secs_f64() / 3.0;
            (Answer::At(Some(taken)), vec![seconds(end), lived.as_secs_f64(), each])
        }
        22 => {
            let renewal = renewal(record, 15_000);
            let (end, _) = renewal.end.expect("it is answered");
            let mut numbers: Vec<_> = renewal.again.iter().map(|at| seconds(*at) - 15.0).collect();
            numbers.push(seconds(*renewal.again.last().expect("it is sent again")));
            (Answer::At(Some(end)), numbers)
        }
        23 => {
            let end = session(record, "web-1", 0).ended.as_ref().map(|end| end.at);
            let cuts = record.cuts(&ActorName::from("web-1"));
            let over = cuts[0].1.expect("the cut ends");
            let again = &renewal(record, 15_000).again;
            let after = again.partition_point(|at| *at < over);
            let again = vec![seconds(again[after - 1]), seconds(again[after])];
            (Answer::At(end), again)
        }
        24 => {
            let end = |key, actor| belief(record, key, actor).and_then(|it| it.to).map(seconds);
            let [go, node, python] =
                [("a/go", "web-go"), ("b/node", "web-node"), ("c/python", "web-py")]
                    .map(|(key, actor)| end(key, actor));
            let known = [go, node, python].iter().flatten().count();
            // The sentence says "about": to the next 5 s.
            let about = |seconds: f64| (seconds / 5.0).round() * 5.0;
            let dial = HttpClient::Go.profile().dial_timeout.expect("it has one").as_secs_f64();
            // The connections are idle from the beginning on.
            let [node, go] = [node, go].map(|end| end.expect("it learns"));
            (Answer::Text(known.to_string()), vec![about(node), about(go - dial), dial])
        }
        _ => {
            let end = belief(record, "db/leader", "web-1").expect("it holds the lock").to;
            let free = lock(record, "db/leader").delays[0].until;
            let status = watch_status(record);
            (Answer::At(end), vec![status, seconds(free)])
        }
    }
}

fn seconds(at: Instant) -> f64 {
    at.since(Instant::EPOCH).as_secs_f64()
}

/// The sessions of a client in the order in which they were created.
fn session<'a>(record: &'a Record, client: &str, place: usize) -> &'a SessionTrack {
    let is_own = |track: &&SessionTrack| {
        track.tag.owner.as_ref().is_some_and(|owner| owner.name.as_str() == client)
    };
    let mut sessions: Vec<_> = record.sessions().filter(is_own).collect();
    sessions.sort_by_key(|track| track.session.create_index);
    sessions.get(place).expect("it has a session")
}

fn ended(track: &SessionTrack) -> Instant {
    track.ended.as_ref().expect("it ends").at
}

fn lock<'a>(record: &'a Record, key: &str) -> &'a LockTrack {
    record.lock(&Key::from(key)).expect("it was locked")
}

/// When a client was first granted a lock, from a time in milliseconds on.
fn granted(track: &LockTrack, client: &str, from: u64) -> Option<Instant> {
    let mut attempts = track.attempts.iter();
    let granted = attempts.find(|attempt| {
        attempt.actor.name.as_str() == client
            && attempt.result == AttemptResult::Yes
            && attempt.at >= Instant::from_millis(from)
    });
    granted.map(|attempt| attempt.at)
}

/// The first belief of a client about a lock.
fn belief<'a>(record: &'a Record, key: &str, client: &str) -> Option<&'a BeliefSpan> {
    let spans = &record.beliefs(&Key::from(key))?.spans;
    spans.iter().find(|span| span.believer.actor().as_str() == client)
}

fn reads(record: &Record, key: &str, client: &str, counts: fn(&ReadState) -> bool) -> usize {
    let reads = record.key(&Key::from(key)).expect("it was read").reads.iter();
    let own = reads.filter(|read| read.actor.name.as_str() == client);
    own.filter(|read| counts(&read.state)).count()
}

fn is_woken(state: &ReadState) -> bool {
    matches!(state, ReadState::Woken(..))
}

fn is_missing(state: &ReadState) -> bool {
    matches!(state, ReadState::Woken(_, None) | ReadState::Read(None))
}

/// What a client read last, as the choices of the questions write it.
fn last_read(record: &Record, key: &str, client: &str) -> String {
    let mut reads = record.key(&Key::from(key)).expect("it was read").reads.iter();
    let last = reads.rfind(|read| read.actor.name.as_str() == client);
    match &last.expect("it reads the key").state {
        ReadState::Read(None) => "missing".to_owned(),
        ReadState::Read(Some(entry)) if entry.value.is_empty() => "ok value=\"\"".to_owned(),
        ReadState::Read(Some(entry)) => {
            format!("ok value={}", String::from_utf8_lossy(&entry.value))
        }
        other => panic!("{other:?}"),
    }
}

/// The row of the first request that a client sent at a time in milliseconds.
fn first_row<'a>(record: &'a Record, client: &str, at: u64) -> &'a EventRow {
    let at = Instant::from_millis(at);
    let is_own = |row: &EventRow| match &row.source {
        EventSource::Actor(tag) => tag.name.as_str() == client,
        _ => false,
    };
    record.events().iter().find(|row| row.at == at && is_own(row)).expect("it sends a request")
}

/// The renewal of web-1 that was sent at a time in milliseconds.
fn renewal(record: &Record, sent: u64) -> &TracedRequest {
    let mut tracks = record.connections();
    let is_own = |actor: &ActorName| actor.as_str() == "web-1";
    let found =
        tracks.find(|((actor, _, usage), _)| is_own(actor) && *usage == RequestUse::Renewals);
    let requests = &found.expect("its renewals were concerned").1.requests;
    requests.iter().find(|it| it.since == Instant::from_millis(sent)).expect("it was sent then")
}

/// The status with which the watch of web-1 ends.
fn watch_status(record: &Record) -> f64 {
    let refused = record.events().iter().find_map(|row| match row.reply {
        EventResult::Refused(status) => Some(f64::from(status)),
        _ => None,
    });
    refused.expect("it ends with an error")
}

/// A question in a scenario of one client, which reads a key with the fix.
fn question(answer: &str) -> String {
    format!(
        "scenario: x\nnumber: 1\nsource: y#1\ntitle: a | b\npreview: a | b\nconclusion: a | b\n\
         fix: a | b\ncast: web-1\nquestion: a? | b?\nchoice: never | a | b\nchoice: 0 | 0 | 0\n\
         choice: 0s | 0 s | 0\nreason: a. | b.\nanswer: {answer}\n+ 1s web-1 get k -> missing\n\
         end: 2s"
    )
}

/// That an event never happens is proven only by a pattern that the event would match.
#[test]
fn a_pattern_that_matches_nothing_in_any_variant_is_an_error() {
    for (answer, error) in [
        ("when web-1 get k", None),
        ("count web-1 get k", None),
        (
            "when web-1 gets k",
            Some("line 9: no line contains \"web-1 gets k\", with or without the fix"),
        ),
        (
            "count web-1 gets k",
            Some("line 9: no line contains \"web-1 gets k\", with or without the fix"),
        ),
        ("overlap", Some("line 9: no beliefs overlap, with or without the fix")),
    ] {
        let scenario = Scenario::read(&question(answer)).expect("it is read");
        let found = scenario.play(Variant::Plain).err().map(|error| error.to_string());
        assert_eq!(found.as_deref(), error, "{answer}");
    }
}
