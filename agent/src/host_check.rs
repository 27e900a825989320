//! Protects a server on a loopback address from DNS rebinding: a web page whose own host name
//! resolves to 127.0.0.1 must not reach it. service.rs refuses what this does not allow.

use std::net::{IpAddr, SocketAddr};

use hyper::header::HOST;
use hyper::http::request::Parts;

/// The hosts by which requests may name the server.
pub(crate) enum HostCheck {
    /// The server listens beyond the loopback interface, under names that it cannot know.
    Any,
    /// IP addresses, `localhost`, and these names in lower case.
    Local { names: Vec<String> },
}

impl HostCheck {
    pub(crate) fn new(listens: SocketAddr, names: &[String]) -> Self {
        if listens.ip().is_loopback() {
            Self::Local { names: names.iter().map(|it| it.to_lowercase()).collect() }
        } else {
            Self::Any
        }
    }

    /// Refuses a request for a forbidden host. Browsers always send a host; a request without one
    /// comes from another program.
    pub(crate) fn admit(&self, head: &Parts) -> Result<(), ForbiddenHost> {
        let Self::Local { names } = self else { return Ok(()) };
        let is_allowed = |host: &str| needs_no_dns(host) || names.contains(&host.to_lowercase());
        if let Some(host) = head.uri.host() {
            let host = host.trim_matches(['[', ']']);
            return if is_allowed(host) { Ok(()) } else { Err(ForbiddenHost(host.into())) };
        }
        for value in head.headers.get_all(HOST) {
            if !value.to_str().is_ok_and(|host| is_allowed(name(host))) {
                let host = String::from_utf8_lossy(value.as_bytes());
                return Err(ForbiddenHost(host.into_owned()));
            }
        }
        Ok(())
    }
}

/// The host of a request that a server on a loopback address does not take.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "host {0:?} is refused: this server listens on a loopback address, and takes IP addresses, \
     localhost, and the names given by --allow-host"
)]
pub(crate) struct ForbiddenHost(String);

/// The name or address in a `Host` header, without the port.
fn name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

/// Whether a browser reaches this host without DNS, so that no rebinding is possible.
fn needs_no_dns(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let is_localhost = host.eq_ignore_ascii_case("localhost");
    host.is_empty() || is_localhost || host.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn admit(check: &HostCheck, target: &str, host: Option<&str>) -> Result<(), ForbiddenHost> {
        let mut request = Request::builder().uri(target);
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        check.admit(&request.body(()).expect("a request").into_parts().0)
    }

    #[test]
    fn a_server_on_loopback_refuses_the_names_of_other_hosts() {
        let listens = SocketAddr::from(([127, 0, 0, 1], 8500));
        let check = HostCheck::new(listens, &["Consul.Test".into()]);
        for host in [
            None,
            Some(""),
            Some("127.0.0.1:8500"),
            Some("localhost"),
            Some("LocalHost.:8500"),
            Some("[::1]:8500"),
            Some("consul.test:8500"),
        ] {
            assert_eq!(admit(&check, "/v1/kv/a", host), Ok(()), "{host:?}");
        }
        for host in ["evil.example:8500", "localhost.evil.example", "127.0.0.1.evil.example", "x"] {
            let forbidden = ForbiddenHost(host.into());
            assert_eq!(admit(&check, "/v1/kv/a", Some(host)), Err(forbidden));
        }
    }

    #[test]
    fn the_host_of_a_whole_url_counts_instead_of_the_header() {
        let check = HostCheck::new(SocketAddr::from(([127, 0, 0, 1], 8500)), &[]);
        assert_eq!(admit(&check, "http://[::1]:8500/v1/kv/a", Some("x")), Ok(()));
        let forbidden = ForbiddenHost("evil.example".into());
        let target = "http://evil.example/v1/kv/a";
        assert_eq!(admit(&check, target, Some("localhost")), Err(forbidden));
    }

    #[test]
    fn a_server_beyond_loopback_takes_every_host() {
        let check = HostCheck::new(SocketAddr::from(([0, 0, 0, 0], 8500)), &[]);
        assert_eq!(admit(&check, "/v1/kv/a", Some("consul.internal")), Ok(()));
    }
}
