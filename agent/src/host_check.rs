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
        match listens.ip().is_loopback() {
            true => Self::Local { names: names.iter().map(|it| it.to_lowercase()).collect() },
            false => Self::Any,
        }
    }

    /// The forbidden host of a request, if it has one. Browsers always send a host; a request
    /// without one comes from another program.
    pub(crate) fn refused(&self, head: &Parts) -> Option<String> {
        let Self::Local { names } = self else { return None };
        let is_allowed = |host: &str| is_local(host) || names.contains(&host.to_lowercase());
        if let Some(host) = head.uri.host() {
            let host = host.trim_matches(['[', ']']);
            return (!is_allowed(host)).then(|| host.to_owned());
        }
        let mut hosts = head.headers.get_all(HOST).iter();
        let refused = hosts.find(|value| !value.to_str().is_ok_and(|it| is_allowed(name(it))));
        refused.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    }
}

/// The name or address in a `Host` header, without the port.
fn name(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    }
}

/// Whether a browser reaches this host without DNS, so that no rebinding is possible.
fn is_local(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let is_localhost = host.eq_ignore_ascii_case("localhost");
    host.is_empty() || is_localhost || host.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn refused(check: &HostCheck, target: &str, host: Option<&str>) -> Option<String> {
        let mut request = Request::builder().uri(target);
        if let Some(host) = host {
            request = request.header(HOST, host);
        }
        check.refused(&request.body(()).expect("a request").into_parts().0)
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
            assert_eq!(refused(&check, "/v1/kv/a", host), None, "{host:?}");
        }
        for host in ["evil.example:8500", "localhost.evil.example", "127.0.0.1.evil.example", "x"] {
            assert_eq!(refused(&check, "/v1/kv/a", Some(host)).as_deref(), Some(host));
        }
    }

    #[test]
    fn the_host_of_a_whole_url_counts_instead_of_the_header() {
        let check = HostCheck::new(SocketAddr::from(([127, 0, 0, 1], 8500)), &[]);
        assert_eq!(refused(&check, "http://[::1]:8500/v1/kv/a", Some("x")), None);
        let refused = refused(&check, "http://evil.example/v1/kv/a", Some("localhost"));
        assert_eq!(refused.as_deref(), Some("evil.example"));
    }

    #[test]
    fn a_server_beyond_loopback_takes_every_host() {
        let check = HostCheck::new(SocketAddr::from(([0, 0, 0, 0], 8500)), &[]);
        assert_eq!(refused(&check, "/v1/kv/a", Some("consul.internal")), None);
    }
}
