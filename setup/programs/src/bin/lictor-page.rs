//! What `setup/page.sh` and `./dev serve` need to build and serve the page: wasm-bindgen without
//! its test runner, which is most of its package, and a server of static files on loopback.

use std::fs::File;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use tiny_http::{Header, Request, Response, Server, StatusCode};
use wasm_bindgen_cli_support::Bindgen;

const USAGE: &str = "usage: lictor-page bindings web|no-modules WASM FOLDER NAME
       lictor-page serve FOLDER PORT";

/// A browser opens about six connections, and some of them are left without a request.
const THREADS: usize = 8;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["bindings", target, wasm, folder, name] => write_bindings(target, wasm, folder, name),
        ["serve", folder, port] => serve(folder, port.parse().context(USAGE)?),
        _ => bail!(USAGE),
    }
}

/// Writes `NAME.js` and `NAME_bg.wasm` into a folder, as `wasm-bindgen --target TARGET` does.
fn write_bindings(target: &str, wasm: &str, folder: &str, name: &str) -> Result<()> {
    let mut bindgen = Bindgen::new();
    match target {
        "web" => bindgen.web(true)?,
        "no-modules" => bindgen.no_modules(true)?,
        _ => bail!(USAGE),
    };
    bindgen.input_path(wasm).out_name(name).omit_default_module_path(false).generate(folder)
}

/// Serves a folder on loopback until the process ends.
fn serve(folder: &str, port: u16) -> Result<()> {
    let server = Server::http((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| anyhow!("cannot listen on 127.0.0.1:{port}: {error}"))?;
    let server = Arc::new(server);
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (server, folder) = (server.clone(), PathBuf::from(folder));
            thread::spawn(move || {
                while let Ok(request) = server.recv() {
                    // A browser that has gone away is no fault of the server.
                    let _ = answer(&folder, request);
                }
            })
        })
        .collect();
    threads.into_iter().try_for_each(|thread| thread.join()).map_err(|_| anyhow!("it has panicked"))
}

/// Answers with a file of the folder. Without one, it answers with 404 and the folder's `404.html`,
/// if there is one. A path with `..` names no file.
fn answer(folder: &Path, request: Request) -> std::io::Result<()> {
    let path = request.url().split(['?', '#']).next().unwrap_or_default();
    let mut name = path.trim_start_matches('/').to_owned();
    let is_inside = !name.contains("..") && !name.contains('\\');
    if is_inside && !name.is_empty() && !name.ends_with('/') && folder.join(&name).is_dir() {
        let there = format!("/{name}/");
        return request.respond(Response::empty(301).with_header(header("Location", &there)));
    }
    if name.is_empty() || name.ends_with('/') {
        name.push_str("index.html");
    }
    if is_inside && let Ok(file) = File::open(folder.join(&name)) {
        return send(request, 200, &name, file);
    }
    match File::open(folder.join("404.html")) {
        Ok(file) => send(request, 404, ".html", file),
        Err(_) => request.respond(Response::from_string("not found").with_status_code(404)),
    }
}

/// No browser may keep a file: the next build can have another one of this name.
fn send(request: Request, status: u16, name: &str, file: File) -> std::io::Result<()> {
    let response = Response::from_file(file)
        .with_status_code(StatusCode(status))
        .with_header(header("Content-Type", media_type(name)))
        .with_header(header("Cache-Control", "no-store"));
    request.respond(response)
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("both are ASCII: a request's address is")
}

/// The media type of each kind of file that the page and its documentation have.
fn media_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("txt") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
