//! Loss is delay: a client that sends one request after another over a lossy link keeps one
//! connection, each request is carried out once, and the delays are those of a recorded network
//! (`loss.tsv`).

use std::collections::BTreeMap;

use lictor_core::time::Instant;
use lictor_sim::trace::{Names, act_of};
use lictor_sim::{EventKind, SimEvent, Travel, World};

/// Of 200 requests each: one way delay in milliseconds, loss each way in thousandths, and the
/// median and the 95th percentile of the time until the answer of a read and a write, in
/// milliseconds.
const RECORDED: &str = include_str!("loss.tsv");
/// The number of requests, which is large enough for a stable 95th percentile.
const REQUESTS: usize = 2_000;

/// The sorted times until the answers of a program, in milliseconds.
type Times = BTreeMap<String, Vec<f64>>;

fn play(delay: &str, loss: &str) -> (World, Vec<SimEvent>) {
    let mut world = World::new(1);
    let mut events = Vec::new();
    for (actor, words) in [
        ("a", "joins".to_owned()),
        // A local network has 0.2 ms for both ways.
        ("a", format!("links latency={}us loss={loss}", 100 + 1_000 * number(delay) as u64)),
        ("a", "spawns GET script step=\"0s get k\" step=\"1ms repeats\"".to_owned()),
        ("a", "spawns PUT script step=\"0s put k value=x\" step=\"1ms repeats\"".to_owned()),
        ("server", "orders GET start".to_owned()),
        ("server", "orders PUT start".to_owned()),
    ] {
        let act = act_of(actor, &words, &Names::default()).expect("it is written correctly");
        events.extend(world.perform(act).expect("it is possible"));
    }
    let answers = |events: &[SimEvent]| {
        events.iter().filter(|it| matches!(it.kind, EventKind::Answered { .. })).count()
    };
    let mut answered = 0;
    while answered < 2 * REQUESTS {
        let more = world.advance(std::time::Duration::from_secs(1));
        answered += answers(&more);
        events.extend(more);
    }
    (world, events)
}

fn number(text: &str) -> f64 {
    text.parse().expect("a number")
}

/// The times until the answers; fails if something failed or was carried out twice.
fn times(events: &[SimEvent]) -> Times {
    let (mut sent, mut times) = (BTreeMap::<_, Instant>::new(), Times::new());
    let mut arrived = BTreeMap::<_, u32>::new();
    for event in events {
        match &event.kind {
            EventKind::Sent(call) => drop(sent.insert(call.id, event.at)),
            EventKind::Travel(Travel::Arrived { call, .. }) => {
                *arrived.entry(call.id).or_default() += 1;
            }
            EventKind::Answered { call, .. } => {
                let span = event.at.since(sent[&call.id]).as_secs_f64() * 1e3;
                times.entry(call.request.method.clone()).or_default().push(span);
                assert_eq!(arrived.get(&call.id), Some(&1), "{} is carried out once", call.id);
            }
            EventKind::Travel(Travel::Broken { .. } | Travel::Repeated { .. }) => {
                panic!("loss is no error: {event:?}")
            }
            _ => {}
        }
    }
    times.values_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times
}

#[test]
fn loss_delays_requests_as_in_a_recorded_network_and_fails_none() {
    for line in RECORDED.lines().filter(|line| !line.starts_with('#')) {
        let [name, delay, loss, get_median, get_p95, put_median, put_p95] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let (world, events) = play(delay, loss);
        assert_eq!(world.connections().count(), 2, "{name}: each program keeps its connection");
        let times = times(&events);
        for (method, median, p95) in [("GET", get_median, get_p95), ("PUT", put_median, put_p95)] {
            let times = &times[method];
            let found = (times[times.len() / 2], times[times.len() * 95 / 100]);
            let recorded = (number(median), number(p95));
            let is_close = (found.0 - recorded.0).abs() <= 1.0 + recorded.0 / 100.0;
            // A real kernel adapts its timeouts to losses, so its rare long delays are longer.
            let is_close = is_close
                && if number(loss) > 100.0 {
                    (0.3..1.5).contains(&(found.1 / recorded.1))
                } else {
                    (found.1 - recorded.1).abs() <= 300.0
                };
            assert!(is_close, "{name} {method}: replayed {found:?}, recorded {recorded:?}");
        }
    }
}
