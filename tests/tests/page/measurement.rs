//! Measurements of the built page: a script records the work of each frame, and Chromium reports
//! its memory.

use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::drivers::Browser;
use super::sandbox::{REFERENCE, Sandbox};

/// The longest wait of a measurement, which worlds beyond the page's limits need.
const WAIT_MAX: Duration = Duration::from_secs(100);

/// The most measurements of the memory during a run.
const MEMORY_SAMPLES: u64 = 20;

/// The script of the measurement, which runs before the page's own scripts. The work of a frame is
/// the time from its first callback to the first task after it, which runs when style, layout and
/// paint are done. The WebAssembly memory of the page is noted when the module is instantiated.
const INSIDE: &str = "
    window.gauge = { frames: [], lastFrame: 0, memory: null, useful: 0, opened: 0 };
    const { port1, port2 } = new MessageChannel();
    const waiting = [];
    port1.onmessage = () => waiting.shift()();
    window.afterwards = done => { waiting.push(done); port2.postMessage(0); };
    window.painted = done => requestAnimationFrame(() => afterwards(done));
    const frame = window.requestAnimationFrame;
    window.requestAnimationFrame = callback => frame.call(window, time => {
        if (gauge.lastFrame !== time) {
            gauge.lastFrame = time;
            const begun = performance.now();
            afterwards(() => gauge.frames.push(performance.now() - begun));
        }
        callback(time);
    });
    for (const name of ['instantiate', 'instantiateStreaming']) {
        const original = WebAssembly[name];
        WebAssembly[name] = async (...all) => {
            const made = await original.apply(WebAssembly, all);
            const exported = Object.values((made.instance ?? made).exports);
            gauge.memory = exported.find(it => it instanceof WebAssembly.Memory);
            return made;
        };
    }
    const observer = new MutationObserver(() => {
        if (document.querySelector('[data-testid=now]')) {
            observer.disconnect();
            painted(() => gauge.useful = performance.now());
        }
    });
    observer.observe(document, { subtree: true, childList: true });
";

/// The script that clicks a button, and measures the time until the page has painted another row.
const CLICK: &str = "
    const find = id => document.querySelector(`[data-testid='${id}']`);
    const rows = () => find('events').getAttribute('aria-rowcount');
    const [before, begun] = [rows(), performance.now()];
    find('create-session-web-1').click();
    const look = () => rows() === before
        ? requestAnimationFrame(look)
        : afterwards(() => done(performance.now() - begun));
    requestAnimationFrame(look);
";

/// The median, the 95th percentile and the maximum of a series.
pub(crate) struct Spread {
    pub(crate) median: f64,
    percentile_95: f64,
    max: f64,
}

/// The memory in use, in megabytes.
pub(crate) struct Heap {
    wasm: f64,
    js: f64,
}

/// The figures of a page that ran for a while.
pub(crate) struct RunFigures {
    pub(crate) frames: Spread,
    /// The CPU time of the main thread for each frame, in milliseconds.
    pub(crate) cpu: f64,
    /// The number of frames in a second.
    pub(crate) rate: f64,
    /// The WebAssembly memory during the run, in megabytes.
    pub(crate) memory: Vec<f64>,
}

/// A page that is measured.
pub(crate) struct Gauge {
    page: Sandbox,
}

impl Spread {
    fn of(mut all: Vec<f64>) -> Self {
        all.sort_by(f64::total_cmp);
        let max = all.last().copied().unwrap_or(f64::NAN);
        let rank = |share: f64| all.get((all.len() as f64 * share) as usize).copied();
        let [median, percentile_95] = [0.5, 0.95].map(|share| rank(share).unwrap_or(max));
        Self { median, percentile_95, max }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:>20}",
            format!("{:.1} / {:.1} / {:.1}", self.median, self.percentile_95, self.max)
        )
    }
}

impl fmt::Display for Heap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>5.1} {:>5.1}", self.wasm, self.js)
    }
}

/// The time from navigation to the first useful paint, for a number of first visits.
pub(crate) async fn first_paint(visits: usize) -> WebDriverResult<Spread> {
    let mut all = Vec::new();
    for _ in 0..visits {
        let gauge = Gauge::open().await?;
        let useful = gauge.number("gauge.useful").await;
        gauge.close().await?;
        all.push(useful?);
    }
    Ok(Spread::of(all))
}

impl Gauge {
    pub(crate) async fn open() -> WebDriverResult<Self> {
        let driver = Browser::Chromium.open().await?;
        let script = json!({ "source": INSIDE });
        driver.cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", script).await?;
        driver.cdp().send_raw("Performance.enable", json!({})).await?;
        let page = Sandbox::open(Browser::Chromium, driver, REFERENCE).await?;
        let patience = TimeoutConfiguration::new(Some(WAIT_MAX), None, None);
        page.driver.update_timeouts(patience).await?;
        let gauge = Self { page };
        gauge.wait("const look = () => gauge.useful ? done() : painted(look); look()").await?;
        Ok(gauge)
    }

