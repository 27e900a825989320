//! The hash by which an agent's client recognizes a service that it has read. It is the one that
//! Consul computes (`hashstructure` over `api.AgentService`), except that the settings of a proxy
//! are hashed as one text.

use super::catalog::{Service, ServicePort};
use crate::version::ConsulVersion;

impl Service {
    /// The hash that a version computes of its content without its node and indexes.
    pub fn content_hash(&self, version: ConsulVersion) -> u64 {
        let tagged = self.tagged_addresses.iter().flatten().map(|(name, address)| {
            let fields =
                [("Address", of_text(&address.address)), ("Port", of_number(address.port))];
            (&**name, of_struct("ServiceAddress", fields))
        });
        let tags = self.tags.iter().flatten();
        let weights = [
            ("Passing", of_number(self.weights.passing)),
            ("Warning", of_number(self.weights.warning)),
        ];
        let connect = [("Native", fnv(&[1])), ("SidecarService", of_number(0))];
        let connect =
            if self.is_native { of_struct("AgentServiceConnect", connect) } else { of_number(0) };
        let pairs = self.meta.iter().flatten().map(|(name, value)| (&**name, of_text(value)));
        let fields = [
            ("Kind", of_text(&self.kind)),
            ("ID", of_text(self.id.as_str())),
            ("Service", of_text(&self.name)),
            ("Tags", tags.fold(NO_ITEMS, |hash, tag| ordered(hash, of_text(tag)))),
            ("Meta", of_pairs(pairs)),
            ("Port", of_number(self.default_port())),
            ("Address", of_text(&self.address)),
            ("SocketPath", of_text(&self.socket_path)),
            ("TaggedAddresses", of_pairs(tagged)),
            ("Weights", of_struct("AgentWeights", weights)),
            ("EnableTagOverride", fnv(&[u8::from(self.enable_tag_override)])),
            ("CreateIndex", of_number(0)),
            ("ModifyIndex", of_number(0)),
            ("ContentHash", of_text("")),
            ("Proxy", if self.is_of_mesh() { of_text(self.proxy.as_str()) } else { of_number(0) }),
            ("Connect", connect),
            ("PeerName", of_text("")),
        ];
        let port = |port: &ServicePort| {
            let fields = [
                ("Name", of_text(&port.name)),
                ("Port", of_number(port.port)),
                ("Default", fnv(&[u8::from(port.is_default)])),
            ];
            of_struct("ServicePort", fields)
        };
        let ports = self.ports.iter().flatten();
        let ports = ports.fold(NO_ITEMS, |hash, item| ordered(hash, port(item)));
        let newer = version.rules().has_newer_members.then_some(("Ports", ports));
        of_struct("AgentService", fields.into_iter().chain(newer))
    }
}

/// The hash of a list without items.
const NO_ITEMS: u64 = 0;

/// FNV-1 of 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*byte);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

fn of_text(text: &str) -> u64 {
    fnv(text.as_bytes())
}

fn of_number(number: i64) -> u64 {
    fnv(&number.to_le_bytes())
}

/// The hash of two hashes whose order matters.
fn ordered(first: u64, second: u64) -> u64 {
    fnv([first.to_le_bytes(), second.to_le_bytes()].as_flattened())
}

/// The hash of named values in any order.
fn of_pairs<'a>(pairs: impl IntoIterator<Item = (&'a str, u64)>) -> u64 {
    pairs.into_iter().fold(0, |hash, (name, value)| hash ^ ordered(of_text(name), value))
}

fn of_struct<'a>(name: &str, fields: impl IntoIterator<Item = (&'a str, u64)>) -> u64 {
    of_text(name) ^ of_pairs(fields)
}
