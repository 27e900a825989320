//! Templates of prepared queries (PQ-08): a query that answers for all names that begin with its
//! own. The texts of its service are written in Consul's template language (HIL), in which
//! `${name.suffix}` and `${match(1)}` are parts of the name. Texts, variables, whole numbers and
//! `match` of that language are implemented; operators, other functions and fractions are refused.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use super::catalog::Pairs;
use super::prepared_query::{QueryDefinition, ServiceQuery};
use crate::id::go_quoted;
use crate::regexp::Regexp;

/// The only type of a template.
const NAME_PREFIX_MATCH: &str = "name_prefix_match";

/// How deep expressions may be nested in parentheses, quotes and arguments.
const DEPTH_MAX: usize = 100;

/// A part of a text.
enum Part {
    Text(String),
    Value(Expression),
}

enum Expression {
    Quoted(Vec<Part>),
    Number(i64),
    Variable(String, Position),
    Call(String, Vec<Self>, Position),
}

/// Line and column of a character, both counted from 1.
#[derive(Clone, Copy)]
struct Position {
    line: usize,
    column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The name for which a template is rendered.
struct Scope<'a> {
    prefix: &'a str,
    name: &'a str,
    groups: Vec<&'a str>,
}

impl QueryDefinition {
    /// Whether it answers for other names too.
    pub(super) fn is_template(&self) -> bool {
        !self.template.kind.is_empty()
    }

    /// The query for a name: a copy with the texts of its service evaluated.
    ///
    /// # Errors
    ///
    /// Fails with a text if the template has another type, or if its regular expression or one of
    /// its texts cannot be parsed or evaluated.
    pub(super) fn rendered(&self, name: &str) -> Result<Self, String> {
        let template = &self.template;
        if template.kind != NAME_PREFIX_MATCH {
            return Err(format!("Bad Template.Type '{}'", template.kind));
        }
        let parsed = |path: &str, text: &str| {
            parse(text).map_err(|error| format!("Bad format '{text}' in Service{path}: {error}"))
        };
        mapped(&self.service, |path, text| parsed(path, text).map(|_| text.into()))?;
        let groups = match template.regexp.as_str() {
            "" => Vec::new(),
            pattern => {
                let regexp = Regexp::new(pattern);
                regexp.map_err(|error| format!("Bad Regexp: {error}"))?.captures(name)
            }
        };
        let scope = Scope { prefix: &self.name, name, groups };
        let mut service = mapped(&self.service, |path, text| {
            scope
                .joined(&parsed(path, text)?)
                .map_err(|error| format!("Bad evaluation for '{text}' in Service{path}: {error}"))
        })?;
        if template.remove_empty_tags {
            let tags = service.tags.into_iter().flatten();
            service.tags = Some(tags.filter(|tag| !tag.is_empty()).collect());
        }
        Ok(Self { service, ..self.clone() })
    }
}

/// A service with each of its texts replaced. The first argument is the path to the text.
fn mapped(
    service: &ServiceQuery,
    mut map: impl FnMut(&str, &str) -> Result<String, String>,
) -> Result<ServiceQuery, String> {
    let mut new = service.clone();
    let mut set = |path: &str, text: &mut String| map(path, text).map(|mapped| *text = mapped);
    set(".Service", &mut new.service)?;
    let items = |path: &'static str, list: &mut Option<Vec<String>>, set: &mut Setter<'_>| {
        let mut numbered = list.iter_mut().flatten().enumerate();
        numbered.try_for_each(|(at, text)| set(&format!("{path}[{at}]"), text))
    };
    items(".Failover.Datacenters", &mut new.failover.datacenters, &mut set)?;
    for (at, target) in new.failover.targets.iter_mut().flatten().enumerate() {
        set(&format!(".Failover.Targets[{at}].Peer"), &mut target.peer)?;
        set(&format!(".Failover.Targets[{at}].Datacenter"), &mut target.datacenter)?;
    }
    items(".IgnoreCheckIDs", &mut new.ignore_check_ids, &mut set)?;
    set(".Near", &mut new.near)?;
    items(".Tags", &mut new.tags, &mut set)?;
    let pairs = |path: &'static str, pairs: &mut Pairs, set: &mut Setter<'_>| {
        pairs.iter_mut().flatten().try_for_each(|(key, value)| {
            let mut text = String::from(&**value);
            set(&format!("{path}[{key}]"), &mut text)?;
            *value = text.into();
            Ok::<(), String>(())
        })
    };
    pairs(".NodeMeta", &mut new.node_meta, &mut set)?;
    pairs(".ServiceMeta", &mut new.service_meta, &mut set)?;
    set(".Peer", &mut new.peer)?;
    Ok(new)
}

/// Replaces a text at a path.
type Setter<'a> = dyn FnMut(&str, &mut String) -> Result<(), String> + 'a;

impl Scope<'_> {
    fn joined(&self, parts: &[Part]) -> Result<String, String> {
        let text = |part: &Part| match part {
            Part::Text(text) => Ok(text.clone()),
            Part::Value(expression) => self.text(expression),
        };
        parts.iter().map(text).collect()
    }

    fn text(&self, expression: &Expression) -> Result<String, String> {
        match expression {
            Expression::Quoted(parts) => self.joined(parts),
            Expression::Number(number) => Ok(number.to_string()),
            Expression::Variable(name, position) => match &**name {
                "name.full" => Ok(self.name.into()),
                "name.prefix" => Ok(self.prefix.into()),
                "name.suffix" => {
                    Ok(self.name.strip_prefix(self.prefix).unwrap_or(self.name).into())
                }
                "agent.segment" => Ok(String::new()),
                _ => Err(format!("{position}: unknown variable accessed: {name}")),
            },
            Expression::Call(name, arguments, position) => match (&**name, arguments.as_slice()) {
                ("match", [group]) => self.group(group),
                ("match", more) => {
                    Err(format!("{position}: match: expected 1 arguments, got {}", more.len()))
                }
                _ => Err(format!("{position}: unknown function called: {name}")),
            },
        }
    }

    /// A group of the match of the regular expression; empty if there is none.
    fn group(&self, number: &Expression) -> Result<String, String> {
        let text = self.text(number)?;
        let number = text.parse::<i64>().map_err(|_| {
            let text = go_quoted(&text);
            format!("__builtin_StringToInt: strconv.ParseInt: parsing {text}: invalid syntax")
        })?;
        let group = usize::try_from(number).ok().and_then(|number| self.groups.get(number));
        Ok(group.copied().unwrap_or_default().into())
    }
}

