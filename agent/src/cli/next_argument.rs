//! Reads the arguments of a command line as Go's programs do: a flag has one dash or two.

use std::ffi::{OsStr, OsString};
use std::iter;

use lexopt::{Arg, Parser};

/// Reads the next argument, which is `--name` where `-name` is written: Go's programs accept both,
/// the parser only the latter. A value keeps its dash.
pub(super) fn next(parser: &mut Parser) -> Result<Option<Arg<'_>>, lexopt::Error> {
    if let Some(rest) = parser.try_raw_args()
        && let Some(flag) = rest.peek().and_then(with_two_dashes)
    {
        let rest: Vec<OsString> = rest.skip(1).collect();
        *parser = Parser::from_args(iter::once(flag).chain(rest));
    }
    parser.next()
}

fn with_two_dashes(argument: &OsStr) -> Option<OsString> {
    let text = argument.to_str()?;
    let has_one = text.len() > 2 && text.starts_with('-') && !text.starts_with("--");
    has_one.then(|| format!("-{text}").into())
}
