//! Removes line ends of Chinese text. A browser draws the end of a line of the source as a space,
//! which does not belong between two Chinese characters.

/// The text without the line ends between two Chinese characters, except in blocks of code.
pub(crate) fn joined(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut is_code = false;
    for line in text.lines() {
        let was_code = is_code;
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        let continues = !was_code
            && line.trim_start().starts_with(is_chinese)
            && joined
                .strip_suffix('\n')
                .is_some_and(|before| without_tags(before).ends_with(is_chinese));
        if continues {
            joined.pop();
            joined += line.trim_start();
        } else {
            joined += line;
        }
        joined.push('\n');
    }
    joined
}

/// A text without the HTML tags at its end.
fn without_tags(mut text: &str) -> &str {
    while let Some(before) = text.strip_suffix('>') {
        text = before.rfind('<').map_or("", |tag| &before[..tag]);
    }
    text
}

/// Whether a character is a Chinese character or Chinese punctuation.
fn is_chinese(letter: char) -> bool {
    matches!(letter, '\u{2e80}'..='\u{9fff}' | '\u{ff00}'..='\u{ffef}' | '“' | '”' | '‘' | '’')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_ends_between_chinese_characters_are_removed() {
        assert_eq!(joined("会话到期，\n  而锁"), "会话到期，而锁\n");
        assert_eq!(joined("在\n60 秒"), "在\n60 秒\n");
        assert_eq!(
            joined("在 <a href=\"#x\">60 秒</a>\n时结束"),
            "在 <a href=\"#x\">60 秒</a>时结束\n"
        );
        assert_eq!(joined("一段。\n\n二段。\n\n- 项"), "一段。\n\n二段。\n\n- 项\n");
        assert_eq!(joined("```sh\n键\n值\n```\n"), "```sh\n键\n值\n```\n");
    }
}
