//! The syntax of filters: that of go-bexpr 0.1.2 with its error texts, which list what could have
//! stood at the farthest place that was reached (FLT-03). Alternatives are tried in its order, and
//! each of them records in [`Trace`] what it missed.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use winnow::combinator::{alt, delimited, eof, opt, peek, preceded, repeat, separated};
use winnow::error::EmptyError;
use winnow::stream::{Stateful, Stream as _};
use winnow::token::{one_of, take_till, take_while};
use winnow::{Parser, Result};

use super::error::FilterError;
use super::expression::{Expression, Match, Operator};
use super::trace::{Expected, Trace};
use crate::strconv;

/// How many parentheses may be inside each other (FLT-09). Consul has no limit, but needs four
/// times as long for each level, so that it never answers a filter with this many.
const DEPTH_MAX: usize = 32;

type Input<'a> = Stateful<&'a str, Trace<'a>>;
type Parsed<T> = Result<T, EmptyError>;

/// Reads an expression.
pub(super) fn parse(text: &str) -> core::result::Result<Expression, FilterError> {
    let mut input = Input { input: text, state: Trace::new(text) };
    let parsed = delimited(gap, disjunction, (gap, end)).parse_next(&mut input);
    input.state.result(parsed.ok())
}

fn disjunction(input: &mut Input) -> Parsed<Expression> {
    let parts = separated(1.., conjunction, (blank, word("or"), blank));
    parts.map(|parts| joined(parts, Expression::Or)).parse_next(input)
}

fn conjunction(input: &mut Input) -> Parsed<Expression> {
    let parts = separated(1.., negation, (blank, word("and"), blank));
    parts.map(|parts| joined(parts, Expression::And)).parse_next(input)
}

/// Several expressions as one; one alone stands for itself.
fn joined(mut parts: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Expression {
    match parts.pop() {
        Some(only) if parts.is_empty() => only,
        last => {
            parts.extend(last);
            join(parts)
        }
    }
}

/// Any number of `not` before a group or match. What reads as `not` can also be a selector of that
/// name: if nothing follows it, it is tried as one.
fn negation(input: &mut Input) -> Parsed<Expression> {
    let mut starts = Vec::from([input.checkpoint()]);
    while opt((word("not"), blank)).parse_next(input)?.is_some() {
        starts.push(input.checkpoint());
    }
    while let Some(start) = starts.pop() {
        input.reset(&start);
        if let Some(found) = opt(group).parse_next(input)? {
            let is_negated = starts.len() % 2 == 1;
            return Ok(if is_negated { Expression::Not(Box::new(found)) } else { found });
        }
    }
    Err(EmptyError)
}

/// An expression in parentheses, or a match.
fn group(input: &mut Input) -> Parsed<Expression> {
    if opt(word("(")).parse_next(input)?.is_none() {
        return comparison(input);
    }
    if input.state.depth == DEPTH_MAX {
        input.state.is_too_deep = true;
        return Err(EmptyError);
    }
    input.state.depth += 1;
    let inner = delimited(gap, disjunction, gap).parse_next(input);
    input.state.depth -= 1;
    let inner = inner?;
    match opt(word(")")).parse_next(input)? {
        Some(_) => Ok(inner),
        None => fault(input, "grouping", "Unmatched parentheses"),
    }
}

/// A selector, an operator and, if it takes one, a value; or a value in a selector.
fn comparison(input: &mut Input) -> Parsed<Expression> {
    let Some(selector) = opt(selector).parse_next(input)? else {
        let value = alt((number, string)).parse_next(input)?;
        return membership(input, value);
    };
    if let Some((operator, value)) = opt((comparing, value)).parse_next(input)? {
        return Ok(Expression::Match(Match { selector, operator, value }));
    }
    if let Some(operator) = opt(emptiness).parse_next(input)? {
        return Ok(Expression::Match(Match { selector, operator, value: String::new() }));
    }
    membership(input, selector.join("."))
}

fn membership(input: &mut Input, value: String) -> Parsed<Expression> {
    let inside = (blank, word("in"), blank).value(Operator::In);
    let outside = (blank, word("not"), blank, word("in"), blank).value(Operator::NotIn);
    let operator = alt((inside, outside)).parse_next(input)?;
    match opt(selector).parse_next(input)? {
        Some(selector) => Ok(Expression::Match(Match { selector, operator, value })),
        None => fault(input, "match", "Invalid selector"),
    }
}

/// The operators between a selector and a value.
fn comparing(input: &mut Input) -> Parsed<Operator> {
    let not = |name| (blank, word("not"), blank, word(name), blank);
    alt((
        (gap, word("=="), gap).value(Operator::Equal),
        (gap, word("!="), gap).value(Operator::NotEqual),
        (blank, word("contains"), blank).value(Operator::In),
        not("contains").value(Operator::NotIn),
        (blank, word("matches"), blank).value(Operator::Matches),
        not("matches").value(Operator::NotMatches),
    ))
    .parse_next(input)
}

/// The operators after a selector that take no value.
fn emptiness(input: &mut Input) -> Parsed<Operator> {
    let is = || (blank, word("is"), blank);
    alt((
        (is(), word("empty")).value(Operator::IsEmpty),
        (is(), word("not"), blank, word("empty")).value(Operator::IsNotEmpty),
    ))
    .parse_next(input)
}

fn selector(input: &mut Input) -> Parsed<Vec<String>> {
    let first = identifier(input)?;
    let further = alt((preceded(word("."), identifier), index));
    let further: Vec<String> = repeat(0.., further).parse_next(input)?;
    Ok([Vec::from([first]), further].concat())
}

fn identifier(input: &mut Input) -> Parsed<String> {
    (one(&LETTER), many(&WORD)).take().map(String::from).parse_next(input)
}

/// A name in brackets.
fn index(input: &mut Input) -> Parsed<String> {
    (word("["), gap).parse_next(input)?;
    let Some(name) = opt(string).parse_next(input)? else {
        return fault(input, "index", "Invalid index");
    };
    gap(input)?;
    match opt(word("]")).parse_next(input)? {
        Some(_) => Ok(name),
        None => fault(input, "index", "Unclosed index expression"),
    }
}

/// A value: a bare word may have dots and brackets, as it is read like a selector.
fn value(input: &mut Input) -> Parsed<String> {
    alt((selector.map(|names| names.join(".")), number, string)).parse_next(input)
}

fn number(input: &mut Input) -> Parsed<String> {
    let digits = alt((word("0").void(), (one(&NOT_ZERO), many(&DIGIT)).void()));
    let fraction = opt((word("."), one(&DIGIT), many(&DIGIT)));
    let number = (opt(word("-")), digits, fraction).take().parse_next(input)?;
    let ends = opt(peek(alt((blank, end, word(")").void())))).parse_next(input)?;
    if ends.is_none() {
        return fault(input, "number", "Invalid number literal");
    }
    Ok(number.into())
}

/// A text in quotes or backquotes. A quote ends it even after a backslash.
fn string(input: &mut Input) -> Parsed<String> {
    let start = input.state.offset(input.input);
    let quote = alt((word("`"), word("\""))).parse_next(input)?;
    let body = take_till(0.., |c| quote.contains(c)).parse_next(input)?;
    if opt(word(quote)).parse_next(input)?.is_none() {
        return fault(input, "string", "Unterminated string literal");
    }
    let literal = [quote, body, quote].concat();
    Ok(strconv::unquoted(&literal).unwrap_or_else(|| {
        input.state.fault(start, "string", "invalid syntax");
        String::new()
    }))
}

/// Fails with an error of its own at the place that was reached, which no alternative can undo.
fn fault<T>(input: &mut Input, rule: &str, text: &str) -> Parsed<T> {
    let at = input.state.offset(input.input);
    input.state.fault(at, rule, text);
    Err(EmptyError)
}

fn blank(input: &mut Input) -> Parsed<()> {
    (one(&BLANK), many(&BLANK)).void().parse_next(input)
}

/// Blanks, or nothing.
fn gap(input: &mut Input) -> Parsed<()> {
    opt(blank).void().parse_next(input)
}

fn end(input: &mut Input) -> Parsed<()> {
    traced(Expected::End, eof.void()).parse_next(input)
}

fn word<'a>(text: &'static str) -> impl Parser<Input<'a>, &'static str, EmptyError> {
    traced(Expected::Word(text), text.value(text))
}

