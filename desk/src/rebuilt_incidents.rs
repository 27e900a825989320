//! Incidents as an engineer rebuilds them by keyboard: requests and `consul lock` in the console,
//! faults in the words of a trace. The time of each event follows from the rules that are named
//! beside it. Messages take no time in these worlds, so the numbers are exact.

use lictor_core::time::Instant;
use lictor_sim::trace::{Names, TraceWriter, act_of};

use crate::console::test_world::Fixture;

/// The session of `consul lock` has a TTL of 15 s and is renewed each 7.5 s; its lock-delay is the
/// server's default of 15 s. Without another renewal it ends after twice its TTL (TTL-03).
const END: u64 = 30_000;
const LOCK_DELAY: u64 = 15_000;

/// Acquires the key with the session that the client has created last.
const ACQUIRE: &str = "curl -X PUT -d me \"localhost:8500/v1/kv/db/leader?acquire=$S\"";

/// Three clients and the commands that they enter.
struct Incident(Fixture);

impl Incident {
    fn new() -> Self {
        Self(Fixture::new(&["web-1", "web-2", "web-3"]))
    }

    /// Clients that run `consul lock` one after the other from the beginning on.
    fn of_lock(clients: &[&str], options: &str) -> Self {
        let mut incident = Self::new();
        for client in clients {
            incident.enter(client, &format!("consul lock {options} backup"));
        }
        incident
    }

    /// The first client holds the key with a session of these members, and the second has a session
    /// too.
    fn of_session(members: &str) -> Self {
        let mut incident = Self::new();
        incident.hold(members);
        incident
    }

    fn hold(&mut self, members: &str) {
        for (client, members) in [("web-1", members), ("web-2", "")] {
            let data = format!("-d '{{{members}}}' localhost:8500/v1/session/create");
            self.enter(client, &format!("S=$(curl -s -X PUT {data} | jq -r .ID)"));
        }
        assert_eq!(self.enter("web-1", ACQUIRE), "true");
    }

    /// Lets time pass up to a moment, in milliseconds since the beginning.
    fn until(&mut self, milliseconds: u64) -> &mut Self {
        let now = self.0.world().now();
        self.0.pass(Instant::from_millis(milliseconds).since(now));
        self
    }

    /// Enters a command as a client, and returns the answer.
    fn enter(&mut self, client: &str, command: &str) -> String {
        self.0.paste(client, command).unwrap_or_default()
    }

    /// What the second client is answered if it tries to acquire the key at these moments.
    fn acquires(&mut self, moments: [u64; 3]) -> [String; 3] {
        moments.map(|moment| self.until(moment).enter("web-2", ACQUIRE))
    }

    /// Performs an act in the words of a trace, such as a fault.
    fn act(&mut self, actor: &str, words: &str) -> &mut Self {
        let act = act_of(actor, words, &Names::default()).expect(words);
        self.0.past.perform(act).expect(words);
        self
    }

    /// The time of the first line of the trace with these words, in milliseconds.
    fn when(&self, words: &str) -> Option<u64> {
        let events = self.0.past.timeline().here().events(0..u64::MAX);
        let lines = TraceWriter::default().lines_of(&events);
        let line = lines.iter().find(|line| line.to_string().contains(words))?;
        u64::try_from(line.at.since(Instant::EPOCH).as_millis()).ok()
    }

    fn is_held(&self) -> bool {
        self.0.world().store().kv().get("db/leader").is_some_and(|entry| entry.holder().is_some())
    }
}

/// The last renewal before 20 s.
const RENEWED: u64 = 15_000;

#[test]
fn after_a_killed_leader_the_lock_delay_follows_and_after_a_stopped_one_none() {
    let mut killed = Incident::of_lock(&["web-1", "web-2"], "db");
    killed.until(20_000).act("web-1", "crashes").until(90_000);
    let end = RENEWED + END;
    assert_eq!(killed.when("S1 ends: not renewed for twice its TTL"), Some(end));
    // The end of a session that holds a key arms its delay (DLY-02, DLY-03).
    assert_eq!(killed.when("db/.lock can be locked again"), Some(end + LOCK_DELAY));
    assert_eq!(killed.when("consul-lock-2 believes it holds"), Some(end + LOCK_DELAY));

    let mut stopped = Incident::of_lock(&["web-1", "web-2"], "db");
    stopped.until(20_000).act("server", "orders consul-lock-1 stop").until(30_000);
    // A release arms no delay (LCK-10, DLY-02), and wakes the client that waits.
    assert_eq!(stopped.when("consul-lock-1 counts the lock as released"), Some(20_000));
    assert_eq!(stopped.when("consul-lock-2 believes it holds"), Some(20_000));
    assert_eq!(stopped.when("cannot be locked until"), None);
}

#[test]
fn a_pause_of_25_s_loses_the_lock_if_it_lasts_beyond_twice_the_ttl_since_a_renewal() {
    let mut kept = Incident::of_lock(&["web-1", "web-2"], "db");
    kept.until(16_000).act("web-1", "pauses for=25s").until(90_000);
    // It ends at 41 s, before 15 + 30 s (TTL-03).
    assert_eq!(kept.when("S1 ends"), None);
    assert_eq!(kept.when("consul-lock-2 believes it holds"), None);

    let mut lost = Incident::of_lock(&["web-1", "web-2"], "db");
    lost.until(21_000).act("web-1", "pauses for=25s").until(90_000);
    let end = RENEWED + END;
    assert_eq!(lost.when("S1 ends: not renewed for twice its TTL"), Some(end));
    // The paused process learns it when it runs again at 46 s, within the delay (DLY-03).
    assert_eq!(lost.when("consul-lock-1 knows that it has lost the lock"), Some(46_000));
    assert_eq!(lost.when("consul-lock-2 believes it holds"), Some(end + LOCK_DELAY));
}

