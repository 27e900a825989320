//! Evaluates templates of go-sockaddr in addresses, such as `{{ GetPrivateIP }}`: a pipeline that
//! filters the interfaces of this machine and gives their addresses. Unknown functions are refused.
//! Interfaces are in the order of the system, in most functions those with IPv4 first; go-sockaddr
//! prefers that of the default route.

use std::cmp::Ordering;
use std::net::IpAddr;

/// An address of an interface of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InterfaceAddress {
    pub(super) name: String,
    pub(super) address: IpAddr,
    /// The length of the network's prefix.
    pub(super) prefix: u8,
}

/// The text with each template replaced by its value. Fails with the reason if one cannot be
/// evaluated.
pub(super) fn evaluate(
    text: &str,
    addresses: &dyn Fn() -> Vec<InterfaceAddress>,
) -> Result<String, String> {
    let (mut result, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((template, after)) = after.split_once("}}") else {
            return Err(format!("unable to parse address template {text:?}: unclosed action"));
        };
        result.push_str(before);
        let value = pipeline(template.trim_matches(['-', ' ']), addresses());
        result.push_str(
            &value.map_err(|why| format!("unable to parse address template {text:?}: {why}"))?,
        );
        rest = after;
    }
    Ok(result + rest)
}

/// The result of a step of a pipeline, which is the input of the next one.
enum Stage {
    Interfaces(Vec<InterfaceAddress>),
    Text(String),
}

fn pipeline(template: &str, all: Vec<InterfaceAddress>) -> Result<String, String> {
    let mut stage = Stage::Interfaces(all);
    for (index, step) in steps(template)?.iter().enumerate() {
        let words: Vec<&str> = step.iter().map(String::as_str).collect();
        stage = match (stage, &words[..]) {
            (Stage::Interfaces(all), words) if index == 0 => source(all, words)?,
            (Stage::Interfaces(found), words) => filter(found, words)?,
            (Stage::Text(_), words) => return Err(format!("{words:?} takes no text")),
        };
    }
    match stage {
        Stage::Text(text) => Ok(text),
        Stage::Interfaces(_) => Err("it gives interfaces and not an address".into()),
    }
}

/// The steps of a pipeline with their words; a word in quotation marks may have spaces.
fn steps(template: &str) -> Result<Vec<Vec<String>>, String> {
    let mut steps = vec![Vec::new()];
    let mut characters = template.chars().peekable();
    while let Some(c) = characters.next() {
        let words = steps.last_mut().ok_or("empty")?;
        match c {
            '|' => steps.push(Vec::new()),
            '"' | '`' => {
                let mut word = String::new();
                loop {
                    match characters.next() {
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' => word.extend(characters.next()),
                        Some(other) => word.push(other),
                        None => return Err("unterminated quoted string".into()),
                    }
                }
                words.push(word);
            }
            c if c.is_whitespace() => {}
            c => {
                let mut word = String::from(c);
                while let Some(next) = characters.next_if(|c| !c.is_whitespace() && *c != '|') {
                    word.push(next);
                }
                words.push(word);
            }
        }
    }
    Ok(steps)
}

/// The first step of a pipeline, which selects interfaces or gives their addresses.
fn source(all: Vec<InterfaceAddress>, words: &[&str]) -> Result<Stage, String> {
    let only = |keep: fn(&IpAddr) -> bool| -> Vec<InterfaceAddress> {
        let mut found = all.clone();
        found.retain(|it| keep(&it.address));
        found.sort_by_key(|it| it.address.is_ipv6());
        found
    };
    let is_private = |address: &IpAddr| is_forwardable(address) && is_private(address);
    let is_public = |address: &IpAddr| is_forwardable(address) && !self::is_private(address);
    Ok(match words {
        ["GetAllInterfaces"] => Stage::Interfaces(all),
        ["GetDefaultInterfaces"] => {
            let found = only(is_forwardable);
            let first = found.first().map(|it| it.name.clone());
            Stage::Interfaces(
                found.into_iter().filter(|it| Some(&it.name) == first.as_ref()).collect(),
            )
        }
        ["GetPrivateInterfaces"] => Stage::Interfaces(only(is_private)),
        ["GetPublicInterfaces"] => Stage::Interfaces(only(is_public)),
        ["GetPrivateIP"] => Stage::Text(first(&only(is_private))),
        ["GetPrivateIPs"] => Stage::Text(joined(&only(is_private), " ")),
        ["GetPublicIP"] => Stage::Text(first(&only(is_public))),
        ["GetPublicIPs"] => Stage::Text(joined(&only(is_public), " ")),
        ["GetInterfaceIP", name] => Stage::Text(first(&named(all, name))),
        ["GetInterfaceIPs", name] => Stage::Text(joined(&named(all, name), " ")),
        [name, ..] => return Err(format!("function {name:?} not defined")),
        [] => return Err("missing value for command".into()),
    })
}

