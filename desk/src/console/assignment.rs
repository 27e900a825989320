//! The start of a command that assigns its answer or a value to a variable: `name=$(...)`, `name <-
//! ...`, `name=value`.

use super::text_cursor::{TextCursor, is_blank, is_of_name, starts_a_name};

/// The variable of an assignment, and what follows its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) source: AssignedFrom,
}

/// The form of the assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AssignedFrom {
    /// `name=value`.
    Value,
    /// `name=$(command)`, with the closing bracket.
    Shell(&'static str),
    /// `name <- command`: a command for a shell or a line of HTTP, up to its own end.
    Any,
}

/// The brackets around a command whose answer is assigned.
const BRACKETS: [(&str, &str); 4] = [("$(", ")"), ("\"$(", ")\""), ("`", "`"), ("\"`", "`\"")];

/// Consumes the start of an assignment, if there is one.
pub(super) fn assignment(cursor: &mut TextCursor<'_>) -> Option<Assignment> {
    let mut ahead = cursor.clone();
    if ahead.rest().strip_prefix("export").is_some_and(|rest| rest.starts_with(is_blank)) {
        ahead.eat("export");
        ahead.skip_blanks();
    }
    let name = ahead.take_while(|c| is_of_name(c) || c == '-').to_owned();
    if !starts_a_name(&name) {
        return None;
    }
    let source = if ahead.eat("=") { equals(&mut ahead) } else { arrow(&mut ahead)? };
    *cursor = ahead;
    Some(Assignment { name, source })
}

fn equals(cursor: &mut TextCursor<'_>) -> AssignedFrom {
    let bracket = BRACKETS.into_iter().find(|(open, _)| cursor.eat(open));
    bracket.map_or(AssignedFrom::Value, |(_, close)| AssignedFrom::Shell(close))
}

fn arrow(cursor: &mut TextCursor<'_>) -> Option<AssignedFrom> {
    cursor.skip_blanks();
    let is_arrow = cursor.eat("<-");
    cursor.skip_blanks();
    is_arrow.then_some(AssignedFrom::Any)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_are_distinguished_from_commands() {
        let from = |text| assignment(&mut TextCursor::new(text)).map(|it| (it.name, it.source));
        assert_eq!(from("s1=$(curl"), Some(("s1".into(), AssignedFrom::Shell(")"))));
        assert_eq!(from("export S=\"$(curl"), Some(("S".into(), AssignedFrom::Shell(")\""))));
        assert_eq!(from("s1 <- PUT"), Some(("s1".into(), AssignedFrom::Any)));
        assert_eq!(from("lock=a/.lock"), Some(("lock".into(), AssignedFrom::Value)));
        for text in ["curl -d a=b", "PUT /v1", "=x", "1=x", "", "-X=1"] {
            assert_eq!(from(text), None, "{text}");
        }
    }
}
