//! Lists the keys that a configuration sets, each with its path and its value, and checks them
//! against config_keys.txt, which has the keys and types of Consul's configuration files. A key
//! that Consul does not have and a value of another type are refused with the text of Consul's
//! error. Keys match in any letter case. Below a key of type `any` nothing is checked.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::format::Format;

/// A key that a configuration sets, with its path and its value as a text. The path is in lower
/// case, except for names that the configuration chooses, as in `node_meta`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SetKey {
    pub(super) path: String,
    pub(super) value: String,
}

/// The type of a key's value. What is below `Any` is not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyType {
    String,
    Bool,
    Int,
    Float,
    Strings,
    Group,
    Any,
}

static KEYS: LazyLock<BTreeMap<&str, KeyType>> = LazyLock::new(|| {
    let lines = include_str!("config_keys.txt").lines().filter(|line| !line.starts_with('#'));
    let keys = lines.flat_map(|line| {
        let mut words = line.split(' ');
        let kind = match words.next() {
            Some("string") => KeyType::String,
            Some("bool") => KeyType::Bool,
            Some("int") => KeyType::Int,
            Some("float") => KeyType::Float,
            Some("strings") => KeyType::Strings,
            Some("group") => KeyType::Group,
            _ => KeyType::Any,
        };
        words.map(move |name| (name, kind))
    });
    keys.collect()
});

/// All keys to which a configuration gives a value. Fails with the text of Consul's error.
pub(super) fn keys(tree: &Value, format: Format) -> Result<Vec<SetKey>, String> {
    let mut reader = Reader::new(format);
    reader.group(tree, "");
    let Reader { set, mut mistyped, mut unknown, .. } = reader;
    if !mistyped.is_empty() {
        mistyped.sort();
        let (count, lines) = (mistyped.len(), mistyped.join("\n"));
        return Err(format!("{count} error(s) occurred:\n\n{lines}"));
    }
    if unknown.is_empty() {
        return Ok(set);
    }
    // Consul reports the keys of an inner group before those of the outer one.
    unknown.sort_by_key(|key| (Reverse(key.matches('.').count()), key.clone()));
    let noun = if unknown.len() == 1 { "error" } else { "errors" };
    let lines: String =
        unknown.iter().map(|key| format!("\t* invalid config key {key}\n")).collect();
    Err(format!("{} {noun} occurred:\n{lines}\n", unknown.len()))
}

/// What was found while a configuration is read.
struct Reader {
    format: Format,
    set: Vec<SetKey>,
    /// The error lines of values of another type.
    mistyped: Vec<String>,
    /// The paths of keys that Consul does not have.
    unknown: Vec<String>,
}

impl Reader {
    fn new(format: Format) -> Self {
        Self { format, set: Vec::new(), mistyped: Vec::new(), unknown: Vec::new() }
    }

    /// Adds the values of a group's members.
    fn group(&mut self, value: &Value, path: &str) {
        let Value::Object(members) = one(value) else {
            let kind = self.go_kind(one(value));
            self.mistyped.push(format!("* '{path}' expected a map, got '{kind}'"));
            return;
        };
        for (name, value) in members {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match KEYS.get(path.to_lowercase().as_str()) {
                None => self.unknown.push(path),
                Some(_) if value.is_null() => {}
                Some(KeyType::Group) => self.group(value, &path),
                Some(KeyType::Any) => self.any(value, path.to_lowercase()),
                Some(kind) => self.leaf(value, *kind, &path),
            }
        }
    }

    /// Adds the value of a key whose type is known.
    fn leaf(&mut self, value: &Value, kind: KeyType, path: &str) {
        if kind == KeyType::Strings {
            match value {
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate() {
                        // Consul reads a null in a list as an empty text.
                        if !item.is_null() && !one(item).is_string() {
                            self.wrong_type(one(item), "string", &format!("{path}[{index}]"));
                        }
                    }
                }
                other => {
                    let found = self.go_kind(other);
                    let problem = "source data must be an array or slice, got";
                    self.mistyped.push(format!("* '{path}': {problem} {found}"));
                }
            }
            self.set.push(SetKey { path: path.to_lowercase(), value: value.to_string() });
            return;
        }
        let value = one(value);
        if value.is_null() {
            return;
        }
        let (has_type, expected) = match kind {
            KeyType::Bool => (value.is_boolean(), "bool"),
            KeyType::Int => (value.is_number(), "int"),
            KeyType::Float => (value.is_number(), "float64"),
            _ => (value.is_string(), "string"),
        };
        if !has_type {
            self.wrong_type(value, expected, path);
        }
        let text = value.as_str().map_or_else(|| value.to_string(), Into::into);
        self.set.push(SetKey { path: path.to_lowercase(), value: text });
    }

    /// Adds the values below a key whose value is not checked.
    fn any(&mut self, value: &Value, path: String) {
        match one(value) {
            Value::Object(members) => {
                for (name, value) in members {
                    self.any(value, format!("{path}.{name}"));
                }
            }
            Value::String(text) => self.set.push(SetKey { path, value: text.clone() }),
            // Consul reads it as an empty text.
            Value::Null => self.set.push(SetKey { path, value: String::new() }),
            other => self.set.push(SetKey { path, value: other.to_string() }),
        }
    }

    /// The name of Go's kind for a value, as Consul's errors give it.
    fn go_kind(&self, value: &Value) -> &'static str {
        match value {
            Value::Bool(_) => "bool",
            Value::Number(number) if self.format == Format::Hcl && !number.is_f64() => "int",
            Value::Number(_) => "float64",
            Value::String(_) => "string",
            Value::Array(_) => "slice",
            Value::Object(_) => "map",
            Value::Null => "invalid",
        }
    }

    /// Adds the error line for a value of another type than expected.
    fn wrong_type(&mut self, value: &Value, expected: &str, path: &str) {
        let found = match value {
            Value::Array(items) if items.iter().all(Value::is_object) => {
                "[]map[string]interface {}"
            }
            Value::Array(_) => "[]interface {}",
            Value::Object(_) => "map[string]interface {}",
            other => self.go_kind(other),
        };
        let value = go_value(value);
        let problem = format!("expected type '{expected}', got unconvertible type '{found}'");
        self.mistyped.push(format!("* '{path}' {problem}, value: '{value}'"));
    }
}

