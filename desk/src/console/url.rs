//! The target of a request from its address. Host and port are dropped, because a world has one
//! server.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use super::error::ErrorKind;
use super::word::is_slot;

/// The ASCII characters to escape in a request line, which are escaped beside all that are not
/// ASCII.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ');

/// Path and query of an address with or without scheme and host. Fails for another scheme than HTTP
/// and HTTPS.
pub(super) fn target(url: &str) -> Result<String, ErrorKind> {
    let url = url.split('#').next().unwrap_or_default();
    let address = match url.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['/', '?']) => {
            if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
                return Err(ErrorKind::Scheme(scheme.into()));
            }
            rest
        }
        _ if url.starts_with('/') => return Ok(url.into()),
        _ if url.starts_with("v1/") => return Ok(format!("/{url}")),
        _ => url,
    };
    let path = address.find(['/', '?']).map_or("", |start| &address[start..]);
    Ok(if path.starts_with('/') { path.into() } else { format!("/{path}") })
}

/// The target as curl sends it: without the segments `.` and `..` of its path, which begins with a
/// slash. A dot that is percent-encoded is not one of them.
pub(super) fn without_dots(target: &str) -> String {
    let (path, query) = target.split_at(target.find('?').unwrap_or(target.len()));
    let mut kept = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if segments.peek().is_none() {
                    kept.push("");
                }
            }
            _ => kept.push(segment),
        }
    }
    format!("/{}{query}", kept.join("/"))
}

/// Whether curl reads braces or brackets in an address as patterns. Those around the address of a
/// host are none.
pub(super) fn has_patterns(address: &str) -> bool {
    let host = address.split_once("://").map_or(address, |(_, host)| host);
    let is_host = host.starts_with('[');
    let rest = host.split_once(']').filter(|_| is_host).map_or(host, |(_, rest)| rest);
    rest.contains(['{', '}', '[', ']'])
}

/// A text in an address, of which each character is escaped by itself; slots stay as they are.
pub(super) fn escaped(text: &str, escape: impl Fn(&str) -> String) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_slot(c) {
            escaped.push(c);
        } else {
            escaped += &escape(c.encode_utf8(&mut [0; 4]));
        }
    }
    escaped
}

/// The target, escaped for a request line.
pub(super) fn encoded(target: &str) -> String {
    utf8_percent_encode(target, UNSAFE).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_and_port_do_not_matter() {
        for (url, expected) in [
            ("http://localhost:8500/v1/kv/a?recurse&index=1", "/v1/kv/a?recurse&index=1"),
            ("HTTPS://consul.example:8501/v1/kv/a#top", "/v1/kv/a"),
            ("localhost:8500/v1/kv/a", "/v1/kv/a"),
            ("/v1/kv/a?url=http://x", "/v1/kv/a?url=http://x"),
            ("v1/kv/a", "/v1/kv/a"),
            ("http://[::1]:8500?x", "/?x"),
            ("localhost:8500", "/"),
            ("", "/"),
        ] {
            assert_eq!(target(url), Ok(expected.into()), "{url}");
        }
        assert!(!has_patterns("http://[::1]:8500/v1/kv/a"));
        assert_eq!(target("ftp://x/y"), Err(ErrorKind::Scheme("ftp".into())));
    }

    /// Observed with curl 7.88.
    #[test]
    fn dot_segments_of_a_path_are_removed() {
        for (target, expected) in [
            ("/v1/kv/a/../b", "/v1/kv/b"),
            ("/v1/kv/a/./b", "/v1/kv/a/b"),
            ("/v1/kv/a/..", "/v1/kv/"),
            ("/v1/kv/a/.", "/v1/kv/a/"),
            ("/v1/kv/a//../b", "/v1/kv/a/b"),
            ("/a/b/../../..//c", "//c"),
            ("//a/../b", "//b"),
            ("/.//a", "//a"),
            ("/../", "/"),
            ("/..", "/"),
            ("/a/..?x=/../y", "/?x=/../y"),
            ("/?x=/../y", "/?x=/../y"),
            ("/a/%2e%2e/.../..b/b..;c", "/a/%2e%2e/.../..b/b..;c"),
        ] {
            assert_eq!(without_dots(target), expected, "{target}");
        }
    }

    #[test]
    fn only_what_a_request_line_cannot_hold_is_encoded() {
        assert_eq!(encoded("/v1/kv/a b\n键?x=%20\"<"), "/v1/kv/a%20b%0A%E9%94%AE?x=%20\"<");
    }
}
