//! The settings of a service for Consul's service mesh: its kind, its settings as a proxy, and
//! whether it takes part without one. The catalog keeps and returns all of it, and gives each
//! service of the mesh a virtual address; nothing is proxied. Contradictory settings are refused in
//! Consul's words.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::Ipv4Addr;

use serde::{Deserialize, Serialize};

use super::catalog::{Service, ServicePort};
use crate::id::{Folded, go_lower, go_quoted};
use crate::json::Json;

/// The kind of a service that is the proxy of another one.
pub const CONNECT_PROXY: &str = "connect-proxy";

/// The kinds of services at the borders of a mesh, of which the first two need a port.
const GATEWAYS: [&str; 4] =
    ["mesh-gateway", "terminating-gateway", "ingress-gateway", "api-gateway"];

/// The name of the tagged address that the catalog gives to services of the mesh.
pub const VIRTUAL: &str = "consul-virtual";

/// The address before the first virtual one.
const BEFORE_VIRTUAL: u32 = u32::from_be_bytes([240, 0, 0, 0]);

/// The virtual addresses of services, as numbers from 1 on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct VirtualAddresses {
    by_service: BTreeMap<Folded, u32>,
    highest: u32,
    /// The one that became free last; Consul uses no other one again (MSH-06).
    free: Option<u32>,
}

impl VirtualAddresses {
    /// The address of a service, which gets one if it has none.
    pub(super) fn of(&mut self, service: &str) -> Ipv4Addr {
        let (highest, free) = (&mut self.highest, &mut self.free);
        let number = self.by_service.entry(Folded::new(service)).or_insert_with(|| {
            free.take().unwrap_or_else(|| {
                *highest += 1;
                *highest
            })
        });
        Ipv4Addr::from(BEFORE_VIRTUAL.wrapping_add(*number))
    }

    /// Frees the address of a service that has lost its last instance.
    pub(super) fn release(&mut self, service: &str) {
        if let Some(number) = self.by_service.remove(&Folded::new(service)) {
            self.free = Some(number);
        }
    }
}

impl Service {
    /// The service that clients in the mesh reach through this one: the destination of a proxy, or
    /// itself if it takes part without a proxy (MSH-05).
    pub fn mesh_name(&self) -> Option<Arc<str>> {
        match (&*self.kind == CONNECT_PROXY, self.is_native) {
            (true, _) => Some(Arc::from(text(&self.proxy.value(), "DestinationServiceName"))),
            (false, true) => Some(self.name.clone()),
            (false, false) => None,
        }
    }

    /// Whether it is a proxy or a gateway.
    pub fn is_of_mesh(&self) -> bool {
        &*self.kind == CONNECT_PROXY || GATEWAYS.contains(&&*self.kind)
    }

    /// The contradiction in the settings of the service for the mesh and in its ports, in the words
    /// of Consul; `None` if there is none (MSH-02, V22-20).
    pub fn fault(&self) -> Option<String> {
        let mut faults = Vec::new();
        let locality = self.locality.value();
        if text(&locality, "Region").is_empty() && !text(&locality, "Zone").is_empty() {
            faults.push("zone cannot be set without region".to_string());
        }
        let proxy = self.proxy.value();
        if &*self.kind == CONNECT_PROXY {
            self.proxy_faults(&proxy, &mut faults);
        }
        if GATEWAYS.contains(&&*self.kind) {
            self.gateway_faults(&proxy, &mut faults);
        }
        if self.is_native && self.is_unreachable() {
            faults.push("Port or SocketPath must be set for a Connect native service.".into());
        }
        if self.has_ports() && self.port != 0 {
            faults.push("Cannot set both Port and Ports".into());
        }
        faults.extend(self.port_fault());
        let errors = if faults.len() == 1 { "error" } else { "errors" };
        let lines: String = faults.iter().map(|fault| format!("\t* {fault}\n")).collect();
        (!faults.is_empty()).then(|| format!("{} {errors} occurred:\n{lines}\n", faults.len()))
    }

    fn is_unreachable(&self) -> bool {
        self.port == 0 && self.socket_path.is_empty()
    }

    fn has_ports(&self) -> bool {
        self.ports.as_ref().is_some_and(|ports| !ports.is_empty())
    }

    /// What is wrong with its named ports.
    fn port_fault(&self) -> Option<String> {
        let (mut names, mut has_default) = (BTreeSet::new(), false);
        for ServicePort { name, port, is_default } in self.ports.iter().flatten() {
            if name.trim().is_empty() {
                return Some("Ports.Name cannot be empty".into());
            }
            if *port <= 0 {
                return Some("Ports.Port must be greater than zero".into());
            }
            if !names.insert(name) {
                return Some(format!("Ports.Name {} has to be unique", go_quoted(name)));
            }
            if has_default && *is_default {
                return Some("Only one port can be marked as default".into());
            }
            has_default |= is_default;
        }
        let fault = "One of the Ports must be marked as Default";
        (self.has_ports() && !has_default).then(|| fault.into())
    }

    fn proxy_faults(&self, proxy: &Json, faults: &mut Vec<String>) {
        if self.has_ports() {
            faults.push(format!("Ports cannot be set for a {CONNECT_PROXY}"));
        }
        if self.is_unreachable() {
            faults.push(format!("Port or SocketPath must be set for a {CONNECT_PROXY}"));
        }
        let what = match text(proxy, "DestinationServiceName") {
            "" => Some("be non-empty"),
            "*" => Some("not be a wildcard"),
            _ => None,
        };
        faults.extend(what.map(|what| {
            format!("Proxy.DestinationServiceName must {what} for Connect proxy services")
        }));
        if self.is_native {
            faults.push("A Proxy cannot also be Connect Native, only typical services".into());
        }
        upstream_faults(items(proxy, "Upstreams"), faults);
        let exposed = proxy.member("Expose");
        exposed_faults(exposed.map(|exposed| items(exposed, "Paths")).unwrap_or_default(), faults);
    }

