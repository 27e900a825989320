//! The cost of an update of a running page stays within limits, in counts that do not depend on the
//! machine: elements whose style Chromium computes again, objects that it lays out, changes of the
//! document, and elements that are created or removed. The worlds are those of the benchmark, with
//! all panels open. For the page each frame takes a sixtieth of a second.

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use super::bench_world::{WorldSize, journal};
use super::drivers::Browser;
use super::sandbox::{REFERENCE, Sandbox};

/// The numbers of frames before the counted ones, and of counted ones.
const FRAMES: [u32; 2] = [15, 45];

/// The category of the trace events that contain the counts.
const TRACE: &str = "devtools.timeline";

/// A script that runs before those of the page: it replaces the clock, and counts frames and
/// changes of the document, elements that are created or removed, and those of lists among them.
const CLOCK: &str = "
    window.counted = { frames: 0, changes: 0, elements: 0, listed: 0 };
    let [last, millis] = [0, 0];
    performance.now = () => millis;
    const frame = window.requestAnimationFrame;
    window.requestAnimationFrame = callback => frame.call(window, at => {
        if (at !== last) {
            last = at;
            millis += 1000 / 60;
            counted.frames += 1;
        }
        callback(at);
    });
    const isElement = node => node.nodeType == Node.ELEMENT_NODE;
    const observer = new MutationObserver(records => {
        counted.changes += records.length;
        for (const { target, addedNodes, removedNodes } of records) {
            const moved = [...addedNodes, ...removedNodes].filter(isElement)
                .reduce((sum, it) => sum + 1 + it.querySelectorAll('*').length, 0);
            counted.elements += moved;
            if (isElement(target) && target.closest('.rows, .console pre')) counted.listed += moved;
        }
    });
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    observer.observe(document, all);
";

/// The largest counts that a world may have.
struct Limits {
    /// The elements of a style recalculation: the median, and the 95th percentile.
    elements: [u64; 2],
    /// The objects with which a layout begins: the median, and the 95th percentile.
    objects: [u64; 2],
    /// The changes of the document in a frame, on average.
    changes: u64,
    /// The elements of the document.
    document: u64,
    /// The elements that a frame creates or removes, on average.
    moved: u64,
}

/// The counts of a run; lists are in ascending order.
#[derive(Debug)]
struct Counts {
    elements: Vec<u64>,
    objects: Vec<u64>,
    changes: u64,
    /// The elements of the document at the end.
    document: u64,
    /// The elements that were created or removed in a frame, on average.
    moved: u64,
    /// The elements of lists that were created or removed in all frames.
    listed: u64,
}

#[tokio::test]
async fn an_update_of_twenty_clients_at_ten_times_the_speed_touches_few_elements()
-> WebDriverResult<()> {
    // An update sets the texts of all visible rows of the events. The lanes are painted and have no
    // layout. The median is 170 to 200, and the goal is 150.
    let limits = Limits {
        elements: [100, 400],
        objects: [240, 420],
        changes: 400,
        document: 2_500,
        moved: 20,
    };
    check(WorldSize { clients: 20, keys: 1_000 }, 10, limits).await
}

#[tokio::test]
async fn an_update_of_a_hundred_clients_at_a_hundred_times_the_speed_touches_few_elements()
-> WebDriverResult<()> {
    // Each frame has the events of 1.7 s of 100 clients, so that most rows change.
    let limits = Limits {
        elements: [200, 900],
        objects: [400, 1_400],
        changes: 1_200,
        document: 4_500,
        moved: 150,
    };
    check(WorldSize { clients: 100, keys: 1_000 }, 100, limits).await
}

/// The page renders only in some of the frames if they take more than 25 ms.
#[tokio::test]
async fn a_running_page_with_slow_frames_updates_all_of_its_parts() -> WebDriverResult<()> {
    let driver = Browser::open_traced(TRACE).await?;
    let clock = CLOCK.replace("1000 / 60", "40");
    let begun = begin(driver.clone(), &clock, WorldSize { clients: 2, keys: 10 }, 10).await;
    let run = async {
        let page = begun?;
        page.run_frames(60).await?;
        // The time, a count and a picture belong to the rows, the lists and the lanes.
        let parts = "[document.querySelector('[data-testid=scrubber]').ariaValueMax, \
                      document.querySelector('[data-testid=events-count]').innerText, \
                      document.querySelector('.lane-canvas').toDataURL()]";
        let before = page.eval(parts).await?;
        page.run_frames(60).await?;
        WebDriverResult::Ok((before, page.eval(parts).await?))
    };
    let shown = run.await;
    driver.quit().await?;
    let (before, after) = shown?;
    for part in 0..3 {
        assert_ne!(before[part], after[part], "part {part}");
    }
    Ok(())
}

