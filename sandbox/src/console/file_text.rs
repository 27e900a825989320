//! The input of the console after a file was dropped onto it: the text of the file becomes an
//! argument of the command in the input, or the whole input if it was empty.

/// The input with the text of a file. A line of HTTP gets the text as its body, and another command
/// as its next argument. The text is quoted so that no variable in it is filled in.
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
