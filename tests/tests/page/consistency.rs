//! No two displays of the real page contradict each other: the document is read, and what it says
//! is held against itself.

use thirtyfour::prelude::*;

use super::sandbox::Sandbox;

/// What the page says against itself, as an expression.
const CONTRADICTIONS: &str = include_str!("consistency.js");
/// After a step, rows change one frame before lanes; that many frames may pass until all agree.
const FRAMES: usize = 60;

impl Sandbox {
    /// Waits until the page agrees with itself; panics if it does not within some frames.
    pub(crate) async fn agrees(&self, after: &str) -> WebDriverResult<()> {
        let script = format!(
            "const done = arguments[arguments.length - 1];
            let frames = 0;
            const test = () => {{
                const found = {CONTRADICTIONS};
                if (found.length == 0 || ++frames > {FRAMES}) return done(found);
                requestAnimationFrame(test);
            }};
            test();"
        );
        let found = self.driver.execute_async(script, Vec::new()).await?;
        let found: Vec<String> = found.convert()?;
        assert!(
            found.is_empty(),
            "after {after} the page contradicts itself:\n{}",
            found.join("\n")
        );
        Ok(())
    }
}
