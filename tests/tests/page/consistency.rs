//! A check that no two displays of the page contradict each other. `consistency.js` reads the whole
//! document and returns the contradictions.

use thirtyfour::prelude::*;

use super::sandbox::Sandbox;

/// A JavaScript expression for the list of contradictions, each as a sentence.
const CONTRADICTIONS: &str = include_str!("consistency.js");
/// The largest number of frames until all displays agree: after a step, rows change one frame
/// before lanes.
const FRAMES: usize = 60;

impl Sandbox {
    /// Waits until no two displays contradict each other; panics if some do after [`FRAMES`].
    /// `after` names the latest step in the message of the panic.
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
