//! Audits the page's accessibility with axe-core: in the light theme by the rules of WCAG 2.0 to
//! 2.2 (A and AA) and of good practice, in the dark one by those of colours, the only ones that can
//! differ there.
//!
//! The browser's driver injects the script, because the page's content security policy blocks
//! script elements.

use std::io::Write as _;
use std::sync::OnceLock;
use std::{env, fs, io};

use serde::Deserialize;
use thirtyfour::prelude::*;

use super::environment::is_ci;
use super::sandbox::{Sandbox, View};

/// The variable that names the file of axe-core. Without it audits are skipped, except in CI, where
/// they fail.
const AXE: &str = "LICTOR_AXE";

/// Runs axe-core's rules of a theme on the whole page and returns the violations.
const RUN: &str = "
    const [theme, done] = arguments;
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const colours = ['color-contrast', 'link-in-text-block'];
    const runOnly = theme === 'dark' ? { type: 'rule', values: colours }
                                     : { type: 'tag', values: tags };
    const options = { runOnly, resultTypes: ['violations'], preload: false };
    const plain = rule => rule.nodes.map(node => ({
        rule: rule.id, place: node.target.join(' '), wrong: node.failureSummary
    }));
    axe.run(document, options).then(
        found => done(found.violations.flatMap(plain)),
        error => done([{ rule: 'none', place: 'axe-core', wrong: String(error) }]),
    );
";

/// One violation at one element.
#[derive(Deserialize)]
struct Violation {
    rule: String,
    place: String,
    wrong: String,
}

impl Sandbox {
    /// Checks the page in its present state against axe-core's rules, in both themes. Panics with
    /// the violations.
    pub(crate) async fn audit(&self) -> WebDriverResult<()> {
        let Some(source) = source() else { return Ok(()) };
        if self.eval("typeof axe").await? == "undefined" {
            self.driver.execute(source, Vec::new()).await?;
        }
        let view = self.view.get();
        let mut faults = Vec::new();
        for theme in ["light", "dark"] {
            self.set_view(View { theme, ..view }).await?;
            let found = self.driver.execute_async(RUN, vec![theme.into()]).await?;
            let found: Vec<Violation> = found.convert()?;
            faults.extend(found.iter().map(|fault| fault.description(theme)));
        }
        self.set_view(view).await?;
        assert!(faults.is_empty(), "axe-core found {}:\n{}", faults.len(), faults.join("\n"));
        Ok(())
    }
}

impl Violation {
    fn description(&self, theme: &str) -> String {
        let Self { rule, place, wrong } = self;
        format!("{rule} ({theme}) at {place}\n    {}", wrong.replace('\n', "\n    "))
    }
}

/// The script of axe-core, read once; `None` if no file is named.
fn source() -> Option<&'static str> {
    static SOURCE: OnceLock<Option<String>> = OnceLock::new();
    let read = || {
        let Some(path) = env::var_os(AXE).filter(|path| !path.is_empty()) else {
            let reason = format!("axe-core is skipped: {AXE} names no file");
            assert!(!is_ci(), "{reason}");
            // The test runner would capture the output of `eprintln!`.
            writeln!(io::stderr(), "{reason}").expect("standard error is open");
            return None;
        };
        Some(fs::read_to_string(path).unwrap_or_else(|error| panic!("{AXE}: {error}")))
    };
    SOURCE.get_or_init(read).as_deref()
}
