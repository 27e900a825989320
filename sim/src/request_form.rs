//! Common requests as key, session and value, for which links need few bytes and the line language
//! few words. A request has such a form only if the form gives exactly this request back.

use alloc::format;

use lictor_core::http::HttpRequest;

const CREATE: &str = "/v1/session/create";
const RENEW: &str = "/v1/session/renew/";
const DESTROY: &str = "/v1/session/destroy/";
const KV: &str = "/v1/kv/";

/// A common request. Keys and sessions are percent-encoded, as in its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestForm<'a> {
    Create { body: &'a [u8] },
    Renew { session: &'a str },
    Destroy { session: &'a str },
    Get { key: &'a str },
    Watch { key: &'a str, index: u64, wait: &'a str },
    Put { key: &'a str, body: &'a [u8] },
    Cas { key: &'a str, index: u64, body: &'a [u8] },
    Acquire { key: &'a str, session: &'a str, body: &'a [u8] },
    Release { key: &'a str, session: &'a str, body: &'a [u8] },
    Delete { key: &'a str },
    DeleteCas { key: &'a str, index: u64 },
}

impl<'a> RequestForm<'a> {
    pub(crate) fn of(request: &'a HttpRequest) -> Option<Self> {
        let (path, query) = match request.target.split_once('?') {
            None => (request.target.as_str(), None),
            Some((path, query)) => (path, Some(query)),
        };
        let form = match path.strip_prefix(KV) {
            None => Self::on_session(request, path)?,
            Some(key) => Self::on_key(request, key, query)?,
        };
        (form.request() == *request).then_some(form)
    }

    fn on_session(request: &'a HttpRequest, path: &'a str) -> Option<Self> {
        if path == CREATE {
            return Some(Self::Create { body: &request.body });
        }
        let renew = path.strip_prefix(RENEW).map(|session| Self::Renew { session });
        renew.or_else(|| Some(Self::Destroy { session: path.strip_prefix(DESTROY)? }))
    }

    fn on_key(request: &'a HttpRequest, key: &'a str, query: Option<&'a str>) -> Option<Self> {
        let body = request.body.as_slice();
        let parameter = query.map(|query| query.split_once('=').unwrap_or((query, "")));
        Some(match (request.method.as_str(), parameter) {
            ("GET", None) => Self::Get { key },
            ("GET", Some(("index", rest))) => {
                let (index, wait) = rest.split_once("&wait=")?;
                Self::Watch { key, index: index.parse().ok()?, wait }
            }
            ("PUT", None) => Self::Put { key, body },
            ("PUT", Some(("cas", index))) => Self::Cas { key, index: index.parse().ok()?, body },
            ("PUT", Some(("acquire", session))) => Self::Acquire { key, session, body },
            ("PUT", Some(("release", session))) => Self::Release { key, session, body },
            ("DELETE", None) => Self::Delete { key },
            ("DELETE", Some(("cas", index))) => Self::DeleteCas { key, index: index.parse().ok()? },
            _ => return None,
        })
    }

    pub(crate) fn request(&self) -> HttpRequest {
        let empty: &[u8] = b"";
        let (method, target, body) = match *self {
            Self::Create { body } => ("PUT", CREATE.into(), body),
            Self::Renew { session } => ("PUT", format!("{RENEW}{session}"), empty),
            Self::Destroy { session } => ("PUT", format!("{DESTROY}{session}"), empty),
            Self::Get { key } => ("GET", format!("{KV}{key}"), empty),
            Self::Watch { key, index, wait } => {
                ("GET", format!("{KV}{key}?index={index}&wait={wait}"), empty)
            }
            Self::Put { key, body } => ("PUT", format!("{KV}{key}"), body),
            Self::Cas { key, index, body } => ("PUT", format!("{KV}{key}?cas={index}"), body),
            Self::Acquire { key, session, body } => {
                ("PUT", format!("{KV}{key}?acquire={session}"), body)
            }
            Self::Release { key, session, body } => {
                ("PUT", format!("{KV}{key}?release={session}"), body)
            }
            Self::Delete { key } => ("DELETE", format!("{KV}{key}"), empty),
            Self::DeleteCas { key, index } => ("DELETE", format!("{KV}{key}?cas={index}"), empty),
        };
        HttpRequest::new(method, &target, body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_gives_back_its_request() {
        for (method, target) in [
            ("PUT", "/v1/session/create"),
            ("PUT", "/v1/session/renew/x"),
            ("PUT", "/v1/session/destroy/x"),
            ("GET", "/v1/kv/a%20b/c"),
            ("GET", "/v1/kv/a?index=7&wait=10s"),
            ("PUT", "/v1/kv/a"),
            ("PUT", "/v1/kv/a?cas=0"),
            ("PUT", "/v1/kv/a?acquire=x"),
            ("PUT", "/v1/kv/a?release=x"),
            ("DELETE", "/v1/kv/a"),
            ("DELETE", "/v1/kv/a?cas=7"),
        ] {
            let request = HttpRequest::new(method, target, b"");
            let again = RequestForm::of(&request).map(|form| form.request());
            assert_eq!(again.as_ref(), Some(&request), "{method} {target}");
        }
    }

    #[test]
    fn a_request_that_a_form_would_change_has_no_form() {
        for (method, target, body) in [
            ("put", "/v1/kv/a", ""),
            ("PUT", "/v1/kv/a?cas=007", ""),
            ("PUT", "/v1/kv/a?", ""),
            ("PUT", "/v1/kv/a?flags=1", ""),
            ("GET", "/v1/kv/a", "x"),
            ("POST", "/v1/session/create", ""),
            ("PUT", "/v1/session/renew/x?dc=dc1", ""),
        ] {
            let request = HttpRequest::new(method, target, body.as_bytes());
            assert_eq!(RequestForm::of(&request), None, "{method} {target} {body}");
        }
        let mut request = HttpRequest::new("GET", "/v1/kv/a", b"");
        request.headers.push(("X-Consul-Token".into(), "secret".into()));
        assert_eq!(RequestForm::of(&request), None);
    }
}
