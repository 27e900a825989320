//! The numbers of a shell: results such as `$((ttl * 2))` and the spans of `sleep`.

use super::text_cursor::starts_a_name;

/// The value of a whole number or a name, or of two of them with `+ - * / %` between them. `None`
/// if a name has no number, and for other expressions.
pub(super) fn result(expression: &str, value: &dyn Fn(&str) -> Option<String>) -> Option<i64> {
    let number = |word: &str| {
        let word = word.trim();
        let text = if starts_a_name(word) { value(word)? } else { word.to_owned() };
        // A shell reads a number that begins with 0 in base 8.
        let text = text.trim();
        let is_decimal = text == "0" || !text.starts_with('0');
        text.parse::<i64>().ok().filter(|_| is_decimal)
    };
    let Some(place) = expression.find(['+', '-', '*', '/', '%']) else {
        return number(expression);
    };
    let (left, right) = (number(&expression[..place])?, number(&expression[place + 1..])?);
    match &expression[place..=place] {
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        _ => left.checked_rem(right),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_those_of_a_shell() {
        let value = |name: &str| (name == "ttl").then(|| "10".to_owned());
        for (expression, expected) in [
            (" ttl * 2 ", Some(20)),
            ("7-ttl", Some(-3)),
            ("7 % 4", Some(3)),
            ("ttl", Some(10)),
            ("1 + 2 * 3", None),
            ("010 + 1", None),
            ("unset + 1", None),
            ("1/0", None),
            ("1 <<", None),
            ("", None),
        ] {
            assert_eq!(result(expression, &value), expected, "{expression}");
        }
    }
}
