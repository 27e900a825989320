//! Regular expressions as Go's `regexp` reads them (RE2), for filters, user events and templates of
//! prepared queries: its syntax with its errors, and a search in linear time. Unicode classes such
//! as `\pL`, whose tables are large, and large programs are refused. The crates for regular
//! expressions read other dialects, without Go's errors, and are several times as large.

use alloc::vec::Vec;

mod class;
mod error;
mod fragment;
mod parser;
mod program;

pub use self::error::RegexpError;
use self::program::Program;

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Regexp {
    program: Program,
    /// How many groups capture, with the whole expression.
    groups: usize,
}

impl Regexp {
    /// Reads an expression.
    ///
    /// # Errors
    /// Those of Go, in its words; one for a Unicode class; and that of Go for a program that is too
    /// large, at a smaller size.
    pub fn new(pattern: &str) -> Result<Self, RegexpError> {
        parser::parse(pattern).map(|(program, groups)| Self { program, groups })
    }

    /// Whether it matches some part of a text.
    pub fn is_match(&self, text: &str) -> bool {
        program::find(&self.program, text, 0).is_some()
    }

    /// What it matches in a text, and then what each of its groups matches; nothing if it does not
    /// match. A group without a part in the match is empty.
    pub(crate) fn captures<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let slots = program::find(&self.program, text, 2 * self.groups).unwrap_or_default();
        let part = |ends: &[Option<usize>]| match *ends {
            [Some(from), Some(to)] => text.get(from..to).unwrap_or_default(),
            _ => "",
        };
        slots.chunks(2).map(part).collect()
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
    fn groups_have_what_they_have_in_go() {
        for (pattern, text, groups) in [
            ("^geo-(.*?)-([^\\-]+?)$", "geo-db-east-1a", "geo-db-east-1a|db-east|1a"),
            ("(a+)(b?)", "xaab", "aab|aa|b"),
            ("(a+?)(a*)", "aaa", "aaa|a|aa"),
            ("(?U)(a+)(a*)$", "aaa", "aaa|a|aa"),
            ("(a|ab)(c|bcd)(d*)", "abcd", "abcd|a|bcd|"),
            ("(?:x)(?P<n>y)|(z)", "az", "z||z"),
            ("(a)|b", "b", "b|"),
            ("((a)|b)*", "ab", "ab|b|a"),
            ("(é)(.)", "caféx", "éx|é|x"),
            ("x*", "ab", ""),
            ("(a{2}?)", "aaa", "aa|aa"),
        ] {
            let found = Regexp::new(pattern).expect(pattern).captures(text);
            assert_eq!(found.join("|"), groups, "{pattern} {text}");
        }
        assert!(Regexp::new("(a)").expect("it is valid").captures("b").is_empty());
    }

    /// Observed with Go 1.26.
    #[test]
    fn a_repetition_of_what_can_be_empty_prefers_what_go_prefers() {
        for (pattern, text, groups) in [
            ("(|a)*", "aab", "|"),
            ("(|a)+", "aab", "|"),
            ("(|a){2,}", "aab", "|"),
            ("(a|)*", "aab", "aa|a"),
            ("(a|b?)+", "abc", "ab|b"),
            ("(|a)*b", "aab", "aab|a"),
            ("(|a)+?b", "aab", "aab|a"),
            ("(a??)*", "aab", "|"),
            ("(a*?)*b", "aab", "aab|aa"),
            ("(?:a*.){0,2}?b", "ababcb", "abab"),
        ] {
            let found = Regexp::new(pattern).expect(pattern).captures(text);
            assert_eq!(found.join("|"), groups, "{pattern} {text}");
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
            ("(?:(){2}){501}", "invalid repeat count: `{501}`"),
            ("((?:){2,3}|a){334}?", "invalid repeat count: `{334}?`"),
            ("((a{0}){1000}b){2,}", "invalid repeat count: `{2,}`"),
            ("(a{1000}){1000}", "invalid repeat count: `{1000}`"),
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

    /// Observed with Go 1.26.
    #[test]
    fn repetitions_inside_each_other_are_allowed_up_to_1000_times_as_in_go() {
        for pattern in ["((){2}){500}", "((a{1000}){0}){1000}", "((?:){1000}?)*", "((){500}|){2,}"]
        {
            assert_eq!(Regexp::new(pattern).err(), None, "{pattern}");
        }
    }

    #[test]
    fn what_would_need_large_tables_or_programs_is_refused() {
        for (pattern, fault) in [
            ("a\\pLb", "this server has no Unicode classes: `\\pL`"),
            ("[\\p{Greek}x]", "this server has no Unicode classes: `\\p{Greek}`"),
            (&*"a{1000}".repeat(20), "expression too large"),
            (&*"(?:){0,1000}".repeat(20), "expression too large"),
            (&*"(".repeat(5_000), "expression nests too deeply"),
        ] {
            let found = Regexp::new(pattern).expect_err(pattern).to_string();
            assert!(found.contains(fault), "{found}");
        }
    }
}
