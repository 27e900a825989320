//! The client of a Consul agent: its address, and the sending of requests.

use lictor_core::http::{HttpRequest, HttpResponse};
use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;

use crate::error::Error;

/// A Consul agent. Copies share their connections.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    /// The address without a slash at its end.
    base: String,
    headers: HeaderMap,
}

impl Client {
    /// A client of the agent at an address such as `http://127.0.0.1:8500`. Fails if it is no URL
    /// with http or https and a host, if it has a user, a password, a query or a fragment, or if
    /// the HTTP client cannot be made.
    pub fn new(address: &str) -> Result<Self, Error> {
        // A redirected write would lose its body. Consul redirects only keys that are not clean,
        // which the options of a lock refuse.
        let http = reqwest::Client::builder().redirect(Policy::none()).build();
        let http = http.map_err(|error| Error::Http(error.into()))?;
        Ok(Self { http, base: base(address)?, headers: HeaderMap::new() })
    }

    /// Sends an ACL token with each request. Fails if a header cannot contain it.
    pub fn with_token(self, token: &str) -> Result<Self, Error> {
        self.with_header("x-consul-token", token)
    }

    /// Sends a header with each request. Fails if it is not a valid header.
    pub fn with_header(mut self, name: &str, value: &str) -> Result<Self, Error> {
        let invalid = || Error::Header(name.to_owned());
        let name: HeaderName = name.parse().map_err(|_| invalid())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| invalid())?;
        // Tokens are secrets, which debug output does not show.
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Sends requests through this client of `reqwest`, for example one with certificates. It
    /// should follow no redirects, and have no timeout of its own that is shorter than a wait.
    pub fn with_http_client(self, http: reqwest::Client) -> Self {
        Self { http, ..self }
    }

    /// Sends a request and reads the whole answer. Fails if the connection does.
    pub(crate) async fn send(&self, request: HttpRequest) -> Result<HttpResponse, reqwest::Error> {
        let method = request.method.parse().unwrap_or_default();
        let mut builder = self.http.request(method, format!("{}{}", self.base, request.target));
        builder = builder.headers(self.headers.clone());
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        let response = builder.body(request.body).send().await?;
        let status = response.status().as_u16();
        let headers = response.headers().iter().map(|(name, value)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        let headers = headers.collect();
        Ok(HttpResponse { status, headers, body: response.bytes().await?.into() })
    }
}

/// An address without a slash at its end. Fails if it cannot be that of an agent.
fn base(address: &str) -> Result<String, Error> {
    // What is before an `@` can be a secret, also if the address is no URL.
    let shown = address.rsplit('@').next().unwrap_or_default();
    let invalid = |reason| Error::Address { address: shown.to_owned(), reason };
    let url = Url::parse(address).map_err(|_| invalid("it is no URL with a scheme"))?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(invalid("it does not begin with http:// or https:// and a host"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(invalid("it contains a user or a password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(invalid("it contains a query or a fragment"));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_without_scheme_or_with_secrets_are_refused() {
        for address in [
            "127.0.0.1:8500",
            "localhost:8500",
            "",
            "consul",
            "ftp://consul",
            "unix:///tmp/consul.sock",
            "http://user@consul",
            "http://consul/?dc=1",
            "http://consul/#a",
        ] {
            assert!(matches!(base(address), Err(Error::Address { .. })), "{address}");
        }
    }

    #[test]
    fn no_error_contains_a_password() {
        for address in [
            "http://me:secret@consul",
            "ftp://me:secret@consul",
            "http://me:secret@consul:x",
            "http://me:sec@ret@consul:x",
            "me:secret@consul",
        ] {
            let error = base(address).expect_err("it has a password").to_string();
            assert!(!error.contains("sec") && error.contains("consul"), "{error}");
        }
    }

    #[test]
    fn a_path_before_v1_is_kept() {
        assert_eq!(base("http://proxy:80/consul/").ok().as_deref(), Some("http://proxy/consul"));
        assert_eq!(base("https://[::1]:8501").ok().as_deref(), Some("https://[::1]:8501"));
    }

    #[test]
    fn a_token_is_not_in_debug_output() -> Result<(), Error> {
        let client = Client::new("http://127.0.0.1:8500")?.with_token("secret")?;
        assert!(!format!("{client:?}").contains("secret"));
        assert!(matches!(client.with_token("a\nb"), Err(Error::Header(_))));
        Ok(())
    }
}
