//! The driver of a lock on a network whose messages take time, arrive late, or get lost, in virtual
//! time: what it sends when, what it gives back, and what it promises about that.

use std::time::Duration;

use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::time::Instant;
use lictor_core::{Consul, Handle};
use lictor_recipes::{
    CallId, Contender, ContenderOptions, ContenderStep, Contention, LockLoss, LockedUntil, Outcome,
    ProgramError, Tries,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const KEY: &str = "test/lock";
const SECOND: Duration = Duration::from_secs(1);
const MILLI: Duration = Duration::from_millis(1);

/// What the network does with a request.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// It and its answer take this long.
    Takes(Duration),
    /// Requests and answers vanish without an error.
    Lost,
    /// There is no connection.
    Refused,
    /// Another server answers with this status.
    Status(u16),
}

enum Message {
    Request(HttpRequest, Fate),
    Answer(Option<HttpResponse>),
}

/// One contender before a server.
struct Site {
    consul: Consul,
    contender: Contender,
    /// What the network does with a request, by its line.
    network: fn(&str) -> Fate,
    under_way: Vec<(Instant, CallId, Message)>,
    /// What waits at the server.
    parked: Vec<(CallId, Handle, Fate)>,
    abandoned: Vec<CallId>,
    /// What was sent, and when.
    sent: Vec<(Duration, String)>,
    /// What its user learned, and when.
    learned: Vec<(Duration, ContenderStep)>,
}

/// A network on which each way takes 3 ms.
fn healthy(_: &str) -> Fate {
    Fate::Takes(3 * MILLI)
}

fn options() -> ContenderOptions {
    let mut options = ContenderOptions::new(Contention::Lock, KEY);
    options.ttl = 10 * SECOND;
    options
}

impl Site {
    fn new(options: &ContenderOptions) -> Self {
        Self {
            consul: Consul::seeded(7),
            contender: options.contender().expect("the options are valid"),
            network: healthy,
            under_way: Vec::new(),
            parked: Vec::new(),
            abandoned: Vec::new(),
            sent: Vec::new(),
            learned: Vec::new(),
        }
    }

    /// A contender that has its lock.
    fn held(options: &ContenderOptions) -> Self {
        let mut site = Self::new(options);
        site.start();
        site.run(SECOND);
        assert!(site.may_act());
        site
    }

    fn now(&self) -> Instant {
        self.consul.now()
    }

    fn start(&mut self) {
        let steps = self.contender.start(self.now());
        self.follow(steps);
    }

    fn stop(&mut self) {
        let steps = self.contender.stop(self.now());
        self.follow(steps);
    }

    fn may_act(&self) -> bool {
        self.contender.may_act(self.now())
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.learned.iter().find_map(|(_, step)| match step {
            ContenderStep::Ended(outcome) => Some(outcome),
            _ => None,
        })
    }

    /// When its user learned something first.
    fn learned_at(&self, is_it: impl Fn(&ContenderStep) -> bool) -> Option<Duration> {
        self.learned.iter().find(|(_, step)| is_it(step)).map(|(at, _)| *at)
    }

    /// When a request that contains a text was sent.
    fn sent_at(&self, text: &str) -> Vec<Duration> {
        self.sent.iter().filter(|(_, line)| line.contains(text)).map(|(at, _)| *at).collect()
    }

    fn holder(&mut self) -> Option<String> {
        let entry = self.consul.get(KEY).expect("a valid key");
        entry.and_then(|entry| Some(entry.holder()?.to_string()))
    }

    fn sessions(&self) -> usize {
        self.consul.engine().store().sessions().len()
    }

    fn follow(&mut self, steps: Vec<ContenderStep>) {
        for step in steps {
            match step {
                ContenderStep::Send { call, request } => self.send(call, request),
                ContenderStep::Abandon(call) => self.abandoned.push(call),
                step => self.learned.push((self.now().since(Instant::EPOCH), step)),
            }
        }
    }