/// The only item of a list of one, or the value itself. In HCL a block is a list, so Consul treats
/// both alike.
fn one(value: &Value) -> &Value {
    match value {
        Value::Array(items) if items.len() == 1 => &items[0],
        _ => value,
    }
}

/// A value as Go prints it with `%v`, except for whole numbers with a fraction.
fn go_value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(go_value).collect::<Vec<_>>().join(" "))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{name}:{}", go_value(value));
            format!("map[{}]", members.iter().map(member).collect::<Vec<_>>().join(" "))
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::hcl;

    fn refused(text: &str) -> String {
        keys(&hcl::parse(text).expect("HCL"), Format::Hcl).expect_err(text)
    }

    #[test]
    fn unknown_and_mistyped_keys_are_refused_in_consuls_words() {
        for (text, error) in [
            ("nodename = \"a\"", "1 error occurred:\n\t* invalid config key nodename\n\n"),
            (
                "ports { htp = 1 } a = 1",
                // The keys of a group come before those around it.
                "2 errors occurred:\n\t* invalid config key ports.htp\n\
                 \t* invalid config key a\n\n",
            ),
            (
                "server = \"true\" ports { http = \"22500\" }",
                "2 error(s) occurred:\n\n\
                 * 'ports.http' expected type 'int', got unconvertible type 'string', value: \
                 '22500'\n\
                 * 'server' expected type 'bool', got unconvertible type 'string', value: 'true'",
            ),
            (
                "node_name = 5",
                "1 error(s) occurred:\n\n\
                 * 'node_name' expected type 'string', got unconvertible type 'int', value: '5'",
            ),
            (
                "retry_join = \"a\"",
                "1 error(s) occurred:\n\n\
                 * 'retry_join': source data must be an array or slice, got string",
            ),
            ("ports = 1", "1 error(s) occurred:\n\n* 'ports' expected a map, got 'int'"),
        ] {
            assert_eq!(refused(text), error);
        }
    }

    #[test]
    fn keys_match_in_any_case_and_a_list_of_one_is_its_item() {
        let tree =
            hcl::parse("Node_Name = [\"a b\"]\nacl { Tokens { agent = \"x\" } }").expect("HCL");
        let set = |path: &str, value: &str| SetKey { path: path.into(), value: value.into() };
        let mut found = keys(&tree, Format::Hcl).expect("known keys");
        found.sort_by(|a, b| a.path.cmp(&b.path));
        assert_eq!(found, [set("acl.tokens.agent", "x"), set("node_name", "a b")]);
    }

    /// As mapstructure 1.5 decodes into Consul's types.
    #[test]
    fn a_null_in_json_is_an_unset_key_or_an_empty_text() {
        let read = |text: &str| {
            keys(&serde_json::from_str(text).expect("JSON"), Format::Json)
                .map(|set| set.into_iter().map(|it| (it.path, it.value)).collect::<Vec<_>>())
        };
        for (text, set) in [
            (r#"{"retry_join":["a",null]}"#, &[("retry_join", r#"["a",null]"#)][..]),
            (r#"{"retry_join":[["a"],"b"]}"#, &[("retry_join", r#"[["a"],"b"]"#)]),
            (r#"{"node_meta":{"a":null}}"#, &[("node_meta.a", "")]),
            (r#"{"retry_join":null,"server":null,"ports":{"http":[null]}}"#, &[]),
            (r#"{"node_name":[null]}"#, &[]),
        ] {
            let set = set.iter().map(|(path, value)| ((*path).into(), (*value).into())).collect();
            assert_eq!(read(text), Ok(set), "{text}");
        }
        for (text, error) in [
            (
                r#"{"server":["a",null]}"#,
                "* 'server' expected type 'bool', got unconvertible type '[]interface {}', value: \
                 '[a <nil>]'",
            ),
            (r#"{"ports":[1]}"#, "* 'ports' expected a map, got 'float64'"),
            // Consul panics.
            (r#"{"ports":[null]}"#, "* 'ports' expected a map, got 'invalid'"),
            (
                r#"{"retry_join":[["a","b"]]}"#,
                "* 'retry_join[0]' expected type 'string', got unconvertible type \
                 '[]interface {}', value: '[a b]'",
            ),
        ] {
            assert_eq!(read(text), Err(format!("1 error(s) occurred:\n\n{error}")), "{text}");
        }
    }
}
