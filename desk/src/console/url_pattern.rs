//! Expands the patterns `{a,b}` and `[1-3]` in an address of curl into several addresses. A
//! malformed pattern is refused in curl's words.

use super::error::ErrorKind;

/// The most requests of one command.
const MOST: usize = 100;

/// The addresses of an address with patterns, in curl's order. Fails for a malformed pattern, and
/// for more than 100 addresses.
pub(super) fn expanded(url: &str) -> Result<Vec<String>, ErrorKind> {
    let mut addresses = vec![String::new()];
    let mut rest = url;
    while let Some(c) = rest.chars().next() {
        let pattern = &rest[c.len_utf8()..];
        let inside = pattern.split(']').next().unwrap_or_default();
        let is_host = inside.is_empty() || inside.contains(':') && !inside.contains('-');
        let (texts, after) = match c {
            '{' => set(pattern)?,
            // The address of a host, or an empty pair.
            '[' if is_host => (vec!["[".to_owned()], pattern),
            '[' => range(pattern)?,
            ']' if is_end_of_host(url, rest) => (vec!["]".to_owned()], pattern),
            '}' | ']' => return Err(refused("unmatched close brace/bracket")),
            '\\' if pattern.starts_with(['{', '}', '[', ']']) => {
                (vec![pattern[..1].to_owned()], &pattern[1..])
            }
            c => (vec![c.to_string()], pattern),
        };
        if addresses.len() * texts.len() > MOST {
            return Err(ErrorKind::TooLong);
        }
        let with = |before: &String| texts.iter().map(|text| before.clone() + text).collect();
        addresses = addresses.iter().flat_map(|before| -> Vec<String> { with(before) }).collect();
        rest = after;
    }
    Ok(addresses)
}

/// Whether a closing bracket belongs to an opening one that was kept as text.
fn is_end_of_host(url: &str, rest: &str) -> bool {
    let before = &url[..url.len() - rest.len()];
    let inside = before.rsplit('[').next().unwrap_or_default();
    before.contains('[') && !inside.contains(']') && !inside.contains('-')
}

fn refused(what: &str) -> ErrorKind {
    ErrorKind::Pattern(what.to_owned())
}

/// `{one,two}`, after its opening brace.
fn set(pattern: &str) -> Result<(Vec<String>, &str), ErrorKind> {
    let end = pattern.find(['{', '}', '[', ']']).ok_or_else(|| refused("unmatched brace"))?;
    let (inside, after) = pattern.split_at(end);
    match after.chars().next() {
        Some('{') => Err(refused("nested brace")),
        Some('}') if inside.is_empty() => Err(refused("empty string within braces")),
        Some('}') => Ok((inside.split(',').map(str::to_owned).collect(), &after[1..])),
        _ => Err(refused("unexpected close bracket")),
    }
}

/// `[1-3]`, `[001-100:10]` or `[a-z]`, after its opening bracket.
fn range(pattern: &str) -> Result<(Vec<String>, &str), ErrorKind> {
    let bad = || refused("bad range");
    let (inside, after) = pattern.split_once(']').ok_or_else(bad)?;
    let (ends, step) = match inside.split_once(':') {
        Some((ends, step)) => (ends, step.parse::<usize>().map_err(|_| bad())?),
        None => (inside, 1),
    };
    let (first, last) = ends.split_once('-').ok_or_else(bad)?;
    if step == 0 {
        return Err(bad());
    }
    if let (&[first @ b'a'..=b'z'], &[last @ b'a'..=b'z'])
    | (&[first @ b'A'..=b'Z'], &[last @ b'A'..=b'Z']) = (first.as_bytes(), last.as_bytes())
    {
        if first > last {
            return Err(bad());
        }
        let letters = (first..=last).step_by(step).map(|letter| char::from(letter).to_string());
        return Ok((letters.collect(), after));
    }
    let (low, high) = (first.parse::<u32>(), last.parse::<u32>());
    let (Ok(low), Ok(high)) = (low, high) else { return Err(bad()) };
    let digits = if first.starts_with('0') { first.len() } else { 0 };
    let numbers = (low..=high).step_by(step);
    if low > high {
        return Err(bad());
    }
    // One more than are allowed is enough for `expanded` to refuse the address.
    let texts = numbers.take(MOST + 1).map(|number| format!("{number:0digits$}"));
    Ok((texts.collect(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed with curl 7.88.
    #[test]
    fn patterns_stand_for_several_addresses() {
        for (url, expected) in [
            ("/kv/{a,b}", &["/kv/a", "/kv/b"][..]),
            ("/kv/[1-3]", &["/kv/1", "/kv/2", "/kv/3"]),
            ("/kv/[a-c]", &["/kv/a", "/kv/b", "/kv/c"]),
            ("/kv/[0-10:5]", &["/kv/0", "/kv/5", "/kv/10"]),
            ("/kv/[01-02]{x,}", &["/kv/01x", "/kv/01", "/kv/02x", "/kv/02"]),
            ("/kv/{a}", &["/kv/a"]),
            ("/kv/\\{a", &["/kv/{a"]),
            ("http://[::1]:8500/v1/kv/a", &["http://[::1]:8500/v1/kv/a"]),
            ("/kv/a[]", &["/kv/a[]"]),
        ] {
            let expected = expected.iter().map(|&url| url.to_owned()).collect();
            assert_eq!(expanded(url), Ok(expected), "{url}");
        }
    }

    /// Observed with curl 7.88.
    #[test]
    fn a_malformed_pattern_is_refused() {
        for (url, expected) in [
            ("/kv/{a", "unmatched brace"),
            ("/kv/[1-", "bad range"),
            ("/kv/[3-1]", "bad range"),
            ("/kv/[x]", "bad range"),
            ("/kv/a]", "unmatched close brace/bracket"),
            ("/kv/a}", "unmatched close brace/bracket"),
            ("/kv/{}", "empty string within braces"),
            ("/kv/{a,{b,c}}", "nested brace"),
        ] {
            assert_eq!(expanded(url), Err(ErrorKind::Pattern(expected.into())), "{url}");
        }
        assert_eq!(expanded("/kv/[1-200000]"), Err(ErrorKind::TooLong));
    }
}