    fn send(&mut self, call: CallId, request: HttpRequest) {
        let line = format!("{} {}", request.method, request.target);
        let fate = (self.network)(&line);
        self.sent.push((self.now().since(Instant::EPOCH), line));
        let (delay, message) = match fate {
            Fate::Takes(delay) => (delay, Message::Request(request, fate)),
            Fate::Lost => return,
            Fate::Refused => (MILLI, Message::Answer(None)),
            Fate::Status(status) => {
                let answer = HttpResponse { status, headers: Vec::new(), body: b"no".to_vec() };
                (MILLI, Message::Answer(Some(answer)))
            }
        };
        self.under_way.push((self.now().plus(delay), call, message));
    }

    fn run(&mut self, span: Duration) {
        let to = self.now().plus(span);
        self.collect_answers();
        loop {
            let messages = self.under_way.iter().map(|(at, ..)| *at);
            let own = self.contender.next_deadline();
            let server = self.consul.next_deadline().map(|(at, _)| at);
            let next = messages.chain(own).chain(server).min().filter(|at| *at <= to);
            let Some(at) = next else { break };
            self.consul.advance(at.since(self.now()));
            self.collect_answers();
            let now = self.now();
            for (_, call, message) in
                self.under_way.extract_if(.., |(at, ..)| *at <= now).collect::<Vec<_>>()
            {
                self.arrive(call, message);
            }
            if self.contender.next_deadline().is_some_and(|at| at <= now) {
                let steps = self.contender.tick(now);
                self.follow(steps);
            }
        }
        self.consul.advance(to.since(self.now()));
    }

    fn arrive(&mut self, call: CallId, message: Message) {
        match message {
            Message::Request(request, fate) => {
                let handle = self.consul.request(&request);
                self.parked.push((call, handle, fate));
                self.collect_answers();
            }
            Message::Answer(_) if self.abandoned.contains(&call) => {}
            Message::Answer(answer) => {
                let now = self.now();
                let steps = match &answer {
                    Some(answer) => self.contender.answered(now, call, answer),
                    None => self.contender.unreachable(now, call),
                };
                self.follow(steps);
            }
        }
    }

    fn collect_answers(&mut self) {
        let now = self.now();
        for (call, handle, fate) in std::mem::take(&mut self.parked) {
            match (self.consul.poll(handle), fate) {
                (Some(answer), Fate::Takes(delay)) => {
                    let at = now.plus(delay.min(SECOND));
                    self.under_way.push((at, call, Message::Answer(Some(answer))));
                }
                (Some(_), _) => {}
                (None, _) => self.parked.push((call, handle, fate)),
            }
        }
    }
}

/// The answer of a watch that comes between a renewal and its read is older than the round, so the
/// key is read all the same; otherwise the lease would end before the next round.
#[test]
fn a_lock_on_a_healthy_network_is_held_for_a_day() {
    for (watch_wait, millis) in [(30_000, 3), (4_700, 40), (1_000, 200), (90_000, 0)] {
        let mut options = options();
        options.watch_wait = watch_wait * MILLI;
        let mut site = Site::new(&options);
        site.network = match millis {
            0 => |_| Fate::Takes(Duration::ZERO),
            3 => healthy,
            40 => |_| Fate::Takes(40 * MILLI),
            _ => |_| Fate::Takes(200 * MILLI),
        };
        site.start();
        site.run(24 * 3_600 * SECOND);
        assert!(site.may_act(), "{watch_wait}: {:?}", site.learned);
        let renewals = site.sent_at("/renew/").len();
        assert!((17_000..=17_280).contains(&renewals), "at half of the TTL: {renewals}");
        site.stop();
        site.run(SECOND);
        assert_eq!((site.outcome(), site.sessions()), (Some(&Outcome::Released), 0));
    }
}

