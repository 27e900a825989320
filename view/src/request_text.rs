//! The text of an HTTP request for people: a short form for tables, and the curl command that sends
//! it.

use lictor_core::http::HttpRequest;
use percent_encoding::percent_decode_str;

/// The address of the agent in Consul's guides, which copied commands use.
const AGENT: &str = "http://localhost:8500";

/// The request in short: `PUT kv/db/leader?acquire=A`, with the key without escapes. `name` returns
/// the page's name of the session with an id.
pub fn summary(request: &HttpRequest, name: impl Fn(&str) -> Option<String>) -> String {
    let target = request.target.strip_prefix("/v1/").unwrap_or(&request.target);
    let (path, query) = path_and_query(target);
    let path = if path.starts_with("kv/") { decoded(path) } else { path.to_owned() };
    let mark = if target.contains('?') { "?" } else { "" };
    format!("{} {}", request.method, with_names(&format!("{path}{mark}{query}"), name))
}

/// The request as a command for a shell, which the console reads as the same request again.
/// Bytes of the body that are not UTF-8 become U+FFFD.
pub fn curl(request: &HttpRequest) -> String {
    let mut words = vec!["curl".to_owned()];
    if request.method == "HEAD" && request.body.is_empty() {
        // With -X, curl would wait for the body that the answer to a HEAD does not have.
        words.push("-I".to_owned());
    } else if request.method != "GET" || !request.body.is_empty() {
        // With a body, curl would send a POST.
        words.push(format!("-X {}", quoted(&request.method)));
    }
    for (name, value) in &request.headers {
        // After a colon without a value, curl would leave the header out.
        let header = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
        words.push(format!("-H {}", quoted(&header)));
    }
    if !request.body.is_empty() {
        let body = String::from_utf8_lossy(&request.body);
        words.push(format!("{} {}", data_option(&body), quoted(&body)));
    }
    if request.target.contains(['{', '}', '[', ']']) {
        words.push("-g".to_owned());
    }
    if has_dots(&request.target) {
        words.push("--path-as-is".to_owned());
    }
    words.push(quoted(&format!("{AGENT}{}", request.target)));
    words.join(" ")
}

/// The option with which curl sends a text as it is: after `-d`, `@` begins the name of a file.
pub fn data_option(body: &str) -> &'static str {
    if body.starts_with('@') { "--data-raw" } else { "-d" }
}

/// Whether the path of an address has segments that curl removes. Its newer versions also decode
/// their dots.
pub fn has_dots(address: &str) -> bool {
    path_and_query(address)
        .0
        .split('/')
        .any(|segment| matches!(decoded(segment).as_str(), "." | ".."))
}

fn path_and_query(target: &str) -> (&str, &str) {
    target.split_once('?').unwrap_or((target, ""))
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Replaces each id of a session by its name. An id is a whole run of the characters of ids.
fn with_names(target: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let is_part = |c: char| c.is_ascii_hexdigit() || c == '-';
    let mut replaced = String::new();
    let mut rest = target;
    while let Some(start) = rest.find(is_part) {
        let (before, tail) = rest.split_at(start);
        let end = tail.find(|c| !is_part(c)).unwrap_or(tail.len());
        let (word, after) = tail.split_at(end);
        replaced.push_str(before);
        let named = if word.len() == 36 { name(word) } else { None };
        replaced.push_str(named.as_deref().unwrap_or(word));
        rest = after;
    }
    replaced + rest
}

/// A word for a POSIX shell and for the console, in single quotes if it needs them. The console
/// fills in names inside of quotes too, so what would begin one is outside of them, escaped.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    let mut quoted = String::from("'");
    let mut characters = word.chars().peekable();
    while let Some(c) = characters.next() {
        let is_before_name = characters.peek().is_some_and(|&next| begins_a_name(next));
        if c == '\'' || matches!(c, '$' | '<' | '{') && is_before_name {
            quoted.extend(["'\\", c.encode_utf8(&mut [0; 4]), "'"]);
        } else {
            quoted.push(c);
        }
    }
    quoted + "'"
}

