//! Checks that a scenario meets its expectations and breaks no safety rule. Tests rehearse every
//! scenario; the page only plays them.

use alloc::format;
use alloc::string::{String, ToString};

use super::play::lines_with;
use super::read::{squeezed, wrong};
use super::{Played, Scenario, ScenarioError, Variant};
use crate::Sometimes;
use crate::checksum::CHECKSUM;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expectation {
    /// A line of the story has this in it.
    EmittedEvents(String),
    NotTold(String),
    Sees(Sometimes),
    Never(Sometimes),
    /// The sum of the whole story.
    Digest(u32),
}

impl Scenario {
    /// Plays all of it, with a look at what is expected. An error names the line that does not go
    /// as it says.
    pub fn rehearse(&self, variant: Variant) -> Result<Played, ScenarioError> {
        let played = self.play(variant)?;
        if let [broken, ..] = played.checks.broken() {
            let rule = format!("{:?} is broken at {}", broken.rule, broken.at);
            return Err(ScenarioError { line: 1, problem: rule });
        }
        for line in self.expectations.iter().filter(|it| it.is_in(variant)) {
            let met = expectation(&line.of).and_then(|expected| played.meets(&expected));
            met.map_err(|problem| line.wrong(problem))?;
        }
        Ok(played)
    }
}

impl Played {
    fn meets(&self, expected: &Expectation) -> Result<(), String> {
        let problem = match expected {
            Expectation::EmittedEvents(pattern) if !self.tells(pattern) => {
                format!("{pattern:?} is not told")
            }
            Expectation::NotTold(pattern) if self.tells(pattern) => {
                format!("{pattern:?} is told")
            }
            Expectation::Sees(what) if self.checks.seen(*what) == 0 => {
                format!("{what:?} is not seen")
            }
            Expectation::Never(what) if self.checks.seen(*what) > 0 => format!("{what:?} is seen"),
            Expectation::Digest(digest) if self.digest() != *digest => {
                format!("the digest is {:08x}", self.digest())
            }
            Expectation::EmittedEvents(_)
            | Expectation::NotTold(_)
            | Expectation::Sees(_)
            | Expectation::Never(_)
            | Expectation::Digest(_) => return Ok(()),
        };
        let story = self.story.iter().map(|line| format!("\n{line}")).collect::<String>();
        Err(format!("{problem}:{story}"))
    }

    fn tells(&self, pattern: &str) -> bool {
        lines_with(&self.story, pattern).next().is_some()
    }

    /// The sum of the story, line by line.
    fn digest(&self) -> u32 {
        let mut sum = CHECKSUM.digest();
        for line in &self.story {
            sum.update(line.to_string().as_bytes());
            sum.update(b"\n");
        }
        sum.finalize()
    }
}

fn expectation(text: &str) -> Result<Expectation, String> {
    let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
    Ok(match kind {
        "told" => Expectation::EmittedEvents(squeezed(rest)),
        "not-told" => Expectation::NotTold(squeezed(rest)),
        "sees" => Expectation::Sees(sometimes(rest)?),
        "never" => Expectation::Never(sometimes(rest)?),
        "digest" => {
            let digest = u32::from_str_radix(rest, 16).map_err(|_| wrong(rest, "digest"))?;
            Expectation::Digest(digest)
        }
        other => return Err(format!("{other:?} is nothing to expect")),
    })
}

/// The checks' names as they are written: `two-believers`.
fn sometimes(text: &str) -> Result<Sometimes, String> {
    let named = Sometimes::ALL.into_iter().find(|it| kebab(&format!("{it:?}")) == text);
    named.ok_or_else(|| wrong(text, "check"))
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
