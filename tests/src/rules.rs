//! Finds the files that name each rule of docs/en/reference/behaviour.md: code, tests and vectors.
//! A rule without code needs a reason in docs/en/reference/rules-without-code.md.
//!
//! Code names a rule by its id in a comment, a test by its id anywhere. `SES-13 to SES-15` names
//! three rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;

use crate::VECTORS;

/// An id such as `LCK-03`.
pub type Rule = String;

/// The path of the generated document from the workspace's root.
pub const TABLE: &str = "docs/en/reference/rules.md";

/// The folders in which rules are implemented.
const CODE: [&str; 3] = ["core/src/", "recipes/src/", "sim/src/"];

/// All that is known about the rules.
#[derive(Clone, Debug, Default)]
pub struct Register {
    /// In the order of docs/en/reference/behaviour.md.
    pub rules: Vec<Rule>,
    /// The reasons why there is no code, by rule or by a whole family.
    pub reasons: BTreeMap<String, String>,
    /// The files of code whose comments name a rule.
    pub code: BTreeMap<Rule, BTreeSet<String>>,
    /// The files of tests that name it.
    pub tests: BTreeMap<Rule, BTreeSet<String>>,
    /// How many vectors cover it.
    pub vectors: BTreeMap<Rule, usize>,
}

impl Register {
    /// Reads the documents, the sources and the vectors of the workspace.
    pub fn read() -> io::Result<Self> {
        let mut register = Self {
            rules: rules_of(&fs::read_to_string(root().join("docs/en/reference/behaviour.md"))?),
            reasons: reasons_of(&fs::read_to_string(
                root().join("docs/en/reference/rules-without-code.md"),
            )?),
            ..Self::default()
        };
        for folder in ["core", "recipes", "sim", "view", "desk", "tests", "web"] {
            for path in sources(&root().join(folder))? {
                register.source(&path, &fs::read_to_string(root().join(&path))?);
            }
        }
        for (name, text) in VECTORS {
            let covers = covers_of(text);
            let covers = covers.map_err(|why| io::Error::other(format!("{name}: {why}")))?;
            for rule in covers {
                *register.vectors.entry(rule).or_default() += 1;
            }
        }
        Ok(register)
    }

    /// What is wrong, one line for each fault.
    pub fn faults(&self) -> Vec<String> {
        let known: BTreeSet<&str> = self.rules.iter().map(String::as_str).collect();
        let is_known = |name: &str| known.contains(name) || self.is_family(name);
        let mut faults = Vec::new();
        for rule in &self.rules {
            let is_excused = self.reasons.contains_key(rule);
            match (self.code.contains_key(rule), is_excused) {
                (false, false) if !self.reasons.contains_key(family(rule)) => {
                    faults.push(format!("{rule} has neither code nor a reason"));
                }
                (true, true) => faults.push(format!("{rule} has code: its reason can go")),
                _ => {}
            }
        }
        let named = self.code.keys().chain(self.tests.keys()).chain(self.vectors.keys());
        let unknown = named.chain(self.reasons.keys()).filter(|name| !is_known(name));
        faults.extend(unknown.map(|name| format!("{name} is named, but is no rule")));
        faults
    }

    /// The generated document.
    pub fn table(&self) -> String {
        let mut text = String::from(HEAD);
        let mut last_family = "";
        for rule in &self.rules {
            if let Some(reason) = self.reasons.get(family(rule)) {
                if family(rule) != last_family {
                    let count = self.rules.iter().filter(|it| family(it) == family(rule)).count();
                    let _ = writeln!(text, "| {} ({count} rules) | {reason} | | |", family(rule));
                }
            } else {
                self.row(rule, &mut text);
            }
            last_family = family(rule);
        }
        text
    }

    fn row(&self, rule: &str, text: &mut String) {
        let files = |by_rule: &BTreeMap<Rule, BTreeSet<String>>| {
            let files = by_rule.get(rule).into_iter().flatten();
            files.map(|file| format!("`{file}`")).collect::<Vec<_>>().join(" ")
        };
        let code = match self.reasons.get(rule) {
            Some(reason) => reason.clone(),
            None => files(&self.code),
        };
        let vectors = self.vectors.get(rule).map(ToString::to_string).unwrap_or_default();
        let _ = writeln!(text, "| {rule} | {code} | {} | {vectors} |", files(&self.tests));
    }