/// A renewal that is answered and a read that is not keep the lock for one TTL, and the other way
/// round.
#[test]
fn a_lease_needs_both_an_answer_to_the_renewal_and_one_with_the_key() {
    let without_reads = |line: &str| if line.contains("GET") { Fate::Lost } else { healthy(line) };
    let without_renewals =
        |line: &str| if line.contains("/renew/") { Fate::Lost } else { healthy(line) };
    for (network, repeated) in
        [(without_reads as fn(&str) -> Fate, "?consistent= "), (without_renewals, "/renew/")]
    {
        let mut site = Site::held(&options());
        site.network = network;
        site.run(20 * SECOND);
        let lost = site.learned_at(|it| *it == ContenderStep::Lost(LockLoss::LeaseEnded));
        let lost = lost.expect("its lease has ended");
        assert!(lost > 9 * SECOND && lost <= 11 * SECOND, "{lost:?}");
        let copies = site
            .sent
            .iter()
            .filter(|(at, line)| *at > 2 * SECOND && format!("{line} ").contains(repeated));
        assert!(copies.count() > 2, "what has no answer is repeated: {:?}", site.sent);
    }
}

#[test]
fn the_key_is_read_when_the_renewal_is_answered_and_without_an_answer_soon_after() {
    let mut site = Site::held(&options());
    site.network = |line| if line.contains("/renew/") { Fate::Lost } else { healthy(line) };
    site.sent.clear();
    site.run(6 * SECOND);
    let [renewed, read] = ["/renew/", "?consistent="].map(|text| site.sent_at(text)[0]);
    assert_eq!(renewed.as_secs(), 5);
    assert_eq!(read - renewed, 500 * MILLI, "a twentieth of the TTL later");
    let mut site = Site::held(&options());
    site.sent.clear();
    site.run(6 * SECOND);
    let [renewed, read] = ["/renew/", "?consistent="].map(|text| site.sent_at(text)[0]);
    assert_eq!(read - renewed, 6 * MILLI, "with its answer");
}

/// A network that is cut for longer than the session lives ends no wait.
#[test]
fn a_wait_whose_session_has_expired_begins_anew() {
    let mut site = Site::new(&options());
    let other = site.consul.session().create().expect("it is valid");
    hold_for(&mut site, &other.to_string());
    site.start();
    site.run(2 * SECOND);
    for down in [|_: &str| Fate::Refused, |_: &str| Fate::Lost, |_: &str| Fate::Status(503)] {
        site.network = down;
        site.run(60 * SECOND);
        assert_eq!(site.outcome(), None, "it waits: {:?}", site.learned);
        site.network = healthy;
        site.run(20 * SECOND);
        assert_eq!(site.sessions(), 2, "its own is a new one");
    }
    site.consul.destroy(other).expect("it exists");
    site.run(40 * SECOND);
    assert!(site.may_act(), "{:?}", site.learned);
    site.stop();
    site.run(SECOND);
    assert_eq!((site.outcome(), site.sessions()), (Some(&Outcome::Released), 0));
}

#[test]
fn a_single_try_that_begins_anew_ends_in_its_time() {
    let mut options = options();
    (options.tries, options.wait_time) = (Tries::Once, 45 * SECOND);
    let mut site = Site::new(&options);
    let other = site.consul.session().create().expect("it is valid");
    hold_for(&mut site, &other.to_string());
    site.start();
    site.run(2 * SECOND);
    site.network = |_| Fate::Refused;
    site.run(58 * SECOND);
    assert_eq!(site.outcome(), Some(&Outcome::NotAcquired));
}

/// Another client takes the key as a lock.
fn hold_for(site: &mut Site, session: &str) {
    let target = format!("/v1/kv/{KEY}?acquire={session}&flags={}", lictor_recipes::LOCK_FLAG);
    let handle = site.consul.request(&HttpRequest::new("PUT", &target, b"other"));
    assert_eq!(site.consul.poll(handle).map(|it| it.text()), Some("true".into()));
}

/// An acquire that a proxy delivers ten seconds late must not lock the key after all.
#[test]
fn an_acquire_that_is_answered_after_the_stop_is_given_back() {
    let mut options = options();
    options.request_timeout = 20 * SECOND;
    let (mut site, session) = with_session(&mut options);
    site.network = |line| {
        if line.contains("acquire=") { Fate::Takes(10 * SECOND) } else { healthy(line) }
    };
    site.start();
    site.run(SECOND);
    site.stop();
    site.run(8 * SECOND);
    assert_eq!(site.holder(), None);
    site.run(13 * SECOND);
    assert_eq!((site.holder(), site.outcome()), (None, Some(&Outcome::Released)));
    assert!(!site.sent_at(&format!("release={session}")).is_empty());
    assert_eq!(site.sessions(), 1, "it is the caller's");
}