/// Whether a character after `$`, `<` or `{` may begin the name of a placeholder.
fn begins_a_name(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '{')
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "7d2c41e0-1111-2222-3333-444444444444";

    fn put(target: String, body: &str) -> HttpRequest {
        let body = body.as_bytes().to_vec();
        HttpRequest { method: "PUT".into(), target, headers: Vec::new(), body }
    }

    #[test]
    fn a_summary_is_short_and_names_the_session() {
        let request = put(format!("/v1/kv/db/leader?acquire={ID}"), "web-1");
        let name = |id: &str| (id == ID).then(|| "A".to_owned());
        assert_eq!(summary(&request, name), "PUT kv/db/leader?acquire=A");
    }

    #[test]
    fn a_summary_has_the_key_without_escapes() {
        let put_summary = |target: &str| summary(&put(target.into(), ""), |_| None);
        assert_eq!(put_summary("/v1/kv/a%20b/%E9%94%81?cas=0"), "PUT kv/a b/锁?cas=0");
        assert_eq!(put_summary("/v1/kv/a%2Fb"), "PUT kv/a/b");
        assert_eq!(put_summary("/v1/kv/a?"), "PUT kv/a?");
        assert_eq!(put_summary("/v1/kv/?separator=%2F"), "PUT kv/?separator=%2F");
        assert_eq!(put_summary("/v1/kv/%zz"), "PUT kv/%zz");
        assert_eq!(put_summary("/v1/event/fire/a%20b"), "PUT event/fire/a%20b");
    }

    #[test]
    fn texts_that_only_look_like_ids_are_kept() {
        let request = put("/v1/kv/dead-beef/face".into(), "");
        assert_eq!(summary(&request, |_| Some("A".into())), "PUT kv/dead-beef/face");
    }

    #[test]
    fn a_command_is_quoted_for_the_shell() {
        let request = put("/v1/kv/a%20b?flags=1&cas=0".into(), "it's {\"a\": 1}");
        let body = r#"'it'\''s {"a": 1}'"#;
        let address = "'http://localhost:8500/v1/kv/a%20b?flags=1&cas=0'";
        assert_eq!(curl(&request), format!("curl -X PUT -d {body} {address}"));
    }

    #[test]
    fn a_body_that_begins_with_an_at_sign_is_no_file() {
        let command = curl(&put("/v1/kv/a".into(), "@home"));
        assert_eq!(command, "curl -X PUT --data-raw @home http://localhost:8500/v1/kv/a");
    }

    #[test]
    fn brackets_in_an_address_are_no_pattern() {
        let command = curl(&put("/v1/kv/a[1]".into(), ""));
        assert_eq!(command, "curl -X PUT -g 'http://localhost:8500/v1/kv/a[1]'");
    }

    #[test]
    fn the_dots_of_a_path_are_kept() {
        for target in ["/v1/kv/a/../b", "/v1/kv/.", "/v1/kv/a/%2E%2e/b?raw"] {
            let command = curl(&put(target.into(), ""));
            assert!(command.starts_with("curl -X PUT --path-as-is "), "{command}");
        }
        let command = curl(&put("/v1/kv/a..b/...?x=/../".into(), ""));
        assert!(!command.contains("as-is"), "{command}");
    }

    /// Observed with curl 7.88, which waits for a body after `-X HEAD`.
    #[test]
    fn a_head_request_waits_for_no_body() {
        let head = HttpRequest::new("HEAD", "/v1/kv/a", b"");
        assert_eq!(curl(&head), "curl -I http://localhost:8500/v1/kv/a");
    }

    #[test]
    fn what_the_console_would_fill_in_is_escaped() {
        for (word, expected) in
            [("<li>$5 {\"a\"}", r#"''\<'li>$5 {"a"}'"#), ("a $b ${c}", r"'a '\$'b '\$''\{'c}'")]
        {
            assert_eq!(quoted(word), expected);
        }
    }

    #[test]
    fn the_command_of_a_get_has_no_method() {
        let target = "/v1/session/list".to_owned();
        let get =
            HttpRequest { method: "GET".into(), target, headers: Vec::new(), body: Vec::new() };
        assert_eq!(curl(&get), "curl http://localhost:8500/v1/session/list");
    }
}
