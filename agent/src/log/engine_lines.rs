//! The lines of the log about the engine, made from its answers and events: sessions that expired,
//! locks that were refused because of a lock-delay, checks and services of the agent, user events,
//! and a new leader. They are those of Consul.

use lictor_core::engine::{Effect, Event, Input, Stamped, Timer};
use lictor_core::error::Reason;
use lictor_core::id::{CheckId, Folded, Key, NodeName, ServiceId};
use lictor_core::message::LogLevel::{Debug, Info, Warn};
use lictor_core::message::{AgentCall, Answer, Operation, Request, Response};
use lictor_core::store::catalog::{Check, CheckStatus, Service};
use lictor_core::store::txn::{TxnError, TxnOp, TxnVerb};
use lictor_core::store::{Change, KvVerb};
use lictor_core::time::Instant;

use super::{AGENT, Log, LogLine, SERVER};

/// The part of a step's input that its lines need; the engine consumes the input.
#[derive(Debug)]
pub(crate) enum InputNote {
    /// The acquire of a key.
    Acquire(Key),
    /// A transaction: the positions and keys of its locks.
    Txn(Vec<(usize, Key)>),
    /// A report of the state of a check.
    StatusReport(CheckId, CheckStatus),
    /// The begin or end of maintenance, of a service or of the node.
    Maintenance { service: Option<ServiceId>, begins: bool },
    /// Another call to the agent that changes its checks and services.
    OfAgent,
    /// Anything else.
    Other,
}

impl From<&Input> for InputNote {
    fn from(input: &Input) -> Self {
        let Input::Request { request: Request { operation, .. }, .. } = input else {
            return Self::Other;
        };
        match operation {
            Operation::Kv { key, verb: KvVerb::Acquire { .. } } => Self::Acquire(key.clone()),
            Operation::Txn(ops) => Self::Txn(ops.iter().enumerate().filter_map(lock).collect()),
            Operation::Agent(call) => Self::of_agent_call(call),
            _ => Self::Other,
        }
    }
}

fn lock((position, op): (usize, &TxnOp)) -> Option<(usize, Key)> {
    match op {
        TxnOp::Kv { key, verb: TxnVerb::Write(KvVerb::Acquire { .. }) } => {
            Some((position, key.clone()))
        }
        _ => None,
    }
}

impl InputNote {
    fn of_agent_call(call: &AgentCall) -> Self {
        match call {
            AgentCall::UpdateCheck { id, status, .. } => {
                Self::StatusReport(id.clone(), status.clone())
            }
            AgentCall::Maintenance { service, reason } => {
                Self::Maintenance { service: service.clone(), begins: reason.is_some() }
            }
            AgentCall::RegisterCheck { .. }
            | AgentCall::DeregisterCheck(_)
            | AgentCall::RegisterService { .. }
            | AgentCall::DeregisterService(_) => Self::OfAgent,
            _ => Self::Other,
        }
    }

    /// Whether the input may change checks and services of the agent.
    fn is_of_agent(&self) -> bool {
        matches!(self, Self::StatusReport(..) | Self::Maintenance { .. } | Self::OfAgent)
    }
}

/// Writes the lines of one step. Timers that were due must have fired in a step before it, so that
/// each change is that of the input, or of the timer that fired last.
pub(crate) fn write(log: &Log, node: &NodeName, note: &InputNote, effects: &[Effect]) {
    let mut fired: Option<&Timer> = None;
    let mut changes = AgentChanges::default();
    for effect in effects {
        match effect {
            Effect::Reply { result: Ok(response), .. } => answered(log, note, response),
            Effect::Event(Stamped { at, event, .. }) => match (event, fired) {
                (Event::Fired(timer), _) => {
                    fired = Some(timer);
                    if let Timer::SessionTtl(session) = timer {
                        log.write_at(*at, Debug, SERVER, "Session TTL expired", |line| {
                            line.with("session", session.to_string())
                        });
                    }
                }
                (Event::LeaderChanged { .. }, _) => new_leader(log, node),
                (Event::Changed(change), Some(Timer::CheckTtl(node, check))) => {
                    check_expired(log, *at, change, (node, check));
                }
                (Event::Changed(change), None) if note.is_of_agent() => changes.add(change),
                _ => {}
            },
            _ => {}
        }
    }
    changes.write(log, note);
}

/// Writes that this server has become the leader.
pub(crate) fn new_leader(log: &Log, node: &NodeName) {
    log.write(Info, SERVER, "cluster leadership acquired", |line| line);
    log.write(Info, SERVER, "New leader elected", |line| line.with("payload", node.as_str()));
}

