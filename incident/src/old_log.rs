//! Messages of Consul 0.5 to 1.6 in the form of later versions, which write the names of sessions,
//! keys and nodes as fields after the message.

use alloc::format;
use alloc::string::String;

/// What an old message is in the form of Consul 1.7 and later. `None` if it is no old one, or if it
/// says nothing about a lock.
pub(crate) fn modern(message: &str) -> Option<String> {
    request(message)
        .or_else(|| lock_delay(message))
        .or_else(|| [session_end, member, check, election].iter().find_map(|read| read(message)))
}

/// `Request PUT /v1/kv/k?acquire=.. (1.2ms) from=127.0.0.1:1`, and without a method in Consul 0.5;
/// `Request PUT /v1/kv/k, error: .. from=..`.
fn request(message: &str) -> Option<String> {
    let rest = message.strip_prefix("Request ")?;
    let (method, rest) = match rest.split_once(' ') {
        Some((method, rest)) if !method.starts_with('/') => (Some(method), rest),
        _ => (None, rest),
    };
    if let Some((url, error)) = rest.split_once(", error: ") {
        let method = method.unwrap_or_else(|| method_of(url));
        return is_path(url)
            .then(|| format!("Request error: method={method} url={url} error={}", quoted(error)));
    }
    let (url, latency) = match rest.split_once(" (") {
        Some((url, latency)) => (url, Some(latency)),
        None => (rest, None),
    };
    let method = method.unwrap_or_else(|| method_of(url));
    // A line without its end has no latency.
    let latency = latency.map_or_else(String::new, |latency| {
        format!(" latency={}", latency.split(')').next().unwrap_or_default())
    });
    is_path(url).then(|| format!("Request finished: method={method} url={url}{latency}"))
}

fn is_path(url: &str) -> bool {
    url.starts_with("/v1/") && !url.contains(char::is_whitespace)
}

/// The method that a path must have been requested with; "-" if it can be more than one.
fn method_of(url: &str) -> &'static str {
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let is_of = |names: &[&str]| names.iter().any(|name| path.starts_with(name));
    let is_lock = || query.contains("acquire=") || query.contains("release=");
    if is_of(&["/v1/session/renew/", "/v1/session/destroy/", "/v1/session/create"]) || is_lock() {
        "PUT"
    } else if is_of(&["/v1/session/", "/v1/health/", "/v1/catalog/nodes"]) {
        "GET"
    } else {
        "-"
    }
}

/// `Rejecting lock of k due to lock-delay until 2017-02-01 06:38:55.693410228 +0000 UTC`.
fn lock_delay(message: &str) -> Option<String> {
    let rest = message.strip_prefix("Rejecting lock of ")?;
    let (key, until) = rest.rsplit_once(" due to lock-delay until ")?;
    Some(format!(
        "Rejecting lock of key due to lock-delay: key={} expire_time={}",
        quoted(key),
        quoted(until)
    ))
}

/// `Session adf4238a-882b-9ddc-4a9d-5b6758e4159e TTL expired`.
fn session_end(message: &str) -> Option<String> {
    let session = message.strip_prefix("Session ")?.strip_suffix(" TTL expired")?;
    Some(format!("Session TTL expired: session={}", quoted(session)))
}

/// `member 'n1' failed, marking health critical`.
fn member(message: &str) -> Option<String> {
    let (name, rest) = in_quotes(message.strip_prefix("member ")?)?;
    let name = quoted(name);
    match rest {
        " joined, marking health alive" => {
            Some(format!("member joined, marking health alive: member={name}"))
        }
        " failed, marking health critical" => {
            Some(format!("member failed, marking health critical: member={name}"))
        }
        _ if rest.ends_with(", deregistering") => {
            Some(format!("deregistering member: member={name}"))
        }
        _ => None,
    }
}

/// `Check 'service:web' is now critical`, `Check "web" missed TTL, is now critical`.
fn check(message: &str) -> Option<String> {
    let (name, rest) = in_quotes(message.strip_prefix("Check ")?)?;
    let rest = rest.strip_prefix(' ')?;
    ["is now critical", "missed TTL, is now critical"]
        .contains(&rest)
        .then(|| format!("Check {rest}: check={}", quoted(name)))
}

/// `Node at 127.0.0.1:8300 [Candidate] entering Candidate state in term 2`.
fn election(message: &str) -> Option<String> {
    let (node, term) = message.rsplit_once(" entering Candidate state in term ")?;
    Some(format!("entering candidate state: node={} term={term}", quoted(node)))
}

/// A name in quotes, and the text after it.
fn in_quotes(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
    text[1..].split_once(quote)
}

/// A value in quotes, as Go writes them.
fn quoted(value: &str) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_messages_have_the_form_of_new_ones() {
        for (old, new) in [
            (
                "Rejecting lock of vault/core/lock due to lock-delay until 2017-02-01 \
                 06:38:55.693410228 +0000 UTC",
                "Rejecting lock of key due to lock-delay: key=\"vault/core/lock\" \
                 expire_time=\"2017-02-01 06:38:55.693410228 +0000 UTC\"",
            ),
            (
                "Request PUT /v1/session/renew/s (1.2ms) from=127.0.0.1:1",
                "Request finished: method=PUT url=/v1/session/renew/s latency=1.2ms",
            ),
            (
                "Request /v1/session/renew/s (1.2ms)",
                "Request finished: method=PUT url=/v1/session/renew/s latency=1.2ms",
            ),
            (
                "Request /v1/kv/?recurse (1.2ms)",
                "Request finished: method=- url=/v1/kv/?recurse latency=1.2ms",
            ),
            (
                "Request PUT /v1/kv/leader?acquire=s, error: invalid session \"s\" \
                 from=127.0.0.1:1",
                "Request error: method=PUT url=/v1/kv/leader?acquire=s \
                 error=\"invalid session \\\"s\\\" from=127.0.0.1:1\"",
            ),
            ("Session a-b TTL expired", "Session TTL expired: session=\"a-b\""),
            (
                "member 'n1' failed, marking health critical",
                "member failed, marking health critical: member=\"n1\"",
            ),
            ("member 'n1' left, deregistering", "deregistering member: member=\"n1\""),
            ("Check \"web\" is now critical", "Check is now critical: check=\"web\""),
            (
                "Node at 127.0.0.1:8300 [Candidate] entering Candidate state in term 2",
                "entering candidate state: node=\"Node at 127.0.0.1:8300 [Candidate]\" term=2",
            ),
        ] {
            assert_eq!(modern(old).as_deref(), Some(new));
        }
    }

    #[test]
    fn other_messages_stay_as_they_are() {
        for message in [
            "",
            "Request finished: method=PUT url=/v1/kv/k",
            "Request error: method=PUT url=/v1/kv/k",
            "Rejecting lock of key due to lock-delay: key=k",
            "Session TTL expired: session=s",
            "member joined, marking health alive: member=n1",
            "member 'n1' joined the pool",
            "Check 'web' is now passing",
            "cluster leadership acquired",
        ] {
            assert_eq!(modern(message), None, "{message}");
        }
    }
}