    fn source(&mut self, path: &str, text: &str) {
        let path = path.to_owned();
        let (above, below) = match text.split_once("#[cfg(test)]\nmod ") {
            Some((above, below)) => (above, below),
            None => (text, ""),
        };
        if CODE.iter().any(|folder| path.starts_with(folder)) {
            let comments = above.lines().filter_map(|line| line.split_once("//"));
            let comments: Vec<_> = comments.map(|(_, comment)| comment).collect();
            for rule in ids_in(&comments.join(" ")) {
                self.code.entry(rule).or_default().insert(path.replace("/src/", "/"));
            }
        }
        let is_test = !path.contains("/src/") || path.contains("/model/");
        for rule in ids_in(if is_test { text } else { below }) {
            self.tests.entry(rule).or_default().insert(path.clone());
        }
    }

    fn is_family(&self, name: &str) -> bool {
        self.rules.iter().any(|rule| family(rule) == name)
    }
}

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The ids in a text, with those inside of ranges.
pub fn ids_in(text: &str) -> Vec<Rule> {
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-').collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let mut ids = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let Some((family, number)) = id(word) else { continue };
        ids.push(named(family, number));
        let range = (words.get(index + 1), words.get(index + 2).and_then(|word| id(word)));
        if let (Some(&"to"), Some((last_family, last))) = range
            && last_family == family
        {
            ids.extend((number + 1..last).map(|number| named(family, number)));
        }
    }
    ids
}

const HEAD: &str = "# The code and the tests of each rule

`cargo run -p lictor-tests --bin rules` writes this table, and a test compares it with the sources.
For each rule of [behaviour.md](behaviour.md) it lists the files whose comments name the rule, or
the reason why there is no code ([rules-without-code.md](rules-without-code.md)). The other columns
list the tests that name the rule, and the number of recorded vectors that cover it.

| rule | code, or why there is none | tests | vectors |
|---|---|---|---|
";

const FAMILIES: [&str; 21] = [
    "HTTP", "SES", "DST", "TTL", "DLY", "KV", "LCK", "GET", "IDX", "BLK", "TXN", "CAT", "PQ",
    "ACL", "RCL", "RCS", "CLI", "LIM", "V22", "FLT", "MSH",
];

fn id(word: &str) -> Option<(&str, u32)> {
    let (family, number) = word.split_once('-')?;
    let is_number = number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number || !FAMILIES.contains(&family) {
        return None;
    }
    Some((family, number.parse().ok()?))
}

fn named(family: &str, number: u32) -> Rule {
    format!("{family}-{number:02}")
}

fn family(rule: &str) -> &str {
    rule.split('-').next().unwrap_or(rule)
}

/// The rules of the document. Each begins a line: `- LCK-03 [S/T] ...`.
fn rules_of(document: &str) -> Vec<Rule> {
    let lines = document.lines().filter_map(|line| line.strip_prefix("- "));
    let first = lines.filter_map(|line| id(line.split_whitespace().next()?));
    first.map(|(family, number)| named(family, number)).collect()
}

/// The rows of the document's table, by rule or family.
fn reasons_of(document: &str) -> BTreeMap<String, String> {
    document
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
        .filter(|(name, _)| FAMILIES.contains(&family(name)))
        .map(|(name, reason)| (name.to_owned(), reason.to_owned()))
        .collect()
}

#[derive(Deserialize)]
struct Covering {
    #[serde(default)]
    covers: BTreeSet<Rule>,
}

fn covers_of(vector: &str) -> Result<BTreeSet<Rule>, serde_json::Error> {
    serde_json::from_str(vector).map(|vector: Covering| vector.covers)
}

/// The paths of the Rust files below a folder, from the workspace's root. Files called `rules.rs`
/// are left out, because their ids are examples.
fn sources(folder: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if name.ends_with(".rs") && name != "rules.rs" {
            let path = path.strip_prefix(root()).unwrap_or(&path);
            found.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_alone_and_in_ranges() {
        let text = "// KV-07, SES-13 to SES-15 (`LCK-3`); UTF-16, KV-100, tomorrow-01 LCK-19.";
        assert_eq!(ids_in(text), ["KV-07", "SES-13", "SES-14", "SES-15", "LCK-19"]);
    }

    #[test]
    fn rules_begin_lines_and_reasons_are_rows() {
        assert_eq!(rules_of("- KV-01 [S] `PUT`\n see KV-02\n- other\n"), ["KV-01"]);
        let reasons = reasons_of("| rule | reason |\n|---|---|\n| ACL | None. |\n");
        assert_eq!(reasons.get("ACL").map(String::as_str), Some("None."));
        assert_eq!(reasons.len(), 1);
    }
}