/// A later step, which filters or sorts interfaces, or gives an attribute of them.
fn filter(mut found: Vec<InterfaceAddress>, words: &[&str]) -> Result<Stage, String> {
    match words {
        [verb @ ("include" | "exclude"), property, value] => {
            let is_matched = matcher(property, value)?;
            found.retain(|it| is_matched(it) == (*verb == "include"));
        }
        ["sort", order] => {
            for key in order.rsplit(',').map(str::trim) {
                let compare = order_by(key.trim_start_matches(['+', '-']))?;
                if key.starts_with('-') {
                    found.sort_by(|a, b| compare(b, a));
                } else {
                    found.sort_by(compare);
                }
            }
        }
        ["limit", count] => found.truncate(count.parse().map_err(|_| "limit is not a number")?),
        ["offset", count] => {
            let count = count.parse::<usize>().map_err(|_| "offset is not a number")?;
            found.drain(..count.min(found.len()));
        }
        ["unique", "address"] => found.dedup_by(|a, b| a.address == b.address),
        ["unique", "name"] => found.dedup_by(|a, b| a.name == b.name),
        ["attr", "address"] => return Ok(Stage::Text(first(&found))),
        ["attr", "name"] => {
            return Ok(Stage::Text(found.first().map(|it| it.name.clone()).unwrap_or_default()));
        }
        ["join", "address", separator] => return Ok(Stage::Text(joined(&found, separator))),
        other => return Err(format!("{} is not known", other.join(" "))),
    }
    Ok(Stage::Interfaces(found))
}

type Comparison = fn(&InterfaceAddress, &InterfaceAddress) -> Ordering;

/// How a property orders interfaces. Which one is private or has the default route changes nothing.
fn order_by(property: &str) -> Result<Comparison, String> {
    Ok(match property {
        "address" => |a, b| a.address.cmp(&b.address),
        "name" => |a, b| a.name.cmp(&b.name),
        "size" => |a, b| a.prefix.cmp(&b.prefix),
        "type" => |a, b| a.address.is_ipv6().cmp(&b.address.is_ipv6()),
        "default" | "private" => |_, _| Ordering::Equal,
        other => return Err(format!("sort does not know {other:?}")),
    })
}

type Matcher = Box<dyn Fn(&InterfaceAddress) -> bool>;

fn matcher(property: &str, value: &str) -> Result<Matcher, String> {
    let value = value.to_owned();
    Ok(match property {
        "name" => {
            let pattern = regex_lite::Regex::new(&value).map_err(|it| it.to_string())?;
            Box::new(move |it| pattern.is_match(&it.name))
        }
        "type" => Box::new(move |it| match value.to_lowercase().as_str() {
            "ipv4" => it.address.is_ipv4(),
            "ipv6" => it.address.is_ipv6(),
            kind => kind == "ip",
        }),
        "address" => Box::new(move |it| it.address.to_string() == value),
        "network" => {
            let (network, prefix) = value.split_once('/').ok_or("a network has a prefix")?;
            let network: IpAddr = network.parse().map_err(|_| "a network has an address")?;
            let prefix: u32 = prefix.parse().map_err(|_| "a network has a prefix")?;
            Box::new(move |it| is_in(it.address, network, prefix))
        }
        "flag" | "flags" => {
            let flags: Vec<String> = value.split('|').map(|it| it.trim().to_lowercase()).collect();
            Box::new(move |it| flags.iter().all(|flag| has_flag(&it.address, flag)))
        }
        "rfc" => match value.as_str() {
            "1918" => Box::new(|it| matches!(it.address, IpAddr::V4(ip) if ip.is_private())),
            "6890" => Box::new(|it| is_private(&it.address) || !is_forwardable(&it.address)),
            other => return Err(format!("RFC {other} is not known")),
        },
        "size" => {
            let prefix: u8 = value.trim_start_matches('/').parse().map_err(|_| "a size")?;
            Box::new(move |it| it.prefix == prefix)
        }
        other => return Err(format!("{other:?} is not a property of an interface")),
    })
}

fn has_flag(address: &IpAddr, flag: &str) -> bool {
    match flag {
        "up" => true,
        "forwardable" => is_forwardable(address),
        "loopback" => address.is_loopback(),
        "global unicast" => is_forwardable(address),
        "link-local unicast" => is_link_local(address),
        _ => false,
    }
}

fn is_forwardable(address: &IpAddr) -> bool {
    !address.is_loopback() && !address.is_unspecified() && !is_link_local(address)
}