fn one<'a>(class: &'static CharClass) -> impl Parser<Input<'a>, char, EmptyError> {
    traced(Expected::Class(class.label), one_of(class.has))
}

/// Any number of characters of a class. Another one could always have followed.
fn many<'a>(class: &'static CharClass) -> impl Parser<Input<'a>, &'a str, EmptyError> {
    move |input: &mut Input<'a>| {
        let found = take_while(0.., class.has).parse_next(input)?;
        input.state.miss(input.input, Expected::Class(class.label));
        Ok(found)
    }
}

/// A parser that records what it expected if it fails.
fn traced<'a, T>(
    expected: Expected,
    mut parser: impl Parser<Input<'a>, T, EmptyError>,
) -> impl Parser<Input<'a>, T, EmptyError> {
    move |input: &mut Input<'a>| {
        let rest = input.input;
        let parsed = parser.parse_next(input);
        if parsed.is_err() {
            input.state.miss(rest, expected);
        }
        parsed
    }
}

/// A class of characters, with its name in error texts.
struct CharClass {
    label: &'static str,
    has: fn(char) -> bool,
}

const BLANK: CharClass =
    CharClass { label: r"[ \t\r\n]", has: |c| matches!(c, ' ' | '\t' | '\r' | '\n') };
const LETTER: CharClass = CharClass { label: "[a-zA-Z]", has: |c| c.is_ascii_alphabetic() };
const WORD: CharClass =
    CharClass { label: "[a-zA-Z0-9_]", has: |c| c.is_ascii_alphanumeric() || c == '_' };
const DIGIT: CharClass = CharClass { label: "[0-9]", has: |c| c.is_ascii_digit() };
const NOT_ZERO: CharClass = CharClass { label: "[1-9]", has: |c| matches!(c, '1'..='9') };
