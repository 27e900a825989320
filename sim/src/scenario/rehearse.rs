//! Checks that a scenario meets its expectations and breaks no safety rule.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};

use super::error::Unmet;
use super::play::places_with;
use super::read::{malformed, squeezed};
use super::{Played, Scenario, ScenarioError, ScenarioProblem, Variant};
use crate::checks::Sometimes;
use crate::checksum::CHECKSUM;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expectation {
    /// Some line of the trace contains this.
    Line(String),
    /// No line of the trace contains this.
    NoLine(String),
    Sees(Sometimes),
    Never(Sometimes),
    /// The checksum of the whole trace.
    Digest(u32),
}

impl Scenario {
    /// Plays the scenario and checks its expectations.
    ///
    /// # Errors
    ///
    /// Fails as [`Scenario::play`] does, if the world breaks a safety rule, and with the first
    /// expectation that is not met.
    pub fn rehearse(&self, variant: Variant) -> Result<Played, ScenarioError> {
        let played = self.play(variant)?;
        if let [broken, ..] = played.checks.broken() {
            let problem = ScenarioProblem::RuleBroken { rule: broken.rule, at: broken.at };
            return Err(ScenarioError { line: 1, problem });
        }
        for line in self.expectations.iter().filter(|it| it.is_in(variant)) {
            let met = expectation(&line.item).and_then(|expected| played.meets(&expected));
            met.map_err(|problem| line.error(problem))?;
        }
        Ok(played)
    }
}

impl Played {
    fn meets(&self, expected: &Expectation) -> Result<(), ScenarioProblem> {
        let expectation = match expected {
            Expectation::Line(pattern) if !self.has_line(pattern) => Unmet::NoLine(pattern.clone()),
            Expectation::NoLine(pattern) if self.has_line(pattern) => Unmet::Line(pattern.clone()),
            Expectation::Sees(what) if self.checks.seen(*what) == 0 => Unmet::NeverSeen(*what),
            Expectation::Never(what) if self.checks.seen(*what) > 0 => Unmet::Seen(*what),
            Expectation::Digest(digest) if self.digest() != *digest => {
                Unmet::OtherDigest(self.digest())
            }
            Expectation::Line(_)
            | Expectation::NoLine(_)
            | Expectation::Sees(_)
            | Expectation::Never(_)
            | Expectation::Digest(_) => return Ok(()),
        };
        let trace = self.trace.iter().map(|line| format!("\n{line}")).collect();
        Err(ScenarioProblem::NotMet { expectation, trace })
    }

    fn has_line(&self, pattern: &str) -> bool {
        places_with(&self.trace, pattern).next().is_some()
    }

    /// The checksum of the trace.
    fn digest(&self) -> u32 {
        let mut sum = CHECKSUM.digest();
        for line in &self.trace {
            sum.update(line.to_string().as_bytes());
            sum.update(b"\n");
        }
        sum.finalize()
    }
}

fn expectation(text: &str) -> Result<Expectation, ScenarioProblem> {
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match kind {
        "told" => Expectation::Line(squeezed(rest)),
        "not-told" => Expectation::NoLine(squeezed(rest)),
        "sees" => Expectation::Sees(sometimes(rest)?),
        "never" => Expectation::Never(sometimes(rest)?),
        "digest" => {
            let digest = u32::from_str_radix(rest, 16).map_err(|_| malformed(rest, "digest"))?;
            Expectation::Digest(digest)
        }
        other => return Err(ScenarioProblem::UnknownExpectation(other.to_owned())),
    })
}

/// The name of a check in scenarios: `two-believers`.
fn sometimes(text: &str) -> Result<Sometimes, ScenarioProblem> {
    let named = Sometimes::ALL.into_iter().find(|it| kebab(&format!("{it:?}")) == text);
    named.ok_or_else(|| malformed(text, "check"))
}

fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !kebab.is_empty() {
            kebab.push('-');
        }
        kebab.push(c.to_ascii_lowercase());
    }
    kebab
}
