//! The input of the console after a file was dropped onto it: the text of the file becomes an
//! argument of the command in the input, or the whole input if it was empty.

use lictor_view::request_text::{data_option, has_dots, quoted};

use super::{curl, url};

/// The input with the text of a file. A line of HTTP gets the text as its body, and another command
/// as its next argument. The text is quoted so that no variable in it is filled in.
pub fn with_file(begun: &str, text: &str) -> String {
    let words: Vec<&str> = begun.split_whitespace().collect();
    let is_method = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase());
    let begun = begun.trim_end();
    let last = words.last().copied().unwrap_or_default();
    let for_text = curl::options_for_text(last).filter(|_| text.starts_with('@'));
    match words[..] {
        [] => text.to_owned(),
        [method, address] if is_method(method) => {
            let options = address_options(address);
            format!("curl{options} -X {method} {address} {} {}", data_option(text), quoted(text))
        }
        _ => {
            let (before, option) = match for_text {
                Some(options) => (begun.strip_suffix(last).unwrap_or(begun), options),
                None => (begun, ""),
            };
            format!("{before}{option} {}", quoted(text))
        }
    }
}

/// The options with which curl sends an address as it is, each after a blank.
fn address_options(address: &str) -> String {
    let has_pattern = url::has_patterns(address);
    let as_is = if has_dots(address) { " --path-as-is" } else { "" };
    format!("{}{as_is}", if has_pattern { " -g" } else { "" })
}