fn is_link_local(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

/// Whether an address is private, or shared by the clients of a provider (RFC 6598: 100.64.0.0/10).
fn is_private(address: &IpAddr) -> bool {
    match address {
        IpAddr::V4(ip) => ip.is_private() || ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64,
        IpAddr::V6(ip) => ip.is_unique_local(),
    }
}

fn is_in(address: IpAddr, network: IpAddr, prefix: u32) -> bool {
    let bits = |address| match address {
        IpAddr::V4(ip) => (u128::from(ip.to_bits()) << 96, 32),
        IpAddr::V6(ip) => (ip.to_bits(), 128),
    };
    let ((address, width), (network, other)) = (bits(address), bits(network));
    width == other && (address ^ network).leading_zeros() >= prefix.min(width)
}

fn named(mut all: Vec<InterfaceAddress>, name: &str) -> Vec<InterfaceAddress> {
    all.retain(|it| it.name == name && !is_link_local(&it.address));
    all.sort_by_key(|it| it.address.is_ipv6());
    all
}

fn first(found: &[InterfaceAddress]) -> String {
    found.first().map(|it| it.address.to_string()).unwrap_or_default()
}

fn joined(found: &[InterfaceAddress], separator: &str) -> String {
    found.iter().map(|it| it.address.to_string()).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(text: &str) -> Result<String, String> {
        let address = |(name, address, prefix): (&str, &str, u8)| InterfaceAddress {
            name: name.into(),
            address: address.parse().expect("an address"),
            prefix,
        };
        let all = [
            ("lo", "127.0.0.1", 8),
            ("lo", "::1", 128),
            ("eth0", "fe80::1", 64),
            ("eth0", "10.0.0.7", 24),
            ("eth1", "203.0.113.9", 24),
            ("eth1", "fd00::9", 64),
        ];
        evaluate(text, &|| all.map(address).to_vec())
    }

    #[test]
    fn templates_select_addresses() {
        for (template, address) in [
            ("10.0.0.1", "10.0.0.1"),
            ("{{ GetPrivateIP }}", "10.0.0.7"),
            ("127.0.0.1 {{ GetPublicIP }}", "127.0.0.1 203.0.113.9"),
            ("{{GetInterfaceIP \"eth1\"}}", "203.0.113.9"),
            (
                "{{ GetAllInterfaces | include \"network\" \"127.0.0.0/8\" | attr \"address\" }}",
                "127.0.0.1",
            ),
            (
                "{{ GetAllInterfaces | include \"name\" \"^lo$\" | include \"type\" \"ipv4\" \
                 | attr \"address\" }}",
                "127.0.0.1",
            ),
            (
                "{{ GetPrivateInterfaces | exclude \"type\" \"ipv6\" | join \"address\" \" \" }}",
                "10.0.0.7",
            ),
            (
                "{{ GetAllInterfaces | include \"flags\" \"forwardable|up\" | sort \"type,size\" \
                 | limit 1 | attr \"address\" }}",
                "10.0.0.7",
            ),
            ("{{ GetInterfaceIP \"nosuch\" }}", ""),
        ] {
            assert_eq!(evaluated(template).as_deref(), Ok(address), "{template}");
        }
    }

    #[test]
    fn interfaces_are_sorted_by_several_properties_in_either_direction() {
        let sorted = |order: &str| {
            let filter = "include \"network\" \"0.0.0.0/0\"";
            let steps = format!("{filter} | sort \"{order}\" | join \"address\" \" \"");
            evaluated(&format!("{{{{ GetAllInterfaces | {steps} }}}}")).expect("a template")
        };
        assert_eq!(sorted("size,name"), "127.0.0.1 10.0.0.7 203.0.113.9");
        assert_eq!(sorted("-size,name"), "10.0.0.7 203.0.113.9 127.0.0.1");
        assert_eq!(sorted("-size,-name"), "203.0.113.9 10.0.0.7 127.0.0.1");
        assert_eq!(sorted("-type,name"), "10.0.0.7 203.0.113.9 127.0.0.1");
        assert_eq!(sorted("-default,+address"), "10.0.0.7 127.0.0.1 203.0.113.9");
    }

    #[test]
    fn a_template_that_is_not_known_is_refused() {
        for template in [
            "{{ GetPrivateIP",
            "{{ }}",
            "{{ GetWeather }}",
            "{{ GetAllInterfaces }}",
            "{{ GetAllInterfaces | include \"colour\" \"red\" | attr \"address\" }}",
            "{{ GetPrivateIP | attr \"address }}",
        ] {
            assert!(evaluated(template).is_err(), "{template}");
        }
    }
}
