//! Builds a record from the state of a world whose earlier events are no longer kept. It contains
//! the present sessions, locks and semaphores; earlier holders and the beliefs of people are lost.

use alloc::string::ToString;
use alloc::vec::Vec;

use lictor_core::engine::Event;

use super::Record;
use super::session::SessionTrack;
use super::tags::ActorTag;
use crate::belief::BeliefChange;
use crate::call::CallStage;
use crate::checks::Checks;
use crate::fault::Fault;
use crate::world::World;

impl Record {
    /// The record of a world whose events are not known.
    pub(super) fn of_world(world: &World) -> Self {
        let (event_count, begin) = (world.event_count(), world.now());
        let version = world.config().version;
        let checks = Checks::of(world);
        let mut record = Self { event_count, begin, version, checks, ..Self::default() };
        for actor in world.actors() {
            record.add_actor(&actor.name);
        }
        let waiting = world.pending().filter(|(_, pending)| pending.stage == CallStage::Waits);
        record.parked = waiting.map(|(id, pending)| (id, pending.call.clone())).collect();
        record.add_sessions(world);
        for entry in world.store().kv().with_prefix("") {
            record.key_written(begin, entry.modify_index, None, entry, None);
            record.key_version(begin, &entry.key, Some(entry.clone()));
        }
        for check in world.store().catalog().checks() {
            record.check_written(begin, check, None);
        }
        for active in world.active_faults() {
            record.cut_changed(begin, &active.fault, true);
            if let Fault::NodeSilent { actor, .. } = &active.fault {
                record.gossip_changed(begin, actor, true);
            }
        }
        for delay in world.lock_delays() {
            record.server(begin, delay.index, &Event::DelayArmed(delay.clone()), None);
        }
        for (name, running) in world.programs() {
            let belief = running.program.belief();
            let change = BeliefChange::of_program(name, &running.actor, belief);
            let keys: Vec<_> = change.begins.iter().map(|held| held.key.clone()).collect();
            record.change_beliefs(begin, change, &keys);
        }
        record
    }

    /// A session is attributed to the client on its node.
    fn add_sessions(&mut self, world: &World) {
        let mut sessions = world.store().sessions().iter().cloned().collect::<Vec<_>>();
        sessions.sort_by_key(|one| one.create_index);
        for session in sessions {
            let clock = world.session_clock(session.id);
            let owner = world.actors().iter().find(|actor| actor.node == session.node);
            let owner: Option<ActorTag> =
                owner.and_then(|actor| self.actor_tag(&actor.name)).cloned();
            let tag = self.next_tag(owner, &session.id.to_string());
            let started = clock.map_or(world.now(), |clock| clock.renewed);
            let mut track = SessionTrack::new(started, session.clone(), tag);
            (track.first_clock, track.clock) = (clock, clock);
            self.put_session(track);
        }
    }
}
