//! Requests for lists, as a log has them and as people type them: what the answer covers.

use alloc::string::{String, ToString};

use percent_encoding::percent_decode_str;

/// What a request lists.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target {
    Sessions,
    SessionsOfNode(String),
    /// One session, by its id.
    Session(String),
    /// The keys that begin with this.
    Keys(String),
    Key(String),
    Nodes,
    Checks,
}

impl Target {
    /// What it lists, in words.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Sessions => "all sessions".to_string(),
            Self::SessionsOfNode(node) => alloc::format!("the sessions of node {node}"),
            Self::Session(_) => "one session".into(),
            Self::Keys(prefix) if prefix.is_empty() => "all keys".into(),
            Self::Keys(prefix) => alloc::format!("the keys below {prefix}"),
            Self::Key(key) => alloc::format!("the key {key}"),
            Self::Nodes => "the nodes".into(),
            Self::Checks => "checks".into(),
        }
    }
}

/// A request for a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ListRequest {
    pub(crate) target: Target,
    pub(crate) datacenter: Option<String>,
    /// The namespace, with the partition before it if the request names one.
    pub(crate) namespace: Option<String>,
    /// Whether the answer may have only a part of what was asked for, because of a filter or a
    /// program that the output went through.
    pub(crate) is_filtered: bool,
    /// Whether any server may answer it, however old its state is.
    pub(crate) is_stale: bool,
    /// What makes it unlike any other request, so that it is the same one in a log.
    pub(crate) tag: Option<String>,
}

/// The parameter that makes a request unlike any other. Consul ignores it.
pub(crate) const TAG: &str = "lictor";

impl ListRequest {
    /// Parses the path and the query of a `GET`.
    pub(crate) fn of_url(url: &str) -> Option<Self> {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let path = path.strip_prefix("/v1/")?;
        let is_given = |name: &str| parameter(query, name).is_some();
        let target = if path == "session/list" {
            Target::Sessions
        } else if let Some(node) = path.strip_prefix("session/node/") {
            Target::SessionsOfNode(decoded(node))
        } else if let Some(id) = path.strip_prefix("session/info/") {
            Target::Session(decoded(id))
        } else if path == "catalog/nodes" {
            Target::Nodes
        } else if path.starts_with("health/") {
            Target::Checks
        } else if let Some(key) = path.strip_prefix("kv/") {
            if is_given("keys") || is_given("raw") {
                return None;
            }
            if is_given("recurse") { Target::Keys(decoded(key)) } else { Target::Key(decoded(key)) }
        } else {
            return None;
        };
        let namespace = parameter(query, "ns").map(|namespace| {
            let partition = parameter(query, "partition");
            partition.map_or(namespace.clone(), |it| alloc::format!("{it}/{namespace}"))
        });
        let namespace = namespace.or_else(|| parameter(query, "partition"));
        Some(Self {
            target,
            datacenter: parameter(query, "dc").filter(|name| !name.is_empty()),
            namespace: namespace.filter(|name| !name.is_empty()),
            is_filtered: is_given("filter") || is_given("node-meta"),
            is_stale: is_given("stale"),
            tag: parameter(query, TAG).filter(|tag| !tag.is_empty()),
        })
    }

    /// Finds the request in a line that a person typed, such as one with curl.
    pub(crate) fn in_line(line: &str) -> Option<Self> {
        let url = &line[line.find("/v1/")?..];
        let is_end = |it: char| it.is_whitespace() || matches!(it, '\'' | '"' | '`' | '|' | ')');
        let end = url.find(is_end).unwrap_or(url.len());
        // A shell has `\&` and `\?` where no quotes are around the address.
        let mut request = Self::of_url(&url[..end].replace('\\', ""))?;
        // A program can add the query to the address: `curl -G -d recurse`, `http URL recurse==`.
        let mut words = url[end..].split('|').next().unwrap_or_default().split_whitespace();
        if let Target::Key(key) = &request.target
            && words.any(|word| word.trim_matches(['\'', '"', '=']) == "recurse")
        {
            request.target = Target::Keys(key.clone());
        }
        let mut programs = line.split('|').skip(1).map(str::trim);
        request.is_filtered |= programs.any(|program| !only_formats(program));
        Some(request)
    }
}

/// Whether a program after a pipe keeps all that it reads.
fn only_formats(program: &str) -> bool {
    let program = program.split(['>', ';']).next().unwrap_or_default().trim();
    let mut words = program.split_whitespace();
    match words.next() {
        Some("jq") => words.all(|word| matches!(word.trim_matches(['\'', '"']), "." | "-S" | "-M")),
        Some("python" | "python3" | "python2") => program.ends_with("-m json.tool"),
        Some("tee" | "cat" | "less" | "json_pp" | "pbcopy") => true,
        _ => false,
    }
}

/// A parameter of a query, decoded; "" if it has no value.
pub(crate) fn parameter(query: &str, name: &str) -> Option<String> {
    let mut pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.find(|(named, _)| *named == name).map(|(_, value)| decoded(value))
}

pub(crate) fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_request_says_what_its_answer_covers() {
        let keys = |prefix: &str| Target::Keys(prefix.into());
        for (line, target, is_filtered) in [
            ("$ curl -si 'localhost:8500/v1/kv/jobs/?recurse'", keys("jobs/"), false),
            ("$ curl -s localhost:8500/v1/kv/a%20b", Target::Key("a b".into()), false),
            ("$ curl -s http://h/v1/session/list | jq .", Target::Sessions, false),
            ("$ curl -s http://h/v1/session/list | python -m json.tool", Target::Sessions, false),
            ("$ curl -s http://h/v1/session/list | jq '.[0]'", Target::Sessions, true),
            ("$ curl -s http://h/v1/kv/?recurse | head -20", keys(""), true),
            ("curl h/v1/session/node/n2", Target::SessionsOfNode("n2".into()), false),
            (r"$ curl -s localhost:8500/v1/kv/a/\?recurse\&pretty", keys("a/"), false),
            ("$ curl -sG localhost:8500/v1/kv/a/ -d recurse | jq .", keys("a/"), false),
            ("$ http :8500/v1/kv/a/ recurse==", keys("a/"), false),
        ] {
            let request = ListRequest::in_line(line).unwrap();
            assert_eq!((request.target, request.is_filtered), (target, is_filtered), "{line}");
        }
        assert_eq!(ListRequest::in_line("curl -XPUT h/v1/session/destroy/s"), None);
        let of_team = ListRequest::of_url("/v1/kv/?recurse&dc=dc2&ns=team").unwrap();
        assert_eq!(of_team.datacenter.as_deref(), Some("dc2"));
        assert_eq!(of_team.namespace.as_deref(), Some("team"));
    }
}
