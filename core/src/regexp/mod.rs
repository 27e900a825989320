//! Regular expressions as Go's `regexp` reads them (RE2), which filters match texts with: its
//! syntax with its errors, and a search in linear time. Unicode classes such as `\pL`, whose tables
//! are large, are refused. The crates for regular expressions read other dialects, without Go's
//! errors, and are several times as large.

mod class;
mod error;
mod fragment;
mod parser;
mod program;

pub(crate) use self::error::RegexpError;
use self::program::Program;

/// A regular expression.
#[derive(Clone, Debug)]
pub(crate) struct Regexp(Program);

impl Regexp {
    /// Reads an expression.
    ///
    /// # Errors
    /// Those of Go, in its words.
    pub(crate) fn new(pattern: &str) -> Result<Self, RegexpError> {
        parser::parse(pattern).map(Self)
    }

    /// Whether it matches some part of a text.
    pub(crate) fn is_match(&self, text: &str) -> bool {
        program::is_match(&self.0, text)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    /// Observed with Go 1.26.
    #[test]
    fn texts_match_as_in_go() {
        for (pattern, texts, others) in [
            ("", "|a", ""),
            ("^web-[0-9]+$", "web-1|web-22", "web-|web-1x|a web-1"),
            ("a|bc|", "a|bc|x", ""),
            ("^(a|bc)*$", "|abca|bcbc", "b|ab"),
            ("^a.c$", "abc|aéc", "ac|a\nc"),
            ("(?s)^a.c$", "a\nc", "ac"),
            ("(?m)^b$", "a\nb\nc|b", "ab"),
            ("(?i)^straße$", "StRaßE", "strasse"),
            ("(?i:A)b", "ab|Ab", "aB"),
            ("^a{2,3}$", "aa|aaa", "a|aaaa"),
            ("^(ab?){2}$", "aa|abab|aba", "ab|abb"),
            ("^a{,2}$", "a{,2}", "a"),
            ("^[^a-c\\d]+$", "xyz|é", "xay|x1"),
            ("^[]a-]+$", "]a-", "b"),
            ("^[[:alpha:]_[:^word:]]$", "x|_|-", "1"),
            ("^\\w+\\s\\S$", "ab_1 é", "é x"),
            ("\\bcat\\b", "a cat|cat", "cats|concat"),
            ("\\Bcat", "concat", "cat"),
            ("\\A\\Qa.b\\E\\z", "a.b", "axb"),
            ("^\\x41\\x{e9}\\101\\n$", "AéA\n", "A"),
            ("^(?P<first>a)(?<next>b)$", "ab", "a"),
            ("(a*)*b", "b|aab", "a|aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        ] {
            let regexp = Regexp::new(pattern).expect(pattern);
            for text in texts.split('|') {
                assert!(regexp.is_match(text), "{pattern} {text:?}");
            }
            for text in others.split('|').filter(|text| !text.is_empty()) {
                assert!(!regexp.is_match(text), "{pattern} {text:?}");
            }
        }
    }

    /// Observed with Go 1.26.
    #[test]
    fn errors_are_worded_as_in_go() {
        for (pattern, error) in [
            ("(", "missing closing ): `(`"),
            ("a)b", "unexpected ): `a)b`"),
            ("x[a", "missing closing ]: `[a`"),
            ("[b-a]", "invalid character class range: `b-a`"),
            ("[[:foo:]]", "invalid character class range: `[:foo:]`"),
            ("[a-\\d]", "invalid escape sequence: `\\d`"),
            ("*", "missing argument to repetition operator: `*`"),
            ("(|+?)", "missing argument to repetition operator: `+?`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("a{2}?{3}", "invalid nested repetition operator: `{2}?{3}`"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("(a{100}){11}", "invalid repeat count: `{11}`"),
            ("\\", "trailing backslash at end of expression: ``"),
            ("\\y", "invalid escape sequence: `\\y`"),
            ("\\8", "invalid escape sequence: `\\8`"),
            ("\\1", "invalid escape sequence: `\\1`"),
            ("\\x{110000}", "invalid escape sequence: `\\x{110000`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?i-)", "invalid or unsupported Perl syntax: `(?i-)`"),
            ("(?P<a b>c)", "invalid named capture: `(?P<a b>`"),
            ("(?<=a)b", "invalid named capture: `(?<=a)b`"),
        ] {
            let found = Regexp::new(pattern).expect_err(pattern).to_string();
            assert_eq!(found, ["error parsing regexp: ", error].concat());
        }
    }

    #[test]
    fn what_would_need_large_tables_or_programs_is_refused() {
        for (pattern, fault) in [
            ("a\\pLb", "this server has no Unicode classes: `\\pL`"),
            ("[\\p{Greek}x]", "this server has no Unicode classes: `\\p{Greek}`"),
            (&*"a{1000}".repeat(20), "expression too large"),
            (&*"(".repeat(5_000), "expression nests too deeply"),
        ] {
            let found = Regexp::new(pattern).expect_err(pattern).to_string();
            assert!(found.contains(fault), "{found}");
        }
    }
}
