//! A server at another origin, for pages that embed the sandbox. It is the same host with another
//! port.

use std::sync::OnceLock;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tiny_http::{Header, Request, Response};

use super::environment::{kind, page_port, serve};
use super::sandbox::Sandbox;

/// The address of a page with this in its body.
pub(crate) fn host_of(page: &Sandbox, body: &str) -> String {
    format!("{}?{}", address(page), utf8_percent_encode(body, NON_ALPHANUMERIC))
}

/// The address of the guide in docs/.
pub(crate) fn guide(page: &Sandbox) -> String {
    format!("{}guide.html", address(page))
}

fn address(page: &Sandbox) -> String {
    static PORT: OnceLock<u16> = OnceLock::new();
    let port = PORT.get_or_init(|| serve(answer));
    format!("http://{}:{port}/", page.host)
}

/// The address of the embedded page on the host that the request names.
fn page_on_host(request: &Request) -> String {
    let named = request.headers().iter().find(|header| header.field.equiv("Host"));
    let host = named.and_then(|header| header.value.as_str().split(':').next()).unwrap_or_default();
    format!("http://{host}:{}/", page_port())
}

/// The page's policy lets in nothing but what the element needs.
fn answer(request: Request) {
    let page = page_on_host(&request);
    if request.url() == "/guide.html" {
        let guide = include_str!("../../../docs/en/use/guide.html");
        let guide = guide.replace("../../", &page);
        return drop(request.respond(Response::from_string(guide).with_header(kind(".html"))));
    }
    let body = request.url().split_once('?').map_or("", |(_, body)| body);
    let body = percent_decode_str(body).decode_utf8_lossy();
    let text = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>A guide</title>\
         <link rel=icon href=data:,><script src=\"{page}embed.js\" defer></script>\
         <script src=\"{page}guide.js\" defer></script>\
         <main><h1>A guide</h1>{body}</main>"
    );
    let policy = format!("default-src 'none'; script-src {page}; frame-src {page}; img-src data:");
    let header = Header::from_bytes("Content-Security-Policy", policy)
        .expect("a header without line breaks");
    let sent = Response::from_string(text).with_header(kind(".html")).with_header(header);
    // A browser that went away is no fault of the server.
    drop(request.respond(sent));
}