fn parse(text: &str) -> Result<Vec<Part>, String> {
    let start = Position { line: 1, column: 1 };
    let mut reader = Reader { rest: text, position: start, depth: 0 };
    reader.parts(false)
}

struct Reader<'a> {
    rest: &'a str,
    position: Position,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        if c == '\n' {
            self.position = Position { line: self.position.line + 1, column: 1 };
        } else {
            self.position.column += 1;
        }
        Some(c)
    }

    fn skip(&mut self, chars: usize) {
        for _ in 0..chars {
            self.next();
        }
    }

    /// Reads over a text if it is next; returns whether it was.
    fn has_read(&mut self, text: &str) -> bool {
        let is_next = self.rest.starts_with(text);
        if is_next {
            self.skip(text.chars().count());
        }
        is_next
    }

    /// The parts of a whole text, or of one in quotes, whose opening quote has been read.
    fn parts(&mut self, is_quoted: bool) -> Result<Vec<Part>, String> {
        let (mut parts, mut text) = (Vec::new(), String::new());
        let (begin, start) = (self.rest, self.position);
        loop {
            let position = self.position;
            if self.has_read("${") {
                parts.push(Part::Text(core::mem::take(&mut text)));
                parts.push(Part::Value(self.expression()?));
                self.close("}", "\"}\"")?;
                continue;
            }
            if self.has_read("$$") {
                text.push('$');
                continue;
            }
            match self.next() {
                None if is_quoted => {
                    let found = format!("invalid sequence {}", go_quoted(begin));
                    return Err(error(start, &format!("expected \"${{\" but found {found}")));
                }
                None => break,
                Some('"') if is_quoted => break,
                Some('\\') if is_quoted => match self.next() {
                    Some('n') => text.push('\n'),
                    Some(c @ ('\\' | '"')) => text.push(c),
                    _ => return Err(error(position, "invalid backslash escape sequence")),
                },
                Some(c) => text.push(c),
            }
        }
        parts.push(Part::Text(text));
        Ok(parts)
    }

    fn expression(&mut self) -> Result<Expression, String> {
        self.skip_space();
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(error(self.position, "the expression nests too deeply"));
        }
        let position = self.position;
        let expression = match self.rest.chars().next() {
            Some('(') => {
                self.next();
                let inner = self.expression()?;
                self.close(")", "\")\"")?;
                inner
            }
            Some('"') => {
                self.next();
                Expression::Quoted(self.parts(true)?)
            }
            Some(c) if c.is_ascii_digit() => {
                let digits = self.word(|c| c.is_ascii_digit() || c == '.');
                let number = digits.parse();
                let what = format!("this server reads only whole numbers, not {digits}");
                Expression::Number(number.map_err(|_| error(position, &what))?)
            }
            Some(c) if c.is_alphabetic() || c == '_' => self.name(position)?,
            _ => return Err(self.unexpected("expression")),
        };
        self.depth -= 1;
        Ok(expression)
    }

    /// A variable, or a call of a function.
    fn name(&mut self, position: Position) -> Result<Expression, String> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = String::from(self.word(is_part));
        self.skip_space();
        if !self.has_read("(") {
            return Ok(Expression::Variable(name, position));
        }
        let mut arguments = Vec::new();
        loop {
            self.skip_space();
            if self.rest.starts_with(')') {
                break;
            }
            arguments.push(self.expression()?);
            self.skip_space();
            if !self.has_read(",") {
                break;
            }
        }
        self.close(")", "\")\"")?;
        Ok(Expression::Call(name, arguments, position))
    }

    fn close(&mut self, end: &str, wanted: &str) -> Result<(), String> {
        self.skip_space();
        if self.has_read(end) { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    fn skip_space(&mut self) {
        self.word(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
    }

    fn word(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let word = &self.rest[..end];
        self.skip(word.chars().count());
        word
    }

    fn unexpected(&self, wanted: &str) -> String {
        const OPERATORS: &str = "+-*/%?:!&|<>=[";
        let found = match self.rest.chars().next() {
            None => "end of string".into(),
            Some(c) if OPERATORS.contains(c) => {
                let what = format!("this server implements no operators in templates: {c}");
                return error(self.position, &what);
            }
            Some('"') => "opening quote".into(),
            Some(c @ ('(' | ')' | ']' | ',' | '.' | '}')) => go_quoted(&c.to_string()),
            Some(c) if !c.is_alphanumeric() && c != '_' => {
                format!("invalid sequence {}", go_quoted(&c.to_string()))
            }
            Some(_) => {
                let end = self.rest.find(|c: char| !c.is_alphanumeric());
                go_quoted(&self.rest[..end.unwrap_or(self.rest.len())])
            }
        };
        error(self.position, &format!("expected {wanted} but found {found}"))
    }
}

fn error(position: Position, what: &str) -> String {
    format!("parse error at {position}: {what}")
}
