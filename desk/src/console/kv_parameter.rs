//! The numbers of `consul kv` commands: how the program reads them, refuses them and sends them.

use super::error::ErrorKind;
use super::placeholders::has_slot;

/// Reads a number as Go's `flag` package does: also in base 16, 8 and 2, with `_` between digits.
/// `None` if it is no number of 64 bits.
pub(super) fn number(value: &str) -> Option<u64> {
    let lower = value.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'o', ..] => (&lower[2..], 8),
        [b'0', b'b', ..] => (&lower[2..], 2),
        [b'0', _, ..] => (&lower[1..], 8),
        _ => (lower.as_str(), 10),
    };
    let has_prefix = digits.len() < lower.len();
    let is_misplaced = digits.starts_with('_') && !has_prefix || digits.ends_with('_');
    if digits.starts_with('+') || is_misplaced || digits.contains("__") {
        return None;
    }
    u64::from_str_radix(&digits.replace('_', ""), radix).ok()
}

/// Go's error for an option whose value is no number.
pub(super) fn invalid_number(value: &str, option: &str) -> String {
    format!("invalid value \"{value}\" for flag -{option}: parse error")
}

/// A parameter of `consul kv` as it is sent; one that has a placeholder without a value stays as it
/// is. `None` if it is not sent. Fails if the value of `flags` or `cas` is no number.
pub(super) fn sent_parameter(parameter: String) -> Result<Option<String>, ErrorKind> {
    let (name, value) = parameter.split_once('=').unwrap_or((&parameter, ""));
    let option = match name {
        "flags" => "flags",
        "cas" => "modify-index",
        _ => return Ok(Some(parameter)),
    };
    match number(value) {
        _ if has_slot(value) => Ok(Some(parameter)),
        Some(0) if name == "flags" => Ok(None),
        Some(number) => Ok(Some(format!("{name}={number}"))),
        None => Err(ErrorKind::ConsulUsage(invalid_number(value, option))),
    }
}
