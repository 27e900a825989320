//! The world of a new page: one server and three clients at the time 0.

use lictor_core::ConsulVersion;
use lictor_core::engine::Config;
use lictor_core::id::ActorName;
use lictor_sim::record::Record;
use lictor_sim::timeline::Timeline;
use lictor_sim::{Act, World};

/// The seed of a fresh sandbox; each one has the same ids.
const SEED: u64 = 42;

/// A fresh sandbox, whose server answers as this version of Consul.
pub fn sandbox(consul: ConsulVersion) -> Timeline<Record> {
    let mut timeline = Timeline::recorded(World::with_config(SEED, Config::of(consul)));
    for name in ["web-1", "web-2", "web-3"] {
        let join = Act::Join { actor: ActorName::from(name) };
        timeline.perform(join).expect("a new world has no clients");
    }
    timeline
}
