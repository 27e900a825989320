//! The time for which the logs have every request to the cluster: any node may have answered, so
//! it is the time that the logs of all nodes cover.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use jiff::Timestamp;

use crate::log::{LogEvent, NEXT_FILE};
use crate::source::Content;

/// The last time of which the logs have every request to the cluster.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Coverage {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    /// Whether the cluster is new: there was nothing before.
    pub(crate) from_birth: bool,
}

impl Coverage {
    pub(crate) fn has(&self, time: Timestamp) -> bool {
        self.from <= time && time <= self.to
    }
}

/// A time that one file of a log covers.
#[derive(Clone, Debug)]
struct Span {
    from: Timestamp,
    to: Timestamp,
    file: Arc<str>,
}

/// The logs of one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServerLog {
    pub(crate) node: Option<String>,
    spans: Vec<Span>,
    /// When the cluster was new, if the log has it and every line since.
    birth: Option<Timestamp>,
}

/// The logs in the sources, those of the same node together. Files with an identical line about a
/// request are of one log.
pub(crate) fn server_logs(contents: &[Content<'_>]) -> Vec<ServerLog> {
    let mut servers: Vec<ServerLog> = Vec::new();
    let mut server_of_node: BTreeMap<&str, usize> = BTreeMap::new();
    let mut server_of_line: BTreeMap<&str, usize> = BTreeMap::new();
    for content in contents.iter().filter(|content| !content.is_picked) {
        let requests = content.log.iter().filter(|(line, _)| line.request.is_some());
        let lines: Vec<&str> = requests.map(|(_, line)| line.text.as_str()).collect();
        let named = content.node.as_deref().and_then(|node| server_of_node.get(node)).copied();
        let shared = || lines.iter().find_map(|line| server_of_line.get(line)).copied();
        let server = named.or_else(shared).unwrap_or_else(|| {
            servers.push(ServerLog::default());
            servers.len() - 1
        });
        if let Some(node) = content.node.as_deref() {
            server_of_node.insert(node, server);
            servers[server].node = Some(node.into());
        }
        server_of_line.extend(lines.into_iter().map(|line| (line, server)));
        servers[server].add(content);
    }
    servers.retain(|server| !server.spans.is_empty());
    servers.iter_mut().for_each(ServerLog::join);
    servers
}

impl ServerLog {
    fn add(&mut self, content: &Content<'_>) {
        let span = |(from, to): &(Timestamp, Timestamp)| Span {
            from: *from,
            to: *to,
            file: content.name.clone(),
        };
        self.spans.extend(content.covered.iter().map(span));
        let first = content.covered.iter().map(|(from, _)| *from).min();
        // The level may have been another one before the configuration was read again.
        let reloads = content.log.iter().filter(|(line, _)| line.event == Some(LogEvent::Reload));
        let has_reload = reloads.into_iter().any(|(line, _)| Some(line.time) <= first);
        self.birth =
            self.birth.or(content.birth.filter(|birth| Some(*birth) <= first && !has_reload));
    }

    /// Joins spans that overlap, and those of one file after another.
    fn join(&mut self) {
        self.spans.sort_by_key(|span| (span.from, span.to));
        let mut joined: Vec<Span> = Vec::new();
        for span in core::mem::take(&mut self.spans) {
            let follows = |last: &&mut Span| {
                let gap = span.from.duration_since(last.to);
                !gap.is_positive() || (last.file != span.file && gap <= NEXT_FILE)
            };
            match joined.last_mut().filter(follows) {
                Some(last) if span.to > last.to => (last.to, last.file) = (span.to, span.file),
                Some(_) => {}
                None => joined.push(span),
            }
        }
        self.spans = joined;
    }

    pub(crate) fn spans(&self) -> impl Iterator<Item = (Timestamp, Timestamp)> + '_ {
        self.spans.iter().map(|span| (span.from, span.to))
    }
}

/// The last time that the logs of all nodes cover. `nodes` are all nodes of the cluster; `named`
/// are those that other sources name, which must be among them.
pub(crate) fn coverage(
    servers: &[ServerLog],
    nodes: &BTreeSet<&str>,
    named: &BTreeSet<&str>,
) -> Option<Coverage> {
    let is_own =
        |server: &&ServerLog| server.node.as_deref().is_none_or(|node| nodes.contains(node));
    if nodes.is_empty() || !named.is_subset(nodes) {
        return None;
    }
    let mut servers: Vec<ServerLog> = servers.iter().filter(is_own).cloned().collect();
    if nodes.len() == 1 {
        // All logs are of the only node.
        let mut one = ServerLog::default();
        for server in servers {
            one.spans.extend(server.spans);
            one.birth = one.birth.or(server.birth);
        }
        one.join();
        servers = [one].into();
    }
    let mut ends: Vec<Timestamp> =
        servers.iter().flat_map(|server| server.spans().map(|(_, to)| to)).collect();
    ends.sort_unstable();
    // Logs that cover the same time are of different servers.
    ends.into_iter().rev().find_map(|to| {
        let covering =
            |server: &ServerLog| server.spans().find(|(from, end)| *from <= to && to <= *end);
        let froms: Vec<Timestamp> =
            servers.iter().filter_map(|server| covering(server).map(|(from, _)| from)).collect();
        if froms.len() < nodes.len() {
            return None;
        }
        let from = froms.into_iter().max()?;
        let birth = servers.iter().find_map(|server| {
            let first = server.spans().next()?.0;
            server.birth.filter(|_| first == from)
        });
        Some(Coverage { from: birth.unwrap_or(from), to, from_birth: birth.is_some() })
    })
}