/// The first of two copies of an acquire arrives after the lock was held and released.
#[test]
fn a_copy_of_an_acquire_that_arrives_after_the_release_is_given_back() {
    let mut options = options();
    let (mut site, _) = with_session(&mut options);
    site.network = |line| {
        if line.contains("acquire=") { Fate::Takes(6 * SECOND) } else { healthy(line) }
    };
    site.start();
    site.run(SECOND);
    site.network = healthy;
    site.run(2 * SECOND);
    assert!(site.may_act(), "a second copy was answered");
    site.stop();
    site.run(SECOND);
    assert_eq!((site.holder(), site.outcome()), (None, None), "it waits for the first copy");
    site.run(4 * SECOND);
    assert_eq!((site.holder(), site.outcome()), (None, Some(&Outcome::Released)));
    assert_eq!(site.sent_at("release=").len(), 2);
}

#[test]
fn an_acquire_whose_fate_stays_unknown_makes_the_release_uncertain() {
    let mut options = options();
    let (mut site, _) = with_session(&mut options);
    site.network = |line| if line.contains("acquire=") { Fate::Lost } else { healthy(line) };
    site.start();
    site.run(SECOND);
    site.stop();
    site.run(11 * SECOND);
    let Some(Outcome::NotReleased { until: LockedUntil::CallersSession, .. }) = site.outcome()
    else {
        panic!("{:?}", site.outcome());
    };
}

#[test]
fn the_lock_delay_after_a_failed_release_counts_from_the_end_of_the_session() {
    let mut site = Site::held(&options());
    site.network = |line| match line {
        _ if line.contains("release=") => Fate::Lost,
        _ if line.contains("session/destroy") => Fate::Takes(4 * SECOND),
        _ => healthy(line),
    };
    site.stop();
    while site.sessions() > 0 {
        site.run(SECOND);
    }
    let ended = site.now();
    site.run(10 * SECOND);
    let Some(Outcome::NotReleased { until: LockedUntil::Time(until), .. }) = site.outcome() else {
        panic!("{:?}", site.outcome());
    };
    let lock_delay = 15 * SECOND;
    assert!(*until > ended.plus(lock_delay - SECOND), "{until} after {ended}");
    assert!(*until < ended.plus(lock_delay + 5 * SECOND), "{until} after {ended}");
}

/// Options with a session of the caller, and the site.
fn with_session(options: &mut ContenderOptions) -> (Site, String) {
    let mut consul = Consul::seeded(7);
    let session = consul.session().create().expect("it is valid").to_string();
    options.session = Some(session.as_str().into());
    (Site { consul, ..Site::new(options) }, session)
}

/// A wait with a session of the caller repeats what may pass without end, but not what can never
/// succeed.
#[test]
fn a_wait_ends_when_the_session_of_the_caller_does_not_exist() {
    let mut options = options();
    let (mut site, session) = with_session(&mut options);
    let other = site.consul.session().create().expect("it is valid").to_string();
    hold_for(&mut site, &other);
    site.start();
    site.run(SECOND);
    site.network = |_| Fate::Refused;
    site.run(600 * SECOND);
    assert_eq!(site.outcome(), None, "the network may come back");
    site.network = healthy;
    site.run(5 * SECOND);
    site.consul.destroy(session.as_str()).expect("it exists");
    let target = format!("/v1/kv/{KEY}?release={other}&flags={}", lictor_recipes::LOCK_FLAG);
    site.consul.request(&HttpRequest::new("PUT", &target, b"other"));
    site.run(12 * SECOND);
    let expected = Outcome::Failed(ProgramError::SessionExpired);
    let last = &site.sent[site.sent.len() - 8..];
    assert_eq!(site.outcome(), Some(&expected), "{last:?}");
}
