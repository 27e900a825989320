//! Folds the events outside the server into the record: faults of hosts and links, lost messages,
//! reports of programs, and writes to guarded resources.

use alloc::string::ToString;
use alloc::sync::Arc;

use lictor_core::id::{ActorName, CheckId, Index, ProgramName};
use lictor_core::store::catalog::SERF_HEALTH;
use lictor_core::time::Instant;
use lictor_recipes::Report;

use super::Record;
use super::chunked_log::forget;
use super::event_row::{EventCall, EventResult, EventSource, Note};
use super::lock::AttemptResult;
use super::resource::WriteMark;
use super::row_keys::RowKey;
use crate::call::Call;
use crate::event::{ProgramEvent, Travel, Used};
use crate::fault::Fault;
use crate::link::Leg;
use crate::world::own_node;

impl Record {
    /// Records that a fault begins or ends.
    pub(super) fn fault_changed(&mut self, at: Instant, fault: &Fault, reply: EventResult) {
        let actor = fault.actor().and_then(|actor| self.actor_tag(actor)).cloned();
        self.changed_rows.extend(actor.iter().map(|actor| RowKey::Actor(actor.name.clone())));
        if reply == EventResult::Fault {
            self.marks.faults.push(at);
        }
        if let (Fault::Crash { actor, .. }, EventResult::Fault) = (fault, &reply) {
            self.forget_session(actor);
        }
        if let Fault::NodeSilent { actor, .. } = fault {
            self.gossip_changed(at, actor, reply == EventResult::Fault);
        }
        self.cut_changed(at, fault, reply == EventResult::Fault);
        let source = actor.map_or(EventSource::Server, EventSource::Actor);
        let call = match reply {
            EventResult::Mended => EventCall::Repair(fault.clone()),
            _ => EventCall::Fault(fault.clone()),
        };
        let note = match fault {
            Fault::Failover => Note::ClocksRestarted,
            Fault::LeaderLost(_) if reply == EventResult::Mended => Note::ClocksRestarted,
            _ => Note::Nothing,
        };
        self.push(at, source, call, (reply, note));
    }

    /// Records that gossip loses the node of a client, or reaches it again.
    pub(super) fn gossip_changed(&mut self, at: Instant, actor: &ActorName, is_lost: bool) {
        let path = (own_node(actor).folded(), CheckId::from(SERF_HEALTH).folded());
        let Some(track) = self.health_checks.get_mut(&path) else { return };
        let track = Arc::make_mut(track);
        if is_lost {
            track.silence_began(at);
        } else {
            track.silence_ended(at);
        }
        self.changed_rows.insert(RowKey::Check(path));
    }

    pub(super) fn resource_written(&mut self, at: Instant, used: &Used) {
        let Some(actor) = self.actor_tag(&used.actor).cloned() else { return };
        let track = Arc::make_mut(self.resources.entry(used.resource.clone()).or_default());
        forget(&mut track.writes, &|write| write.at < self.begin);
        let number = track.made + 1;
        track.made = number;
        let (reply, note) = match &used.verdict {
            Ok(()) => (EventResult::Accepted, Note::Nothing),
            Err(rejected) => (EventResult::Rejected, Note::Rejected(rejected.clone())),
        };
        track.writes.push(WriteMark { at, actor: actor.clone(), number, reply: reply.clone() });
        let call = EventCall::Write { resource: used.resource.to_string(), number };
        self.push(at, EventSource::Actor(actor), call, (reply, note));
    }

    /// Adds a row for a message that was lost or is repeated. Arrivals and late answers have none;
    /// a broken call has that of [`Record::failed`].
    pub(super) fn message_travelled(&mut self, at: Instant, travel: &Travel) {
        match travel {
            Travel::RequestLost { call, .. } => {
                self.message_lost(at, (call, None), Leg::Request);
            }
            Travel::AnswerLost { call, outcome, .. } => {
                self.message_lost(at, (call, outcome.effects.logged), Leg::Answer);
            }
            Travel::SentAgain { call, segment, number } => {
                self.request_sent_again(at, call);
                let note = Note::SentAgain(*segment, *number);
                self.push_call(at, (call, None), (EventResult::SentAgain, note));
            }
            Travel::Repeated { call, .. } => {
                self.push_call(at, (call, None), (EventResult::SentAgain, Note::Repeated));
            }
            Travel::Arrived { .. }
            | Travel::Broken { .. }
            | Travel::Late { .. }
            | Travel::HungUp { .. } => {}
        }
    }

    fn message_lost(
        &mut self,
        at: Instant,
        (call, logged): (&Arc<Call>, Option<Index>),
        half: Leg,
    ) {
        if self.checks.is_open(call.id) {
            self.record_attempt(at, call, AttemptResult::Unknown);
            self.push_call(at, (call, logged), (EventResult::NoAnswer, Note::Lost(half)));
        }
    }

    /// Adds rows for the events of a program that are no calls: that it was added to a client, its
    /// orders, and those of its reports that no answer in the list expresses.
    pub(super) fn program_event(
        &mut self,
        at: Instant,
        (program, actor): (&ProgramName, &ActorName),
        event: &ProgramEvent,
    ) {
        match event {
            ProgramEvent::Reports(report) if is_news(report) => {
                let reported = (EventResult::Reported, Note::Report(report.clone()));
                self.push_program(at, (program, actor), reported);
            }
            ProgramEvent::Spawned => {
                self.push_program(at, (program, actor), (EventResult::Added, Note::Nothing));
            }
            ProgramEvent::Ordered(order) => {
                let ordered = (EventResult::Ordered(*order), Note::Nothing);
                self.push_program(at, (program, actor), ordered);
            }
            ProgramEvent::Believes(_)
            | ProgramEvent::Reports(_)
            | ProgramEvent::Due(_)
            | ProgramEvent::Restarted(_) => {}
        }
    }

    fn push_program(
        &mut self,
        at: Instant,
        (program, actor): (&ProgramName, &ActorName),
        end: (EventResult, Note),
    ) {
        if let Some(actor) = self.actor_tag(actor).cloned() {
            let call = EventCall::Program(program.clone());
            self.push(at, EventSource::Actor(actor), call, end);
        }
    }
}

/// Whether a report gets a row of its own, because no answer in the list expresses it.
fn is_news(report: &Report) -> bool {
    match report {
        Report::Acquired { .. }
        | Report::Lost(_)
        | Report::Released
        | Report::ReleasedNothing
        | Report::GaveUp(_)
        | Report::Failed(_)
        | Report::RenewerStopped(_)
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
