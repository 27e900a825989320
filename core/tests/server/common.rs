//! Requests to a `Consul` in the test's process, for the tests of this folder.

use lictor_core::engine::Config;
use lictor_core::http::{HttpRequest, HttpResponse};
use lictor_core::{Consul, ConsulVersion};

/// A server with the default configuration of a version.
pub(crate) fn server(version: ConsulVersion) -> Consul {
    Consul::with_config(Config::of(version), 1)
}

/// A server that accepts checks with scripts.
pub(crate) fn with_scripts(version: ConsulVersion) -> Consul {
    let mut config = Config::of(version);
    config.script_checks = true;
    Consul::with_config(config, 1)
}

/// The status and the text of the answer to a read.
pub(crate) fn get(consul: &mut Consul, target: &str) -> String {
    let answer = ask(consul, "GET", target, "");
    format!("{} {}", answer.status, answer.text())
}

/// The status and the text of the answer to a write.
pub(crate) fn put(consul: &mut Consul, target: &str, body: &str) -> String {
    let answer = ask(consul, "PUT", target, body);
    format!("{} {}", answer.status, answer.text())
}

/// The answer to a request that does not wait.
pub(crate) fn ask(consul: &mut Consul, method: &str, target: &str, body: &str) -> HttpResponse {
    let handle = consul.request(&HttpRequest::new(method, target, body.as_bytes()));
    consul.poll(handle).expect("it is answered at once")
}
