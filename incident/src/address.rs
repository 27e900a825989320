//! Where a cluster is asked: the commands of an answer ask where its lists were asked for.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The parameters of a request that say which cluster, or which part of it, is asked.
const PLACES: [&str; 3] = ["dc", "ns", "partition"];

/// The address of an agent, as a command of curl has it. It has no character that a shell treats
/// specially.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Address {
    /// The socket of the file system behind the base.
    socket: Option<String>,
    /// The address before `/v1/`, with its scheme.
    base: String,
    /// The datacenter, the namespace and the partition, as the query of a request has them.
    parameters: String,
}

impl Default for Address {
    /// Where an agent serves HTTP unless it is configured otherwise.
    fn default() -> Self {
        let base = "http://127.0.0.1:8500".into();
        Self { socket: None, base, parameters: String::new() }
    }
}

impl Address {
    /// The address in a line that a person typed, such as one with curl.
    pub(crate) fn in_line(line: &str) -> Option<Self> {
        let words = || line.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
        let (base, path) = words().find(|word| word.contains("/v1/"))?.split_once("/v1/")?;
        let socket = words().skip_while(|word| *word != "--unix-socket").nth(1);
        // A host without a scheme can be the end of anything.
        let has_host = ["http://", "https://"]
            .iter()
            .any(|scheme| base.strip_prefix(scheme).is_some_and(|host| !host.is_empty()));
        let is_plain = |text: &str| {
            let is_known = |it: char| {
                it.is_ascii_alphanumeric()
                    || matches!(it, ':' | '/' | '.' | '-' | '_' | '[' | ']' | '%')
            };
            text.chars().all(is_known)
        };
        let is_usable = has_host && is_plain(base) && socket.is_none_or(is_plain);
        let query = path.split_once('?').map_or("", |(_, query)| query);
        let places = |pair: &&str| {
            let place = pair.split_once('=');
            place.is_some_and(|(name, value)| PLACES.contains(&name) && is_plain(value))
        };
        let parameters = query.split('&').filter(places).collect::<Vec<_>>().join("&");
        is_usable.then(|| Self { socket: socket.map(String::from), base: base.into(), parameters })
    }

    /// The command that gets a path with the head of its answer, which has the time.
    pub(crate) fn get(&self, path: &str) -> String {
        let socket = self.socket.as_ref().map(|path| format!(" --unix-socket {path}"));
        format!("curl -si{} '{}'", socket.unwrap_or_default(), self.url(path))
    }

    /// The command with these options of curl for a path.
    pub(crate) fn command(&self, options: &[&str], path: &str) -> String {
        let address = self.url(path);
        let socket = self.socket.iter().flat_map(|path| ["--unix-socket", path.as_str()]);
        let words = ["curl"].into_iter().chain(options.iter().copied()).chain(socket);
        shell_words::join(words.chain([address.as_str()]))
    }

    /// The address of a path with its query.
    fn url(&self, path: &str) -> String {
        let sign = if path.contains('?') { '&' } else { '?' };
        let parameters =
            (!self.parameters.is_empty()).then(|| format!("{sign}{}", self.parameters));
        format!("{}{path}{}", self.base, parameters.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_asks_where_the_typed_one_asked() {
        for (line, command) in [
            ("$ curl -si 'http://10.0.0.7:8500/v1/kv/a'", "curl -si 'http://10.0.0.7:8500/v1/x'"),
            ("$ curl -s https://c.test/consul/v1/kv/a", "curl -si 'https://c.test/consul/v1/x'"),
            (
                "$ curl -s 'http://c.test:8500/v1/kv/a?recurse&dc=dc%202&token=t&ns=team'",
                "curl -si 'http://c.test:8500/v1/x?dc=dc%202&ns=team'",
            ),
            (
                "$ curl -si --unix-socket /run/c.sock 'http://localhost/v1/kv/a?consistent'",
                "curl -si --unix-socket /run/c.sock 'http://localhost/v1/x'",
            ),
        ] {
            let address = Address::in_line(line).map(|address| address.get("/v1/x"));
            assert_eq!(address.as_deref(), Some(command), "{line}");
        }
        for line in [
            "$ curl -si localhost:8500/v1/kv/a",
            "GET /v1/kv/a",
            "$ curl 'http:///v1/kv/a'",
            "$ curl http://h;reboot/v1/kv/a",
            "$ curl --unix-socket $(reboot) http://localhost/v1/kv/a",
        ] {
            assert_eq!(Address::in_line(line), None, "{line}");
        }
    }
}
