//! The published semaphore guide as people paste it: three contenders and two slots, one holder
//! dies, the waiter takes its slot. No id is copied by hand.

use lictor_core::engine::Event;
use lictor_core::id::{ActorName, RequestId};
use lictor_sim::{Act, EventKind, SimEvent, World};

use super::*;
use crate::request_log::ExchangeId;

const CREATE: &str = "curl  -X PUT -d '{\"Name\": \"db-semaphore\"}' \\\n  \
                      http://localhost:8500/v1/session/create";
const CONTEND: &str = "curl -X PUT -d web-1 \
                       http://localhost:8500/v1/kv/service/db/<session>?acquire=<session>";
const FIRST: &str = "curl -X PUT -d '{\"Limit\": 2, \"Holders\": [\"<session>\"]}' \
                     http://localhost:8500/v1/kv/service/db/.lock?cas=0";
const READ: &str = "curl http://localhost:8500/v1/kv/service/db?recurse";
const JOIN: &str = "curl -X PUT -d '{\"Limit\": 2, \"Holders\": [\"<session>\", \"<other>\"]}' \
                    http://localhost:8500/v1/kv/service/db/.lock?cas=<lock-modify-index>";
const WATCH: &str =
    "curl \"http://localhost:8500/v1/kv/service/db?recurse&index=<index>&wait=60s\"";
const DESTROY: &str = "PUT /v1/session/destroy/<session>";
const LEAVE: &str = "PUT /v1/kv/<lock>?cas=<lock-modify-index> {\"Limit\": 2, \"Holders\": \
                     [\"<other>\"]}\nDELETE /v1/kv/<prefix>/<session>";

/// A world with the console in front of it.
struct Seat {
    world: World,
    transcript: Transcript,
}

impl Seat {
    fn new(actors: &[&str]) -> Self {
        let mut world = World::new(42);
        for name in actors {
            world.perform(Act::Join { actor: ActorName::from(*name) });
        }
        Self { world, transcript: Transcript::default() }
    }

    /// Pastes an input as an actor and gives the last command's answer, if it has one.
    fn paste(&mut self, actor: &str, input: &str) -> Option<String> {
        self.transcript.submit(&ActorName::from(actor), input).expect("the guide is well formed");
        loop {
            match self.transcript.next(self.world.now()) {
                NextStep::Send { actor, request } => {
                    let moments = self.world.perform(Act::Request { actor, request });
                    moments.iter().for_each(|moment| self.tell(moment));
                }
                NextStep::Stop(rejected) => panic!("{rejected:?}"),
                NextStep::Nothing => return self.answer(self.transcript.entries().last()?.number),
            }
        }
    }

    fn tell(&mut self, moment: &SimEvent) {
        let (at, transcript) = (moment.at, &mut self.transcript);
        match &moment.kind {
            EventKind::Sent { id, actor, request, .. } => {
                transcript.sent(at, number(*id), actor, request);
            }
            EventKind::Answered { id, response, .. } => {
                transcript.answered(at, number(*id), response, None);
            }
            EventKind::Server { event: Event::Parked { id, .. }, .. } => {
                transcript.parked(at, number(*id));
            }
            _ => {}
        }
    }

    fn answer(&self, number: u64) -> Option<String> {
        let EntryState::Answered(answered) = &self.transcript.entry(number)?.progress else {
            return None;
        };
        match &answered.view.body {
            BodyView::Pretty(text) => Some(text.clone()),
            other => panic!("{other:?}"),
        }
    }

    fn holders(&self) -> String {
        let lock =
            self.world.store().kv().get("service/db/.lock").expect("the semaphore's document");
        String::from_utf8_lossy(&lock.value).into_owned()
    }
}

/// The ID in the answer of a session's creation.
fn id(answer: Option<String>) -> String {
    answer.expect("an answer").split('"').nth(3).expect("an ID").to_owned()
}

#[test]
fn the_semaphore_guide_runs_without_copying_an_id() {
    let mut seat = Seat::new(&["web-1", "web-2", "web-3"]);
    let yes = Some("true".to_owned());
    let [a, b, c] = ["web-1", "web-2", "web-3"].map(|actor| {
        let session = id(seat.paste(actor, CREATE));
        assert_eq!(seat.paste(actor, CONTEND), yes);
        session
    });
    assert_eq!(seat.paste("web-1", FIRST), yes);
    assert_eq!(seat.paste("web-2", &format!("{READ}\n{JOIN}")), yes);
    assert_eq!(seat.holders(), format!("{{\"Limit\": 2, \"Holders\": [\"{b}\", \"{a}\"]}}"));

    assert_eq!(seat.paste("web-3", &format!("{READ}\n{WATCH}")), None, "both slots are taken");
    let watch = seat.transcript.entries().last().expect("the watch").number;
    let waiting = &seat.transcript.entry(watch).expect("the watch").progress;
    assert!(matches!(waiting, EntryState::Waiting { id: ExchangeId(_), .. }), "{waiting:?}");
    assert_eq!(seat.paste("web-1", DESTROY), yes);
    assert!(seat.answer(watch).is_some(), "the end of the first session wakes the third");

    assert_eq!(seat.paste("web-3", JOIN), yes, "the dead holder is pruned by this very command");
    assert_eq!(seat.holders(), format!("{{\"Limit\": 2, \"Holders\": [\"{c}\", \"{b}\"]}}"));
    assert_eq!(seat.paste("web-2", &format!("{READ}\n{LEAVE}\n{DESTROY}")), yes);
    assert_eq!(seat.holders(), format!("{{\"Limit\": 2, \"Holders\": [\"{c}\"]}}"));
    assert!(seat.world.store().kv().get(&format!("service/db/{b}")).is_none());
    seat.world.check_invariants();
}

#[test]
fn a_stale_index_is_refused_and_a_new_read_heals_it() {
    let mut seat = Seat::new(&["web-1", "web-2"]);
    seat.paste("web-1", &format!("{CREATE}\n{CONTEND}\n{FIRST}"));
    seat.paste("web-2", &format!("{CREATE}\n{CONTEND}\n{READ}"));
    seat.paste("web-1", &format!("{READ}\n{LEAVE}"));
    assert_eq!(seat.paste("web-2", JOIN).as_deref(), Some("false"));
    assert_eq!(seat.paste("web-2", &format!("{READ}\n{JOIN}")).as_deref(), Some("true"));
}

/// On one branch the page's numbers are as good as the world's.
fn number(id: RequestId) -> ExchangeId {
    ExchangeId(id.0)
}