fn answered(log: &Log, note: &InputNote, response: &Response) {
    match (note, &response.answer) {
        (InputNote::Acquire(key), _) => {
            lock_refused(log, "agent.server.kvs", key, response.reason.as_ref());
        }
        (InputNote::Txn(locks), Answer::Txn { outcome: Err(errors), .. }) => {
            for TxnError { position, reason, .. } in errors {
                if let Some((_, key)) = locks.iter().find(|(index, _)| index == position) {
                    lock_refused(log, "agent.server.txn", key, reason.as_ref());
                }
            }
        }
        (InputNote::StatusReport(check, status), _) => {
            log.write(Debug, AGENT, "Check status updated", |line| {
                line.with("check", check.as_str()).with("status", status.as_str())
            });
        }
        (_, Answer::EventFired(event)) => {
            let name = &*event.fired.name;
            log.write(Debug, SERVER, "User event", |line| line.with("event", name));
            log.write(Debug, AGENT, "new event", |line| {
                line.with("event_name", name).with("event_id", event.id.to_string())
            });
        }
        _ => {}
    }
}

fn lock_refused(log: &Log, module: &'static str, key: &Key, reason: Option<&Reason>) {
    let Some(Reason::LockDelay { until, .. }) = reason else { return };
    log.write(Warn, module, "Rejecting lock of key due to lock-delay", |line| {
        line.with("key", key.as_str()).with("expire_time", go_time(log, *until))
    });
}

/// A time as Go prints it: the date, and the time since the start of the process.
fn go_time(log: &Log, at: Instant) -> String {
    let date = log.clock.date(at).strftime("%Y-%m-%d %H:%M:%S%.f %z %Z").to_string();
    let (seconds, nanos) = (at.as_nanos() / 1_000_000_000, at.as_nanos() % 1_000_000_000);
    format!("{date} m=+{seconds}.{nanos:09}")
}

/// Writes the lines about a check whose TTL has passed, and about an alias that followed it.
/// `change` is that of either.
fn check_expired(log: &Log, at: Instant, change: &Change, expired: (&Folded, &Folded)) {
    let Change::CheckWritten { before, after: check, .. } = change else { return };
    let (node, id) = check.path();
    let named = |line: LogLine| line.with("check", check.id.as_str());
    if (&node, &id) == expired {
        log.write_at(at, Warn, AGENT, "Check missed TTL, is now critical", named);
    }
    if is_synced_at_once(before.as_deref(), check) {
        log.write_at(at, Info, AGENT, "Synced check", named);
    }
}

/// Whether a check differs in more than its output, which an agent of Consul syncs minutes later.
fn is_synced_at_once(before: Option<&Check>, after: &Check) -> bool {
    let with_output = |before: &Check| Check {
        output: after.output.clone(),
        modify_index: after.modify_index,
        ..before.clone()
    };
    before.is_none_or(|before| with_output(before) != *after)
}

/// The services and checks that a call to the agent changed. A real agent synchronises them with
/// the catalog a moment later, a service together with its checks.
#[derive(Default)]
struct AgentChanges<'a> {
    written: (Vec<&'a Service>, Vec<&'a Check>),
    deleted: (Vec<&'a Service>, Vec<&'a Check>),
}

impl<'a> AgentChanges<'a> {
    fn add(&mut self, change: &'a Change) {
        match change {
            Change::ServiceWritten { after, .. } => self.written.0.push(after),
            Change::CheckWritten { before, after, .. }
                if is_synced_at_once(before.as_deref(), after) =>
            {
                self.written.1.push(after);
            }
            Change::ServiceDeleted { before } => self.deleted.0.push(before),
            Change::CheckDeleted { before } => self.deleted.1.push(before),
            _ => {}
        }
    }

    fn write(&self, log: &Log, note: &InputNote) {
        let (services, checks) = &self.deleted;
        for check in checks {
            log.write(Debug, AGENT, "removed check", |line| line.with("check", check.id.as_str()));
        }
        for service in services {
            let named = |line: LogLine| line.with("service", service.id.as_str());
            log.write(Debug, AGENT, "removed service", named);
        }
        // Without a change the maintenance had already begun or ended.
        if let InputNote::Maintenance { service, begins } = note
            && !(self.written.1.is_empty() && self.deleted.1.is_empty())
        {
            maintained(log, service.as_ref(), *begins);
        }
        synced(log, &self.written, "Synced service", "Synced check");
        synced(log, &self.deleted, "Deregistered service", "Deregistered check");
    }
}

fn maintained(log: &Log, service: Option<&ServiceId>, begins: bool) {
    let message = match (service, begins) {
        (None, true) => "Node entered maintenance mode",
        (None, false) => "Node left maintenance mode",
        (Some(_), true) => "Service entered maintenance mode",
        (Some(_), false) => "Service left maintenance mode",
    };
    log.write(Info, AGENT, message, |line| match service {
        None => line,
        Some(service) => line.with("service", service.as_str()),
    });
}

/// Writes a line for each service, and for each check that belongs to none of them.
fn synced(
    log: &Log,
    (services, checks): &(Vec<&Service>, Vec<&Check>),
    of_service: &'static str,
    of_check: &'static str,
) {
    for service in services {
        log.write(Info, AGENT, of_service, |line| line.with("service", service.id.as_str()));
    }
    for check in checks {
        let with_service = |id: &ServiceId| services.iter().any(|service| service.id == *id);
        if !check.service.as_ref().is_some_and(with_service) {
            log.write(Info, AGENT, of_check, |line| line.with("check", check.id.as_str()));
        }
    }
}
