//! The server of pages that embed the sandbox: the same host at another port, and so another
//! origin.

use std::sync::OnceLock;

use hyper::Request;
use hyper::body::Incoming;
use hyper::header::{CONTENT_SECURITY_POLICY, HOST, HeaderValue};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::environment::{FileResponse, page_port, response, serve};
use super::sandbox::Sandbox;

/// The address of an embedding page with this HTML in its body.
pub(crate) fn host_of(page: &Sandbox, body: &str) -> String {
    format!("{}?{}", address(page), utf8_percent_encode(body, NON_ALPHANUMERIC))
}

/// The address of the guide in the documentation, as an embedding page.
pub(crate) fn guide(page: &Sandbox) -> String {
    format!("{}guide.html", address(page))
}

fn address(page: &Sandbox) -> String {
    static PORT: OnceLock<u16> = OnceLock::new();
    let port = PORT.get_or_init(|| serve(answer));
    format!("http://{}:{port}/", page.host)
}

/// The address of the embedded page on the host that the request names.
fn page_on_host(request: &Request<Incoming>) -> String {
    let named = request.headers().get(HOST).and_then(|value| value.to_str().ok());
    let host = named.and_then(|named| named.split(':').next()).unwrap_or_default();
    format!("http://{host}:{}/", page_port())
}

/// The answer to a request for an embedding page. The content security policy of a page with a
/// given body allows no more than the element needs; the guide has none.
fn answer(request: &Request<Incoming>) -> FileResponse {
    let page = page_on_host(request);
    if request.uri().path() == "/guide.html" {
        let guide = include_str!("../../../docs/en/use/guide.html");
        return response(".html", guide.replace("../../", &page));
    }
    let body = request.uri().query().unwrap_or_default();
    let body = percent_decode_str(body).decode_utf8_lossy();
    let text = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>A guide</title>\
         <link rel=icon href=data:,><script src=\"{page}embed.js\" defer></script>\
         <script src=\"{page}guide.js\" defer></script>\
         <main><h1>A guide</h1>{body}</main>"
    );
    let policy = format!("default-src 'none'; script-src {page}; frame-src {page}; img-src data:");
    let policy = HeaderValue::from_str(&policy).expect("a header without line breaks");
    let mut response = response(".html", text);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
    response
}
