//! Parses the target of a request, which is a path with a query, a whole URL, an authority or `*`,
//! by the rules of Go's `url.ParseRequestURI`. Characters that a client should have escaped are
//! kept.

use super::refused_head::RefusedHead;

/// The parts of a target.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// Path and query as they were sent, or `*`; bytes that are not UTF-8 are percent-encoded.
    pub(super) path: String,
    /// The host of a whole URL or of an authority; `None` for another target.
    pub(super) host: Option<String>,
}

pub(super) fn parse(method: &str, sent: &[u8]) -> Result<Target, RefusedHead> {
    if sent.is_empty() || sent.iter().any(u8::is_ascii_control) {
        return Err(RefusedHead::Target);
    }
    let mut text = as_text(sent);
    if text == "*" {
        return Ok(Target { path: text, host: None });
    }
    if method == "CONNECT" && !text.starts_with('/') {
        text.insert_str(0, "http://");
    }
    let rest = without_scheme(&text)?;
    let is_url = rest.len() < text.len();
    let (path, query) = rest.find('?').map_or((rest, ""), |mark| rest.split_at(mark));
    let (host, path) = match path.strip_prefix("//") {
        Some(authority) if is_url => {
            let end = authority.find('/').unwrap_or(authority.len());
            let (authority, path) = authority.split_at(end);
            (Some(without_user(authority).to_owned()), path)
        }
        _ if path.starts_with('/') => (None, path),
        // In Go the path of such a URL is empty, as the text after its scheme is opaque.
        _ if is_url => (None, ""),
        _ => return Err(RefusedHead::Target),
    };
    if !is_escaped_well(path) {
        return Err(RefusedHead::Target);
    }
    Ok(Target { path: format!("{path}{query}"), host })
}

/// The bytes as text. A byte that is not part of valid UTF-8 is percent-encoded, which has the same
/// meaning.
fn as_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("%{byte:02X}")));
    }
    text
}

fn without_scheme(text: &str) -> Result<&str, RefusedHead> {
    for (index, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if index > 0 => {}
            ':' if index == 0 => return Err(RefusedHead::Target),
            ':' => return Ok(&text[index + 1..]),
            _ => break,
        }
    }
    Ok(text)
}

fn without_user(authority: &str) -> &str {
    authority.rsplit_once('@').map_or(authority, |(_, host)| host)
}

fn is_escaped_well(path: &str) -> bool {
    let is_hex = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let mut escapes = path.bytes().enumerate().filter(|(_, byte)| *byte == b'%');
    let bytes = path.as_bytes();
    escapes.all(|(index, _)| is_hex(bytes.get(index + 1)) && is_hex(bytes.get(index + 2)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_keeps_what_a_client_did_not_escape() {
        for sent in ["/v1/kv/a\"<>`{|}\\^[]é#b?x=\"<>`#'", "/", "//v1/kv/a", "/a?%zz", "*"] {
            let target = parse("GET", sent.as_bytes());
            assert_eq!(target, Ok(Target { path: sent.into(), host: None }), "{sent}");
        }
        let target = parse("GET", b"/v1/kv/\xff\xc3\xa9?x=\xfe");
        assert_eq!(target, Ok(Target { path: "/v1/kv/%FFé?x=%FE".into(), host: None }));
    }

    #[test]
    fn a_url_and_an_authority_have_a_host() {
        for (method, sent, path, host) in [
            ("GET", "http://consul:8500/v1/kv/a?raw", "/v1/kv/a?raw", Some("consul:8500")),
            ("GET", "HTTP://me:secret@[::1]/a", "/a", Some("[::1]")),
            ("GET", "http://consul?raw", "?raw", Some("consul")),
            ("GET", "mailto:someone", "", None),
            ("CONNECT", "127.0.0.1:80", "", Some("127.0.0.1:80")),
            ("CONNECT", "/a", "/a", None),
        ] {
            let target = Target { path: path.into(), host: host.map(Into::into) };
            assert_eq!(parse(method, sent.as_bytes()), Ok(target), "{sent}");
        }
    }

    #[test]
    fn a_target_that_go_cannot_parse_is_refused() {
        for sent in ["", "v1/kv/a", ":a", "/%", "/a%2", "/a%g0", "/a\u{1}", "/a\u{7f}", "a/b:c"] {
            assert_eq!(parse("GET", sent.as_bytes()), Err(RefusedHead::Target), "{sent:?}");
        }
    }
}
