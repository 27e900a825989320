//! What happens outside the server: faults of hosts and links, messages that are lost, what
//! programs say, and writes to guarded resources.

use std::rc::Rc;

use lictor_core::id::{ActorName, ProgramName, RequestId};
use lictor_core::time::Instant;
use lictor_recipes::Report;
use lictor_sim::{Fault, ProgramEvent, Travel, Used};

use super::{Call, Granted, LostHalf, Note, Record, Reply, Source, Touch, Who, forget};

/// The writes to one guarded resource, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourceTrack {
    pub writes: Vec<WriteMark>,
    /// How many there were.
    made: u64,
}

#[cfg(test)]
impl ResourceTrack {
    pub fn of(writes: Vec<WriteMark>) -> Self {
        Self { made: writes.len() as u64, writes }
    }
}

/// One write, and whether it was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteMark {
    pub at: Instant,
    pub who: Who,
    /// Counted from 1 for the resource.
    pub number: u64,
    pub reply: Reply,
}

impl Record {
    /// Something goes wrong, or is mended.
    pub(super) fn failed(&mut self, at: Instant, fault: &Fault, reply: Reply) {
        let who = fault.actor().and_then(|actor| self.who(actor)).cloned();
        self.touched.extend(who.iter().map(|who| Touch::Actor(who.name.clone())));
        if reply == Reply::Fault {
            self.marks.faults.push(at);
        }
        if let (Fault::Crash { actor, .. }, Reply::Fault) = (fault, &reply) {
            self.believes_nothing(at, actor);
        }
        let source = who.map_or(Source::Server, Source::Actor);
        self.push(at, source, Call::Fault(fault.clone()), (reply, Note::Nothing));
    }

    pub(super) fn used(&mut self, at: Instant, used: &Used) {
        let Some(who) = self.who(&used.actor).cloned() else { return };
        let track = Rc::make_mut(self.resources.entry(used.resource.clone()).or_default());
        forget(&mut track.writes, &|write| write.at < self.begin);
        let number = track.made + 1;
        track.made = number;
        let (reply, note) = match &used.verdict {
            Ok(()) => (Reply::Accepted, Note::Nothing),
            Err(rejected) => (Reply::Rejected, Note::Rejected(rejected.clone())),
        };
        track.writes.push(WriteMark { at, who: who.clone(), number, reply: reply.clone() });
        let call = Call::Write { resource: used.resource.to_string(), number };
        self.push(at, Source::Actor(who), call, (reply, note));
    }

    /// What became of a message that did not simply arrive.
    pub(super) fn travelled(&mut self, at: Instant, travel: &Travel) {
        match travel {
            Travel::RequestLost { call, .. } => self.lost(at, *call, LostHalf::Request),
            Travel::AnswerLost { call, .. } => self.lost(at, *call, LostHalf::Answer),
            Travel::Arrived { .. }
            | Travel::Broken { .. }
            | Travel::Late { .. }
            | Travel::HungUp { .. } => {}
        }
    }

    fn lost(&mut self, at: Instant, call: RequestId, half: LostHalf) {
        let Some(track) = self.calls.get(&call).cloned() else { return };
        self.tried(at, &track, Granted::Unknown);
        self.push_call(at, &track, (Reply::NoAnswer, Note::Lost(half)));
    }

    /// What a program does that is no call: what it believes, and what it tells its user.
    pub(super) fn acted(
        &mut self,
        at: Instant,
        (program, actor): (&ProgramName, &ActorName),
        deed: &ProgramEvent,
    ) {
        match deed {
            ProgramEvent::Believes(belief) => self.believes(at, program, belief),
            ProgramEvent::Reports(report) if is_news(report) => {
                let Some(who) = self.who(actor).cloned() else { return };
                let call = Call::Program(program.clone());
                let said = (Reply::Says, Note::Said(report.clone()));
                self.push(at, Source::Actor(who), call, said);
            }
            ProgramEvent::Reports(_)
            | ProgramEvent::Spawned
            | ProgramEvent::Ordered(_)
            | ProgramEvent::Due(_)
            | ProgramEvent::Restarted(_) => {}
        }
    }
}

/// Whether a report says what no answer in the list says.
fn is_news(report: &Report) -> bool {
    match report {
        Report::Acquired { .. }
        | Report::Lost(_)
        | Report::Released
        | Report::GaveUp(_)
        | Report::Failed(_)
        | Report::KeeperStopped(_)
        | Report::Pruned(_)
        | Report::Leader(_)
        | Report::Child(_)
        | Report::Exited(_) => true,
        Report::SessionCreated(_)
        | Report::TokenKnown(_)
        | Report::Destroyed
        | Report::Answered { .. }
        | Report::NothingToDo { .. }
        | Report::Written { .. }
        | Report::Polled { .. } => false,
    }
}
