//! The numbers of a shell: sums such as `$((ttl * 2))`, of whole numbers, names, `+ - * / %` and
//! brackets, and the spans of `sleep`.

use super::text_cursor::{is_of_name, starts_a_name};

/// The most brackets and signs inside one another.
const DEPTH_MAX: usize = 32;

/// The value of an expression; `None` if a name has no number, or for other operators.
pub(super) fn sum(expression: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<i64> {
    let text: String = expression.chars().filter(|c| !c.is_whitespace()).collect();
    let mut parser = Parser { rest: &text, value, depth: 0 };
    let sum = parser.terms()?;
    parser.rest.is_empty().then_some(sum)
}

/// A span as `sleep` reads it, in seconds, which are also the unit of a number without one. `None`
/// if it is no span.
pub(super) fn seconds(span: &str) -> Option<f64> {
    let (number, factor) = match span.strip_suffix(['s', 'm', 'h', 'd']) {
        Some(number) => (
            number,
            match &span[number.len()..] {
                "m" => 60.0,
                "h" => 3_600.0,
                "d" => 86_400.0,
                _ => 1.0,
            },
        ),
        None => (span, 1.0),
    };
    let seconds = number.parse::<f64>().ok()? * factor;
    (seconds.is_finite() && (0.0..=SECONDS_MAX).contains(&seconds)).then_some(seconds)
}

/// The longest span of `sleep`.
const SECONDS_MAX: f64 = 86_400.0;

struct Parser<'t, 'v> {
    rest: &'t str,
    value: &'v dyn Fn(&str) -> Option<String>,
    depth: usize,
}

impl Parser<'_, '_> {
    fn eat(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn terms(&mut self) -> Option<i64> {
        let mut sum = self.factors()?;
        loop {
            sum = if self.eat('+') {
                sum.checked_add(self.factors()?)?
            } else if self.eat('-') {
                sum.checked_sub(self.factors()?)?
            } else {
                return Some(sum);
            };
        }
    }

    fn factors(&mut self) -> Option<i64> {
        let mut product = self.factor()?;
        loop {
            product = if self.eat('*') {
                product.checked_mul(self.factor()?)?
            } else if self.eat('/') {
                product.checked_div(self.factor()?)?
            } else if self.eat('%') {
                product.checked_rem(self.factor()?)?
            } else {
                return Some(product);
            };
        }
    }

    fn factor(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return None;
        }
        let factor = if self.eat('(') {
            let sum = self.terms()?;
            self.eat(')').then_some(sum)?
        } else if self.eat('-') {
            self.factor()?.checked_neg()?
        } else {
            let length = self.rest.find(|c| !is_of_name(c)).unwrap_or(self.rest.len());
            let (word, rest) = self.rest.split_at(length);
            self.rest = rest;
            let number = if starts_a_name(word) { (self.value)(word)? } else { word.to_owned() };
            number.trim().parse().ok()?
        };
        self.depth -= 1;
        Some(factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_a_shell() {
        let value = |name: &str| (name == "ttl").then(|| "10".to_owned());
        for (expression, expected) in [
            (" ttl * 2 ", Some(20)),
            ("(1+2)*-3 + 7%4 - 8/3", Some(-8)),
            ("unset + 1", None),
            ("1/0", None),
            ("1 <<", None),
            ("", None),
        ] {
            assert_eq!(sum(expression, &value), expected, "{expression}");
        }
    }
}
