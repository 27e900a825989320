//! Protects a server on a loopback address from DNS rebinding: requests for a host name that an
//! attacker could register, and make resolve to 127.0.0.1, are refused (see SECURITY.md).

use std::net::IpAddr;

use crate::address::ListenAddress;
use crate::wire::head::RequestHead;

/// The host names that requests may have.
pub(crate) enum HostCheck {
    /// Any name: the server listens beyond the loopback interface, where its names are not known,
    /// or on a socket in the file system, which no browser reaches.
    Any,
    /// IP addresses, names that the public DNS does not have, and these names in lower case.
    Local { names: Vec<String> },
}

/// Domains that are reserved for local use (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`), and
/// Consul's own. The public DNS does not have them, so no name under them can be registered.
const LOCAL_DOMAINS: [&str; 6] = ["localhost", "internal", "local", "home.arpa", "test", "consul"];

impl HostCheck {
    pub(crate) fn new(address: &ListenAddress, names: &[String]) -> Self {
        if matches!(address, ListenAddress::Tcp(address) if address.ip().is_loopback()) {
            Self::Local { names: names.iter().map(|it| canonical(it)).collect() }
        } else {
            Self::Any
        }
    }

    /// Refuses a request for a forbidden host. Browsers always send a host; a request without one
    /// comes from another program.
    pub(crate) fn admit(&self, head: &RequestHead) -> Result<(), ForbiddenHost> {
        let (Self::Local { names }, Some(host)) = (self, &head.host) else { return Ok(()) };
        let name = canonical(name(host));
        if names.contains(&name) || needs_no_dns(&name) {
            return Ok(());
        }
        if !is_local(&name) {
            return Err(ForbiddenHost::Public(host.clone()));
        }
        // Only an attacker with control of the local network can serve a page of such a name, and a
        // browser adds its origin to each request that writes.
        match head.request.header("origin") {
            Some(_) => Err(ForbiddenHost::Page(host.clone())),
            None => Ok(()),
        }
    }
}

/// The error of a request with a host that a server on a loopback address refuses.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ForbiddenHost {
    #[error(
        "host {0:?} is refused: this server listens on a loopback address, and takes IP \
         addresses, names that the public DNS does not have, and the names given by --allow-host"
    )]
    Public(String),
    #[error(
        "a web page of host {0:?} is refused: this server listens on a loopback address, and \
         takes pages of IP addresses, localhost, and the names given by --allow-host"
    )]
    Page(String),
}

/// A name in lower case, without the dot that may end it.
fn canonical(name: &str) -> String {
    name.trim_end_matches('.').to_lowercase()
}

/// The name or address in a `Host` header, without the port.
fn name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

/// Whether a browser reaches this host without DNS, so that no rebinding is possible.
fn needs_no_dns(name: &str) -> bool {
    name.is_empty() || name == "localhost" || name.parse::<IpAddr>().is_ok()
}

/// Whether the public DNS has no such name: it has no dot, or is in a local domain.
fn is_local(name: &str) -> bool {
    let is_in = |domain: &&str| {
        name.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || LOCAL_DOMAINS.iter().any(is_in)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(check: &HostCheck, request: &str) -> Result<(), ForbiddenHost> {
        let head = RequestHead::parse(format!("{request}\r\n\r\n").as_bytes());
        check.admit(&head.expect("a head"))
    }

    fn admit_host(check: &HostCheck, host: &str) -> Result<(), ForbiddenHost> {
        admit(check, &format!("GET /v1/kv/a HTTP/1.1\r\nHost: {host}"))
    }

    fn loopback(names: &[&str]) -> HostCheck {
        let names: Vec<_> = names.iter().map(ToString::to_string).collect();
        HostCheck::new(&ListenAddress::Tcp(([127, 0, 0, 1], 8500).into()), &names)
    }

    #[test]
    fn a_server_on_loopback_accepts_only_names_that_cannot_be_registered() {
        let check = loopback(&["Lock.Example.Com"]);
        for host in [
            "",
            "127.0.0.1:8500",
            "0.0.0.0",
            "localhost",
            "LocalHost.:8500",
            "[::1]:8500",
            "consul",
            "consul:8500",
            "Consul.Service.Consul",
            "host.docker.internal:8500",
            "consul.default.svc.cluster.local.",
            "lock.example.com:8500",
            "lock.example.com.:8500",
        ] {
            assert_eq!(admit_host(&check, host), Ok(()), "{host:?}");
        }
        assert_eq!(admit(&check, "GET /v1/kv/a HTTP/1.0"), Ok(()));
        for host in [
            "evil.example:8500",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evilconsul.com",
            "consul.evil",
            "my.notconsul",
            "example.com.",
        ] {
            assert_eq!(admit_host(&check, host), Err(ForbiddenHost::Public(host.into())));
        }
    }

    #[test]
    fn a_page_of_a_local_name_may_not_write() {
        let check = loopback(&["app.test"]);
        for (host, is_admitted) in [
            ("consul:8500", false),
            ("consul.internal", false),
            ("127.0.0.1:8500", true),
            ("localhost:8500", true),
            ("app.test", true),
        ] {
            let put = format!("PUT /v1/kv/a HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}");
            let forbidden = ForbiddenHost::Page(host.into());
            let expected = if is_admitted { Ok(()) } else { Err(forbidden) };
            assert_eq!(admit(&check, &put), expected);
        }
    }

    #[test]
    fn the_host_of_a_whole_url_counts_instead_of_the_header() {
        let check = loopback(&[]);
        let request = "GET http://[::1]:8500/v1/kv/a HTTP/1.1\r\nHost: evil.example";
        assert_eq!(admit(&check, request), Ok(()));
        let request = "GET http://evil.example/v1/kv/a HTTP/1.1\r\nHost: localhost";
        let forbidden = ForbiddenHost::Public("evil.example".into());
        assert_eq!(admit(&check, request), Err(forbidden));
    }

    #[test]
    fn a_server_beyond_loopback_accepts_every_host() {
        let check = HostCheck::new(&ListenAddress::Tcp(([0, 0, 0, 0], 8500).into()), &[]);
        assert_eq!(admit_host(&check, "consul.example.com"), Ok(()));
    }
}
