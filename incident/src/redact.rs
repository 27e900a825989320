//! Replaces what must not be shared, before a text is read: values of keys, tokens, addresses.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::key_table;
use crate::plain::plain;
use crate::semaphore::is_document;

/// Replaces the values of keys, tokens and addresses in texts. An address is replaced by the same
/// one in all texts, from ranges that no network uses. What decides about a lock stays: names, ids,
/// times, and the documents of semaphores.
#[derive(Debug, Default)]
pub struct Redactor {
    addresses: BTreeMap<IpAddr, IpAddr>,
    keeps_addresses: bool,
}

/// What is in place of a token, and in base64, as Consul writes it, in place of a value.
const REDACTED: &str = "redacted";
const REDACTED_VALUE: &str = "cmVkYWN0ZWQ=";

/// The members of JSON whose texts are replaced, with what replaces them.
const SECRET_MEMBERS: [(&str, &str); 5] = [
    ("value", REDACTED_VALUE),
    ("secretid", REDACTED),
    ("token", REDACTED),
    ("acltoken", REDACTED),
    ("x-consul-token", REDACTED),
];

/// What a token follows in commands, addresses and headers.
const TOKEN_MARKS: [&str; 5] =
    ["x-consul-token:", "authorization: bearer", "consul_http_token=", "token=", "-token "];

impl Redactor {
    /// A redactor that keeps addresses.
    pub fn of_values_and_tokens() -> Self {
        Self { keeps_addresses: true, ..Self::default() }
    }

    /// The text with the values of keys, tokens and addresses replaced, and without colours and
    /// other control sequences, behind which one could hide.
    pub fn redact(&mut self, text: &str) -> String {
        let mut redacted = String::with_capacity(text.len());
        let text = plain(text);
        let mut rest = &*text;
        let mut before = ' ';
        let mut in_table = false;
        while let Some(first) = rest.chars().next() {
            in_table |= key_table::begins(rest) && is_at_line_start(&redacted);
            let value =
                (in_table && is_at_line_start(&redacted)).then(|| value_row(rest)).flatten();
            in_table &= value.is_none();
            let replaced = match value {
                None if is_part_of_word(before) => None,
                None => self.replaced(rest),
                value => value,
            };
            let taken = match replaced {
                Some(Replaced { kept, secret, by }) => {
                    redacted.push_str(&rest[..kept]);
                    redacted.push_str(&by);
                    kept + secret
                }
                None => {
                    redacted.push(first);
                    first.len_utf8()
                }
            };
            before = rest[..taken].chars().next_back().unwrap_or(first);
            rest = &rest[taken..];
        }
        redacted
    }

    fn replaced(&mut self, rest: &str) -> Option<Replaced> {
        let secret = member(rest).or_else(|| token(rest));
        secret.or_else(|| if self.keeps_addresses { None } else { self.address(rest) })
    }

    /// An address at the beginning of a text. Those of every machine stay.
    fn address(&mut self, rest: &str) -> Option<Replaced> {
        let is_of_address = |it: char| it.is_ascii_hexdigit() || it == '.' || it == ':';
        // These characters have one byte each.
        let end = rest.chars().take(ADDRESS_MAX).take_while(|it| is_of_address(*it)).count();
        if end == ADDRESS_MAX || rest[end..].starts_with(is_part_of_word) {
            return None;
        }
        let (address, length) = leading_address(&rest[..end])?;
        if address.is_loopback() || address.is_unspecified() {
            return None;
        }
        let next = self.addresses.len() as u32 + 1;
        let by = self.addresses.entry(address).or_insert_with(|| documentation(address, next));
        Some(Replaced { kept: 0, secret: length, by: format!("{by}") })
    }
}

/// The length of no address with its port reaches this.
const ADDRESS_MAX: usize = 64;

/// A place where a text is replaced.
struct Replaced {
    /// How much before the secret stays.
    kept: usize,
    /// The length of the secret.
    secret: usize,
    by: String,
}

/// An address with or without a port: `10.0.0.7:8300`, `fd00::7`.
fn leading_address(text: &str) -> Option<(IpAddr, usize)> {
    let text = text.trim_end_matches(['.', ':']);
    let without_port = text.rsplit_once(':').map_or(text, |(address, _)| address);
    let of = |text: &str| Some((text.parse().ok()?, text.len()));
    of(text).or_else(|| of(without_port))
}

/// The address with a number: of documentation (RFC 5737, RFC 3849), and after 254 addresses of
/// benchmarks (RFC 2544).
fn documentation(address: IpAddr, number: u32) -> IpAddr {
    const DOCUMENTATION: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 0);
    const BENCHMARKS: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 0);
    match address {
        IpAddr::V4(_) if number < 255 => Ipv4Addr::from(u32::from(DOCUMENTATION) + number).into(),
        IpAddr::V4(_) => Ipv4Addr::from(u32::from(BENCHMARKS) + number).into(),
        IpAddr::V6(_) => Ipv6Addr::from((0x2001_0DB8_u128 << 96) + u128::from(number)).into(),
    }
}

/// The row of a key table with the value. The document of a semaphore stays.
fn value_row(rest: &str) -> Option<Replaced> {
    let place = key_table::value(rest)?;
    let is_secret = !is_document(&STANDARD.encode(&rest[place.clone()]));
    is_secret.then(|| Replaced { kept: place.start, secret: place.len(), by: REDACTED.into() })
}