async fn check(size: WorldSize, speed: u32, limits: Limits) -> WebDriverResult<()> {
    let driver = Browser::open_traced(TRACE).await?;
    let counted = count(driver.clone(), size, speed).await;
    driver.quit().await?;
    let Counts { elements, objects, changes, document, moved, listed } = counted?;
    let spread = |sorted: &[u64]| [0.5, 0.95].map(|share| at_share(sorted, share));
    let figures = format!(
        "{} recalculations of {:?} elements, {} layouts of {:?} objects, {changes} changes, \
         {document} elements, of which a frame creates or removes {moved}; {listed} of lists",
        elements.len(),
        spread(&elements),
        objects.len(),
        spread(&objects),
    );
    println!("{figures}");
    let is_within = |counts: &[u64], limits: [u64; 2]| {
        counts.len() > 20 && spread(counts).iter().zip(limits).all(|(count, limit)| *count <= limit)
    };
    assert!(is_within(&elements, limits.elements), "style: {figures}");
    assert!(is_within(&objects, limits.objects), "layout: {figures}");
    assert!(changes > 0 && changes <= limits.changes, "document: {figures}");
    assert!(document <= limits.document && moved <= limits.moved, "elements: {figures}");
    assert_eq!(listed, 0, "lists: {figures}");
    Ok(())
}

/// The value that this share of the values does not exceed.
fn at_share(sorted: &[u64], share: f64) -> u64 {
    sorted.get((sorted.len() as f64 * share) as usize).copied().unwrap_or_default()
}

/// Opens a page with this clock, whose world runs at this speed.
async fn begin(
    driver: WebDriver,
    clock: &str,
    size: WorldSize,
    speed: u32,
) -> WebDriverResult<Sandbox> {
    let script = json!({ "source": clock });
    driver.cdp().send_raw("Page.addScriptToEvaluateOnNewDocument", script).await?;
    let page = Sandbox::open(Browser::Chromium, driver, REFERENCE).await?;
    page.press_button("visit-sandbox").await?;
    page.open_panels().await?;
    let log = json!(journal(size).to_lines());
    page.driver.execute("lictor.load(arguments[0])", vec![log]).await?;
    page.shows("now", "60.0 s").await?;
    page.press_button("mode-play").await?;
    page.press_button("time-menu-button").await?;
    page.find("speed").await?.send_keys(speed.to_string()).await?;
    page.press_button("time-menu-button").await?;
    page.press_button("run").await?;
    Ok(page)
}

async fn count(driver: WebDriver, size: WorldSize, speed: u32) -> WebDriverResult<Counts> {
    let page = begin(driver, CLOCK, size, speed).await?;
    let [before, frames] = FRAMES;
    page.run_frames(before).await?;
    // ChromeDriver returns a trace only once, so a mark separates the counted frames.
    page.eval("(console.timeStamp('counted'), true)").await?;
    let [changes, moved, listed, document] = page.run_frames(frames).await?;
    let traced = page.driver.get_log("performance").await?;
    let events = traced.iter().filter_map(|entry| serde_json::from_str(&entry.message).ok());
    let events: Vec<Value> = events.collect();
    let time = |event: &Value| event.pointer("/message/params/ts").and_then(Value::as_f64);
    let is_mark = |event: &&Value| {
        event.pointer("/message/params/args/data/message") == Some(&json!("counted"))
    };
    let mark = events.iter().find(is_mark).and_then(time).expect("the trace has the mark");
    let all = |name: &str, pointer: &str| {
        let is_counted = |event: &&Value| {
            let is_named = event.pointer("/message/params/name") == Some(&json!(name));
            is_named && time(event).is_some_and(|time| time > mark)
        };
        let found = events.iter().filter(is_counted).filter_map(|event| event.pointer(pointer));
        let mut counts: Vec<u64> = found.filter_map(Value::as_u64).collect();
        counts.sort_unstable();
        counts
    };
    Ok(Counts {
        elements: all("UpdateLayoutTree", "/message/params/args/elementCount"),
        objects: all("Layout", "/message/params/args/beginData/dirtyObjects"),
        changes: changes / u64::from(frames),
        document,
        moved: moved.div_ceil(u64::from(frames)),
        listed,
    })
}

impl Sandbox {
    /// Clicks without the search for contradictions, which costs much in a large world.
    async fn press_button(&self, id: &str) -> WebDriverResult<()> {
        self.find(id).await?;
        self.eval(&format!("document.querySelector('[data-testid={id}]').click()")).await.map(drop)
    }

    /// Waits for some frames, and returns the number of changes of the document in them, that of
    /// the elements and of those of lists that were created or removed, and the elements of the
    /// document.
    async fn run_frames(&self, count: u32) -> WebDriverResult<[u64; 4]> {
        self.eval("counted.frames = counted.changes = counted.elements = counted.listed = 0")
            .await?;
        self.until_frame(&format!("counted.frames >= {count}")).await?;
        let counts = "[counted.changes, counted.elements, counted.listed, \
                      document.querySelectorAll('*').length]";
        let counted = self.eval(counts).await?;
        Ok([0, 1, 2, 3].map(|index| counted[index].as_u64().unwrap_or_default()))
    }
}
