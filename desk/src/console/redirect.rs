//! The request that follows a redirect (301), as the program of a command makes it. curl follows
//! one with `-L`, the client of `consul` always. Whether the method and the body are kept depends
//! on the program and its options.

use lictor_core::http::{HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};

use super::known_keys::header;

/// How a program follows a redirect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// The second request has the method of the first; otherwise it is GET.
    pub(super) keeps_method: bool,
    pub(super) keeps_body: bool,
}

/// What the second request lacks of the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirected {
    /// The method of the first request, if the second has another.
    pub method: Option<String>,
    pub has_lost_body: bool,
}

impl Redirect {
    /// Go's `net/http`: any method but GET and HEAD becomes GET.
    pub(super) fn of_go() -> Self {
        Self { keeps_method: false, keeps_body: false }
    }

    /// The second request, if an answer redirects.
    pub(super) fn follow(
        self,
        request: &HttpRequest,
        response: &HttpResponse,
    ) -> Option<(HttpRequest, Redirected)> {
        let location = location(response)?;
        let is_read = matches!(request.method.as_str(), "GET" | "HEAD");
        let mut next = HttpRequest { target: location.to_owned(), ..request.clone() };
        if !self.keeps_method && !is_read {
            next.method = "GET".into();
        }
        if !self.keeps_body {
            next.body = Vec::new();
        }
        let redirected = Redirected {
            method: (next.method != request.method).then(|| request.method.clone()),
            has_lost_body: next.body != request.body,
        };
        Some((next, redirected))
    }
}

/// The address to which an answer redirects. `None` if it is no 301 with a `Location`.
fn location(response: &HttpResponse) -> Option<&str> {
    header(response, "Location").filter(|_| response.status == 301)
}

/// Whether an answer redirects.
pub(super) fn is_redirect(response: &HttpResponse) -> bool {
    location(response).is_some()
}