/// Whether a text ends with a line that is blank so far.
fn is_at_line_start(text: &str) -> bool {
    let text = text.trim_end_matches([' ', '\t']);
    text.is_empty() || text.ends_with('\n')
}

/// A member of JSON with a secret: `"Value": "..."`. The document of a semaphore stays.
fn member(rest: &str) -> Option<Replaced> {
    let (name, after) = rest.strip_prefix('"')?.split_once('"')?;
    // A terminal may have broken the name into two rows.
    let name = || name.chars().filter(|it| !it.is_whitespace()).map(|it| it.to_ascii_lowercase());
    let is_member = |(secret, _): &&(&str, &str)| secret.chars().eq(name());
    let (_, by) = SECRET_MEMBERS.iter().find(is_member)?;
    let after = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (value, _) = after.split_once('"')?;
    let kept = rest.len() - after.len();
    let is_secret = !value.is_empty() && !is_document(value);
    is_secret.then(|| Replaced { kept, secret: value.len(), by: (*by).into() })
}

/// A token after what announces one.
fn token(rest: &str) -> Option<Replaced> {
    let is_at_beginning =
        |mark: &&&str| rest.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    let mark = TOKEN_MARKS.iter().find(is_at_beginning)?;
    let after = &rest[mark.len()..];
    let spaces = after.len() - after.trim_start_matches([' ', '\t', '"', '\'']).len();
    let secret = &after[spaces..];
    let is_end = |it: char| it.is_whitespace() || matches!(it, '"' | '\'' | '&');
    let length = secret.find(is_end).unwrap_or(secret.len());
    (length > 0).then(|| Replaced {
        kept: mark.len() + spaces,
        secret: length,
        by: REDACTED.into(),
    })
}

/// Whether a mark or an address after this character is only the end of a longer word.
fn is_part_of_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        Redactor::default().redact(text)
    }

    #[test]
    fn values_tokens_and_addresses_are_replaced_and_nothing_else() {
        for (text, expected) in [
            (r#"{"Key": "k", "Value": "c2VjcmV0"}"#, r#"{"Key": "k", "Value": "cmVkYWN0ZWQ="}"#),
            (r#"{"key":"k","value" : "c2VjcmV0"}"#, r#"{"key":"k","value" : "cmVkYWN0ZWQ="}"#),
            (r#"{"Value": null}"#, r#"{"Value": null}"#),
            ("{\"Val\nue\": \"c2Vj\ncmV0\"}", "{\"Val\nue\": \"cmVkYWN0ZWQ=\"}"),
            (
                "CreateIndex  9\nKey   k\nValue   a\n\nand more\n$ exit",
                "CreateIndex  9\nKey   k\nValue   redacted\n$ exit",
            ),
            ("  CreateIndex  9\n  Value\n", "  CreateIndex  9\n  Value\n"),
            (
                "CreateIndex  9\nValue  {\"Limit\":2,\"Holders\":{}}\n",
                "CreateIndex  9\nValue  {\"Limit\":2,\"Holders\":{}}\n",
            ),
            ("Value of a lock", "Value of a lock"),
            (
                "\u{1b}[34m\"Value\"\u{1b}[0m: \u{1b}[32m\"c2Vj\"\u{1b}[0m",
                "\"Value\": \"cmVkYWN0ZWQ=\"",
            ),
            (r#"{"SecretID":"a-b"}"#, r#"{"SecretID":"redacted"}"#),
            ("curl -H 'X-Consul-Token: a-b' u", "curl -H 'X-Consul-Token: redacted' u"),
            ("GET /v1/kv/k?token=a-b&dc=dc1", "GET /v1/kv/k?token=redacted&dc=dc1"),
            ("consul kv get -token a-b k", "consul kv get -token redacted k"),
            ("CONSUL_HTTP_TOKEN=a-b consul", "CONSUL_HTTP_TOKEN=redacted consul"),
            ("from=10.1.2.3:4567 latency=1ms", "from=192.0.2.1:4567 latency=1ms"),
            ("dial tcp [fd00::7]:8300:", "dial tcp [2001:db8::1]:8300:"),
            ("from=127.0.0.1:4567 v1.22.7", "from=127.0.0.1:4567 v1.22.7"),
            ("2026-11-26T09:13:27.907Z tokens", "2026-11-26T09:13:27.907Z tokens"),
            ("4154283e-a8f4-f7f1-22ce-3de43166da77", "4154283e-a8f4-f7f1-22ce-3de43166da77"),
        ] {
            assert_eq!(redacted(text), expected);
        }
    }

    #[test]
    fn an_address_is_the_same_in_all_texts() {
        let mut redactor = Redactor::default();
        assert_eq!(redactor.redact("10.0.0.1 10.0.0.2"), "192.0.2.1 192.0.2.2");
        assert_eq!(redactor.redact("10.0.0.2"), "192.0.2.2");
    }

    #[test]
    fn a_long_run_of_what_addresses_consist_of_is_no_address() {
        let text = ":".repeat(1 << 18);
        assert_eq!(redacted(&text), text);
    }

    #[test]
    fn the_document_of_a_semaphore_stays() {
        // {"Limit":2,"Holders":{"s":true}}
        let text = r#""Value":"eyJMaW1pdCI6MiwiSG9sZGVycyI6eyJzIjp0cnVlfX0=""#;
        assert_eq!(redacted(text), text);
    }
}
