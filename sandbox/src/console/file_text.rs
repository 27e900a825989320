//! The text of a file that is dropped onto the console: the value of the command that was begun, or
//! the command itself.

/// The input with the text of a file. A request that was begun gets it as its body, and another
/// command as its next argument; no name in the text gets a value.
pub fn with_file(begun: &str, text: &str) -> String {
    let words: Vec<&str> = begun.split_whitespace().collect();
    let is_method = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase());
    match words[..] {
        [] => text.to_owned(),
        [method, address] if is_method(method) => {
            format!("curl -X {method} {address} -d {}", quoted(text))
        }
        _ => format!("{} {}", begun.trim_end(), quoted(text)),
    }
}

/// A text as one word of a command.
fn quoted(text: &str) -> String {
    if !text.contains(['\'', '\\', '$', '<']) {
        return format!("'{text}'");
    }
    let mut word = String::from("$'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => word.extend(['\\', c]),
            '$' => word.push_str("\\x24"),
            '<' => word.push_str("\\x3c"),
            c => word.push(c),
        }
    }
    word + "'"
}