    fn gateway_faults(&self, proxy: &Json, faults: &mut Vec<String>) {
        let kind = &self.kind;
        if self.has_ports() {
            faults.push(format!("Ports cannot be set for a {kind}"));
        }
        if GATEWAYS[..2].contains(&&**kind) && self.port == 0 {
            faults.push(format!("Port must be non-zero for a {kind}"));
        }
        let of_proxies = [
            "DestinationServiceName",
            "DestinationServiceID",
            "LocalServiceAddress",
            "LocalServicePort",
            "LocalServiceSocketPath",
            "Upstreams",
        ];
        let given = of_proxies.into_iter().filter(|name| proxy.member(name).is_some());
        let fault = |name| format!("The Proxy.{name} configuration is invalid for a {kind}");
        faults.extend(given.map(fault));
    }
}

/// What is wrong with the services that a proxy connects to.
fn upstream_faults(upstreams: &[Json], faults: &mut Vec<String>) {
    let (mut targets, mut addresses) = (BTreeSet::new(), BTreeSet::new());
    for upstream in upstreams {
        if let Some(fault) = upstream_fault(upstream) {
            faults.push(fault);
            continue;
        }
        let member = |name| text(upstream, name);
        let is_local = matches!(member("DestinationPartition"), "" | "default");
        if !member("DestinationPeer").is_empty() && !is_local {
            let fault = "upstreams must target peers in the same partition as the service";
            faults.push(fault.into());
            continue;
        }
        let part = |(word, name)| format!("{word}={}", go_quoted(member(name)));
        let target = [
            ("type", "DestinationType"),
            ("name", "DestinationName"),
            ("partition", "DestinationPartition"),
            ("namespace", "DestinationNamespace"),
            ("peer", "DestinationPeer"),
            ("datacenter", "Datacenter"),
        ];
        let target = target.map(part).join(", ");
        let address = match (member("LocalBindSocketPath"), member("LocalBindAddress")) {
            ("", "") => format!("127.0.0.1:{}", number(upstream, "LocalBindPort")),
            ("", address) if address.contains(':') => {
                format!("[{address}]:{}", number(upstream, "LocalBindPort"))
            }
            ("", address) => format!("{address}:{}", number(upstream, "LocalBindPort")),
            (path, _) => path.into(),
        };
        if targets.contains(&target) {
            faults.push(format!("upstreams cannot contain duplicates of [{target}]"));
            continue;
        }
        targets.insert(target);
        if addresses.contains(&address) {
            faults.push(format!(
                "upstreams cannot contain duplicates by local bind address and port or unix path; \
                 {} is specified twice",
                go_quoted(&address)
            ));
        }
        addresses.insert(address);
    }
}

/// What is wrong with one upstream alone.
fn upstream_fault(upstream: &Json) -> Option<String> {
    let member = |name| text(upstream, name);
    let has_port = number(upstream, "LocalBindPort") != 0;
    let has_socket = !member("LocalBindSocketPath").is_empty();
    let fault = match (member("DestinationType"), member("DestinationName")) {
        ("" | "service" | "prepared_query", "") => "upstream destination name cannot be empty",
        ("" | "service" | "prepared_query", "*") => {
            "upstream destination name cannot be a wildcard"
        }
        ("" | "service" | "prepared_query", _) => match (has_port, has_socket) {
            _ if !member("DestinationPeer").is_empty() && !member("Datacenter").is_empty() => {
                "upstream cannot specify both destination peer and datacenter"
            }
            (false, false) => {
                "upstream local bind port or local socket path must be defined and nonzero"
            }
            (true, true) => {
                "only one of upstream local bind port or local socket path can be defined and \
                 nonzero"
            }
            _ => return None,
        },
        (other, _) => {
            return Some(format!("unknown upstream destination type: {}", go_quoted(other)));
        }
    };
    Some(fault.into())
}

/// What is wrong with the paths that a proxy exposes without the mesh.
fn exposed_faults(paths: &[Json], faults: &mut Vec<String>) {
    let mut ports = BTreeSet::new();
    for path in paths {
        let (name, port) = (text(path, "Path"), number(path, "ListenerPort"));
        let protocol = go_lower(text(path, "Protocol"));
        let mut push = |fault: &str| faults.push(format!("expose.paths: {fault}"));
        if name.is_empty() {
            push("empty path exposed");
        }
        if !ports.insert(port) {
            push("duplicate listener ports exposed");
        }
        if !(1..=65_535).contains(&port) {
            push(&format!("invalid listener port: {port}"));
        }
        if !matches!(&*protocol, "" | "http" | "http2") {
            faults.push(format!(
                "protocol '{protocol}' not supported for path: {name}, must be in: [http http2]"
            ));
        }
    }
}

fn text<'a>(object: &'a Json, name: &str) -> &'a str {
    object.member(name).and_then(Json::as_text).unwrap_or_default()
}

fn number(object: &Json, name: &str) -> i64 {
    object.member(name).and_then(Json::as_i64).unwrap_or_default()
}

fn items<'a>(object: &'a Json, name: &str) -> &'a [Json] {
    object.member(name).map(Json::items).unwrap_or_default()
}