    pub(crate) async fn close(self) -> WebDriverResult<()> {
        self.page.driver.quit().await
    }

    /// Opens a file with the button of the page, and returns the time until its world, which must
    /// end at 60 s, is painted.
    pub(crate) async fn bring_in(&self, text: &str) -> WebDriverResult<f64> {
        let file = std::env::temp_dir().join(format!("lictor-bench-{}.jsonl", std::process::id()));
        std::fs::write(&file, text).expect("there is room for a temporary file");
        self.page.click("share-button").await?;
        let field = self.page.find("open-file").await?;
        let note = "addEventListener('change', () => gauge.opened = performance.now(), true)";
        self.page.eval(note).await?;
        field.send_keys(file.to_string_lossy()).await?;
        self.page.shows("now", "60.0 s").await?;
        let took = self.wait("painted(() => done(performance.now() - gauge.opened))").await?;
        self.page.click("share-close").await?;
        std::fs::remove_file(&file).expect("it was written above");
        Ok(took.as_f64().unwrap_or(f64::NAN))
    }

    /// The work of the next frames.
    pub(crate) async fn frames(&self, count: usize) -> WebDriverResult<Spread> {
        let enough = format!("gauge.frames.length < {count}");
        let script = "gauge.frames.length = 0; const look = () => ";
        self.wait(&format!("{script} {enough} ? painted(look) : done(); look()")).await?;
        self.recorded_frames().await
    }

    /// Runs the world at a speed.
    pub(crate) async fn run_at(&self, speed: u64) -> WebDriverResult<()> {
        self.page.click("mode-play").await?;
        self.page.find("speed").await?.send_keys(speed.to_string()).await?;
        self.page.click("run").await
    }

    /// The figures of the page while it runs for a time.
    pub(crate) async fn watch(&self, run: Duration) -> WebDriverResult<RunFigures> {
        self.page.eval("gauge.frames.length = 0").await?;
        let before = self.metric("ThreadTime").await?;
        let mut memory = Vec::new();
        for second in 0..run.as_secs() {
            if second % run.as_secs().div_ceil(MEMORY_SAMPLES) == 0 {
                memory.push(self.memory().await?);
            }
            self.wait("setTimeout(done, 1_000)").await?;
        }
        let spent = self.metric("ThreadTime").await? - before;
        let count = self.number("gauge.frames.length").await?;
        let frames = self.recorded_frames().await?;
        let rate = count / run.as_secs_f64();
        Ok(RunFigures { frames, cpu: spent * 1_000.0 / count.max(1.0), rate, memory })
    }

    async fn recorded_frames(&self) -> WebDriverResult<Spread> {
        let all = self.page.eval("gauge.frames").await?;
        let all = all.as_array().map(|all| all.iter().filter_map(Value::as_f64).collect());
        Ok(Spread::of(all.unwrap_or_default()))
    }

    /// The time from a click until its row is painted.
    pub(crate) async fn clicks(&self, count: usize) -> WebDriverResult<Spread> {
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(self.wait(CLICK).await?.as_f64().unwrap_or(f64::NAN));
        }
        Ok(Spread::of(all))
    }

    /// The memory in use after a garbage collection. WebAssembly's memory never shrinks.
    pub(crate) async fn heap(&self) -> WebDriverResult<Heap> {
        self.page.driver.cdp().send_raw("HeapProfiler.collectGarbage", json!({})).await?;
        let js = self.metric("JSHeapUsedSize").await?;
        Ok(Heap { wasm: self.memory().await?, js: js / 1e6 })
    }

    async fn memory(&self) -> WebDriverResult<f64> {
        Ok(self.number("gauge.memory.buffer.byteLength").await? / 1e6)
    }

    /// The virtual time and the number of events, as the page shows them.
    pub(crate) async fn reached(&self) -> WebDriverResult<String> {
        let read = |id: &str| format!("document.querySelector('[data-testid={id}]').innerText");
        let now = self.page.eval(&read("now")).await?;
        let events = self.page.eval(&read("events-reached")).await?;
        Ok(format!("{}, {}", now.as_str().unwrap_or("?"), events.as_str().unwrap_or("?")))
    }

    async fn metric(&self, name: &str) -> WebDriverResult<f64> {
        let metrics = self.page.driver.cdp().send_raw("Performance.getMetrics", json!({})).await?;
        let all = metrics["metrics"].as_array().cloned().unwrap_or_default();
        let found = all.iter().find(|it| it["name"] == name);
        Ok(found.and_then(|it| it["value"].as_f64()).unwrap_or(f64::NAN))
    }

    async fn number(&self, expression: &str) -> WebDriverResult<f64> {
        Ok(self.page.eval(expression).await?.as_f64().unwrap_or(f64::NAN))
    }

    /// Runs a script until it calls `done`, and returns the argument of that call.
    async fn wait(&self, script: &str) -> WebDriverResult<Value> {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        Ok(self.page.driver.execute_async(script, Vec::new()).await?.json().clone())
    }
}
