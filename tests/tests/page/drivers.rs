//! The browsers of the page tests, each controlled through its own WebDriver program.
//!
//! A driver starts with the first test that uses its browser, and ends with the test program and
//! all of its browsers, even if that program is killed. Starting Chromium takes seconds, so a test
//! reuses the Chromium of an earlier test, in a new window and with the page at another address, so
//! that it finds nothing that the earlier test stored.

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use thirtyfour::prelude::*;
use thirtyfour::{Capabilities, ChromeCapabilities, LoggingPrefsLogLevel};

/// Runs a program until this process ends, which closes the pipe that `read` waits on. Then it ends
/// the program with the browsers that it started, and removes their temporary files.
const UNTIL_END_OF_INPUT: &str = r#"
    TMPDIR=$(mktemp -d) && export TMPDIR
    "$@" & read -r _
    trap : TERM
    kill 0
    wait
    rm -rf "$TMPDIR"
"#;

/// How long a driver may take until it accepts connections.
const START_MAX: Duration = Duration::from_secs(30);

/// The size of WebKit's virtual display, which has room for a window of every tested size.
const DISPLAY_SIZE: &str = "1400x1000x24";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Browser {
    Chromium,
    Firefox,
    WebKit,
}

/// A running driver. The programs are kept because dropping their pipes would end them.
struct Driver {
    address: String,
    _programs: Vec<Child>,
}

/// The running instances of Chromium that no test uses.
static IDLE: Mutex<Vec<WebDriver>> = Mutex::new(Vec::new());

impl Browser {
    /// A browser with one blank window. `release` must follow.
    pub(crate) async fn acquire(self) -> WebDriverResult<WebDriver> {
        while self == Self::Chromium
            && let Some(driver) = take_idle()
        {
            match renew(&driver).await {
                Ok(()) => return Ok(driver),
                Err(error) => eprintln!("a browser is replaced: {error}"),
            }
            // It may have crashed, so that it cannot be asked to end.
            driver.leak().ok();
        }
        self.open().await
    }

    /// Ends the use of a browser.
    pub(crate) async fn release(self, driver: WebDriver) -> WebDriverResult<()> {
        if self != Self::Chromium {
            return driver.quit().await;
        }
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(driver);
        Ok(())
    }

    /// Opens a new browser, headless or on a virtual display.
    pub(crate) async fn open(self) -> WebDriverResult<WebDriver> {
        let capabilities = match self {
            Self::Chromium => chromium()?.into(),
            Self::Firefox => firefox()?,
            Self::WebKit => webkit()?,
        };
        self.connect(capabilities).await
    }

    /// Opens a new Chromium whose log `performance` has the events of a trace of this category.
    pub(crate) async fn open_traced(category: &str) -> WebDriverResult<WebDriver> {
        let mut capabilities = chromium()?;
        capabilities.set_logging_prefs("performance", LoggingPrefsLogLevel::All)?;
        let trace = json!({ "traceCategories": category });
        capabilities.add_experimental_option("perfLoggingPrefs", trace)?;
        Self::Chromium.connect(capabilities.into()).await
    }

    async fn connect(self, capabilities: Capabilities) -> WebDriverResult<WebDriver> {
        // Each test has an executor of its own, which a connection does not survive.
        let client = reqwest::Client::builder().pool_max_idle_per_host(0).build();
        let client = client.map_err(WebDriverError::from)?;
        WebDriver::builder(&self.driver().address, capabilities).client(client).await
    }

    /// Chromium's driver can have many browsers at once, the others one at a time.
    fn driver(self) -> &'static Driver {
        static DRIVERS: [OnceLock<Driver>; 3] = [const { OnceLock::new() }; 3];
        match self {
            Self::Chromium => DRIVERS[0].get_or_init(start_chromedriver),
            Self::Firefox => DRIVERS[1].get_or_init(start_geckodriver),
            Self::WebKit => DRIVERS[2].get_or_init(start_webkit_driver),
        }
    }
}

