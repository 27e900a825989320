//! curl's `--write-out`: the text that it prints after the body of an answer. A few variables are
//! supported; the others, such as times of a real connection, are refused by name.

use lictor_core::http::{HttpRequest, HttpResponse};
use serde::{Deserialize, Serialize};

use super::known_keys::header;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteOut {
    format: String,
    /// Whether the body precedes the text: there was no `-o`.
    has_body: bool,
}

const VARIABLES: [&str; 6] =
    ["http_code", "response_code", "content_type", "size_download", "method", "http_version"];

impl WriteOut {
    /// Reads a format. Fails with the first unknown variable as it is written, such as
    /// `%{time_total}`.
    pub(super) fn read(format: &str, has_body: bool) -> Result<Self, String> {
        let unknown = variables(format).find(|name| !VARIABLES.contains(name));
        match unknown {
            Some(name) => Err(format!("%{{{name}}}")),
            None => Ok(Self { format: format.to_owned(), has_body }),
        }
    }

    /// The body, if it is not written to a file, and the text.
    pub(super) fn printed(&self, request: &HttpRequest, response: &HttpResponse) -> String {
        let body = String::from_utf8_lossy(&response.body);
        let body = if self.has_body { body.into_owned() } else { String::new() };
        let format = self.format.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t");
        let filled = format.split("%%").map(|part| {
            let mut pieces = part.split("%{");
            let first = pieces.next().unwrap_or_default().to_owned();
            pieces.fold(first, |text, piece| match piece.split_once('}') {
                Some((name, after)) => text + &value(name, request, response) + after,
                None => text + "%{" + piece,
            })
        });
        body + &filled.collect::<Vec<_>>().join("%")
    }
}

/// The names in a format.
fn variables(format: &str) -> impl Iterator<Item = &str> {
    let pieces = format.split("%%").flat_map(|part| part.split("%{").skip(1));
    pieces.filter_map(|piece| piece.split_once('}').map(|(name, _)| name))
}

fn value(name: &str, request: &HttpRequest, response: &HttpResponse) -> String {
    match name {
        "http_code" | "response_code" => format!("{:03}", response.status),
        "content_type" => header(response, "Content-Type").unwrap_or_default().to_owned(),
        "size_download" => response.body.len().to_string(),
        "method" => request.method.clone(),
        "http_version" => "1.1".to_owned(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_escapes_are_replaced_as_curl_does() {
        let request = HttpRequest::new("PUT", "/v1/kv/a", b"");
        let headers = vec![("Content-Type".into(), "application/json".into())];
        let response = HttpResponse { status: 200, headers, body: b"true".to_vec() };
        for (format, has_body, expected) in [
            ("%{http_code}", false, "200"),
            (
                "\\n%{response_code} 100%% %{method}\\t%{size_download}\\x",
                true,
                "true\n200 100% PUT\t4\\x",
            ),
            ("%{content_type} %http_code %", false, "application/json %http_code %"),
            ("%%{time_total}", false, "%{time_total}"),
        ] {
            let read = WriteOut::read(format, has_body).expect(format);
            assert_eq!(read.printed(&request, &response), expected, "{format}");
        }
        let unknown = WriteOut::read("%{http_code} %{time_total}", false);
        assert_eq!(unknown, Err("%{time_total}".into()));
    }
}
