//! The engine's JSON reader agrees with serde_json on mutated texts, except where Go accepts more.
use lictor_core::json::{Json, first_value, only_value};
use lictor_tests::dice::Dice;
use lictor_tests::fuzz::mutated;
use serde_json::Value;

const RUNS: usize = 100_000;

const TEXTS: [&str; 6] = [
    r#"{"Name": "db", "TTL": "15s", "LockDelay": 1.5e10, "Checks": ["serfHealth", null, true]}"#,
    r#"[{"KV":{"Verb":"set","Key":"a/b","Value":"eA==","Index":18446744073709551615,"Flags":-7}}]"#,
    r#"{"Limit": 2, "Holders": {"adf4238a-882b-9ddc-4a9d-5b6758e4159e": true, "x": false}}"#,
    "\"é 😀 \\u00e9\\ud83d\\ude00 \\\"\\\\\\/\\b\\f\\n\\r\\t\"",
    "[0.1, 1e3, -0, 1E+22, 123456789012345678901234567890, 0.000001e-7, 5e-324, 1.7e308]",
    " {\"a\":{\"b\":[[],{},[[[1]]]]},\r\n\t\"c\" : [ ] } ",
];

#[test]
fn values_that_both_parsers_accept_are_equal() {
    let mut dice = Dice::new(21);
    let mut accepted = 0;
    for _ in 0..RUNS {
        let (one, other) = (*dice.one_of(&TEXTS), *dice.one_of(&TEXTS));
        let input = mutated(&mut dice, one.as_bytes(), other.as_bytes());
        let text = String::from_utf8_lossy(&input);
        match (only_value(&text), serde_json::from_str(&text)) {
            (Ok(ours), Ok(theirs)) => {
                accepted += 1;
                assert!(is_same(&ours, &theirs), "{text}\n{ours:?}\n{theirs:?}");
            }
            (Err(_), Err(_)) => {}
            // Go replaces half a surrogate pair, and parses a float only when its value is used.
            (Ok(ours), Err(_)) => {
                let is_half = text.contains("\\ud") || text.contains("\\uD");
                assert!(is_half || has_infinity(&ours), "{text}");
            }
            (Err(why), Ok(_)) => panic!("{text}: {why}"),
        }
    }
    assert!(accepted > RUNS / 20, "{accepted}");
}

#[test]
fn all_unmutated_texts_are_accepted() {
    for text in TEXTS {
        let theirs = serde_json::from_str(text).expect("it is JSON");
        assert!(first_value(text.as_bytes()).is_ok_and(|ours| is_same(&ours, &theirs)), "{text}");
    }
}

/// Whether two values are equal. Of members with the same name serde_json keeps the last one.
fn is_same(ours: &Json, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(one), Value::Bool(other)) => one == other,
        (Json::Unsigned(number), theirs) => theirs.as_u64() == Some(*number),
        (Json::Signed(number), theirs) => theirs.as_i64() == Some(*number),
        (Json::Decimal(_), theirs) => {
            theirs.as_f64().zip(ours.as_f64()).is_some_and(|(one, other)| is_near(one, other))
        }
        (Json::Text(one), Value::String(other)) => one == other,
        (Json::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(one, it)| is_same(one, it))
        }
        (Json::Object(ours), Value::Object(theirs)) => theirs.iter().all(|(name, theirs)| {
            let last = ours.iter().rev().find(|(key, _)| key == name);
            last.is_some_and(|(_, ours)| is_same(ours, theirs))
        }),
        _ => false,
    }
}

/// Whether a number in a value is too large for a float.
fn has_infinity(value: &Json) -> bool {
    match value {
        Json::Decimal(_) => value.as_f64().is_none(),
        Json::Array(items) => items.iter().any(has_infinity),
        Json::Object(members) => members.iter().any(|(_, value)| has_infinity(value)),
        _ => false,
    }
}

/// Whether two floats are equal but for the last few bits, which serde_json does not promise, or
/// both almost zero.
fn is_near(one: f64, other: f64) -> bool {
    one == other || (one - other).abs() <= one.abs() * 1e-15 || one.abs().max(other.abs()) < 1e-300
}