fn take_idle() -> Option<WebDriver> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// Replaces all windows with a new one, which has its own size, media, frames and session storage,
/// and empties the console's log.
async fn renew(driver: &WebDriver) -> WebDriverResult<()> {
    let old = driver.windows().await?;
    let new = driver.new_tab().await?;
    for window in old {
        driver.switch_to_window(window).await?;
        driver.close_window().await?;
    }
    driver.switch_to_window(new).await?;
    driver.browser_log().await.map(drop)
}

fn chromium() -> WebDriverResult<ChromeCapabilities> {
    let mut capabilities = DesiredCapabilities::chrome();
    for argument in [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-quic",
        "--disable-sync",
        "--no-first-run",
        "--lang=en-US",
        "--force-device-scale-factor=1",
    ] {
        capabilities.add_arg(argument)?;
    }
    capabilities.set_browser_log_level(LoggingPrefsLogLevel::All)?;
    Ok(capabilities)
}

fn firefox() -> WebDriverResult<Capabilities> {
    let mut capabilities = DesiredCapabilities::firefox();
    capabilities.set_headless()?;
    Ok(capabilities.into())
}

/// The driver starts the MiniBrowser of its own WebKitGTK.
fn webkit() -> WebDriverResult<Capabilities> {
    let mut capabilities = Capabilities::new();
    capabilities.set("browserName", "MiniBrowser")?;
    Ok(capabilities)
}

fn start_chromedriver() -> Driver {
    let (program, port) =
        start_and_read_port("chromedriver", &["--port=0"], "started successfully");
    Driver { address: local(&port), _programs: vec![program] }
}

fn start_geckodriver() -> Driver {
    let (program, port) = start_and_read_port("geckodriver", &["--port=0"], "Listening on");
    Driver { address: local(&port), _programs: vec![program] }
}

/// WebKit's driver does not choose a free port, and its browser has no headless mode.
fn start_webkit_driver() -> Driver {
    let screen = ["-displayfd", "1", "-screen", "0", DISPLAY_SIZE, "-nolisten", "tcp"];
    let (xvfb, display) = start_and_read("Xvfb", &screen, "");
    let port = free_port();
    let mut command = until_end_of_input("WebKitWebDriver", &[&format!("--port={port}")]);
    command.env("DISPLAY", format!(":{display}")).env("GDK_BACKEND", "x11");
    let program = command.stdout(Stdio::null()).spawn().expect("sh is on PATH");
    let began = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        assert!(began.elapsed() < START_MAX, "{}", missing("WebKitWebDriver"));
        thread::sleep(Duration::from_millis(20));
    }
    Driver { address: local(&port.to_string()), _programs: vec![program, xvfb] }
}

fn local(port: &str) -> String {
    format!("http://127.0.0.1:{port}")
}

fn missing(program: &str) -> String {
    format!("{program} is on PATH and says when it is ready; ./dev setup installs it")
}

/// A port on which nothing listened a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port on loopback");
    listener.local_addr().expect("it is bound").port()
}

fn until_end_of_input(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", UNTIL_END_OF_INPUT, "sh", program]).args(arguments).process_group(0);
    command.stdin(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Starts a driver that prints the port that it has chosen at the end of a line, and returns both.
fn start_and_read_port(program: &str, arguments: &[&str], ready: &str) -> (Child, String) {
    let (child, line) = start_and_read(program, arguments, ready);
    let port = line.trim_end_matches('.').rsplit([' ', ':']).next().unwrap_or_default();
    (child, port.to_owned())
}

/// Starts a program and waits for a line with the text `ready`, which is returned.
fn start_and_read(program: &str, arguments: &[&str], ready: &str) -> (Child, String) {
    let mut command = until_end_of_input(program, arguments);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("sh is on PATH");
    let output = child.stdout.take().expect("its output is piped");
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains(ready));
    let line = line.unwrap_or_else(|| panic!("{}", missing(program)));
    // It must not block on a full pipe.
    thread::spawn(move || lines.for_each(drop));
    (child, line)
}