#[test]
fn a_cut_of_5_s_delays_a_renewal_and_one_of_40_s_makes_two_holders() {
    // Linux sends a segment again after 0.208 s, and then waits longer each time: five waits make
    // 3.328 s, eight make 26.752 s.
    let (fifth, eighth) = (3_328, 26_752);
    let mut short = Incident::of_lock(&["web-1", "web-2"], "db");
    short.until(20_000).act("web-1", "cut for=5s").until(90_000);
    // The renewal of 22.5 s arrives with the first repetition after the cut, at 25.8 s.
    assert_eq!(short.when("renew S1  -> sent again (5)"), Some(22_500 + fifth));
    assert_eq!(short.when("S1 ends"), None);

    let mut long = Incident::of_lock(&["web-1", "web-2"], "db");
    long.until(20_000).act("web-1", "cut for=40s").until(90_000);
    let end = RENEWED + END;
    assert_eq!(long.when("S1 ends: not renewed for twice its TTL"), Some(end));
    assert_eq!(long.when("consul-lock-2 believes it holds"), Some(end + LOCK_DELAY));
    // The answer to the watch, sent at the end of the session, arrives as late: until then two
    // clients believe that they hold the lock.
    let knows = long.when("consul-lock-1 knows that it has lost the lock");
    assert_eq!(knows, Some(end + eighth));
    assert!(knows > Some(end + LOCK_DELAY));
}

#[test]
fn without_a_lock_delay_the_key_is_free_when_the_session_ends() {
    let mut incident = Incident::of_session(r#""TTL": "10s", "LockDelay": "0s""#);
    incident.until(1_000).act("web-1", "crashes");
    // It is held until twice the TTL (LCK-04, TTL-03), and a delay of zero arms nothing (DLY-03).
    assert_eq!(incident.acquires([15_000, 19_999, 20_000]), ["false", "false", "true"]);
    assert_eq!(incident.when("S1 ends: not renewed for twice its TTL"), Some(20_000));
}

#[test]
fn a_failing_check_ends_the_session_at_once_and_the_delay_follows() {
    let register = |status: &str| {
        let check = format!(r#"{{"CheckID": "disk", "Name": "disk", "Status": "{status}"}}"#);
        let body = format!(r#"{{"Node": "web-1", "SkipNodeUpdate": true, "Check": {check}}}"#);
        format!("curl -X PUT -d '{body}' localhost:8500/v1/catalog/register")
    };
    let mut incident = Incident::new();
    assert_eq!(incident.enter("web-1", &register("passing")), "true");
    incident.hold(r#""NodeChecks": ["serfHealth", "disk"]"#);
    incident.until(5_000);
    assert_eq!(incident.enter("web-1", &register("critical")), "true");
    // The entry that stores the check ends its sessions (CAT-01), and the delay begins (DLY-02).
    assert!(!incident.is_held());
    assert_eq!(incident.when("S1 ends"), Some(5_000));
    assert_eq!(incident.acquires([5_000, 19_999, 20_000]), ["false", "false", "true"]);
}

#[test]
fn a_key_that_was_deleted_with_its_session_cannot_be_locked_during_the_delay() {
    let mut incident = Incident::of_session(r#""Behavior": "delete""#);
    incident.until(5_000).enter("web-1", "curl -X PUT localhost:8500/v1/session/destroy/$S");
    assert!(incident.0.world().store().kv().get("db/leader").is_none(), "the key is deleted");
    // The delay is armed with either behavior (DLY-02), and applies to a missing key (DLY-05).
    assert_eq!(incident.acquires([5_000, 19_999, 20_000]), ["false", "false", "true"]);
    let entry = incident.0.world().store().kv().get("db/leader").expect("it is new");
    assert_eq!(entry.lock_index, 1, "LCK-01");
}

#[test]
fn the_slot_of_a_dead_holder_is_taken_when_its_session_ends() {
    let mut incident = Incident::of_lock(&["web-1", "web-2", "web-3"], "-n 2 jobs");
    incident.until(20_000).act("web-1", "crashes").until(90_000);
    let end = RENEWED + END;
    // The session of a semaphore deletes its key. The delay is one of that key alone (DLY-02), and
    // the next holder has another key.
    assert_eq!(incident.when("S1 ends: not renewed for twice its TTL, deletes jobs/S1"), Some(end));
    assert_eq!(incident.when("jobs/S1 can be locked again"), Some(end + LOCK_DELAY));
    assert_eq!(incident.when("consul-lock-3 believes it holds"), Some(end));
    assert_eq!(incident.when("consul-lock-3 takes S1 from the list"), Some(end));
}

#[test]
fn a_key_of_a_session_without_a_ttl_is_false_until_somebody_destroys_the_session() {
    let mut incident = Incident::of_session("");
    incident.until(1_000).act("web-1", "crashes");
    // It has no timer (TTL-01) and a healthy node, so it holds the key for ever (LCK-04, SES-26).
    assert_eq!(incident.acquires([60_000, 3_600_000, 86_400_000]), ["false"; 3]);
    incident.enter("web-2", "H=$(curl -s localhost:8500/v1/kv/db/leader | jq -r '.[0].Session')");
    incident.enter("web-2", "curl -X PUT localhost:8500/v1/session/destroy/$H");
    assert!(!incident.is_held());
    let destroyed = 86_400_000;
    let moments = [destroyed, destroyed + LOCK_DELAY - 1, destroyed + LOCK_DELAY];
    assert_eq!(incident.acquires(moments), ["false", "false", "true"]);
}
